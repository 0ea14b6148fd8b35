#include "exemplars/facility_location.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "exemplars/facility_local_search.hpp"

namespace cladebench {
namespace {

using facility::Flags;
using facility::Index;
using facility::kInfinity;
using facility::LocalSearch;
using facility::Problem;
using facility::SortedRows;
using facility::Values;

// The tolerance is no smaller: two sums differ by more.
constexpr double kLeastTolerance = 1e-10;

// The volume algorithm: weight of a new slope, and what becomes of the step.
constexpr double kFirstStride = 0.2, kLaterStride = 0.1, kLongestStride = 2.0, kLeastStride = 1e-3;
constexpr double kMostWeight = 0.2, kLeastWeight = 0.02;
constexpr double kLonger = 1.1, kShorter = 0.66;
constexpr std::size_t kPatience = 12;
// Parts of the points, for threads; fixed, so that sums do not depend on their number.
constexpr std::size_t kParts = 4, kWorthThreads = 500;
// Sweeps in which the first multipliers rise.
constexpr int kSweeps = 10;
// Evaluations between two starts of the local search, and of a branch.
constexpr std::size_t kBetweenStarts = 25, kPerBranch = 60;
constexpr double kHalf = 0.5, kFew = 0.2;
// The root is left for branches if that many evaluations close less than that share of the gap.
constexpr std::size_t kWatched = 100;
constexpr double kWorthWhile = 0.2;

enum class Status : char { undecided, exemplar, none };

/// The sets that agree with a status of each point, and what is known of them.
struct Branch {
  std::vector<Status> status;
  Values v;
  double bound = -kInfinity;
  Values share;  ///< of each point in the averaged minimiser
};

struct Evaluation {
  double bound = -kInfinity;
  Values reduced;  ///< price left after all points have paid; a lower bound
  Flags taken;     ///< by the minimiser
  Values slope;    ///< one less the number of exemplars taken that serve a point
};

class Search {
 public:
  Search(Problem& problem, std::size_t most, double tolerance)
      : problem_(problem), most_(most), tolerance_(std::max(tolerance, kLeastTolerance)), local_(problem) {}

  void start(std::span<const std::int64_t> initial) {
    Flags open = problem_.paid;
    for (const std::int64_t q : initial) open[q] = 1;
    try_set(open);
  }

  void run() {
    Branch root;
    root.status.resize(problem_.n, Status::undecided);
    for (std::size_t q = 0; q < problem_.n; ++q) {
      if (problem_.paid[q]) root.status[q] = Status::exemplar;
    }
    root.v = raised(shared_prices());
    ascend(root, true);
    std::vector<Branch> waiting;
    waiting.push_back(std::move(root));
    while (!waiting.empty()) {
      const auto lowest = std::min_element(
          waiting.begin(), waiting.end(), [](const Branch& a, const Branch& b) { return a.bound < b.bound; });
      if (lowest->bound >= cutoff() || n_evaluations_ >= most_) break;
      Branch parent = std::move(*lowest);
      waiting.erase(lowest);
      const std::size_t q = undecided(parent);
      for (const Status status : {Status::exemplar, Status::none}) {
        Branch child = parent;
        child.status[q] = status;
        ascend(child, false);
        if (child.bound < kInfinity) waiting.push_back(std::move(child));
      }
    }
    bound_ = kInfinity;
    for (const Branch& branch : waiting) bound_ = std::min(bound_, branch.bound);
  }

  const Flags& best() const { return best_; }
  bool optimal() const { return bound_ == kInfinity; }
  double bound() const {
    return std::min(bound_, value_) + problem_.constant - problem_.rounding * std::abs(problem_.constant);
  }
  std::size_t n_evaluations() const { return n_evaluations_; }
  bool converged() const { return bound_ >= cutoff(); }

 private:
  /// A bound from here on ends the search.
  double cutoff() const {
    const double least = kLeastTolerance * (value_ + std::abs(problem_.constant));  // else rounding
    return value_ - std::max(tolerance_ * std::abs(value_ + problem_.constant), least);
  }

  void try_set(const Flags& open) {
    local_.descend(open);
    if (local_.value() >= value_) return;
    value_ = local_.value();
    slack_ = local_.slack();
    best_ = local_.open();
  }

