// Balanced assignment: a transportation problem with few sinks, solved exactly.
//
// n rows go to K clusters, K << n; cluster k takes lower[k]..upper[k] rows; the sum of cost[i, label[i]] is
// least. Two clusters are a selection among the n differences of costs. More are min-cost flow by successive
// shortest paths on K + 1 nodes, the clusters and a sink: what a move from cluster j to cluster k costs is
// the top of a heap of that pair. A sample of an eighth of the rows, solved in the same way, gives prices
// from which only few rows have still to be moved.
//
// Predicted before any tuning, with M rows moved: O(n K log n + M (K^2 + K log n)) time, O(n K) memory. From
// the prices of a sample, a cluster's count is off by about the error of a sampled count, sqrt(8 n / K), so
// M is about sqrt(8 n K) / 2 and the second term vanishes beside the first: 4,500 of 1,000,000 rows at K
// = 10. If costs are tied or ordered against the sample, M <= n.
//
// Measured on one core, normal costs, bounds of 0.9 and 1.1 equal shares: M = 2,533 at n = 1,000,000, K = 10
// and 1,302 at n = 30,000, K = 50, where 4,500 and 1,700 were predicted; 0.05 s and 0.03 s. No logarithm is
// seen, because only moves that are nearly worth it go into heaps, 55,000 of 9,000,000 in the first case: 4
// ns for each cost there, 15 ns where all costs are tied. 800,000 rows of which the sample is unlike the
// rest: 2.4 s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cladebench {

struct Assignment {
  std::vector<std::int64_t> labels;  ///< cluster of each row
  /// One for each cluster. sum_i min_k (cost[i, k] - v_k) + sum_k (v_k >= 0 ? lower_k : upper_k) v_k is at
  /// most the value of every assignment, and equals that of this one up to rounding.
  std::vector<double> prices;
};

/// The cheapest assignment within the bounds; ties are broken by index, and no thread takes part but the
/// caller's.
///
/// @param cost row-major n x n_clusters, finite.
/// @param lower, upper bounds on the rows of each cluster, n_clusters of either.
/// @throws std::invalid_argument if there is no row or no cluster, if a cost is not finite or so large that
/// sums
///   could overflow, or if no assignment lies within the bounds; the message names the argument.
Assignment balanced_assignment(std::span<const double> cost, std::size_t n_clusters,
                               std::span<const std::int64_t> lower, std::span<const std::int64_t> upper);

}  // namespace cladebench
