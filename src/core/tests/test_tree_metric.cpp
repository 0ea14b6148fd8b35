#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "trees/tree_metric.hpp"

using cladebench::TreeParents;
using Values = std::vector<double>;

namespace {

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

Values random_distances(std::mt19937_64& random, std::size_t k) {
  Values D(k * k, 0.0);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < i; ++j) D[i * k + j] = D[j * k + i] = uniform(random);
  }
  return D;
}

/// Each point in turn hangs on an edge drawn at random.
TreeParents random_binary(std::mt19937_64& random, std::size_t k) {
  if (k == 1) return {-1};
  TreeParents parents(k, -1), nodes{1};
  parents[1] = 0;
  for (std::size_t point = 2; point < k; ++point) {
    const std::int64_t inner = static_cast<std::int64_t>(parents.size());
    const std::int64_t below = nodes[random() % nodes.size()];
    parents.push_back(parents[below]);
    parents[below] = parents[point] = inner;
    nodes.insert(nodes.end(), {inner, static_cast<std::int64_t>(point)});
  }
  return parents;
}

double squares(std::size_t k, const Values& D, const Values& fitted) {
  double sum = 0.0;
  for (std::size_t i = 0; i < k * k; ++i) sum += (D[i] - fitted[i]) * (D[i] - fitted[i]) / 2.0;
  return sum;
}

double squares_of(std::size_t k, const Values& D, const TreeParents& tree) {
  return squares(k, D, cladebench::path_distances(k, tree, cladebench::nonnegative_lengths(D, k, tree)));
}

/// Whether node v is on the way from a point to the root.
bool passes(const TreeParents& parents, std::int64_t point, std::int64_t v) {
  while (point != -1 && point != v) point = parents[point];
  return point == v;
}

}  // namespace

TEST(tree_metric_by_hand) {
  // Points 0 and 1 on one side of an edge of length 4, 2 and 3 on the other.
  const Values D{0, 3, 6, 7, 3, 0, 7, 8, 6, 7, 0, 3, 7, 8, 3, 0};
  const TreeParents tree = cladebench::neighbor_joining(D, 4);
  // Point 0 is the root, below it the inner node of 0 and 1.
  CHECK(tree[tree[1]] == 0 && tree[2] == tree[3] && tree[tree[2]] == tree[1]);
  const Values lengths = cladebench::nonnegative_lengths(D, 4, tree);
  CHECK(squares(4, D, cladebench::path_distances(4, tree, lengths)) < 1e-24);
  CHECK(cladebench::four_point_excess(D, 4) == 0.0);
  double total = 0.0;
  for (const double x : lengths) total += x;
  CHECK_NEAR(total, 10.0, 1e-14);
}

TEST(tree_metric_lengths_meet_their_conditions) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t k = 1 + random() % 20;
    const Values D = random_distances(random, k);
    const TreeParents tree = random_binary(random, k);
    const Values x = cladebench::nonnegative_lengths(D, k, tree);
    const Values fitted = cladebench::path_distances(k, tree, x);
    for (std::size_t v = 1; v < tree.size(); ++v) {
      double slope = 0.0, across = 0.0;
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const std::int64_t node = static_cast<std::int64_t>(v);
          if (passes(tree, static_cast<std::int64_t>(i), node) ==
              passes(tree, static_cast<std::int64_t>(j), node)) {
            continue;
          }
          slope += D[i * k + j] - fitted[i * k + j];
          across += D[i * k + j];
        }
      }
      CHECK(x[v] >= 0.0);
      CHECK(x[v] > 0.0 ? std::abs(slope) <= 1e-11 * (1.0 + across) : slope <= 1e-11 * (1.0 + across));
    }
  }
}

TEST(tree_metric_of_a_tree_is_recovered) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60; ++round) {
    const std::size_t k = 2 + random() % 15;
    const TreeParents tree = random_binary(random, k);
    Values lengths(tree.size());
    for (double& x : lengths) x = random() % 4 == 0 ? 0.0 : uniform(random);
    const Values D = cladebench::path_distances(k, tree, lengths);
    CHECK(cladebench::four_point_excess(D, k) < 1e-13);
    CHECK(squares_of(k, D, cladebench::neighbor_joining(D, k)) < 1e-24);
    if (k <= 7) CHECK(squares_of(k, D, cladebench::best_of_all_trees(D, k)) < 1e-24);
  }
}

TEST(tree_metric_searches_are_ordered) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    const std::size_t k = 4 + random() % 4;
    const Values D = random_distances(random, k);
    const TreeParents start = random_binary(random, k);
    const TreeParents found = cladebench::search_trees(D, k, start, 2 * k);
    const double best = squares_of(k, D, cladebench::best_of_all_trees(D, k));
    CHECK(best <= squares_of(k, D, found) * (1.0 + 1e-8));
    CHECK(squares_of(k, D, found) <= squares_of(k, D, start) * (1.0 + 1e-8));
    for (int other = 0; other < 20; ++other) {
      CHECK(best <= squares_of(k, D, random_binary(random, k)) * (1.0 + 1e-8));
    }
  }
}

TEST(tree_metric_without_distances) {
  for (std::size_t k = 1; k < 8; ++k) {
    const Values D(k * k, 0.0);
    for (const TreeParents& tree :
         {cladebench::neighbor_joining(D, k), cladebench::best_of_all_trees(D, k)}) {
      CHECK(cladebench::nonnegative_lengths(D, k, tree) == Values(tree.size(), 0.0));
    }
    CHECK(cladebench::four_point_excess(D, k) == 0.0);
  }
}

TEST(tree_metric_refuses_what_is_no_tree) {
  const Values D(16, 1.0);
  CHECK_THROWS(cladebench::nonnegative_lengths(D, 4, {4, 4, 4, 4, -1}), "point 0 as its root");
  CHECK_THROWS(cladebench::nonnegative_lengths(D, 4, {-1, 4, 4, 4, 5, 4}), "point 0 as its root");
  CHECK_THROWS(cladebench::nonnegative_lengths(D, 4, {-1, 0, 0, 0}), "degree");
  CHECK_THROWS(cladebench::path_distances(4, {-1, 5, 5, 5, 0, 4}, Values(6)), "degree 2");
  CHECK_THROWS(cladebench::search_trees(D, 4, {-1, 4, 4, 4, 0}, 8), "binary");
}
