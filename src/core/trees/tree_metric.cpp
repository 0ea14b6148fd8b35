#include "trees/tree_metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

using Node = std::int64_t;
using Values = std::vector<double>;

// Relative to the largest sum across an edge: gradients below are rounding.
constexpr double kGradientRounding = 1e-13;
// Relative to the largest distance: lengths below are rounding.
constexpr double kLengthRounding = 1e-13;
// One tree is better than another if its squares are fewer by this share.
constexpr double kBetter = 1e-9;
// Relative to the squares of D: how exact `squares - product` is, and below what a fit is perfect.
constexpr double kDifferenceRounding = 1e-12, kPerfect = 1e-28;

/// A tree rooted at a point, with all that least squares needs of it and of D.
struct Cuts {
  TreeParents parent;
  TreeParents order;    ///< parents before children, the nodes below a node right after it
  TreeParents n_nodes;  ///< below each node, itself included
  Values size;          ///< points below each node
  Values sum;           ///< of D over the pairs that the edge above each node parts
  Values to_points;     ///< nodes x points: sums of D from the points below each node to each point

  TreeParents child, sibling, waiting;  ///< of `lay_out` alone

  std::size_t nodes() const { return parent.size(); }
};

/// Sets `order` and `n_nodes`. False if the parents are no tree.
bool lay_out(Cuts& tree) {
  const std::size_t n = tree.nodes();
  tree.child.assign(n, -1);
  tree.sibling.assign(n, -1);
  tree.order.clear();
  tree.waiting.clear();
  for (std::size_t v = n; v-- > 0;) {
    const Node up = tree.parent[v];
    if (up < 0) {
      tree.waiting.push_back(static_cast<Node>(v));
    } else {
      tree.sibling[v] = std::exchange(tree.child[up], static_cast<Node>(v));
    }
  }
  if (tree.waiting.size() != 1) return false;
  while (!tree.waiting.empty()) {
    const Node v = tree.waiting.back();
    tree.waiting.pop_back();
    tree.order.push_back(v);
    for (Node c = tree.child[v]; c != -1; c = tree.sibling[c]) tree.waiting.push_back(c);
  }
  if (tree.order.size() != n) return false;
  tree.n_nodes.assign(n, 1);
  for (std::size_t place = n; place-- > 1;) {
    const Node v = tree.order[place];
    tree.n_nodes[tree.parent[v]] += tree.n_nodes[v];
  }
  return true;
}

/// The tree laid out, if it is one as the header describes it.
Cuts checked(std::size_t k, const TreeParents& parents) {
  Cuts tree;
  tree.parent = parents;
  if (!lay_out(tree) || parents[0] != -1) {
    throw std::invalid_argument("parents are no tree with point 0 as its root");
  }
  TreeParents degree(parents.size(), 0);
  for (std::size_t v = 1; v < parents.size(); ++v) {
    ++degree[v];
    ++degree[parents[v]];
  }
  for (std::size_t v = 0; v < parents.size(); ++v) {
    if (v < k ? degree[v] != (k > 1) : degree[v] < 3) {
      throw std::invalid_argument("node " + std::to_string(v) + " of the parents has the degree " +
                                  std::to_string(degree[v]) + "; expected 1 of points, 3 or more of others");
    }
  }
  return tree;
}

/// O(k^2): the sum across an edge is that of the rows below, less twice what lies within.
Cuts cuts_of(std::span<const double> D, std::size_t k, TreeParents parent) {
  Cuts tree;
  tree.parent = std::move(parent);
  lay_out(tree);
  const std::size_t n = tree.nodes();
  tree.size.assign(n, 0.0);
  tree.sum.assign(n, 0.0);
  std::fill_n(tree.size.begin(), k, 1.0);
  tree.to_points.assign(n * k, 0.0);
  std::copy_n(D.begin(), k * k, tree.to_points.begin());
  for (std::size_t place = n; place-- > 1;) {
    const Node v = tree.order[place], up = tree.parent[v];
    const double* mine = tree.to_points.data() + static_cast<std::size_t>(v) * k;
    double* theirs = tree.to_points.data() + static_cast<std::size_t>(up) * k;
    keep_on(k);
    double across = 0.0;
    for (std::size_t j = 0; j < k; ++j) across += mine[j];
    for (std::size_t q = place; q < place + static_cast<std::size_t>(tree.n_nodes[v]); ++q) {
      if (tree.order[q] < static_cast<Node>(k)) across -= mine[tree.order[q]];
    }
    tree.sum[v] = across;
    tree.size[up] += tree.size[v];
    for (std::size_t j = 0; j < k; ++j) theirs[j] += mine[j];
  }
  return tree;
}

