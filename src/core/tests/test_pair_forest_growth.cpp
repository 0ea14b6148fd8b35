#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "common/parallel.hpp"
#include "forest/best_cut.hpp"
#include "forest/pair_forest_growth.hpp"

using namespace cladebench;

namespace {

/// Rows of four classes, and pairs of them.
struct Problem {
  explicit Problem(std::size_t n, std::size_t n_pairs) : X(n * d) {
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t f = 0; f < d; ++f) {
        X[i * d + f] = static_cast<float>(random() % 1024) / 512.0f + static_cast<float>(i % 4 * (f == 0));
      }
    }
    while (must.size() + cannot.size() < n_pairs) {
      const auto i = static_cast<std::uint32_t>(random() % n), j = static_cast<std::uint32_t>(random() % n);
      if (i != j) (i % 4 == j % 4 ? must : cannot).push_back({i, j});
    }
  }

  std::vector<PairTree> grow(std::size_t n_trees, std::size_t max_features = 2,
                             std::size_t min_samples_leaf = 1) const {
    return grow_pair_forest({X.data(), X.size() / d}, d, must, cannot, {max_features, min_samples_leaf, true},
                            7, n_trees);
  }

  static constexpr std::size_t d = 3;
  std::vector<float> X;
  std::vector<Pair> must, cannot;
};

/// The best cut of one feature with these weights of the values 0, 1, 2, ...
Cut best_cut(const std::vector<Counts>& counts) {
  std::vector<float> values;
  std::vector<std::uint32_t> codes;
  Counts all{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    values.push_back(static_cast<float>(i));
    codes.push_back(static_cast<std::uint32_t>(i));
    all += counts[i];
  }
  BestCut search(counts, 1);
  search.begin(all);
  search.look(0, values.data(), codes.data(), values.size(), values.front(), values.back());
  return search.best();
}

}  // namespace

TEST(cuts_are_compared_without_rounding) {
  // Left and right change places: equal, so that the lower threshold is taken.
  CHECK(best_cut({Counts{1, 7, 3, 0}, Counts{1, 5, 5, 0}, Counts{1, 7, 3, 0}}).highest == 0.0f);
  // The second cut is better by 1 / (4 a + 2), of a: less than three times the last bit.
  constexpr std::uint32_t a = (kMostPairs - 2) / 4;
  const Cut found = best_cut({Counts{1, a, a, 0}, Counts{1, 1, 0, 0}, Counts{1, a, a + 1, 0}});
  CHECK(found.highest == 1.0f && found.left[kSame] == a + 1 && found.left[kDifferent] == a);
  // No cut gains anything, in fractions; in double precision some seem to.
  for (std::uint32_t s = 1; s < 40; ++s) {
    for (std::uint32_t d = 1; d < 40; ++d) {
      std::vector<Counts> counts;
      for (std::uint32_t k = 1; k < 12; ++k) counts.push_back(Counts{1, k * s, k * d, 0});
      CHECK(best_cut(counts).highest == 0.0f);
    }
  }
}

TEST(the_best_cut_of_many_values_is_that_of_all_cuts) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t n = 2 + random() % (trial % 20 == 0 ? 3000 : 300),
                      least = std::array<std::size_t, 3>{1, 7, n / 3 + 1}[random() % 3];
    const int kind = trial % 4;
    const std::uint64_t rare = 2 + random() % 30;
    const std::vector<Counts> counts{Counts{1, 1, 0, 0}, Counts{1, 0, 1, 0}, Counts{1, 3, 0, 0},
                                     Counts{1, 0, 2, 0}};
    std::vector<float> values(n);
    std::vector<std::uint32_t> codes(n);
    Counts all{};
    for (std::size_t i = 0; i < n; ++i) {
      const double u = static_cast<double>(random() % 2'000'000) * 1e-6 - 1.0;
      values[i] = static_cast<float>(kind == 0   ? u
                                     : kind == 1 ? std::floor(20.0 * u)
                                     : kind == 2 ? std::pow(u, 61)  // nearly all in one bin
                                                 : 1.0 + 1e-5 * u) +
                  0.0f;
      // Classes that depend on the value, or on nothing.
      const bool different = random() % rare != 0 && (trial % 3 == 0 || u > -0.3 || random() % 2 == 0);
      codes[i] = static_cast<std::uint32_t>(2 * (random() % 2) + different);
      all += counts[codes[i]];
    }
    const Range range = range_of(values.data(), n);
    if (range.low == range.high || all[kSame] == 0 || all[kDifferent] == 0) continue;
    BestCut search(counts, least);
    search.begin(all);
    search.look(5, values.data(), codes.data(), n, range.low, range.high);

    std::map<float, Counts> of_value;
    for (std::size_t i = 0; i < n; ++i) of_value[values[i]] += counts[codes[i]];
    using Number = long double;  // 64 bits tell all fractions of so small numbers apart
    Number best = INFINITY;
    float highest = 0.0f;
    Counts left{};
    for (const auto& [value, here] : of_value) {
      left += here;
      const Counts right = all - left;
      if (left[kNumber] < least || right[kNumber] < least || right[kNumber] == 0) continue;
      const auto part = [](const Counts& side) {
        const Number s = side[kSame], d = side[kDifferent];
        return s * d / (s + d);
      };
      if (const Number found = part(left) + part(right); found < best * (1 - Number{1e-16L})) {
        best = found;
        highest = value;
      }
    }
    CHECK(search.best().found() == (best < INFINITY));
    if (search.best().found()) CHECK(search.best().highest == highest && search.best().feature == 5);
  }
}

