// Exponential and logarithm of vectors, to about two units in the last place.
#pragma once

#include <cstdint>

#include "common/simd.hpp"

namespace cladebench {

/// sum = c_0 t^(n-1) + c_1 t^(n-2) + ... + c_(n-1), by Horner's rule.
template <class V, int n>
CLADEBENCH_INLINE void polynomial(const double (&c)[n], const typename V::Vec& t, typename V::Vec& sum) {
  sum = typename V::Vec{} + c[0];
  for (int k = 1; k < n; ++k) sum = sum * t + c[k];
}

/// result = e^x for x <= 0; e^-708, whose power of two is a normal number, for all below.
template <class V>
CLADEBENCH_INLINE void exp_of_negative(const typename V::Vec& given, typename V::Vec& result) {
  using Vec = typename V::Vec;
  using Bits = typename V::Mask;
  const Vec zero{}, least = zero - 708.0, shift = zero + 0x1.8p52;
  const Vec x = given < least ? least : given;
  const Vec rounded = x * 0x1.71547652b82fep0 + shift;  // its last bits are x / log(2), rounded
  const Vec n = rounded - shift;
  const Vec r = (x - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b3ap-40;
  // The series to r^13 / 13!, |r| <= log(2) / 2; its even and odd terms do not wait for each other.
  const Vec t = r * r;
  constexpr double kEven[] = {
      1.0 / 479001600.0, 1.0 / 3628800.0, 1.0 / 40320.0, 1.0 / 720.0, 1.0 / 24.0, 0.5, 1.0};
  constexpr double kOdd[] = {
      1.0 / 6227020800.0, 1.0 / 39916800.0, 1.0 / 362880.0, 1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0, 1.0};
  Vec even, odd;
  polynomial<V>(kEven, t, even);
  polynomial<V>(kOdd, t, odd);
  const Vec sum = even + r * odd;
  result = sum * (Vec)(((Bits)rounded + 1023) << 52);
}

/// result = log(x) for x >= 1e-300, from exponent and 2 artanh((m - 1) / (m + 1)), m from sqrt(1/2) to
/// sqrt(2); log(1e-300) for all below.
template <class V>
CLADEBENCH_INLINE void log_of_positive(const typename V::Vec& given, typename V::Vec& result) {
  using Vec = typename V::Vec;
  using Bits = typename V::Mask;
  constexpr std::int64_t kBias = std::int64_t{1023} << 52, kRootOfHalf = 0x3fe6a09e667f3bcd;
  const Vec zero{}, least = zero + 1e-300;
  const Vec x = given < least ? least : given;
  const Bits bits = (Bits)x;
  // Not negative: x is not tiny. Without a sign lest the bits of NaN overflow.
  typedef std::uint64_t Words __attribute__((vector_size(sizeof(Vec))));
  const Bits exponent = (Bits)((Words)bits + static_cast<std::uint64_t>(kBias - kRootOfHalf)) >> 52;
  const Vec m = (Vec)((Words)bits - ((Words)exponent << 52) + static_cast<std::uint64_t>(kBias));
  const Vec n = (Vec)(exponent | 0x4330000000000000) - (0x1p52 + 1023.0);
  const Vec s = (m - 1.0) / (m + 1.0), t = s * s;
  constexpr double kArtanh[] = {1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                                1.0 / 11.0, 1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0,  1.0};
  Vec sum;
  polynomial<V>(kArtanh, t, sum);
  result = n * 0x1.62e42fefa0000p-1 + (2.0 * s * sum + n * 0x1.cf79abc9e3b3ap-40);
}

}  // namespace cladebench
