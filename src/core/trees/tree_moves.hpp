// The moves of a search among trees: a branch is taken off and hung on another edge.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "trees/tree_cuts.hpp"
#include "trees/tree_lengths.hpp"

namespace cladebench::additive {

/// A binary tree with the sums of D between its parts. Of the next tree only what is new in it is added up;
/// the sums are those of adding up all, to the last bit. O(k^2) for the first tree, O(k x depth) for one that
/// is a move away.
class Parts {
 public:
  Parts(std::span<const double> D, std::size_t k) : D_(D), k_(k) {}

  void take(TreeParents parent);

  const Cuts& tree() const { return tree_; }

  /// Sums from the points below a node to those below each other node that is not above it; by node.
  const double* between(Node v) const {
    return between_.data() + static_cast<std::size_t>(v) * tree_.nodes();
  }

  /// Sum from the points that are not below v to those below w, which is v or below it.
  const double& beyond(Node v, Node w) const {
    return beyond_[first_[static_cast<std::size_t>(v)] + place_[static_cast<std::size_t>(w)]];
  }

  /// Whether w is v or below it.
  bool is_below(Node w, Node v) const {
    const std::size_t first = place_[static_cast<std::size_t>(v)],
                      place = place_[static_cast<std::size_t>(w)];
    return place - first < static_cast<std::size_t>(tree_.n_nodes[static_cast<std::size_t>(v)]);
  }

 private:
  void add_up_between();
  void add_up_beyond();

  std::span<const double> D_;
  std::size_t k_;
  Cuts tree_;
  std::vector<std::size_t> place_;  ///< in the order
  std::vector<std::array<Node, 2>> children_;
  std::vector<char> is_new_;
  TreeParents inner_, new_inner_;  ///< children before parents
  Values between_, beyond_;
  std::vector<std::size_t> first_;  ///< of a node's sums in `beyond_`, less its place
};

/// Offers trees in which what is not below a node v hangs on another edge below v.
class Grafts {
 public:
  /// `others` has the sum of D from each point below v to those that are not. The tree is read when asked.
  void begin(std::size_t k, const Cuts& tree, Node v, const Values& others);

  /// v comes to hang on the edge above the target.
  void offer(Node target, Best& best);

 private:
  const Cuts* tree_ = nullptr;
  Node v_ = -1;
  Values cross_;  ///< sums of D between the points below each node and those that are not below v
  Cuts grafted_;
};

/// All moves of one tree after another: bounds of what they leave, in O(1) each, and offers of those that may
/// be better.
///
/// A move takes what is on one side of an edge, its branch, from the vertex at the edge's other end and hangs
/// it on an edge farther off. Only the edges at the path between the two get other lengths, and a path that
/// is one edge longer changes one vertex more: what all others add to the explained squares is kept on the
/// way out.
class Moves {
 public:
  Moves(std::span<const double> D, std::size_t k, Best& best)
      : k_(k), points_(static_cast<double>(k)), best_(best), parts_(D, k) {}

  /// Offers all moves past at most `radius` edges of the best tree. False if none improves.
  bool offer_all(std::size_t radius);

 private:
  /// An edge, seen from one of its ends; what walks need of it stands together.
  struct Way {
    std::int32_t to = -1, edge = -1;
    bool is_up = false;
    double beyond = 0.0;  ///< points on its other side
    double share = 0.0;
    double sum = 0.0, raised_sum = 0.0, length = 0.0;  ///< of the tree and of `around_`
    double total = 0.0;                                ///< at the other end, of `around_`
  };
  /// A vertex on a path, as the move makes it, and what the path explains up to there.
  struct Step {
    Vertex vertex;
    double explains;
    const Way* side;   ///< the edge that is not on the path
    double sum, size;  ///< across the next edge of the path, and the points before it, without the branch
  };
  /// An edge that a move changes, between two of `ends_`.
  struct Changed {
    std::size_t lower, upper;
    double share, multiplier;
  };

  void take(TreeParents parent);
  void branch_from(const Way& to_branch, Node from);
  void walk(const Way& way, Node before, std::size_t steps);
  double raised(double bound, std::size_t steps, const Vertex& moved, const Way& target);
  void offer(Node target);

  std::span<const Way> ways(Node node) const {
    return {ways_.data() + 3 * static_cast<std::size_t>(node), node < static_cast<Node>(k_) ? 1U : 3U};
  }
  double cross(const Way& way) const;
  double turned_sum(const Way& way) const;
  void add(Vertex& vertex, const Way& way) const;
  double same_cut(const Vertex& near, const Way& way) const;

  std::size_t k_;
  double points_;
  Best& best_;
  Parts parts_;
  Around around_;
  std::vector<Way> ways_;  ///< three from each node, one from a point
  TreeParents point_;      ///< one below each node
  std::size_t radius_ = 0;

  // Of one branch.
  Node from_ = -1;
  const Way *branch_ = nullptr, *sibling_ = nullptr;
  bool branch_is_below_ = false;
  double rest_ = 0.0;  ///< points that are not in it
  std::vector<Step> path_;
  std::vector<Changed> changed_;
  std::vector<Vertex> ends_;
  Cuts turned_;
  Values others_;  ///< sums from points of the rest to the branch
  Grafts grafts_;
  bool is_turned_ = false;  ///< whether `grafts_` are of this branch
};

}  // namespace cladebench::additive
