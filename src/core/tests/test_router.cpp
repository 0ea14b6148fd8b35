#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "common/elementary.hpp"
#include "common/instruction_set.hpp"
#include "common/products.hpp"
#include "margin/router_steps.hpp"

using namespace cladebench;

namespace {

struct ExpAndLog {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* x, const double* y, std::size_t n, double* exps,
                                    double* logs) {
    for (std::size_t k = 0; k < n; k += V::kWidth) {
      const typename V::Vec of_exp = at<V>(x + k), of_log = at<V>(y + k);
      typename V::Vec found;
      exp_of_negative<V>(of_exp, found);
      at<V>(exps + k) = found;
      log_of_positive<V>(of_log, found);
      at<V>(logs + k) = found;
    }
  }
};

/// One tree of routers with random points, parameters and samples of one step.
struct Instance {
  Instance(std::mt19937_64& random, RouterKind kind, std::size_t leaves)
      : n(12),
        n_leaves(leaves),
        shape{kind, 3, kind == RouterKind::linear ? std::size_t{0} : std::size_t{5}},
        X(n * 3),
        params((2 * leaves - 2) * shape.n_params()),
        similarity(4) {
    std::normal_distribution<double> normal;
    for (double& x : X) x = normal(random);
    for (double& p : params) p = normal(random);
    for (double& s : similarity) s = normal(random);
    for (std::size_t b = 0; b < 4; ++b) {
      first.push_back(static_cast<std::int32_t>(random() % n));
      second.push_back(
          static_cast<std::int32_t>((static_cast<std::size_t>(first[b]) + 1 + random() % (n - 1)) % n));
      for (int s = 0; s < 2; ++s) others.push_back(static_cast<std::int32_t>(random() % n));
    }
  }

  double score(const std::vector<double>& theta, std::size_t node, std::size_t x) const {
    const double* p = theta.data() + (node - 1) * shape.n_params();
    const double* point = X.data() + x * 3;
    if (shape.kind == RouterKind::linear) return p[0] * point[0] + p[1] * point[1] + p[2] * point[2] + p[3];
    const std::size_t h = shape.hidden_size;
    double sum = p[5 * h];
    for (std::size_t k = 0; k < h; ++k) {
      const double z = p[k] * point[0] + p[h + k] * point[1] + p[2 * h + k] * point[2] + p[3 * h + k];
      sum += p[4 * h + k] * (shape.kind == RouterKind::tanh ? std::tanh(z) : std::max(z, 0.0));
    }
    return sum;
  }

  /// Pr[x -> node], by the path to the root.
  double path(const std::vector<double>& theta, std::size_t node, std::size_t x) const {
    if (node == 0) return 1.0;
    const std::size_t sibling = node % 2 == 1 ? node + 1 : node - 1;
    const double margin = score(theta, node, x) - score(theta, sibling, x);
    return path(theta, (node - 1) / 2, x) / (1.0 + std::exp(-margin));
  }

  double cost(const std::vector<double>& theta, bool leaf_term, double penalty) const {
    double total = 0.0;
    for (std::size_t b = 0; b < 4; ++b) {
      const auto i = static_cast<std::size_t>(first[b]), j = static_cast<std::size_t>(second[b]);
      for (std::size_t v = 0; v < 2 * n_leaves - 1; ++v) {
        const bool leaf = v >= n_leaves - 1;
        const std::size_t l = 2 * v + 1, r = l + 1;
        const double lca =
            leaf ? path(theta, v, i) * path(theta, v, j)
                 : path(theta, l, i) * path(theta, r, j) + path(theta, r, i) * path(theta, l, j);
        double fraction = 0.0;
        for (std::size_t s = 0; s < 2; ++s) {
          fraction += 0.5 * path(theta, v, static_cast<std::size_t>(others[2 * b + s]));
        }
        if (!leaf || leaf_term) total += 0.25 * similarity[b] * lca * fraction;
        total -= 0.25 * penalty * lca * std::log(lca);
      }
    }
    return total;
  }

  std::size_t n, n_leaves;
  RouterShape shape;
  std::vector<double> X, params, similarity;
  std::vector<std::int32_t> first, second, others;
};

}  // namespace

TEST(exponentials_and_logarithms_are_those_of_the_library) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-707.0, 0.0), little(-1.0, 0.0);
  std::vector<double> x(4096), y(4096), exps(4096), logs(4096);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = k % 2 ? exponent(random) : little(random);
  x[0] = 0.0, x[1] = -0.0, x[2] = -1e-300, x[3] = -1e4, x[4] = -708.0;
  for (std::size_t k = 0; k < x.size(); ++k) y[k] = k == 0 ? 0.0 : std::exp(k % 3 ? x[k] : -10.0 * x[k]);
  for (const std::string& name : instruction_sets()) {
    use_instruction_set(name);
    run_kernel<ExpAndLog>(x.data(), y.data(), x.size(), exps.data(), logs.data());
    for (std::size_t k = 0; k < x.size(); ++k) {
      CHECK_NEAR(exps[k], std::exp(std::max(x[k], -708.0)), 4e-16);
      CHECK_NEAR(logs[k], std::log(std::max(y[k], 1e-300)), 4e-16);
    }
  }
}

