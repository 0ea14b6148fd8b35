#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "check.hpp"
#include "splits/convex_split.hpp"
#include "splits/max_margin_split.hpp"
#include "splits/scatter_start.hpp"
#include "splits/split_labels.hpp"

using namespace cladebench;

namespace {

/// Random rows, of which a node has some, with some of the features.
struct Node {
  Node(std::mt19937_64& random, std::size_t n, std::size_t d, std::size_t n_must, std::size_t n_cannot)
      : X(2 * n * (d + 3)) {
    std::normal_distribution<double> normal;
    for (double& x : X) x = normal(random);
    for (std::uint32_t i = 0; i < n; ++i) rows.push_back(2 * i + random() % 2);
    for (std::uint32_t j = 0; j < d; ++j) features.push_back(j + 1);
    const auto draw = [&](std::size_t count, std::vector<Pair>& pairs) {
      while (n > 1 && pairs.size() < count) {
        const auto a = static_cast<std::uint32_t>(random() % n), b = static_cast<std::uint32_t>(random() % n);
        if (a != b) pairs.push_back({a, b});
      }
    };
    draw(n_must, must);
    draw(n_cannot, cannot);
  }
  NodeProblem problem() const { return {X.data(), features.size() + 3, rows, features, must, cannot, 7}; }
  double value(std::size_t i, std::size_t j) const {  // of row i, with the constant
    return j < features.size() ? X[rows[i] * (features.size() + 3) + features[j]] : 1.0;
  }
  std::vector<double> X;
  std::vector<std::uint32_t> rows, features;
  std::vector<Pair> must, cannot;
};

std::vector<std::uint32_t> in_order(std::size_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

}  // namespace

TEST(products_of_tiles_are_plain_sums) {
  std::mt19937_64 random(1);
  for (const std::size_t n : {1, 15, 16, 17, 130, 2100}) {
    const Node node(random, n, 5, 0, 0);
    const PointTiles points(node.problem(), in_order(n));
    const std::vector<double> w{0.5, -1.0, 0.25, 2.0, -0.75, 3.0};
    const std::size_t count = n - n / 3;  // the first of them
    Floats scores(PointTiles::room(n)), c(PointTiles::room(n));
    points.scores(w.data(), count, scores.data());
    std::vector<double> sum(6), expected(6);
    for (std::size_t i = 0; i < count; ++i) {
      double score = 0.0;
      c[i] = static_cast<float>(i % 7) - 3.0F;
      for (std::size_t j = 0; j < 6; ++j) {
        score += w[j] * node.value(i, j);
        expected[j] += static_cast<double>(c[i]) * node.value(i, j);
      }
      CHECK(std::abs(static_cast<double>(scores[i]) - score) < 1e-5);
    }
    points.combine(c.data(), count, sum.data());
    for (std::size_t j = 0; j < 6; ++j) CHECK(std::abs(sum[j] - expected[j]) < 1e-5 * static_cast<double>(n));
  }
}

TEST(terms_and_their_cuts_by_hand) {
  HingeTerms terms;
  terms.begin_group(0.5);
  terms.add(0, 0, 1.0F, 1, 1.0F);   // min(u, v) = -1: loss 3, by its second point
  terms.add(1, 0, 1.0F, 1, -1.0F);  // min(2, 1): no loss
  terms.end_group();
  terms.begin_group(2.0);
  terms.add(2, 2, -1.0F, 2, -1.0F);  // -0.25: loss 1.5
  terms.end_group();
  const float scores[] = {2.0F, -1.0F, 0.25F}, steps[] = {0.0F, 1.0F, -1.0F};
  TermScores at, step;
  terms.gather(scores, HingeTerms::kSatisfied, at);
  terms.gather(steps, 0.0F, step);
  CHECK_NEAR(terms.loss(at), 0.5 * 3.0 + 2.0 * 1.5, 1e-6);
  const HingeTerms::Value there = terms.along(at, step, 0.5);  // -0.5 and 0.25; the other term: min(2, 0.5)
  CHECK_NEAR(there.loss, 0.5 * 2.0 + 2.0 * 0.5, 1e-6);
  CHECK_NEAR(there.slope, 0.5 * -2.0 + 2.0 * -2.0, 1e-6);
  Floats coefficients(kFloatLanes);
  CHECK_NEAR(terms.cut(at, 3, coefficients.data()), 2.5, 1e-6);
  CHECK(coefficients[0] == 0.0F && coefficients[1] == -1.0F && coefficients[2] == 4.0F);
}

TEST(dual_of_the_planes) {
  // max over shares a, b (the rest is of the plane 0) of 2 a + b - (4 a^2 + b^2) / (2 * 1): a = 0.4, b = 0.6.
  CuttingPlanes planes(2, 1.0);
  CHECK(planes.solve(0.0) == 0.0);
  const double first[] = {2.0, 0.0}, second[] = {0.0, 1.0};
  planes.add(2.0, first);
  planes.add(1.0, second);
  CHECK_NEAR(planes.solve(1e-12), 0.9, 1e-9);
  double w[2];
  planes.minimiser(w);
  CHECK_NEAR(w[0], -0.8, 1e-6);
  CHECK_NEAR(w[1], -0.6, 1e-6);
  // The same planes again, and nearly the same ones, change nothing.
  for (int k = 0; k < 20; ++k) {
    const double nearly[] = {2.0 + 1e-13 * k, 1e-14 * k};
    planes.add(2.0, nearly);
    planes.add(1.0, second);
    CHECK_NEAR(planes.solve(1e-12), 0.9, 1e-9);
  }
}

TEST(bound_rises_when_planes_are_merged) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  CuttingPlanes few(8, 0.01, 4), many(8, 0.01, 200);
  double last = 0.0;
  for (int k = 0; k < 100; ++k) {
    double slope[8];
    for (double& entry : slope) entry = normal(random);
    few.add(1.0, slope);
    many.add(1.0, slope);
    const double bound = few.solve(1e-9);
    CHECK(std::isfinite(bound) && bound >= last * (1.0 - 1e-9));
    CHECK(bound <= many.solve(1e-9) * (1.0 + 1e-6) + 1e-9);
    last = bound;
  }
  CHECK(last > 0.0);
}

