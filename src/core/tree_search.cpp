#include "cladebench/tree_search.hpp"

#include <algorithm>
#include <utility>

namespace cladebench::tree_fit {
namespace {

// One tree is better than another if its squares are fewer by this share.
constexpr double kBetter = 1e-9;
// Relative to the squares of D: how exact `squares - product` is, and below what a fit is perfect.
constexpr double kDifferenceRounding = 1e-12, kPerfect = 1e-28;
// The same: how exact the gain of a move is, and where squares may be rounding.
constexpr double kGainRounding = 4e-12, kNearlyPerfect = 1e-13;

}  // namespace

double Best::enough(double squares) const {
  return squares * (1.0 - kBetter) - kPerfect * lengths_.squares();
}

/// Adds up the squares one by one, where rounding decides.
void Best::settle() {
  if (at_least_ != at_most_) at_least_ = at_most_ = lengths_.errors(tree_, best_);
}

void Best::take(const Cuts& tree, double at_least, double at_most) {
  at_least_ = at_least;
  at_most_ = at_most;
  tree_.parent = tree.parent;
  tree_.order = tree.order;
  std::swap(best_, x_);
  improved_ = true;
}

void Best::offer(Cuts& tree) {
  const double rounding = kDifferenceRounding * lengths_.squares();
  if (lengths_.bound(tree) - rounding > enough(at_most_)) return;
  lay_out(tree);
  lengths_.nonnegative(tree, x_);
  const double nearly = lengths_.left_over(tree, x_);
  if (nearly - rounding > enough(at_most_)) return;
  if (tree_.parent.empty() || nearly + rounding < enough(at_least_)) {
    take(tree, nearly - rounding, nearly + rounding);
    return;
  }
  settle();
  if (nearly - rounding > enough(at_most_)) return;
  const double squares = lengths_.errors(tree, x_);
  if (squares < enough(at_most_)) take(tree, squares, squares);
}

bool Best::beats(double left) const { return left - kGainRounding * lengths_.squares() > enough(at_most_); }

bool Best::is_perfect() {
  if (at_least_ < 1e3 * kDifferenceRounding * lengths_.squares()) settle();
  return enough(at_most_) <= 0.0;
}

bool Best::is_nearly_perfect() const { return at_least_ < kNearlyPerfect * lengths_.squares(); }

bool Best::surely_better(double left, double other, std::size_t n_between) const {
  const double rounding = kGainRounding * lengths_.squares();
  const double n = static_cast<double>(n_between + 3);
  return left + rounding < (other - rounding) * (1.0 - n * kBetter) - n * kPerfect * lengths_.squares();
}

Search::Search(std::span<const double> D, std::size_t k, const TreeParents& start)
    : D_(D), k_(k), best_(D, k), exchanges_(k) {
  for (const double distance : D) largest_ = std::max(largest_, distance);
  tree_ = cuts_of(D, k, start);
  best_.offer(tree_);
}

/// What a round needs of the best tree. False if no tree is better.
bool Search::start() {
  if (best_.is_perfect()) return false;
  change(D_, k_, tree_, rerooted(best_.parent(), 0));
  solution_ = best_.lengths().nonnegative_solution(tree_);
  point_.resize(tree_.nodes());
  for (auto node = tree_.order.rbegin(); node != tree_.order.rend(); ++node) {
    if (*node < static_cast<Node>(k_)) point_[*node] = *node;
    if (tree_.parent[*node] >= 0) point_[tree_.parent[*node]] = point_[*node];
  }
  best_.improved();
  return true;
}

bool Search::may_be_better(const LocalFit::Gain& gain) const {
  if (gain.kind == LocalFit::Gain::kUnknown) return true;
  if (gain.kind == LocalFit::Gain::kNone) return best_.is_nearly_perfect();
  return !best_.beats(solution_.left - gain.value);
}

bool Search::exchange() {
  if (!start()) return false;
  try_moves(trials());
  return best_.improved();
}

/// The exchanges that may be the best. Others are left out if one among these is better than they by so much that it
/// does not matter which of them come before it.
std::vector<Search::Trial> Search::trials() {
  std::vector<Exchange> found;
  for (const Exchange& exchange :
       exchanges_.update(tree_, best_.lengths(), solution_, largest_)) {
    if (may_be_better(exchange.gain)) found.push_back(exchange);
  }
  const auto left = [&](const Exchange& exchange) { return solution_.left - exchange.gain.value; };
  const auto known = [](const Exchange& exchange) { return exchange.gain.kind != LocalFit::Gain::kUnknown; };
  std::sort(found.begin(), found.end(), [&](const Exchange& a, const Exchange& b) {
    return std::pair(known(a), left(a)) < std::pair(known(b), left(b));
  });
  std::vector<Trial> chosen;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && known(found[i - 1]) && best_.surely_better(left(found[i - 1]), left(found[i]), i)) break;
    add_trials(found[i].target, chosen);
  }
  return chosen;
}

