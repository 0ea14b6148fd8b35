#include "margin/quasi_newton.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/keep_on.hpp"
#include "common/simd.hpp"

namespace cladebench {
namespace {

/// Least s.y of a pair, relative to ||s|| ||y||: below, rounding decides.
constexpr double kLeastCurvature = 1e-12;
/// What remains of theta after a step along which the function did not bend: the next may be longer.
constexpr double kFlatter = 0.1;
/// Values of the model that a spectral step may rise up to.
constexpr std::size_t kNonmonotone = 5;

struct DotProduct {
  template <class V>
  CLADEBENCH_INLINE static double run(const double* a, const double* b, std::size_t n) {
    typename V::Vec even[kParts<V>] = {}, odd[kParts<V>] = {};
    std::size_t k = 0;
    for (; k + 2 * kLanes <= n; k += 2 * kLanes) {
      for (int part = 0; part < kParts<V>; ++part) {
        const std::size_t lane = k + part * V::kWidth;
        even[part] += at<V>(a + lane) * at<V>(b + lane);
        odd[part] += at<V>(a + lane + kLanes) * at<V>(b + lane + kLanes);
      }
    }
    double lanes[kLanes];
    for (int part = 0; part < kParts<V>; ++part) at<V>(lanes + part * V::kWidth) = even[part] + odd[part];
    double sum = fold(lanes);
    for (; k < n; ++k) sum += a[k] * b[k];
    return sum;
  }
};

/// out[i] = row i of `rows` times v, stride a multiple of kLanes.
struct MultiplyRows {
  template <class V, int kRows>
  CLADEBENCH_INLINE static void some(const double* rows, std::size_t stride, const double* v, double* out) {
    double lanes[kRows][kLanes];
    for (std::size_t lane = 0; lane < kLanes; lane += V::kWidth) {
      typename V::Vec sums[kRows] = {};
      for (std::size_t k = lane; k < stride; k += kLanes) {
        const typename V::Vec x = at<V>(v + k);
        for (int r = 0; r < kRows; ++r) sums[r] += x * at<V>(rows + r * stride + k);
      }
      for (int r = 0; r < kRows; ++r) at<V>(lanes[r] + lane) = sums[r];
    }
    for (int r = 0; r < kRows; ++r) out[r] = fold(lanes[r]);
  }

  template <class V>
  CLADEBENCH_INLINE static void run(const double* rows, std::size_t n_rows, std::size_t stride,
                                    const double* v, double* out) {
    std::size_t i = 0;
    for (; i + 4 <= n_rows; i += 4) some<V, 4>(rows + i * stride, stride, v, out + i);
    for (; i < n_rows; ++i) some<V, 1>(rows + i * stride, stride, v, out + i);
  }
};

/// out -= sum_i weights[i] times row i.
struct SubtractRows {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* rows, std::size_t n_rows, std::size_t stride,
                                    const double* weights, double* out) {
    using Vec = typename V::Vec;
    std::size_t i = 0;
    for (; i + 4 <= n_rows; i += 4) {
      for (std::size_t k = 0; k < stride; k += V::kWidth) {
        Vec sum{};
        for (std::size_t r = 0; r < 4; ++r) sum += weights[i + r] * at<V>(rows + (i + r) * stride + k);
        at<V>(out + k) -= sum;
      }
    }
    for (; i < n_rows; ++i) {
      for (std::size_t k = 0; k < stride; k += V::kWidth) {
        at<V>(out + k) -= weights[i] * at<V>(rows + i * stride + k);
      }
    }
  }
};

/// out = a + t b.
struct AddScaled {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* a, double t, const double* b, std::size_t n, double* out) {
    for (std::size_t k = 0; k < n; ++k) out[k] = a[k] + t * b[k];
  }
};

}  // namespace

double dot(const double* a, const double* b, std::size_t n) { return run_kernel<DotProduct>(a, b, n); }