/// The same tree with another point as its root, without `to_points`: an edge parts the same pairs from both
/// sides. O(k).
Cuts seen_from(const Cuts& tree, std::size_t k, Node root) {
  Cuts seen;
  seen.parent = rerooted(tree.parent, root);
  lay_out(seen);
  seen.size = tree.size;
  seen.sum = tree.sum;
  for (Node v = root; tree.parent[v] != -1; v = tree.parent[v]) {
    seen.size[tree.parent[v]] = static_cast<double>(k) - tree.size[v];
    seen.sum[tree.parent[v]] = tree.sum[v];
  }
  seen.size[root] = static_cast<double>(k);
  seen.sum[root] = 0.0;
  return seen;
}

/// Sums of D from the points that are not below each node to each point, nodes x points; of a binary tree.
Values outside(std::span<const double> D, std::size_t k, const Cuts& tree) {
  Values sums(tree.nodes() * k, 0.0);
  for (std::size_t place = 1; place < tree.nodes(); ++place) {
    const Node v = tree.order[place], up = tree.parent[v];
    double* mine = sums.data() + static_cast<std::size_t>(v) * k;
    keep_on(k);
    const bool at_root = tree.parent[up] == -1;  // which is a point
    std::copy_n((at_root ? D.data() : sums.data()) + static_cast<std::size_t>(up) * k, k, mine);
    if (at_root) continue;
    for (Node c = tree.child[up]; c != -1; c = tree.sibling[c]) {
      if (c == v) continue;
      const double* theirs = tree.to_points.data() + static_cast<std::size_t>(c) * k;
      for (std::size_t j = 0; j < k; ++j) mine[j] += theirs[j];
    }
  }
  return sums;
}

/// Path lengths between the points; the tree is laid out.
Values paths(std::size_t k, const Cuts& tree, std::span<const double> lengths) {
  const std::size_t n = tree.nodes();
  Values apart(n * n, 0.0);  // of any two nodes
  for (std::size_t place = 1; place < n; ++place) {
    const std::size_t v = static_cast<std::size_t>(tree.order[place]);
    const std::size_t up = static_cast<std::size_t>(tree.parent[v]);
    keep_on(place);
    for (std::size_t before = 0; before < place; ++before) {
      const std::size_t u = static_cast<std::size_t>(tree.order[before]);
      apart[u * n + v] = apart[v * n + u] = apart[up * n + u] + lengths[v];
    }
  }
  Values between_points(k * k);
  for (std::size_t i = 0; i < k; ++i) std::copy_n(apart.begin() + i * n, k, between_points.begin() + i * k);
  return between_points;
}

/// What the edges at a vertex say of S, the sum of the distances of all points from it; see `Lengths::solve`.
struct Vertex {
  double known = 0.0, weight = 1.0, total = std::numeric_limits<double>::quiet_NaN();

  void settle() {
    if (std::isnan(total)) total = known / weight;
  }
};

/// A move that a tree may make, as the edges that it changes; see `Grafts`.
struct Move {
  Node v;            ///< comes to hang on the edge above path[0]
  TreeParents path;  ///< from there up to the old child of v
  Node sibling;      ///< the other child, which comes to hang at the path's end
  Values size, sum;  ///< of the new edges above path[1], path[2], ...
  const Cuts* from;  ///< the tree before
};

