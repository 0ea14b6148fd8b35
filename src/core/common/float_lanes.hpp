// Sixteen lanes of floats, the same sums on every instruction set: simd.hpp in single precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "common/simd.hpp"

namespace cladebench {

inline constexpr std::size_t kFloatLanes = 16;

/// Rounded up to whole vectors.
constexpr std::size_t padded_floats(std::size_t n) {
  return (n + kFloatLanes - 1) / kFloatLanes * kFloatLanes;
}

/// The floats of a register that holds V's doubles.
template <class V>
struct FloatsOf;
template <>
struct FloatsOf<Lanes2> {
  static constexpr int kWidth = 4, kParts = 4;
  typedef float Vec __attribute__((vector_size(16)));
  typedef float Unaligned __attribute__((vector_size(16), aligned(4), may_alias));
  typedef std::int32_t Bits __attribute__((vector_size(16)));
  typedef std::int32_t UnalignedBits __attribute__((vector_size(16), aligned(8), may_alias));
  typedef float Half __attribute__((vector_size(8), aligned(4), may_alias));  ///< as many as V's doubles
};
template <>
struct FloatsOf<Lanes4> {
  static constexpr int kWidth = 8, kParts = 2;
  typedef float Vec __attribute__((vector_size(32)));
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
  typedef std::int32_t Bits __attribute__((vector_size(32)));
  typedef std::int32_t UnalignedBits __attribute__((vector_size(32), aligned(8), may_alias));
  typedef float Half __attribute__((vector_size(16), aligned(4), may_alias));  ///< as many as V's doubles
};
template <>
struct FloatsOf<Lanes8> {
  static constexpr int kWidth = 16, kParts = 1;
  typedef float Vec __attribute__((vector_size(64)));
  typedef float Unaligned __attribute__((vector_size(64), aligned(4), may_alias));
  typedef std::int32_t Bits __attribute__((vector_size(64)));
  typedef std::int32_t UnalignedBits __attribute__((vector_size(64), aligned(8), may_alias));
  typedef float Half __attribute__((vector_size(32), aligned(4), may_alias));  ///< as many as V's doubles
};

template <class F>
CLADEBENCH_INLINE const typename F::Unaligned& floats_at(const float* p) {
  return *reinterpret_cast<const typename F::Unaligned*>(p);
}
template <class F>
CLADEBENCH_INLINE typename F::Unaligned& floats_at(float* p) {
  return *reinterpret_cast<typename F::Unaligned*>(p);
}

/// Sum of sixteen lanes in memory, in double precision.
CLADEBENCH_INLINE double fold_floats(const float* s) {
  double half[8];
  for (int k = 0; k < 8; ++k) half[k] = static_cast<double>(s[k]) + static_cast<double>(s[k + 8]);
  return fold(half);
}

/// Memory in whole cache lines, so that no vector lies in two.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};
using Floats = std::vector<float, LineAllocator<float>>;

}  // namespace cladebench