CompactLbfgs::CompactLbfgs(std::size_t size, std::size_t memory)
    : size_(size), stride_(padded_width(size)), memory_(memory) {
  s_.resize(memory * stride_);
  y_.resize(memory * stride_);
  ss_.resize(memory * memory);
  sy_.resize(memory * memory);
  factor_.resize(memory * memory);
  products_.resize(4 * memory);
  padded_.resize(2 * stride_);
}

void CompactLbfgs::reset(double theta) {
  n_pairs_ = first_ = 0;
  theta_ = theta;
}

void CompactLbfgs::multiply_rows(const std::vector<double>& rows, const double* v, double* out) const {
  run_kernel<MultiplyRows>(rows.data(), memory_, stride_, v, out);
}

void CompactLbfgs::subtract_rows(const std::vector<double>& rows, const double* weights, double* out) const {
  run_kernel<SubtractRows>(rows.data(), memory_, stride_, weights, out);
}

void CompactLbfgs::update(const double* s, const double* y) {
  const double sy = dot(s, y, size_), ss = dot(s, s, size_), yy = dot(y, y, size_);
  if (!(sy > kLeastCurvature * std::sqrt(ss) * std::sqrt(yy))) {
    reset(kFlatter * theta_);
    return;
  }
  if (n_pairs_ == memory_) {
    first_ = (first_ + 1) % memory_;
    --n_pairs_;
  }
  const std::size_t latest = slot(n_pairs_++);
  const double unit = 1.0 / std::sqrt(sy);
  for (std::size_t k = 0; k < size_; ++k) {
    s_[latest * stride_ + k] = unit * s[k];
    y_[latest * stride_ + k] = unit * y[k];
  }
  theta_ = yy / sy;
  // Products with all slots: those without a pair yet are zero and not read.
  double* found = products_.data();
  multiply_rows(s_, &s_[latest * stride_], found);
  for (std::size_t i = 0; i < memory_; ++i) ss_[i * memory_ + latest] = ss_[latest * memory_ + i] = found[i];
  multiply_rows(y_, &s_[latest * stride_], found);
  for (std::size_t j = 0; j < memory_; ++j) sy_[latest * memory_ + j] = found[j];
  factorize();
}

/// Cholesky of theta S^T S + L L^T. Pairs that are dependent to rounding make it fail: the oldest go.
void CompactLbfgs::factorize() {
  for (bool done = false; !done && n_pairs_ > 0;) {
    const std::size_t m = n_pairs_;
    done = true;
    for (std::size_t i = 0; i < m && done; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = theta_ * ss_[slot(i) * memory_ + slot(j)];
        const double whole = sum;
        for (std::size_t k = 0; k < j; ++k) {
          sum += sy_[slot(i) * memory_ + slot(k)] * sy_[slot(j) * memory_ + slot(k)];
        }
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * memory_ + k] * factor_[j * memory_ + k];
        if (i != j) {
          factor_[i * memory_ + j] = sum / factor_[j * memory_ + j];
        } else if (sum > 1e-14 * whole) {
          factor_[i * memory_ + i] = std::sqrt(sum);
        } else {
          done = false;
        }
      }
    }
    if (!done) {
      first_ = (first_ + 1) % memory_;
      --n_pairs_;
    }
  }
}

