// Trees of points as least squares sees them: for each edge, which points lie below it and the sum of D
// across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cladebench/tree_metric.hpp"

namespace cladebench::tree_fit {

using Node = std::int64_t;
using Values = std::vector<double>;

/// A tree rooted at a point, with all that least squares needs of it and of D.
struct Cuts {
  TreeParents parent;
  TreeParents order;    ///< parents before children, the nodes below a node right after it
  TreeParents n_nodes;  ///< below each node, itself included
  Values size;          ///< points below each node
  Values sum;           ///< of D over the pairs that the edge above each node parts
  Values to_points;     ///< nodes x points: sums of D from the points below each node to each point

  TreeParents child, sibling, waiting;  ///< of `lay_out` alone

  std::size_t nodes() const { return parent.size(); }
};
/// Sets `order` and `n_nodes`. False if the parents are no tree.
bool lay_out(Cuts& tree);

/// The tree laid out, if it is one as `tree_metric.hpp` describes it.
///
/// @throws std::invalid_argument otherwise.
Cuts checked_tree(std::size_t k, const TreeParents& parents);

/// O(k^2): the sum across an edge is that of the rows below, less twice what lies within.
Cuts cuts_of(std::span<const double> D, std::size_t k, TreeParents parent);

/// Makes it the cuts of other parents, to the last bit; only what lies below other nodes is added up anew, in
/// O(k) each: those that a move changes, and the nodes above.
void change(std::span<const double> D, std::size_t k, Cuts& tree, TreeParents parent);

/// The same tree with another point as its root, without `to_points`: an edge parts the same pairs from both
/// sides. O(k).
Cuts seen_from(const Cuts& tree, std::size_t k, Node root);

/// Sums of D from the points that are not below each node to each point, nodes x points; of a binary tree.
Values outside(std::span<const double> D, std::size_t k, const Cuts& tree);

/// The row of one node, O(k) for each node above it.
Values outside(std::span<const double> D, std::size_t k, const Cuts& tree, Node v);

/// Path lengths between the points; the tree is laid out.
Values paths(std::size_t k, const Cuts& tree, std::span<const double> lengths);

}  // namespace cladebench::tree_fit
