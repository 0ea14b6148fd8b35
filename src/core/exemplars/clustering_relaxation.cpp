#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/sum.hpp"
#include "exemplars/correlation_clustering.hpp"
#include "exemplars/pair_order.hpp"

namespace cladebench {
namespace {

using Values = std::vector<double>;

/// Pairs or triangles of one task: fixed, so that sums do not depend on the number of threads.
constexpr std::size_t kChunk = 8192;
/// Work below which threads do not pay.
constexpr std::size_t kWorthWhile = 1 << 16;
/// Steps between two looks for violated triangles: at least, and at most.
constexpr std::size_t kLeastSteps = 20, kMostSteps = 200;
/// Steps between restarts, at least.
constexpr std::size_t kLeastRun = 10;
/// Violations below are left to the closure.
constexpr double kViolation = 1e-6;
/// Looks after which a triangle without a multiplier is dropped.
constexpr std::uint8_t kIdle = 3;
/// Restarts (Lu, Yang 2024): once steps are so much shorter; or so much, and growing again; or after a share
/// of all steps.
constexpr double kSufficient = 0.2, kNecessary = 0.8, kArtificial = 0.36;

double product(const Values& a, const Values& b) {
  Sum sum;
  for (std::size_t e = 0; e < a.size(); ++e) sum.add(a[e] * b[e]);
  return sum.value();
}

/// Partition of a relaxed solution: each point in turn that has no cluster takes with it all others without
/// one of which it has a share of at least 1/2; then improved.
std::vector<std::int64_t> rounded(std::span<const double> s, const Values& x, std::size_t n) {
  std::vector<std::int64_t> labels(n, -1);
  for (std::size_t p = 0; p < n; ++p) {
    if (labels[p] >= 0) continue;
    for (std::size_t q = p; q < n; ++q) {
      if (labels[q] < 0 && x[p * n + q] >= 0.5) labels[q] = static_cast<std::int64_t>(p);
    }
  }
  improve_partition(s, n, labels);
  return labels;
}

double value_of_partition(std::span<const double> s, std::span<const std::int64_t> labels) {
  const std::size_t n = labels.size();
  Sum sum;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = p + 1; q < n; ++q) {
      if (labels[p] == labels[q]) sum.add(s[p * n + q]);
    }
  }
  return sum.value();
}

/// The primal-dual method on the triangles that are in use; similarities are scaled to at most 1.
class PrimalDual {
 public:
  PrimalDual(Values s, std::size_t n) : n_(n), s_(std::move(s)), x_(s_.size()), known_(s_.size() * n) {
    for (std::size_t e = 0; e < s_.size(); ++e) x_[e] = 0.5 + 0.5 * s_[e];
  }

  void start_at(Values x) { x_ = std::move(x); }

  /// Adds the triangles that are not there yet, with multipliers or 0.
  void add(const std::vector<Triangle>& more, const Values& multipliers) {
    for (std::size_t t = 0; t < more.size(); ++t) {
      const Triangle& triangle = more[t];
      if (known_[key(triangle)]) continue;
      known_[key(triangle)] = true;
      triangles_.push_back(triangle);
      const auto first = static_cast<std::size_t>(triangle.first),
                 middle = static_cast<std::size_t>(triangle.middle),
                 last = static_cast<std::size_t>(triangle.last);
      sides_.push_back({static_cast<std::int32_t>(place_of_pair(first, middle, n_)),
                        static_cast<std::int32_t>(place_of_pair(middle, last, n_)),
                        static_cast<std::int32_t>(place_of_pair(first, last, n_))});
      multipliers_.push_back(multipliers.empty() ? 0.0 : multipliers[t]);
      idle_.push_back(0);
    }
    next_multipliers_ = multipliers_;
    next_x_ = x_;
    index();
    restart();
  }

