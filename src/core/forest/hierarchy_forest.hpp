// A forest of cluster hierarchies as a distance: equations (1) to (3) of Johnson, Xiong and Corso.
//
// D(a, b) is the mean over trees of H_t(a, b): 0 in a shared leaf, else |c(a) - c(b)| |node| / N at the
// smallest node with both, c being the certainty of hierarchy_tree.hpp. H_t is computed in floats and summed
// in doubles, tree by tree, wherever it is computed: all ways to D agree to the last bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "forest/hierarchy_tree.hpp"

namespace cladebench {

/// Called now and then, on any thread; what it throws ends the work.

/// Trees first, ..., first + count - 1 of the forest of a seed; in parallel.
std::vector<HierarchyTree> grow_forest(const Rows& rows, std::span<const Pair> must_link,
                                       std::span<const Pair> cannot_link, const GrowthSettings& settings,
                                       const Splitter& splitter, std::uint64_t seed, std::size_t first,
                                       std::size_t count);

/// A point on its way down a tree.
struct Way {
  struct Step {
    float certainty, scale;    ///< the point's; |node| / N
    std::uint32_t begin, end;  ///< of the node
    std::size_t base;          ///< see PlacedTree::Node
  };
  std::uint32_t leaf_begin, leaf_end;
  std::uint32_t leaf;
  std::uint64_t key;            ///< see parting_level
  std::span<const Step> steps;  ///< at the splits, from the root

  /// The level at which another point, given its key, parts from this one; steps.size() if they share a leaf.
  std::size_t parts_from(std::uint64_t other) const {
    const std::uint32_t level = parting_level(key, other);
    if (level < kKeyLevels) return level;
    // Nodes below are found by the place: the last one that holds it.
    const auto place = static_cast<std::uint32_t>(other);
    const auto without = std::partition_point(
        steps.begin() + std::min<std::ptrdiff_t>(kKeyLevels, std::ssize(steps)), steps.end(),
        [&](const Step& step) { return step.begin <= place && place < step.end; });
    const bool shares_leaf = leaf_begin <= place && place < leaf_end;
    return static_cast<std::size_t>(without - steps.begin()) - (shares_leaf ? 0 : 1);
  }
};

/// |c(a) - c(b)| |node| / N, in floats.
inline float tree_distance(float a, float b, float scale) { return std::fabs(a - b) * scale; }

class PlacedForest {
 public:
  /// What the views show must outlive the forest. Trees are checked before they are used.
  PlacedForest(std::vector<TreeView> trees, const Rows& rows, double alpha);

  std::size_t n_trees() const { return trees_.size(); }
  std::size_t n() const { return rows_.n; }
  std::size_t d() const { return rows_.d; }
  const TreeView& view(std::size_t t) const { return views_[t]; }
  const PlacedTree& tree(std::size_t t) const { return trees_[t]; }

  /// Other points in all trees.
  std::vector<PlacedTree> place(const Rows& points) const;

  /// The leaf of a point, and its certainties at the splits on its way appended.
  std::uint32_t walk(std::size_t t, const double* point, std::vector<float>& certainties) const;

  /// The way to a leaf, its steps appended to a vector: Way::steps is to be set when that grows no more.
  /// Certainties by level, or null: those of the training row at a place.
  Way way(std::size_t t, std::uint32_t leaf, const float* certainties, std::size_t place,
          std::vector<Way::Step>& steps) const;

  /// Distances of points in row-major `D`.
  void pairwise(const Rows& a, const Rows& b, double* D) const;

 private:
  /// work(t) for each tree, in parallel; what it throws names the tree.
  template <class Work>
  void at_trees(const Work& work) const;

  std::vector<TreeView> views_;
  std::vector<PlacedTree> trees_;
  Rows rows_;
  double alpha_;
};

}  // namespace cladebench
