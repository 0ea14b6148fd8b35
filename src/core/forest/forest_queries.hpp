// What both ways to the nearest rows of a forest share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/nearest.hpp"
#include "forest/forest_neighbors.hpp"
#include "forest/hierarchy_forest.hpp"

namespace cladebench {

/// The queries of a task.
struct Queries {
  const PlacedForest& forest;
  const double* points;  ///< null: training rows from `first` on
  std::size_t first;
  std::size_t m;

  bool are_rows() const { return points == nullptr; }
  std::uint32_t row(std::size_t q) const { return static_cast<std::uint32_t>(first + q); }
  const double* point(std::size_t q) const { return points + (first + q) * forest.d(); }

  /// See PlacedForest::way. `certainties` is for work.
  Way way(std::size_t t, std::size_t q, std::vector<Way::Step>& steps,
          std::vector<float>& certainties) const {
    const PlacedTree& tree = forest.tree(t);
    if (are_rows()) return forest.way(t, tree.leaf_of[row(q)], nullptr, tree.place_of(row(q)), steps);
    certainties.clear();
    const std::uint32_t leaf = forest.walk(t, point(q), certainties);
    return forest.way(t, leaf, certainties.data(), 0, steps);
  }
};

/// Sec. 4: the nearest among rows that the trees propose. D, index and n_compared are those of the first
/// query.
void compare_with_candidates(const Queries& queries, const NeighborSettings& settings, double* D,
                             std::int64_t* index, std::int64_t* n_compared);

}  // namespace cladebench
