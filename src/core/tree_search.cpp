#include "cladebench/tree_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cladebench::tree_fit {
namespace {

// One tree is better than another if its squares are fewer by this share.
constexpr double kBetter = 1e-9;
// Relative to the squares of D: how exact `squares - product` is, and below what a fit is perfect.
constexpr double kDifferenceRounding = 1e-12, kPerfect = 1e-28;
// The same: how exact the gain of a move is, and where squares may be rounding.
constexpr double kGainRounding = 4e-12, kNearlyPerfect = 1e-13;
// Of a trial whose gain is not known: it comes first.
constexpr double kUnknown = -std::numeric_limits<double>::infinity();

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

/// Takes trials that all make the same tree, if it may be better.
void Search::add(const LocalFit::Gain& gain, std::initializer_list<Trial> trials) {
  if (gain.kind == LocalFit::Gain::kNone && !best_.is_nearly_perfect()) return;
  const double left = gain.kind == LocalFit::Gain::kUnknown ? kUnknown : solution_.left - gain.value;
  if (best_.beats(left)) return;
  for (const Trial& trial : trials) candidates_.push_back({std::isnan(left) ? kUnknown : left, trial});
}

bool Search::exchange() {
  if (!start()) return false;
  for (const Exchange& exchange : exchanges_.update(tree_, best_.lengths(), solution_, largest_)) {
    // Any of the four parts around an edge may be the one that moves.
    const auto other_child = [&](Node child) {
      const Node first = tree_.child[tree_.parent[child]];
      return first == child ? tree_.sibling[first] : first;
    };
    const Node target = exchange.target, child = tree_.parent[target], v = tree_.parent[child];
    const Node beside = other_child(target), sibling = other_child(child);
    add(exchange.gain, {{v, false, target},
                        {sibling, true, beside},
                        {target, true, tree_.parent[v]},
                        {beside, true, sibling}});
  }
  try_chosen();
  return best_.improved();
}

bool Search::move(std::size_t radius) {
  if (!start()) return false;
  const Solution free = best_.lengths().free_solution(tree_);
  Shifts shifts(k_, best_.lengths(), tree_, free);
  LocalFit fit(best_.lengths(), tree_, solution_, best_.lengths().flat(tree_));
  Shift shift;
  for (std::size_t n = 1; n < tree_.nodes(); ++n) {
    const Node v = static_cast<Node>(n);
    shifts.start(v);
    for (const bool below : {false, true}) {
      shifts.each(below, radius, [&](Step target, double gain) {
        if (best_.beats(free.left - gain)) return;
        shifts.set(shift);
        add(fit.gain(shift), {{v, below, target.far}});
      });
    }
  }
  try_chosen();
  return best_.improved();
}

/// The trials that may be the best. Others are left out if one among these is better than they by so much
/// that it does not matter which of them come before it.
std::vector<Search::Trial> Search::chosen() {
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.left < b.left; });
  std::vector<Trial> trials;
  for (const Candidate& candidate : candidates_) {
    const std::size_t n = trials.size();
    const double before = n > 0 ? candidates_[n - 1].left : kUnknown;
    if (before != kUnknown && best_.surely_better(before, candidate.left, n)) break;
    trials.push_back(candidate.trial);
  }
  candidates_.clear();
  return trials;
}

/// In the order of a round of all moves.
void Search::try_chosen() {
  std::vector<Trial> trials = chosen();
  std::sort(trials.begin(), trials.end());
  for (auto first = trials.begin(); first != trials.end();) {
    const auto last = std::find_if(first, trials.end(), [&](const Trial& trial) {
      return trial.v != first->v || trial.below != first->below;
    });
    const auto try_these = [&](const Cuts& tree, Node v, const double* others) {
      const Grafts grafts(k_, tree, v, others);
      grafts.each_target([&](Node target) {
        if (!std::binary_search(first, last, Trial{first->v, first->below, target})) return;
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

}  // namespace cladebench::tree_fit
