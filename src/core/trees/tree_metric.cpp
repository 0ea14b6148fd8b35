#include "trees/tree_metric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
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

/// A tree that moves start from; see `Lengths::around`.
struct Around {
  Values sum;      ///< across each edge, raised by its multiplier
  Values lengths;  ///< of any sign, for these sums
  std::vector<Vertex> vertex;
  double left = 0.0;
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
    all_edges(tree);
    solve(tree, tree.sum, free_);
    return left_over(tree, free_);
  }

  /// Prepares bounds of trees that are a move away. Multipliers of the constraints that lengths are not
  /// negative, whatever they are, make what lengths of any sign leave a lower bound, if they are added to the
  /// sums across edges. Those of this tree make it tight here; edges that a move changes have none.
  Around around(const Cuts& tree) {
    nonnegative(tree, best_);
    gradient(tree, best_);
    Around found{tree.sum, {}, std::vector<Vertex>(tree.nodes()), squares_};
    for (std::size_t v = 0; v < tree.nodes(); ++v) found.sum[v] += std::max(0.0, -slope_[v]);
    all_edges(tree);
    solve(tree, found.sum, found.lengths);
    for (std::size_t v = 0; v < tree.nodes(); ++v) {
      found.vertex[v] = {known_[v], weight_[v], total_[v]};
      found.left -= found.sum[v] * found.lengths[v];
    }
    return found;
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

  /// Of the edge between two vertices, of which so many points are on the side of the lower.
  double length(double below, const Vertex& lower, const Vertex& upper) const {
    const double share = share_[static_cast<std::size_t>(below)];
    if (share != 0.0) return (lower.total - upper.total) * share;
    const double branch = upper.total * upper.weight - upper.known;
    return (branch - (lower.total * (1.0 - lower.weight) + lower.known)) / below;
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

  /// No edge is contracted.
  void all_edges(const Cuts& tree) {
    vertex_.resize(tree.nodes());
    for (std::size_t v = 0; v < tree.nodes(); ++v) vertex_[v] = static_cast<Node>(v);
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
  Values known_, weight_, total_, slope_, trial_, free_, best_;
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

  Lengths& lengths() { return lengths_; }

  /// Whether a tree with this bound need be offered; with room for another order of summation.
  bool may_be_better(double bound) const {
    return !(bound - 2.0 * kDifferenceRounding * lengths_.squares() > enough());
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

/// Offers trees in which what is not below v hangs on another edge below v.
class Grafts {
 public:
  /// `others` has the sum of D from each point below v to those that are not.
  Grafts(std::size_t k, const Cuts& tree, Node v, const double* others)
      : tree_(tree), v_(v), cross_(tree.nodes(), 0.0) {
    const std::size_t first =
        static_cast<std::size_t>(std::find(tree.order.begin(), tree.order.end(), v) - tree.order.begin());
    for (std::size_t place = first + static_cast<std::size_t>(tree.n_nodes[v]); place-- > first + 1;) {
      const Node w = tree.order[place];
      if (w < static_cast<Node>(k)) cross_[w] = others[w];
      cross_[tree.parent[w]] += cross_[w];
    }
  }

  /// v comes to hang on the edge above the target. The path goes up from there to its old child, whose
  /// sibling comes to hang at the path's end. The path turns around: below a node of it is now what was not
  /// below its child.
  void offer(Node target, Best& best) {
    grafted_.parent = tree_.parent;
    grafted_.size = tree_.size;
    grafted_.sum = tree_.sum;
    grafted_.parent[target] = v_;
    Node child = target, above = v_;
    for (; tree_.parent[child] != v_; child = tree_.parent[child]) {
      const Node w = tree_.parent[child];
      grafted_.parent[w] = above;
      grafted_.size[w] = tree_.size[v_] - tree_.size[child];
      grafted_.sum[w] = tree_.sum[child] + tree_.sum[v_] - 2.0 * cross_[child];
      above = w;
    }
    const Node first = tree_.child[v_];
    grafted_.parent[first == child ? tree_.sibling[first] : first] = above;
    best.offer(grafted_);
  }

 private:
  const Cuts& tree_;
  Node v_;
  Values cross_;  ///< sums of D between the points below each node and those that are not below v
  Cuts grafted_;
};

/// All moves of one tree: bounds of what they leave, in O(1) each, and offers of those that may be better.
///
/// A move takes what is on one side of an edge, its branch, from the vertex at the edge's other end and hangs
/// it on an edge farther off. Only the edges at the path between the two get other lengths, and a path that
/// is one edge longer changes one vertex more: what all others add to the explained squares is kept on the
/// way out.
class Moves {
 public:
  Moves(std::span<const double> D, std::size_t k, const TreeParents& parent, Best& best)
      : D_(D),
        k_(k),
        n_(parent.size()),
        tree_(cuts_of(D, k, parent)),
        best_(best),
        around_(best.lengths().around(tree_)),
        between_(n_ * n_, 0.0),
        beyond_(n_ * n_, 0.0),
        point_(n_),
        neighbors_(n_) {
    sum_up();
    for (auto node = tree_.order.rbegin(); node != tree_.order.rend(); ++node) {
      const Node up = tree_.parent[*node];
      if (*node < static_cast<Node>(k)) point_[*node] = *node;
      if (up >= 0) point_[up] = point_[*node];
    }
    for (Node v = static_cast<Node>(n_); v-- > 0;) {  // so that the larger numbers come first
      if (tree_.parent[v] >= 0) neighbors_[tree_.parent[v]].push_back(v);
    }
    for (std::size_t v = 0; v < n_; ++v) {
      if (tree_.parent[v] < 0) continue;
      auto& found = neighbors_[v];
      found.insert(std::find_if(found.begin(), found.end(), [&](Node w) { return w < tree_.parent[v]; }),
                   tree_.parent[v]);
    }
  }

  void offer_all(std::size_t radius) {
    radius_ = radius;
    for (std::size_t v = 1; v < n_; ++v) {
      keep_on(n_);
      const Node up = tree_.parent[v];
      branch_from(static_cast<Node>(v), up, static_cast<Node>(v));
      branch_from(up, static_cast<Node>(v), static_cast<Node>(v));
    }
  }

 private:
  /// A vertex on a path, as the move makes it, and what the path explains up to there.
  struct Step {
    Vertex vertex;
    double explains;
  };

  /// From sums to points those to what lies below each node; the root means nothing here.
  void below_nodes(const double* to_points, double* row) {
    std::copy_n(to_points, k_, row);
    for (std::size_t place = n_; place-- > 1;) {
      const Node w = tree_.order[place], up = tree_.parent[w];
      if (up >= static_cast<Node>(k_)) row[up] += row[w];
    }
  }

  /// Sums of D between the points below any two nodes, and from those that are not below a node to those
  /// below each that is below it.
  void sum_up() {
    for (std::size_t v = 0; v < n_; ++v) {
      keep_on(n_);
      below_nodes(tree_.to_points.data() + v * k_, between_.data() + v * n_);
    }
    for (std::size_t place = 1; place < n_; ++place) {
      const Node v = tree_.order[place], up = tree_.parent[v];
      double* mine = beyond_.data() + static_cast<std::size_t>(v) * n_;
      keep_on(n_);
      if (tree_.parent[up] == -1) {  // a point
        below_nodes(D_.data() + static_cast<std::size_t>(up) * k_, mine);
        continue;
      }
      std::copy_n(beyond_.data() + static_cast<std::size_t>(up) * n_, n_, mine);
      const Node first = tree_.child[up];
      const Node sibling = first == v ? tree_.sibling[first] : first;
      const double* theirs = between_.data() + static_cast<std::size_t>(sibling) * n_;
      for (std::size_t j = 0; j < n_; ++j) mine[j] += theirs[j];
    }
  }

  double points() const { return static_cast<double>(k_); }
  bool is_up(Node from, Node to) const { return tree_.parent[from] == to; }
  Node edge(Node from, Node to) const { return is_up(from, to) ? from : to; }
  double beyond(Node from, Node to) const {
    return is_up(from, to) ? points() - tree_.size[from] : tree_.size[to];
  }

  /// Of D between the branch and the points beyond an edge.
  double cross(Node from, Node to) const {
    const std::size_t e = static_cast<std::size_t>(edge(from, to)), v = static_cast<std::size_t>(edge_);
    if (is_up(from, to)) return beyond_[e * n_ + v];
    return (branch_is_below_ ? between_ : beyond_)[v * n_ + e];
  }

  void add(Vertex& vertex, Node from, Node to) const {
    best_.lengths().add_edge(vertex, around_.sum[edge(from, to)], beyond(from, to));
  }

  /// What an edge that parts the same points as before explains more, with its near end as the move makes it.
  double same_cut(const Vertex& near, Node from, Node to) const {
    const Node e = edge(from, to);
    const double now = best_.lengths().length(beyond(from, to), around_.vertex[to], near);
    return around_.sum[e] * (now - around_.lengths[e]);
  }

  /// The moves of the branch that lies beyond `branch`, seen from `from`.
  void branch_from(Node from, Node branch, Node v) {
    if (from < static_cast<Node>(k_)) return;
    from_ = from;
    branch_ = branch;
    edge_ = v;
    branch_is_below_ = !is_up(from, branch);
    rest_ = points() - beyond(from, branch);
    grafts_.reset();
    for (const Node top : neighbors_[from]) {
      if (top != branch) walk(from, top, {}, 0);
    }
    grafts_.reset();
  }

  /// `node` is on the path, `before` is nearer to the branch's old place.
  void walk(Node before, Node node, const Step& last, std::size_t steps) {
    if (node < static_cast<Node>(k_) || steps == radius_) return;
    const double size = rest_ - beyond(before, node);
    const double sum = steps ? turned_sum(before, node) : 0.0;
    for (const Node target : neighbors_[node]) {
      if (target == before) continue;
      const Node side = other(node, before, target);
      const double new_sum = turned_sum(node, target), new_size = rest_ - beyond(node, target);
      const Lengths& lengths = best_.lengths();
      Step step{{}, last.explains};
      lengths.add_edge(step.vertex, new_sum, points() - new_size);
      add(step.vertex, node, side);
      const Node sibling = steps ? -1 : other(from_, branch_, node);
      if (steps) {
        lengths.add_edge(step.vertex, sum, size);
      } else {
        add(step.vertex, from_, sibling);
      }
      step.vertex.settle();
      const Node e = edge(before, node);
      step.explains += same_cut(step.vertex, node, side) - around_.sum[e] * around_.lengths[e];
      step.explains += steps ? sum * lengths.length(size, last.vertex, step.vertex)
                             : same_cut(step.vertex, from_, sibling);
      Vertex moved;
      add(moved, from_, branch_);
      add(moved, node, target);
      lengths.add_edge(moved, new_sum, new_size);
      moved.settle();
      const double explains = step.explains + new_sum * lengths.length(new_size, step.vertex, moved) +
                              same_cut(moved, from_, branch_) + same_cut(moved, node, target);
      if (best_.may_be_better(around_.left - explains)) offer(target);
      walk(node, target, step, steps + 1);
    }
  }

  /// Of D across an edge of the path when the branch has gone past it.
  double turned_sum(Node from, Node to) const {
    return tree_.sum[edge(from, to)] + tree_.sum[edge_] - 2.0 * cross(from, to);
  }

  Node other(Node node, Node one, Node two) const {
    for (const Node w : neighbors_[node]) {
      if (w != one && w != two) return w;
    }
    return -1;
  }

  /// Exactly: on the tree seen from a point of the branch.
  void offer(Node target) {
    if (!grafts_) {
      if (branch_is_below_) turned_ = seen_from(tree_, k_, point_[branch_]);
      const Values& sums = branch_is_below_ ? between_ : beyond_;
      grafts_.emplace(k_, branch_is_below_ ? turned_ : tree_, from_,
                      sums.data() + static_cast<std::size_t>(edge_) * n_);
    }
    grafts_->offer(target, best_);
  }

  std::span<const double> D_;
  std::size_t k_, n_, radius_ = 0;
  Cuts tree_, turned_;
  Best& best_;
  Around around_;
  Values between_, beyond_;
  TreeParents point_;  ///< one below each node
  std::vector<TreeParents> neighbors_;

  // Of one branch.
  Node from_ = -1, branch_ = -1, edge_ = -1;
  bool branch_is_below_ = false;
  double rest_ = 0.0;  ///< points that are not in it
  std::optional<Grafts> grafts_;
};

/// Makes the best move; false if none improves.
bool best_move(std::span<const double> D, std::size_t k, std::size_t radius, Best& best) {
  Moves moves(D, k, rerooted(best.parent(), 0), best);
  best.improved();
  moves.offer_all(radius);
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
