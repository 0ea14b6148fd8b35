#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "common/instruction_set.hpp"
#include "common/parallel.hpp"
#include "margin/margin.hpp"
#include "margin/proximal.hpp"
#include "margin/quasi_newton.hpp"

using namespace cladebench;

namespace {

struct Instance {
  Instance(std::mt19937_64& random, std::size_t rows, std::size_t features, std::size_t clusters)
      : n(rows), P(features), K(clusters), X(n * P), W(K * P), labels(n) {
    std::normal_distribution<double> normal;
    for (double& x : X) x = normal(random);
    for (double& w : W) w = normal(random) / std::sqrt(static_cast<double>(P));
    for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random() % K);
  }
  MatrixView view() const { return {X.data(), n, P}; }
  double score(std::size_t i, std::size_t k) const {
    double sum = 0.0;
    for (std::size_t p = 0; p < P; ++p) sum += W[k * P + p] * X[i * P + p];
    return sum;
  }
  std::size_t n, P, K;
  std::vector<double> X, W;
  std::vector<std::int64_t> labels;
};

double plain_loss(const Instance& it) {
  double loss = 0.0;
  for (std::size_t i = 0; i < it.n; ++i) {
    const auto own = static_cast<std::size_t>(it.labels[i]);
    for (std::size_t k = 0; k < it.K; ++k) {
      const double hinge = std::max(0.0, 1.0 - it.score(i, own) + it.score(i, k));
      if (k != own) loss += hinge * hinge;
    }
  }
  return loss / static_cast<double>(it.n * it.K);
}

const std::vector<double> kNone(200, 0.0);

std::span<const double> zeros(std::size_t P) { return {kNone.data(), P}; }

}  // namespace

TEST(margin_loss_and_costs_are_those_of_the_formula) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 80; ++round) {
    const std::size_t K = 2 + random() % 12;
    Instance it(random, 1 + random() % 300, 1 + random() % 40, K);
    MarginLoss loss(it.view(), it.labels, K);
    loss.keep_scores();
    std::vector<double> gradient(K * it.P), other(K * it.P);
    const double value = loss.evaluate(it.W.data(), gradient.data());
    CHECK_NEAR(value, plain_loss(it), 1e-12);
    const std::vector<double> costs = assignment_costs(it.view(), it.W, K);
    double sum = 0.0;
    for (std::size_t i = 0; i < it.n; ++i) sum += costs[i * K + static_cast<std::size_t>(it.labels[i])];
    CHECK_NEAR(value, sum / static_cast<double>(it.n * K), 1e-12);
    // Along a segment: the scores of both ends give the loss between them, and the slope is the gradient's.
    loss.accept();
    const std::vector<double> from = it.W;
    std::normal_distribution<double> normal;
    double slope = 0.0;
    std::vector<double> direction(K * it.P);
    for (std::size_t k = 0; k < direction.size(); ++k) {
      direction[k] = normal(random);
      slope += gradient[k] * direction[k];
      it.W[k] = from[k] + direction[k];
    }
    loss.evaluate(it.W.data(), other.data());
    CHECK_NEAR(loss.along(0.0), value, 1e-14);
    CHECK(std::abs((loss.along(1e-6) - loss.along(-1e-6)) / 2e-6 - slope) <= 1e-4 * (1.0 + std::abs(slope)));
    for (std::size_t k = 0; k < direction.size(); ++k) it.W[k] = from[k] + 0.3 * direction[k];
    CHECK_NEAR(loss.along(0.3), plain_loss(it), 1e-12);
  }
}

TEST(margin_at_zero) {
  std::mt19937_64 random(2);
  for (const std::size_t P : {1, 8, 13}) {
    Instance it(random, 37, P, 4);
    MarginLoss loss(it.view(), it.labels, 4);
    const MarginLoss::AtZero zero = loss.at_zero();
    std::vector<double> gradient(4 * P);
    std::fill(it.W.begin(), it.W.end(), 0.0);
    CHECK_NEAR(loss.evaluate(it.W.data(), gradient.data()), zero.loss, 1e-14);
    double whole = 0.0;
    for (const double x : it.X) whole += x * x;
    CHECK_NEAR(zero.mean_square, whole / 37.0, 1e-13);
    for (std::size_t p = 0; p < P; ++p) {
      double squares = 0.0;
      for (std::size_t i = 0; i < 37; ++i) squares += it.X[i * P + p] * it.X[i * P + p];
      CHECK_NEAR(zero.mean_squares[p], squares / 37.0, 1e-13);
    }
    for (std::size_t k = 0; k < gradient.size(); ++k) CHECK(std::abs(gradient[k] - zero.gradient[k]) < 1e-14);
  }
}

