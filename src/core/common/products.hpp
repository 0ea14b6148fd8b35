// Matrix products whose sums are added in the order of their terms, whatever the tiles.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/simd.hpp"

namespace cladebench {

/// A matrix with any strides: entry (r, k) lies at data + r * row + k * column. Its transpose swaps them.
struct Strided {
  const double* data;
  std::size_t row, column;
};

/// C[r, :] += sum_k A[r, k] B[k, :] for kRows rows and kVectors vectors of columns.
template <class V, int kRows, int kVectors>
CLADEBENCH_INLINE void add_product_tile(const Strided& A, const double* B, std::size_t n_terms,
                                        std::size_t width, double* C) {
  using Vec = typename V::Vec;
  Vec sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = at<V>(C + r * width + v * V::kWidth);
  }
  for (std::size_t k = 0; k < n_terms; ++k) {
    Vec b[kVectors];
    for (int v = 0; v < kVectors; ++v) b[v] = at<V>(B + k * width + v * V::kWidth);
    for (int r = 0; r < kRows; ++r) {
      const double a = A.data[r * A.row + k * A.column];
      for (int v = 0; v < kVectors; ++v) sums[r][v] += a * b[v];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) at<V>(C + r * width + v * V::kWidth) = sums[r][v];
  }
}

/// Rows by kRows at a time, and what is left over by half as many.
template <class V, int kVectors, int kRows>
CLADEBENCH_INLINE void add_product_panel(Strided A, const double* B, std::size_t n_rows, std::size_t n_terms,
                                         std::size_t width, double* C) {
  std::size_t r = 0;
  for (; r + kRows <= n_rows; r += kRows, A.data += kRows * A.row, C += kRows * width) {
    add_product_tile<V, kRows, kVectors>(A, B, n_terms, width, C);
  }
  if constexpr (kRows > 1) add_product_panel<V, kVectors, kRows / 2>(A, B, n_rows - r, n_terms, width, C);
}

/// C += A B, with B (n_terms x width) and C (n_rows x width) row-major and width a multiple of kLanes. Where
/// the product is symmetric and its upper triangle is enough, the rest need not be added.
template <bool kUpper>
struct AddProductTo {
  template <class V>
  CLADEBENCH_INLINE static void run(const Strided& A, const double* B, std::size_t n_rows,
                                    std::size_t n_terms, std::size_t width, double* C) {
    constexpr std::size_t kTerms = 64;  // of B's panel, so that it stays in the first cache
    constexpr std::size_t kPanel = 2 * V::kWidth;
    constexpr int kRows = V::kRegisters == 32 ? 8 : 4;
    for (std::size_t k = 0; k < n_terms; k += kTerms) {
      const std::size_t terms = std::min(kTerms, n_terms - k);
      const Strided part{A.data + k * A.column, A.row, A.column};
      const auto rows_to = [&](std::size_t column) { return kUpper ? std::min(n_rows, column) : n_rows; };
      std::size_t c = 0;
      for (; c + kPanel <= width; c += kPanel) {
        add_product_panel<V, 2, kRows>(part, B + k * width + c, rows_to(c + kPanel), terms, width, C + c);
      }
      for (; c < width; c += V::kWidth) {
        add_product_panel<V, 1, kRows>(part, B + k * width + c, rows_to(c + V::kWidth), terms, width, C + c);
      }
    }
  }
};
using AddProduct = AddProductTo<false>;

}  // namespace cladebench