TEST(convex_value_and_bound_meet) {
  std::mt19937_64 random(3);
  for (const std::size_t n : {2, 20, 300}) {
    const Node node(random, n, 11, n, n);
    const SplitSettings settings;
    RelaxedLabels labels(node.problem(), settings);
    const PointTiles points(node.problem(), labels.order());
    Floats scores(PointTiles::room(n));
    HingeTerms terms;
    std::vector<double> w(12, 0.3);
    points.scores(w.data(), n, scores.data());
    labels.choose(scores.data(), true, terms);
    ConvexSplit convex(points, 0.01);
    convex.pose(terms, n, w, false);
    double value = convex.value(), bound = 0.0;
    for (const double gap : {0.5, 0.1, 1e-3}) {
      CHECK(convex.minimise(gap, 5000));
      CHECK(convex.value() <= value && convex.bound() >= bound);
      CHECK(convex.value() - convex.bound() <= gap * convex.value() + 1e-6);
      value = convex.value();
      bound = convex.bound();
    }
    ConvexSplit other(points, 0.01);
    other.pose(terms, n, std::vector<double>(12), true);
    CHECK(other.minimise(1e-3, 5000));
    CHECK(other.bound() <= value * (1.0 + 1e-5) && bound <= other.value() * (1.0 + 1e-5));
  }
}

TEST(chosen_cannot_links_and_flips_with_ties) {
  const std::vector<double> X{1.0, -1.0, 2.0, -2.0, 1.0};
  const std::vector<std::uint32_t> rows = in_order(5), features{0};
  // Margins 2, 2, 4, -2: half of them are the third and the first.
  const std::vector<Pair> cannot{{0, 1}, {1, 4}, {2, 3}, {0, 4}};
  SplitSettings settings;
  settings.share = 0.5;
  RelaxedLabels relaxed({X.data(), 1, rows, features, {}, cannot, 0}, settings);
  HingeTerms terms;
  const float scores[] = {1.0F, -1.0F, 2.0F, -2.0F, 1.0F};
  relaxed.choose(scores, true, terms);
  CHECK(terms.groups().size() == 1 && terms.groups()[0].end == 2);
  CHECK(terms.terms()[0].key == 0 && terms.terms()[1].key == 2);
  // Two of five on each side: the first of the nearest to 0 is flipped.
  settings.membership = 0.4;
  BalancedLabels balanced(5, settings);
  CHECK(balanced.least() == 2);
  const float positive[] = {3.0F, 1.0F, 2.0F, 1.0F, 0.5F};
  balanced.choose(positive, terms);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(terms.terms()[i].signs[0] == (i == 1 || i == 4 ? -1.0F : 1.0F));
  }
  CHECK(BalancedLabels(1, settings).least() == 0 && BalancedLabels(2, settings).least() == 1);
}

