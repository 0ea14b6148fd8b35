#include "margin/proximal.hpp"

#include <algorithm>
#include <cmath>

#include "common/simd.hpp"

namespace cladebench {
namespace {

/// Soft thresholds; adds the squares of what is left to the columns' sums.
struct Threshold {
  template <class V>
  CLADEBENCH_INLINE static void run(double* w, const double* l1, double step, std::size_t P,
                                    double* squares) {
    for (std::size_t p = 0; p < P; ++p) {
      const double left = std::fabs(w[p]) - step * l1[p];
      const double kept = left > 0.0 ? left : 0.0;
      w[p] = std::copysign(kept, w[p]);
      squares[p] += kept * kept;
    }
  }
};

/// From the squares of the columns' norms to the factors of a threshold of the norms by step group_p.
struct Shrink {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* squares, const double* group, double step, std::size_t P,
                                    double* factor) {
    for (std::size_t p = 0; p < P; ++p) {
      const double norm = std::sqrt(squares[p]), cut = step * group[p], kept = 1.0 - cut / norm;
      const double rest = cut > 0.0 ? 0.0 : 1.0;
      factor[p] = norm > cut ? kept : rest;
    }
  }
};

struct Scale {
  template <class V>
  CLADEBENCH_INLINE static void run(double* w, const double* factor, std::size_t P) {
    for (std::size_t p = 0; p < P; ++p) w[p] *= factor[p];
  }
};

/// Adds the squares of a row to the columns' sums, and its weighted magnitudes to `weighted`.
struct AddRow {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* w, const double* l1, std::size_t P, double* squares,
                                    double* weighted) {
    for (std::size_t p = 0; p < P; ++p) {
      squares[p] += w[p] * w[p];
      weighted[p] += l1[p] * std::fabs(w[p]);
    }
  }
};

/// Adds the columns' weighted norms, from their squares.
struct AddGroups {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* squares, const double* group, std::size_t P,
                                    double* parts) {
    for (std::size_t p = 0; p < P; ++p) parts[p] = group[p] * std::sqrt(squares[p]) + parts[p];
  }
};

/// Adds the squares and the magnitudes of a row to the columns' sums.
struct AddSizes {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* w, std::size_t P, double* squares, double* magnitudes) {
    for (std::size_t p = 0; p < P; ++p) {
      squares[p] += w[p] * w[p];
      magnitudes[p] += std::fabs(w[p]);
    }
  }
};

/// From the squares of the columns' norms to group_p / ||W[:, p]||, or 0 where the column is zero.
struct Pull {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* group, std::size_t P, double* squares) {
    for (std::size_t p = 0; p < P; ++p) {
      const double norm = std::sqrt(squares[p]), pull = group[p] / norm;
      squares[p] = norm > 0.0 ? pull : 0.0;
    }
  }
};

/// Adds the squares of the least subgradient's entries of one row, but for the group's part where the column
/// is zero.
struct AddResidual {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* w, const double* g, const double* l1, const double* pull,
                                    std::size_t P, double* squares) {
    for (std::size_t p = 0; p < P; ++p) {
      const double smooth = g[p] + pull[p] * w[p];
      const double at_entry = smooth + std::copysign(l1[p], w[p]);
      const double beyond = std::fabs(g[p]) - l1[p];
      const double at_zero = beyond > 0.0 ? beyond : 0.0;
      const double r = w[p] != 0.0 ? at_entry : at_zero;
      squares[p] += r * r;
    }
  }
};

/// The group's part where the column is zero.
struct AtZeroColumns {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* magnitude, const double* group, std::size_t P,
                                    double* squares) {
    for (std::size_t p = 0; p < P; ++p) {
      const double beyond = std::sqrt(squares[p]) - group[p], kept = beyond < 0.0 ? 0.0 : beyond;
      squares[p] = magnitude[p] == 0.0 ? kept * kept : squares[p];
    }
  }
};

}  // namespace

SparseGroupPenalty::SparseGroupPenalty(std::size_t K, std::size_t P, std::span<const double> group,
                                       std::span<const double> l1, std::span<const double> ridge)
    : K_(K), P_(P), group_(group), l1_(l1), ridge_(ridge), column_(P), factor_(P), magnitude_(P) {
  const auto is_zero = [](double weight) { return weight == 0.0; };
  smooth_ = std::all_of(group.begin(), group.end(), is_zero) && std::all_of(l1.begin(), l1.end(), is_zero);
}

double SparseGroupPenalty::value(const double* W) const {
  if (smooth_) return 0.0;
  std::fill(column_.begin(), column_.end(), 0.0);
  std::fill(factor_.begin(), factor_.end(), 0.0);
  for (std::size_t k = 0; k < K_; ++k)
    run_kernel<AddRow>(W + k * P_, l1_.data(), P_, column_.data(), factor_.data());
  run_kernel<AddGroups>(column_.data(), group_.data(), P_, factor_.data());
  double sum = 0.0;
  for (const double part : factor_) sum += part;
  return sum;
}