/// Least squares on one tree after another; what it needs for it is kept.
class Lengths {
 public:
  Lengths(std::span<const double> distances, std::size_t k)
      : D_(distances), k_(k), points_(static_cast<double>(k)) {
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        squares_ += D_[i * k + j] * D_[i * k + j];
        largest_ = std::max(largest_, D_[i * k + j]);
      }
    }
    for (std::size_t n = 0; n <= k; ++n) {
      const double excess = points_ - 2.0 * static_cast<double>(n);
      share_.push_back(excess == 0.0 ? 0.0 : 1.0 / excess);
    }
  }

  double squares() const { return squares_; }

  /// A lower bound on the squares that non-negative lengths leave: what lengths of any sign leave. Looks at
  /// no order of the nodes.
  double bound(const Cuts& tree) {
    vertex_.resize(tree.nodes());
    for (std::size_t v = 0; v < tree.nodes(); ++v) vertex_[v] = static_cast<Node>(v);
    solve(tree, tree.sum, free_);
    return left_over(tree, free_);
  }

  /// Prepares bounds of trees that are a move away from this one.
  void start_moves(const Cuts& tree) {
    left_ = bound(tree);
    lengths_ = free_;
    around_.resize(tree.nodes());
    for (std::size_t v = 0; v < tree.nodes(); ++v) around_[v] = {known_[v], weight_[v], total_[v]};
  }

  /// The bound of the tree after a move, up to rounding. Only edges at vertices of the path get other
  /// lengths.
  double bound(const Move& move) {
    const Cuts& tree = *move.from;
    const std::size_t n_changed = move.path.size();
    changed_.assign(n_changed, {});  // v, then the path from its second node on
    Vertex& moved = changed_[0];
    add_edge(moved, tree.sum[move.v], points_ - tree.size[move.v]);
    add_edge(moved, tree.sum[move.path[0]], tree.size[move.path[0]]);
    for (std::size_t s = 1; s < n_changed; ++s) {
      add_edge(changed_[s - 1], move.sum[s - 1], move.size[s - 1]);
      add_edge(changed_[s], move.sum[s - 1], points_ - move.size[s - 1]);
      const Node side = off_path(move, s);
      add_edge(changed_[s], tree.sum[side], tree.size[side]);
    }
    add_edge(changed_.back(), tree.sum[move.sibling], tree.size[move.sibling]);
    for (Vertex& vertex : changed_) vertex.settle();
    double explains = 0.0;
    const auto same_cut = [&](Node v, const Vertex& lower, const Vertex& upper) {
      explains += tree.sum[v] * (length(tree.size[v], lower, upper) - lengths_[v]);
    };
    same_cut(move.v, moved, around_[tree.parent[move.v]]);
    same_cut(move.path[0], around_[move.path[0]], moved);
    for (std::size_t s = 1; s < n_changed; ++s) {
      explains += move.sum[s - 1] * length(move.size[s - 1], changed_[s], changed_[s - 1]);
      explains -= tree.sum[move.path[s]] * lengths_[move.path[s]];
      const Node side = off_path(move, s);
      same_cut(side, around_[side], changed_[s]);
    }
    same_cut(move.sibling, around_[move.sibling], changed_.back());
    return left_ - explains;
  }

  /// Squares that the best non-negative lengths leave, recomputed from them; these are in `best`. Only a
  /// number of at least `enough`, where it is not below.
  double fit(const Cuts& tree, double enough, Values& best) {
    nonnegative(tree, best);
    const double nearly = left_over(tree, best);
    return nearly - kDifferenceRounding * squares_ > enough ? nearly : errors(tree, best);
  }

  void nonnegative(const Cuts& tree, Values& x) {
    const std::size_t n = tree.nodes();
    kept_.assign(n, 1);
    kept_[tree.order[0]] = 0;
    restricted(tree, tree.sum, x);
    while (drop_negative(x)) restricted(tree, tree.sum, x);
    double largest_sum = 0.0;
    for (const double sum : tree.sum) largest_sum = std::max(largest_sum, sum);
    for (std::size_t step = 0; step < 10 * n;
         ++step) {  // far fewer are needed; rounding may not go on forever
      gradient(tree, x);
      Node entering = -1;
      double steepest = kGradientRounding * largest_sum;
      for (std::size_t place = 1; place < n; ++place) {
        const Node v = tree.order[place];
        if (!kept_[v] && slope_[v] > steepest) {
          steepest = slope_[v];
          entering = v;
        }
      }
      if (entering == -1) break;
      kept_[entering] = 1;
      restricted(tree, tree.sum, trial_);
      while (retreat(x)) restricted(tree, tree.sum, trial_);
      std::swap(x, trial_);
    }
    // What is left of zero by rounding is zero; then one step of refinement.
    bool any = false;
    for (std::size_t v = 0; v < n; ++v) {
      if (kept_[v] && x[v] <= kLengthRounding * largest_) {
        kept_[v] = 0;
        any = true;
      }
    }
    if (any) restricted(tree, tree.sum, x);
    gradient(tree, x);
    restricted(tree, slope_, trial_);
    for (std::size_t v = 0; v < n; ++v) x[v] = std::max(0.0, x[v] + trial_[v]);
  }

 private:
  /// Squares of D less what a solution of the normal equations explains.
  double left_over(const Cuts& tree, const Values& x) const {
    double explained = 0.0;
    for (std::size_t v = 0; v < tree.nodes(); ++v) explained += tree.sum[v] * x[v];
    return squares_ - explained;
  }

  double errors(const Cuts& tree, const Values& x) const {
    const Values fitted = paths(k_, tree, x);
    double total = 0.0;
    for (std::size_t i = 0; i < k_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double error = D_[i * k_ + j] - fitted[i * k_ + j];
        total += error * error;
      }
    }
    return total;
  }

  /// Lengths of any sign for the edges kept, the others contracted.
  void restricted(const Cuts& tree, const Values& sum, Values& x) {
    vertex_.resize(tree.nodes());
    for (const Node v : tree.order) {
      vertex_[v] = kept_[v] || tree.parent[v] < 0 ? v : vertex_[tree.parent[v]];
    }
    solve(tree, sum, x);
  }

  /// Solves the normal equations on the tree whose vertices are in `vertex_`; an edge is one that ends in a
  /// vertex of its own number.
  ///
  /// Let S_i be the sum of the distances of the n_i points in branch i from a vertex, and S that of all. The
  /// equation of the branch's edge is (k - 2 n_i) S_i + n_i S = sum_i; adding up over branches gives S. Two
  /// vertices joined by an edge then differ in S by its length times k - 2 n. Where n is half of all, S = sum
  /// / n, and the length follows from the S_i.
  void solve(const Cuts& tree, const Values& sum, Values& x) {
    const std::size_t n = tree.nodes();
    keep_on(n);
    known_.assign(n, 0.0);
    weight_.assign(n, 1.0);
    total_.assign(n, std::numeric_limits<double>::quiet_NaN());
    const auto is_edge = [&](std::size_t v) {
      return tree.parent[v] >= 0 && vertex_[v] == static_cast<Node>(v);
    };
    for (std::size_t v = 0; v < n; ++v) {
      if (!is_edge(v)) continue;
      const Node up = vertex_[tree.parent[v]];
      const double below = tree.size[v], share = share_[static_cast<std::size_t>(below)];
      if (share == 0.0) {
        total_[v] = total_[up] = sum[v] / below;
      } else {
        known_[up] += sum[v] * share;
        weight_[up] += below * share;
        known_[v] -= sum[v] * share;
        weight_[v] -= (points_ - below) * share;
      }
    }
    for (std::size_t v = 0; v < n; ++v) {
      if (std::isnan(total_[v])) total_[v] = known_[v] / weight_[v];
    }
    x.assign(n, 0.0);
    for (std::size_t v = 0; v < n; ++v) {
      if (!is_edge(v)) continue;
      const Node up = vertex_[tree.parent[v]];
      const double below = tree.size[v], share = share_[static_cast<std::size_t>(below)];
      if (share == 0.0) {
        const double branch = total_[up] * weight_[up] - known_[up];
        const double rest = total_[v] * (1.0 - weight_[v]) + known_[v];
        x[v] = (branch - rest) / below;
      } else {
        x[v] = (total_[v] - total_[up]) * share;
      }
    }
  }

  /// The edge parts so many points beyond it from the vertex.
  void add_edge(Vertex& vertex, double sum, double beyond) const {
    const double share = share_[static_cast<std::size_t>(beyond)];
    if (share == 0.0) {
      vertex.total = sum / beyond;
    } else {
      vertex.known += sum * share;
      vertex.weight += beyond * share;
    }
  }

  double length(double below, const Vertex& lower, const Vertex& upper) const {
    const double share = share_[static_cast<std::size_t>(below)];
    if (share != 0.0) return (lower.total - upper.total) * share;
    const double branch = upper.total * upper.weight - upper.known;
    return (branch - (lower.total * (1.0 - lower.weight) + lower.known)) / below;
  }

  /// The child of path[s] that is not on the path.
  static Node off_path(const Move& move, std::size_t s) {
    const Node first = move.from->child[move.path[s]];
    return first == move.path[s - 1] ? move.from->sibling[first] : first;
  }

  /// Sets `slope_` to the sums across edges that D has more than the tree.
  void gradient(const Cuts& tree, const Values& x) {
    const std::size_t n = tree.nodes();
    keep_on(n);
    Values& to_upper = known_;  // distances of the points below an edge from its upper end, summed
    to_upper.assign(n, 0.0);
    total_.assign(n, 0.0);
    slope_.assign(n, 0.0);
    for (std::size_t place = n; place-- > 1;) {
      const Node v = tree.order[place];
      to_upper[v] += tree.size[v] * x[v];
      to_upper[tree.parent[v]] += to_upper[v];
    }
    total_[tree.order[0]] = to_upper[tree.order[0]];
    for (std::size_t place = 1; place < n; ++place) {
      const Node v = tree.order[place], up = tree.parent[v];
      const double excess = points_ - 2.0 * tree.size[v];
      total_[v] = total_[up] + excess * x[v];
      slope_[v] = tree.sum[v] - (excess * to_upper[v] + tree.size[v] * total_[up]);
    }
  }

  bool drop_negative(const Values& x) {
    bool any = false;
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (kept_[v] && x[v] <= 0.0) {
        kept_[v] = 0;
        any = true;
      }
    }
    return any;
  }

  /// Goes from x towards `trial_` as far as all stay positive, and drops what has become 0. False if that is
  /// all the way.
  bool retreat(Values& x) {
    double step = 1.0;
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (kept_[v] && trial_[v] <= 0.0) step = std::min(step, x[v] > 0.0 ? x[v] / (x[v] - trial_[v]) : 0.0);
    }
    bool any = false;
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (!kept_[v]) continue;
      const bool stops = trial_[v] <= 0.0 && (x[v] > 0.0 ? x[v] / (x[v] - trial_[v]) : 0.0) <= step;
      any = any || stops;
      x[v] = stops ? 0.0 : x[v] + step * (trial_[v] - x[v]);
      if (stops) kept_[v] = 0;
    }
    return any;
  }

  std::span<const double> D_;
  std::size_t k_;
  double points_, squares_ = 0.0, largest_ = 0.0;
  Values share_;  // 1 / (k - 2 n) for n points, 0 for half of all
  std::vector<char> kept_;
  TreeParents vertex_;
  Values known_, weight_, total_, slope_, trial_, free_;
  std::vector<Vertex> around_, changed_;  // of the tree that moves start from, and of a move
  Values lengths_;                        // of any sign, of the tree that moves start from
  double left_ = 0.0;
};

