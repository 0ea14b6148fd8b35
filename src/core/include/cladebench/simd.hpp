// Eight doubles at a time, the same on every instruction set.
//
// GCC's and Clang's vector extensions fix the number of lanes and the order of additions in the source; what
// the machine has decides only how many registers a vector takes. Together with -ffp-contract=off the results
// are equal bit for bit.
#pragma once

#include <cstdint>

#include "cladebench/box.hpp"  // kLanes, padded_width

// One version of a function for each instruction set, chosen when the program starts. (The choice is made
// before AddressSanitizer is ready for it.) What such a function calls must be CLADEBENCH_INLINE to be
// compiled for that set.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define CLADEBENCH_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLADEBENCH_CLONES
#endif

#define CLADEBENCH_INLINE __attribute__((always_inline)) inline

namespace cladebench {

/// Vectors are never passed by value: how that is done depends on the instruction set.
typedef double Vec __attribute__((vector_size(8 * kLanes)));
typedef std::int64_t Mask __attribute__((vector_size(8 * kLanes)));
/// A vector in an array of doubles, at any address. (To be named: `auto` forgets the alignment.)
typedef double UnalignedVec __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));

#if defined(__clang__)
#define CLADEBENCH_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CLADEBENCH_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, Mask{__VA_ARGS__})
#endif

/// Sums of the lanes, of several vectors at once, by levels: two vectors to one with four partial sums of
/// each, then those of four vectors to two each, then those of eight to their sums.
CLADEBENCH_INLINE void fold_pair(const Vec& a, const Vec& b, Vec& out) {
  out = CLADEBENCH_SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
        CLADEBENCH_SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
CLADEBENCH_INLINE void fold_quad(const Vec& a, const Vec& b, Vec& out) {
  out = CLADEBENCH_SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
        CLADEBENCH_SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}
CLADEBENCH_INLINE void fold_octet(const Vec& a, const Vec& b, Vec& out) {
  out = CLADEBENCH_SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
        CLADEBENCH_SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

/// Sum of the lanes of one vector.
CLADEBENCH_INLINE double fold(const Vec& s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

}  // namespace cladebench
