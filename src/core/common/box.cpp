#include "common/box.hpp"

#include <algorithm>
#include <cmath>

#include "common/simd.hpp"

namespace cladebench {
namespace {

/// Coordinates between two looks at the limit.
constexpr std::size_t kStretch = 4 * kLanes;

/// max(a, b, 0) where at most one of the two is positive: exact, and without a branch.
CLADEBENCH_INLINE double positive_part(double a, double b) {
  return 0.5 * ((a + std::fabs(a)) + (b + std::fabs(b)));
}

struct PointDistance {
  template <class V>
  CLADEBENCH_INLINE static double run(const double* a, const double* b, std::size_t width, double limit) {
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
};

struct PointBoxDistance {
  template <class V>
  CLADEBENCH_INLINE static double run(const double* point, const Box& box, std::size_t width, double limit) {
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
};

struct NearestDistance {
  template <class V>
  CLADEBENCH_INLINE static double run(const Box& a, const Box& b, std::size_t width) {
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
};

struct FarthestDistance {
  template <class V>
  CLADEBENCH_INLINE static double run(const Box& a, const Box& b, std::size_t width) {
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
};

}  // namespace

double point_distance(const double* a, const double* b, std::size_t width, double limit) {
  return run_kernel<PointDistance>(a, b, width, limit);
}

double point_box_distance(const double* point, const Box& box, std::size_t width, double limit) {
  return run_kernel<PointBoxDistance>(point, box, width, limit);
}

double nearest_distance(const Box& a, const Box& b, std::size_t width) {
  return run_kernel<NearestDistance>(a, b, width);
}

double farthest_distance(const Box& a, const Box& b, std::size_t width) {
  return run_kernel<FarthestDistance>(a, b, width);
}

}  // namespace cladebench
