#include "forest/pair_forest_growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/random.hpp"
#include "forest/best_cut.hpp"

namespace cladebench {
namespace {

/// What all trees share.
struct Problem {
  std::size_t n, d, n_must;
  std::vector<float> columns;        ///< of X, one after another
  std::vector<Pair> pairs;           ///< must-links, then cannot-links
  std::vector<std::uint32_t> order;  ///< of pairs, by rows, so that features are read in the order of memory
};

void check(const PairRows& X, std::size_t d, const std::vector<Pair>& pairs,
           const PairGrowthSettings& settings) {
  const auto fail = [](const std::string& what) { throw std::invalid_argument("pair forest: " + what); };
  if (pairs.empty() || pairs.size() > kMostPairs) {
    fail("n_pairs=" + std::to_string(pairs.size()) + ": expected 1.." + std::to_string(kMostPairs));
  }
  for (const Pair& pair : pairs) {
    if (pair.first >= X.n || pair.second >= X.n) fail("expected pairs of rows of X");
  }
  if (settings.max_features < 1 || settings.max_features > 2 * d || settings.min_samples_leaf < 1) {
    fail("expected max_features in 1..2 d and min_samples_leaf >= 1");
  }
}

Problem make_problem(const PairRows& X, std::size_t d, std::vector<Pair> pairs, std::size_t n_must) {
  Problem problem{X.n, d, n_must, std::vector<float>(X.n * d), std::move(pairs), {}};
  for (std::size_t i = 0; i < X.n; ++i) {
    for (std::size_t f = 0; f < d; ++f) problem.columns[f * X.n + i] = X.data[i * d + f];
  }
  problem.order.resize(problem.pairs.size());
  std::iota(problem.order.begin(), problem.order.end(), 0u);
  std::sort(problem.order.begin(), problem.order.end(), [&](std::uint32_t i, std::uint32_t j) {
    const Pair &p = problem.pairs[i], &q = problem.pairs[j];
    return std::pair(p.first, p.second) < std::pair(q.first, q.second);
  });
  return problem;
}

/// Values of a feature; 0 is added lest any be -0.
template <class Feature>
void write_values(const float* column, std::span<const Pair> pairs, float* values, const Feature& feature) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    values[i] = feature(column[pairs[i].first], column[pairs[i].second]) + 0.0f;
  }
}

/// Some rows, in ascending order, and those of their columns that were looked at. In columns of all rows the
/// few of a small node lie too far apart for a cache.
struct Rows {
  std::vector<std::uint32_t> rows;
  std::vector<float> columns;
  std::vector<bool> is_copied;

  const float* column(const Problem& problem, std::size_t f) {
    float* copy = columns.data() + f * rows.size();
    if (!is_copied[f]) {
      is_copied[f] = true;
      const float* whole = problem.columns.data() + f * problem.n;
      for (std::size_t i = 0; i < rows.size(); ++i) copy[i] = whole[rows[i]];
    }
    return copy;
  }
};

/// Rows are copied for a node whose pairs have at most half as many, and for none of fewer pairs.
constexpr std::size_t kFewer = 2, kLeastCopied = 1024;

class Growth {
 public:
  Growth(const Problem& problem, const PairGrowthSettings& settings, std::uint64_t seed)
      : problem_(problem),
        settings_(settings),
        random_(seed),
        counts_(draw_pairs()),
        best_cut_(counts_, settings.min_samples_leaf),
        features_(2 * problem.d) {
    std::iota(features_.begin(), features_.end(), 0u);
    values_.resize(pairs_.size());
    right_pairs_.resize(pairs_.size());
    right_codes_.resize(pairs_.size());
  }

  PairTree grow() {
    std::vector<Part> waiting{{0, pairs_.size(), -1, 0}};
    while (!waiting.empty()) {
      Part part = waiting.back();
      waiting.pop_back();
      const auto v = static_cast<std::int32_t>(tree_.feature.size());
      // The left child is the next node; only the right one has to be told who its parent is.
      if (part.right_child_of >= 0) tree_.right[static_cast<std::size_t>(part.right_child_of)] = v;
      const Counts all = counts_of(part);
      add_leaf(all);
      if (all[kSame] == 0 || all[kDifferent] == 0) continue;
      if (all[kNumber] / 2 < settings_.min_samples_leaf) continue;
      copy_rows(part);
      find_cut(part, all);
      if (!best_cut_.best().found()) continue;
      const std::size_t middle = split(part, best_cut_.best());
      tree_.left.back() = v + 1;
      waiting.push_back({middle, part.end, v, part.level});
      waiting.push_back({part.begin, middle, -1, part.level});
    }
    return std::move(tree_);
  }

 private:
  struct Part {
    std::size_t begin, end;
    std::int32_t right_child_of;
    std::size_t level;  ///< 0: its pairs are of rows of X; k: of places in copies_[k - 1]
  };

  /// A pair's code is 2 weight + (1 if it is a cannot-link).
  std::vector<Counts> draw_pairs() {
    const std::size_t n = problem_.pairs.size();
    std::vector<std::uint32_t> weights(n, settings_.bootstrap ? 0 : 1);
    for (std::size_t i = 0; settings_.bootstrap && i < n; ++i) ++weights[random_.below(n)];
    for (const std::uint32_t i : problem_.order) {
      if (weights[i] == 0) continue;
      pairs_.push_back(problem_.pairs[i]);
      codes_.push_back(2 * weights[i] + (i >= problem_.n_must));
    }
    std::vector<Counts> counts;
    for (std::uint32_t w = 0; w <= *std::max_element(weights.begin(), weights.end()); ++w) {
      counts.push_back(Counts{1, w, 0, 0});
      counts.push_back(Counts{1, 0, w, 0});
    }
    return counts;
  }

