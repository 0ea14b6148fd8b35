// Moves of a tree, made as a round of all moves makes them, to the last bit.
//
// What is not below a node v hangs on another edge below v. With v above a, b and a above c, d, the move to c
// makes it a above b, d and v above a, c. All trees that one pruning and grafting makes come this way, some
// of them more than once.
#pragma once

#include <cstddef>

#include "cladebench/tree_cuts.hpp"

namespace cladebench::tree_fit {

/// A move that a tree may make, as the edges that it changes.
struct Move {
  Node v;            ///< comes to hang on the edge above path[0]
  TreeParents path;  ///< from there up to the old child of v
  Node sibling;      ///< the other child, which comes to hang at the path's end
  Values size, sum;  ///< of the new edges above path[1], path[2], ...
  const Cuts* from;  ///< the tree before
};

/// The moves of what is not below one node.
class Grafts {
 public:
  /// `others` has the sum of D from each point below v to those that are not.
  Grafts(std::size_t k, const Cuts& tree, Node v, const double* others);

  /// Calls visit(target) for the edges that it can come to hang on, in the order of the tree.
  template <class Visit>
  void each_target(Visit visit) const {
    if (top_.size() != 2) return;
    for (std::size_t place = first_ + 1; place < last_; ++place) {
      const Node target = tree_.order[place];
      if (tree_.parent[target] != v_) visit(target);
    }
  }

  /// The path goes up from the new place of v to its old child, whose sibling comes to hang there. It turns
  /// around: below a node of it is now what was not below its child.
  void set(Move& move, Node target) const;

 private:
  const Cuts& tree_;
  Node v_;
  Values cross_;  ///< sums of D between the points below each node and those that are not below v
  TreeParents top_;
  std::size_t first_, last_;  ///< places in the order of what is below v
};

/// Makes of `moved` the tree after a move, not laid out.
void make(const Move& move, Cuts& moved);

}  // namespace cladebench::tree_fit
