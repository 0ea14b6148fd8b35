// Minimum spanning tree of points, in memory that grows with the points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/roots.hpp"
#include "linkage/cluster_search.hpp"

namespace cladebench {

struct Edge {
  double square;              ///< squared distance
  std::int64_t lower, upper;  ///< rows

  auto operator<=>(const Edge&) const = default;
};

/// n - 1 edges between the rows of X (n x d, finite), the shortest first; of equal ones those of lower rows,
/// as in the tree.
///
/// With a k-d tree by Boruvka's algorithm, most often in O(n d log n); else by Prim's, a row at a time, in
/// O(n^2 d). Memory O(n d).
std::vector<Edge> spanning_tree(std::vector<double> X, std::size_t d, Search search);

/// The same where some rows are together already: the edges that are missing. By Boruvka's algorithm.
std::vector<Edge> spanning_tree(std::vector<double> X, std::size_t d, Roots together);

}  // namespace cladebench
