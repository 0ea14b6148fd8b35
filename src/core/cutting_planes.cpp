#include "cladebench/cutting_planes.hpp"

#include <algorithm>

#include "cladebench/simd.hpp"

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

}  // namespace

CuttingPlanes::CuttingPlanes(std::size_t width, double weight, std::size_t capacity)
    : width_(width), capacity_(std::max<std::size_t>(capacity, 3)), weight_(weight) {
  slopes_.reserve(capacity_ * width_);
  products_.resize(capacity_ * capacity_);
  clear();
}

void CuttingPlanes::clear() {
  intercepts_.assign(1, 0.0);
  slopes_.assign(width_, 0.0);
  shares_.assign(1, 1.0);
  sums_.assign(1, 0.0);
  products_[0] = 0.0;
}

void CuttingPlanes::add(double intercept, const double* new_slope) {
  if (size() == capacity_) merge();
  const std::size_t k = size();
  slopes_.insert(slopes_.end(), new_slope, new_slope + width_);
  intercepts_.push_back(intercept);
  shares_.push_back(0.0);
  double sum = 0.0;
  for (std::size_t l = 0; l <= k; ++l) {
    const double both = product(slope(k), slope(l), width_);
    products_[k * capacity_ + l] = products_[l * capacity_ + k] = both;
    sum += both * shares_[l];
  }
  sums_.push_back(sum);
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
  for (std::size_t k = 0; k < 2; ++k) sums_[k] = products_[k * capacity_ + 1];
}

double CuttingPlanes::solve(double tolerance) {
  const std::size_t n = size();
  for (std::size_t k = 0; k < n; ++k) {  // anew, so that rounding does not pile up
    sums_[k] = product(products_.data() + k * capacity_, shares_.data(), n);
  }
  const auto rise = [&](std::size_t k) { return intercepts_[k] - sums_[k] / weight_; };
  for (std::size_t step = 0; step < 100 + 20 * n; ++step) {
    std::size_t up = 0;
    double mean = 0.0, most = rise(0);
    for (std::size_t k = 0; k < n; ++k) {
      const double at_k = rise(k);
      mean += shares_[k] * at_k;
      if (at_k > most) {
        most = at_k;
        up = k;
      }
    }
    if (!(most - mean > tolerance)) break;
    std::size_t down = up;
    double best = 0.0, size_of_step = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double slack = most - rise(k);
      if (!(shares_[k] > 0.0 && slack > 0.0)) continue;
      const double bend = (products_[up * capacity_ + up] + products_[k * capacity_ + k] -
                           2.0 * products_[up * capacity_ + k]) /
                          weight_;
      const double t = slack < bend * shares_[k] ? slack / bend : shares_[k];
      const double gain = t * (slack - 0.5 * t * std::max(bend, 0.0));
      if (gain > best) {
        best = gain;
        down = k;
        size_of_step = t;
      }
    }
    if (down == up) break;
    shares_[up] += size_of_step;
    shares_[down] = size_of_step < shares_[down] ? shares_[down] - size_of_step : 0.0;
    const double *gained = products_.data() + up * capacity_, *lost = products_.data() + down * capacity_;
    for (std::size_t k = 0; k < n; ++k) sums_[k] += size_of_step * (gained[k] - lost[k]);
  }
  return product(shares_.data(), intercepts_.data(), n) -
         0.5 * product(shares_.data(), sums_.data(), n) / weight_;
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
