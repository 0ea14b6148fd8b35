#include <set>

#include "check.hpp"
#include "random_tree.hpp"
#include "trees/tree.hpp"

using cladebench::Index;
using cladebench::Tree;

namespace {

std::vector<Index> path_to_root(const Tree& tree, Index v) {
  std::vector<Index> path{v};
  while (tree.parents[path.back()] != -1) path.push_back(tree.parents[path.back()]);
  return path;
}

}  // namespace

TEST(tree_of_one_node) {
  const Tree tree({-1}, {0, 0});
  CHECK(tree.root == 0 && tree.sizes == std::vector<Index>{2} && tree.own_end(0) == 2);
  CHECK(tree.lca(0, 0) == 0);
}

TEST(tree_layout_by_hand) {
  // Root 3 with children 0 (samples 2 and 4) and 2; 2 has the leaf 1 (sample 0) and sample 1 itself; sample 3
  // sits at the root.
  const Tree tree({3, 2, 3, -1}, {1, 2, 0, 3, 0});
  CHECK(tree.root == 3);
  CHECK((tree.preorder == std::vector<Index>{3, 0, 2, 1}));
  CHECK((tree.sample_order == std::vector<Index>{3, 2, 4, 1, 0}));
  CHECK((tree.sizes == std::vector<Index>{2, 1, 2, 5}));
  CHECK((tree.depths == std::vector<Index>{1, 2, 1, 0}));
  CHECK((tree.heavy == std::vector<Index>{-1, -1, 1, 0}));
  CHECK(tree.lca(0, 1) == 3 && tree.lca(1, 2) == 2 && tree.lca(3, 1) == 3);
}

TEST(tree_rejects_bad_input) {
  CHECK_THROWS(Tree({}, {}), "no root");
  CHECK_THROWS(Tree({-1}, {}), "leaf_of is empty");
  CHECK_THROWS(Tree({-1, -1}, {0}), "two roots");
  CHECK_THROWS(Tree({0}, {0}), "no root");
  CHECK_THROWS(Tree({-1, 2, 1}, {0}), "cycle: node 1");
  CHECK_THROWS(Tree({-1, 1}, {0}), "cycle: node 1");
  CHECK_THROWS(Tree({-1, 2}, {0}), "parents[1] is 2");
  CHECK_THROWS(Tree({-2, -1}, {0}), "parents[0] is -2");
  CHECK_THROWS(Tree({-1}, {0, 1}), "leaf_of[1] is 1");
  CHECK_THROWS(Tree({-1}, {-1}), "leaf_of[0] is -1");
}

TEST(tree_layout_of_random_trees) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 1 + below(random, 30), m = 1 + below(random, 30);
    const Tree tree = random_tree(random, n, m, 1 + below(random, 8));
    std::vector<std::multiset<Index>> samples(n);
    for (Index i = 0; i < m; ++i) {
      for (const Index v : path_to_root(tree, tree.leaf_of[i])) samples[v].insert(i);
    }
    for (Index v = 0; v < n; ++v) {
      const auto begin = tree.sample_order.begin();
      CHECK(samples[v] == std::multiset<Index>(begin + tree.first[v], begin + tree.last[v]));
      CHECK(tree.sizes[v] == static_cast<Index>(samples[v].size()));
      CHECK(tree.depths[v] == static_cast<Index>(path_to_root(tree, v).size()) - 1);
      for (Index k = tree.first[v]; k < tree.last[v]; ++k) {
        CHECK((tree.leaf_of[tree.sample_order[k]] == v) == (k < tree.own_end(v)));
      }
      for (Index u = 0; u < n; ++u) {
        const std::vector<Index> above = path_to_root(tree, u), path = path_to_root(tree, v);
        const Index expected = *std::find_first_of(path.begin(), path.end(), above.begin(), above.end());
        CHECK(tree.lca(u, v) == expected);
      }
    }
  }
}

TEST(tree_of_great_depth) {
  const Index n = 200000;
  std::vector<Index> parents(n);
  std::iota(parents.begin(), parents.end(), -1);
  const Tree tree(std::move(parents), {n - 1, 0, n / 2});
  CHECK(tree.depths[n - 1] == n - 1 && tree.lca(n - 1, n / 2) == n / 2);
}
