// The local search of facility location, and what it searches: see facility_location.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"

namespace cladebench::facility {

using Index = std::int32_t;
using Values = std::vector<double>;
using Flags = std::vector<char>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr Index kNobody = -1;
// A move has to lower the value by this share of it.
inline constexpr double kBetter = 1e-12;
inline constexpr std::size_t kRowsPerTask = 64;

/// Each point's costs, ascending, of equal ones the lower index first. The point itself costs nothing.
class SortedRows {
 public:
  struct Row {
    const double* cost;
    const Index* to;
    std::size_t size;
  };

  SortedRows(std::span<const double> d, std::size_t n, int exponent)
      : n_(n), size_(n, n), cost_(n * n), to_(n * n) {
    parallel_for((n + kRowsPerTask - 1) / kRowsPerTask, n > kRowsPerTask, [&](std::size_t task) {
      std::vector<std::pair<double, Index>> row(n);
      for (std::size_t p = task * kRowsPerTask; p < std::min(n, (task + 1) * kRowsPerTask); ++p) {
        for (std::size_t q = 0; q < n; ++q) {
          row[q] = {q == p ? 0.0 : std::ldexp(d[p * n + q], exponent), static_cast<Index>(q)};
        }
        keep_on(8 * n);
        std::sort(row.begin(), row.end());
        for (std::size_t q = 0; q < n; ++q) std::tie(cost_[p * n + q], to_[p * n + q]) = row[q];
      }
    });
  }

  Row operator[](std::size_t p) const { return {cost_.data() + p * n_, to_.data() + p * n_, size_[p]}; }

  void forget(const Flags& gone) {
    for (std::size_t p = 0; p < n_; ++p) {
      std::size_t kept = p * n_;
      keep_on(size_[p]);
      for (std::size_t at = p * n_; at < p * n_ + size_[p]; ++at) {
        if (gone[to_[at]]) continue;
        cost_[kept] = cost_[at];
        to_[kept++] = to_[at];
      }
      size_[p] = kept - p * n_;
    }
  }

 private:
  std::size_t n_;
  std::vector<std::size_t> size_;
  Values cost_;
  std::vector<Index> to_;
};

struct Problem {
  std::span<const double> d;
  std::size_t n;
  int exponent;     ///< of the power of two that brings the largest number to [1/2, 1)
  Values price;     ///< at least 0
  Flags paid;       ///< whose price is below 0: exemplars of every optimum
  double constant;  ///< sum of the prices below 0, which are 0 in `price`
  SortedRows rows;
  double rounding;  ///< relative, of a sum of n numbers

  double cost(std::size_t p, std::size_t q) const {
    return p == q ? 0.0 : std::ldexp(d[p * n + q], exponent);
  }
};

/// Adds, drops and swaps exemplars.
class LocalSearch {
 public:
  explicit LocalSearch(const Problem& problem)
      : problem_(problem),
        nearest_(problem.n),
        first_(problem.n),
        second_(problem.n),
        gain_(problem.n),
        loss_(problem.n),
        extra_(problem.n, 0.0) {}

  double value() const { return value_; }
  const Flags& open() const { return open_; }
  const std::vector<Index>& nearest() const { return nearest_; }
  const Values& first() const { return first_; }
  const Values& second() const { return second_; }
  /// By how much dropping exemplars may lower the value; more than 0 only by rounding.
  double slack() const { return slack_; }

  /// From exemplars that no row has forgotten; from the best single one, if there are none.
  void descend(Flags open) {
    open_ = std::move(open);
    if (std::find(open_.begin(), open_.end(), 1) == open_.end()) open_[best_single()] = 1;
    assign();
    add();
    for (assign(); move();) assign();
  }

 private:
  /// Adds one exemplar after the other while that pays.
  void add() {
    take_gains();
    for (;;) {
      std::size_t best = 0;
      double change = -kBetter * value_;
      for (std::size_t q = 0; q < problem_.n; ++q) {
        if (open_[q] || problem_.price[q] - gain_[q] >= change) continue;
        change = problem_.price[q] - gain_[q];
        best = q;
      }
      if (change == -kBetter * value_) return;
      open_[best] = 1;
      value_ += change;
      for (std::size_t p = 0; p < problem_.n; ++p) {
        const double before = first_[p], now = problem_.cost(p, best);
        if (now >= before) continue;
        const auto row = problem_.rows[p];
        std::size_t at = 0;
        for (; at < row.size && row.cost[at] < before; ++at) {
          gain_[row.to[at]] -= before - std::max(now, row.cost[at]);
        }
        keep_on(at);
        first_[p] = now;
      }
    }
  }