TEST(margin_does_not_depend_on_the_threads) {
  std::mt19937_64 random(3);
  const Instance it(random, 5000, 60, 6);
  std::vector<double> losses;
  std::vector<std::vector<double>> gradients, models;
  const int before = max_threads();
  for (const int threads : {1, 2, 5}) {
    set_max_threads(threads);
    MarginLoss loss(it.view(), it.labels, 6);
    std::vector<double> gradient(it.W.size()), weights(60, 1e-3);
    losses.push_back(loss.evaluate(it.W.data(), gradient.data()));
    gradients.push_back(gradient);
    models.push_back(fit_margin(loss, {weights, weights, zeros(60)}, {}, 1e-6, 15).W);
  }
  set_max_threads(before);
  for (std::size_t k = 1; k < 3; ++k) {
    CHECK(losses[k] == losses[0] && gradients[k] == gradients[0] && models[k] == models[0]);
  }
}

TEST(kernels_give_the_same_bits_on_every_instruction_set) {
  std::mt19937_64 random(6);
  const std::string before = instruction_set();
  // All numbers of models with code of their own, and more; rows shorter than a vector, overlapping, whole.
  for (const std::size_t K : {2, 3, 4, 5, 6, 11}) {
    for (const std::size_t P : {3, 8, 21, 24}) {
      const Instance it(random, 203, P, K);
      const std::vector<double> weights(P, 1e-3);
      std::vector<std::vector<double>> found;
      for (const std::string& name : instruction_sets()) {
        use_instruction_set(name);
        CHECK(instruction_set() == name);
        MarginLoss loss(it.view(), it.labels, K);
        std::vector<double> all(it.W.size());
        loss.keep_scores();
        const MarginLoss::AtZero zero = loss.at_zero();
        all.push_back(zero.mean_square);
        all.insert(all.end(), zero.mean_squares.begin(), zero.mean_squares.end());
        loss.accept();
        const double value = loss.evaluate(it.W.data(), all.data());
        all.push_back(value);
        all.push_back(loss.along(0.4));
        const MarginFit fit = fit_margin(loss, {weights, weights, weights}, {}, 1e-6, 12);
        all.insert(all.end(), fit.W.begin(), fit.W.end());
        all.insert(all.end(), {fit.objective, fit.residual, first_nonfinite(it.view()) + 0.0});
        const std::vector<double> costs = assignment_costs(it.view(), it.W, K);
        all.insert(all.end(), costs.begin(), costs.end());
        found.push_back(all);
      }
      for (const std::vector<double>& all : found) CHECK(all == found[0]);
    }
  }
  use_instruction_set(before);
  CHECK_THROWS(use_instruction_set("mmx"), "the instruction set is 'mmx'; this machine has: baseline");
}

TEST(margin_without_kept_scores) {
  std::mt19937_64 random(7);
  const Instance it(random, 50, 9, 3);
  MarginLoss with(it.view(), it.labels, 3), without(it.view(), it.labels, 3);
  with.keep_scores();
  std::vector<double> gradient(it.W.size()), other(it.W.size());
  CHECK(with.evaluate(it.W.data(), gradient.data()) == without.evaluate(it.W.data(), other.data()));
  CHECK(gradient == other);
  bool thrown = false;
  try {
    without.along(0.5);
  } catch (const std::logic_error&) {
    thrown = true;
  }
  CHECK(thrown);
}

TEST(lbfgs_matrix_maps_the_latest_step_and_is_inverted) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (const std::size_t size : {1, 5, 37}) {
    CompactLbfgs B(size, 4);
    B.reset(2.0);
    std::vector<double> s(size), y(size), image(size), back(size);
    for (int pair = 0; pair < 9; ++pair) {
      for (std::size_t k = 0; k < size; ++k) {
        s[k] = normal(random);
        y[k] = (1.0 + static_cast<double>(k)) * s[k];  // a diagonal Hessian
      }
      B.update(s.data(), y.data());
      B.multiply(s.data(), image.data());
      for (std::size_t k = 0; k < size; ++k)
        CHECK(std::abs(image[k] - y[k]) < 1e-9 * static_cast<double>(size));
      for (double& entry : s) entry = normal(random);
      B.multiply(s.data(), image.data());
      CHECK(dot(s.data(), image.data(), size) > 0.0);
      B.solve(image.data(), back.data());
      for (std::size_t k = 0; k < size; ++k) CHECK(std::abs(back[k] - s[k]) < 1e-9);
    }
  }
}

TEST(lbfgs_forgets_where_nothing_bends) {
  CompactLbfgs B(2, 3);
  B.reset(1.0);
  const double s[2] = {1.0, 0.0}, flat[2] = {0.0, 0.0}, bent[2] = {4.0, 0.0};
  B.update(s, bent);
  CHECK(B.has_pairs() && B.theta() == 4.0);
  B.update(s, flat);
  CHECK(!B.has_pairs() && B.theta() < 4.0);
}

