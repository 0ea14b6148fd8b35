// The nearest other cluster, among clusters that merge.
//
// A k-d tree over the centres, whose leaves are blocks of tiles, finds it. Where it leaves out little, all
// blocks are looked at instead, by many clusters at a time. Both give the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/nearest.hpp"
#include "linkage/cluster_tiles.hpp"

namespace cladebench {

/// By the tree, through all blocks, or as a few trials say.
enum class Search { kChosen, kTree, kAll };

class ClusterSearch {
 public:
  /// Centres are rows of d doubles, and weights numbers, at the clusters' ids; both are read when asked, not
  /// kept.
  ClusterSearch(std::size_t d, Between between, Search search, const std::vector<double>& centres,
                const std::vector<double>& weights);

  /// Takes in the clusters that there are, and forgets all others.
  void rebuild(std::vector<std::int64_t> ids);

  /// The cluster `kept` has another centre and weight, and `gone` is part of it.
  void merge(std::int64_t kept, std::int64_t gone);

  /// Offers to nearby[q] the clusters near who[q]; at most kBatch of these.
  void find(std::span<const std::int64_t> who, Nearby* nearby) const;

  /// Offers to nearest[q] the clusters near who[q], of any number; up to ClusterTiles::kTogether of these.
  void find(std::span<const std::int64_t> who, std::span<Nearest> nearest) const;

  /// Offers to nearby[q] the clusters near the q-th of a block of the tree, all of them: as `find` does for
  /// each, in less time.
  void find_of_block(std::size_t block, std::span<Nearby> nearby) const;

  /// Notes where in the tree all clusters are in the same group, by the groups of the places.
  void mark(const std::vector<std::int64_t>& groups) const;

  /// Offers the clusters of other groups, as marked, that are not farther than `limit`.
  void find_outside(std::int64_t who, const std::vector<std::int64_t>& groups, double limit,
                    Nearby& nearby) const;

  /// At most the least distance of a cluster in a block to one of another group, as marked: infinity if there
  /// is none.
  double least_outside(std::size_t block, const std::vector<std::int64_t>& groups) const;

  Cluster cluster(std::int64_t id) const;
  bool is_by_tree() const { return with_tree_; }
  const ClusterTiles& tiles() const { return tiles_; }

  /// Clusters that are best asked about at a time.
  std::size_t batch() const { return kBatch; }
  /// Where a cluster is, so that clusters near each other are asked about together.
  std::size_t place(std::int64_t id) const { return places_[static_cast<std::size_t>(id)]; }

 private:
  static constexpr std::size_t kBatch = 32;

  struct Node {
    std::size_t first_block, n_blocks;
    std::size_t right;  ///< the left child is the next node
    double least_weight;
    mutable std::int64_t group = -1;  ///< of all clusters below, or -1
  };

  using Keyed = std::pair<double, std::int64_t>;
  using Near = std::pair<double, std::size_t>;  ///< a bound and a leaf
  /// With more of them each cluster goes down the tree by itself.
  static constexpr std::size_t kFewLeaves = 64;

  /// A node that is to be split: its clusters, and room for as many.
  struct Part {
    std::size_t node, first_block;
    std::span<std::int64_t> ids;
    std::span<Keyed> room;
  };

  static std::size_t blocks_of(std::size_t n) {
    return (n + ClusterTiles::kBlock - 1) / ClusterTiles::kBlock;
  }
  void split(const Part& part, std::vector<Part>& halves);
  void grow(const Part& part);
  /// Looks at the blocks that can have a cluster within the limit, the nearest first; gives how many they
  /// are.
  template <class Limit, class Skip, class Look>
  std::size_t walk(const Cluster& who, const Limit& limit, const Skip& skip, const Look& look) const;
  std::size_t find_in_tree(const Cluster& who, Nearby& nearby) const;
  bool is_tree_worth_while() const;
  double bound(std::size_t node, const Cluster& who) const;
  double bound(std::size_t a, std::size_t b) const;  ///< of any two clusters in two nodes
  std::size_t leaf_of(std::size_t block) const;
  /// At most the least distance of a leaf, of one group, to the rows of others in a block.
  double least_to_rows(std::size_t leaf, std::size_t block, const std::vector<std::int64_t>& groups) const;
  /// The other leaves within the limit, the nearest first. False if they are many.
  bool leaves_near(std::size_t leaf, double limit, std::vector<Near>& near) const;
  void widen(std::size_t node, const double* centre, double weight);

  std::size_t d_;
  Search search_;
  bool with_tree_ = true;
  const std::vector<double>& centres_;
  const std::vector<double>& weights_;
  ClusterTiles tiles_;
  std::vector<std::size_t> places_;
  std::vector<Node> nodes_;
  std::vector<double> boxes_;  ///< of each node its lower and its upper corner
};

}  // namespace cladebench
