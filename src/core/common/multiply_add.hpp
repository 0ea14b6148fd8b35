// Sums of products of small matrices, each entry in the order of the inner index: whatever the instruction
// set and the tiling, the result is that of three plain loops.
#pragma once

#include <cstddef>

#include "common/simd.hpp"

namespace cladebench {

struct MultiplyAdd {
  static constexpr std::size_t kRows = 4;

  /// Factor on the left: entry (i, k) stands at data[i * row + k * column].
  struct Left {
    const double* data;
    std::size_t row, column;
  };

  template <class V, int kVectors>
  CLADEBENCH_INLINE static void tile(const Left& left, std::size_t i, std::size_t n_inner,
                                     const double* right, std::size_t right_row, double* out,
                                     std::size_t out_row, bool add) {
    typename V::Vec sum[kRows][kVectors];
    for (std::size_t r = 0; r < kRows; ++r) {
      for (int c = 0; c < kVectors; ++c) {
        sum[r][c] = add ? typename V::Vec(at<V>(out + r * out_row + c * V::kWidth)) : typename V::Vec{};
      }
    }
    const double* factors = left.data + i * left.row;
    for (std::size_t k = 0; k < n_inner; ++k, factors += left.column, right += right_row) {
      typename V::Vec part[kVectors];
      for (int c = 0; c < kVectors; ++c) part[c] = at<V>(right + c * V::kWidth);
      for (std::size_t r = 0; r < kRows; ++r) {
        const double factor = factors[r * left.row];
        for (int c = 0; c < kVectors; ++c) sum[r][c] += factor * part[c];
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      for (int c = 0; c < kVectors; ++c) at<V>(out + r * out_row + c * V::kWidth) = sum[r][c];
    }
  }

  /// out = left right, or out += left right; n_rows and n_columns are multiples of eight. Where only the
  /// lower triangle is wanted, little more than that is written.
  template <class V>
  CLADEBENCH_INLINE static void run(const Left* left, std::size_t n_inner, const double* right,
                                    std::size_t right_row, double* out, std::size_t out_row,
                                    std::size_t n_rows, std::size_t n_columns, bool add, bool lower) {
    constexpr int kVectors = V::kRegisters == 32 ? 4 : 2;
    constexpr std::size_t kWide = kVectors * V::kWidth;
    for (std::size_t i = 0; i < n_rows; i += kRows) {
      const std::size_t end = lower ? padded_width(i + kRows) : n_columns;
      double* row = out + i * out_row;
      std::size_t j = 0;
      for (; j + kWide <= end; j += kWide) {
        tile<V, kVectors>(*left, i, n_inner, right + j, right_row, row + j, out_row, add);
      }
      for (; j < end; j += V::kWidth) {
        tile<V, 1>(*left, i, n_inner, right + j, right_row, row + j, out_row, add);
      }
    }
  }
};

}  // namespace cladebench