/// Any of four parts around an edge may be the one that moves.
void Search::add_trials(Node target, std::vector<Trial>& trials) const {
  const auto other_child = [&](Node child) {
    const Node first = tree_.child[tree_.parent[child]];
    return first == child ? tree_.sibling[first] : first;
  };
  const Node child = tree_.parent[target], v = tree_.parent[child];
  const Node beside = other_child(target), sibling = other_child(child);
  trials.insert(trials.end(), {{v, false, target},
                               {sibling, true, beside},
                               {target, true, tree_.parent[v]},
                               {beside, true, sibling}});
}

/// In the order of a round of all moves.
void Search::try_moves(std::vector<Trial> trials) {
  std::sort(trials.begin(), trials.end());
  for (auto first = trials.begin(); first != trials.end();) {
    const auto last = std::find_if(first, trials.end(), [&](const Trial& trial) {
      return trial.v != first->v || trial.below != first->below;
    });
    const auto try_these = [&](const Cuts& tree, Node v, const double* others) {
      Grafts grafts(k_, tree, v, others);
      grafts.each_target(1, [&](Node target, bool) {
        if (std::none_of(first, last, [&](const Trial& trial) { return trial.target == target; })) return;
        grafts.set(move_, target);
        make(move_, moved_);
        best_.offer(moved_);
      });
    };
    const std::size_t v = static_cast<std::size_t>(first->v);
    if (first->below) {
      try_these(seen_from(tree_, k_, point_[v]), tree_.parent[v], tree_.to_points.data() + v * k_);
    } else {
      try_these(tree_, first->v, outside(D_, k_, tree_, first->v).data());
    }
    first = last;
  }
}

bool Search::move(std::size_t radius) {
  if (!start()) return false;
  const Solution free = best_.lengths().free_solution(tree_);
  const Values beyond = outside(D_, k_, tree_);
  for (std::size_t v = 1; v < tree_.nodes(); ++v) {
    try_all(radius, tree_, static_cast<Node>(v), beyond.data() + v * k_, free, solution_);
    const Cuts turned = seen_from(tree_, k_, point_[v]);
    try_all(radius, turned, tree_.parent[v], tree_.to_points.data() + v * k_,
            seen_from(free, tree_, point_[v]), seen_from(solution_, tree_, point_[v]));
  }
  return best_.improved();
}

void Search::try_all(std::size_t radius, const Cuts& tree, Node v, const double* others, const Solution& free,
                     const Solution& solution) {
  const Lengths& lengths = best_.lengths();
  Grafts grafts(k_, tree, v, others);
  FreeGains gains(lengths, tree, free, grafts, v);
  LocalFit fit(lengths, tree, solution, lengths.flat(tree));
  grafts.each_target(radius, [&](Node target, bool stays) {
    if (stays) {
      gains.stay(target);
      return;
    }
    if (best_.beats(free.left - gains.gain(target))) return;
    grafts.set(move_, target);
    if (!may_be_better(fit.gain(move_))) return;
    make(move_, moved_);
    best_.offer(moved_);
  });
}

}  // namespace cladebench::tree_fit