  /// Drops what has long had no multiplier.
  void drop_idle() {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      idle_[t] = next_multipliers_[t] > 0.0 ? 0 : static_cast<std::uint8_t>(idle_[t] + 1);
      if (idle_[t] > kIdle) {
        known_[key(triangles_[t])] = false;
        continue;
      }
      triangles_[kept] = triangles_[t];
      sides_[kept] = sides_[t];
      multipliers_[kept] = next_multipliers_[t];
      idle_[kept++] = idle_[t];
    }
    triangles_.resize(kept);
    sides_.resize(kept);
    multipliers_.resize(kept);
    idle_.resize(kept);
    x_ = next_x_;
  }

  /// Steps until it is time to look for violated triangles.
  std::size_t run(std::size_t most) {
    std::size_t done = 0;
    while (done < most) {
      keep_on(s_.size());
      const double length = step();
      ++done;
      ++since_;
      if (since_ == 1) first_length_ = length;
      const bool due = length <= kSufficient * first_length_ ||
                       (length <= kNecessary * first_length_ && length > last_length_) ||
                       static_cast<double>(since_) >= kArtificial * static_cast<double>(total_);
      last_length_ = length;
      ++total_;
      if (since_ >= kLeastRun && due) {
        weigh();
        restart();
        if (done >= kLeastSteps) break;
      }
    }
    return done;
  }

  const Values& x() const { return next_x_; }
  const Values& multipliers() const { return next_multipliers_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }

  double bound() const {
    Sum sum;
    for (const double m : next_multipliers_) sum.add(m);
    for (std::size_t e = 0; e < s_.size(); ++e) sum.add(std::max(0.0, s_[e] - pull(e, next_multipliers_)));
    return sum.value();
  }

 private:
  struct Sides {
    std::int32_t one, other, across;
  };

  /// For each pair the triangles that it is in: t where it is a side, ~t where it is across.
  void index() {
    begins_.assign(s_.size() + 1, 0);
    for (const Sides& sides : sides_) {
      for (const std::int32_t e : {sides.one, sides.other, sides.across})
        ++begins_[static_cast<std::size_t>(e) + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    members_.resize(3 * sides_.size());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t t = 0; t < sides_.size(); ++t) {
      const auto id = static_cast<std::int32_t>(t);
      members_[next[static_cast<std::size_t>(sides_[t].one)]++] = id;
      members_[next[static_cast<std::size_t>(sides_[t].other)]++] = id;
      members_[next[static_cast<std::size_t>(sides_[t].across)]++] = ~id;
    }
    if (weight_ == 0.0) {  // multipliers that share out the similarities, against shares of a half
      double sum = 0.0;
      for (const double value : s_) sum += std::abs(value);
      const auto terms = static_cast<double>(std::max(members_.size(), s_.size()));
      weight_ = sum > 0.0 ? 2.0 * sum / terms : 1.0;
    }
  }

  std::size_t key(const Triangle& triangle) const {
    return place_of_pair(static_cast<std::size_t>(triangle.first), static_cast<std::size_t>(triangle.last),
                         n_) *
               n_ +
           static_cast<std::size_t>(triangle.middle);
  }

  double pull(std::size_t e, const Values& multipliers) const {
    double sum = 0.0;
    for (std::size_t m = begins_[e]; m < begins_[e + 1]; ++m) {
      const std::int32_t t = members_[m];
      if (t >= 0) {
        sum += multipliers[static_cast<std::size_t>(t)];
      } else {
        sum -= multipliers[static_cast<std::size_t>(~t)];
      }
    }
    return sum;
  }

  void restart() {
    x_ = anchor_x_ = next_x_;
    multipliers_ = anchor_multipliers_ = next_multipliers_;
    ahead_.resize(s_.size());
    since_ = 0;
    last_length_ = std::numeric_limits<double>::infinity();
  }

  /// Balances how far both kinds of variables moved since the anchor.
  void weigh() {
    double of_x = 0.0, of_multipliers = 0.0;
    for (std::size_t e = 0; e < s_.size(); ++e) {
      const double by = next_x_[e] - anchor_x_[e];
      of_x += degree(e) * by * by;
    }
    for (std::size_t t = 0; t < sides_.size(); ++t) {
      const double by = next_multipliers_[t] - anchor_multipliers_[t];
      of_multipliers += 3.0 * by * by;
    }
    if (of_x > 1e-20 && of_multipliers > 1e-20)
      weight_ = std::sqrt(weight_ * std::sqrt(of_multipliers / of_x));
  }

  double degree(std::size_t e) const {
    return std::max(1.0, static_cast<double>(begins_[e + 1] - begins_[e]));
  }

  /// One step; its length in the norm of the step sizes.
  double step() {
    const double share = static_cast<double>(since_ + 1) / static_cast<double>(since_ + 2);
    const double x_lengths = over_chunks(s_.size(), [&](std::size_t e) {
      const double was = x_[e];
      const double now = std::clamp(was + (s_[e] - pull(e, multipliers_)) / (weight_ * degree(e)), 0.0, 1.0);
      next_x_[e] = now;
      ahead_[e] = 2.0 * now - was;
      x_[e] = share * ahead_[e] + (1.0 - share) * anchor_x_[e];
      return degree(e) * (now - was) * (now - was);
    });
    const double rate = weight_ / 3.0;
    const double multiplier_lengths = over_chunks(sides_.size(), [&](std::size_t t) {
      const Sides& sides = sides_[t];
      const double was = multipliers_[t];
      const double excess = ahead_[static_cast<std::size_t>(sides.one)] +
                            ahead_[static_cast<std::size_t>(sides.other)] -
                            ahead_[static_cast<std::size_t>(sides.across)] - 1.0;
      const double now = std::max(0.0, was + rate * excess);
      next_multipliers_[t] = now;
      multipliers_[t] = share * (2.0 * now - was) + (1.0 - share) * anchor_multipliers_[t];
      return 3.0 * (now - was) * (now - was);
    });
    return std::sqrt(weight_ * x_lengths + multiplier_lengths / weight_);
  }

  template <class Task>
  double over_chunks(std::size_t n, const Task& task) {
    const std::size_t n_chunks = (n + kChunk - 1) / kChunk;
    parts_.assign(n_chunks, 0.0);
    parallel_for(n_chunks, n > kWorthWhile, [&](std::size_t chunk) {
      double sum = 0.0;
      const std::size_t end = std::min(n, (chunk + 1) * kChunk);
      for (std::size_t k = chunk * kChunk; k < end; ++k) sum += task(k);
      parts_[chunk] = sum;
    });
    return std::accumulate(parts_.begin(), parts_.end(), 0.0);
  }

  std::size_t n_;
  Values s_, x_, next_x_, anchor_x_, ahead_;
  std::vector<bool> known_;
  Values multipliers_, next_multipliers_, anchor_multipliers_, parts_;
  std::vector<Triangle> triangles_;
  std::vector<Sides> sides_;
  std::vector<std::uint8_t> idle_;
  std::vector<std::size_t> begins_;
  std::vector<std::int32_t> members_;
  double weight_ = 0.0;  ///< of the primal steps against the dual ones
  double first_length_ = 0.0, last_length_ = 0.0;
  std::size_t since_ = 0, total_ = 0;
};

}  // namespace

