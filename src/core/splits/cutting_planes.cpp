#include "splits/cutting_planes.hpp"

#include <algorithm>
#include <cmath>

#include "common/keep_on.hpp"
#include "common/simd.hpp"

namespace cladebench {
namespace {

/// Product of two vectors, in eight sums that do not wait for each other.
double product(const double* a, const double* b, std::size_t n) {
  double sums[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[j + lane] * b[j + lane];
  }
  for (; j < n; ++j) sums[0] += a[j] * b[j];
  return fold(sums);
}

/// products[k] = row_k . last row, of n rows whose width is a multiple of kLanes.
struct ProductsWithLast {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* rows, std::size_t n, std::size_t width, double* products) {
    using Vec = typename V::Vec;
    const double* last = rows + (n - 1) * width;
    for (std::size_t k = 0; k < n; ++k) {
      Vec sums[kParts<V>] = {};
      for (std::size_t j = 0; j < width; j += kLanes) {
        for (int part = 0; part < kParts<V>; ++part) {
          const std::size_t lane = j + part * V::kWidth;
          sums[part] += at<V>(rows + k * width + lane) * at<V>(last + lane);
        }
      }
      alignas(64) double lanes[kLanes];
      for (int part = 0; part < kParts<V>; ++part) at<V>(lanes + part * V::kWidth) = sums[part];
      products[k] = fold(lanes);
    }
  }
};

/// Share of a pivot below which a plane counts as dependent on those before it.
constexpr double kDependent = 1e-11;

}  // namespace

CuttingPlanes::CuttingPlanes(std::size_t width, double weight, std::size_t capacity)
    : width_(width),
      stride_(padded_width(width)),
      capacity_(std::max<std::size_t>(capacity, 3)),
      weight_(weight) {
  products_.resize(capacity_ * capacity_);
  factor_.resize(capacity_ * capacity_);
  target_.resize(capacity_);
  ones_.resize(capacity_);
  clear();
}

void CuttingPlanes::clear() {
  intercepts_.assign(1, 0.0);
  slopes_.assign(stride_, 0.0);
  shares_.assign(1, 1.0);
  rises_.assign(1, 0.0);
  products_[0] = 0.0;
  used_.assign(1, 0);
  factorise_from(0);
}

void CuttingPlanes::add(double intercept, const double* new_slope) {
  if (size() == capacity_) merge();
  const std::size_t k = size();
  slopes_.insert(slopes_.end(), new_slope, new_slope + width_);
  slopes_.resize((k + 1) * stride_);
  intercepts_.push_back(intercept);
  shares_.push_back(0.0);
  rises_.push_back(0.0);
  double* row = products_.data() + k * capacity_;
  run_kernel<ProductsWithLast, const double*>(slopes_.data(), k + 1, stride_, row);
  for (std::size_t l = 0; l <= k; ++l) products_[l * capacity_ + k] = row[l] /= weight_;
}

void CuttingPlanes::merge() {
  std::vector<double> mean(width_);
  double intercept = 0.0;
  for (std::size_t k = 0; k < size(); ++k) {
    intercept += shares_[k] * intercepts_[k];
    for (std::size_t j = 0; j < width_; ++j) mean[j] += shares_[k] * slope(k)[j];
  }
  clear();
  add(intercept, mean.data());
  shares_ = {0.0, 1.0};
  used_.assign(1, 1);
  factorise_from(0);
}

void CuttingPlanes::find_rises() {
  std::copy(intercepts_.begin(), intercepts_.end(), rises_.begin());
  for (const std::size_t l : used_) {
    const double* row = products_.data() + l * capacity_;
    const double share = shares_[l];
    for (std::size_t k = 0; k < size(); ++k) rises_[k] -= share * row[k];
  }
}

