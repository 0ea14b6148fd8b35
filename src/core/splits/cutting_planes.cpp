#include "splits/cutting_planes.hpp"

#include <algorithm>
#include <cmath>

#include "common/keep_on.hpp"
#include "common/simd.hpp"

namespace cladebench {
namespace {

/// Product of two vectors, in eight sums that do not wait for each other.
template <class V>
CLADEBENCH_INLINE double product(const double* a, const double* b, std::size_t n) {
  typename V::Vec parts[kParts<V>] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (int part = 0; part < kParts<V>; ++part) {
      parts[part] += at<V>(a + j + part * V::kWidth) * at<V>(b + j + part * V::kWidth);
    }
  }
  alignas(64) double sums[kLanes];
  for (int part = 0; part < kParts<V>; ++part) at<V>(sums + part * V::kWidth) = parts[part];
  for (; j < n; ++j) sums[0] += a[j] * b[j];
  return fold(sums);
}

/// to[j] += factor * from[j].
template <class V>
CLADEBENCH_INLINE void add_multiple(double* to, double factor, const double* from, std::size_t n) {
  std::size_t j = 0;
  for (; j + V::kWidth <= n; j += V::kWidth) at<V>(to + j) += factor * at<V>(from + j);
  for (; j < n; ++j) to[j] += factor * from[j];
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

/// The planes in use, and the triangle whose product with its transpose is their bends and 1.
struct Triangle {
  double* rows;
  std::size_t row;  ///< from one to the next
  const std::size_t* used;
  std::size_t n;
  const double* bends;
  const double* intercepts;
  double *half_target, *half_ones;  ///< the triangle times these are the intercepts, and 1
};

/// Rows from `place` on, and what is solved by them.
struct FactoriseFrom {
  template <class V>
  CLADEBENCH_INLINE static void run(const Triangle* t, std::size_t place) {
    for (std::size_t q = place; q < t->n; ++q) {
      double* row = t->rows + q * t->row;
      const double* bends = t->bends + t->used[q] * t->row;
      for (std::size_t p = 0; p < q; ++p) {
        const double* other = t->rows + p * t->row;
        row[p] = (bends[t->used[p]] + 1.0 - product<V>(row, other, p)) / other[p];
      }
      const double all = bends[t->used[q]] + 1.0;
      row[q] = std::sqrt(std::max(all - product<V>(row, row, q), kDependent * all));
      t->half_target[q] = (t->intercepts[t->used[q]] - product<V>(row, t->half_target, q)) / row[q];
      t->half_ones[q] = (1.0 - product<V>(row, t->half_ones, q)) / row[q];
    }
  }
};

/// Solves by the transpose of the triangle.
struct SolveTransposed {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* rows, std::size_t row_length, std::size_t n, double* target,
                                    double* ones) {
    for (std::size_t q = n; q-- > 0;) {
      const double* row = rows + q * row_length;
      target[q] /= row[q];
      ones[q] /= row[q];
      add_multiple<V>(target, -target[q], row, q);
      add_multiple<V>(ones, -ones[q], row, q);
    }
  }
};

/// to += sum over k of factors[k] * row_k, in that order, with columns in registers.
struct AddRows {
  template <class V>
  CLADEBENCH_INLINE static void run(double* to, std::size_t n_columns, const double* factors,
                                    const double* const* rows, std::size_t n) {
    constexpr std::size_t kColumns = 4 * V::kWidth;
    std::size_t j = 0;
    for (; j + kColumns <= n_columns; j += kColumns) {
      typename V::Vec sums[4];
      for (int c = 0; c < 4; ++c) sums[c] = at<V>(to + j + c * V::kWidth);
      for (std::size_t k = 0; k < n; ++k) {
        for (int c = 0; c < 4; ++c) sums[c] += factors[k] * at<V>(rows[k] + j + c * V::kWidth);
      }
      for (int c = 0; c < 4; ++c) at<V>(to + j + c * V::kWidth) = sums[c];
    }
    if (j < n_columns) {
      for (std::size_t k = 0; k < n; ++k) add_multiple<V>(to + j, factors[k], rows[k] + j, n_columns - j);
    }
  }
};

}  // namespace

CuttingPlanes::CuttingPlanes(std::size_t width, double weight, std::size_t capacity)
    : width_(width),
      stride_(padded_width(width)),
      capacity_(std::max<std::size_t>(capacity, 3)),
      weight_(weight) {
  products_.resize(capacity_ * capacity_);
  factor_.resize(capacity_ * capacity_);
  for (std::vector<double>* of_used : {&target_, &ones_, &half_target_, &half_ones_}) {
    of_used->resize(capacity_);
  }
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

/// to += sum over the listed planes.
void CuttingPlanes::add_listed(double* to, std::size_t n_columns) const {
  run_kernel<AddRows, double*>(to, n_columns, factors_.data(), rows_.data(), factors_.size());
}

void CuttingPlanes::find_rises() {
  std::copy(intercepts_.begin(), intercepts_.end(), rises_.begin());
  factors_.clear();
  rows_.clear();
  for (const std::size_t l : used_) {
    factors_.push_back(-shares_[l]);
    rows_.push_back(products_.data() + l * capacity_);
  }
  add_listed(rises_.data(), size());
}

/// Rows from `place` on of the factor of bend + 1: on shares whose sum is 1 the added matrix of ones is a
/// constant, and makes the matrix invertible for planes that do not depend on each other. Rows before
/// `place` stay, and so does what is solved by them.
void CuttingPlanes::factorise_from(std::size_t place) {
  const Triangle triangle{factor_.data(),   capacity_,          used_.data(),        used_.size(),
                          products_.data(), intercepts_.data(), half_target_.data(), half_ones_.data()};
  run_kernel<FactoriseFrom>(&triangle, place);
}

/// The best shares of the planes in use whose sum is 1, whatever their signs.
void CuttingPlanes::find_target() {
  const std::size_t n = used_.size();
  std::copy_n(half_target_.begin(), n, target_.begin());
  std::copy_n(half_ones_.begin(), n, ones_.begin());
  run_kernel<SolveTransposed, const double*>(factor_.data(), capacity_, n, target_.data(), ones_.data());
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

void CuttingPlanes::minimiser(double* w) {
  std::fill_n(w, width_, 0.0);
  factors_.clear();
  rows_.clear();
  for (std::size_t k = 0; k < size(); ++k) {
    const double share = -shares_[k] / weight_;
    if (share == 0.0) continue;
    factors_.push_back(share);
    rows_.push_back(slope(k));
  }
  add_listed(w, width_);
}

}  // namespace cladebench
