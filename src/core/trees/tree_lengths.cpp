#include "trees/tree_lengths.hpp"

#include <algorithm>

#include "common/keep_on.hpp"

namespace cladebench::additive {
namespace {

// Relative to the largest sum across an edge: gradients below are rounding.
constexpr double kGradientRounding = 1e-13;
// Relative to the largest distance: lengths below are rounding.
constexpr double kLengthRounding = 1e-13;

}  // namespace

Lengths::Lengths(std::span<const double> distances, std::size_t k)
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

double Lengths::bound(const Cuts& tree) {
  all_edges(tree);
  solve(tree, tree.sum, free_);
  return left_over(tree, free_);
}

void Lengths::look_around(const Cuts& tree, const Values& x, Around& around) {
  gradient(tree, x);
  const std::size_t n = tree.nodes();
  const double same = kGradientRounding * *std::max_element(tree.sum.begin(), tree.sum.end());
  around.sum.resize(n);
  around.multiplier.resize(n);
  around.vertex.resize(n);
  around.left = squares_;
  for (std::size_t v = 0; v < n; ++v) {
    const double sum = tree.sum[v] + std::max(0.0, -slope_[v]);
    if (!(std::abs(sum - around.sum[v]) <= same)) around.sum[v] = sum;
    around.multiplier[v] = std::max(0.0, around.sum[v] - tree.sum[v]);
  }
  all_edges(tree);
  solve(tree, around.sum, around.lengths);
  for (std::size_t v = 0; v < n; ++v) {
    around.vertex[v] = {known_[v], weight_[v], total_[v], 1.0 / weight_[v]};
    around.left -= around.sum[v] * around.lengths[v];
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (tree.parent[v] < 0 || share(tree.size[v]) != 0.0) continue;
    around.vertex[v].pull = around.vertex[tree.parent[v]].pull = 0.0;
  }
}

void Lengths::nonnegative(const Cuts& tree, Values& x, const std::vector<char>* kept) {
  const std::size_t n = tree.nodes();
  if (kept) {
    kept_ = *kept;
  } else {
    kept_.assign(n, 1);
  }
  kept_[tree.order[0]] = 0;
  restricted(tree, tree.sum, x);
  while (drop_negative(x)) restricted(tree, tree.sum, x);
  double largest_sum = 0.0;
  for (const double sum : tree.sum) largest_sum = std::max(largest_sum, sum);
  for (std::size_t step = 0; step < 10 * n; ++step) {  // far fewer are needed; rounding may not go on forever
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

double Lengths::left_over(const Cuts& tree, const Values& x) const {
  double explained = 0.0;
  for (std::size_t v = 0; v < tree.nodes(); ++v) explained += tree.sum[v] * x[v];
  return squares_ - explained;
}

double Lengths::errors(const Cuts& tree, const Values& x, double enough) {
  paths_.measure(tree, x);
  double total = 0.0;
  for (std::size_t i = 0; i < k_ && !(total > enough); ++i) {
    keep_on(i);
    for (std::size_t j = 0; j < i; ++j) {
      const double error = D_[i * k_ + j] - paths_.between(i, j);
      total += error * error;
    }
  }
  return total;
}

/// No edge is contracted.
void Lengths::all_edges(const Cuts& tree) {
  vertex_.resize(tree.nodes());
  for (std::size_t v = 0; v < tree.nodes(); ++v) vertex_[v] = static_cast<Node>(v);
}

/// Lengths of any sign for the edges kept, the others contracted.
void Lengths::restricted(const Cuts& tree, const Values& sum, Values& x) {
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
void Lengths::solve(const Cuts& tree, const Values& sum, Values& x) {
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
void Lengths::gradient(const Cuts& tree, const Values& x) {
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

bool Lengths::drop_negative(const Values& x) {
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
bool Lengths::retreat(Values& x) {
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

double Best::offer(Cuts& tree, const std::vector<char>* kept) {
  const double off = kDifferenceRounding * lengths_.squares();
  const double nearly_perfect = kNearlyPerfect * lengths_.squares();
  if (high_ < nearly_perfect) kept = nullptr;
  if (!kept) {
    const double bound = lengths_.bound(tree);
    if (bound - off > enough(high_)) return bound;
  }
  lay_out(tree);
  lengths_.nonnegative(tree, x_, kept);
  double nearly = lengths_.left_over(tree, x_);
  if (kept && nearly < nearly_perfect) {
    lengths_.nonnegative(tree, x_);
    nearly = lengths_.left_over(tree, x_);
  }
  if (nearly - off > enough(high_)) return nearly;
  if (nearly + off < enough(low_)) {
    low_ = nearly - off;
    high_ = nearly + off;
  } else {
    settle();
    const double found = lengths_.errors(tree, x_, enough(high_));
    if (!(found < enough(high_))) return nearly;
    low_ = high_ = found;
  }
  tree_.parent = tree.parent;
  tree_.order = tree.order;
  std::swap(best_x_, x_);
  improved_ = true;
  return nearly;
}

TreeParents Best::seen_from_0(Values& x) const {
  x = turned(tree_.parent, 0, best_x_);
  return rerooted(tree_.parent, 0);
}

bool Best::is_perfect() {
  if (enough(low_) > 0.0) return false;
  settle();
  return enough(high_) <= 0.0;
}

void Best::settle() {
  if (low_ < high_) low_ = high_ = lengths_.errors(tree_, best_x_, std::numeric_limits<double>::infinity());
}

}  // namespace cladebench::additive
