#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "common/parallel.hpp"
#include "exemplars/correlation_clustering.hpp"

namespace {

using cladebench::Triangle;
using Values = std::vector<double>;

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

Values symmetric(std::mt19937_64& random, std::size_t n, double low, double high, double diagonal) {
  Values s(n * n, diagonal);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = p + 1; q < n; ++q)
      s[p * n + q] = s[q * n + p] = low + (high - low) * uniform(random);
  }
  return s;
}

double value_of(const Values& s, std::size_t n, const std::vector<std::int64_t>& labels) {
  double sum = 0.0;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = p + 1; q < n; ++q) sum += labels[p] == labels[q] ? s[p * n + q] : 0.0;
  }
  return sum;
}

double relaxed_value(const Values& s, std::size_t n, const Values& x) {
  double sum = 0.0;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = p + 1; q < n; ++q) sum += s[p * n + q] * x[p * n + q];
  }
  return sum;
}

double most_violated(const Values& x, std::size_t n) {
  double most = 0.0;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q < n; ++q) {
      for (std::size_t r = 0; r < n; ++r) {
        if (p != q && q != r && p != r)
          most = std::max(most, x[p * n + q] + x[q * n + r] - x[p * n + r] - 1.0);
      }
    }
  }
  return most;
}

cladebench::Relaxed relax(const Values& s, std::size_t n, double tolerance, std::size_t max_iter = 20000) {
  return cladebench::relax_clustering(s, n, {}, {}, {}, {tolerance, max_iter, -1e300});
}

}  // namespace

TEST(correlation_clustering_relaxation_is_feasible_and_bounded) {
  std::mt19937_64 random(1);
  for (const std::size_t n : {1u, 2u, 3u, 5u, 8u, 13u, 30u}) {
    const Values s = symmetric(random, n, -1.0, 1.0, 7.0);
    const double tolerance = 1e-4 * static_cast<double>(n);
    const auto found = relax(s, n, tolerance);
    CHECK(found.converged);
    CHECK(most_violated(found.x, n) < 1e-12);
    for (const double x : found.x) CHECK(x >= 0.0 && x <= 1.0);
    CHECK_NEAR(found.value, relaxed_value(s, n, found.x), 1e-10);
    const double met =
        found.labels.empty() ? found.value : std::max(found.value, value_of(s, n, found.labels));
    CHECK(found.bound >= met - 1e-10 && found.bound <= met + tolerance + 1e-10);
    CHECK_NEAR(found.bound, cladebench::bound_of_multipliers(s, n, found.triangles, found.multipliers),
               1e-12);
    for (const double m : found.multipliers) CHECK(m > 0.0);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::int64_t> labels(n);
      for (auto& label : labels) label = static_cast<std::int64_t>(random() % n);
      CHECK(value_of(s, n, labels) <= found.bound + 1e-10);
      const double before = value_of(s, n, labels);
      cladebench::improve_partition(s, n, labels);
      CHECK(value_of(s, n, labels) >= before - 1e-12);
      CHECK(value_of(s, n, labels) <= found.bound + 1e-10);
    }
  }
}

TEST(correlation_clustering_bound_holds_after_few_steps) {
  std::mt19937_64 random(2);
  const std::size_t n = 20;
  const Values s = symmetric(random, n, -1.0, 1.0, 0.0);
  const double optimum = relax(s, n, 1e-3).value;
  for (const std::size_t steps : {1u, 5u, 50u}) {
    const auto found = relax(s, n, 0.0, steps);
    CHECK(!found.converged && found.n_iter == steps);
    CHECK(found.bound >= optimum - 1e-10 && found.value <= found.bound + 1e-10);
    CHECK(most_violated(found.x, n) < 1e-12);
  }
}

TEST(correlation_clustering_starts_where_it_ended) {
  std::mt19937_64 random(3);
  const std::size_t n = 40;
  const Values s = symmetric(random, n, -1.0, 1.0, 0.0);
  const auto found = relax(s, n, 1e-2);
  const auto again =
      cladebench::relax_clustering(s, n, found.triangles, found.multipliers, found.x, {2e-2, 20000, -1e300});
  CHECK(again.converged && again.n_iter == 0);
}

TEST(correlation_clustering_violated_triangles) {
  // Together: 0 and 1, 1 and 2; 0 and 2 are not.
  const Values x = {1, 1, 0, 1, 1, 1, 0, 1, 1};
  const auto found = cladebench::violated_triangles(x, 3, 0.5);
  CHECK(found.size() == 1);
  CHECK(found[0].first == 0 && found[0].middle == 1 && found[0].last == 2);
  CHECK(cladebench::violated_triangles(x, 3, 1.0).empty());
  Values closed = x;
  cladebench::close_triangles(closed, 3);
  CHECK(closed == Values(9, 1.0));
}

TEST(correlation_clustering_threads_change_nothing) {
  std::mt19937_64 random(4);
  const std::size_t n = 364;  // some more pairs than one thread is worth
  const Values s = symmetric(random, n, -1.0, 1.0, 0.0);
  const int before = cladebench::max_threads();
  cladebench::set_max_threads(1);
  const auto one = relax(s, n, 1.0, 3);
  cladebench::set_max_threads(3);
  const auto three = relax(s, n, 1.0, 3);
  cladebench::set_max_threads(before);
  CHECK(one.x == three.x && one.bound == three.bound && one.multipliers == three.multipliers);
}

TEST(correlation_clustering_local_search) {
  // Two triples that attract each other within, and one point that nothing attracts.
  const std::size_t n = 7;
  Values s(n * n, -1.0);
  for (std::size_t p = 0; p < 6; ++p) {
    for (std::size_t q = 0; q < 6; ++q) s[p * n + q] = p / 3 == q / 3 ? 1.0 : -1.0;
  }
  std::vector<std::int64_t> labels = {0, 1, 2, 3, 4, 5, 6};
  cladebench::improve_partition(s, n, labels);
  CHECK(value_of(s, n, labels) == 6.0);
  CHECK(labels[6] != labels[0] && labels[6] != labels[3]);
  labels.assign(n, 2);
  cladebench::improve_partition(s, n, labels);
  CHECK(value_of(s, n, labels) == 6.0);
  // Nothing is moved for nothing.
  labels = {3, 3, 3, 0, 0, 1, 1};
  const auto before = labels;
  cladebench::improve_partition(Values(n * n, 0.0), n, labels);
  CHECK(labels == before);
}
