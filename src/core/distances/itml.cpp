#include "distances/itml.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/keep_on.hpp"
#include "common/multiply_add.hpp"

namespace cladebench {
namespace {

/// Few features: a wide block would cost more than it saves.
std::size_t block_of(std::size_t width) { return std::min<std::size_t>(32, padded_width(width / 4 + 1)); }

/// Copies the lower triangle to the upper one, in tiles that stay in the first cache.
void mirror(double* A, std::size_t P) {
  for (std::size_t i = 0; i < P; i += kLanes) {
    for (std::size_t j = 0; j <= i; j += kLanes) {
      for (std::size_t r = i; r < i + kLanes; ++r) {
        for (std::size_t c = j; c < std::min(j + kLanes, r); ++c) A[c * P + r] = A[r * P + c];
      }
    }
  }
}

/// The state of the projections, and one block of them.
class Projections {
 public:
  Projections(const MatrixView& X, std::span<const std::int64_t> pairs, std::span<const double> signs,
              double upper, double lower, double gamma)
      : X_(X),
        pairs_(pairs),
        signs_(signs),
        gamma_(gamma),
        share_(gamma / (1.0 + gamma)),
        P_(padded_width(X.P)),
        B_(block_of(P_)),
        A_(P_ * P_),
        V_(P_ * B_),
        AV_(P_ * B_),
        products_(B_ * B_),
        weights_(B_ * B_),
        u_(B_ * P_),
        scaled_(B_ * P_),
        dual_(signs.size()),
        inverse_bounds_(signs.size()) {
    for (std::size_t i = 0; i < P_; ++i) A_[i * P_ + i] = 1.0;
    for (std::size_t c = 0; c < signs.size(); ++c) {
      inverse_bounds_[c] = 1.0 / (signs[c] > 0.0 ? upper : lower);
    }
  }

  /// Projects on all constraints in turn; the largest relative violation met.
  double sweep() {
    double residual = 0.0;
    for (std::size_t first = 0; first < signs_.size(); first += B_) {
      residual = std::max(residual, block(first, std::min(B_, signs_.size() - first)));
    }
    return residual;
  }

  std::vector<double> matrix() const {
    std::vector<double> A(X_.P * X_.P);
    for (std::size_t i = 0; i < X_.P; ++i) std::copy_n(&A_[i * P_], X_.P, &A[i * X_.P]);
    return A;
  }
  std::vector<double> dual() && { return std::move(dual_); }

 private:
  double block(std::size_t first, std::size_t size) {
    keep_on(P_ * P_ * B_ / 8);
    differences(first, size);
    const MultiplyAdd::Left by_a{A_.data(), P_, 1}, by_v{V_.data(), 1, B_};
    run_kernel<MultiplyAdd>(&by_a, P_, V_.data(), B_, AV_.data(), B_, P_, B_, false, false);
    run_kernel<MultiplyAdd>(&by_v, P_, AV_.data(), B_, products_.data(), B_, B_, B_, false, false);
    double residual = 0.0;
    std::size_t n_changes = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t c = first + k;
      const double p = products_[k * B_ + k], sign = signs_[c];
      if (!(p > 0.0)) continue;  // by rounding alone
      const double alpha = std::min(dual_[c], sign * share_ * (1.0 / p - inverse_bounds_[c]));
      if (alpha == 0.0) continue;
      residual = std::max(residual, std::abs(alpha) * p / share_);
      dual_[c] -= alpha;
      inverse_bounds_[c] += sign * alpha / gamma_;
      change(k, size, sign * alpha / (1.0 - sign * alpha * p), n_changes++);
    }
    if (n_changes == 0) return residual;
    keep_on(n_changes * P_ * P_ / 8);
    const MultiplyAdd::Left by_u{scaled_.data(), 1, P_};
    run_kernel<MultiplyAdd>(&by_u, n_changes, u_.data(), P_, A_.data(), P_, P_, P_, true, true);
    mirror(A_.data(), P_);
    return residual;
  }

  /// Column k of V is the difference of a pair.
  void differences(std::size_t first, std::size_t size) {
    std::fill(V_.begin(), V_.end(), 0.0);
    for (std::size_t k = 0; k < size; ++k) {
      const double* a = X_.data + static_cast<std::size_t>(pairs_[2 * (first + k)]) * X_.P;
      const double* b = X_.data + static_cast<std::size_t>(pairs_[2 * (first + k) + 1]) * X_.P;
      for (std::size_t i = 0; i < X_.P; ++i) V_[i * B_ + k] = a[i] - b[i];
    }
  }

  /// The n-th change of the block, A += beta u u' with u = A v_k: all that later constraints of the block
  /// will ask of it. A itself is left for the end of the block, so that u is A v_k before the block and the
  /// changes.
  void change(std::size_t k, std::size_t size, double beta, std::size_t n) {
    double* u = &u_[n * P_];
    for (std::size_t i = 0; i < P_; ++i) u[i] = AV_[i * B_ + k];
    for (std::size_t j = 0; j < n; ++j) {
      const double weight = weights_[j * B_ + k];
      const double* other = &u_[j * P_];
      for (std::size_t i = 0; i < P_; ++i) u[i] += weight * other[i];
    }
    for (std::size_t i = 0; i < P_; ++i) scaled_[n * P_ + i] = beta * u[i];
    const double* row = &products_[k * B_];  // of what comes after k only: the upper triangle
    double* weights = &weights_[n * B_];
    for (std::size_t l = k + 1; l < size; ++l) {
      weights[l] = beta * row[l];
      double* later = &products_[l * B_];
      for (std::size_t m = l; m < size; ++m) later[m] += weights[l] * row[m];
    }
  }

  MatrixView X_;
  std::span<const std::int64_t> pairs_;
  std::span<const double> signs_;
  double gamma_, share_;
  std::size_t P_, B_;
  std::vector<double> A_, V_, AV_, products_;
  std::vector<double> weights_, u_, scaled_;  ///< rows: changes of the block
  std::vector<double> dual_, inverse_bounds_;
};

}  // namespace

Itml fit_itml(const MatrixView& X, std::span<const std::int64_t> pairs, std::span<const double> signs,
              double upper, double lower, double gamma, double tol, std::int64_t max_iter) {
  Projections projections(X, pairs, signs, upper, lower, gamma);
  Itml fit{{}, {}, 0.0, 0, false};
  while (fit.n_iter < max_iter && !fit.converged) {
    fit.residual = projections.sweep();
    ++fit.n_iter;
    fit.converged = fit.residual <= tol;
  }
  fit.A = projections.matrix();
  fit.dual = std::move(projections).dual();
  return fit;
}

}  // namespace cladebench
