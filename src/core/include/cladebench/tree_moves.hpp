// Moves of a tree, and what they gain: by the edges that they change, without a look at the rest.
//
// What is not below a node v hangs on another edge below v. With v above a, b and a above c, d, the move to c
// makes it a above b, d and v above a, c. All trees that one pruning and grafting makes come this way, some
// of them more than once.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "cladebench/tree_cuts.hpp"
#include "cladebench/tree_lengths.hpp"

namespace cladebench::tree_fit {

/// A move that a tree may make, as the edges that it changes.
struct Move {
  Node v;            ///< comes to hang on the edge above path[0]
  TreeParents path;  ///< from there up to the old child of v
  Node sibling;      ///< the other child, which comes to hang at the path's end
  Values size, sum;  ///< of the new edges above path[1], path[2], ...
  const Cuts* from;  ///< the tree before

  /// The child of path[s] that is not on the path.
  Node off_path(std::size_t s) const {
    const Node first = from->child[path[s]];
    return first == path[s - 1] ? from->sibling[first] : first;
  }
};

/// The moves of what is not below one node.
class Grafts {
 public:
  /// `others` has the sum of D from each point below v to those that are not.
  Grafts(std::size_t k, const Cuts& tree, Node v, const double* others);

  /// Calls visit(target) for the edges that it can come to hang on, at most `radius` from where it hangs; parents
  /// before children. Those at its old place come too, with true as the second argument: they are no moves.
  template <class Visit>
  void each_target(std::size_t radius, Visit visit) {
    if (top_.size() != 2) return;
    steps_.assign(tree_.nodes(), 0);  // down from v's child
    for (std::size_t place = first_ + 1; place < last_;) {
      const Node target = tree_.order[place];
      const bool stays = tree_.parent[target] == v_;
      if (!stays) steps_[target] = steps_[tree_.parent[target]] + 1;
      if (steps_[target] > radius) {
        place += static_cast<std::size_t>(tree_.n_nodes[target]);
        continue;
      }
      ++place;
      visit(target, stays);
    }
  }

  /// The path goes up from the new place of v to its old child, whose sibling comes to hang there. It turns
  /// around: below a node of it is now what was not below its child.
  void set(Move& move, Node target) const;

  /// Points below the upper end of the edge above a target once v hangs on it or further down, and D across.
  double turned_size(Node child) const { return tree_.size[v_] - tree_.size[child]; }
  double turned_sum(Node child) const { return tree_.sum[child] + tree_.sum[v_] - 2.0 * cross_[child]; }

 private:
  const Cuts& tree_;
  Node v_;
  Values cross_;  ///< sums of D between the points below each node and those that are not below v
  TreeParents top_;
  std::size_t first_, last_;  ///< places in the order of what is below v
  std::vector<std::size_t> steps_;
};

/// Makes of `moved` the tree after a move, not laid out.
void make(const Move& move, Cuts& moved);

/// What the moves of one node gain with lengths of any sign: O(1) each, if parents come before children.
class FreeGains {
 public:
  FreeGains(const Lengths& lengths, const Cuts& tree, const Solution& free, const Grafts& grafts, Node v);

  /// For an edge at the old place of v, which its children refer to.
  void stay(Node target) { set_cut(target); }
  double gain(Node target);

 private:
  /// A part of the path: from the target's parent up.
  struct Step {
    double size, sum;  ///< of the new edge above the parent
    Vertex parent;     ///< as it is once v hangs on the target
    double gain;       ///< of the edges at the path's nodes, but not those at v
  };
  void set_cut(Node target);
  double same_cut(Node edge, const Vertex& lower, const Vertex& upper) const {
    return tree_.sum[edge] * (lengths_.length(tree_.size[edge], lower, upper) - free_.x[edge]);
  }

  const Lengths& lengths_;
  const Cuts& tree_;
  const Solution& free_;
  const Grafts& grafts_;
  Node v_;
  std::vector<Step> steps_;  ///< of each target
};

/// What a move gains with lengths of at least 0. Only the vertices around its edges get other lengths, and
/// those beyond an edge that is contracted or that is so no longer.
class LocalFit {
 public:
  struct Gain {
    double value;  ///< of the squares, up to rounding
    enum Kind {
      kFound,
      kNone,    ///< the tree with its edges of length 0 contracted stays the same
      kUnknown  ///< too much changes
    } kind;
  };

  LocalFit(const Lengths& lengths, const Cuts& tree, const Solution& solution, double flat)
      : lengths_(lengths), tree_(tree), solution_(solution), flat_(flat) {}

  Gain gain(const Move& move);

  /// The nodes on which the last gain depends.
  const TreeParents& seen() const { return seen_; }

 private:
  /// A node whose edges may get other lengths, and the edge to the one it was reached from.
  struct Inner {
    std::size_t from;
    double beyond, sum;   ///< of the edge: points on this side of it
    double before;        ///< its length before the move
    bool kept;            ///< whether it has a length
    std::size_t at = 0;   ///< the inner node whose vertex it belongs to
    Vertex vertex = {};   ///< of the node itself, if it is that one
    double length = 0.0, branch = 0.0;
  };
  /// An edge from an inner node to one that is none.
  struct Outer {
    std::size_t from;
    Node edge, far;
    double beyond;
    double length = 0.0;
  };

  void start(const Move& move);
  void attach(std::size_t from, Node edge, Node far);
  void grow(std::size_t from, Node edge, Node far, double before);
  void solve();
  bool exchange(std::size_t round);
  bool widen();
  double explained(const Move& move) const;

  const Lengths& lengths_;
  const Cuts& tree_;
  const Solution& solution_;
  double flat_;
  std::vector<Inner> inner_;
  std::vector<Outer> outer_;
  TreeParents seen_;
};

}  // namespace cladebench::tree_fit
