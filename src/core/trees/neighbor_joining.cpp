// Neighbour joining with few exact sums: the sums of rows are kept up to date, and so are off by rounding.
// They show which rows cannot have the least pair, and which few pairs might be the least. Only of these are
// the sums added up anew, in the order of the points. So the tree is bit for bit that of plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/keep_on.hpp"
#include "common/simd.hpp"
#include "trees/tree_metric.hpp"

namespace cladebench {
namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Pairs that may be the least of a round: with more of them the sums of all rows are added up, row by row.
constexpr std::size_t kFew = 8;

/// The least scale * row[j] - sums[j] of j in [0, n).
struct LeastOfRow {
  template <class V>
  CLADEBENCH_INLINE static double run(const double* row, const double* sums, std::size_t n, double scale) {
    constexpr std::size_t kEach = static_cast<std::size_t>(V::kWidth), kTogether = 4;
    double least = kInfinity;
    std::size_t j = 0;
    if (n >= kEach * kTogether) {
      typename V::Vec low[kTogether];
      for (auto& lanes : low) lanes = typename V::Vec{} + kInfinity;
      for (; j + kEach * kTogether <= n; j += kEach * kTogether) {
        for (std::size_t part = 0; part < kTogether; ++part) {
          const std::size_t from = j + part * kEach;
          const typename V::Vec value = scale * at<V>(row + from) - at<V>(sums + from);
          low[part] = value < low[part] ? value : low[part];
        }
      }
      for (const auto& lanes : low) {
        for (std::size_t lane = 0; lane < kEach; ++lane) least = std::min(least, lanes[lane]);
      }
    }
    for (; j < n; ++j) least = std::min(least, scale * row[j] - sums[j]);
    return least;
  }
};

class Joining {
 public:
  Joining(std::span<const double> distances, std::size_t k)
      : k_(k), D_(distances.begin(), distances.end()), node_(k), sums_(k), nearest_(k), least_(k), exact_(k) {
    for (std::size_t i = 0; i < k; ++i) node_[i] = static_cast<std::int64_t>(i);
    for (const double distance : D_) largest_ = std::max(largest_, std::abs(distance));
    add_up_all();
    sums_ = exact_;
    for (std::size_t i = 0; i < k; ++i) nearest_[i] = nearest(i);
  }