TEST(penalty_by_hand) {
  const std::vector<double> group{1.0, 1.0, 2.0, 0.0, 0.0}, l1{0.5, 0.5, 0.5, 0.0, 0.5}, ridge(5, 0.0);
  const SparseGroupPenalty penalty(2, 5, group, l1, ridge);
  // A column with entries, two zero ones of which the second stays so, one without penalties, one too small
  // to be squared.
  const std::vector<double> W{3.0, 0.0, 0.0, 0.0, 1e-200, -4.0, 0.0, 0.0, 0.0, 0.0};
  const std::vector<double> gradient{-1.0, 2.0, 1.0, 0.3, -0.5, 1.0, -0.1, -0.5, -0.4, 0.0};
  CHECK_NEAR(penalty.value(W.data()), 5.0 + 0.5 * 7.0, 1e-15);
  CHECK_NEAR(penalty.residual_squared(W.data(), gradient.data()), 0.01 + 0.09 + 0.25 + 0.25, 1e-14);
  std::vector<double> Z{3.0, 0.6, 0.0, 0.7, 0.0, -4.0, 0.0, 0.0, -0.2, 2.0};
  penalty.prox(Z.data(), 1.0);
  const double kept = 1.0 - 1.0 / std::sqrt(2.5 * 2.5 + 3.5 * 3.5);
  const std::vector<double> expected{2.5 * kept, 0.0, 0.0, 0.7, 0.0, -3.5 * kept, 0.0, 0.0, -0.2, 1.5};
  for (std::size_t k = 0; k < Z.size(); ++k) CHECK(std::abs(Z[k] - expected[k]) < 1e-15);
}

TEST(margin_fit_by_hand) {
  // One feature, x = 1 and -1, two clusters: w_0 = -w_1 = w gives the loss (1 - 2 w)^2 / 2 and, with a ridge
  // r, 2 r w^2: w = 1 / (2 + 2 r).
  const std::vector<double> X{1.0, -1.0}, ridge{0.25};
  const std::vector<std::int64_t> labels{0, 1};
  MarginLoss loss({X.data(), 2, 1}, labels, 2);
  const MarginFit fit = fit_margin(loss, {zeros(1), zeros(1), ridge}, {}, 1e-12, 100);
  CHECK(fit.converged);
  CHECK_NEAR(fit.W[0], 0.4, 1e-10);
  CHECK_NEAR(fit.W[1], -0.4, 1e-10);
  CHECK_NEAR(fit.objective, 0.5 * 0.04 + 0.25 * 0.32, 1e-12);
}

TEST(features_of_unlike_spread_take_no_more_steps) {
  // Overlapping clusters whose features' spreads fall off like 1 / p; a feature that no row has changes
  // nothing.
  std::mt19937_64 random(8);
  const std::size_t n = 3000, P = 60;
  Instance it(random, n, P, 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < P; ++p) {
      double& x = it.X[i * P + p];
      x += it.labels[i] == 0 ? 0.2 : -0.2;
      x *= p == 7 ? 0.0 : 1.0 / (1.0 + static_cast<double>(p));
    }
  }
  const std::vector<double> group(P, 1e-4);
  MarginLoss loss(it.view(), it.labels, 2);
  const MarginFit fit = fit_margin(loss, {group, group, zeros(P)}, {}, 1e-6, 1000);
  CHECK(fit.converged);
  CHECK(fit.n_iter <= 40);
  CHECK(fit.W[7] == 0.0 && fit.W[P + 7] == 0.0);
  const MarginFit exact = fit_margin(loss, {group, group, zeros(P)}, fit.W, 1e-9, 5000);
  CHECK_NEAR(fit.objective, exact.objective, 1e-8);
}

TEST(margin_finds_what_is_not_finite) {
  std::mt19937_64 random(5);
  Instance it(random, 700, 90, 2);
  CHECK(first_nonfinite(it.view()) == -1);
  it.X[40'001] = std::numeric_limits<double>::infinity();
  CHECK(first_nonfinite(it.view()) == 40'001);
  it.X[7] = std::numeric_limits<double>::quiet_NaN();
  CHECK(first_nonfinite(it.view()) == 7);
  MarginLoss loss(it.view(), it.labels, 2);
  CHECK_THROWS(fit_margin(loss, {zeros(90), zeros(90), zeros(90)}, {}, 1e-6, 5), "NaN or infinite");
}

TEST(margin_rejects_bad_labels) {
  const std::vector<double> X{1.0, 2.0};
  const std::vector<std::int64_t> labels{0, 2};
  CHECK_THROWS(MarginLoss({X.data(), 2, 1}, labels, 2), "labels[1] is 2");
  CHECK_THROWS(MarginLoss({X.data(), 2, 1}, labels, 1), "at least 2");
  CHECK_THROWS(MarginLoss({X.data(), 0, 1}, {}, 2), "empty");
}
