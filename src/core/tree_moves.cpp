#include "cladebench/tree_moves.hpp"

#include <algorithm>

#include "cladebench/keep_on.hpp"

namespace cladebench::tree_fit {

Grafts::Grafts(std::size_t k, const Cuts& tree, Node v, const double* others)
    : tree_(tree), v_(v), cross_(tree.nodes(), 0.0) {
  keep_on(tree.nodes());
  first_ = static_cast<std::size_t>(std::find(tree.order.begin(), tree.order.end(), v) - tree.order.begin());
  last_ = first_ + static_cast<std::size_t>(tree.n_nodes[v]);
  for (std::size_t place = last_; place-- > first_ + 1;) {
    const Node w = tree.order[place];
    if (w < static_cast<Node>(k)) cross_[w] = others[w];
    cross_[tree.parent[w]] += cross_[w];
    if (tree.parent[w] == v) top_.push_back(w);
  }
}

void Grafts::set(Move& move, Node target) const {
  move.v = v_;
  move.from = &tree_;
  move.path.assign(1, target);
  move.size.clear();
  move.sum.clear();
  while (move.path.back() != top_[0] && move.path.back() != top_[1]) {
    const Node child = move.path.back();
    move.size.push_back(turned_size(child));
    move.sum.push_back(turned_sum(child));
    move.path.push_back(tree_.parent[child]);
  }
  move.sibling = move.path.back() == top_[0] ? top_[1] : top_[0];
}

void make(const Move& move, Cuts& moved) {
  moved.parent = move.from->parent;
  moved.size = move.from->size;
  moved.sum = move.from->sum;
  moved.parent[move.path[0]] = move.v;
  for (std::size_t step = 1; step < move.path.size(); ++step) {
    const Node w = move.path[step];
    moved.parent[w] = step == 1 ? move.v : move.path[step - 1];
    moved.size[w] = move.size[step - 1];
    moved.sum[w] = move.sum[step - 1];
  }
  moved.parent[move.sibling] = move.path.back();
}

FreeGains::FreeGains(const Lengths& lengths, const Cuts& tree, const Solution& free, const Grafts& grafts,
                     Node v)
    : lengths_(lengths), tree_(tree), free_(free), grafts_(grafts), v_(v), steps_(tree.nodes()) {}

void FreeGains::set_cut(Node target) {
  steps_[target].size = grafts_.turned_size(target);
  steps_[target].sum = grafts_.turned_sum(target);
}

double FreeGains::gain(Node target) {
  set_cut(target);
  Step& step = steps_[target];
  const Node up = tree_.parent[target];
  const bool at_end = tree_.parent[up] == v_;  // where the sibling of v's old child comes to hang
  const auto other_child = [&](Node parent, Node child) {
    const Node first = tree_.child[parent];
    return first == child ? tree_.sibling[first] : first;
  };
  const Node side = other_child(up, target), sibling = other_child(v_, up);
  const Step& above = steps_[up];
  const double points = lengths_.n_points();

  step.parent = {};
  lengths_.add_edge(step.parent, step.sum, points - step.size);
  lengths_.add_edge(step.parent, tree_.sum[side], tree_.size[side]);
  if (at_end) {
    lengths_.add_edge(step.parent, tree_.sum[sibling], tree_.size[sibling]);
  } else {
    lengths_.add_edge(step.parent, above.sum, above.size);
  }
  step.parent.settle();
  step.gain = same_cut(side, free_.around[side], step.parent) - tree_.sum[up] * free_.x[up];
  if (at_end) {
    step.gain += same_cut(sibling, free_.around[sibling], step.parent);
  } else {
    step.gain += above.gain + above.sum * lengths_.length(above.size, above.parent, step.parent);
  }

  Vertex moved;
  lengths_.add_edge(moved, tree_.sum[v_], points - tree_.size[v_]);
  lengths_.add_edge(moved, tree_.sum[target], tree_.size[target]);
  lengths_.add_edge(moved, step.sum, step.size);
  moved.settle();
  return step.gain + step.sum * lengths_.length(step.size, step.parent, moved) +
         same_cut(v_, moved, free_.around[tree_.parent[v_]]) + same_cut(target, free_.around[target], moved);
}

}  // namespace cladebench::tree_fit
