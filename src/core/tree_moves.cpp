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
    move.size.push_back(tree_.size[v_] - tree_.size[child]);
    move.sum.push_back(tree_.sum[child] + tree_.sum[v_] - 2.0 * cross_[child]);
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

}  // namespace cladebench::tree_fit
