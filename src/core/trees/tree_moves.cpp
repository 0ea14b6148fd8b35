#include "trees/tree_moves.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "common/keep_on.hpp"

namespace cladebench::additive {
namespace {

/// Over the edges that a move changes, to raise its bound: 40 take a tenth of the time of one fit.
constexpr int kSweeps = 40;

/// A gain that all moves may have.
constexpr double kUnknown = std::numeric_limits<double>::infinity();

std::size_t at(Node v) { return static_cast<std::size_t>(v); }

}  // namespace

void Parts::take(TreeParents parent) {
  tree_.parent = std::move(parent);
  lay_out(tree_);
  const std::size_t n = tree_.nodes();
  const bool is_first = between_.empty();
  if (is_first) {
    between_.assign(n * n, 0.0);
    children_.assign(n, {-1, -1});
    n_known_.assign(n, 0);
    tree_.sum.assign(n, 0.0);
    to_all_.assign(n, 0.0);
    for (Node v = 0; v < static_cast<Node>(k_); ++v) {
      keep_on(k_);
      std::copy_n(D_.data() + at(v) * k_, k_, row(v));
      to_all_[at(v)] = std::accumulate(row(v), row(v) + k_, 0.0);
    }
  }
  is_new_.assign(n, is_first);
  tree_.size.assign(n, 0.0);
  std::fill_n(tree_.size.begin(), k_, 1.0);
  inner_.clear();
  for (std::size_t place = n; place-- > 1;) {
    const Node v = tree_.order[place];
    tree_.size[at(tree_.parent[at(v)])] += tree_.size[at(v)];
    if (v >= static_cast<Node>(k_)) {
      const Node one = tree_.child[at(v)], other = tree_.sibling[at(one)];
      const std::array<Node, 2> now{one, other};
      const bool is_same = std::exchange(children_[at(v)], now) == now;
      is_new_[at(v)] = !is_same || is_new_[at(one)] || is_new_[at(other)];
      inner_.push_back(v);
      if (!is_new_[at(v)]) continue;
      new_inner_.push_back(v);
      to_all_[at(v)] = to_all(one) + to_all(other);
      keep_on(k_);
      double* mine = row(v);
      for (std::size_t j = 0; j < k_; ++j) mine[j] = row(one)[j] + row(other)[j];
      n_known_[at(v)] = 0;
    }
    if (is_new_[at(v)]) tree_.sum[at(v)] = sum_across(tree_, k_, place, row(v));
  }
}

/// A sum over the points below a node is that over the one child and that over the other, whoever adds it up.
/// What was new in a tree has what is above it behind it, so that the last sum of each is one of true ones.
const double* Parts::between(Node v) {
  constexpr std::size_t kLine = 64 / sizeof(double);
  double* mine = row(v);
  for (std::size_t j = 0; j < tree_.nodes(); j += kLine) __builtin_prefetch(mine + j);  // read here and there
  std::size_t& n_known = n_known_[at(v)];
  const bool is_far_behind = new_inner_.size() - n_known >= inner_.size();
  const TreeParents& nodes = is_far_behind || n_known == 0 ? inner_ : new_inner_;
  for (std::size_t i = &nodes == &inner_ ? 0 : n_known; i < nodes.size(); ++i) {
    const auto [one, other] = children_[at(nodes[i])];
    mine[nodes[i]] = mine[one] + mine[other];
  }
  n_known = new_inner_.size();
  return mine;
}

/// What is not below a node is what is not below its parent, and what is below its sibling.
void Parts::beyond(Node v, Values& sums) const {
  TreeParents siblings;
  for (Node up = tree_.parent[at(v)]; up > 0; v = up, up = tree_.parent[at(v)]) {
    const auto [one, other] = children_[at(up)];
    siblings.push_back(one == v ? other : one);
  }
  sums.assign(row(0), row(0) + k_);
  for (auto sibling = siblings.rbegin(); sibling != siblings.rend(); ++sibling) {
    for (std::size_t j = 0; j < k_; ++j) sums[j] += row(*sibling)[j];
  }
}

void Grafts::begin(std::size_t k, const Cuts& tree, const Values& lengths, Node v, const Values& others) {
  tree_ = &tree;
  v_ = v;
  is_kept_.resize(tree.nodes());
  for (std::size_t w = 0; w < tree.nodes(); ++w) is_kept_[w] = lengths[w] > 0.0;
  cross_.assign(tree.nodes(), 0.0);
  const auto first =
      static_cast<std::size_t>(std::find(tree.order.begin(), tree.order.end(), v) - tree.order.begin());
  for (std::size_t place = first + at(tree.n_nodes[at(v)]); place-- > first + 1;) {
    const Node w = tree.order[place];
    if (w < static_cast<Node>(k)) cross_[at(w)] = others[at(w)];
    cross_[at(tree.parent[at(w)])] += cross_[at(w)];
  }
}

/// The path goes up from the target to the old child of v, whose sibling comes to hang at the path's end. The
/// path turns around: below a node of it is now what was not below its child.
double Grafts::offer(Node target, Best& best) {
  const Cuts& tree = *tree_;
  grafted_.parent = tree.parent;
  grafted_.size = tree.size;
  grafted_.sum = tree.sum;
  kept_ = is_kept_;
  kept_[at(target)] = 1;
  grafted_.parent[at(target)] = v_;
  Node child = target, above = v_;
  for (; tree.parent[at(child)] != v_; child = tree.parent[at(child)]) {
    const Node w = tree.parent[at(child)];
    grafted_.parent[at(w)] = above;
    grafted_.size[at(w)] = tree.size[at(v_)] - tree.size[at(child)];
    grafted_.sum[at(w)] = tree.sum[at(child)] + tree.sum[at(v_)] - 2.0 * cross_[at(child)];
    kept_[at(w)] = 1;
    above = w;
  }
  kept_[at(v_)] = 1;
  const Node first = tree.child[at(v_)];
  const Node sibling = first == child ? tree.sibling[at(first)] : first;
  grafted_.parent[at(sibling)] = above;
  kept_[at(sibling)] = 1;
  return best.offer(grafted_, &kept_);
}

bool Moves::offer_all(std::size_t radius) {
  if (best_.is_perfect()) return false;
  take();
  best_.improved();
  radius_ = radius;
  path_.resize(std::min(radius, parts_.tree().nodes()));
  const std::size_t n = parts_.tree().nodes();
  round_ = 0;
  while (round_ < gains_.size() && gains_[round_].radius != radius) ++round_;
  if (round_ == gains_.size()) {
    gains_.push_back({radius, Values(3 * n, kUnknown), {}, std::vector<char>(n, 1)});
    gains_.back().taken.resize(3 * n);
  }
  forget();
  const auto branch_at = [&](Node from, Node to) {
    for (const Way& way : ways(from)) {
      if (way.to == to) branch_from(way, from);
    }
  };
  for (std::size_t v = 1; v < n; ++v) {
    const Node node = static_cast<Node>(v), up = parts_.tree().parent[v];
    keep_on(n);
    branch_at(node, up);
    branch_at(up, node);
  }
  gains_[round_].is_changed.assign(n, 0);
  return !moved_.empty();
}

double Moves::most_gained(Node from, Node to) const {
  const auto all = ways(from);
  const auto branch = std::find_if(all.begin(), all.end(), [&](const Way& way) { return way.to == to; });
  return gains_[round_].most[number(*branch)];
}

void Moves::take() {
  TreeParents parent = best_.seen_from_0(lengths_);
  parts_.take(std::move(parent));
  const Cuts& tree = parts_.tree();
  best_.lengths().look_around(tree, lengths_, around_);
  const std::size_t n = tree.nodes();
  point_.resize(n);
  for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
    const Node up = tree.parent[at(*node)];
    if (*node < static_cast<Node>(k_)) point_[at(*node)] = *node;
    if (up >= 0) point_[at(up)] = point_[at(*node)];
  }
  std::swap(ways_, old_ways_);
  ways_.assign(3 * n, {});
  std::vector<std::size_t> found(n, 0);
  const auto add_way = [&](Node from, Node to, Node edge, bool is_up) {
    const double below = tree.size[at(edge)], beyond = is_up ? points_ - below : below;
    ways_[3 * at(from) + found[at(from)]++] = {static_cast<std::int32_t>(to),
                                               static_cast<std::int32_t>(edge),
                                               is_up,
                                               beyond,
                                               best_.lengths().share(beyond),
                                               tree.sum[at(edge)],
                                               around_.sum[at(edge)],
                                               around_.lengths[at(edge)],
                                               around_.vertex[at(to)].total};
  };
  // The larger numbers come first.
  for (std::size_t w = n; w-- > 0;) {
    const Node node = static_cast<Node>(w), up = tree.parent[w];
    for (Node child = tree.child[w]; child != -1; child = tree.sibling[at(child)])
      add_way(child, node, child, true);
    if (up >= 0) add_way(up, node, node, false);
  }
  note_changes();
}

