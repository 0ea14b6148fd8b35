#include <limits>

#include "check.hpp"
#include "common/parallel.hpp"
#include "random_tree.hpp"
#include "trees/chunks.hpp"
#include "trees/measures.hpp"

using namespace cladebench;

namespace {

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

double enumerated_purity(const Tree& tree, const std::vector<std::int32_t>& labels) {
  double total = 0.0;
  Index pairs = 0;
  for (Index i = 0; i < tree.n_samples(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (labels[i] != labels[j]) continue;
      const Index v = tree.lca(tree.leaf_of[i], tree.leaf_of[j]);
      Index same = 0;
      for (Index k = tree.first[v]; k < tree.last[v]; ++k) same += labels[tree.sample_order[k]] == labels[i];
      total += static_cast<double>(same) / static_cast<double>(tree.sizes[v]);
      ++pairs;
    }
  }
  return total / static_cast<double>(pairs);
}

double enumerated_cost(const Tree& tree, const std::vector<double>& similarity) {
  double cost = 0.0;
  const Index n = tree.n_samples();
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double mean = (similarity[i * n + j] + similarity[j * n + i]) / 2;
      cost += mean * static_cast<double>(tree.sizes[tree.lca(tree.leaf_of[i], tree.leaf_of[j])]);
    }
  }
  return cost;
}

}  // namespace

TEST(purity_by_hand) {
  // ((a a) (a b)): the first pair has purity 1, the other two of class a meet at the root, of purity 3/4.
  const Tree tree({6, 6, 4, 4, 5, -1, 5}, {0, 1, 2, 3});
  CHECK_NEAR(dendrogram_purity(tree, std::vector<std::int32_t>{0, 0, 0, 1}, 2), (1.0 + 0.75 + 0.75) / 3,
             1e-15);
}

TEST(purity_rejects_bad_input) {
  const Tree tree({-1}, {0, 0});
  CHECK_THROWS(dendrogram_purity(tree, std::vector<std::int32_t>{0, 1}, 2), "no two samples share a class");
  CHECK_THROWS(dendrogram_purity(tree, std::vector<std::int32_t>{0, 2}, 2), "labels[1] is 2");
}

TEST(measures_of_random_trees_are_those_of_enumerated_pairs) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 150; ++trial) {
    const Index n = 2 + below(random, 150), d = 1 + below(random, 11);
    const Tree tree = random_tree(random, 1 + below(random, 60), n, 1 + below(random, 20));
    std::vector<std::int32_t> labels(n);
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(below(random, 3));
    labels[1] = labels[0];
    CHECK_NEAR(dendrogram_purity(tree, labels, 3), enumerated_purity(tree, labels), 1e-12);

    std::vector<double> similarity(n * n);
    for (double& s : similarity) s = uniform(random);
    const double cost = enumerated_cost(tree, similarity);
    for (Index i = 0; i < n; ++i) similarity[i * n + i] = std::numeric_limits<double>::quiet_NaN();
    CHECK_NEAR(dasgupta_cost_dense(tree, similarity), cost, 1e-12);

    std::vector<std::int64_t> row_ptr{0};
    std::vector<std::int32_t> column;
    std::vector<double> value, kept(n * n, 0.0);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        if (below(random, 4) != 0) continue;
        column.push_back(static_cast<std::int32_t>(j));
        value.push_back(similarity[i * n + j]);
        kept[i * n + j] = similarity[i * n + j];
      }
      row_ptr.push_back(static_cast<std::int64_t>(column.size()));
    }
    CHECK_NEAR(dasgupta_cost_sparse(tree, row_ptr, column, value), enumerated_cost(tree, kept), 1e-12);

    std::vector<double> X(n * d), gram(n * n, 0.0);
    for (double& x : X) x = uniform(random);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        for (Index k = 0; k < d; ++k) gram[i * n + j] += X[i * d + k] * X[j * d + k];
      }
    }
    CHECK_NEAR(dasgupta_cost_linear(tree, X, d), enumerated_cost(tree, gram), 1e-12);
  }
}

TEST(costs_of_many_samples_are_the_same_for_any_number_of_threads) {
  // Enough rows for the parallel loop: the trees above have too few.
  std::mt19937_64 random(3);
  const Index n = 9 * kRowsPerChunk + 7;
  const Tree tree = random_tree(random, n, n, 20);
  std::vector<double> similarity(n * n);
  for (double& s : similarity) s = uniform(random);
  std::vector<std::int64_t> row_ptr;
  std::vector<std::int32_t> column;
  for (Index i = 0; i <= n; ++i) row_ptr.push_back(i * n);
  for (Index k = 0; k < n * n; ++k) column.push_back(static_cast<std::int32_t>(k % n));
  const double expected = enumerated_cost(tree, similarity);
  const double dense = dasgupta_cost_dense(tree, similarity);
  const double sparse = dasgupta_cost_sparse(tree, row_ptr, column, similarity);
  CHECK_NEAR(dense, expected, 1e-12);
  CHECK_NEAR(sparse, expected, 1e-12);
  const int before = max_threads();
  for (const int threads : {1, 2, 5}) {
    set_max_threads(threads);
    CHECK(dasgupta_cost_dense(tree, similarity) == dense);
    CHECK(dasgupta_cost_sparse(tree, row_ptr, column, similarity) == sparse);
  }
  set_max_threads(before);
}

TEST(an_exception_in_a_chunk_reaches_the_caller) {
  for (const Index n : {1, 5000}) {
    const auto fails = [](Index, Index end) -> double {
      throw std::invalid_argument("up to " + std::to_string(end));
    };
    CHECK_THROWS(sum_over_chunks(n, fails), "up to ");
  }
  CHECK(sum_over_chunks(0, [](Index, Index) { return 1.0; }) == 0.0);
  CHECK(sum_over_chunks(1000, [](Index begin, Index end) { return static_cast<double>(end - begin); }) ==
        1000.0);
}

TEST(sparse_cost_rejects_bad_input) {
  const Tree tree({-1}, {0, 0});
  const auto cost = [&](std::vector<std::int64_t> row_ptr, std::vector<std::int32_t> column) {
    return dasgupta_cost_sparse(tree, row_ptr, column, std::vector<double>{1.0, 1.0});
  };
  CHECK(cost({0, 1, 2}, {1, 0}) == 2.0);
  CHECK_THROWS(cost({0, 1, 2}, {2, 0}), "column 2 among the indices of row 0; expected 0..1");
  CHECK_THROWS(cost({0, 1, 2}, {1, -1}), "column -1 among the indices of row 1");
  for (const std::vector<std::int64_t>& row_ptr :
       std::vector<std::vector<std::int64_t>>{{0, 2}, {-1, 1, 2}, {0, 2, 1}, {0, 1, 3}}) {
    CHECK_THROWS(cost(row_ptr, {1, 0}), "row pointers that ascend from 0 to the number of entries, 2");
  }
}
