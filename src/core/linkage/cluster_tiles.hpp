// Centres of clusters by tiles of eight, and the distances of a cluster to many.
//
// Within a tile the centres' values of one coordinate follow each other, so that eight distances are added up
// at a time, each in the order of the coordinates: the numbers do not depend on the instruction set, on the
// place of a cluster, or on which of the two asks.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/simd.hpp"

namespace cladebench {

/// What the squared distance of two centres becomes.
enum class Between {
  kSizes,  ///< times s t / (s + t), of the sizes: half of what Ward's sum of squares grows by, doubled later
  kSpreads,  ///< plus both spreads, the mean squared distance of the members to their centre
  kCentres   ///< itself
};

struct Cluster {
  const double* centre;
  double weight;    ///< size or spread
  std::int64_t id;  ///< its lowest row
};

struct Neighbor {
  double distance = std::numeric_limits<double>::infinity();
  std::int64_t id = std::numeric_limits<std::int64_t>::max();

  /// The nearer first, then the lower id.
  auto operator<=>(const Neighbor&) const = default;
};

/// The nearest of the clusters that were offered.
class Nearby {
 public:
  static constexpr std::size_t kRoom = 6;

  explicit Nearby(std::size_t room = kRoom) : room_(room) {}

  /// What is farther need not be offered.
  double limit() const {
    return count_ < room_ ? std::numeric_limits<double>::infinity() : found_[count_ - 1].distance;
  }

  /// Takes a cluster that is nearer than the last, once.
  void offer(const Neighbor& one) {
    std::size_t place = count_;  // of few: one after the other is the fastest way to find it
    while (place > 0 && is_nearer(one, found_[place - 1])) --place;
    if (place == room_ || (place > 0 && found_[place - 1].id == one.id)) return;
    count_ = std::min(count_ + 1, room_);
    for (std::size_t k = count_ - 1; k > place; --k) found_[k] = found_[k - 1];
    found_[place] = one;
  }

  std::span<const Neighbor> found() const { return {found_.data(), count_}; }

 private:
  static bool is_nearer(const Neighbor& a, const Neighbor& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.id < b.id);
  }

  std::array<Neighbor, 2 * kRoom> found_;
  std::size_t room_, count_ = 0;
};

class ClusterTiles {
 public:
  /// Tiles that are looked at in one go.
  static constexpr std::size_t kBlockTiles = 8;
  static constexpr std::size_t kBlock = kBlockTiles * kLanes;
  /// Clusters that look at a block together.
  static constexpr std::size_t kTogether = 4;

  ClusterTiles(std::size_t d, Between between) : d_(d), between_(between) {}

  std::size_t d() const { return d_; }
  Between between() const { return between_; }
  std::size_t size() const { return ids_.size(); }  ///< places, with those of clusters that are gone
  std::size_t n_blocks() const { return (ids_.size() + kBlock - 1) / kBlock; }

  /// Takes in other clusters, in their order.
  void assign(std::span<const std::int64_t> ids, const double* centres, const double* weights);
  void replace(std::size_t place, const double* centre, double weight);
  void remove(std::size_t place);  ///< It is no neighbour of any other from then on.

  /// Offers the other clusters of a block to each of up to kTogether.
  void look_at_block(std::size_t block, std::span<const Cluster> who, Nearby* nearby) const;

  /// Distances of up to kTogether clusters to all places of a block (NaN where none is), kBlock of them each;
  /// the least.
  double distances(std::size_t block, std::span<const Cluster> from, double* out) const;

  std::int64_t id(std::size_t place) const { return ids_[place]; }
  std::span<const std::int64_t> ids() const { return ids_; }

 private:
  std::size_t tiles_of(std::size_t block) const;

  std::size_t d_;
  Between between_;
  std::vector<double> tiles_, weights_;
  std::vector<std::int64_t> ids_;
};

/// The distance of two clusters, bit for bit as the tiles give it.
double distance_between(Between between, const Cluster& a, const Cluster& b, std::size_t d);

/// A distance from the square of centres' and both weights.
inline double joined(Between between, double square, double a, double b) {
  if (between == Between::kSizes) return square * (a * b / (a + b));
  return between == Between::kSpreads ? square + (a + b) : square;
}

}  // namespace cladebench