/// The move changed what the edges of its path part; multipliers change what is near.
void Moves::note_changes() {
  for (Gains& gains : gains_) {
    for (const Node v : moved_) gains.is_changed[at(v)] = 1;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      if (ways_[i].raised_sum != old_ways_[i].raised_sum) gains.is_changed[i / 3] = 1;
    }
  }
  moved_.clear();
}

/// What a move gains depends on the edges at the vertices of its path, and on those at their neighbours.
/// Where none of these has changed, what was known of a branch's moves holds for the new tree.
void Moves::forget() {
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max() / 2;
  const Cuts& tree = parts_.tree();
  const std::size_t n = tree.nodes();
  below_.assign(n, kNone);
  above_.assign(n, kNone);
  for (std::size_t place = n; place-- > 1;) {
    const Node v = tree.order[place];
    std::int32_t& below = below_[at(v)];
    below = is_changed(v) ? 1 : below + 1;
    if (place > 1) below_[at(tree.parent[at(v)])] = std::min(below_[at(tree.parent[at(v)])], below);
  }
  for (std::size_t place = 1; place < n; ++place) {
    const Node v = tree.order[place], up = tree.parent[at(v)];
    std::int32_t& above = above_[at(v)];
    if (!is_changed(up)) {
      above = above_[at(up)];
      for (Node c = tree.child[at(up)]; c != -1; c = tree.sibling[at(c)]) {
        if (c != v) above = std::min(above, below_[at(c)]);
      }
    } else {
      above = 0;
    }
    ++above;
  }
  for (std::size_t w = k_; w < n; ++w) {
    const Node from = static_cast<Node>(w);
    for (const Way& branch : ways(from)) {
      std::int32_t nearest = kNone;
      for (const Way& way : ways(from)) {
        if (&way != &branch) nearest = std::min(nearest, edges_to_change(way));
      }
      const bool is_other = is_changed(from) || is_changed(branch.to);
      if (is_other) gains_[round_].taken[number(branch)].clear();
      if (is_other || at(nearest) <= radius_ + 1) gains_[round_].most[number(branch)] = kUnknown;
    }
  }
}

