#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"
#include "exemplars/facility_location.hpp"

namespace cladebench {
namespace {

using Point = std::int32_t;
using Values = std::vector<double>;
constexpr Point kNobody = -1;
// A move has to lower the value by this share of its terms.
constexpr double kBetter = 1e-12;

/// Swaps, adds and drops exemplars, each point in turn: a move is made as soon as one improves.
class Exchange {
 public:
  Exchange(std::span<const double> d, std::size_t n)
      : n_(n),
        cost_(n * n),
        price_(n),
        open_(n, 0),
        nearest_(n, kNobody),
        next_(n, kNobody),
        first_(n),
        second_(n),
        loss_(n, 0.0),
        change_(n, 0.0) {
    constexpr std::size_t kTile = 16;  // columns become rows
    for (std::size_t begin = 0; begin < n; begin += kTile) {
      const std::size_t end = std::min(n, begin + kTile);
      keep_on(kTile * n);
      for (std::size_t p = 0; p < n; ++p) {
        for (std::size_t q = begin; q < end; ++q) cost_[q * n + p] = d[p * n + q];
      }
    }
    for (std::size_t q = 0; q < n; ++q) price_[q] = std::exchange(cost_[q * n + q], 0.0);
    largest_ = *std::max_element(cost_.begin(), cost_.end());
  }

  std::vector<std::int64_t> run(std::span<const std::int64_t> initial) {
    for (std::size_t q = 0; q < n_; ++q) {
      if (price_[q] < 0.0) open(static_cast<Point>(q));
    }
    for (const std::int64_t q : initial) {
      if (!open_[static_cast<std::size_t>(q)]) open(static_cast<Point>(q));
    }
    if (exemplars_.empty()) open(best_single());
    add_while_it_pays();
    for (std::size_t p = 0; p < n_; ++p) find_nearest(p);
    take_stock();
    descend();
    std::vector<std::int64_t> found(exemplars_.begin(), exemplars_.end());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  static std::size_t at(Point q) { return static_cast<std::size_t>(q); }
  /// What the points pay for exemplar q.
  const double* costs(Point q) const { return cost_.data() + at(q) * n_; }

  void open(Point q) {
    open_[at(q)] = 1;
    exemplars_.push_back(q);
  }

  Point best_single() const {
    Point best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < n_; ++q) {
      keep_on(n_);
      double total = price_[q];
      for (std::size_t p = 0; p < n_; ++p) total += cost_[q * n_ + p];
      if (total >= least) continue;
      least = total;
      best = static_cast<Point>(q);
    }
    return best;
  }

  /// Opens the point that saves the most, again and again. Savings only fall as more are open, so that old
  /// ones are bounds: only those at the top of the queue are computed anew.
  void add_while_it_pays() {
    std::fill(first_.begin(), first_.end(), std::numeric_limits<double>::max());
    for (const Point q : exemplars_) bring_nearer(q);
    struct Offer {
      double saved;
      Point q;
      std::size_t when;  ///< so many were open
      bool operator<(const Offer& other) const {
        return saved != other.saved ? saved < other.saved : q > other.q;
      }
    };
    std::vector<Offer> offers;
    for (std::size_t q = 0; q < n_; ++q) {
      const Point point = static_cast<Point>(q);
      if (!open_[q]) offers.push_back({saved_by(point), point, exemplars_.size()});
    }
    std::priority_queue<Offer> queue(std::less<Offer>(), std::move(offers));
    while (!queue.empty() && queue.top().saved > 0.0) {
      Offer best = queue.top();
      queue.pop();
      if (best.when != exemplars_.size()) {
        best.saved = saved_by(best.q);
        best.when = exemplars_.size();
        queue.push(best);
        continue;
      }
      open(best.q);
      bring_nearer(best.q);
    }
  }

  void bring_nearer(Point q) {
    const double* cost = costs(q);
    for (std::size_t p = 0; p < n_; ++p) first_[p] = std::min(first_[p], cost[p]);
  }

  double saved_by(Point q) const {
    keep_on(n_);
    const double* cost = costs(q);
    double saved[4] = {};
    std::size_t p = 0;
    for (; p + 4 <= n_; p += 4) {
      for (std::size_t k = 0; k < 4; ++k) saved[k] += std::max(0.0, first_[p + k] - cost[p + k]);
    }
    for (; p < n_; ++p) saved[0] += std::max(0.0, first_[p] - cost[p]);
    return (saved[0] + saved[2]) + (saved[1] + saved[3]) - price_[at(q)];
  }

