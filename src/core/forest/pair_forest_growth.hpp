// Growth of a forest that classifies pairs of rows by [|a - b|, (a + b) / 2] (see pair_forest.hpp).
//
// Random forests of Breiman (2001), with what is usual since: a bootstrap sample of the pairs for each tree,
// at each node features drawn without replacement, of all their thresholds the one of least Gini impurity;
// nodes are split until they are pure. A pair that was drawn several times is held once, with a weight, and
// one that was not drawn not at all. Features are computed where a node looks at them, from a column of X:
// those of all pairs would fill n_pairs x 2 d floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forest/pair_forest.hpp"
#include "splits/node_problem.hpp"  // Pair

namespace cladebench {

struct PairGrowthSettings {
  std::size_t max_features;      ///< drawn at a node, more where all of these are constant there; 1..2 d
  std::size_t min_samples_leaf;  ///< pairs in a leaf, each counted once
  bool bootstrap;                ///< else every pair has weight 1
};

/// Nodes in preorder, as in PairForestView.
struct PairTree {
  std::vector<std::int32_t> feature, left, right;
  std::vector<double> threshold;
  std::vector<double> value;  ///< share of cannot-links in the node
};

/// Trees of the seeds seed_of(seed, 0), seed_of(seed, 1), ...; each on one thread. Time: for each node on the
/// way of a pair, and each feature looked at there, a few nanoseconds.
/// @throws std::invalid_argument if pairs are none, more than kMostPairs, or no rows of X; or if settings
/// make no sense.
std::vector<PairTree> grow_pair_forest(const PairRows& X, std::size_t d, std::span<const Pair> must_link,
                                       std::span<const Pair> cannot_link, const PairGrowthSettings& settings,
                                       std::uint64_t seed, std::size_t n_trees);

}  // namespace cladebench