/// The moves of the branch that lies beyond a way from a node.
void Moves::branch_from(const Way& branch, Node from) {
  if (from < static_cast<Node>(k_)) return;
  double& most = gains_[round_].most[number(branch)];
  if (!best_.may_be_better(around_.left - most)) return;
  from_ = from;
  branch_ = &branch;
  branch_is_below_ = !branch.is_up;
  rest_ = points_ - branch.beyond;
  is_turned_ = false;
  row_ = parts_.between(branch.edge);
  std::swap(old_taken_, gains_[round_].taken[number(branch)]);
  where_.resize(ways_.size());
  for (std::size_t i = 0; i < old_taken_.size(); ++i)
    where_[at(old_taken_[i].way)] = static_cast<std::int32_t>(i);
  taken_.clear();
  most = -kUnknown;
  for (const Way& top : ways(from)) {
    if (&top == &branch) continue;
    for (const Way& other : ways(from)) {
      if (&other != &branch && &other != &top) sibling_ = &other;
    }
    most = std::max(most, walk(top, from, 0, !is_changed(sibling_->to)).raised);
  }
  std::swap(gains_[round_].taken[number(branch)], taken_);
}

/// The path goes on along `way`; `before` is nearer to the branch's old place. `is_same` says that all is as
/// it was around the path so far. What a path explains is a sum over its vertices: where the rest of it has
/// not changed, what its moves explain more than the path so far has not either.
Moves::Most Moves::walk(const Way& way, Node before, std::size_t steps, bool is_same) {
  Most most{-kUnknown, -kUnknown};
  const Node node = way.to;
  if (node < static_cast<Node>(k_) || steps == radius_) return most;
  const double so_far = steps ? path_[steps - 1].explains : 0.0;
  const std::size_t old = at(where_[number(way)]);
  const bool is_taken = old < old_taken_.size() && at(old_taken_[old].way) == number(way);
  if (is_taken && old_taken_[old].steps <= steps && (steps ? !is_changed(before) : is_same) &&
      at(edges_to_change(way)) > radius_ - old_taken_[old].steps + 1) {
    Most known = old_taken_[old].most;
    if (!is_same) known.raised = known.plain;
    known.raised += so_far;
    known.plain += so_far;
    if (!best_.may_be_better(around_.left - known.raised)) {
      for (std::size_t i = old; i < old + at(old_taken_[old].n_taken); ++i) {
        taken_.push_back(old_taken_[i]);
        if (!is_same) taken_.back().most.raised = taken_.back().most.plain;
      }
      return known;
    }
  }
  const std::size_t mine = taken_.size();
  taken_.push_back({static_cast<std::int32_t>(number(way)), 1, steps, most});
  const std::span<const Way> all = ways(node);
  const std::size_t back = all[0].to == before ? 0 : all[1].to == before ? 1 : 2;
  const Way *const one = &all[back == 0], *const other = &all[back == 2 ? 1 : 2];
  const std::array next{step_to(*one, *other, way, steps), step_to(*other, *one, way, steps)};
  for (const Step& step : next) {
    path_[steps] = step;
    double bound = around_.left - step.with_branch;
    if (best_.may_be_better(bound)) bound = raised(bound, steps);
    if (best_.may_be_better(bound)) {
      bound = offer(step.target->to);
      if (best_.improved()) {
        moved_ = {from_, sibling_->to, step.target->to};
        for (std::size_t i = 0; i <= steps; ++i) moved_.push_back(path_[i].node);
      }
    }
    const Most beyond =
        walk(*step.target, node, steps + 1, is_same && !is_changed(node) && !is_changed(step.side->to));
    most.raised = std::max({most.raised, around_.left - bound, beyond.raised});
    most.plain = std::max({most.plain, step.with_branch, beyond.plain});
  }
  taken_[mine].n_taken = static_cast<std::int32_t>(taken_.size() - mine);
  taken_[mine].most = {most.raised - so_far, most.plain - so_far};
  return most;
}

