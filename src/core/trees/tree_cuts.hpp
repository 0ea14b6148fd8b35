// What least squares on a tree needs of the distances: for each edge, the points below it and the sum across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/tree_metric.hpp"

namespace cladebench::additive {

using Node = std::int64_t;
using Values = std::vector<double>;

/// A tree rooted at a point, with all that least squares needs of it and of D.
struct Cuts {
  TreeParents parent;
  TreeParents order;    ///< parents before children, the nodes below a node right after it
  TreeParents n_nodes;  ///< below each node, itself included
  TreeParents child,
      sibling;  ///< the first child, and the next child of the same parent; -1 if there is none
  Values size;  ///< points below each node
  Values sum;   ///< of D over the pairs that the edge above each node parts

  TreeParents waiting;  ///< of `lay_out` alone

  std::size_t nodes() const { return parent.size(); }
};

/// Sets `order`, `n_nodes`, `child` and `sibling`. False if the parents are no tree.
bool lay_out(Cuts& tree);

/// The tree laid out.
///
/// @throws std::invalid_argument if it is none as `tree_metric.hpp` describes it.
Cuts checked(std::size_t k, const TreeParents& parents);

/// O(k^2).
Cuts cuts_of(std::span<const double> D, std::size_t k, TreeParents parent);

/// The sum across the edge above the node at a place of the order, from the sums of D from the points below
/// it to each point: all of these, less twice what lies within.
double sum_across(const Cuts& tree, std::size_t k, std::size_t place, const double* to_points);

/// The same tree with another point as its root: an edge parts the same pairs from both sides. O(k).
Cuts seen_from(const Cuts& tree, std::size_t k, Node root);

/// Values of a tree's edges, by node, as they stand with another node as its root, which gets 0.
Values turned(const TreeParents& parents, Node root, Values values);

/// Path lengths between the points of one tree after another.
class Paths {
 public:
  /// The tree is laid out. O(k^2).
  void measure(const Cuts& tree, std::span<const double> lengths);

  double between(std::size_t i, std::size_t j) const {
    const std::size_t one = place_[i], other = place_[j];
    if (one == other) return 0.0;
    return one > other ? row(one)[other] : row(other)[one];
  }

 private:
  /// From the node at a place to those before it.
  double* row(std::size_t place) { return apart_.data() + place * (place - 1) / 2; }
  const double* row(std::size_t place) const { return apart_.data() + place * (place - 1) / 2; }

  std::vector<std::size_t> place_;
  Values apart_;
};

}  // namespace cladebench::additive
