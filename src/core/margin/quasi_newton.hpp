// L-BFGS matrices in compact form, and the minimisation of a quadratic model with one plus a penalty.
#pragma once

#include <cstddef>
#include <vector>

#include "margin/proximal.hpp"

namespace cladebench {

/// B = theta I - [theta S, Y] M^-1 [theta S, Y]^T of the last pairs (s, y), s.y > 0 (Byrd, Nocedal and
/// Schnabel 1994, eq. 2.17). Pairs are stored with s.y = 1, which leaves B as it is; M is then solved with
/// one Cholesky factor of theta S^T S + L L^T, L the part of S^T Y below the diagonal.
class CompactLbfgs {
 public:
  CompactLbfgs(std::size_t size, std::size_t memory);

  /// theta I, and no pairs.
  void reset(double theta);
  bool has_pairs() const { return n_pairs_ > 0; }
  double theta() const { return theta_; }

  /// Adds a pair, in place of the oldest if there is no room. One without curvature instead resets to a tenth
  /// of theta: a function that does not bend, such as the loss where no margin is violated, allows longer
  /// steps.
  void update(const double* s, const double* y);

  /// out = B v, 4 memory size multiplications.
  void multiply(const double* v, double* out) const;
  /// out = B^-1 v, by the two-loop recursion.
  void solve(const double* v, double* out) const;

 private:
  double* row(std::vector<double>& rows, std::size_t i) const { return rows.data() + slot(i) * stride_; }
  const double* row(const std::vector<double>& rows, std::size_t i) const {
    return rows.data() + slot(i) * stride_;
  }
  std::size_t slot(std::size_t i) const { return (first_ + i) % memory_; }  ///< of the i-th oldest pair
  void multiply_rows(const std::vector<double>& rows, const double* v, double* out) const;
  void subtract_rows(const std::vector<double>& rows, const double* weights, double* out) const;
  void factorize();

  std::size_t size_, stride_, memory_, n_pairs_ = 0, first_ = 0;
  double theta_ = 1.0;
  std::vector<double> s_, y_;    ///< rows by slot
  std::vector<double> ss_, sy_;  ///< products by slots: s_i.s_j, s_i.y_j
  std::vector<double> factor_;   ///< Cholesky factor, pairs from the oldest on
  mutable std::vector<double> products_, padded_;
};

/// argmin_Z g.(Z - W) + 1/2 (Z - W)^T B (Z - W) + pen(Z), approximately, by proximal gradient steps of
/// Barzilai and Borwein's lengths (no pass over the data). A step that raises the model above its last few
/// values is shortened to where an upper bound of it along the step is least.
class ProximalModel {
 public:
  explicit ProximalModel(const SparseGroupPenalty& penalty);

  /// @param Z receives the minimiser.
  /// @param tol the least subgradient at Z is at most this times that at W, unless max_iter is reached.
  void minimise(const CompactLbfgs& B, const double* W, const double* g, double tol, int max_iter, double* Z);

 private:
  const SparseGroupPenalty& penalty_;
  std::vector<double> gradient_, step_, product_;
};

/// Sum of products in an order that does not depend on the instruction set.
double dot(const double* a, const double* b, std::size_t n);

}  // namespace cladebench
