// Products of the rows of a matrix with a few vectors, and sums of rows, by tiles of eight rows.
//
// Up to four models meet four or eight rows at a time, so that each number read takes part in several
// products and sums stay in registers. Where a row's length is no multiple of eight, its last vector overlaps
// the one before, and the models have zeros there: full tiles are read where they are, and no loop has a
// remainder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cladebench/simd.hpp"

namespace cladebench {

/// Row-major n x P with P >= kLanes; a row is n_vectors vectors.
struct Rows {
  const double* data;
  std::size_t n, P;
  CLADEBENCH_INLINE std::size_t n_vectors() const { return (P + kLanes - 1) / kLanes; }
  CLADEBENCH_INLINE std::size_t offset(std::size_t vector) const {
    return std::min(vector * kLanes, P - kLanes);
  }
};

/// Eight rows, `stride` doubles apart.
struct Tile {
  const double* data;
  std::size_t stride;
};

/// The last rows of a matrix as a full tile, with zeros behind them.
inline std::vector<double> last_tile(const Rows& X) {
  std::vector<double> rows(kLanes * X.P);
  std::copy(X.data + (X.n - 1) / kLanes * kLanes * X.P, X.data + X.n * X.P, rows.data());
  return rows;
}

/// Lane in which coordinate p of the rows meets a padded vector; the other lanes are zero.
inline std::size_t place(std::size_t p, std::size_t P) {
  const std::size_t width = padded_width(P);
  return p + kLanes < width ? p : p + width - P;
}

template <int kRows, int kModels>
CLADEBENCH_INLINE void add_products(const Tile& tile, std::size_t offset, const double* models,
                                    std::size_t width, Vec (&sums)[kRows][kModels]) {
  for (int r = 0; r < kRows; ++r) {
    const Vec x = *reinterpret_cast<const UnalignedVec*>(tile.data + r * tile.stride + offset);
    for (int k = 0; k < kModels; ++k) {
      sums[r][k] += x * *reinterpret_cast<const UnalignedVec*>(models + k * width);
    }
  }
}

/// Scores of kRows rows with kModels models, as sums over the lanes up to the last two folds.
template <int kRows, int kModels>
CLADEBENCH_INLINE void dot_products(const Rows& X, const Tile& tile, const double* models, std::size_t width,
                                    Vec* quads) {
  Vec sums[kRows][kModels] = {};
  const std::size_t last = X.n_vectors() - 1;
  for (std::size_t v = 0; v < last; ++v) {
    add_products<kRows, kModels>(tile, v * kLanes, models + v * kLanes, width, sums);
  }
  add_products<kRows, kModels>(tile, X.P - kLanes, models + last * kLanes, width, sums);
  for (int half = 0; half < kRows / 4; ++half) {
    for (int k = 0; k < kModels; ++k) {
      Vec first, second;
      fold_pair(sums[4 * half][k], sums[4 * half + 1][k], first);
      fold_pair(sums[4 * half + 2][k], sums[4 * half + 3][k], second);
      fold_quad(first, second, quads[half * kModels + k]);
    }
  }
}

/// scores[k] = scores of the tile's rows with model k, kModels <= 4. As many sums at a time as there are
/// registers for.
template <int kModels>
CLADEBENCH_INLINE void few_scores(const Rows& X, const Tile& tile, const double* models, std::size_t width,
                                  UnalignedVec* scores) {
  Vec quads[2 * kModels];
  if constexpr (kModels <= 2) {
    dot_products<8, kModels>(X, tile, models, width, quads);
  } else {
    dot_products<4, kModels>(X, tile, models, width, quads);
    dot_products<4, kModels>(X, {tile.data + 4 * tile.stride, tile.stride}, models, width, quads + kModels);
  }
  for (int k = 0; k < kModels; ++k) {
    Vec sum;
    fold_octet(quads[k], quads[kModels + k], sum);
    scores[k] = sum;
  }
}

CLADEBENCH_INLINE void tile_scores(const Rows& X, const Tile& tile, const double* models,
                                   std::size_t n_models, std::size_t width, UnalignedVec* scores) {
  std::size_t k = 0;
  for (; k + 4 <= n_models; k += 4) few_scores<4>(X, tile, models + k * width, width, scores + k);
  const double* rest = models + k * width;
  if (n_models - k == 3) few_scores<3>(X, tile, rest, width, scores + k);
  if (n_models - k == 2) few_scores<2>(X, tile, rest, width, scores + k);
  if (n_models - k == 1) few_scores<1>(X, tile, rest, width, scores + k);
}

template <int kRows, int kModels>
CLADEBENCH_INLINE void add_rows_at(const Tile& tile, std::size_t offset, const double* next,
                                   const Vec (&coefficients)[kRows][kModels], std::size_t width,
                                   double* gradient) {
  Vec sums[kModels];
  for (int k = 0; k < kModels; ++k) sums[k] = *reinterpret_cast<const UnalignedVec*>(gradient + k * width);
  for (int r = 0; r < kRows; r += 4) {
    Vec x[4];
    for (int s = 0; s < 4; ++s) {
      x[s] = *reinterpret_cast<const UnalignedVec*>(tile.data + (r + s) * tile.stride + offset);
      if (next) __builtin_prefetch(next + (r + s) * tile.stride + offset);
    }
    for (int k = 0; k < kModels; ++k) {
      sums[k] += (coefficients[r][k] * x[0] + coefficients[r + 1][k] * x[1]) +
                 (coefficients[r + 2][k] * x[2] + coefficients[r + 3][k] * x[3]);
    }
  }
  for (int k = 0; k < kModels; ++k) *reinterpret_cast<UnalignedVec*>(gradient + k * width) = sums[k];
}

/// The same for kRows rows and kModels models; all coefficients are in registers.
template <int kRows, int kModels>
CLADEBENCH_INLINE void add_some_rows(const Rows& X, const Tile& tile, const double* next,
                                     const double* weights, std::size_t width, double* gradient) {
  Vec coefficients[kRows][kModels];
  for (int r = 0; r < kRows; ++r) {
    for (int k = 0; k < kModels; ++k) coefficients[r][k] = Vec{} + weights[k * kLanes + r];
  }
  const std::size_t last = X.n_vectors() - 1;
  for (std::size_t v = 0; v < last; ++v) {
    add_rows_at<kRows, kModels>(tile, v * kLanes, next, coefficients, width, gradient + v * kLanes);
  }
  add_rows_at<kRows, kModels>(tile, X.P - kLanes, next, coefficients, width, gradient + last * kLanes);
}

template <int kModels>
CLADEBENCH_INLINE void add_to_few(const Rows& X, const Tile& tile, const double* next, const double* weights,
                                  std::size_t width, double* gradient) {
  if constexpr (kModels <= 2) {
    add_some_rows<8, kModels>(X, tile, next, weights, width, gradient);
  } else {
    const Tile rest{tile.data + 4 * tile.stride, tile.stride};
    add_some_rows<4, kModels>(X, tile, next, weights, width, gradient);
    add_some_rows<4, kModels>(X, rest, next ? next + 4 * tile.stride : nullptr, weights + 4, width, gradient);
  }
}

/// gradient[k] += sum over the tile's rows r of weights[k, r] times the row, for each model k.
/// @param next tile to bring near meanwhile, or null.
CLADEBENCH_INLINE void add_weighted_rows(const Rows& X, const Tile& tile, const double* next,
                                         const double* weights, std::size_t n_models, std::size_t width,
                                         double* gradient) {
  std::size_t k = 0;
  for (; k + 4 <= n_models; k += 4) {
    add_to_few<4>(X, tile, k == 0 ? next : nullptr, weights + k * kLanes, width, gradient + k * width);
  }
  const double* ahead = k == 0 ? next : nullptr;
  weights += k * kLanes;
  gradient += k * width;
  if (n_models - k == 3) add_to_few<3>(X, tile, ahead, weights, width, gradient);
  if (n_models - k == 2) add_to_few<2>(X, tile, ahead, weights, width, gradient);
  if (n_models - k == 1) add_to_few<1>(X, tile, ahead, weights, width, gradient);
}

/// Rows of less than kLanes features are copied with zeros behind them.
inline Rows widen(const double* X, std::size_t n, std::size_t P, std::vector<double>& storage) {
  if (P >= kLanes) return {X, n, P};
  storage.assign(n * kLanes, 0.0);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(X + i * P, P, storage.data() + i * kLanes);
  return {storage.data(), n, kLanes};
}

/// w_k - w_K for k < K - 1, in the lanes in which rows of P coordinates are read.
inline void subtract_last(const double* W, std::size_t K, std::size_t P, double* models) {
  const std::size_t width = padded_width(P), rows_P = std::max(P, kLanes);
  std::fill_n(models, (K - 1) * width, 0.0);
  for (std::size_t k = 0; k + 1 < K; ++k) {
    for (std::size_t p = 0; p < P; ++p) {
      models[k * width + place(p, rows_P)] = W[k * P + p] - W[(K - 1) * P + p];
    }
  }
}

}  // namespace cladebench