  std::size_t best_single() const {
    Values total = problem_.price;
    for (std::size_t p = 0; p < problem_.n; ++p) {
      const auto row = problem_.rows[p];
      keep_on(row.size);
      for (std::size_t at = 0; at < row.size; ++at) total[row.to[at]] += row.cost[at];
    }
    // What rows have forgotten has no costs left in `total`; each row lists the same points.
    const auto row = problem_.rows[0];
    Index best = row.to[0];
    for (std::size_t at = 1; at < row.size; ++at) {
      const Index q = row.to[at];
      if (total[q] < total[best] || (total[q] == total[best] && q < best)) best = q;
    }
    return static_cast<std::size_t>(best);
  }

  void assign() {
    value_ = 0.0;
    for (std::size_t p = 0; p < problem_.n; ++p) {
      if (open_[p]) value_ += problem_.price[p];
    }
    for (std::size_t p = 0; p < problem_.n; ++p) {
      const auto row = problem_.rows[p];
      std::size_t at = 0;
      while (!open_[row.to[at]]) ++at;
      nearest_[p] = row.to[at];
      first_[p] = row.cost[at];
      for (++at; at < row.size && !open_[row.to[at]];) ++at;
      // Without a second exemplar a swap is as dear as if there was one at the end of the row.
      second_[p] = row.cost[std::min(at, row.size - 1)];
      value_ += first_[p];
      keep_on(at);
    }
  }

  void take_gains() {
    std::fill(gain_.begin(), gain_.end(), 0.0);
    for (std::size_t p = 0; p < problem_.n; ++p) {
      const auto row = problem_.rows[p];
      std::size_t at = 0;
      for (; at < row.size && row.cost[at] < first_[p]; ++at) gain_[row.to[at]] += first_[p] - row.cost[at];
      keep_on(at);
    }
  }

  /// Makes the best move. False if none improves; of equal sets the smaller is better.
  bool move() {
    const std::size_t n = problem_.n;
    take_gains();
    std::fill(loss_.begin(), loss_.end(), 0.0);
    members_.assign(n, {});
    for (std::size_t p = 0; p < n; ++p) {
      loss_[nearest_[p]] += second_[p] - first_[p];
      members_[nearest_[p]].push_back(static_cast<Index>(p));
    }
    double change = -kBetter * value_;
    Index in = kNobody, out = kNobody;
    const auto offer = [&](double offered, Index entering, Index leaving) {
      if (offered >= change) return;
      change = offered;
      in = entering;
      out = leaving;
    };
    const bool single = std::count(open_.begin(), open_.end(), 1) == 1;
    slack_ = 0.0;
    double least_drop = kInfinity;
    Index cheapest = kNobody;
    for (std::size_t q = 0; q < n; ++q) {
      const Index point = static_cast<Index>(q);
      if (!open_[q]) {
        offer(problem_.price[q] - gain_[q], point, kNobody);
        continue;
      }
      if (problem_.paid[q]) continue;
      const double drop = loss_[q] - problem_.price[q];
      if (!single) {
        offer(drop, kNobody, point);
        slack_ += std::max(0.0, problem_.rounding * (loss_[q] + problem_.price[q]) - drop);
        if (drop < least_drop) {
          least_drop = drop;
          cheapest = point;
        }
      }
      // Who loses the exemplar goes to the one that comes, if that is nearer than the second.
      for (const Index p : members_[q]) {
        const auto row = problem_.rows[p];
        std::size_t at = 0;
        for (; at < row.size && row.cost[at] < second_[p]; ++at) {
          if (open_[row.to[at]]) continue;
          if (extra_[row.to[at]] == 0.0) touched_.push_back(row.to[at]);
          extra_[row.to[at]] += second_[p] - std::max(first_[p], row.cost[at]);
        }
        keep_on(at);
      }
      for (const Index other : touched_) {
        offer(problem_.price[other] - gain_[other] + drop - extra_[other], other, point);
        extra_[other] = 0.0;
      }
      touched_.clear();
    }
    if (in == kNobody && out == kNobody) {
      if (least_drop > 0.0) return false;
      out = cheapest;
    }
    if (in != kNobody) open_[in] = 1;
    if (out != kNobody) open_[out] = 0;
    return true;
  }

  const Problem& problem_;
  Flags open_;
  double value_ = 0.0, slack_ = 0.0;
  std::vector<Index> nearest_;
  Values first_, second_;  ///< costs of the nearest exemplar and the next
  Values gain_;            ///< what the points save if a point becomes an exemplar
  Values loss_, extra_;    ///< what they lose with an exemplar; what of it one that comes saves
  std::vector<std::vector<Index>> members_;
  std::vector<Index> touched_;
};

}  // namespace cladebench::facility
