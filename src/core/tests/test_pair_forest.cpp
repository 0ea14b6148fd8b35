#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "common/float_lanes.hpp"
#include "common/instruction_set.hpp"
#include "common/parallel.hpp"
#include "common/simd.hpp"
#include "forest/pair_forest.hpp"
#include "forest/row_bits.hpp"

using namespace cladebench;

namespace {

/// Random trees over few levels of numbers, so that features often equal thresholds.
struct Forest {
  Forest(std::mt19937_64& random, std::size_t n_trees, std::int32_t depth, std::size_t d) : first{0} {
    for (std::size_t t = 0; t < n_trees; ++t) {
      grow(random, depth, d, static_cast<std::size_t>(first.back()));
      first.push_back(static_cast<std::int64_t>(feature.size()));
    }
  }

  std::int32_t grow(std::mt19937_64& random, std::int32_t depth, std::size_t d, std::size_t root) {
    const std::size_t v = feature.size();
    feature.push_back(-1);
    threshold.push_back(0.0);
    left.push_back(-1);
    right.push_back(-1);
    value.push_back(static_cast<double>(random() % 4) / 3.0);
    if (depth > 0 && random() % 8 != 0) {
      feature[v] = static_cast<std::int32_t>(random() % (2 * d));
      // At a feature's value, or too little beside it for a float to tell.
      threshold[v] =
          static_cast<double>(random() % 16) / 4.0 - 1.0 + (static_cast<double>(random() % 3) - 1.0) * 1e-12;
      left[v] = grow(random, depth - 1, d, root);
      right[v] = grow(random, depth - 1, d, root);
    }
    return static_cast<std::int32_t>(v - root);
  }

  PairForestView view() const { return {first, feature, threshold, left, right, value}; }

  /// Down each tree by itself.
  double mean(const float* a, const float* b, std::size_t d) const {
    double sum = 0.0;
    for (std::size_t t = 0; t + 1 < first.size(); ++t) {
      const auto root = static_cast<std::size_t>(first[t]);
      std::size_t v = root;
      while (feature[v] >= 0) {
        const auto f = static_cast<std::size_t>(feature[v]);
        const float x = f < d ? std::abs(a[f] - b[f]) : 0.5f * (a[f - d] + b[f - d]);
        const bool goes_left = static_cast<double>(x) <= threshold[v];
        v = root + static_cast<std::size_t>(goes_left ? left[v] : right[v]);
      }
      sum += value[v];
    }
    return sum / static_cast<double>(first.size() - 1);
  }

  std::vector<std::int64_t> first;
  std::vector<std::int32_t> feature, left, right;
  std::vector<double> threshold, value;
};

std::vector<float> grid(std::mt19937_64& random, std::size_t n) {
  std::vector<float> x(n);
  for (float& value : x) value = static_cast<float>(random() % 9) / 2.0f - 1.0f;
  return x;
}

}  // namespace

TEST(pair_forest_is_the_mean_over_trees_of_the_leaves_reached) {
  std::mt19937_64 random(1);
  const std::size_t d = 3;
  const std::string in_use = instruction_set();
  // Blocks have 4 x 65536, 64 x 4096 or 256 x 1024 rows; bits are in parts of 512 rows and lanes of 16. From
  // 192 rows on, pairs of a row can be bits.
  for (const auto& [n_a, n_b, depth] : {std::array<std::size_t, 3>{1, 1, 0},
                                        {2, 3, 0},
                                        {1, 300, 8},
                                        {300, 1, 3},
                                        {2, 700, 12},
                                        {3, 192, 7},
                                        {5, 511, 9},
                                        {16, 5000, 9},
                                        {5000, 3, 8},
                                        {1, 70000, 5},
                                        {65, 1025, 6},
                                        {64, 4097, 3},
                                        {257, 260, 6},
                                        {513, 30, 9}}) {
    const Forest forest(random, 7, static_cast<std::int32_t>(depth), d);
    const auto A = grid(random, n_a * d), B = grid(random, n_b * d);
    std::vector<double> expected;
    for (std::size_t i = 0; i < n_a; ++i) {
      for (std::size_t j = 0; j < n_b; ++j) {
        expected.push_back(forest.mean(A.data() + i * d, B.data() + j * d, d));
      }
    }
    for (const std::string& set : instruction_sets()) {
      use_instruction_set(set);
      std::vector<double> found(n_a * n_b, -1.0);
      pair_forest_means(forest.view(), d, {A.data(), n_a}, {B.data(), n_b}, found.data());
      CHECK(found == expected);
    }
    use_instruction_set(in_use);
  }
}

