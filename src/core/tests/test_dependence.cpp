#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "dependence/dependence.hpp"

using cladebench::greedy_sweeps;
using cladebench::Sweeps;
using Values = std::vector<double>;
using Index = std::vector<std::int64_t>;

namespace {

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

Index in_order(std::size_t n) {
  Index order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::int64_t>(i);
  return order;
}

struct Case {
  std::size_t n, k, width;
  Values factor, gram, structure;
  Index labels;

  Case(std::mt19937_64& random, std::size_t n_points, std::size_t n_clusters)
      : n(n_points),
        k(n_clusters),
        width(1 + random() % 9),
        factor(n * width),
        gram(n * n),
        structure(k * k),
        labels(n) {
    for (double& x : factor) x = uniform(random) - 0.5;
    for (std::size_t j = 0; j < width; ++j) {
      double mean = 0.0;
      for (std::size_t i = 0; i < n; ++i) mean += factor[i * width + j] / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i) factor[i * width + j] -= mean;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t l = 0; l < width; ++l) {
          gram[i * n + j] += factor[i * width + l] * factor[j * width + l];
        }
      }
    }
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        structure[a * k + b] = structure[b * k + a] = uniform(random) - 0.5;
      }
    }
    for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random() % k);
  }

  Sweeps run(bool from_factor, bool normalized, std::size_t max_sweeps = 100) const {
    const cladebench::CenteredGram it = from_factor ? cladebench::CenteredGram{factor, n, width, true}
                                                    : cladebench::CenteredGram{gram, n, n, false};
    return greedy_sweeps(it, structure, labels, in_order(n), {normalized, max_sweeps});
  }

  /// The two traces by all pairs of points: tr(M L) and, normalised, |L| with L = H P Y P' H.
  double objective(const Index& at, bool normalized) const {
    Values L(n * n), means(n);
    double total = 0.0, numerator = 0.0, squared = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        L[i * n + j] = structure[static_cast<std::size_t>(at[i]) * k + static_cast<std::size_t>(at[j])];
        means[i] += L[i * n + j] / static_cast<double>(n);
      }
      total += means[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double entry = L[i * n + j] - means[i] - means[j] + total;
        numerator += gram[i * n + j] * entry;
        squared += entry * entry;
      }
    }
    if (!normalized) return numerator;
    return squared > 1e-20 ? numerator / std::sqrt(squared) : 0.0;
  }
};

}  // namespace

TEST(dependence_by_hand) {
  // Two pairs of points at 1 and -1; the second one of each starts with the other pair.
  const Values x{1, 1, -1, -1}, star{1, 0, 0, 1};
  const Sweeps found = greedy_sweeps({x, 4, 1, true}, star, Index{0, 1, 0, 1}, in_order(4), {true, 100});
  CHECK(found.objective.front() == 0.0 && found.converged);
  CHECK_NEAR(found.objective.back(), 4.0, 1e-14);
  CHECK(found.labels[0] == found.labels[1] && found.labels[2] == found.labels[3]);
  CHECK(found.labels[0] != found.labels[2]);
  CHECK(found.moves.size() + 1 == found.objective.size() && found.moves.back() == 0);
}

TEST(dependence_is_what_it_says_and_no_move_raises_it) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const Case it(random, 2 + random() % 20, 1 + random() % 6);
    const bool normalized = random() % 2 == 0, from_factor = random() % 2 == 0;
    const Sweeps found = it.run(from_factor, normalized);
    CHECK(found.converged);
    const double reached = it.objective(found.labels, normalized);
    CHECK(std::abs(found.objective.front() - it.objective(it.labels, normalized)) < 1e-10);
    CHECK(std::abs(found.objective.back() - reached) < 1e-10);
    for (std::size_t s = 1; s < found.objective.size(); ++s) {
      CHECK(found.objective[s] >= found.objective[s - 1] - 1e-11);
    }
    Index sizes(it.k), moved = found.labels;
    for (const std::int64_t label : moved) ++sizes[static_cast<std::size_t>(label)];
    for (std::size_t i = 0; i < it.n; ++i) {
      if (sizes[static_cast<std::size_t>(moved[i])] == 1) continue;
      for (std::size_t c = 0; c < it.k; ++c) {
        moved[i] = static_cast<std::int64_t>(c);
        CHECK(it.objective(moved, normalized) <= reached + 1e-10);
      }
      moved[i] = found.labels[i];
    }
  }
}

TEST(dependence_of_a_factor_is_that_of_its_matrix) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    const Case it(random, 2 + random() % 40, 2 + random() % 5);
    for (const bool normalized : {false, true}) {
      const Sweeps one = it.run(false, normalized), other = it.run(true, normalized);
      CHECK(one.labels == other.labels && one.moves == other.moves);
    }
  }
}

TEST(dependence_sweeps_are_counted) {
  std::mt19937_64 random(3);
  const Case it(random, 60, 5);
  const Sweeps one = it.run(false, true, 1), all = it.run(false, true);
  CHECK(one.moves.size() == 1 && one.moves[0] > 0 && !one.converged);
  CHECK(one.moves[0] == all.moves[0] && one.objective[1] == all.objective[1]);
  CHECK(it.run(false, true, 0).labels == it.labels);
}

TEST(dependence_refuses_what_does_not_fit) {
  const Values x{1, 1, -1, -1}, star{1, 0, 0, 1};
  const Index labels{0, 1, 0, 1};
  const auto run = [&](const cladebench::CenteredGram& gram, const Values& Y, const Index& at,
                       const Index& order) { return greedy_sweeps(gram, Y, at, order, {}); };
  CHECK_THROWS(run({x, 4, 2, true}, star, labels, in_order(4)), "gram: expected n x n values");
  CHECK_THROWS(run({{}, 0, 0, true}, star, {}, {}), "gram: expected n x n values");
  CHECK_THROWS(run({x, 4, 1, false}, star, labels, in_order(4)), "gram: expected a square matrix");
  CHECK_THROWS(run({x, 4, 1, true}, Values(3), labels, in_order(4)), "structure: expected k x k");
  CHECK_THROWS(run({x, 4, 1, true}, {}, labels, in_order(4)), "structure: expected k x k");
  CHECK_THROWS(run({x, 4, 1, true}, star, {0, 1, 0}, in_order(4)), "labels: expected one for each");
  CHECK_THROWS(run({x, 4, 1, true}, star, {0, 1, 0, 2}, in_order(4)), "labels: expected clusters within");
  CHECK_THROWS(run({x, 4, 1, true}, star, {0, 1, 0, -1}, in_order(4)), "labels: expected clusters within");
  for (const Index& order : {Index{0, 1, 2}, Index{0, 1, 2, 2}, Index{0, 1, 2, 4}, Index{0, 1, 2, -1}}) {
    CHECK_THROWS(run({x, 4, 1, true}, star, labels, order), "order: expected each point once");
  }
}
