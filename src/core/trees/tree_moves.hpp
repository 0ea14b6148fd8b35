// The moves of a search among trees: a branch is taken off and hung on another edge.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "trees/tree_cuts.hpp"
#include "trees/tree_lengths.hpp"

namespace cladebench::additive {

/// A binary tree with the sums of D between its parts. Of the next tree only what is new in it is added up,
/// and of a node's sums to inner nodes only those that are asked for; the sums are those of adding up all, to
/// the last bit. O(k^2) for the first tree, O(k x depth) for one that is a move away.
class Parts {
 public:
  Parts(std::span<const double> D, std::size_t k) : D_(D), k_(k) {}

  void take(TreeParents parent);

  const Cuts& tree() const { return tree_; }

  /// Sums from the points below a node to those below each node; by node.
  const double* between(Node v);

  /// Sum from the points below a node to all.
  double to_all(Node v) const { return to_all_[static_cast<std::size_t>(v)]; }

  /// Sums from the points that are not below v to each point below it; other points have other numbers.
  void beyond(Node v, Values& sums) const;

 private:
  double* row(Node v) { return between_.data() + static_cast<std::size_t>(v) * tree_.nodes(); }
  const double* row(Node v) const { return between_.data() + static_cast<std::size_t>(v) * tree_.nodes(); }

  std::span<const double> D_;
  std::size_t k_;
  Cuts tree_;
  std::vector<std::array<Node, 2>> children_;
  std::vector<char> is_new_;
  TreeParents inner_, new_inner_;     ///< children before parents; of the tree, and all that were new in one
  std::vector<std::size_t> n_known_;  ///< of `new_inner_`, in each node's sums
  Values between_, to_all_;
};

/// Offers trees in which what is not below a node v hangs on another edge below v.
class Grafts {
 public:
  /// `others` has the sum of D from each point below v to those that are not; `lengths` are the tree's best.
  /// The tree is read when asked.
  void begin(std::size_t k, const Cuts& tree, const Values& lengths, Node v, const Values& others);

  /// v comes to hang on the edge above the target. A lower bound of the squares that this leaves.
  double offer(Node target, Best& best);

 private:
  const Cuts* tree_ = nullptr;
  Node v_ = -1;
  Values cross_;  ///< sums of D between the points below each node and those that are not below v
  Cuts grafted_;
  std::vector<char> is_kept_,
      kept_;  ///< edges that are above 0; of the tree, and as expected of the grafted one
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

  /// What no move of the branch beyond an edge gains more than, on the tree of the last round, of that
  /// radius.
  double most_gained(Node from, Node to) const;

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
  /// A vertex on a path, as the moves past it make it, what the path explains up to there, and the move to
  /// the next edge.
  struct Step {
    Node node;
    const Way *target, *side;  ///< the next edge of the path, and the one that is not on it
    Vertex vertex, moved;      ///< `moved` is the branch's, on the next edge
    double explains, with_branch;
    double sum, size, share;  ///< across the next edge, of the points before it, without the branch
  };
  /// An edge that a move changes, between two of `ends_`.
  struct Changed {
    std::size_t lower, upper;
    double share, multiplier;
  };

  /// What no move to an edge beyond a way explains more than, less what the path explains up to the way.
  struct Most {
    double raised, plain;  ///< by multipliers of the edges changed, and without
  };
  /// A way that a walk took, before the ways beyond it.
  struct Taken {
    std::int32_t way;
    std::int32_t n_taken;  ///< beyond it, itself included
    std::size_t steps;     ///< before it
    Most most;
  };
  /// What is known from round to round of moves past so many edges.
  struct Gains {
    std::size_t radius;
    Values most;                            ///< what no move of a branch gains more than; by the way to it
    std::vector<std::vector<Taken>> taken;  ///< by the same
    std::vector<char> is_changed;           ///< vertices, since the last round
  };

  void take();
  void note_changes();
  void forget();
  void branch_from(const Way& to_branch, Node from);
  Most walk(const Way& way, Node before, std::size_t steps, bool is_same);
  Step step_to(const Way& target, const Way& side, const Way& way, std::size_t steps) const;
  double raised(double bound, std::size_t steps);
  double offer(Node target);

  std::span<const Way> ways(Node node) const {
    return {ways_.data() + 3 * static_cast<std::size_t>(node), node < static_cast<Node>(k_) ? 1U : 3U};
  }
  std::size_t number(const Way& way) const { return static_cast<std::size_t>(&way - ways_.data()); }
  std::int32_t edges_to_change(const Way& way) const {
    return (way.is_up ? above_ : below_)[static_cast<std::size_t>(way.edge)];
  }
  bool is_changed(Node v) const { return gains_[round_].is_changed[static_cast<std::size_t>(v)]; }

  /// Of D between the branch and the points beyond an edge.
  double cross(const Way& way) const {
    if (!branch_is_below_) return parts_.to_all(way.edge) - row_[way.edge];
    return way.is_up ? parts_.to_all(branch_->edge) - row_[way.edge] : row_[way.edge];
  }
  /// Of D across an edge of the path when the branch has gone past it.
  double turned_sum(const Way& way) const { return way.sum + branch_->sum - 2.0 * cross(way); }

  static void add(Vertex& vertex, const Way& way) {
    Lengths::add_edge(vertex, way.raised_sum, way.beyond, way.share);
  }
  /// What an edge that parts the same points as before explains more, with its near end as the move makes it.
  double same_cut(const Vertex& near, const Way& way) const {
    const double now =
        way.share != 0.0
            ? (way.total - near.total) * way.share
            : Lengths::length(way.beyond, 0.0, around_.vertex[static_cast<std::size_t>(way.to)], near);
    return way.raised_sum * (now - way.length);
  }

  std::size_t k_;
  double points_;
  Best& best_;
  Parts parts_;
  Values lengths_;
  Around around_;
  std::vector<Way> ways_, old_ways_;  ///< three from each node, one from a point
  TreeParents point_;                 ///< one below each node
  std::size_t radius_ = 0;
  std::vector<Gains> gains_;
  std::size_t round_ = 0;                    ///< of `gains_`
  TreeParents moved_;                        ///< vertices of the path of the move that made the best tree
  std::vector<std::int32_t> below_, above_;  ///< edges to the nearest changed vertex past each node's edge

  // Of one branch.
  Node from_ = -1;
  const Way *branch_ = nullptr, *sibling_ = nullptr;
  bool branch_is_below_ = false;
  double rest_ = 0.0;            ///< points that are not in it
  const double* row_ = nullptr;  ///< sums from the points below its edge
  std::vector<Taken> taken_, old_taken_;
  std::vector<std::int32_t> where_;  ///< in `old_taken_`, by way
  std::vector<Step> path_;
  std::vector<Changed> changed_;
  std::vector<Vertex> ends_;
  Cuts turned_;
  Values turned_lengths_;
  Values others_;  ///< sums from points of the rest to the branch
  Grafts grafts_;
  bool is_turned_ = false;  ///< whether `grafts_` are of this branch
};

}  // namespace cladebench::additive
