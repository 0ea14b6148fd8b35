#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "margin/assignment.hpp"

using cladebench::Assignment;
using cladebench::balanced_assignment;

namespace {

using Counts = std::vector<std::int64_t>;

struct Instance {
  std::size_t n, n_clusters;
  std::vector<double> cost;
  Counts lower, upper;

  Assignment solve() const { return balanced_assignment(cost, n_clusters, lower, upper); }
};

/// Whole costs 0..levels-1, so that all sums are exact and ties common; bounds around the sizes of a random
/// assignment, `room` apart on either side.
Instance whole(std::mt19937_64& random, std::size_t n, std::size_t n_clusters, std::uint64_t levels,
               std::uint64_t room) {
  Instance made{n, n_clusters, std::vector<double>(n * n_clusters), Counts(n_clusters), Counts(n_clusters)};
  for (double& c : made.cost) c = static_cast<double>(random() % levels);
  Counts size(n_clusters);
  for (std::size_t i = 0; i < n; ++i) ++size[random() % n_clusters];
  for (std::size_t k = 0; k < n_clusters; ++k) {
    made.lower[k] = std::max<std::int64_t>(0, size[k] - static_cast<std::int64_t>(random() % (room + 1)));
    made.upper[k] = size[k] + static_cast<std::int64_t>(random() % (room + 1));
  }
  return made;
}

/// Checks the bounds, and that the prices prove the value, to `tolerance`; returns the value.
double certify(const Instance& given, const Assignment& found, double tolerance = 0.0) {
  const std::size_t K = given.n_clusters;
  CHECK(found.labels.size() == given.n && found.prices.size() == K);
  Counts size(K);
  double value = 0.0, bound = 0.0;
  for (std::size_t i = 0; i < given.n; ++i) {
    const std::int64_t label = found.labels[i];
    CHECK(label >= 0 && label < static_cast<std::int64_t>(K));
    ++size[static_cast<std::size_t>(label)];
    const double* row = given.cost.data() + i * K;
    value += row[label];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < K; ++k) least = std::min(least, row[k] - found.prices[k]);
    bound += least;
  }
  for (std::size_t k = 0; k < K; ++k) {
    CHECK(given.lower[k] <= size[k] && size[k] <= given.upper[k]);
    const double v = found.prices[k];
    bound += static_cast<double>(v >= 0.0 ? given.lower[k] : given.upper[k]) * v;
  }
  CHECK(std::abs(value - bound) <= tolerance);
  return value;
}

/// The least value by trying every assignment.
double enumerate(const Instance& given) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> label(given.n, 0);
  for (;;) {
    Counts size(given.n_clusters);
    double value = 0.0;
    for (std::size_t i = 0; i < given.n; ++i) {
      ++size[label[i]];
      value += given.cost[i * given.n_clusters + label[i]];
    }
    bool within = true;
    for (std::size_t k = 0; k < given.n_clusters; ++k) {
      within = within && given.lower[k] <= size[k] && size[k] <= given.upper[k];
    }
    if (within) best = std::min(best, value);
    std::size_t i = 0;
    while (i < given.n && ++label[i] == given.n_clusters) label[i++] = 0;
    if (i == given.n) return best;
  }
}

}  // namespace

TEST(assignment_by_hand) {
  // Rows 0 and 2 would rather not leave cluster 0; row 3 does not mind.
  const Instance given{4, 2, {0, 5, 1, 2, 0, 9, 3, 3}, {2, 2}, {2, 2}};
  CHECK(given.solve().labels == (Counts{0, 1, 0, 1}));
  CHECK(certify(given, given.solve()) == 5.0);
}

TEST(assignment_is_the_best_of_all) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    const std::size_t K = 1 + random() % 4, n = 1 + random() % (K == 4 ? 6 : 8);
    const Instance given = whole(random, n, K, 1 + random() % 6, random() % 4);
    CHECK(certify(given, given.solve()) == enumerate(given));
  }
}

TEST(assignment_prices_prove_whole_costs_exactly) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 150; ++round) {
    const std::size_t K = 1 + random() % 9, n = 1 + random() % 600;
    const std::uint64_t levels = round % 3 == 0 ? 1 : round % 3 == 1 ? 4 : 100000;
    const Instance given = whole(random, n, K, levels, random() % (n + 1));
    certify(given, given.solve());
  }
}

TEST(assignment_from_the_prices_of_samples) {
  // Two samples, one of the other; fixed sizes, so that every cluster has a price.
  std::mt19937_64 random(3);
  for (const std::uint64_t levels : {2, 50, 1000000000}) {
    const Instance given = whole(random, 8000, 5, levels, levels == 50 ? 700 : 0);
    certify(given, given.solve());
  }
}

