#include "cladebench/box.hpp"

#include <algorithm>
#include <cmath>

// One version for each instruction set, chosen when the program starts. All run the same additions in the
// same order: their results are equal bit for bit. (The choice is made before AddressSanitizer is ready for
// it.)
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define CLADEBENCH_VERSIONS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLADEBENCH_VERSIONS
#endif

namespace cladebench {
namespace {

/// Coordinates between two looks at the limit.
constexpr std::size_t kStretch = 4 * kLanes;

inline double fold(const double* s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/// max(a, b, 0) where at most one of the two is positive: exact, and without a branch.
inline double positive_part(double a, double b) { return 0.5 * ((a + std::fabs(a)) + (b + std::fabs(b))); }

}  // namespace

CLADEBENCH_VERSIONS
double point_distance(const double* a, const double* b, std::size_t width, double limit) {
  double sum[kLanes] = {};
  for (std::size_t begin = 0; begin < width; begin += kStretch) {
    const std::size_t end = std::min(begin + kStretch, width);
    for (std::size_t k = begin; k < end; k += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double gap = a[k + lane] - b[k + lane];
        sum[lane] += gap * gap;
      }
    }
    if (fold(sum) > limit) break;
  }
  return fold(sum);
}

CLADEBENCH_VERSIONS
double point_box_distance(const double* point, const Box& box, std::size_t width, double limit) {
  const double *lower = box.lower, *upper = box.upper;
  double sum[kLanes] = {};
  for (std::size_t begin = 0; begin < width; begin += kStretch) {
    const std::size_t end = std::min(begin + kStretch, width);
    for (std::size_t k = begin; k < end; k += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double x = point[k + lane];
        const double gap = positive_part(lower[k + lane] - x, x - upper[k + lane]);
        sum[lane] += gap * gap;
      }
    }
    if (fold(sum) > limit) break;
  }
  return fold(sum);
}

CLADEBENCH_VERSIONS
double nearest_distance(const Box& a, const Box& b, std::size_t width) {
  double sum[kLanes] = {};
  for (std::size_t k = 0; k < width; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double gap =
          positive_part(a.lower[k + lane] - b.upper[k + lane], b.lower[k + lane] - a.upper[k + lane]);
      sum[lane] += gap * gap;
    }
  }
  return fold(sum);
}

CLADEBENCH_VERSIONS
double farthest_distance(const Box& a, const Box& b, std::size_t width) {
  double sum[kLanes] = {};
  for (std::size_t k = 0; k < width; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double gap =
          std::max(a.upper[k + lane] - b.lower[k + lane], b.upper[k + lane] - a.lower[k + lane]);
      sum[lane] += gap * gap;
    }
  }
  return fold(sum);
}

}  // namespace cladebench
