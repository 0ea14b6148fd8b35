// A rooted tree over samples, laid out so that the samples below any node are one range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cladebench {

using Index = std::int64_t;

/// A rooted tree of any arity. Several samples may sit at one node, inner nodes included.
///
/// Preorder visits children in the order of their indices; `sample_order` lists the samples in preorder,
/// those that sit at a node itself (in the order of their indices) before those of its children. Hence the
/// samples below v are sample_order[first[v]], ..., sample_order[last[v] - 1].
struct Tree {
  /// Validates and lays out in O(n_nodes + n_samples) time and memory, without recursion.
  /// @param parents parent of each node, -1 at the root; nodes may come in any order.
  /// @param leaf_of node at which each sample sits.
  /// @throws std::invalid_argument if there is not exactly one root, an index is out of range, some node does
  /// not
  ///   descend from the root (a cycle), or there is no sample.
  Tree(std::vector<Index> parents, std::vector<Index> leaf_of);

  Index n_nodes() const { return static_cast<Index>(parents.size()); }
  Index n_samples() const { return static_cast<Index>(leaf_of.size()); }

  /// Samples that sit at v itself: sample_order[first[v]], ..., sample_order[own_end(v) - 1].
  Index own_end(Index v) const {
    const Index begin = child_ptr[v], end = child_ptr[v + 1];
    return begin == end ? last[v] : first[child_index[begin]];
  }

  std::span<const Index> children(Index v) const {
    return {child_index.data() + child_ptr[v], static_cast<std::size_t>(child_ptr[v + 1] - child_ptr[v])};
  }

  /// Lowest common ancestor of two nodes; O(log n_samples) if both have samples: each step leaves a heavy
  /// path.
  Index lca(Index u, Index v) const;

  std::vector<Index> parents, leaf_of;
  Index root = -1;
  std::vector<Index> child_ptr, child_index;  ///< children of v: child_index[child_ptr[v]:child_ptr[v + 1]]
  std::vector<Index> preorder, depths;
  std::vector<Index> sizes;  ///< samples below each node, its own included
  std::vector<Index> sample_order, first, last;
  /// Child with the most samples (the lowest index among equals), -1 at a node without children. Any path to
  /// the root has at most log2(n_samples) edges that do not come from a heavy child and lead to a node with
  /// samples.
  std::vector<Index> heavy;
  std::vector<Index> head;  ///< topmost node of the path of heavy children through each node

 private:
  void sort_children();
  void walk();
  void place_samples();
  void find_heavy_paths();
};

/// Counts the samples of each class below each node, in a table of n_nodes x n_classes.
///
/// From the leaves up; O(n_nodes n_classes), less for nodes with fewer samples than classes, and one int32
/// for each sample beside the table.
/// @param labels class of each sample, 0..n_classes-1.
/// @param counts row-major; of int32 or int64, which has to hold n_samples.
template <class Count>
void class_counts(const Tree& tree, std::span<const std::int32_t> labels, std::size_t n_classes,
                  Count* counts);

}  // namespace cladebench
