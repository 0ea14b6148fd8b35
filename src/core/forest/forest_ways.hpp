// Where points stand in all trees of a forest, as rows of sparse matrices.
//
// A point has an entry for its leaf in each tree; or two for each split on its way: 1 and its certainty, in
// columns of the split's side. Splits and leaves are numbered over all trees, in the order of trees and
// nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/hierarchy_forest.hpp"

namespace cladebench {

/// Columns of a split: left 1, left certainty, right 1, right certainty.
inline constexpr std::size_t kColumnsPerSplit = 4;

class ForestWays {
 public:
  /// Of the training rows, or of points. The forest must outlive this.
  explicit ForestWays(const PlacedForest& forest);
  ForestWays(const PlacedForest& forest, const Rows& points);

  std::size_t n_splits() const { return first_split_.back(); }
  std::size_t n_leaves() const { return n_splits() + forest_.n_trees(); }

  /// The number of each point's leaf in each tree, point by point; there are n * n_trees.
  void leaves(std::int32_t* numbers) const;
  /// Where the entries of each point end, and before them a 0.
  std::vector<std::int64_t> ends() const;
  /// Entries of all points, those of a point from ends[point] on, their columns ascending.
  template <class Index>
  void fill(std::span<const std::int64_t> ends, Index* columns, float* values) const;

 private:
  const PlacedTree& tree(std::size_t t) const { return placed_.empty() ? forest_.tree(t) : placed_[t]; }
  /// Calls visit(v, node) at each leaf of a tree that holds points; in parallel.
  template <class Visit>
  void at_leaves(std::size_t t, const Visit& visit) const;

  const PlacedForest& forest_;
  std::size_t n_;
  std::vector<PlacedTree> placed_;        ///< of points; empty: the training rows stand in the forest
  std::vector<std::size_t> first_split_;  ///< of each tree, and of all
};

}  // namespace cladebench
