#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "common/parallel.hpp"
#include "exemplars/facility_location.hpp"

using cladebench::FacilityLocation;
using Values = std::vector<double>;

namespace {

constexpr std::size_t kMany = 5000;

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

Values random_costs(std::mt19937_64& random, std::size_t n, double price, bool whole) {
  Values d(n * n);
  for (double& cost : d) cost = whole ? static_cast<double>(random() % 4) : uniform(random);
  for (std::size_t q = 0; q < n; ++q) {
    d[q * n + q] = whole ? static_cast<double>(random() % 8) - 2.0 : price * (uniform(random) - 0.1);
  }
  return d;
}

/// Of the exemplars whose bits are set.
double value_of(const Values& d, std::size_t n, unsigned set) {
  double value = 0.0;
  for (std::size_t p = 0; p < n; ++p) {
    if (set >> p & 1u) {
      value += d[p * n + p];
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t q = 0; q < n; ++q) {
      if (set >> q & 1u) least = std::min(least, d[p * n + q]);
    }
    value += least;
  }
  return value;
}

unsigned bits(const FacilityLocation& found) {
  unsigned set = 0;
  for (const std::int64_t q : found.exemplars) set |= 1u << q;
  return set;
}

}  // namespace

TEST(facility_location_against_all_sets) {
  std::mt19937_64 random(1);
  int n_optimal = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 9;
    const Values d = random_costs(random, n, 2.0, round % 2 == 0);
    const FacilityLocation found = cladebench::facility_location(d, n, {}, 0.0, kMany);
    double best = std::numeric_limits<double>::infinity();
    for (unsigned set = 1; set < 1u << n; ++set) best = std::min(best, value_of(d, n, set));
    const double value = value_of(d, n, bits(found));
    CHECK(found.converged);
    CHECK(std::abs(value - best) <= 1e-9);
    CHECK(found.optimal || found.bound <= best + 1e-15 * std::abs(best));
    CHECK(found.bound >= best - 1e-9);
    n_optimal += found.optimal && round % 2 == 1;
    for (std::size_t p = 0; p < n; ++p) {
      const std::int64_t to = found.assignment[p];
      CHECK(bits(found) >> to & 1u);
      if (bits(found) >> p & 1u) CHECK(to == static_cast<std::int64_t>(p));
    }
  }
  // Of 150 without ties; in the others the bound meets the value before all is ruled out.
  CHECK(n_optimal >= 110);
}

TEST(facility_location_where_searches_and_relaxations_fail) {
  // Independent costs, neither symmetric nor a metric: local optima are poor, relaxations have gaps.
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const std::size_t n = 12;
    const Values d = random_costs(random, n, round % 2 == 0 ? 0.6 : 1.2, false);
    double best = std::numeric_limits<double>::infinity();
    for (unsigned set = 1; set < 1u << n; ++set) best = std::min(best, value_of(d, n, set));
    const std::vector<std::int64_t> start{static_cast<std::int64_t>(random() % n)};
    for (const std::size_t most : {1, 40, 100, 200, 5000}) {
      const FacilityLocation found = cladebench::facility_location(d, n, start, 0.0, most);
      const double value = value_of(d, n, bits(found));
      CHECK(found.bound <= best + 1e-12 && value >= best - 1e-12);
      if (found.optimal) CHECK(value <= best + 1e-12);
      if (most == 5000) CHECK(found.converged && value <= best + 1e-9);
    }
  }
}

TEST(facility_location_proves_the_same_from_any_start) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 30;
    const Values d = random_costs(random, n, 1.0, false);
    double values[2] = {0.0, 0.0};
    for (const std::int64_t start : {0, 1}) {
      const std::vector<std::int64_t> initial{start};
      const FacilityLocation found = cladebench::facility_location(d, n, initial, 0.0, 20000);
      CHECK(found.converged);
      for (std::size_t p = 0; p < n; ++p) {
        values[start] += d[p * n + static_cast<std::size_t>(found.assignment[p])];
      }
    }
    CHECK(std::abs(values[0] - values[1]) <= 1e-9);
  }
}

TEST(facility_location_of_points_in_the_plane) {
  std::mt19937_64 random(4);
  const std::size_t n = 120;
  for (const double price : {0.3, 1.0, 4.0}) {
    Values x(n), y(n), d(n * n);
    for (std::size_t p = 0; p < n; ++p) x[p] = uniform(random), y[p] = uniform(random);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q < n; ++q) d[p * n + q] = std::hypot(x[p] - x[q], y[p] - y[q]);
      d[p * n + p] = price;
    }
    const FacilityLocation first = cladebench::facility_location(d, n, {}, 0.0, 1);
    const FacilityLocation found = cladebench::facility_location(d, n, {}, 1e-3, 400);
    CHECK(found.converged);
    // The first multipliers already prove most of it.
    CHECK(first.n_iter == 1 && first.bound >= 0.85 * found.bound && first.bound <= found.bound);
  }
}

TEST(facility_location_of_cycles) {
  // 200 cycles of three points, each near to the next: halves of all exemplars cost 300, the best set 400.
  const std::size_t n = 600;
  Values d(n * n, 9.0);
  for (std::size_t p = 0; p < n; ++p) {
    d[p * n + p] = 1.0;
    d[p * n + p / 3 * 3 + (p + 1) % 3] = 0.0;
  }
  const FacilityLocation found = cladebench::facility_location(d, n, {}, 0.0, 60);
  CHECK(found.exemplars.size() == 400 && !found.converged);
  CHECK(found.bound <= 300.0 && found.bound >= 290.0);
}

