// The nearest training rows under a forest's distance: among all rows, or among the candidates of Sec. 4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forest/hierarchy_forest.hpp"

namespace cladebench {

struct NeighborSettings {
  std::size_t k;           ///< neighbours to each query
  std::size_t candidates;  ///< k_O, from each tree; 0: all rows
  bool nearest;            ///< which rows of a node that has more than are needed; else a random choice
  std::uint64_t seed;      ///< of the choice
  bool refill = true;      ///< twice as many candidates for a query that has fewer than k, and so on
};

/// By distance, then by index. `queries` null: the training rows from `first` on, each left out of its own
/// list. D and index hold m x k numbers; k is at most the number of rows that can be found. Without `refill`
/// a list of fewer ends with rows -1 at infinite distances.
void find_neighbors(const PlacedForest& forest, const double* queries, std::size_t first, std::size_t m,
                    const NeighborSettings& settings, double* D, std::int64_t* index,
                    std::int64_t* n_compared);

}  // namespace cladebench
