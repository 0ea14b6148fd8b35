#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "common/instruction_set.hpp"
#include "common/parallel.hpp"
#include "distances/regression_tree.hpp"
#include "distances/triplet_loss.hpp"

using namespace cladebench;

namespace {

std::vector<double> normals(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<double> normal;
  std::vector<double> drawn(n);
  for (double& x : drawn) x = normal(random);
  return drawn;
}

}  // namespace

TEST(a_triplet_by_hand) {
  // Points 0, 1 and 1.2 on a line, the last of another class: d(0, 1) = 1, d(0, 2) = 1.44, d(1, 2) = 0.04.
  const std::vector<double> Z{0.0, 1.0, 1.2};
  TripletLoss loss(std::vector<std::int64_t>{7, 7, 3}, std::vector<std::int64_t>{1, 0, -1}, 0.25, 0.0);
  std::vector<double> product(3);
  const TripletLoss::Value value = loss.evaluate(Z.data(), 1, Z.data(), 1, product.data());
  CHECK_NEAR(value.loss, 0.75 * 2.0 + 0.25 * (0.56 + 1.96), 1e-14);
  CHECK(value.smoothed == value.loss);
  CHECK(value.slopes == 0.5);
  // Weights: 2 of (0, 1), -0.25 of (0, 2) and of (1, 2).
  CHECK_NEAR(product[0], 2.0 * -1.0 - 0.25 * -1.2, 1e-14);
  CHECK_NEAR(product[1], 2.0 * 1.0 - 0.25 * -0.2, 1e-14);
  CHECK_NEAR(product[2], -0.25 * (1.2 + 0.2), 1e-14);
}

TEST(targets_must_be_rows) {
  CHECK_THROWS(TripletLoss(std::vector<std::int64_t>{0, 1}, std::vector<std::int64_t>{2, 0}, 0.5, 0.0),
               "a target is not a row");
  CHECK_THROWS(TripletLoss(std::vector<std::int64_t>{0, 1}, std::vector<std::int64_t>{1}, 0.5, 0.0),
               "one row of targets");
}

TEST(losses_and_trees_are_the_same_on_any_number_of_threads) {
  std::mt19937_64 random(1);
  const std::size_t n = 300, d = 37;
  const std::vector<double> Z = normals(random, n * d);
  std::vector<std::int64_t> labels, targets;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(static_cast<std::int64_t>(i % 3));
    targets.push_back(static_cast<std::int64_t>((i + 3) % n));
    targets.push_back(i % 5 == 0 ? -1 : static_cast<std::int64_t>((i + 6) % n));
  }
  const int usual = max_threads();
  std::vector<std::vector<double>> products;
  std::vector<RegressionTree> trees;
  for (const int threads : {1, 2, 3}) {
    set_max_threads(threads);
    TripletLoss loss(labels, targets, 0.5, 0.1);
    std::vector<double> product(n * d);
    loss.evaluate(Z.data(), d, Z.data(), d, product.data());
    trees.push_back(TreeBuilder({Z.data(), n, d}).fit(product.data(), d, 4));
    products.push_back(std::move(product));
  }
  set_max_threads(usual);
  for (std::size_t k = 1; k < products.size(); ++k) {
    CHECK(products[k] == products[0]);
    CHECK(trees[k].threshold == trees[0].threshold && trees[k].values == trees[0].values);
    CHECK(trees[k].feature == trees[0].feature && trees[k].leaf == trees[0].leaf);
  }
}

TEST(a_tree_takes_the_first_of_equal_splits) {
  // Two equal features; outputs change between the second and the third row.
  const std::vector<double> X{0, 0, 1, 1, 2, 2, 3, 3}, outputs{1, 1, 5, 5};
  const RegressionTree tree = TreeBuilder({X.data(), 4, 2}).fit(outputs.data(), 1, 2);
  CHECK(tree.feature[0] == 0 && tree.threshold[0] == 1.5);
  // Nothing is left to gain below.
  CHECK(std::isinf(tree.threshold[1]) && std::isinf(tree.threshold[2]));
  CHECK((tree.leaf == std::vector<std::int32_t>{0, 0, 2, 2}));
  CHECK((tree.values == std::vector<double>{1, 0, 5, 0}));
  std::vector<double> Z{10.0, 20.0, 30.0, 40.0};
  add_trees({X.data(), 4, 2}, tree.feature.data(), tree.threshold.data(), tree.values.data(), 1, 2, 1,
            Z.data());
  CHECK((Z == std::vector<double>{11.0, 21.0, 35.0, 45.0}));
}
