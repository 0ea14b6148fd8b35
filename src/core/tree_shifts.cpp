#include "cladebench/tree_shifts.hpp"

#include <algorithm>

#include "cladebench/keep_on.hpp"

namespace cladebench::tree_fit {
namespace {

/// Adds what each node has to its parent's.
void add_up(const Cuts& tree, Values& values) {
  for (std::size_t place = tree.nodes(); place-- > 1;) {
    const Node v = tree.order[place];
    values[tree.parent[v]] += values[v];
  }
}

}  // namespace

Shifts::Shifts(std::size_t k, const Lengths& lengths, const Cuts& tree, const Solution& free)
    : k_(k), lengths_(lengths), tree_(tree), free_(free), all_(tree.nodes(), 0.0), inside_(tree.nodes()) {
  for (std::size_t i = 0; i < k; ++i) {  // across the edge of a point D has the sum of its row
    all_[i] = tree.parent[i] == -1 ? tree.sum[tree.child[i]] : tree.sum[i];
  }
  add_up(tree, all_);
}

void Shifts::start(Node v) {
  keep_on(tree_.nodes());
  v_ = v;
  const double* sums = tree_.to_points.data() + static_cast<std::size_t>(v) * k_;
  std::fill(std::copy_n(sums, k_, inside_.begin()), inside_.end(), 0.0);
  add_up(tree_, inside_);
}

bool Shifts::set_out(bool below) {
  below_ = below;
  node_ = below ? tree_.parent[v_] : v_;
  moving_ = {v_, below ? v_ : tree_.parent[v_]};
  std::size_t n_tops = 0;
  each_other_edge(tree_, node_, v_, [&](Step step) { tops_[n_tops++] = step; });
  ahead_.clear();
  if (n_tops != 2) return false;
  way_.clear();
  ahead_.push_back({tops_[0], tops_[1], 0});
  ahead_.push_back({tops_[1], tops_[0], 0});
  return true;
}

/// Goes past an edge.
void Shifts::look_ahead(const Ahead& from) {
  if (from.n_passed == 0) {
    way_.assign(1, {from.step, from.side, 0.0, 0.0, {}, 0.0});
    turn(way_[0]);
  }
  Step next[2];
  std::size_t n = 0;
  each_other_edge(tree_, from.step.far, from.step.edge, [&](Step step) { next[n++] = step; });
  if (n != 2) return;
  ahead_.push_back({next[0], next[1], from.n_passed + 1});
  ahead_.push_back({next[1], next[0], from.n_passed + 1});
}

/// What the edge turns into: beyond it comes to be all but the moved part and what was beyond.
void Shifts::turn(Way& way) const {
  const Node edge = way.step.edge;
  const auto across = [&](Node w) { return below_ ? inside_[w] : all_[w] - inside_[w]; };
  const Node root = tree_.order[0];
  const double cross = way.step.far == edge ? across(edge) : across(root) - across(edge);
  const double points = lengths_.n_points();
  way.size = points - beyond(tree_, points, moving_) - beyond(tree_, points, way.step);
  way.sum = tree_.sum[edge] + tree_.sum[v_] - 2.0 * cross;
}

double Shifts::gain(const Ahead& next) {
  way_.resize(next.n_passed);
  way_.push_back({next.step, next.side, 0.0, 0.0, {}, 0.0});
  const Way& passed = way_[next.n_passed - 1];
  Way& way = way_.back();
  turn(way);
  const double points = lengths_.n_points();
  const auto add = [&](Vertex& vertex, Step step) {
    lengths_.add_edge(vertex, tree_.sum[step.edge], beyond(tree_, points, step));
  };
  lengths_.add_edge(way.before, way.sum, points - way.size);
  add(way.before, way.side);
  const bool at_end = next.n_passed == 1;
  if (at_end) {
    add(way.before, passed.side);
  } else {
    lengths_.add_edge(way.before, passed.sum, passed.size);
  }
  way.before.settle();
  way.gain = same_cut(way.side, way.before) - tree_.sum[passed.step.edge] * free_.x[passed.step.edge];
  if (at_end) {
    way.gain += same_cut(passed.side, way.before);
  } else {
    way.gain += passed.gain + passed.sum * lengths_.length(passed.size, passed.before, way.before);
  }
  Vertex moved;
  add(moved, moving_);
  add(moved, way.step);
  lengths_.add_edge(moved, way.sum, way.size);
  moved.settle();
  return way.gain + way.sum * lengths_.length(way.size, way.before, moved) + same_cut(moving_, moved) +
         same_cut(way.step, moved);
}

void Shifts::set(Shift& shift) const {
  shift.node = node_;
  shift.moving = moving_;
  shift.target = way_.back().step;
  shift.sibling = way_.front().side;
  shift.passed.clear();
  for (std::size_t step = way_.size(); step-- > 1;) {
    const Way& way = way_[step];
    shift.passed.push_back({way_[step - 1].step, way.side, way.size, way.sum});
  }
}

}  // namespace cladebench::tree_fit