  /// Multipliers between the costs of the first and the second exemplar, which pay for the first.
  Values shared_prices() const {
    const std::size_t n = problem_.n;
    Values v = local_.first();
    std::vector<std::vector<double>> room(n);
    for (std::size_t p = 0; p < n; ++p) room[local_.nearest()[p]].push_back(local_.second()[p] - v[p]);
    Values most(n, 0.0);
    const bool single = std::count(best_.begin(), best_.end(), 1) == 1;
    for (std::size_t q = 0; q < n; ++q) {
      double left = problem_.price[q];
      std::sort(room[q].begin(), room[q].end());
      for (std::size_t at = 0; at < room[q].size(); ++at) {
        const double each = left / static_cast<double>(room[q].size() - at);
        most[q] = single ? each : std::min(each, room[q][at]);
        if (single || each <= room[q][at]) break;
        left -= room[q][at];
      }
    }
    for (std::size_t p = 0; p < n; ++p) {
      const double mine = most[local_.nearest()[p]];
      v[p] += single ? mine : std::min(mine, local_.second()[p] - local_.first()[p]);
    }
    return v;
  }

  /// Multipliers that overpay nobody: all rise towards the given ones in small steps, then as far as they
  /// can.
  Values raised(const Values& goal) {
    Values v(problem_.n, 0.0), left = problem_.price;
    for (int sweep = 1; sweep <= kSweeps + 1; ++sweep) {
      for (std::size_t p = 0; p < problem_.n; ++p) {
        const auto row = problem_.rows[p];
        double to = sweep > kSweeps ? kInfinity : goal[p] * sweep / kSweeps;
        std::size_t at = 0;
        for (; at < row.size && row.cost[at] < to; ++at) {
          to = std::min(to, std::max(v[p], row.cost[at]) + left[row.to[at]]);
        }
        keep_on(at);
        if (!(to > v[p])) continue;
        for (at = 0; at < row.size && row.cost[at] < to; ++at) {
          double& rest = left[row.to[at]];
          rest = std::max(0.0, rest - (to - std::max(v[p], row.cost[at])));
        }
        v[p] = to;
      }
    }
    return v;
  }

  /// L and its slope. Sums are lowered by what rounding may have added.
  void evaluate(const Values& v, const std::vector<Status>& status, Evaluation& to) {
    ++n_evaluations_;
    const std::size_t n = problem_.n;
    // Each part of the points has sums of its own, which are added up in order.
    paid_.assign(kParts * n, 0.0);
    for_parts([&](std::size_t part, std::size_t begin, std::size_t end) {
      double* paid = paid_.data() + part * n;
      for (std::size_t p = begin; p < end; ++p) {
        const auto row = problem_.rows[p];
        std::size_t at = 0;
        for (; at < row.size && row.cost[at] < v[p]; ++at) paid[row.to[at]] += v[p] - row.cost[at];
        keep_on(at);
      }
    });
    double bound = 0.0;
    for (std::size_t p = 0; p < n; ++p) bound += v[p];
    double size = bound;
    to.reduced.resize(n);
    to.taken.assign(n, 0);
    for (std::size_t q = 0; q < n; ++q) {
      double paid = 0.0;
      for (std::size_t part = 0; part < kParts; ++part) paid += paid_[part * n + q];
      to.reduced[q] = problem_.price[q] - paid - problem_.rounding * (problem_.price[q] + paid);
      const bool certain = status[q] == Status::exemplar;
      if (!certain && (status[q] == Status::none || to.reduced[q] >= 0.0)) continue;
      to.taken[q] = 1;
      bound += to.reduced[q];
      size += std::abs(to.reduced[q]);
    }
    to.bound = bound - problem_.rounding * size;
    to.slope.resize(n);
    for_parts([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        const auto row = problem_.rows[p];
        Index served = 0;
        for (std::size_t at = 0; at < row.size && row.cost[at] < v[p]; ++at) served += to.taken[row.to[at]];
        to.slope[p] = 1.0 - static_cast<double>(served);
      }
    });
  }

  template <class Task>
  void for_parts(const Task& task) const {
    const std::size_t n = problem_.n;
    parallel_for(kParts, n >= kWorthThreads,
                 [&](std::size_t part) { task(part, part * n / kParts, (part + 1) * n / kParts); });
  }