TEST(a_product_is_summed_in_order_whatever_the_tiles) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 40; ++round) {
    const std::size_t rows = 1 + random() % 20, terms = random() % 150, width = kLanes * (1 + random() % 5);
    std::vector<double> A(rows * terms), B(terms * width), start(rows * width);
    for (std::vector<double>* each : {&A, &B, &start}) {
      for (double& value : *each) value = normal(random);
    }
    std::vector<double> expected = start;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < width; ++c) {
        for (std::size_t k = 0; k < terms; ++k) expected[r * width + c] += A[k * rows + r] * B[k * width + c];
      }
    }
    for (const std::string& name : instruction_sets()) {
      use_instruction_set(name);
      std::vector<double> C = start;
      run_kernel<AddProduct>(Strided{A.data(), 1, rows}, B.data(), rows, terms, width, C.data());
      CHECK(C == expected);
    }
  }
}

TEST(a_step_goes_down_the_gradient_of_the_sampled_cost) {
  std::mt19937_64 random(3);
  for (const RouterKind kind : {RouterKind::linear, RouterKind::tanh, RouterKind::relu}) {
    for (const std::size_t n_leaves : {2, 4, 8}) {
      for (const bool leaf_term : {false, true}) {
        const double penalty = leaf_term ? 0.3 : 0.0;
        Instance it(random, kind, n_leaves);
        RouterSteps steps({it.X.data(), it.n, 3}, it.shape, n_leaves);
        const Samples samples{
            it.first.data(), it.second.data(), it.others.data(), it.similarity.data(), 1, 4, 2, 4};
        std::vector<double> moved = it.params, none(it.params.size()), others(it.params.size());
        const double cost = steps.take(samples, {false, leaf_term, penalty, 1.0, 0}, moved.data(),
                                       none.data(), others.data());
        CHECK_NEAR(cost, it.cost(it.params, leaf_term, penalty), 1e-12);
        for (std::size_t k = 0; k < moved.size(); ++k) {
          std::vector<double> near = it.params;
          near[k] = it.params[k] + 1e-5;
          const double above = it.cost(near, leaf_term, penalty);
          near[k] = it.params[k] - 1e-5;
          const double slope = (above - it.cost(near, leaf_term, penalty)) / 2e-5;
          CHECK(std::abs(it.params[k] - moved[k] - slope) < 1e-8);
        }
      }
    }
  }
}

TEST(samples_beyond_the_points_are_refused) {
  std::mt19937_64 random(4);
  Instance it(random, RouterKind::linear, 4);
  it.others[3] = 12;
  RouterSteps steps({it.X.data(), it.n, 3}, it.shape, 4);
  std::vector<double> moments(it.params.size());
  const Samples samples{
      it.first.data(), it.second.data(), it.others.data(), it.similarity.data(), 1, 4, 2, 4};
  CHECK_THROWS(
      steps.take(samples, {false, true, 0.0, 1.0, 0}, it.params.data(), moments.data(), moments.data()),
      "expected 0..11");
}

TEST(steps_taken_together_are_those_taken_one_by_one) {
  std::mt19937_64 random(5);
  Instance it(random, RouterKind::tanh, 4), other(random, RouterKind::tanh, 4);
  it.first.insert(it.first.end(), other.first.begin(), other.first.end());
  it.second.insert(it.second.end(), other.second.begin(), other.second.end());
  it.others.insert(it.others.end(), other.others.begin(), other.others.end());
  it.similarity.insert(it.similarity.end(), other.similarity.begin(), other.similarity.end());
  const auto drawn = [&](std::size_t from, std::size_t n_steps) {
    return Samples{it.first.data() + 4 * from,
                   it.second.data() + 4 * from,
                   it.others.data() + 8 * from,
                   it.similarity.data() + 4 * from,
                   n_steps,
                   4,
                   2,
                   4};
  };
  RouterSteps steps({it.X.data(), it.n, 3}, it.shape, 4);
  std::vector<double> both = it.params, single = it.params, m(both.size()), v(both.size()), m1 = m, v1 = v;
  steps.take(drawn(0, 2), {true, true, 0.1, 0.3, 0}, both.data(), m.data(), v.data());
  steps.take(drawn(0, 1), {true, true, 0.1, 0.3, 0}, single.data(), m1.data(), v1.data());
  steps.take(drawn(1, 1), {true, true, 0.1, 0.3, 1}, single.data(), m1.data(), v1.data());
  CHECK(both == single && m == m1 && v == v1);
}