/// The best tree of those that are offered.
class Best {
 public:
  Best(std::span<const double> D, std::size_t k) : lengths_(D, k) {}

  /// Takes the tree if it is better; `order` is laid out only where it has to be.
  void offer(Cuts& tree) {
    const double enough = this->enough();
    if (lengths_.bound(tree) - kDifferenceRounding * lengths_.squares() > enough) return;
    lay_out(tree);
    const double found = lengths_.fit(tree, enough, x_);
    if (found < enough || parent_.empty()) {
      squares_ = found;
      parent_ = tree.parent;
      improved_ = true;
    }
  }

  void start_moves(const Cuts& tree) { lengths_.start_moves(tree); }

  /// Whether the tree after a move need be offered; with room for another order of summation.
  bool may_be_better(const Move& move) {
    return !(lengths_.bound(move) - 2.0 * kDifferenceRounding * lengths_.squares() > enough());
  }

  /// Whether a better one has been found since the last call.
  bool improved() { return std::exchange(improved_, false); }

  const TreeParents& parent() const { return parent_; }

 private:
  /// A better tree leaves less.
  double enough() const { return squares_ * (1.0 - kBetter) - kPerfect * lengths_.squares(); }

  Lengths lengths_;
  double squares_ = std::numeric_limits<double>::infinity();
  TreeParents parent_;
  Values x_;
  bool improved_ = false;
};

