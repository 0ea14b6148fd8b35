#include "trees/tree_moves.hpp"

#include <algorithm>
#include <utility>

#include "common/keep_on.hpp"

namespace cladebench::additive {
namespace {

/// Over the edges that a move changes, to raise its bound: 40 take a tenth of the time of one fit.
constexpr int kSweeps = 40;

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
    tree_.sum.assign(n, 0.0);
  }
  place_.resize(n);
  is_new_.assign(n, is_first);
  tree_.size.assign(n, 0.0);
  std::fill_n(tree_.size.begin(), k_, 1.0);
  inner_.clear();
  new_inner_.clear();
  for (std::size_t place = n; place-- > 1;) {
    const Node v = tree_.order[place];
    place_[at(v)] = place;
    tree_.size[at(tree_.parent[at(v)])] += tree_.size[at(v)];
    if (v < static_cast<Node>(k_)) continue;
    const Node one = tree_.child[at(v)], other = tree_.sibling[at(one)];
    const std::array<Node, 2> now{one, other};
    const bool is_same = std::exchange(children_[at(v)], now) == now;
    is_new_[at(v)] = !is_same || is_new_[at(one)] || is_new_[at(other)];
    inner_.push_back(v);
    if (is_new_[at(v)]) new_inner_.push_back(v);
  }
  add_up_between();
  add_up_beyond();
}

/// A sum over the points below a node is that over the one child and that over the other, whoever adds it up.
void Parts::add_up_between() {
  const std::size_t n = tree_.nodes();
  const auto below_nodes = [&](double* row, const TreeParents& nodes) {
    keep_on(nodes.size());
    for (const Node w : nodes) {
      const auto [one, other] = children_[at(w)];
      row[w] = row[one] + row[other];
    }
  };
  for (std::size_t place = n; place-- > 0;) {
    const Node v = tree_.order[place];
    double* row = between_.data() + at(v) * n;
    if (!is_new_[at(v)]) {
      below_nodes(row, new_inner_);
      continue;
    }
    keep_on(k_);
    if (v < static_cast<Node>(k_)) {
      std::copy_n(D_.data() + at(v) * k_, k_, row);
    } else {
      const double *one = between(children_[at(v)][0]), *other = between(children_[at(v)][1]);
      for (std::size_t j = 0; j < k_; ++j) row[j] = one[j] + other[j];
    }
    if (place > 0) tree_.sum[at(v)] = sum_across(tree_, k_, place, row);
    below_nodes(row, inner_);
  }
}

/// What is not below a node is what is not below its parent, and what is below its sibling.
void Parts::add_up_beyond() {
  const std::size_t n = tree_.nodes();
  first_.resize(n);
  std::size_t end = 1;
  for (std::size_t place = 1; place < n; ++place) {
    const Node v = tree_.order[place];
    first_[at(v)] = end - place;
    end += at(tree_.n_nodes[at(v)]);
  }
  beyond_.resize(std::max(beyond_.size(), end));
  for (std::size_t place = 1; place < n; ++place) {
    const Node v = tree_.order[place], up = tree_.parent[at(v)];
    const std::size_t last = place + at(tree_.n_nodes[at(v)]);
    double* mine = beyond_.data() + first_[at(v)];
    keep_on(last - place);
    if (place == 1) {  // above it is the root alone, a point
      for (std::size_t q = place; q < last; ++q) mine[q] = between(up)[tree_.order[q]];
      continue;
    }
    const auto [one, other] = children_[at(up)];
    const double *theirs = beyond_.data() + first_[at(up)], *sibling = between(one == v ? other : one);
    for (std::size_t q = place; q < last; ++q) mine[q] = theirs[q] + sibling[tree_.order[q]];
  }
}

void Grafts::begin(std::size_t k, const Cuts& tree, Node v, const Values& others) {
  tree_ = &tree;
  v_ = v;
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
void Grafts::offer(Node target, Best& best) {
  const Cuts& tree = *tree_;
  grafted_.parent = tree.parent;
  grafted_.size = tree.size;
  grafted_.sum = tree.sum;
  grafted_.parent[at(target)] = v_;
  Node child = target, above = v_;
  for (; tree.parent[at(child)] != v_; child = tree.parent[at(child)]) {
    const Node w = tree.parent[at(child)];
    grafted_.parent[at(w)] = above;
    grafted_.size[at(w)] = tree.size[at(v_)] - tree.size[at(child)];
    grafted_.sum[at(w)] = tree.sum[at(child)] + tree.sum[at(v_)] - 2.0 * cross_[at(child)];
    above = w;
  }
  const Node first = tree.child[at(v_)];
  grafted_.parent[at(first == child ? tree.sibling[at(first)] : first)] = above;
  best.offer(grafted_);
}

bool Moves::offer_all(std::size_t radius) {
  if (best_.is_perfect()) return false;
  take(rerooted(best_.parent(), 0));
  best_.improved();
  radius_ = radius;
  path_.resize(std::min(radius, parts_.tree().nodes()));
  const std::size_t n = parts_.tree().nodes();
  for (std::size_t v = 1; v < n; ++v) {
    keep_on(n);
    const Node node = static_cast<Node>(v), up = parts_.tree().parent[v];
    for (const Way& way : ways(node)) {
      if (way.to == up) branch_from(way, node);
    }
    for (const Way& way : ways(up)) {
      if (way.to == node) branch_from(way, up);
    }
  }
  return best_.improved();
}

void Moves::take(TreeParents parent) {
  parts_.take(std::move(parent));
  const Cuts& tree = parts_.tree();
  best_.lengths().look_around(tree, around_);
  const std::size_t n = tree.nodes();
  point_.resize(n);
  for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
    const Node up = tree.parent[at(*node)];
    if (*node < static_cast<Node>(k_)) point_[at(*node)] = *node;
    if (up >= 0) point_[at(up)] = point_[at(*node)];
  }
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
}

