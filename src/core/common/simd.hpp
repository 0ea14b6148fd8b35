// Eight lanes of doubles, the same sums on every instruction set.
//
// A kernel is a struct with `template <class V> static ... run(...)`, written for parts of V::kWidth lanes:
// as many as fit a register. (GCC compiles vectors wider than a register by way of memory.) run_kernel calls
// the version for the instruction set in use. The source fixes lanes and order of additions whatever the
// width; together with -ffp-contract=off the results are equal bit for bit.
#pragma once

#include <cstdint>

#include "common/box.hpp"  // kLanes, padded_width
#include "common/instruction_set.hpp"

/// What a kernel calls must be inlined, to be compiled for the kernel's instruction set.
#define CLADEBENCH_INLINE __attribute__((always_inline)) inline

// Threads meet at the same places on every instruction set, so ThreadSanitizer's build has one and compiles
// faster.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
#define CLADEBENCH_X86
#endif

#if defined(__clang__)
#define CLADEBENCH_SHUFFLE(V, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CLADEBENCH_SHUFFLE(V, a, b, ...) __builtin_shuffle(a, b, typename V::Mask{__VA_ARGS__})
#endif

namespace cladebench {

/// Vectors are never passed by value: how that is done depends on the instruction set.
struct Lanes2 {
  static constexpr int kWidth = 2, kRegisters = 16;
  typedef double Vec __attribute__((vector_size(16)));
  typedef std::int64_t Mask __attribute__((vector_size(16)));
  typedef double Unaligned __attribute__((vector_size(16), aligned(8), may_alias));
};
struct Lanes4 {
  static constexpr int kWidth = 4, kRegisters = 16;
  typedef double Vec __attribute__((vector_size(32)));
  typedef std::int64_t Mask __attribute__((vector_size(32)));
  typedef double Unaligned __attribute__((vector_size(32), aligned(8), may_alias));
};
struct Lanes8 {
  static constexpr int kWidth = 8, kRegisters = 32;
  typedef double Vec __attribute__((vector_size(64)));
  typedef std::int64_t Mask __attribute__((vector_size(64)));
  typedef double Unaligned __attribute__((vector_size(64), aligned(8), may_alias));
};

/// Parts that make eight lanes.
template <class V>
inline constexpr int kParts = static_cast<int>(kLanes) / V::kWidth;

/// V::kWidth doubles in memory, as a vector.
template <class V>
CLADEBENCH_INLINE const typename V::Unaligned& at(const double* p) {
  return *reinterpret_cast<const typename V::Unaligned*>(p);
}
template <class V>
CLADEBENCH_INLINE typename V::Unaligned& at(double* p) {
  return *reinterpret_cast<typename V::Unaligned*>(p);
}

/// Sum of eight lanes in memory.
CLADEBENCH_INLINE double fold(const double* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

#ifdef CLADEBENCH_X86
template <class Kernel, class... Args>
__attribute__((target("avx512f"))) auto run_on_avx512(Args... args) {
  return Kernel::template run<Lanes8>(args...);
}
template <class Kernel, class... Args>
__attribute__((target("avx2"))) auto run_on_avx2(Args... args) {
  return Kernel::template run<Lanes4>(args...);
}
#endif

/// Kernel::run for the instruction set in use. No ifunc: those are resolved before a sanitizer is ready.
template <class Kernel, class... Args>
inline auto run_kernel(Args... args) {
#ifdef CLADEBENCH_X86
  const InstructionSet set = detail::instruction_set_in_use.load(std::memory_order_relaxed);
  if (set == InstructionSet::avx512) return run_on_avx512<Kernel>(args...);
  if (set == InstructionSet::avx2) return run_on_avx2<Kernel>(args...);
#endif
  return Kernel::template run<Lanes2>(args...);
}

}  // namespace cladebench