Relaxed relax_clustering(std::span<const double> given, std::size_t n, std::vector<Triangle> triangles,
                         std::vector<double> multipliers, std::span<const double> x,
                         const RelaxOptions& options) {
  Values s = values_of_pairs(given, n);
  double scale = 0.0;
  for (const double value : s) scale = std::max(scale, std::abs(value));
  if (scale == 0.0) scale = 1.0;
  Values scaled = s;
  for (double& value : scaled) value /= scale;
  for (double& m : multipliers) m /= scale;

  Relaxed best;
  best.value = -std::numeric_limits<double>::infinity();
  best.bound = std::numeric_limits<double>::infinity();
  double known = options.known_value;
  PrimalDual method(scaled, n);
  if (!x.empty()) method.start_at(values_of_pairs(x, n));
  method.add(triangles, multipliers);
  for (bool first = true;; first = false) {
    if (const double bound = scale * method.bound(); bound < best.bound) {
      best.bound = bound;
      best.triangles.clear();
      best.multipliers.clear();
      for (std::size_t t = 0; t < method.triangles().size(); ++t) {
        if (method.multipliers()[t] == 0.0) continue;
        best.triangles.push_back(method.triangles()[t]);
        best.multipliers.push_back(scale * method.multipliers()[t]);
      }
    }
    Values full = matrix_of_pairs(method.x(), n);
    const std::vector<Triangle> violated = violated_triangles(full, n, kViolation);
    close_triangles(full, n);
    if (const double value = product(s, values_of_pairs(full, n)); value > best.value) {
      best.value = value;
      best.x = full;
    }
    std::vector<std::int64_t> labels = rounded(given, full, n);
    if (const double value = value_of_partition(given, labels); value > known) {
      known = value;
      best.labels = std::move(labels);
    }
    best.converged = best.bound - std::max(best.value, known) <= options.tolerance;
    if (best.converged || best.n_iter >= options.max_iter) break;
    if (!first) method.drop_idle();
    method.add(violated, {});
    best.n_iter += method.run(std::min(kMostSteps, options.max_iter - best.n_iter));
  }
  best.bound = bound_of_multipliers(given, n, best.triangles, best.multipliers);
  return best;
}

}  // namespace cladebench