void CompactLbfgs::multiply(const double* v, double* out) const {
  double* padded = padded_.data();
  double* result = padded_.data() + stride_;
  std::copy_n(v, size_, padded);
  for (std::size_t k = 0; k < size_; ++k) result[k] = theta_ * v[k];
  if (n_pairs_ > 0) {
    const std::size_t m = n_pairs_;
    std::array<std::size_t, 64> place{};
    for (std::size_t i = 0; i < m; ++i) place[i] = slot(i);
    double *of_s = products_.data(), *of_y = of_s + memory_, *p = of_y + memory_, *q = p + memory_;
    // Slots without a pair hold zeros or an old pair; their weights are zero.
    multiply_rows(s_, padded, of_s);
    multiply_rows(y_, padded, of_y);
    std::array<double, 64> x{};
    // [theta S^T S, L; L^T, -I] [x; q] = [theta S^T v; Y^T v]: x from the Schur complement, q = L^T x - Y^T
    // v.
    for (std::size_t i = 0; i < m; ++i) {
      double sum = theta_ * of_s[place[i]];
      for (std::size_t j = 0; j < i; ++j) sum += sy_[place[i] * memory_ + place[j]] * of_y[place[j]];
      for (std::size_t j = 0; j < i; ++j) sum -= factor_[i * memory_ + j] * x[j];
      x[i] = sum / factor_[i * memory_ + i];
    }
    for (std::size_t i = m; i-- > 0;) {
      for (std::size_t j = i + 1; j < m; ++j) x[i] -= factor_[j * memory_ + i] * x[j];
      x[i] /= factor_[i * memory_ + i];
    }
    std::fill_n(p, 2 * memory_, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      p[place[i]] = theta_ * x[i];
      q[place[i]] = -of_y[place[i]];
      for (std::size_t j = i + 1; j < m; ++j) q[place[i]] += sy_[place[j] * memory_ + place[i]] * x[j];
    }
    subtract_rows(s_, p, result);
    subtract_rows(y_, q, result);
  }
  std::copy_n(result, size_, out);
}

void CompactLbfgs::solve(const double* v, double* out) const {
  double* weight = products_.data();
  std::copy_n(v, size_, out);
  for (std::size_t i = n_pairs_; i-- > 0;) {
    weight[i] = dot(row(s_, i), out, size_);
    const double* y = row(y_, i);
    for (std::size_t k = 0; k < size_; ++k) out[k] -= weight[i] * y[k];
  }
  for (std::size_t k = 0; k < size_; ++k) out[k] /= theta_;
  for (std::size_t i = 0; i < n_pairs_; ++i) {
    const double change = weight[i] - dot(row(y_, i), out, size_);
    const double* s = row(s_, i);
    for (std::size_t k = 0; k < size_; ++k) out[k] += change * s[k];
  }
}

ProximalModel::ProximalModel(const SparseGroupPenalty& penalty)
    : penalty_(penalty),
      gradient_(penalty.K() * penalty.P()),
      step_(gradient_.size()),
      product_(gradient_.size()) {}

void ProximalModel::minimise(const CompactLbfgs& B, const double* W, const double* g, double tol,
                             int max_iter, double* Z) {
  const std::size_t size = gradient_.size();
  std::copy_n(W, size, Z);
  std::copy_n(g, size, gradient_.data());
  double penalty = penalty_.value(W), smooth = 0.0, length = 1.0 / B.theta();
  const double target = tol * tol * penalty_.residual_squared(W, g);
  std::array<double, kNonmonotone> recent;
  recent.fill(penalty);
  for (int iteration = 0; iteration < max_iter; ++iteration) {
    run_kernel<AddScaled>(Z, -length, gradient_.data(), size, step_.data());
    penalty_.prox(step_.data(), length);
    const double penalty_there = penalty_.value(step_.data());
    run_kernel<AddScaled>(step_.data(), -1.0, Z, size, step_.data());
    keep_on(size);
    B.multiply(step_.data(), product_.data());
    const double slope = dot(gradient_.data(), step_.data(), size);
    const double curvature = dot(step_.data(), product_.data(), size);
    if (!(curvature > 0.0)) return;
    const double whole = smooth + slope + 0.5 * curvature + penalty_there;
    double t = 1.0;
    if (whole > *std::max_element(recent.begin(), recent.end())) {
      t = std::clamp(-(slope + penalty_there - penalty) / curvature, 0.0, 1.0);
    }
    run_kernel<AddScaled>(Z, t, step_.data(), size, Z);
    run_kernel<AddScaled>(gradient_.data(), t, product_.data(), size, gradient_.data());
    smooth += t * slope + 0.5 * t * t * curvature;
    penalty = t < 1.0 ? penalty_.value(Z) : penalty_there;
    recent[static_cast<std::size_t>(iteration) % kNonmonotone] = smooth + penalty;
    if (!B.has_pairs() || t == 0.0 || penalty_.residual_squared(Z, gradient_.data()) <= target) return;
    length = dot(step_.data(), step_.data(), size) / curvature;
  }
}

}  // namespace cladebench