/// Offers the trees in which what is not below v hangs on another edge below v.
class Grafts {
 public:
  /// `others` has the sum of D from each point below v to those that are not.
  Grafts(std::size_t k, const Cuts& tree, Node v, const double* others)
      : tree_(tree), cross_(tree.nodes(), 0.0) {
    move_.v = v;
    move_.from = &tree;
    first_ =
        static_cast<std::size_t>(std::find(tree.order.begin(), tree.order.end(), v) - tree.order.begin());
    last_ = first_ + static_cast<std::size_t>(tree.n_nodes[v]);
    for (std::size_t place = last_; place-- > first_ + 1;) {
      const Node w = tree.order[place];
      if (w < static_cast<Node>(k)) cross_[w] = others[w];
      cross_[tree.parent[w]] += cross_[w];
      if (tree.parent[w] == v) top_.push_back(w);
    }
  }

  void offer_all(std::size_t radius, Best& best) {
    if (top_.size() != 2) return;
    bool started = false;
    std::vector<std::size_t> steps(tree_.nodes(), 0);  // down from v's child
    for (std::size_t place = first_ + 1; place < last_;) {
      const Node target = tree_.order[place];
      if (tree_.parent[target] != move_.v) steps[target] = steps[tree_.parent[target]] + 1;
      if (steps[target] > radius) {
        place += static_cast<std::size_t>(tree_.n_nodes[target]);
        continue;
      }
      ++place;
      if (steps[target] == 0) continue;
      if (!std::exchange(started, true)) best.start_moves(tree_);
      set_move(target);
      if (best.may_be_better(move_)) offer(best);
    }
  }