TEST(ranges_of_few_and_many_values) {
  std::mt19937_64 random(2);
  for (std::size_t n = 1; n < 40; ++n) {
    std::vector<float> values(n);
    for (float& value : values) value = static_cast<float>(random() % 100) - 50.0f;
    for (std::size_t least = 0; least < n; ++least) {
      std::vector<float> some = values;
      some[least] = -60.0f;
      some[(least + 1) % n] = n > 1 ? 60.0f : -60.0f;
      const auto [low, high] = range_of(some.data(), n);
      CHECK(low == -60.0f && high == (n > 1 ? 60.0f : -60.0f));
    }
  }
}

TEST(trees_of_pairs_do_not_depend_on_the_number_of_threads) {
  const Problem problem(6000, 4000);
  const int before = max_threads();
  set_max_threads(1);
  const auto one = problem.grow(6);
  set_max_threads(4);
  const auto several = problem.grow(6);
  set_max_threads(before);
  CHECK(one.size() == 6);
  for (std::size_t t = 0; t < one.size(); ++t) {
    CHECK(one[t].feature == several[t].feature && one[t].threshold == several[t].threshold);
    CHECK(one[t].left == several[t].left && one[t].right == several[t].right);
    CHECK(one[t].value == several[t].value && one[t].value.size() > 100);
    CHECK(t == 0 || one[t].threshold != one[0].threshold);
  }
}

TEST(nodes_hold_the_pairs_that_come_down_to_them) {
  // Of 20,000 rows those of a node are copied, and copied again further down.
  Problem problem(20'000, 9000);
  const auto tree = grow_pair_forest({problem.X.data(), 20'000}, Problem::d, problem.must, problem.cannot,
                                     {6, 1, false}, 3, 1)[0];
  std::vector<std::array<double, 2>> weights(tree.value.size());
  const auto drop = [&](const Pair& pair, std::size_t different) {
    for (std::size_t v = 0;;) {
      weights[v][different] += 1.0;
      if (tree.feature[v] < 0) return;
      const auto f = static_cast<std::size_t>(tree.feature[v]);
      const float a = problem.X[pair.first * Problem::d + f % Problem::d];
      const float b = problem.X[pair.second * Problem::d + f % Problem::d];
      const float x = f < Problem::d ? std::abs(a - b) : 0.5f * (a + b);
      v = static_cast<std::size_t>(static_cast<double>(x) <= tree.threshold[v] ? tree.left[v]
                                                                               : tree.right[v]);
    }
  };
  for (const Pair& pair : problem.must) drop(pair, 0);
  for (const Pair& pair : problem.cannot) drop(pair, 1);
  CHECK(weights.size() > 1000);
  for (std::size_t v = 0; v < weights.size(); ++v) {
    CHECK(tree.value[v] == weights[v][1] / (weights[v][0] + weights[v][1]));
    CHECK(tree.feature[v] >= 0 || tree.value[v] == 0.0 || tree.value[v] == 1.0);
  }
}

TEST(growth_of_a_forest_of_pairs_can_be_stopped) {
  std::atomic<int> calls = 0;
  const KeepOn stop = [&] {
    if (++calls == 20) throw std::invalid_argument("stopped");
  };
  const Asking asking(&stop, 1);
  CHECK_THROWS(Problem(300, 500).grow(1), "stopped");
  CHECK(calls == 20);
}

TEST(growth_of_a_forest_of_pairs_refuses_what_makes_no_sense) {
  Problem problem(20, 30);
  CHECK_THROWS(problem.grow(1, 0), "max_features in 1..2 d");
  CHECK_THROWS(problem.grow(1, 7), "max_features in 1..2 d");
  CHECK_THROWS(problem.grow(1, 6, 0), "min_samples_leaf >= 1");
  problem.must.push_back({0, 20});
  CHECK_THROWS(problem.grow(1), "pairs of rows of X");
  problem.must.clear();
  problem.cannot.clear();
  CHECK_THROWS(problem.grow(1), "n_pairs=0: expected 1..");
}