void SparseGroupPenalty::prox(double* W, double step) const {
  if (smooth_) return;
  std::fill(column_.begin(), column_.end(), 0.0);
  for (std::size_t k = 0; k < K_; ++k)
    run_kernel<Threshold>(W + k * P_, l1_.data(), step, P_, column_.data());
  run_kernel<Shrink>(column_.data(), group_.data(), step, P_, factor_.data());
  for (std::size_t k = 0; k < K_; ++k) run_kernel<Scale>(W + k * P_, factor_.data(), P_);
}

double SparseGroupPenalty::residual_squared(const double* W, const double* gradient) const {
  std::fill(column_.begin(), column_.end(), 0.0);
  std::fill(factor_.begin(), factor_.end(), 0.0);
  std::fill(magnitude_.begin(), magnitude_.end(), 0.0);
  for (std::size_t k = 0; k < K_; ++k)
    run_kernel<AddSizes>(W + k * P_, P_, factor_.data(), magnitude_.data());
  run_kernel<Pull>(group_.data(), P_, factor_.data());
  for (std::size_t k = 0; k < K_; ++k) {
    run_kernel<AddResidual>(W + k * P_, gradient + k * P_, l1_.data(), factor_.data(), P_, column_.data());
  }
  run_kernel<AtZeroColumns>(magnitude_.data(), group_.data(), P_, column_.data());
  double sum = 0.0;
  for (const double square : column_) sum += square;
  return sum;
}

void SparseGroupPenalty::centre(double* W) const {
  std::vector<double> column(K_);
  for (std::size_t p = 0; p < P_; ++p) {
    for (std::size_t k = 0; k < K_; ++k) column[k] = W[k * P_ + p];
    const double shift = best_shift(p, column.data());
    if (shift == 0.0) continue;
    for (std::size_t k = 0; k < K_; ++k) W[k * P_ + p] += shift;
  }
}

/// Slopes of a column's penalties to the left and to the right of a shift; between the two lie the entries
/// that it makes zero.
void SparseGroupPenalty::slopes_along(std::size_t p, const double* column, double shift, double& left,
                                      double& right) const {
  const double K = static_cast<double>(K_);
  double sum = 0.0, squares = 0.0, signs = 0.0, zeros = 0.0;
  for (const double* w = column; w < column + K_; ++w) {
    const double moved = *w + shift;
    sum += moved;
    squares += moved * moved;
    signs += moved > 0.0 ? 1.0 : (moved < 0.0 ? -1.0 : 0.0);
    zeros += moved == 0.0 ? 1.0 : 0.0;
  }
  const double smooth = (squares > 0.0 ? group_[p] * sum / std::sqrt(squares) : 0.0) + 2.0 * ridge_[p] * sum;
  const double apart = squares > 0.0 ? 0.0 : group_[p] * std::sqrt(K);
  left = smooth + l1_[p] * (signs - zeros) - apart;
  right = smooth + l1_[p] * (signs + zeros) + apart;
}

/// The shift at which the slope of the column's penalties along it changes its sign. `column` may be sorted.
double SparseGroupPenalty::best_shift(std::size_t p, double* column) const {
  double* const end = column + K_;
  const double K = static_cast<double>(K_), group = group_[p], l1 = l1_[p], ridge = ridge_[p];
  if (group == 0.0 && l1 == 0.0 && ridge == 0.0) return 0.0;
  double total = 0.0, square = 0.0;
  for (const double* w = column; w < end; ++w) total += *w;
  for (const double* w = column; w < end; ++w) square += *w * *w;
  if (square == 0.0) return 0.0;
  const double tiny = 1e-12 * (group * std::sqrt(K) + l1 * K + 2.0 * ridge * std::sqrt(K * square));
  const auto slopes = [&](double shift, double& left, double& right) {
    slopes_along(p, column, shift, left, right);
  };
  double left = 0.0, right = 0.0;
  slopes(0.0, left, right);
  if (left <= tiny && right >= -tiny) return 0.0;
  if (l1 == 0.0) return -total / K;
  std::sort(column, end, [](double a, double b) { return a > b; });
  // The first shift that makes an entry zero and from which on the slope is not negative; the last is one.
  std::size_t low = 0, high = K_ - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    slopes(-column[middle], left, right);
    if (right >= 0.0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  slopes(-column[low], left, right);
  if (left <= 0.0 || low == 0) return -column[low];
  double from = -column[low - 1], to = -column[low];
  if (2 * low == K_) return std::clamp(-total / K, from, to);  // as many positive as negative entries
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (from + to);
    slopes(middle, left, right);
    (right >= 0.0 ? to : from) = middle;
  }
  return 0.5 * (from + to);
}

double SparseGroupPenalty::ridge_value(const double* W) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < K_; ++k) {
    for (std::size_t p = 0; p < P_; ++p) sum += ridge_[p] * W[k * P_ + p] * W[k * P_ + p];
  }
  return sum;
}

void SparseGroupPenalty::add_ridge_gradient(const double* W, double* gradient) const {
  for (std::size_t k = 0; k < K_; ++k) {
    for (std::size_t p = 0; p < P_; ++p) gradient[k * P_ + p] += 2.0 * ridge_[p] * W[k * P_ + p];
  }
}

}  // namespace cladebench
