#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "common/instruction_set.hpp"
#include "distances/itml.hpp"

using namespace cladebench;

namespace {

/// Bregman projections one by one, A updated after each.
std::vector<double> plain_itml(const std::vector<double>& X, std::size_t d,
                               const std::vector<std::int64_t>& pairs, const std::vector<double>& signs,
                               double upper, double lower, double gamma, int n_sweeps) {
  std::vector<double> A(d * d), dual(signs.size()), bounds(signs.size()), v(d), Av(d);
  for (std::size_t i = 0; i < d; ++i) A[i * d + i] = 1.0;
  for (std::size_t c = 0; c < signs.size(); ++c) bounds[c] = signs[c] > 0.0 ? upper : lower;
  for (int sweep = 0; sweep < n_sweeps; ++sweep) {
    for (std::size_t c = 0; c < signs.size(); ++c) {
      double p = 0.0;
      for (std::size_t i = 0; i < d; ++i) {
        v[i] = X[static_cast<std::size_t>(pairs[2 * c]) * d + i] -
               X[static_cast<std::size_t>(pairs[2 * c + 1]) * d + i];
      }
      for (std::size_t i = 0; i < d; ++i) {
        Av[i] = 0.0;
        for (std::size_t j = 0; j < d; ++j) Av[i] += A[i * d + j] * v[j];
        p += v[i] * Av[i];
      }
      const double alpha = std::min(dual[c], signs[c] * gamma / (1.0 + gamma) * (1.0 / p - 1.0 / bounds[c]));
      const double beta = signs[c] * alpha / (1.0 - signs[c] * alpha * p);
      bounds[c] = gamma * bounds[c] / (gamma + signs[c] * alpha * bounds[c]);
      dual[c] -= alpha;
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) A[i * d + j] += beta * Av[i] * Av[j];
      }
    }
  }
  return A;
}

}  // namespace

TEST(itml_in_blocks_is_itml_one_by_one) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const std::string in_use = instruction_set();
  for (const std::size_t d : {1, 5, 8, 40, 130}) {
    const std::size_t n = 20, n_pairs = 1 + random() % 90;
    std::vector<double> X(n * d), signs(n_pairs);
    std::vector<std::int64_t> pairs(2 * n_pairs);
    for (double& x : X) x = normal(random);
    for (std::size_t c = 0; c < n_pairs; ++c) {
      const std::size_t one = random() % n;
      pairs[2 * c] = static_cast<std::int64_t>(one);
      pairs[2 * c + 1] = static_cast<std::int64_t>((one + 1 + random() % (n - 1)) % n);
      signs[c] = random() % 2 == 0 ? 1.0 : -1.0;
    }
    const double upper = static_cast<double>(d), lower = 3.0 * static_cast<double>(d);
    const std::vector<double> expected = plain_itml(X, d, pairs, signs, upper, lower, 2.0, 3);
    const double largest = *std::max_element(expected.begin(), expected.end());
    std::vector<double> first;
    for (const std::string& name : instruction_sets()) {
      use_instruction_set(name);
      const Itml fit = fit_itml({X.data(), n, d}, pairs, signs, upper, lower, 2.0, 0.0, 3);
      CHECK(fit.n_iter == 3 && fit.dual.size() == n_pairs);
      for (std::size_t k = 0; k < d * d; ++k) CHECK(std::abs(fit.A[k] - expected[k]) <= 1e-9 * largest);
      if (first.empty()) first = fit.A;
      CHECK(fit.A == first);
    }
    use_instruction_set(in_use);
  }
}

TEST(itml_without_constraints_is_the_identity) {
  const std::vector<double> X = {1.0, 2.0, 3.0, 4.0};
  const Itml fit = fit_itml({X.data(), 2, 2}, {}, {}, 1.0, 2.0, 1.0, 1e-3, 10);
  CHECK(fit.converged && fit.n_iter == 1 && fit.residual == 0.0);
  CHECK((fit.A == std::vector<double>{1.0, 0.0, 0.0, 1.0}));
}