  /// Parents of the points and the inner nodes; the last of these has no parent.
  TreeParents run() {
    TreeParents parent(2 * k_ - 2, -1);
    std::int64_t made = static_cast<std::int64_t>(k_);
    for (n_ = k_; n_ > 3; --n_, ++made) {
      const auto [first, second] = least_pair();
      parent[at(node_[first])] = parent[at(node_[second])] = made;
      join(first, second);
      node_[first] = made;
      if (4 * node_.size() > 5 * n_) close_up();
    }
    for (const std::int64_t left : node_) {
      if (left != kGone) parent[at(left)] = made;
    }
    return parent;
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;
  static constexpr std::int64_t kGone = -1;
  static std::size_t at(std::int64_t node) { return static_cast<std::size_t>(node); }

  std::size_t n_places() const { return node_.size(); }
  bool lives(std::size_t place) const { return node_[place] != kGone; }
  double* row(std::size_t i) { return D_.data() + i * k_; }
  double scale() const { return static_cast<double>(n_ - 2); }

  double nearest(std::size_t i) {
    double low = kInfinity;
    for (std::size_t j = i + 1; j < n_places(); ++j) {
      if (lives(j)) low = std::min(low, row(i)[j]);
    }
    return low;
  }

  /// Twice what the criterion by `sums_` may be off. Each of fewer than k rounds adds three roundings of
  /// numbers below (k + 4) largest_ to a sum; adding up exactly adds k.
  double slack() const {
    const double k = static_cast<double>(k_);
    return 16.0 * k * (k + 8.0) * std::numeric_limits<double>::epsilon() * largest_;
  }

  /// The first of the pairs whose criterion, by sums added up in order, is the least.
  Pair least_pair() {
    const double enough = least_by_kept_sums() + slack();
    std::vector<Pair> close;
    each_within(enough, [&](Pair pair) {
      close.push_back(pair);
      return close.size() <= kFew;
    });
    if (close.size() == 1) return close[0];
    double least = kInfinity;
    Pair best = close[0];
    const auto compare = [&](Pair pair) {
      const auto [i, j] = pair;
      const double criterion = scale() * row(i)[j] - exact_[i] - exact_[j];
      if (criterion < least) {
        least = criterion;
        best = pair;
      }
      return true;
    };
    if (close.size() > kFew) {
      add_up_all();
      each_within(enough, compare);
    } else {
      for (const auto& [i, j] : close) {
        exact_[i] = added_up(i);
        exact_[j] = added_up(j);
      }
      std::for_each(close.begin(), close.end(), compare);
    }
    return best;
  }

  /// Looks into the rows that may have the least pair; `least_` of the others is infinite then.
  double least_by_kept_sums() {
    double most = -kInfinity;  // the greatest sum
    for (std::size_t j = 0; j < n_places(); ++j) most = std::max(most, sums_[j]);
    // What was the least row is likely to be little more now.
    const auto likely =
        static_cast<std::size_t>(std::min_element(least_.begin(), least_.end()) - least_.begin());
    double least = lives(likely) ? look_into(likely) : kInfinity;
    for (std::size_t i = 0; i + 1 < n_places(); ++i) {
      if (!lives(i)) continue;
      if (scale() * nearest_[i] - most - sums_[i] > least + slack()) {
        least_[i] = kInfinity;
      } else if (i != likely) {
        least = std::min(least, look_into(i));
      }
    }
    return least;
  }

  double look_into(std::size_t i) {
    keep_on(n_places() - i);
    const std::size_t from = i + 1;
    least_[i] = run_kernel<LeastOfRow, const double*, const double*>(row(i) + from, sums_.data() + from,
                                                                     n_places() - from, scale()) -
                sums_[i];
    return least_[i];
  }

  /// Calls visit for the pairs of a criterion by `sums_` of at most `enough`, in order, while it is true.
  template <class Visit>
  void each_within(double enough, Visit visit) {
    for (std::size_t i = 0; i + 1 < n_places(); ++i) {
      if (!lives(i) || least_[i] > enough) continue;
      keep_on(n_places() - i);
      for (std::size_t j = i + 1; j < n_places(); ++j) {
        if (scale() * row(i)[j] - sums_[j] - sums_[i] > enough || !lives(j)) continue;
        if (!visit(Pair(i, j))) return;
      }
    }
  }

  /// In the order of the places, as everywhere: another order would round otherwise.
  double added_up(std::size_t i) {
    keep_on(n_places());
    double sum = 0.0;
    for (std::size_t j = 0; j < n_places(); ++j) {
      if (lives(j)) sum += row(i)[j];
    }
    return sum;
  }

  void add_up_all() {
    std::fill_n(exact_.begin(), n_places(), 0.0);
    for (std::size_t i = 0; i < n_places(); ++i) {
      if (!lives(i)) continue;
      keep_on(n_places());
      for (std::size_t j = 0; j < n_places(); ++j) exact_[j] += row(i)[j];
    }
  }

  /// The new node takes the first one's place, the second's is empty then.
  void join(std::size_t first, std::size_t second) {
    const double apart = row(first)[second];
    node_[second] = kGone;
    sums_[second] = -kInfinity;  // no pair of it is the least
    least_[second] = kInfinity;
    double sum = 0.0;
    for (std::size_t j = 0; j < n_places(); ++j) {
      if (!lives(j)) continue;
      const double one = row(first)[j], other = row(second)[j];
      const double distance = j == first ? 0.0 : (one + other - apart) / 2.0;
      row(first)[j] = row(j)[first] = distance;
      largest_ = std::max(largest_, std::abs(distance));
      sum += distance;
      if (j == first) continue;
      sums_[j] += distance - one - other;
      if (j < first) nearest_[j] = std::min(nearest_[j], distance);
    }
    sums_[first] = sum;
    nearest_[first] = nearest(first);
  }

  /// Takes empty places out, now and then: each time would move the whole matrix each time.
  void close_up() {
    std::size_t to = 0;
    for (std::size_t i = 0; i < n_places(); ++i) {
      if (!lives(i)) continue;
      keep_on(n_places());
      std::size_t column = 0;
      for (std::size_t j = 0; j < n_places(); ++j) {
        if (lives(j)) row(to)[column++] = row(i)[j];
      }
      for (Values* values : {&sums_, &nearest_, &least_}) (*values)[to] = (*values)[i];
      ++to;
    }
    std::erase(node_, kGone);
    for (Values* values : {&sums_, &nearest_, &least_, &exact_}) values->resize(to);
  }

  std::size_t k_, n_ = 0;           ///< points, and nodes that are not yet joined
  Values D_;                        ///< rows are k apart; those of empty places are old
  std::vector<std::int64_t> node_;  ///< what stands at each place
  Values sums_;                     ///< of the rows, off by rounding
  Values nearest_;                  ///< at most the least distance to a later place
  Values least_;                    ///< criterion of a row by `sums_`, when last looked into
  Values exact_;                    ///< sums of the rows that may have the least pair
  double largest_ = 0.0;            ///< distance so far
};

}  // namespace

TreeParents neighbor_joining(std::span<const double> distances, std::size_t k) {
  if (k <= 2) return k == 1 ? TreeParents{-1} : TreeParents{-1, 0};
  return rerooted(Joining(distances, k).run(), 0);
}

}  // namespace cladebench