 private:
  /// The path goes up from the new place of v to its old child, whose sibling comes to hang there. It turns
  /// around: below a node of it is now what was not below its child.
  void set_move(Node target) {
    move_.path.assign(1, target);
    move_.size.clear();
    move_.sum.clear();
    while (move_.path.back() != top_[0] && move_.path.back() != top_[1]) {
      const Node child = move_.path.back();
      move_.size.push_back(tree_.size[move_.v] - tree_.size[child]);
      move_.sum.push_back(tree_.sum[child] + tree_.sum[move_.v] - 2.0 * cross_[child]);
      move_.path.push_back(tree_.parent[child]);
    }
    move_.sibling = move_.path.back() == top_[0] ? top_[1] : top_[0];
  }

  void offer(Best& best) {
    grafted_.parent = tree_.parent;
    grafted_.size = tree_.size;
    grafted_.sum = tree_.sum;
    grafted_.parent[move_.path[0]] = move_.v;
    for (std::size_t step = 1; step < move_.path.size(); ++step) {
      const Node w = move_.path[step];
      grafted_.parent[w] = step == 1 ? move_.v : move_.path[step - 1];
      grafted_.size[w] = move_.size[step - 1];
      grafted_.sum[w] = move_.sum[step - 1];
    }
    grafted_.parent[move_.sibling] = move_.path.back();
    best.offer(grafted_);
  }

  const Cuts& tree_;
  Values cross_;  ///< sums of D between the points below each node and those that are not below v
  TreeParents top_;
  std::size_t first_, last_;  ///< places in the order of what is below v
  Move move_;
  Cuts grafted_;
};

