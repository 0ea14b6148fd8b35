// A piecewise linear model from below of a convex loss, and the minimiser of model and squared norm.
#pragma once

#include <cstddef>
#include <vector>

namespace cladebench {

/// min_w weight/2 |w|^2 + max_k (intercept_k + slope_k . w), by its dual: with shares a of the planes,
///   max over a >= 0, sum a = 1 of sum_k a_k intercept_k - |sum_k a_k slope_k|^2 / (2 weight).
///
/// The plane 0 is always there: losses are not negative. The dual is solved from where it stood before the
/// latest plane, by an active set: the plane that is most above the model enters, and the shares go towards
/// the best for the planes in use, which leave when their shares end (as in P. Wolfe, Finding the nearest
/// point in a polytope, Math. Programming 11, 1976). O(planes^2) a plane that enters, O(planes^3) at most one
/// that leaves. Any shares give a bound, so that it need not be solved far, and planes that are nearly equal
/// do no harm.
class CuttingPlanes {
 public:
  CuttingPlanes(std::size_t width, double weight, std::size_t capacity = 64);

  /// Forgets all planes but 0.
  void clear();

  /// When there are too many, all others become one first, their mean by their shares: the bound stays.
  void add(double intercept, const double* slope);

  /// Raises the dual to within `tolerance` of its maximum, or nearly so; its value, a bound of the
  /// minimum.
  double solve(double tolerance);

  /// The weights that belong to the shares.
  void minimiser(double* w);

  std::size_t size() const { return intercepts_.size(); }

 private:
  const double* slope(std::size_t k) const { return slopes_.data() + k * stride_; }
  void add_listed(double* to, std::size_t n_columns) const;
  void find_rises();
  void factorise_from(std::size_t place);
  void find_target();
  bool approach();
  void merge();

  std::size_t width_, stride_, capacity_;
  double weight_;
  std::vector<double> intercepts_, slopes_, shares_;
  std::vector<double> products_;  ///< capacity x capacity, of slopes, over the weight
  std::vector<double> rises_;     ///< of the dual, by the shares
  std::vector<std::size_t> used_;
  std::vector<double> factor_;  ///< of bends and 1 between the planes in use: lower triangle
  std::vector<double> target_, ones_;
  std::vector<double> half_target_, half_ones_;  ///< half-way there: solved by the factor alone
  std::vector<double> factors_;                  ///< what is to be added up: planes and their factors
  std::vector<const double*> rows_;
};

}  // namespace cladebench