TEST(assignment_when_the_sample_tells_nothing) {
  // Costs that rise along the rows, and rows in which one of eight is unlike the others.
  Instance given{4000, 3, {}, {1000, 1000, 1000}, {1500, 1500, 1500}};
  for (std::size_t i = 0; i < given.n; ++i) {
    const double x = static_cast<double>(i);
    given.cost.insert(given.cost.end(), {x, i % 8 == 0 ? -5000.0 : 2.0 * x, 4000.0 - x});
  }
  certify(given, given.solve());
}

TEST(assignment_when_ties_hide_what_has_to_move) {
  // Most rows do not mind whether they are in cluster 0 or 1, so the sample takes prices for certain. But of
  // those that want cluster 2 one has to go, and a sample that has few of them by chance knows nothing of it.
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<char> wants_two(4000, 0);
    std::fill_n(wants_two.begin(), 1000, 1);
    std::shuffle(wants_two.begin(), wants_two.end(), random);
    Instance given{4000, 4, {}, {0, 0, 0, 0}, {4000, 4000, 999, 4000}};
    for (const char wants : wants_two) {
      const std::vector<double> row =
          wants ? std::vector<double>{9, 9, 0, 3} : std::vector<double>{0, 0, 9, 9};
      given.cost.insert(given.cost.end(), row.begin(), row.end());
    }
    CHECK(certify(given, given.solve()) == 3.0);
  }
}

TEST(assignment_two_clusters_with_and_without_an_empty_third) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    const Instance two = whole(random, 1 + random() % 60, 2, 1 + random() % 8, random() % 9);
    Instance three{two.n, 3, {}, two.lower, two.upper};
    three.lower.push_back(0);
    three.upper.push_back(0);
    for (std::size_t i = 0; i < two.n; ++i) {
      three.cost.insert(three.cost.end(), {two.cost[2 * i], two.cost[2 * i + 1], -1.0});
    }
    CHECK(certify(two, two.solve()) == certify(three, three.solve()));
  }
}

TEST(assignment_of_real_costs_at_any_scale) {
  std::mt19937_64 random(5);
  for (const double scale : {1e-300, 1e-12, 1.0, 1e12, 1e300}) {
    Instance given = whole(random, 2000, 4, 1000000007, 30);
    for (double& c : given.cost) c = scale * (c / 1000000007.0 - 0.3);
    certify(given, given.solve(), 2000 * 1e-14 * scale);
  }
}

TEST(assignment_breaks_ties_by_index) {
  const Instance halves{5, 2, std::vector<double>(10, 7.0), {2, 2}, {3, 3}};
  CHECK(halves.solve().labels == (Counts{1, 1, 0, 0, 0}));
  const Instance one_each{3, 3, std::vector<double>(9, 7.0), {1, 1, 1}, {1, 1, 1}};
  CHECK(one_each.solve().labels == (Counts{0, 1, 2}));
}

TEST(assignment_takes_bounds_as_large_as_they_come) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const Instance given{3, 3, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {0, 0, 1}, {largest, largest, largest}};
  CHECK(certify(given, given.solve()) == 2.0);
}

TEST(assignment_rejects_bad_input) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const std::vector<double> cost(6, 0.0);
  const auto solve = [](const std::vector<double>& c, const Counts& lower, const Counts& upper) {
    return balanced_assignment(c, 2, lower, upper);
  };
  CHECK_THROWS(solve({}, {0, 0}, {1, 1}), "cost: expected shape");
  CHECK_THROWS(solve({0.0, 1.0, 2.0}, {0, 0}, {1, 1}), "cost: expected shape");
  CHECK_THROWS(balanced_assignment(cost, 0, {}, {}), "cost: expected shape");
  CHECK_THROWS(solve(cost, {0}, {3, 3}), "lower and upper");
  CHECK_THROWS(solve({0.0, 0.0, 0.0, nan}, {0, 0}, {2, 2}), "cost[1, 1] is nan");
  CHECK_THROWS(solve({0.0, -1e308}, {0, 0}, {2, 2}), "cost[0, 1] is -1e+308: expected at most");
  CHECK_THROWS(solve(cost, {0, -1}, {3, 3}), "lower[1] is -1");
  CHECK_THROWS(solve(cost, {0, 2}, {3, 1}), "upper[1] is 1; expected at least lower[1]");
  CHECK_THROWS(solve(cost, {2, 2}, {3, 3}), "lower sums to more than the 3 rows");
  CHECK_THROWS(solve(cost, {largest, largest}, {largest, largest}), "lower sums to more than the 3 rows");
  CHECK_THROWS(solve(cost, {0, 0}, {1, 1}), "upper sums to 2");
}