/// Both steps from a vertex are computed before either is taken: a processor does so at once.
Moves::Step Moves::step_to(const Way& target, const Way& side, const Way& way, std::size_t steps) const {
  const Step* last = steps ? &path_[steps - 1] : nullptr;
  Step step;
  step.node = way.to;
  step.target = &target;
  step.side = &side;
  step.sum = turned_sum(target);
  step.size = rest_ - target.beyond;
  step.share = best_.lengths().share(step.size);
  Vertex& vertex = step.vertex;
  Lengths::add_edge(vertex, step.sum, points_ - step.size, -step.share);
  add(vertex, side);
  if (last) {
    Lengths::add_edge(vertex, last->sum, last->size, last->share);
  } else {
    add(vertex, *sibling_);
  }
  vertex.settle();
  step.explains = (last ? last->explains : 0.0) + same_cut(vertex, side) - way.raised_sum * way.length;
  step.explains += last ? last->sum * Lengths::length(last->size, last->share, last->vertex, vertex)
                        : same_cut(vertex, *sibling_);
  Vertex& moved = step.moved;
  add(moved, *branch_);
  add(moved, target);
  Lengths::add_edge(moved, step.sum, step.size, step.share);
  moved.settle();
  step.with_branch = step.explains + step.sum * Lengths::length(step.size, step.share, vertex, moved) +
                     same_cut(moved, *branch_) + same_cut(moved, target);
  return step;
}

