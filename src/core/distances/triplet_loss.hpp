// The loss of large margin nearest neighbours (Weinberger and Saul 2009) at any map of the points, with the
// weights of pairs that make up its gradient.
//
// With d(a, b) = ||z_a - z_b||^2, T_i the targets of i, and l over all points of other classes:
//
//   (1 - mu) sum_i sum_{j in T_i} d(i, j) + mu sum_i sum_{j in T_i} sum_l hinge(1 + d(i, j) - d(i, l)).
//
// A point l matters to i only within the radius r_i = sqrt(1 + max_j d(i, j)). Lists of such pairs are kept
// with slack from one evaluation to the next: where no point a has moved farther than its slack m_a, less
// what its radius has grown, a pair that was left out, farther apart than max(r_a, r_b) + m_a + m_b then,
// still has a hinge of zero (triangle inequality). Otherwise all pairs are gone through anew. Either way the
// value is exact, and the same to the last bit: pairs without hinge add nothing.
//
// Cost: all pairs O(n^2 m), most of them given up after a part of the m coordinates; with lists O(pairs m).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cladebench {

class TripletLoss {
 public:
  /// @param targets n x k rows, -1 where a point has fewer
  /// @param smoothing width h of the quadratic part: hinge(x) = x^2 / 2h up to h, x - h/2 beyond; 0 for none
  /// @throws std::invalid_argument if the number of targets is no multiple of n, or one is not a row
  TripletLoss(std::span<const std::int64_t> labels, std::span<const std::int64_t> targets, double mu,
              double smoothing);

  struct Value {
    double loss;      ///< with the plain hinge
    double smoothed;  ///< with the smoothed one: what the weights are the derivatives of
    double slopes;    ///< sum over triplets of mu times the slope of the smoothed hinge: the dual objective
  };

  /// At Z (n x m). Writes C V for V (n x q), where C is the Laplacian of the pairs' weights c: the smoothed
  /// loss has the derivative c(a, b) by d(a, b), so 2 C Z by Z. V may be Z.
  Value evaluate(const double* Z, std::size_t m, const double* V, std::size_t q, double* product);

  /// What is meant by its quadratic part from now on.
  void set_smoothing(double smoothing) { smoothing_ = smoothing; }

  std::size_t n() const { return n_; }
  std::int64_t n_searches() const { return n_searches_; }  ///< passes over all pairs
  std::size_t n_listed() const { return n_listed_; }       ///< pairs in the lists, each counted twice

 private:
  class Evaluation;
  void measure_targets(const double* Z, std::size_t width);
  bool lists_hold(const double* Z, std::size_t width) const;
  void begin_search(const double* Z, std::size_t width);
  void end_search(std::size_t n_listed);

  std::size_t n_, k_;
  double mu_, smoothing_;
  // Points are kept sorted by class; `rows_` are their places in what is given.
  std::vector<std::size_t> rows_;
  std::vector<std::int32_t> classes_;
  std::vector<std::uint32_t> targets_;  ///< kNone where there is none
  std::vector<double> to_target_, limit_;

  std::vector<double> reference_, slack_, reach_;  ///< positions, m_a and r_a + m_a at the last search
  std::size_t reference_width_ = 0;
  double slack_share_ = 0.05;
  bool listed_ = false;
  std::int64_t n_searches_ = 0, n_served_ = 0;
  std::size_t n_listed_ = 0;
  std::vector<std::vector<std::uint32_t>> lists_;  ///< of each point
};

}  // namespace cladebench