/// The moves of the branch that lies beyond a way from a node.
void Moves::branch_from(const Way& branch, Node from) {
  if (from < static_cast<Node>(k_)) return;
  from_ = from;
  branch_ = &branch;
  branch_is_below_ = !branch.is_up;
  rest_ = points_ - branch.beyond;
  is_turned_ = false;
  if (branch_is_below_ && radius_ > 1) {  // long walks ask for these, here and there
    constexpr std::size_t kLine = 64 / sizeof(double);
    const TreeParents& parent = parts_.tree().parent;
    const double* row = parts_.between(branch.edge);
    for (std::size_t j = 0; j < parent.size(); j += kLine) __builtin_prefetch(row + j);
    Node up = from;
    for (std::size_t i = 0; i < radius_ && up > 0; ++i, up = parent[at(up)]) {
      __builtin_prefetch(&parts_.beyond(up, branch.edge));
    }
  }
  for (const Way& top : ways(from)) {
    if (&top == &branch) continue;
    for (const Way& other : ways(from)) {
      if (&other != &branch && &other != &top) sibling_ = &other;
    }
    walk(top, from, 0);
  }
}

/// The path goes on along `way`; `before` is nearer to the branch's old place.
void Moves::walk(const Way& way, Node before, std::size_t steps) {
  const Node node = way.to;
  if (node < static_cast<Node>(k_) || steps == radius_) return;
  const Lengths& lengths = best_.lengths();
  const std::span<const Way> all = ways(node);
  const std::size_t back = all[0].to == before ? 0 : all[1].to == before ? 1 : 2;
  const Way *const one = &all[back == 0], *const other = &all[back == 2 ? 1 : 2];
  const Step* last = steps ? &path_[steps - 1] : nullptr;
  Step& step = path_[steps];
  for (const Way* target : {one, other}) {
    step.side = target == one ? other : one;
    step.sum = turned_sum(*target);
    step.size = rest_ - target->beyond;
    Vertex& vertex = step.vertex = {};
    lengths.add_edge(vertex, step.sum, points_ - step.size);
    add(vertex, *step.side);
    if (last) {
      lengths.add_edge(vertex, last->sum, last->size);
    } else {
      add(vertex, *sibling_);
    }
    vertex.settle();
    step.explains =
        (last ? last->explains : 0.0) + same_cut(vertex, *step.side) - way.raised_sum * way.length;
    step.explains +=
        last ? last->sum * lengths.length(last->size, last->vertex, vertex) : same_cut(vertex, *sibling_);
    Vertex moved;
    add(moved, *branch_);
    add(moved, *target);
    lengths.add_edge(moved, step.sum, step.size);
    moved.settle();
    const double explains = step.explains + step.sum * lengths.length(step.size, vertex, moved) +
                            same_cut(moved, *branch_) + same_cut(moved, *target);
    const double bound = around_.left - explains;
    if (best_.may_be_better(bound) && best_.may_be_better(raised(bound, steps, moved, *target)))
      offer(target->to);
    walk(*target, node, steps + 1);
  }
}

/// A bound raised by multipliers of the edges that the move changes, one edge after another: a negative
/// length is brought to 0, and so is a positive one that has a multiplier, as far as that goes. This is
/// coordinate ascent on the dual. It stops once the move is out of the question.
double Moves::raised(double bound, std::size_t steps, const Vertex& moved, const Way& target) {
  const Lengths& lengths = best_.lengths();
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
  ends_.push_back(moved);
  for (std::size_t i = steps + 1; i-- > 0;) add_changed(i, i + 1, lengths.share(path_[i].size), 0.0);
  add_way(steps + 1, *branch_);
  add_way(steps + 1, target);
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

/// Of D between the branch and the points beyond an edge.
double Moves::cross(const Way& way) const {
  if (way.is_up) return parts_.beyond(way.edge, branch_->edge);
  return branch_is_below_ ? parts_.between(branch_->edge)[way.edge] : parts_.beyond(branch_->edge, way.edge);
}

/// Of D across an edge of the path when the branch has gone past it.
double Moves::turned_sum(const Way& way) const { return way.sum + branch_->sum - 2.0 * cross(way); }

void Moves::add(Vertex& vertex, const Way& way) const {
  best_.lengths().add_edge(vertex, way.raised_sum, way.beyond);
}

/// What an edge that parts the same points as before explains more, with its near end as the move makes it.
double Moves::same_cut(const Vertex& near, const Way& way) const {
  const double now = way.share != 0.0 ? (way.total - near.total) * way.share
                                      : best_.lengths().length(way.beyond, around_.vertex[at(way.to)], near);
  return way.raised_sum * (now - way.length);
}

/// Exactly: on the tree seen from a point of the branch.
void Moves::offer(Node target) {
  const Cuts& tree = parts_.tree();
  if (!is_turned_) {
    const Node edge = branch_->edge;
    others_.resize(k_);
    if (branch_is_below_) {
      turned_ = seen_from(tree, k_, point_[at(edge)]);
      std::copy_n(parts_.between(edge), k_, others_.begin());
    } else {
      for (Node w = 0; w < static_cast<Node>(k_); ++w) {
        if (parts_.is_below(w, edge)) others_[at(w)] = parts_.beyond(edge, w);
      }
    }
    grafts_.begin(k_, branch_is_below_ ? turned_ : tree, from_, others_);
    is_turned_ = true;
  }
  grafts_.offer(target, best_);
}

}  // namespace cladebench::additive