TEST(pair_forest_follows_chains_that_shed_one_row_of_many_at_a_time) {
  // Each tree sends all pairs but those of one row down a chain; so many rows are bits to the end of it.
  const std::size_t d = 1, n = 1300;
  std::vector<float> B(n);
  for (std::size_t j = 0; j < n; ++j) B[j] = static_cast<float>(j);
  const float A[] = {0.0f, 1299.0f, 650.0f};
  std::mt19937_64 random(8);
  for (const std::size_t depth : {1, 100, 1299}) {
    for (const bool left : {false, true}) {
      Forest chain(random, 0, 0, d);
      for (std::size_t k = 0; k < depth; ++k) {
        const auto next = static_cast<std::int32_t>(2 * k + 2);
        chain.feature.insert(chain.feature.end(), {0, -1});
        chain.threshold.insert(chain.threshold.end(), {static_cast<double>(left ? n - k : k) - 0.5, 0.0});
        chain.left.insert(chain.left.end(), {left ? next : next - 1, -1});
        chain.right.insert(chain.right.end(), {left ? next - 1 : next, -1});
        chain.value.insert(chain.value.end(), {0.0, static_cast<double>(k % 3)});
      }
      chain.feature.push_back(-1);
      chain.threshold.push_back(0.0);
      chain.left.push_back(-1);
      chain.right.push_back(-1);
      chain.value.push_back(5.0);
      chain.first.push_back(static_cast<std::int64_t>(chain.feature.size()));
      std::vector<double> found(3 * n);
      pair_forest_means(chain.view(), d, {A, 3}, {B.data(), n}, found.data());
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < n; ++j) CHECK(found[i * n + j] == chain.mean(A + i, B.data() + j, d));
      }
    }
  }
}

namespace {

struct AtMost {
  template <class F>
  CLADEBENCH_INLINE void run(const float* x, typename F::Bits& result) const {
    result = floats_at<F>(x) <= t;
  }

  float t;
};

struct Passing {
  template <class V>
  static std::uint32_t run(float t, const float* column, std::size_t n_vectors, const RowBits::Word* all,
                           RowBits::Word* found) {
    return RowBits::pass<V>(AtMost{t}, column, n_vectors, all, found);
  }
};

}  // namespace

TEST(row_bits_are_the_rows_that_pass) {
  std::mt19937_64 random(9);
  const std::string in_use = instruction_set();
  for (const std::size_t n : {1, 15, 16, 17, 255, 511, 512, 513, 1024, 1500}) {
    Floats column(padded_floats(n));
    for (std::size_t j = 0; j < n; ++j) column[j] = static_cast<float>(random() % 3);
    std::vector<RowBits::Word> all(RowBits::words(n)), found(all.size());
    std::vector<std::size_t> expected;
    for (std::size_t j = 0; j < n; ++j) {
      if (random() % 4 == 0) continue;
      all[RowBits::word(j)] |= RowBits::bit(j);
      if (column[j] <= 1.0f) expected.push_back(j);
    }
    for (const std::string& set : instruction_sets()) {
      use_instruction_set(set);
      const std::uint32_t count =
          run_kernel<Passing>(1.0f, column.data(), column.size() / kFloatLanes, all.data(), found.data());
      std::vector<std::size_t> rows;
      RowBits::for_each(found.data(), found.size(), [&](std::size_t row) { rows.push_back(row); });
      CHECK(count == rows.size());
      std::sort(rows.begin(), rows.end());
      CHECK(rows == expected);
    }
    use_instruction_set(in_use);
  }
}

TEST(pair_forest_neighbors_are_those_of_all_means) {
  std::mt19937_64 random(4);
  const std::size_t d = 3;
  for (const auto& [n_queries, n, k, n_trees] : {std::array<std::size_t, 4>{1, 1, 1, 1},
                                                 {3, 40, 40, 7},
                                                 {5, 5000, 9, 30},
                                                 {70, 300, 20, 60},
                                                 {130, 1030, 3, 25},
                                                 {260, 1100, 4, 12},
                                                 {17, 2060, 1, 41}}) {
    // Leaves are 0 or 1, so that many rows are equally far; the second half of the trees changes nothing, or
    // takes back what the first half said.
    for (const double second_half : {0.0, -1.0}) {
      Forest forest(random, n_trees, 6, d);
      const auto half = static_cast<std::size_t>(forest.first[(n_trees + 1) / 2]);
      for (std::size_t v = 0; v < forest.value.size(); ++v) {
        forest.value[v] = static_cast<double>(random() % 2) * (v < half ? 1.0 : second_half);
      }
      const auto A = grid(random, n_queries * d), B = grid(random, n * d);
      std::vector<double> means(n_queries * n), D(n_queries * k);
      std::vector<std::int64_t> index(n_queries * k);
      pair_forest_means(forest.view(), d, {A.data(), n_queries}, {B.data(), n}, means.data());
      pair_forest_neighbors(forest.view(), d, {A.data(), n_queries}, {B.data(), n}, k, D.data(),
                            index.data());
      for (std::size_t q = 0; q < n_queries; ++q) {
        std::vector<std::int64_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        const double* row = means.data() + q * n;
        std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return row[i] < row[j]; });
        for (std::size_t j = 0; j < k; ++j) {
          CHECK(index[q * k + j] == order[j]);
          CHECK(D[q * k + j] == row[order[j]]);
        }
      }
    }
  }
}