  /// Of a single exemplar the second costs as much as the dearest: a swap then costs what it does.
  void find_nearest(std::size_t p) {
    keep_on(exemplars_.size());
    nearest_[p] = next_[p] = kNobody;
    first_[p] = second_[p] = largest_;
    for (const Point q : exemplars_) offer(p, q);
  }

  void offer(std::size_t p, Point q) {
    const double cost = costs(q)[p];
    if (nearest_[p] == kNobody || cost < first_[p]) {
      next_[p] = std::exchange(nearest_[p], q);
      second_[p] = std::exchange(first_[p], cost);
    } else if (next_[p] == kNobody || cost < second_[p]) {
      next_[p] = q;
      second_[p] = cost;
    }
  }

  /// The value, and what the points lose with each exemplar.
  void take_stock() {
    value_ = size_ = 0.0;
    for (const Point q : exemplars_) {
      loss_[at(q)] = 0.0;
      value_ += price_[at(q)];
      size_ += std::abs(price_[at(q)]);
    }
    for (std::size_t p = 0; p < n_; ++p) {
      loss_[at(nearest_[p])] += second_[p] - first_[p];
      value_ += first_[p];
      size_ += first_[p];
    }
  }

  /// Until no point in a row of all of them has a move that improves.
  void descend() {
    drop_while_it_pays();
    std::size_t in_vain = 0;
    for (std::size_t q = 0; in_vain < n_; q = q + 1 == n_ ? 0 : q + 1) {
      ++in_vain;
      const Point in = static_cast<Point>(q);
      if (open_[q]) continue;
      const auto [change, out] = best_move_of(in);
      if (!(change < -kBetter * size_) || !moves(in, out)) continue;
      drop_while_it_pays();
      in_vain = 0;
    }
  }

  /// The least change of the value if q opens, and who closes for that, or nobody.
  std::pair<double, Point> best_move_of(Point q) {
    keep_on(n_);
    const double* cost = costs(q);
    double opened = price_[at(q)];
    for (std::size_t p = 0; p < n_; ++p) {
      if (cost[p] >= second_[p]) continue;
      const bool nearer = cost[p] < first_[p];
      opened += nearer ? cost[p] - first_[p] : 0.0;
      change_[at(nearest_[p])] += (nearer ? first_[p] : cost[p]) - second_[p];
    }
    std::pair<double, Point> best(opened, kNobody);
    for (const Point out : exemplars_) {
      const double change = opened + loss_[at(out)] + std::exchange(change_[at(out)], 0.0) - price_[at(out)];
      if (change < best.first) best = {change, out};
    }
    return best;
  }

  /// Of equal sets the smaller is better.
  void drop_while_it_pays() {
    while (exemplars_.size() > 1) {
      const auto cheapest = std::min_element(exemplars_.begin(), exemplars_.end(), [&](Point a, Point b) {
        return loss_[at(a)] - price_[at(a)] < loss_[at(b)] - price_[at(b)];
      });
      const Point out = *cheapest;
      if (loss_[at(out)] - price_[at(out)] > 0.0 || !moves(kNobody, out)) return;
    }
  }

  /// Makes a move, and takes it back if the value was lower by rounding alone: so the search ends.
  bool moves(Point in, Point out) {
    const double before = value_;
    replace(in, out);
    if (value_ < before || (value_ == before && in == kNobody)) return true;
    replace(out, in);
    return false;
  }

  void replace(Point in, Point out) {
    if (out != kNobody) {
      open_[at(out)] = 0;
      std::erase(exemplars_, out);
    }
    if (in != kNobody) open(in);
    for (std::size_t p = 0; p < n_; ++p) {
      if (out != kNobody && (nearest_[p] == out || next_[p] == out)) {
        find_nearest(p);
      } else if (in != kNobody) {
        offer(p, in);
      }
    }
    take_stock();
  }

  std::size_t n_;
  Values cost_;   ///< row q: what each point pays for q, itself nothing
  Values price_;  ///< of each point as an exemplar
  double largest_, value_ = 0.0, size_ = 0.0;
  std::vector<Point> exemplars_;
  std::vector<char> open_;
  std::vector<Point> nearest_, next_;  ///< exemplars of each point
  Values first_, second_;              ///< and what they cost
  Values loss_;                        ///< what the points lose with an exemplar
  Values change_;                      ///< by how much less if another opens
};

}  // namespace

std::vector<std::int64_t> exchanged_exemplars(std::span<const double> d, std::size_t n,
                                              std::span<const std::int64_t> initial) {
  return Exchange(d, n).run(initial);
}

}  // namespace cladebench
