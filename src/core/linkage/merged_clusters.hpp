// Clusters as their centres with sizes or spreads, and the merges that made them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/steps_done.hpp"
#include "linkage/cluster_tiles.hpp"
#include "linkage/linkage.hpp"

namespace cladebench {

/// A cluster goes by its lowest row.
class MergedClusters {
 public:
  using Id = std::int64_t;

  /// Each row of X is a cluster. Heights may fall, or else what rounding would let fall is kept up.
  MergedClusters(std::vector<double> X, std::size_t d, Linkage linkage, bool may_fall)
      : d_(d),
        linkage_(linkage),
        may_fall_(may_fall),
        centres_(std::move(X)),
        sizes_(centres_.size() / d, 1.0),
        spreads_(linkage == Linkage::kWard ? 0 : n(), 0.0),
        heights_(n(), 0.0),
        alive_(n(), true),
        n_alive_(n()) {
    for (double& x : centres_) x += 0.0;  // there is no -0
    merges_.reserve(n() - 1);
  }

  /// The clusters that are left of others, by their numbers among these; no merge yet.
  explicit MergedClusters(const MergedClusters& others, bool may_fall)
      : d_(others.d_), linkage_(others.linkage_), may_fall_(may_fall) {
    for (const Id id : others.alive()) {
      const double* centre = others.centres_.data() + at(id) * d_;
      centres_.insert(centres_.end(), centre, centre + d_);
      sizes_.push_back(others.sizes_[at(id)]);
      if (!others.spreads_.empty()) spreads_.push_back(others.spreads_[at(id)]);
    }
    heights_.assign(n(), 0.0);
    alive_.assign(n(), true);
    n_alive_ = n();
    merges_.reserve(n() - 1);
  }

  std::size_t n() const { return sizes_.size(); }
  std::size_t d() const { return d_; }
  std::size_t n_alive() const { return n_alive_; }
  bool is_alive(Id id) const { return alive_[at(id)]; }
  double size(Id id) const { return sizes_[at(id)]; }
  std::vector<Merge>& merges() { return merges_; }
  const std::vector<double>& centres() const { return centres_; }
  const std::vector<double>& weights() const { return linkage_ == Linkage::kWard ? sizes_ : spreads_; }

  std::vector<Id> alive() const {
    std::vector<Id> ids;
    for (std::size_t id = 0; id < n(); ++id) {
      if (alive_[id]) ids.push_back(static_cast<Id>(id));
    }
    return ids;
  }

  Between between() const {
    if (linkage_ == Linkage::kWard) return Between::kSizes;
    if (linkage_ == Linkage::kAverage || linkage_ == Linkage::kWeighted) return Between::kSpreads;
    return Between::kCentres;
  }

  Cluster cluster(Id id) const { return {centres_.data() + at(id) * d_, weights()[at(id)], id}; }

  double distance(Id a, Id b) const { return distance_between(between(), cluster(a), cluster(b), d_); }

  /// The weight of a's centre in that of a and b.
  double share(Id a, Id b) const {
    if (linkage_ == Linkage::kWeighted || linkage_ == Linkage::kMedian) return 0.5;
    return sizes_[at(a)] / (sizes_[at(a)] + sizes_[at(b)]);
  }

  /// The one with the lower row becomes both.
  void unite(Id kept, Id gone, double distance) {
    double* a = centres_.data() + at(kept) * d_;
    const double* b = centres_.data() + at(gone) * d_;
    const double p = share(kept, gone), q = share(gone, kept);
    double square = 0.0;
    for (std::size_t j = 0; j < d_; ++j) {
      const double difference = a[j] - b[j];
      square += difference * difference;
      if (difference != 0.0) a[j] = p * a[j] + q * b[j];
    }
    if (!spreads_.empty())
      spreads_[at(kept)] = p * spreads_[at(kept)] + q * spreads_[at(gone)] + p * q * square;
    sizes_[at(kept)] += sizes_[at(gone)];
    alive_[at(gone)] = false;
    --n_alive_;
    double height = distance;
    if (linkage_ == Linkage::kWard) height = std::sqrt(2.0 * distance);
    if (linkage_ == Linkage::kCentroid || linkage_ == Linkage::kMedian) height = std::sqrt(distance);
    if (!may_fall_) height = std::max(height, std::max(heights_[at(kept)], heights_[at(gone)]));
    heights_[at(kept)] = height;
    merges_.push_back({kept, gone, height});
    one_done();
  }

 private:
  static std::size_t at(Id id) { return static_cast<std::size_t>(id); }

  std::size_t d_;
  Linkage linkage_;
  bool may_fall_;
  std::vector<double> centres_, sizes_, spreads_, heights_;
  std::vector<bool> alive_;
  std::size_t n_alive_ = 0;
  std::vector<Merge> merges_;
};

/// Merges the two nearest of all that are left again and again, until one is; sorts all merges by height, but
/// for kCentroid and kMedian.
void merge_all(MergedClusters& clusters, Linkage linkage, Search search);

}  // namespace cladebench