TEST(sums_of_tiles_are_those_of_lanes_in_their_order) {
  std::mt19937_64 random(6);
  for (std::size_t n_tiles = 1; n_tiles <= 18; ++n_tiles) {
    const std::size_t n = n_tiles * kFloatLanes;
    const Node node(random, n, 3, 0, 0);
    const PointTiles points(node.problem(), in_order(n));
    const std::vector<double> w{0.3, -1.1, 0.7, 2.3};
    Floats scores(n), c(n);
    for (float& entry : c) entry = static_cast<float>(random() % 1000) / 7.0F - 60.0F;
    points.scores(w.data(), n, scores.data());
    std::vector<double> sum(4);
    points.combine(c.data(), n, sum.data());
    for (std::size_t i = 0; i < n; ++i) {
      float score = 0.0F;
      for (std::size_t j = 0; j < 4; ++j) score += static_cast<float>(w[j]) * points.at(i, j);
      CHECK(scores[i] == score);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      alignas(64) float lanes[kFloatLanes] = {};
      for (std::size_t i = 0; i < n; ++i) lanes[i % kFloatLanes] += c[i] * points.at(i, j);
      CHECK(sum[j] == fold_floats(lanes));
    }
  }
}

TEST(chosen_cannot_links_are_the_first_of_a_stable_order) {
  std::mt19937_64 random(7);
  const std::vector<double> X(12, 1.0);
  const std::vector<std::uint32_t> rows = in_order(12), features{0};
  for (int draw = 0; draw < 300; ++draw) {
    std::vector<Pair> cannot;
    for (std::size_t k = 0; k < 1 + random() % 20; ++k) {
      const auto a = static_cast<std::uint32_t>(random() % 12);
      cannot.push_back({a, static_cast<std::uint32_t>((a + 1 + random() % 11) % 12)});
    }
    float scores[12];  // few values: many ties, zeros of both signs and what overflows among them
    for (float& score : scores) score = static_cast<float>(random() % 5) - 2.0F;
    if (draw % 3 == 0) scores[0] = -0.0F;
    if (draw % 5 == 0) scores[1] = std::numeric_limits<float>::quiet_NaN();
    SplitSettings settings;
    settings.share = static_cast<double>(1 + random() % 10) / 10.0;
    RelaxedLabels labels({X.data(), 1, rows, features, {}, cannot, 0}, settings);
    HingeTerms terms;
    const std::vector<std::uint32_t> order(labels.order().begin(), labels.order().end());
    labels.choose(scores, false, terms);
    std::vector<float> margins;
    for (const Pair& pair : cannot) {
      const auto at = [&](std::uint32_t row) {
        return scores[std::find(order.begin(), order.end(), row) - order.begin()];
      };
      const float a = at(pair.first), b = at(pair.second);
      const float least = 2 * std::min(std::abs(a), std::abs(b)),
                  margin = (a < 0) == (b < 0) ? -least : least;
      margins.push_back(std::isnan(margin) ? -std::numeric_limits<float>::infinity() : margin);
    }
    std::vector<std::uint32_t> expected = in_order(cannot.size());
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t k, std::uint32_t l) { return margins[k] > margins[l]; });
    expected.resize(terms.groups()[0].end);
    std::sort(expected.begin(), expected.end());
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(terms.terms()[k].key == expected[k]);
  }
}

TEST(splits_of_tiny_and_degenerate_nodes) {
  std::mt19937_64 random(4);
  for (const std::size_t n : {1, 2, 3}) {
    for (const std::size_t d : {1, 40}) {
      for (const std::size_t n_pairs : {0, 1, 5}) {
        Node node(random, n, d, n_pairs, n_pairs);
        for (int equal = 0; equal < 2; ++equal) {
          const SplitFit fit = max_margin_split(node.problem(), {});
          CHECK(fit.weights.size() == d + 1 && fit.converged);
          for (const double entry : fit.weights) CHECK(std::isfinite(entry));
          CHECK(fit.gap >= 0.0 && fit.gap <= 0.01 * fit.trace.back() + 1e-6);
          std::fill(node.X.begin(), node.X.end(), 2.0);
        }
      }
    }
  }
  Node none(random, 2, 1, 0, 0);
  none.rows.clear();
  CHECK_THROWS(max_margin_split(none.problem(), {}), "no rows");
}

TEST(both_points_of_a_separable_node_are_told_apart) {
  std::mt19937_64 random(5);
  const Node node(random, 2, 85, 0, 0);
  const SplitFit fit = max_margin_split(node.problem(), {});
  double scores[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 86; ++j) scores[i] += fit.weights[j] * node.value(i, j);
  }
  CHECK(scores[0] * scores[1] < 0.0);
  // |w| = 1 / |x - y| for margins of 1: the objective of the hard margin.
  double square = 0.0;
  for (std::size_t j = 0; j < 85; ++j) square += std::pow(node.value(0, j) - node.value(1, j), 2);
  CHECK(fit.objective <= 0.005 / square * 4.0 && fit.objective >= 0.005 / square * 0.9);
}
