#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "common/keep_on.hpp"
#include "common/parallel.hpp"  // forests grow and are asked in parallel
#include "common/random.hpp"
#include "forest/forest_neighbors.hpp"
#include "forest/forest_ways.hpp"
#include "forest/hierarchy_forest.hpp"
#include "forest/random_split.hpp"

using namespace cladebench;

namespace {

std::vector<double> normal_rows(std::size_t n, std::size_t d, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> X(n * d);
  for (double& x : X) x = random.normal();
  return X;
}

TreeView view(const HierarchyTree& tree, std::size_t d) {
  return {tree.right, tree.size, tree.features.data(), tree.weights.data(), tree.right.size() / 2, d};
}

using Named = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

}  // namespace

TEST(constraints_go_down_where_both_of_their_rows_are) {
  constexpr std::size_t n = 200, d = 5;
  const std::vector<double> X = normal_rows(n, d, 1);
  Random random(2);
  std::vector<Pair> must, cannot;
  for (int i = 0; i < 300; ++i) {
    const auto a = static_cast<std::uint32_t>(random.below(n)),
               b = static_cast<std::uint32_t>(random.below(n));
    if (a != b) (i % 2 ? must : cannot).push_back({a, b});
  }
  std::size_t met = 0;
  const Splitter splitter = [&](const NodeProblem& node) {
    const std::set<std::uint32_t> rows(node.rows.begin(), node.rows.end());
    CHECK(rows.size() == node.n() && std::is_sorted(node.rows.begin(), node.rows.end()));
    const auto expected = [&](const std::vector<Pair>& all) {
      Named held;
      for (const Pair& pair : all)
        if (rows.count(pair.first) && rows.count(pair.second)) held.insert({pair.first, pair.second});
      return held;
    };
    const auto given = [&](std::span<const Pair> pairs) {
      Named held;
      for (const Pair& pair : pairs) held.insert({node.rows[pair.first], node.rows[pair.second]});
      return held;
    };
    CHECK(given(node.must_link) == expected(must));
    CHECK(given(node.cannot_link) == expected(cannot));
    met += node.must_link.size();
    return random_split(node);
  };
  const HierarchyTree tree = grow_tree({X.data(), n, d}, must, cannot, {3, 2}, splitter, 7);
  check_tree(view(tree, 2), n, d);
  CHECK(met > must.size());
}

TEST(a_split_that_parts_nothing_is_moved_to_the_median) {
  constexpr std::size_t n = 9;
  // The median is 1, and four rows are above it; where it is the largest value, what is below goes left.
  for (const std::vector<double>& X :
       {std::vector<double>{1, 5, 1, 0, 1, 7, 6, 1, 8}, std::vector<double>{1, 1, 1, 0, 1, 1, 1, 1, 1}}) {
    for (const double offset : {100.0, -100.0}) {
      const Splitter splitter = [&](const NodeProblem& node) {
        return std::vector<double>{node.n() == n ? 1.0 : 0.0, offset};
      };
      const HierarchyTree tree = grow_tree({X.data(), n, 1}, {}, {}, {1, 1}, splitter, 0);
      CHECK(tree.right.size() == 3);  // the children have equal scores, whatever is drawn
      CHECK(tree.size[1] == (X[1] == 5 ? 5 : 1));
    }
  }
}

TEST(random_splits_go_through_a_row) {
  const std::vector<double> X = normal_rows(20, 4, 3);
  std::vector<std::uint32_t> rows(20);
  for (std::uint32_t i = 0; i < 20; ++i) rows[i] = i;
  const std::vector<std::uint32_t> features{0, 2, 3};
  std::set<std::size_t> met;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<double> w = random_split({X.data(), 4, rows, features, {}, {}, seed});
    CHECK_NEAR(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], 1.0, 1e-12);
    std::size_t hit = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      if (score(X.data() + 4 * i, features.data(), w.data(), 3) != 0.0) continue;
      met.insert(i);
      ++hit;
    }
    CHECK(hit == 1);
  }
  CHECK(met.size() == 20);
}

TEST(a_forest_that_is_told_to_stop_stops) {
  const std::vector<double> X = normal_rows(50, 2, 4);
  int asked = 0;
  const KeepOn stop = [&] {
    if (++asked == 5) throw std::invalid_argument("enough");
  };
  const Asking asking(&stop, 1);
  CHECK_THROWS(grow_tree({X.data(), 50, 2}, {}, {}, {1, 1}, random_split, 0), "enough");
  CHECK(asked == 5);
}

TEST(the_plane_gives_even_certainty_and_far_points_give_none_or_all) {
  CHECK(certainty(0.5, 0.0) == 0.5f);
  CHECK(certainty(0.5, 1e300) < 1e-37f && certainty(0.5, -1e300) == 1.0f);
  CHECK_NEAR(certainty(2.0, 0.3), 1.0 / (1.0 + std::exp(0.6)), 1e-7);
}

