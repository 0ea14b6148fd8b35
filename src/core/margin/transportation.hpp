// The transportation problem behind a balanced assignment, by min-cost flow; see assignment.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "margin/assignment.hpp"

namespace cladebench {

/// A balanced assignment whose arguments have been checked.
struct Transportation {
  const double* cost;  ///< row-major
  std::size_t n_rows, n_clusters;
  std::vector<std::int64_t> lower, upper;  ///< 0 <= lower <= upper <= n_rows

  const double* row(std::size_t i) const { return cost + i * n_clusters; }
};

/// Successive shortest paths from the prices of a sample; for any number of clusters.
Assignment solve_by_flow(const Transportation& problem);

}  // namespace cladebench