  /// Squared norm of a direction, less what leads below 0.
  double norm_of(const Values& direction, const Values& v) const {
    double norm = 0.0;
    for (std::size_t p = 0; p < problem_.n; ++p) {
      if (v[p] > 0.0 || direction[p] > 0.0) norm += direction[p] * direction[p];
    }
    return norm;
  }

  struct Comparison {
    double along;   ///< product of slope and mean
    double weight;  ///< that the slope gets in the next mean, which is shortest then
  };

  Comparison compare(const Values& slope, const Values& mean) const {
    double along = 0.0, apart = 0.0, towards = 0.0;
    for (std::size_t p = 0; p < problem_.n; ++p) {
      along += slope[p] * mean[p];
      apart += (mean[p] - slope[p]) * (mean[p] - slope[p]);
      towards += mean[p] * (mean[p] - slope[p]);
    }
    return {along, std::clamp(apart > 0.0 ? towards / apart : 1.0, kLeastWeight, kMostWeight)};
  }

  /// Raises the bound of a branch, to infinity if no set of it is better than the best one.
  void ascend(Branch& branch, bool is_root) {
    const std::size_t n = problem_.n;
    Evaluation here, trial;
    evaluate(branch.v, branch.status, here);
    Values mean = here.slope, v(n);
    branch.share.assign(here.taken.begin(), here.taken.end());
    double best = here.bound, watched = value_ - best, stride = is_root ? kFirstStride : kLaterStride;
    branch.bound = std::max(branch.bound, best);
    decide(branch, here, is_root);
    std::size_t failures = 0;
    for (std::size_t round = 1; branch.bound < cutoff() && n_evaluations_ < most_; ++round) {
      if (is_root ? round % kWatched == 0 : round > kPerBranch) {
        if (!is_root || value_ - best > (1.0 - kWorthWhile) * watched) break;
        watched = value_ - best;
      }
      const double norm = norm_of(mean, branch.v);
      if (norm == 0.0 || stride < kLeastStride) break;
      const double step = stride * (value_ - best) / norm;
      for (std::size_t p = 0; p < n; ++p) v[p] = std::max(0.0, branch.v[p] + step * mean[p]);
      evaluate(v, branch.status, trial);
      const auto [along, weight] = compare(trial.slope, mean);
      for (std::size_t p = 0; p < n; ++p) {
        mean[p] += weight * (trial.slope[p] - mean[p]);
        branch.share[p] += weight * (trial.taken[p] - branch.share[p]);
      }
      if (trial.bound > best) {
        best = trial.bound;
        branch.bound = std::max(branch.bound, best);
        std::swap(branch.v, v);
        std::swap(here, trial);
        if (along > 0.0) stride = std::min(kLongestStride, kLonger * stride);
        failures = 0;
        decide(branch, here, is_root);
      } else if (++failures == kPatience) {
        stride *= kShorter;
        failures = 0;
      }
      if (round % kBetweenStarts == 0) try_shares(branch, round / kBetweenStarts % 2 ? kFew : kHalf);
    }
    if (branch.bound < cutoff()) try_shares(branch, kHalf);
    decide(branch, here, is_root);
    rule_out(branch);
  }

  /// Searches from the points with a share of at least `least` in the averaged minimiser.
  void try_shares(const Branch& branch, double least) {
    Flags open(problem_.n);
    for (std::size_t q = 0; q < problem_.n; ++q) {
      open[q] = branch.status[q] == Status::exemplar ||
                (branch.status[q] == Status::undecided && branch.share[q] >= least);
    }
    if (open != tried_) try_set(open);
    tried_ = open;
  }