/// Rows from `place` on of the factor of bend + 1: on shares whose sum is 1 the added matrix of ones is a
/// constant, and makes the matrix invertible for planes that do not depend on each other.
void CuttingPlanes::factorise_from(std::size_t place) {
  for (std::size_t q = place; q < used_.size(); ++q) {
    double* row = factor(q);
    for (std::size_t p = 0; p < q; ++p) {
      row[p] = (bend(used_[q], used_[p]) + 1.0 - product(row, factor(p), p)) / factor(p)[p];
    }
    const double all = bend(used_[q], used_[q]) + 1.0;
    row[q] = std::sqrt(std::max(all - product(row, row, q), kDependent * all));
  }
}

/// The best shares of the planes in use whose sum is 1, whatever their signs.
void CuttingPlanes::find_target() {
  const std::size_t n = used_.size();
  for (std::size_t q = 0; q < n; ++q) {
    const double* row = factor(q);
    target_[q] = (intercepts_[used_[q]] - product(row, target_.data(), q)) / row[q];
    ones_[q] = (1.0 - product(row, ones_.data(), q)) / row[q];
  }
  for (std::size_t q = n; q-- > 0;) {
    const double* row = factor(q);
    target_[q] /= row[q];
    ones_[q] /= row[q];
    for (std::size_t p = 0; p < q; ++p) {
      target_[p] -= target_[q] * row[p];
      ones_[p] -= ones_[q] * row[p];
    }
  }
  double sum = 0.0, of_ones = 0.0;
  for (std::size_t q = 0; q < n; ++q) {
    sum += target_[q];
    of_ones += ones_[q];
  }
  const double times = (1.0 - sum) / of_ones;
  for (std::size_t q = 0; q < n; ++q) target_[q] += times * ones_[q];
}

/// Goes towards the target; false if it was reached, and no plane had to leave.
bool CuttingPlanes::approach() {
  std::size_t leaves = used_.size();
  double t = 1.0;
  for (std::size_t q = 0; q < used_.size(); ++q) {
    if (target_[q] > 0.0) continue;
    const double share = shares_[used_[q]], until = share > 0.0 ? share / (share - target_[q]) : 0.0;
    if (!(until >= t)) {
      t = until;
      leaves = q;
    } else if (leaves == used_.size()) {
      leaves = q;
    }
  }
  for (std::size_t q = 0; q < used_.size(); ++q) {
    double& share = shares_[used_[q]];
    share = std::max(share + t * (target_[q] - share), 0.0);
  }
  if (leaves == used_.size()) return false;
  shares_[used_[leaves]] = 0.0;
  used_.erase(used_.begin() + static_cast<std::ptrdiff_t>(leaves));
  factorise_from(leaves);
  return true;
}

double CuttingPlanes::solve(double tolerance) {
  for (std::size_t step = 0; step < 10 + 4 * size(); ++step) {
    keep_on(size() * size() / 4);
    find_rises();
    const std::size_t up =
        static_cast<std::size_t>(std::max_element(rises_.begin(), rises_.end()) - rises_.begin());
    double mean = 0.0;
    for (const std::size_t k : used_) mean += shares_[k] * rises_[k];
    if (!(rises_[up] - mean > tolerance)) break;
    if (std::find(used_.begin(), used_.end(), up) != used_.end()) break;  // what is left is rounding
    used_.push_back(up);
    factorise_from(used_.size() - 1);
    do {
      find_target();
    } while (approach() && used_.size() > 1);
    double sum = 0.0;
    for (const std::size_t k : used_) sum += shares_[k];
    for (const std::size_t k : used_) shares_[k] /= sum;
  }
  find_rises();
  double twice = 0.0;  // sum of share (intercept + rise) is twice the dual
  for (const std::size_t k : used_) twice += shares_[k] * (intercepts_[k] + rises_[k]);
  return 0.5 * twice;
}

void CuttingPlanes::minimiser(double* w) const {
  std::fill_n(w, width_, 0.0);
  for (std::size_t k = 0; k < size(); ++k) {
    const double share = -shares_[k] / weight_;
    if (share == 0.0) continue;
    for (std::size_t j = 0; j < width_; ++j) w[j] += share * slope(k)[j];
  }
}

}  // namespace cladebench
