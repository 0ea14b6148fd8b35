// Pairs of clusters that are near each other, by the distances between their points.
//
// Each pair of points is looked at once, by blocks: of the clusters' pairs those are kept that are not
// farther than a limit, and so few that they fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linkage/cluster_tiles.hpp"

namespace cladebench {

/// What of the distances between the points of two clusters counts.
enum class Over {
  kGreatest,  ///< the greatest; its square is kept
  kMean       ///< the mean; their sum is kept
};

/// Points: rows that differ, each with the number of rows that are equal to it.
struct Points {
  std::size_t d;
  std::vector<double> x;  ///< d numbers a point; none is -0
  std::vector<double> weights;

  std::size_t size() const { return weights.size(); }
  const double* row(std::int64_t point) const { return x.data() + static_cast<std::size_t>(point) * d; }
  double weight(std::int64_t point) const { return weights[static_cast<std::size_t>(point)]; }
};

/// The points of each cluster, in the clusters' order.
struct Grouping {
  std::vector<std::int64_t> points;
  std::vector<std::size_t> begin;  ///< of each cluster, and the end
  std::vector<double> sizes;       ///< in rows

  std::size_t size() const { return sizes.size(); }
  std::span<const std::int64_t> of(std::size_t cluster) const {
    return {points.data() + begin[cluster], begin[cluster + 1] - begin[cluster]};
  }
};

struct ClusterPair {
  double value;  ///< greatest square, or sum
  std::uint32_t first, second;
};

/// Brings what a cluster of these points has of each point of a block: `value` of one point and the cluster.
void compare(const Points& points, std::span<const std::int64_t> who, Over over, const ClusterTiles& tiles,
             std::size_t block, double* values);

/// All pairs of clusters that are not farther than the limit: a square, or a mean distance.
struct NearPairs {
  std::vector<std::vector<ClusterPair>> chunks;
  double limit;
};

/// At most `room` pairs of clusters, the nearest; all if they are few more than that. More only where more
/// are equally near and nearest of all. O(n^2 d) for n points, and less where few coordinates keep most
/// clusters apart.
NearPairs near_pairs(const Points& points, const Grouping& clusters, Over over, std::size_t room);

/// Distance of two clusters as compared: a square, or a mean.
inline double distance_of(Over over, double value, double pairs) {
  return over == Over::kGreatest ? value : value / pairs;
}

}  // namespace cladebench
