// Random trees for tests: any arity, shuffled node numbers, samples anywhere, empty leaves, unary chains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "trees/tree.hpp"

/// Whole number in 0..bound-1 straight from the engine: the same with every standard library.
inline cladebench::Index below(std::mt19937_64& random, cladebench::Index bound) {
  return static_cast<cladebench::Index>(random() % static_cast<std::uint64_t>(bound));
}

/// @param reach node k > 0 hangs below one of the `reach` nodes before it: 1 makes a chain, large values
/// bushy trees.
inline cladebench::Tree random_tree(std::mt19937_64& random, cladebench::Index n_nodes,
                                    cladebench::Index n_samples, cladebench::Index reach) {
  using cladebench::Index;
  std::vector<Index> name(n_nodes), parents(n_nodes), leaf_of(n_samples);
  std::iota(name.begin(), name.end(), 0);
  for (Index k = n_nodes - 1; k > 0; --k) std::swap(name[k], name[below(random, k + 1)]);
  parents[name[0]] = -1;
  for (Index k = 1; k < n_nodes; ++k) parents[name[k]] = name[k - 1 - below(random, std::min(k, reach))];
  for (Index& node : leaf_of) node = below(random, n_nodes);
  return cladebench::Tree(std::move(parents), std::move(leaf_of));
}