  Counts counts_of(const Part& part) const {
    Counts all{};
    for (std::size_t i = part.begin; i < part.end; ++i) all += counts_[codes_[i]];
    return all;
  }

  void add_leaf(const Counts& all) {
    const double same = all[kSame], different = all[kDifferent];
    tree_.feature.push_back(-1);
    tree_.threshold.push_back(0.0);
    tree_.left.push_back(-1);
    tree_.right.push_back(-1);
    tree_.value.push_back(different / (same + different));
  }

  /// Children come next: until all nodes below this one are done, no other needs rows of its level.
  void copy_rows(Part& part) {
    const std::span pairs{pairs_.data() + part.begin, part.end - part.begin};
    const std::size_t n_rows = part.level == 0 ? problem_.n : copies_[part.level - 1].rows.size();
    if (pairs.size() < kLeastCopied || 2 * pairs.size() * kFewer > n_rows) return;
    if (copies_.size() == part.level) copies_.emplace_back();
    place_.assign(n_rows, 0);
    for (const Pair& pair : pairs) place_[pair.first] = place_[pair.second] = 1;
    Rows& few = copies_[part.level];
    few.rows.clear();
    for (std::uint32_t i = 0; i < n_rows; ++i) {
      if (place_[i] == 0) continue;
      place_[i] = static_cast<std::uint32_t>(few.rows.size());
      few.rows.push_back(part.level == 0 ? i : copies_[part.level - 1].rows[i]);
    }
    for (Pair& pair : pairs) pair = {place_[pair.first], place_[pair.second]};
    few.columns.resize(std::max(few.columns.size(), few.rows.size() * problem_.d));
    few.is_copied.assign(problem_.d, false);
    ++part.level;
  }

  const float* column(std::size_t f, std::size_t level) {
    return level == 0 ? problem_.columns.data() + f * problem_.n : copies_[level - 1].column(problem_, f);
  }

  void compute(std::uint32_t feature, const Part& part) {
    const std::span pairs{pairs_.data() + part.begin, part.end - part.begin};
    const std::size_t d = problem_.d;
    if (feature < d) {
      write_values(column(feature, part.level), pairs, values_.data(),
                   [](float a, float b) { return std::abs(a - b); });
    } else {
      write_values(column(feature - d, part.level), pairs, values_.data(),
                   [](float a, float b) { return 0.5f * (a + b); });
    }
  }

  void find_cut(const Part& part, const Counts& all) {
    const std::size_t n = part.end - part.begin;
    best_cut_.begin(all);
    bool varies = false;
    for (std::size_t k = 0; k < features_.size() && (k < settings_.max_features || !varies); ++k) {
      std::swap(features_[k], features_[k + random_.below(features_.size() - k)]);
      // Nothing is better than no impurity; features are drawn all the same.
      if (best_cut_.best().impurity == 0.0) continue;
      keep_on(n);
      compute(features_[k], part);
      const auto [low, high] = range_of(values_.data(), n);
      if (low == high) continue;
      varies = true;
      best_cut_.look(features_[k], values_.data(), codes_.data() + part.begin, n, low, high);
    }
  }

  /// Pairs of the left child stay in front, in their order; returns where those of the right one begin.
  std::size_t split(const Part& part, const Cut& cut) {
    compute(cut.feature, part);
    float next = std::numeric_limits<float>::infinity();
    std::size_t middle = part.begin, n_right = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const float value = values_[i - part.begin];
      const bool right = value > cut.highest;
      right_pairs_[n_right] = pairs_[middle] = pairs_[i];
      right_codes_[n_right] = codes_[middle] = codes_[i];
      if (right) next = std::min(next, value);
      n_right += right;
      middle += !right;
    }
    std::copy_n(right_pairs_.begin(), n_right, pairs_.begin() + middle);
    std::copy_n(right_codes_.begin(), n_right, codes_.begin() + middle);
    tree_.feature.back() = static_cast<std::int32_t>(cut.feature);
    // In double precision no midpoint of two floats is either of them.
    tree_.threshold.back() = cut.highest / 2.0 + next / 2.0;
    return middle;
  }

  const Problem& problem_;
  PairGrowthSettings settings_;
  Random random_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> codes_;
  std::vector<Counts> counts_;
  BestCut best_cut_;
  std::vector<std::uint32_t> features_;  ///< those drawn at a node in front
  std::vector<float> values_;
  std::vector<std::uint32_t> right_codes_;
  std::vector<Pair> right_pairs_;
  std::vector<Rows> copies_;
  std::vector<std::uint32_t> place_;
  PairTree tree_;
};

}  // namespace

std::vector<PairTree> grow_pair_forest(const PairRows& X, std::size_t d, std::span<const Pair> must_link,
                                       std::span<const Pair> cannot_link, const PairGrowthSettings& settings,
                                       std::uint64_t seed, std::size_t n_trees) {
  std::vector<Pair> pairs(must_link.begin(), must_link.end());
  pairs.insert(pairs.end(), cannot_link.begin(), cannot_link.end());
  check(X, d, pairs, settings);
  const Problem problem = make_problem(X, d, std::move(pairs), must_link.size());
  std::vector<PairTree> trees(n_trees);
  parallel_for(n_trees, n_trees > 1,
               [&](std::size_t t) { trees[t] = Growth(problem, settings, seed_of(seed, t)).grow(); });
  return trees;
}

}  // namespace cladebench
