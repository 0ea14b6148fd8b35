// How far clusters are at least, and at most, of which some rows are not linked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linkage/graph_edges.hpp"
#include "linkage/linkage_by_edges.hpp"
#include "linkage/merged_clusters.hpp"

namespace cladebench {

/// A row p is at least r_p from the rows that it is not linked to. So a cluster A and a cluster C that it is
/// not linked to are at least R apart: the greatest r_p of A for kComplete, else the mean, with the weights
/// of A's rows.
///
/// For kAverage and kWeighted G is no more than the distance of A to any other cluster. Of a row it is the
/// shortest of its edges. If A and B are at least a and b from all clusters but each other, then A and B
/// together are at least the mean of a and b from them, with the weights of A and B; and if C merges, its
/// mean distances to A do so, too.
///
/// At most two clusters are as far as their centres and both radii for kComplete. A radius is kept by the
/// triangle inequality, and so takes rounding of centres into account. Else the mean is no more than the root
/// of the mean square.
class ClusterReach {
 public:
  using Id = std::int64_t;

  /// Only what is said of the lowest rows of clusters counts.
  ClusterReach(const MergedClusters& clusters, EdgeLinkage linkage, std::span<const double> squares)
      : clusters_(clusters),
        is_complete_(linkage == EdgeLinkage::kComplete),
        beyond_(squares.begin(), squares.end()),
        radii_(is_complete_ ? squares.size() : 0, 0.0) {
    for (double& r : beyond_) r = std::sqrt(r);
    if (!is_complete_) floors_ = beyond_;
  }

  bool is_known() const { return !beyond_.empty(); }

  /// R, and G.
  double beyond(Id id) const { return beyond_[at(id)] * kBelowRounding; }
  double floor(Id id) const { return floors_[at(id)]; }

  /// Hears of an edge between the first rows of two clusters, at the beginning.
  void hear(Id a, Id b, double distance) {
    if (!is_known() || is_complete_) return;
    for (const Id id : {a, b}) floors_[at(id)] = std::min(floors_[at(id)], distance);
  }

  /// How far two clusters are at most, if they are at least so far.
  double most(Id a, Id b, double height) const {
    if (!is_complete_) return std::sqrt(clusters_.distance(a, b)) / kBelowRounding;
    const double between =
        distance_between(Between::kCentres, clusters_.cluster(a), clusters_.cluster(b), clusters_.d());
    return std::max(height, (std::sqrt(between) + radii_[at(a)] + radii_[at(b)]) / kBelowRounding);
  }

  /// Before both become one. They are at least so far from all others; for kAverage and kWeighted.
  void merge(Id kept, Id gone, double from_kept, double from_gone) {
    const double p = clusters_.share(kept, gone), q = clusters_.share(gone, kept);
    if (is_complete_) {
      beyond_[at(kept)] = std::max(beyond_[at(kept)], beyond_[at(gone)]);
      radii_[at(kept)] = joint_radius(kept, gone, p, q);
    } else {
      beyond_[at(kept)] = p * beyond_[at(kept)] + q * beyond_[at(gone)];
      floors_[at(kept)] = (p * from_kept + q * from_gone) * kBelowRounding;
    }
  }

 private:
  static std::size_t at(Id id) { return static_cast<std::size_t>(id); }

  double joint_radius(Id kept, Id gone, double p, double q) const {
    const double *a = clusters_.cluster(kept).centre, *b = clusters_.cluster(gone).centre;
    double from_a = 0.0, from_b = 0.0;
    for (std::size_t j = 0; j < clusters_.d(); ++j) {
      const double centre = a[j] != b[j] ? p * a[j] + q * b[j] : a[j];  // as MergedClusters::unite has it
      from_a += (centre - a[j]) * (centre - a[j]);
      from_b += (centre - b[j]) * (centre - b[j]);
    }
    return std::max(radii_[at(kept)] + std::sqrt(from_a), radii_[at(gone)] + std::sqrt(from_b));
  }

  const MergedClusters& clusters_;
  bool is_complete_;
  std::vector<double> beyond_, floors_, radii_;
};

}  // namespace cladebench