/// A bound raised by multipliers of the edges that the move changes, one edge after another: a negative
/// length is brought to 0, and so is a positive one that has a multiplier, as far as that goes. This is
/// coordinate ascent on the dual. It stops once the move is out of the question.
double Moves::raised(double bound, std::size_t steps) {
  ends_.clear();
  changed_.clear();
  const auto add_changed = [&](std::size_t lower, std::size_t upper, double share, double multiplier) {
    if (share != 0.0) changed_.push_back({lower, upper, share, multiplier});
  };
  const auto add_way = [&](std::size_t near, const Way& way) {
    add_changed(ends_.size(), near, way.share, around_.multiplier[at(way.edge)]);
    ends_.push_back(around_.vertex[at(way.to)]);
  };
  for (std::size_t i = 0; i <= steps; ++i) ends_.push_back(path_[i].vertex);
  ends_.push_back(path_[steps].moved);
  for (std::size_t i = steps + 1; i-- > 0;) add_changed(i, i + 1, path_[i].share, 0.0);
  add_way(steps + 1, *branch_);
  add_way(steps + 1, *path_[steps].target);
  for (std::size_t i = steps + 1; i-- > 0;) add_way(i, *path_[i].side);
  add_way(0, *sibling_);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Changed& edge : changed_) {
      Vertex &lower = ends_[edge.lower], &upper = ends_[edge.upper];
      const double length = (lower.total - upper.total) * edge.share;
      if (length > 0.0 && edge.multiplier == 0.0) continue;
      const double curvature = -edge.share * edge.share * (lower.pull + upper.pull);
      if (!(curvature > 0.0)) continue;
      const double step = std::max(-length / curvature, -edge.multiplier);
      bound -= (2.0 * length + curvature * step) * step;
      if (!best_.may_be_better(bound)) return bound;
      edge.multiplier += step;
      upper.total += step * edge.share * upper.pull;
      lower.total -= step * edge.share * lower.pull;
    }
  }
  return bound;
}

/// Exactly: on the tree seen from a point of the branch.
double Moves::offer(Node target) {
  const Cuts& tree = parts_.tree();
  if (!is_turned_) {
    const Node edge = branch_->edge;
    others_.resize(k_);
    if (branch_is_below_) {
      turned_ = seen_from(tree, k_, point_[at(edge)]);
      turned_lengths_ = turned(tree.parent, point_[at(edge)], lengths_);
      std::copy_n(row_, k_, others_.begin());
    } else {
      parts_.beyond(edge, others_);
    }
    if (branch_is_below_) {
      grafts_.begin(k_, turned_, turned_lengths_, from_, others_);
    } else {
      grafts_.begin(k_, tree, lengths_, from_, others_);
    }
    is_turned_ = true;
  }
  return grafts_.offer(target, best_);
}

}  // namespace cladebench::additive
