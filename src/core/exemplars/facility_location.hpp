// Uncapacitated facility location whose facilities are the points: exemplar-based clustering.
//
// E(Q) = sum of the prices of the exemplars Q + sum over points p of the least cost c_pq to q in Q, with
// c_pp = 0, so that an exemplar serves itself. The linear relaxation has one multiplier v_p >= 0 a point:
//
//     L(v) = sum_p v_p + sum_q min(0, price_q - sum_p max(0, v_p - c_pq)) <= E(Q) for all Q.
//
// First a set: exemplars are added while one pays, then added, dropped and swapped, the best move each time.
// Its clusters share out the prices of their exemplars among their points, which gives the first v. From
// there L is raised by the volume algorithm (Barahona and Anbil 2000); the sets of its minimisers are starts
// for the local search. A point whose reduced price lifts L above the best value found can be no exemplar
// of a better set, and is forgotten. What is left is branched on, the lowest bound first.
//
// Operations, with m_p the points nearer to p than v_p, about n / k to 3 n / k with k exemplars: an
// evaluation of L reads m_p pairs a point, twice: 2 sum m_p. A round of moves reads those nearer than the
// second exemplar, twice: as many. All of that needs rows sorted by cost: n^2 log2 n comparisons, once.
// Predicted for n = 2,000 at 1.5 ns a pair: sorting 0.15 s; an evaluation 2.4 ms with 10 exemplars, 0.5 ms
// with 50, 0.1 ms with 200; a thousand evaluations under 3 s. Memory 12 n^2 bytes: 300 MB for n = 5,000.
// Found on two threads, in the plane: 0.9 s with 10 exemplars, 0.6 s with 50, 0.7 s with 200, all in all. A
// gap of 1e-4 is reached after 200 to 400 evaluations, since points that are ruled out shorten the rows.
// Independent points in ten dimensions keep a gap of 0.3 to 1.1 %: the relaxation has one there (0.2 % of 130
// points, by HiGHS), which branches close for hundreds of points, not for thousands.
// Measured: see benchmarks/test_facility_location_speed.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cladebench {

struct FacilityLocation {
  std::vector<std::int64_t> exemplars;   ///< ascending, at least one
  std::vector<std::int64_t> assignment;  ///< exemplar of each point, itself of an exemplar, else the lowest
                                         ///< index of the nearest
  double bound;                          ///< no set of exemplars is below; in the units of `d`
  bool optimal;                          ///< whether all other sets are ruled out
  std::int64_t n_iter;                   ///< evaluations of L
  bool converged;                        ///< whether the gap is within the tolerance
};

/// @param d row-major n x n, n >= 1, finite; off the diagonal costs >= 0, on it the prices, of any sign.
/// @param initial exemplars to start from; none: points are added one by one.
/// @param tolerance of the gap between value and bound, relative to the value; at least rounding counts.
/// @param max_evaluations of L.
/// @throws std::invalid_argument if a start is no point.
/// The result does not depend on the number of threads.
FacilityLocation facility_location(std::span<const double> d, std::size_t n,
                                   std::span<const std::int64_t> initial, double tolerance,
                                   std::size_t max_evaluations);

/// Exemplars of a local search alone, ascending, without a bound: points are added while one pays, the best
/// each time; then each point in turn is added or swapped for an exemplar as soon as that improves, and
/// exemplars are dropped whose members cost no more elsewhere (FasterPAM of Schubert and Rousseeuw 2021, with
/// a number of exemplars that is free). No add, drop or swap lowers the value in the end, but by rounding.
///
/// A turn of all points takes n^2 steps without sorting, and 5 to 10 turns are common. 8 n^2 bytes beside d.
/// Arguments as above; each start is a point.
std::vector<std::int64_t> exchanged_exemplars(std::span<const double> d, std::size_t n,
                                              std::span<const std::int64_t> initial);

/// Of each point, itself of an exemplar, else the nearest exemplar, the lowest index first.
/// @param exemplars ascending, at least one.
std::vector<std::int64_t> assigned_exemplars(std::span<const double> d, std::size_t n,
                                             std::span<const std::int64_t> exemplars);

}  // namespace cladebench