/// Makes the best move; false if none improves.
bool best_move(std::span<const double> D, std::size_t k, std::size_t radius, Best& best) {
  const Cuts tree = cuts_of(D, k, rerooted(best.parent(), 0));
  const Values beyond = outside(D, k, tree);
  TreeParents point(tree.nodes());  // one below each node
  for (auto node = tree.order.rbegin(); node != tree.order.rend(); ++node) {
    if (*node < static_cast<Node>(k)) point[*node] = *node;
    if (tree.parent[*node] >= 0) point[tree.parent[*node]] = point[*node];
  }
  best.improved();
  for (std::size_t v = 1; v < tree.nodes(); ++v) {
    Grafts(k, tree, static_cast<Node>(v), beyond.data() + v * k).offer_all(radius, best);
    const Cuts turned = seen_from(tree, k, point[v]);
    Grafts(k, turned, tree.parent[v], tree.to_points.data() + v * k).offer_all(radius, best);
  }
  return best.improved();
}

/// Adds points `next`.. to each edge in turn.
void enumerate(std::span<const double> D, std::size_t k, std::size_t next, TreeParents& parent, Best& best) {
  if (next == k) {
    Cuts tree = cuts_of(D, k, parent);
    best.offer(tree);
    return;
  }
  const Node point = static_cast<Node>(next), inner = static_cast<Node>(k + next - 2);
  for (Node v = 1; v < inner; v = v + 1 == point ? static_cast<Node>(k) : v + 1) {
    const Node up = parent[v];
    parent[inner] = up;
    parent[v] = parent[point] = inner;
    enumerate(D, k, next + 1, parent, best);
    parent[v] = up;
  }
}

}  // namespace

TreeParents rerooted(TreeParents parent, Node root) {
  Node below = -1;
  for (Node v = root; v != -1;) {
    const Node up = parent[v];
    parent[v] = below;
    below = v;
    v = up;
  }
  return parent;
}

std::vector<double> nonnegative_lengths(std::span<const double> distances, std::size_t k,
                                        const TreeParents& parents) {
  const Cuts tree = cuts_of(distances, k, checked(k, parents).parent);
  Values x;
  Lengths(distances, k).nonnegative(tree, x);
  return x;
}

std::vector<double> path_distances(std::size_t k, const TreeParents& parents,
                                   std::span<const double> lengths) {
  const Cuts tree = checked(k, parents);
  return paths(k, tree, lengths);
}

TreeParents best_of_all_trees(std::span<const double> distances, std::size_t k) {
  if (k <= 2) return neighbor_joining(distances, k);
  TreeParents parent(2 * k - 2, -1);
  parent[1] = 0;
  Best best(distances, k);
  enumerate(distances, k, 2, parent, best);
  return best.parent();
}

TreeParents search_trees(std::span<const double> distances, std::size_t k, const TreeParents& start,
                         std::size_t radius) {
  checked(k, start);
  if (k <= 3) return start;
  if (start.size() != 2 * k - 2) throw std::invalid_argument("the start is no binary tree");
  Best best(distances, k);
  Cuts tree = cuts_of(distances, k, start);
  best.offer(tree);
  do {
    while (best_move(distances, k, 1, best)) {
    }
  } while (best_move(distances, k, radius, best));
  return rerooted(best.parent(), 0);
}

double four_point_excess(std::span<const double> D, std::size_t k) {
  double worst = 0.0;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      keep_on(k);
      for (std::size_t c = 0; c < k; ++c) {
        worst = std::max(worst, D[a * k + b] - (D[a * k + c] + D[c * k + b]));
      }
      for (std::size_t c = b + 1; c < k; ++c) {
        keep_on(k - c);
        for (std::size_t d = c + 1; d < k; ++d) {
          // Of the three sums the largest less the second.
          double one = D[a * k + b] + D[c * k + d], two = D[a * k + c] + D[b * k + d];
          const double three = D[a * k + d] + D[b * k + c];
          if (one < two) std::swap(one, two);
          worst = std::max(worst, three > one ? three - one : one - std::max(two, three));
        }
      }
    }
  }
  return worst;
}

}  // namespace cladebench
