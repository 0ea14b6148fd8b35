#include <algorithm>
#include <cstddef>

#include "check.hpp"
#include "random_tree.hpp"
#include "trees/pair_sums.hpp"

using namespace cladebench;

namespace {

std::vector<Wide> enumerated(const Tree& tree, const std::vector<std::int32_t>& labels, Index n_classes,
                             const std::vector<Index>& weights, const std::vector<Index>& values) {
  Index deepest = 0;
  for (const Index node : tree.leaf_of) deepest = std::max(deepest, tree.depths[node]);
  std::vector<Wide> sums(deepest + 1, 0);
  for (Index i = 0; i < tree.n_samples(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const Index a = tree.leaf_of[i], b = tree.leaf_of[j];
      sums[std::max(tree.depths[a], tree.depths[b])] +=
          static_cast<Wide>(values[tree.lca(a, b)]) *
          static_cast<Wide>(weights[labels[i] * n_classes + labels[j]]);
    }
  }
  return sums;
}

}  // namespace

TEST(pair_sums_by_hand) {
  // ((0 1) 2): samples 0 and 1 meet at node 1 (value 10) at depth 2, sample 2 at depth 1 meets both at the
  // root.
  const Tree tree({-1, 0, 1, 1, 0}, {2, 3, 4});
  const std::vector<Index> weights{0, 3, 3, 1}, values{7, 10, 0, 0, 0};
  const auto sums = pair_sums(tree, std::vector<std::int32_t>{0, 1, 1}, 2, weights, values);
  CHECK(sums.size() == 3 && sums[0] == 0 && sums[1] == 0);
  CHECK(sums[2] == 10 * 3 + 7 * 3 + 7 * 1);
}

TEST(pair_sums_of_random_trees_are_those_of_enumerated_pairs) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 400; ++trial) {
    const Index n = 1 + below(random, 60), n_classes = 1 + below(random, 6);
    const Tree tree = random_tree(random, 1 + below(random, 50), n, 1 + below(random, 20));
    std::vector<std::int32_t> labels(n);
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(below(random, n_classes));
    std::vector<Index> weights(n_classes * n_classes), values(tree.n_nodes());
    for (Index c = 0; c < n_classes; ++c) {
      for (Index d = 0; d <= c; ++d)
        weights[c * n_classes + d] = weights[d * n_classes + c] = below(random, 9);
    }
    for (Index& value : values) value = below(random, 7);
    CHECK(pair_sums(tree, labels, static_cast<std::int32_t>(n_classes), weights, values) ==
          enumerated(tree, labels, n_classes, weights, values));
  }
}

TEST(pair_sums_beyond_64_bits) {
  const Tree tree({-1}, {0, 0, 0});
  const Index large = Index{1} << 60;
  const auto sums = pair_sums(tree, std::vector<std::int32_t>{0, 0, 0}, 1, std::vector<Index>{large},
                              std::vector<Index>{large});
  CHECK(sums.size() == 1 && sums[0] == static_cast<Wide>(3) << 120);
  // What is owed to deeper levels too: three samples on a chain, the first two owing to the third.
  const Tree chain({-1, 0, 1}, {0, 1, 2});
  const auto owed = pair_sums(chain, std::vector<std::int32_t>{0, 0, 0}, 1, std::vector<Index>{large},
                              std::vector<Index>{1, large, 0});
  CHECK(owed[1] == static_cast<Wide>(large));
  CHECK(owed[2] == static_cast<Wide>(large) + (static_cast<Wide>(1) << 120));
}

TEST(pair_sums_reject_bad_input) {
  const Tree tree({-1, 0}, {1, 1});
  const auto sums = [&](std::vector<std::int32_t> labels, std::vector<Index> weights,
                        std::vector<Index> values) { return pair_sums(tree, labels, 1, weights, values); };
  CHECK_THROWS(sums({0, 1}, {1}, {1, 1}), "labels[1] is 1; expected a class 0..0");
  CHECK_THROWS(sums({-1, 0}, {1}, {1, 1}), "labels[0] is -1");
  CHECK_THROWS(sums({0, 0}, {-2}, {1, 1}), "weights: entry 0 is -2");
  CHECK_THROWS(sums({0, 0}, {1}, {1, -3}), "values: entry 1 is -3");
  const Index large = Index{1} << 62;
  CHECK_THROWS(sums({0, 0}, {large}, {1, 1}), "too large");
  const Tree eight({-1, 0}, std::vector<Index>(8, 1));
  CHECK_THROWS(pair_sums(eight, std::vector<std::int32_t>(8, 0), 1, std::vector<Index>{large / 8},
                         std::vector<Index>{large, 1}),
               "could exceed 128 bits");
}