TEST(facility_location_branches_on_both_choices) {
  // 20 such cycles: each level of branches proves another half. Fewer than 32 branches make no five levels.
  const std::size_t n = 60;
  Values d(n * n, 9.0);
  for (std::size_t p = 0; p < n; ++p) {
    d[p * n + p] = 1.0;
    d[p * n + p / 3 * 3 + (p + 1) % 3] = 0.0;
  }
  const FacilityLocation found = cladebench::facility_location(d, n, {}, 0.0, 2000);
  CHECK(!found.converged && found.bound >= 30.5 && found.bound <= 32.0);
}

TEST(facility_location_of_a_local_optimum) {
  // Points 0 and 1 serve four each of the others at a cost of 1; so do 2 and 3, a little cheaper, but other
  // fours: no single move leads from one pair to the other, and the first bound may not deny that it is
  // there.
  std::mt19937_64 random(5);
  const std::size_t n = 12;
  for (int round = 0; round < 50; ++round) {
    Values d(n * n, 10.0);
    for (std::size_t q = 0; q < n; ++q) d[q * n + q] = q < 4 ? 3.0 : 100.0;
    for (std::size_t p = 4; p < n; ++p) {
      d[p * n + (p < 8 ? 0 : 1)] = 1.0;
      d[p * n + (p % 2 == 0 ? 2 : 3)] = 1.0 - 0.01 * uniform(random);
    }
    const double best = std::min(value_of(d, n, 0b0011), value_of(d, n, 0b1100));
    const std::vector<std::int64_t> start{0, 1};
    for (const std::size_t most : {1, 2, 5, 1000}) {
      const FacilityLocation found = cladebench::facility_location(d, n, start, 0.0, most);
      CHECK(found.bound <= best + 1e-12);
      CHECK(!found.optimal || value_of(d, n, bits(found)) <= best + 1e-12);
      if (most == 1000) CHECK(value_of(d, n, bits(found)) <= best + 1e-12);
    }
  }
}

TEST(facility_location_of_ties) {
  const std::size_t n = 6;
  const Values same(n * n, 1.0);
  CHECK(cladebench::facility_location(same, n, {}, 1e-4, kMany).exemplars.size() == 1);
  const std::vector<std::int64_t> everyone{0, 1, 2, 3, 4, 5};
  CHECK(cladebench::facility_location(same, n, everyone, 1e-4, kMany).exemplars.size() == 1);
  const Values d{1, 9, 5, 3, 9, 3, 9, 9, 1};  // point 1 is as near to 0 as to 2
  const FacilityLocation found = cladebench::facility_location(d, 3, {}, 1e-4, kMany);
  CHECK((found.exemplars == std::vector<std::int64_t>{0, 2}));
  CHECK(found.assignment[1] == 0);
}

TEST(facility_location_by_hand) {
  // Two pairs; of each the first is taken, for the same price.
  const Values d{2, 1, 9, 9, 1, 2, 9, 9, 9, 9, 2, 1, 9, 9, 1, 2};
  const FacilityLocation found = cladebench::facility_location(d, 4, {}, 1e-4, kMany);
  CHECK((found.exemplars == std::vector<std::int64_t>{0, 2}));
  CHECK((found.assignment == std::vector<std::int64_t>{0, 0, 2, 2}));
  CHECK(found.converged && found.bound <= 6.0 && found.bound >= 5.999);
}

TEST(facility_location_threads_and_starts) {
  std::mt19937_64 random(2);
  const std::size_t n = 150;
  const Values d = random_costs(random, n, 3.0, false);
  const int before = cladebench::max_threads();
  const FacilityLocation one = cladebench::facility_location(d, n, {}, 1e-6, 500);
  for (const int threads : {1, 2, 3}) {
    cladebench::set_max_threads(threads);
    const FacilityLocation other = cladebench::facility_location(d, n, {}, 1e-6, 500);
    CHECK(other.exemplars == one.exemplars && other.bound == one.bound && other.n_iter == one.n_iter);
  }
  cladebench::set_max_threads(before);
  const std::vector<std::int64_t> start{7, 3};
  const FacilityLocation other = cladebench::facility_location(d, n, start, 1e-6, 500);
  CHECK(other.bound <= one.bound * (1.0 + 1e-2));
}

TEST(facility_location_of_numbers_at_the_limits) {
  for (const double scale : {1e-300, 1e300, 5e-324}) {
    const Values d{2 * scale, scale, scale, 3 * scale};
    const FacilityLocation found = cladebench::facility_location(d, 2, {}, 1e-4, kMany);
    CHECK((found.exemplars == std::vector<std::int64_t>{0}));
    CHECK(found.bound <= 3 * scale && found.converged);
  }
}

TEST(facility_location_refuses_what_is_no_point) {
  const Values d(4, 1.0);
  const std::vector<std::int64_t> outside{2}, below{-1};
  CHECK_THROWS(cladebench::facility_location(d, 2, outside, 0.0, 1), "2 is no point");
  CHECK_THROWS(cladebench::facility_location(d, 2, below, 0.0, 1), "-1 is no point");
}
