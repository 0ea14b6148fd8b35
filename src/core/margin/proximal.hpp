// The weighted sparse group lasso with a ridge: its value, proximal operator and least subgradient.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cladebench {

/// pen(W) = sum_p group_p ||W[:, p]||_2 + l1_p ||W[:, p]||_1 over row-major K x P models, and beside it the
/// smooth sum_p ridge_p ||W[:, p]||_2^2. P weights each, not owned, >= 0. All below is O(K P).
class SparseGroupPenalty {
 public:
  SparseGroupPenalty(std::size_t K, std::size_t P, std::span<const double> group, std::span<const double> l1,
                     std::span<const double> ridge);

  std::size_t K() const { return K_; }
  std::size_t P() const { return P_; }
  /// Whether pen is zero.
  bool is_smooth() const { return smooth_; }

  double value(const double* W) const;

  /// Overwrites W by argmin_Z step pen(Z) + 1/2 ||Z - W||^2: a soft threshold of each entry by step l1_p,
  /// then one of each column's norm by step group_p.
  void prox(double* W, double step) const;

  /// Squared 2-norm of the least element of gradient + subdifferential of pen at W. Where a column is zero,
  /// it is the norm of the gradient after a soft threshold by l1_p, less group_p, if positive.
  double residual_squared(const double* W, const double* gradient) const;

  /// Moves the entries of each column by the same amount, to where pen and ridge are least: a loss that
  /// depends on differences of models alone stays as it is. Columns that are there to rounding are left
  /// alone.
  void centre(double* W) const;

  double ridge_value(const double* W) const;
  void add_ridge_gradient(const double* W, double* gradient) const;

 private:
  double best_shift(std::size_t p, double* column) const;
  void slopes_along(std::size_t p, const double* column, double shift, double& left, double& right) const;

  std::size_t K_, P_;
  std::span<const double> group_, l1_, ridge_;
  bool smooth_;
  mutable std::vector<double> column_, factor_, magnitude_;
};

}  // namespace cladebench
