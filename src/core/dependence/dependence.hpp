// Partitions that depend on data as a structure of their clusters says: greedy sweeps over the points.
//
// M is a centred Gram matrix (n x n, rows that sum to 0), P the n x k matrix of a partition, Y a symmetric k
// x k structure. What is raised is tr(M P Y P') / |H P Y P' H|, or the numerator alone. With S = P' M P, the
// sizes n_a and A = diag(n_a) - n n' / n the two traces are tr(S Y) and tr(A Y A Y): a move of one point
// changes both by terms of rank one. For point i, g_c is the sum of M_ij over cluster c and h = Y g. A move
// from a to b adds 2 (h_b - h_a) + M_ii (Y_aa + Y_bb - 2 Y_ab) to the numerator; the norm after it depends on
// (a, b) alone, so that it is computed once for all points until one moves.
//
// Predicted: a sweep in which m points move takes n k^2 + m (n + k^3) steps, and the table of sums g n^2
// once, which reads M once. From factors M = F F' (n x r) the sums are products of a row of F with k sums of
// rows: n k (r + k) + m r steps, and no table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cladebench {

/// A centred Gram matrix, row-major: itself (n x n) or a factor F (n x width) with M = F F'.
struct CenteredGram {
  std::span<const double> values;
  std::size_t n, width;
  bool is_factor;
};

struct SweepSettings {
  bool normalized = true;  ///< divide by the norm
  std::size_t max_sweeps = 100;
};

struct Sweeps {
  std::vector<std::int64_t> labels;
  std::vector<double> objective;    ///< before the first sweep and after each
  std::vector<std::int64_t> moves;  ///< points that each sweep moved
  bool converged = false;           ///< the last sweep, from sums taken anew, moved none
};

/// Moves one point at a time to the cluster that raises the objective most, in the given order, sweep by
/// sweep.
///
/// Ties go to the cluster of least index; a gain below 1e-12 of the objective's scale is none. The last point
/// of a cluster stays, an empty cluster may be entered.
///
/// @param structure row-major k x k, symmetric.
/// @param labels cluster 0..k-1 of each point.
/// @param order the points, each once.
/// @throws std::invalid_argument if sizes do not fit or an index is out of range.
Sweeps greedy_sweeps(const CenteredGram& gram, std::span<const double> structure,
                     std::span<const std::int64_t> labels, std::span<const std::int64_t> order,
                     const SweepSettings& settings);

}  // namespace cladebench
