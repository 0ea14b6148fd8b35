// A bound on the mean distance between two clusters, from their parts' centres.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/keep_on.hpp"
#include "linkage/cluster_pairs.hpp"

namespace cladebench {

/// Of each cluster the centre, the mean square of its parts' distances to it, and at least the greatest of
/// these. A part is its centre, as often as it has rows.
class ClusterBalls {
 public:
  ClusterBalls() = default;

  /// At first each cluster is one part.
  ClusterBalls(const Points& points, const Grouping& clusters)
      : d_(points.d),
        centres_(clusters.size() * d_, 0.0),
        spreads_(clusters.size(), 0.0),
        radii_(clusters.size(), 0.0) {
    double largest = 0.0;
    for (const double x : points.x) largest = std::max(largest, std::abs(x));
    error_ = 0x1p-46 * largest * std::sqrt(static_cast<double>(d_));
    for (std::size_t k = 0; k < clusters.size(); ++k) {
      keep_on(clusters.of(k).size() * d_);
      for (const std::int64_t point : clusters.of(k)) {
        const double share = points.weight(point) / clusters.sizes[k];
        for (std::size_t j = 0; j < d_; ++j) centres_[k * d_ + j] += share * points.row(point)[j];
      }
    }
  }

  /// The first is both, and `share` of its rows its own.
  void merge(std::size_t kept, std::size_t gone, double share) {
    const double between = apart(kept, gone), other = 1.0 - share, far = std::sqrt(between);
    spreads_[kept] = share * spreads_[kept] + other * spreads_[gone] + share * other * between;
    radii_[kept] = std::max(radii_[kept] + other * far, radii_[gone] + share * far);
    double* own = centres_.data() + kept * d_;
    for (std::size_t j = 0; j < d_; ++j) own[j] = share * own[j] + other * centres_[gone * d_ + j];
  }

  /// The mean square of the distances between the parts of two clusters.
  double mean_square(std::size_t a, std::size_t b) const { return apart(a, b) + spreads_[a] + spreads_[b]; }

  /// The least mean distance between the rows of two clusters.
  ///
  /// Of each pair of parts the mean m is known, or above the limit T; `known` is the mean of these, with T
  /// for the latter, and `squares` that of squares: T^2, or the square of the distance y of the parts'
  /// centres. No m is below y. So where it is not known, m - T >= (y^2 - T^2) / (u + T) with u >= y; and the
  /// sum of all y^2 follows from the clusters' centres.
  double least_mean(std::size_t a, std::size_t b, double known, double squares, double limit) const {
    const double most = std::sqrt(apart(a, b)) + radii_[a] + radii_[b] + 4.0 * error_;
    const double missing = mean_square(a, b) - squares - 8.0 * error_ * most;
    return missing > 0.0 ? known + missing / (most + limit) : known;
  }

 private:
  /// Square of the distance of two centres.
  double apart(std::size_t a, std::size_t b) const {
    const double *x = centres_.data() + a * d_, *y = centres_.data() + b * d_;
    double square = 0.0;
    for (std::size_t j = 0; j < d_; ++j) square += (x[j] - y[j]) * (x[j] - y[j]);
    return square;
  }

  std::size_t d_ = 0;
  std::vector<double> centres_, spreads_, radii_;
  double error_ = 0.0;  ///< of a centre's place
};

}  // namespace cladebench
