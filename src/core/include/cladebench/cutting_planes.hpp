// A piecewise linear model from below of a convex loss, and the minimiser of model and squared norm.
#pragma once

#include <cstddef>
#include <vector>

namespace cladebench {

/// min_w weight/2 |w|^2 + max_k (intercept_k + slope_k . w), by its dual: with shares a of the planes,
///   max over a >= 0, sum a = 1 of sum_k a_k intercept_k - |sum_k a_k slope_k|^2 / (2 weight).
///
/// The plane 0 is always there: losses are not negative. The dual is solved by steps between two planes (as
/// in sequential minimal optimisation), from where it stood before the latest plane: O(planes) a step. Any
/// shares give a bound, so that it need not be solved far, and planes that are nearly equal do no harm.
class CuttingPlanes {
 public:
  CuttingPlanes(std::size_t width, double weight, std::size_t capacity = 64);

  /// Forgets all planes but 0.
  void clear();

  /// When there are too many, all others become one first, their mean by their shares: the bound stays.
  void add(double intercept, const double* slope);

  /// Raises the dual to within `tolerance` of its maximum, or by many steps; its value, a bound of the
  /// minimum.
  double solve(double tolerance);

  /// The weights that belong to the shares.
  void minimiser(double* w) const;

  std::size_t size() const { return intercepts_.size(); }

 private:
  double* slope(std::size_t k) { return slopes_.data() + k * width_; }
  const double* slope(std::size_t k) const { return slopes_.data() + k * width_; }
  void merge();

  std::size_t width_, capacity_;
  double weight_;
  std::vector<double> intercepts_, slopes_, shares_;
  std::vector<double> products_;  ///< capacity x capacity, of slopes
  std::vector<double> sums_;      ///< products times shares
};

}  // namespace cladebench
