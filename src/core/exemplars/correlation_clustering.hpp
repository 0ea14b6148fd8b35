// Correlation clustering: partitions by local search, and the linear relaxation with a proven bound.
//
// A partition's value is the sum of s_pq over the pairs p < q in one cluster, to be maximised. In the
// relaxation each pair has a share x_pq in [0, 1] of being together, and x_pq + x_qr - x_pr <= 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cladebench {

/// The inequality x[first, middle] + x[middle, last] - x[first, last] <= 1, first < last.
struct Triangle {
  std::int32_t first, middle, last;
};

/// For each pair (first < last) the triangle above it that is violated most, if by more than `least`.
/// Of middles that tie it has the first one from (first + last) mod n on, and round. Ordered by pair. O(n^3),
/// in parallel.
/// @param x n x n, symmetric; the diagonal is not read.
std::vector<Triangle> violated_triangles(std::span<const double> x, std::size_t n, double least);

/// The least distances d = 1 - x that obey the triangle inequality are those of shortest paths: raises x to
/// where no triangle is violated. O(n^3), in parallel.
/// @param x n x n, symmetric, in [0, 1], 1 on the diagonal.
void close_triangles(std::span<double> x, std::size_t n);

/// Upper bound of all partitions and of the relaxation, whatever the multipliers >= 0 are (weak duality).
double bound_of_multipliers(std::span<const double> s, std::size_t n, std::span<const Triangle> triangles,
                            std::span<const double> multipliers);

struct Relaxed {
  std::vector<double> x;  ///< n x n; no triangle is violated beyond rounding
  double value = 0.0, bound = 0.0;
  std::vector<Triangle> triangles;  ///< those with a positive multiplier
  std::vector<double> multipliers;
  std::vector<std::int64_t> labels;  ///< of the best partition that x was rounded to on the way; empty if
                                     ///< none was better than the known one
  std::size_t n_iter = 0;
  bool converged = false;
};

struct RelaxOptions {
  double tolerance;      ///< largest gap between bound and value, in the units of s
  std::size_t max_iter;  ///< steps of the primal-dual method
  double known_value;    ///< of some partition: a gap to it will do as well
};

/// Maximises the relaxation by a primal-dual first-order method; violated triangles are added as they come
/// up.
///
/// The method is the primal-dual hybrid gradient method with diagonal step sizes (Pock, Chambolle 2011),
/// reflected and drawn to an anchor that moves at restarts (Halpern's iteration; Lu, Yang 2024). A step costs
/// O(n^2 + triangles).
/// @param s n x n, symmetric; the diagonal is not read.
/// @param triangles, multipliers, x where to start, or empty.
Relaxed relax_clustering(std::span<const double> s, std::size_t n, std::vector<Triangle> triangles,
                         std::vector<double> multipliers, std::span<const double> x,
                         const RelaxOptions& options);

/// Merges the two clusters that gain most until none gain, then moves single points to the cluster (or to one
/// of their own) that gains most until none gain, and again from the start until nothing changes.
///
/// Ties go to the lowest index. O(n^2) a sweep, O(k^2) a merge.
/// @param labels 0..n-1, some of which may not occur; changed in place, to any of 0..n-1.
void improve_partition(std::span<const double> s, std::size_t n, std::span<std::int64_t> labels);

}  // namespace cladebench
