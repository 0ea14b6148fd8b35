// The slaves of clustering with exemplars, and sums of distances with weights.
//
// One slave for each of n points p holds the point's assignment and a copy of "q is an exemplar" for every q,
// at the price theta_q = own_q / (n + 1) + raw_pq - offset_q, where own_q is what exemplar q costs in all.
// Its minimum is
//
//     sum of min(0, theta_q) over q != p, plus the least of theta_p and u_pq + max(0, theta_q) over q != p,
//
// with u the cost of an assignment: the distance, and `beta` more within p's own cluster. The minimisers say
// how the multipliers move: raw_pq up where the copy is 1, offset_q by the mean of all copies, so that what
// is added to the copies of one q sums to 0 with no pass over the columns.
//
// Predicted: one round reads distances and multipliers once, 16 n^2 bytes, and writes n^2 bytes of copies;
// the weighted sum before it reads all distances once, 8 n_distances n^2 bytes, which is nearly all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cladebench {

/// total[j] = sum of weights[i] * stack[i][j] over i, in the order of i; values of weight 0 are not read.
///
/// @param stack weights.size() rows of total.size() values.
void weighted_sum(std::span<const double> weights, std::span<const double> stack, std::span<double> total);
void weighted_sum(std::span<const double> weights, std::span<const float> stack, std::span<double> total);

/// Minimises the slaves of all points.
///
/// @param distances row-major n x n; the diagonal is not read.
/// @param own cost of each exemplar, `beta` included.
/// @param raw row-major n x n, and `offset`: the multipliers are raw_pq - offset_q.
/// @param labels cluster of each point.
/// @param values the minimum of each slave.
/// @param nearest the exemplar of each point, the first of the best.
/// @param copies row-major n x n: 1 where the slave of p opens q.
/// @throws std::invalid_argument if sizes do not fit.
void point_slaves(std::span<const double> distances, std::span<const double> own, std::span<const double> raw,
                  std::span<const double> offset, std::span<const std::int64_t> labels, double beta,
                  std::span<double> values, std::span<std::int64_t> nearest, std::span<std::uint8_t> copies);

/// Adds `step` to `raw` where a copy is 1.
void move_multipliers(std::span<const std::uint8_t> copies, double step, std::span<double> raw);

/// Number of copies of each exemplar that are 1.
void count_copies(std::span<const std::uint8_t> copies, std::span<std::int64_t> counts);

}  // namespace cladebench
