// Products of the rows of a matrix with a few vectors, and sums of rows, by tiles of eight rows.
//
// A few models meet a few rows at a time, as many as there are registers for, so that each number read takes
// part in several products and sums stay in registers. Where a row's length is no multiple of eight, its last
// vector overlaps the one before, and the models have zeros there: full tiles are read where they are, and no
// loop has a remainder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/simd.hpp"

namespace cladebench {

/// Row-major n x P with P >= kLanes; a row is n_vectors vectors of eight.
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

/// scores[r] = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)), s the lanes of row r: V::kWidth rows at a
/// time, first within the parts, then over them. sums[row][part].
template <class V>
CLADEBENCH_INLINE void fold_rows(const typename V::Vec (*s)[kParts<V>], double* scores) {
  using Vec = typename V::Vec;
  if constexpr (V::kWidth == 2) {
    Vec of[4];
    for (int part = 0; part < 4; ++part) {
      of[part] = CLADEBENCH_SHUFFLE(V, s[0][part], s[1][part], 0, 2) +
                 CLADEBENCH_SHUFFLE(V, s[0][part], s[1][part], 1, 3);
    }
    at<V>(scores) = (of[0] + of[1]) + (of[2] + of[3]);
  } else if constexpr (V::kWidth == 4) {
    Vec of[2];
    for (int part = 0; part < 2; ++part) {
      const Vec ab = CLADEBENCH_SHUFFLE(V, s[0][part], s[1][part], 0, 4, 2, 6) +
                     CLADEBENCH_SHUFFLE(V, s[0][part], s[1][part], 1, 5, 3, 7);
      const Vec cd = CLADEBENCH_SHUFFLE(V, s[2][part], s[3][part], 0, 4, 2, 6) +
                     CLADEBENCH_SHUFFLE(V, s[2][part], s[3][part], 1, 5, 3, 7);
      of[part] = CLADEBENCH_SHUFFLE(V, ab, cd, 0, 1, 4, 5) + CLADEBENCH_SHUFFLE(V, ab, cd, 2, 3, 6, 7);
    }
    at<V>(scores) = of[0] + of[1];
  } else {
    Vec pair[4], quad[2];
    for (int i = 0; i < 4; ++i) {
      const Vec &a = s[2 * i][0], &b = s[2 * i + 1][0];
      pair[i] = CLADEBENCH_SHUFFLE(V, a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
                CLADEBENCH_SHUFFLE(V, a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 2; ++i) {
      quad[i] = CLADEBENCH_SHUFFLE(V, pair[2 * i], pair[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
                CLADEBENCH_SHUFFLE(V, pair[2 * i], pair[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    at<V>(scores) = CLADEBENCH_SHUFFLE(V, quad[0], quad[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                    CLADEBENCH_SHUFFLE(V, quad[0], quad[1], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

template <class V, int kRows, int kModels>
CLADEBENCH_INLINE void add_products(const Tile& tile, std::size_t offset, const double* models,
                                    std::size_t width, typename V::Vec (&sums)[kRows][kModels]) {
  for (int r = 0; r < kRows; ++r) {
    const typename V::Vec x = at<V>(tile.data + r * tile.stride + offset);
    for (int k = 0; k < kModels; ++k) sums[r][k] += x * at<V>(models + k * width);
  }
}

/// scores[k] = scores of the tile's rows with model k, by kRows rows and one part of the lanes at a time.
template <class V, int kRows, int kModels>
CLADEBENCH_INLINE void scores_by_rows(const Rows& X, const Tile& tile, const double* models,
                                      std::size_t width, double* scores) {
  using Vec = typename V::Vec;
  Vec lanes[kModels][kLanes][kParts<V>];
  const std::size_t last = X.n_vectors() - 1;
  for (int first = 0; first < static_cast<int>(kLanes); first += kRows) {
    const Tile rows{tile.data + first * tile.stride, tile.stride};
    for (int part = 0; part < kParts<V>; ++part) {
      const std::size_t lane = part * V::kWidth;
      Vec sums[kRows][kModels] = {};
      for (std::size_t v = 0; v < last; ++v) {
        add_products<V, kRows, kModels>(rows, v * kLanes + lane, models + v * kLanes + lane, width, sums);
      }
      add_products<V, kRows, kModels>(rows, X.P - kLanes + lane, models + last * kLanes + lane, width, sums);
      for (int r = 0; r < kRows; ++r) {
        for (int k = 0; k < kModels; ++k) lanes[k][first + r][part] = sums[r][k];
      }
    }
  }
  for (int k = 0; k < kModels; ++k) {
    for (std::size_t r = 0; r < kLanes; r += V::kWidth) fold_rows<V>(lanes[k] + r, scores + k * kLanes + r);
  }
}

/// Up to four models: as many sums at a time as there are registers for.
template <class V, int kModels>
CLADEBENCH_INLINE void few_scores(const Rows& X, const Tile& tile, const double* models, std::size_t width,
                                  double* scores) {
  constexpr int kRows =
      V::kRegisters == 32 ? (kModels <= 2 ? 8 : 4) : (kModels == 1 ? 8 : (kModels == 4 ? 2 : 4));
  scores_by_rows<V, kRows, kModels>(X, tile, models, width, scores);
}

template <class V>
CLADEBENCH_INLINE void tile_scores(const Rows& X, const Tile& tile, const double* models,
                                   std::size_t n_models, std::size_t width, double* scores) {
  std::size_t k = 0;
  for (; k + 4 <= n_models; k += 4) few_scores<V, 4>(X, tile, models + k * width, width, scores + k * kLanes);
  const double* rest = models + k * width;
  scores += k * kLanes;
  if (n_models - k == 3) few_scores<V, 3>(X, tile, rest, width, scores);
  if (n_models - k == 2) few_scores<V, 2>(X, tile, rest, width, scores);
  if (n_models - k == 1) few_scores<V, 1>(X, tile, rest, width, scores);
}

template <class V, int kRows, int kModels>
CLADEBENCH_INLINE void add_rows_at(const Tile& tile, std::size_t offset,
                                   const typename V::Vec (&coefficients)[kRows][kModels], std::size_t width,
                                   double* gradient) {
  using Vec = typename V::Vec;
  Vec sums[kModels];
  for (int k = 0; k < kModels; ++k) sums[k] = at<V>(gradient + k * width);
  for (int r = 0; r < kRows; r += 4) {
    Vec x[4];
    for (int s = 0; s < 4; ++s) x[s] = at<V>(tile.data + (r + s) * tile.stride + offset);
    for (int k = 0; k < kModels; ++k) {
      sums[k] += (coefficients[r][k] * x[0] + coefficients[r + 1][k] * x[1]) +
                 (coefficients[r + 2][k] * x[2] + coefficients[r + 3][k] * x[3]);
    }
  }
  for (int k = 0; k < kModels; ++k) at<V>(gradient + k * width) = sums[k];
}

/// Adds kRows rows at a time, four or eight, to kModels models; all coefficients are in registers.
template <class V, int kRows, int kModels>
CLADEBENCH_INLINE void add_by_rows(const Rows& X, const Tile& tile, const double* next, const double* weights,
                                   std::size_t width, double* gradient) {
  const std::size_t last = X.n_vectors() - 1;
  for (int first = 0; first < static_cast<int>(kLanes); first += kRows) {
    const Tile rows{tile.data + first * tile.stride, tile.stride};
    typename V::Vec coefficients[kRows][kModels];
    for (int r = 0; r < kRows; ++r) {
      for (int k = 0; k < kModels; ++k) {
        coefficients[r][k] = typename V::Vec{} + weights[k * kLanes + first + r];
      }
    }
    for (std::size_t v = 0; v <= last; ++v) {
      const std::size_t offset = v < last ? v * kLanes : X.P - kLanes;
      if (next) {  // the rows of a tile follow each other: kRows lines a vector
        for (int line = 0; line < kRows; ++line) {
          __builtin_prefetch(next + first * tile.stride + (v * kRows + line) * kLanes);
        }
      }
      for (std::size_t lane = 0; lane < kLanes; lane += V::kWidth) {
        add_rows_at<V, kRows, kModels>(rows, offset + lane, coefficients, width,
                                       gradient + v * kLanes + lane);
      }
    }
  }
}

/// The same for up to four models.
template <class V, int kModels>
CLADEBENCH_INLINE void add_to_few(const Rows& X, const Tile& tile, const double* next, const double* weights,
                                  std::size_t width, double* gradient) {
  if constexpr (V::kRegisters == 32) {
    add_by_rows<V, kModels <= 2 ? 8 : 4, kModels>(X, tile, next, weights, width, gradient);
  } else if constexpr (kModels <= 2) {
    add_by_rows<V, 4, kModels>(X, tile, next, weights, width, gradient);
  } else {
    add_by_rows<V, 4, 2>(X, tile, next, weights, width, gradient);
    add_by_rows<V, 4, kModels - 2>(X, tile, nullptr, weights + 2 * kLanes, width, gradient + 2 * width);
  }
}

/// gradient[k] += sum over the tile's rows r of weights[k, r] times the row, for each model k.
/// @param next tile to bring near meanwhile.
template <class V>
CLADEBENCH_INLINE void add_weighted_rows(const Rows& X, const Tile& tile, const double* next,
                                         const double* weights, std::size_t n_models, std::size_t width,
                                         double* gradient) {
  std::size_t k = 0;
  for (; k + 4 <= n_models; k += 4) {
    add_to_few<V, 4>(X, tile, k == 0 ? next : nullptr, weights + k * kLanes, width, gradient + k * width);
  }
  const double* ahead = k == 0 ? next : nullptr;
  weights += k * kLanes;
  gradient += k * width;
  if (n_models - k == 3) add_to_few<V, 3>(X, tile, ahead, weights, width, gradient);
  if (n_models - k == 2) add_to_few<V, 2>(X, tile, ahead, weights, width, gradient);
  if (n_models - k == 1) add_to_few<V, 1>(X, tile, ahead, weights, width, gradient);
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