TEST(pair_forest_neighbors_do_not_depend_on_the_number_of_threads_and_can_be_ended) {
  std::mt19937_64 random(5);
  const std::size_t d = 4, n = 300, k = 6;
  const Forest forest(random, 25, 8, d);
  const auto X = grid(random, n * d);
  const PairRows rows{X.data(), n};
  const auto found = [&] {
    std::vector<double> D(n * k);
    std::vector<std::int64_t> index(n * k);
    pair_forest_neighbors(forest.view(), d, rows, rows, k, D.data(), index.data());
    return index;
  };
  const int before = max_threads();
  set_max_threads(1);
  const auto one = found();
  set_max_threads(4);
  const auto several = found();
  set_max_threads(before);
  CHECK(one == several);
  {
    const KeepOn stop = [] { throw std::invalid_argument("no longer wanted"); };
    const Asking asking(&stop, 1);
    CHECK_THROWS(found(), "no longer wanted");
  }
  double D = 0.0;
  std::int64_t index = 0;
  const auto ask = [&](std::size_t wanted) {
    pair_forest_neighbors(forest.view(), d, rows, {X.data(), 1}, wanted, &D, &index);
  };
  CHECK_THROWS(ask(0), "expected k");
  CHECK_THROWS(ask(2), "expected k");
  pair_forest_neighbors(forest.view(), d, {X.data(), 0}, rows, 1, nullptr, nullptr);
}

TEST(pair_forest_does_not_depend_on_the_number_of_threads) {
  std::mt19937_64 random(2);
  const std::size_t d = 4, n_a = 530, n_b = 300;
  const Forest forest(random, 5, 10, d);
  const auto A = grid(random, n_a * d), B = grid(random, n_b * d);
  std::vector<double> one(n_a * n_b), several(n_a * n_b);
  const int before = max_threads();
  set_max_threads(1);
  pair_forest_means(forest.view(), d, {A.data(), n_a}, {B.data(), n_b}, one.data());
  set_max_threads(4);
  pair_forest_means(forest.view(), d, {A.data(), n_a}, {B.data(), n_b}, several.data());
  set_max_threads(before);
  CHECK(one == several);
}

TEST(pair_forest_refuses_what_is_no_forest) {
  std::mt19937_64 random(3);
  const std::vector<float> x{0.0f};
  double result = 0.0;
  const auto run = [&](const Forest& forest) {
    pair_forest_means(forest.view(), 1, {x.data(), 1}, {x.data(), 1}, &result);
  };
  Forest good(random, 0, 0, 1);
  good.first = {0, 3};
  good.feature = {1, -1, -1};
  good.threshold = {0.5, 0.0, 0.0};
  good.left = {1, -1, -1};
  good.right = {2, -1, -1};
  good.value = {0.0, 0.25, 1.0};
  run(good);
  CHECK(result == 0.25);
  const auto spoilt = [&](const auto& spoil) {
    Forest bad = good;
    spoil(bad);
    return bad;
  };
  CHECK_THROWS(run(spoilt([](Forest& f) { f.left[0] = 0; })), "node 0 of tree 0");  // a circle
  CHECK_THROWS(run(spoilt([](Forest& f) { f.right[0] = 3; })), "node 0 of tree 0");
  CHECK_THROWS(run(spoilt([](Forest& f) { f.feature[0] = 2; })), "node 0 of tree 0");
  CHECK_THROWS(run(spoilt([](Forest& f) { f.threshold[0] = std::numeric_limits<double>::quiet_NaN(); })),
               "node 0 of tree 0");
  CHECK_THROWS(run(spoilt([](Forest& f) { f.first = {0, 3, 3}; })), "tree 1 has no nodes");
  CHECK_THROWS(run(spoilt([](Forest& f) { f.first = {0, 2}; })), "end at n_nodes=3");
  CHECK_THROWS(run(spoilt([](Forest& f) { f.value.pop_back(); })), "for each node");
}