TEST(all_ways_to_neighbors_agree) {
  constexpr std::size_t n = 120, d = 3, k = 9;
  std::vector<double> X = normal_rows(n, d, 5);
  std::copy(X.begin(), X.begin() + 30 * d, X.begin() + 60 * d);                            // ties
  for (std::size_t i = 100; i < n; ++i) X[i * d] = std::pow(4.0, static_cast<double>(i));  // deep trees
  const Rows rows{X.data(), n, d};
  const Splitter first_alone = [](const NodeProblem& node) {
    double largest = node.row(0)[node.features[0]];
    for (std::size_t i = 1; i < node.n(); ++i) largest = std::max(largest, node.row(i)[node.features[0]]);
    return std::vector<double>{1.0 / largest, -0.5};
  };
  for (const Splitter& splitter : {Splitter(random_split), first_alone}) {
    const auto trees = grow_forest(rows, {}, {}, {2, 1}, splitter, 3, 0, 7);
    std::vector<TreeView> views;
    for (const HierarchyTree& tree : trees) views.push_back(view(tree, 1));
    const PlacedForest forest(views, rows, 0.7);
    std::vector<double> D(n * n);
    forest.pairwise(rows, rows, D.data());
    for (const double* queries : {static_cast<const double*>(nullptr), rows.X}) {
      std::vector<double> found(n * k);
      std::vector<std::int64_t> index(n * k), compared(n);
      for (const std::size_t candidates : {std::size_t{0}, n}) {
        find_neighbors(forest, queries, 0, n, {k, candidates, false, 1}, found.data(), index.data(),
                       compared.data());
        for (std::size_t q = 0; q < n; ++q) {
          std::vector<std::pair<double, std::int64_t>> expected;
          for (std::size_t j = 0; j < n; ++j)
            if (queries || j != q) expected.emplace_back(D[q * n + j], static_cast<std::int64_t>(j));
          std::sort(expected.begin(), expected.end());
          for (std::size_t i = 0; i < k; ++i)
            CHECK(expected[i] == std::make_pair(found[q * k + i], index[q * k + i]));
        }
      }
      for (const bool nearest : {false, true}) {
        find_neighbors(forest, queries, 0, n, {k, 1, nearest, 1}, found.data(), index.data(),
                       compared.data());
        for (std::size_t q = 0; q < n; ++q)
          for (std::size_t i = 0; i < k; ++i)
            CHECK(found[q * k + i] == D[q * n + static_cast<std::size_t>(index[q * k + i])]);
      }
    }
  }
}

TEST(entries_of_a_row_are_the_splits_on_its_way_and_its_leaf) {
  constexpr std::size_t n = 700, d = 3, n_trees = 3, m = 5;
  const std::vector<double> X = normal_rows(n, d, 1), others = normal_rows(m, d, 2);
  const Rows rows{X.data(), n, d}, points{others.data(), m, d};
  const std::vector<HierarchyTree> trees = grow_forest(rows, {}, {}, {1, d}, random_split, 4, 0, n_trees);
  std::vector<TreeView> views;
  for (const HierarchyTree& tree : trees) views.push_back(view(tree, d));
  const PlacedForest forest(views, rows, 0.5);
  for (const bool own : {true, false}) {
    const ForestWays ways = own ? ForestWays(forest) : ForestWays(forest, points);
    const std::size_t n_points = own ? n : m;
    const std::vector<std::int64_t> ends = ways.ends();
    std::vector<std::int32_t> columns(static_cast<std::size_t>(ends.back())), leaves(n_points * n_trees);
    std::vector<float> values(columns.size());
    ways.fill(ends, columns.data(), values.data());
    ways.leaves(leaves.data());
    for (std::size_t i = 0; i < n_points; ++i) {
      std::size_t at = static_cast<std::size_t>(ends[i]), splits_before = 0;
      for (std::size_t t = 0; t < n_trees; ++t) {
        std::vector<float> certainties;
        const std::uint32_t leaf = forest.walk(t, (own ? rows : points).row(i), certainties);
        std::size_t v = 0;
        for (const float certainty : certainties) {
          const bool right = leaf >= static_cast<std::uint32_t>(trees[t].right[v]);
          const std::size_t column = 4 * (splits_before + forest.tree(t).nodes[v].split) + (right ? 2 : 0);
          CHECK(static_cast<std::size_t>(columns[at]) == column && values[at] == 1.0f);
          CHECK(static_cast<std::size_t>(columns[at + 1]) == column + 1 && values[at + 1] == certainty);
          at += 2;
          v = right ? static_cast<std::size_t>(trees[t].right[v]) : v + 1;
        }
        std::size_t leaves_before = splits_before + t;
        for (std::size_t u = 0; u < leaf; ++u) leaves_before += trees[t].right[u] == 0;
        CHECK(v == leaf && static_cast<std::size_t>(leaves[i * n_trees + t]) == leaves_before);
        splits_before += trees[t].right.size() / 2;
      }
      CHECK(at == static_cast<std::size_t>(ends[i + 1]));
    }
  }
}