  /// Decides the points whose other choice lifts the bound above the best value.
  void decide(Branch& branch, const Evaluation& at, bool for_good) {
    const double limit = value_ * (1.0 + problem_.rounding);
    std::size_t left = 0, gone = 0;
    for (std::size_t q = 0; q < problem_.n; ++q) {
      if (branch.status[q] == Status::undecided) {
        if (at.bound + at.reduced[q] > limit) branch.status[q] = Status::none;
        if (at.bound - at.reduced[q] > limit) branch.status[q] = Status::exemplar;
      }
      ++(branch.status[q] == Status::none ? gone : left);
    }
    if (!for_good) return;
    // Copying the rows is worth it if they become much shorter.
    if (static_cast<double>(left) > 0.8 * static_cast<double>(remembered_ ? remembered_ : problem_.n)) return;
    remembered_ = left;
    Flags forgotten(problem_.n);
    for (std::size_t q = 0; q < problem_.n; ++q) forgotten[q] = branch.status[q] == Status::none;
    problem_.rows.forget(forgotten);
  }

  /// A branch within subsets of the best set has none better, for what a drop costs only grows with other
  /// drops; nor has one in which all is decided and tried.
  void rule_out(Branch& branch) {
    bool decided = true, within = true;
    for (std::size_t q = 0; q < problem_.n; ++q) {
      decided = decided && branch.status[q] != Status::undecided;
      within = within && (branch.status[q] == Status::none || best_[q]);
    }
    if (within) {
      branch.bound = slack_ == 0.0 ? kInfinity : std::max(branch.bound, value_ - slack_);
    } else if (decided) {
      try_shares(branch, kHalf);
      branch.bound = std::max(branch.bound, value_ * (1.0 - problem_.rounding));
    }
  }

  /// The undecided point that the averaged minimiser takes the least for all or nothing.
  std::size_t undecided(const Branch& branch) const {
    std::size_t found = problem_.n;
    double least = kInfinity;
    for (std::size_t q = 0; q < problem_.n; ++q) {
      if (branch.status[q] != Status::undecided || std::abs(branch.share[q] - 0.5) >= least) continue;
      least = std::abs(branch.share[q] - 0.5);
      found = q;
    }
    return found;
  }

  Problem& problem_;
  std::size_t most_, n_evaluations_ = 0, remembered_ = 0;
  double tolerance_, value_ = kInfinity, slack_ = 0.0, bound_ = -kInfinity;
  LocalSearch local_;
  Flags best_, tried_;
  Values paid_;
};

}  // namespace

std::vector<std::int64_t> assigned_exemplars(std::span<const double> d, std::size_t n,
                                             std::span<const std::int64_t> exemplars) {
  std::vector<std::int64_t> to(n, exemplars.front());
  for (std::size_t p = 0; p < n; ++p) {
    const double* row = d.data() + p * n;
    keep_on(exemplars.size());
    for (const std::int64_t q : exemplars) {
      if (row[q] < row[to[p]]) to[p] = q;
    }
  }
  for (const std::int64_t q : exemplars) to[q] = q;
  return to;
}

FacilityLocation facility_location(std::span<const double> d, std::size_t n,
                                   std::span<const std::int64_t> initial, double tolerance,
                                   std::size_t max_evaluations) {
  for (const std::int64_t q : initial) {
    if (q < 0 || q >= static_cast<std::int64_t>(n)) {
      throw std::invalid_argument("initial: " + std::to_string(q) + " is no point");
    }
  }
  double largest = 0.0;
  for (const double cost : d) largest = std::max(largest, std::abs(cost));
  int exponent = 0;
  std::frexp(largest, &exponent);
  Problem problem{d,
                  n,
                  -exponent,
                  Values(n),
                  Flags(n),
                  0.0,
                  SortedRows(d, n, -exponent),
                  4.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon()};
  for (std::size_t q = 0; q < n; ++q) {
    const double price = std::ldexp(d[q * n + q], -exponent);
    problem.paid[q] = price < 0.0;
    problem.price[q] = std::max(0.0, price);
    problem.constant += std::min(0.0, price);
  }
  Search search(problem, max_evaluations, tolerance);
  search.start(initial);
  search.run();
  FacilityLocation found;
  for (std::size_t q = 0; q < n; ++q) {
    if (search.best()[q]) found.exemplars.push_back(static_cast<std::int64_t>(q));
  }
  found.assignment = assigned_exemplars(d, n, found.exemplars);
  found.bound = std::ldexp(search.bound(), exponent);
  found.optimal = search.optimal();
  found.n_iter = static_cast<std::int64_t>(search.n_evaluations());
  found.converged = search.converged();
  return found;
}

}  // namespace cladebench
