// What moves of a tree gain, up to rounding, by the edges that they change.
//
// No root counts here. A part of the tree, what lies beyond an edge at a node, goes with that node to another
// edge. The node's two other edges become one, the target becomes two, and each edge that the node has moved
// past parts the moved part, and what it had behind it, from the others.
#pragma once

#include <cstddef>
#include <vector>

#include "cladebench/tree_cuts.hpp"
#include "cladebench/tree_lengths.hpp"

namespace cladebench::tree_fit {

/// An edge, and which of its ends lies ahead: the node of its number or the parent.
struct Step {
  Node edge, far;
};

/// Points beyond a step.
inline double beyond(const Cuts& tree, double n_points, Step step) {
  return step.far == step.edge ? tree.size[step.edge] : n_points - tree.size[step.edge];
}

/// Calls visit(step) for the edges at a node but one.
template <class Visit>
void each_other_edge(const Cuts& tree, Node node, Node edge, Visit visit) {
  for (Node c = tree.child[node]; c != -1; c = tree.sibling[c]) {
    if (c != edge) visit(Step{c, c});
  }
  if (node != edge && tree.parent[node] != -1) visit(Step{node, tree.parent[node]});
}

/// A move.
struct Shift {
  /// An edge that the node moves past, and what it turns into: the sum of D across, the points at its far
  /// end.
  struct Passed {
    Step step, side;  ///< the edge; that at its far end which is not passed
    double size, sum;
  };
  Node node;
  Step moving, target, sibling;  ///< the last is the node's edge that no step goes past
  std::vector<Passed> passed;    ///< from the target back
};

/// The moves of one part after another, and what they gain with lengths of any sign: O(1) each.
class Shifts {
 public:
  Shifts(std::size_t k, const Lengths& lengths, const Cuts& tree, const Solution& free);

  /// Turns to an edge. O(k).
  void start(Node v);

  /// Calls visit(target, gain) for the moves past at most `radius` edges of what is below the edge, or is
  /// not.
  template <class Visit>
  void each(bool below, std::size_t radius, Visit visit) {
    if (!set_out(below)) return;
    while (!ahead_.empty()) {
      const Ahead next = ahead_.back();
      ahead_.pop_back();
      if (next.n_passed > 0) visit(next.step, gain(next));
      if (next.n_passed < radius) look_ahead(next);
    }
  }

  /// The move that was visited last.
  void set(Shift& shift) const;

 private:
  struct Ahead {
    Step step, side;
    std::size_t n_passed;
  };
  /// The way to a target.
  struct Way {
    Step step, side;
    double size, sum;  ///< of what the step's edge turns into if it is passed
    Vertex before;     ///< the node before the step, once the moved node is on its edge
    double gain;       ///< of the edges of the nodes on the way
  };
  bool set_out(bool below);
  void look_ahead(const Ahead& from);
  double gain(const Ahead& next);
  void turn(Way& way) const;
  double same_cut(Step step, const Vertex& nearer) const {
    return tree_.sum[step.edge] *
           (lengths_.length(beyond(tree_, lengths_.n_points(), step), free_.around[step.far], nearer) -
            free_.x[step.edge]);
  }

  std::size_t k_;
  const Lengths& lengths_;
  const Cuts& tree_;
  const Solution& free_;
  Values all_, inside_;  ///< sums of D between the points below each node and all, and those below v
  bool below_ = false;
  Node v_ = 0, node_ = 0;
  Step moving_{}, tops_[2];
  std::vector<Ahead> ahead_;
  std::vector<Way> way_;
};

}  // namespace cladebench::tree_fit
