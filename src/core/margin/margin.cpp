#include "margin/margin.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/simd.hpp"
#include "common/sum.hpp"
#include "common/tiles.hpp"

namespace cladebench {
namespace {

// Sums are made for each chunk of tiles, and added in order. Few chunks, since each has its own gradient.
constexpr std::size_t kMostChunks = 64;
constexpr std::size_t kLeastTilesPerChunk = 16;
// Tiles between the one that is read and the one that is fetched.
constexpr std::size_t kTilesAhead = 3;
// Multiplications below which other threads are not worth waking.
constexpr std::size_t kParallelWork = 200'000;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// Adds the tile's squared hinges to `loss`, lane by lane; coefficients[k] = half the derivative by score k,
/// for k < K - 1. Lanes are rows here.
/// @param labels of the tile's rows, -1 where there is none
template <class V, bool kWithCoefficients>
CLADEBENCH_INLINE void tile_hinge(const double* scores, const double* labels, std::size_t n_models,
                                  typename V::Vec (&loss)[kParts<V>], double* coefficients) {
  using Vec = typename V::Vec;
  const Vec zero{}, one = zero + 1.0;
  for (int part = 0; part < kParts<V>; ++part) {
    const int row = part * V::kWidth;
    const Vec label = at<V>(labels + row);
    Vec own = zero, model = zero;
    for (std::size_t k = 0; k < n_models; ++k, model += 1.0) {
      own = label == model ? at<V>(scores + k * kLanes + row) : own;
    }
    // Factors of 0 and 1: GCC takes conjunctions of masks apart, lane by lane, for AVX-512.
    const Vec slack = label >= zero ? 1.0 - own : zero - std::numeric_limits<double>::infinity();
    Vec total = slack > zero ? slack : zero;  // of the last model
    total *= label == model ? zero : one;
    loss[part] += total * total;
    model = zero;
    for (std::size_t k = 0; k < n_models; ++k, model += 1.0) {
      Vec hinge = slack + at<V>(scores + k * kLanes + row);
      hinge = hinge > zero ? hinge : zero;
      hinge *= label == model ? zero : one;
      loss[part] += hinge * hinge;
      total += hinge;
      if (kWithCoefficients) at<V>(coefficients + k * kLanes + row) = hinge;
    }
    if (!kWithCoefficients) continue;
    model = zero;
    for (std::size_t k = 0; k < n_models; ++k, model += 1.0) {
      typename V::Unaligned& coefficient = at<V>(coefficients + k * kLanes + row);
      coefficient = label == model ? -total : coefficient;
    }
  }
}

/// Sum of the lanes of all parts.
template <class V>
CLADEBENCH_INLINE double fold_parts(const typename V::Vec (&parts)[kParts<V>]) {
  double lanes[kLanes];
  for (int part = 0; part < kParts<V>; ++part) at<V>(lanes + part * V::kWidth) = parts[part];
  return fold(lanes);
}

/// What one chunk reads and writes.
struct Evaluation {
  Rows X;
  const double* last_tile;
  const double* labels;
  const double* models;  ///< differences to the last, padded
  double* scores;        ///< of all tiles, or null where they are not needed
};

CLADEBENCH_INLINE Tile tile_at(const Rows& X, const double* last_tile, std::size_t t) {
  return {(t + 1) * kLanes <= X.n ? X.data + t * kLanes * X.P : last_tile, X.P};
}

/// Loss (not divided by nK) and half the gradient of tiles begin..end-1; `gradient` is cleared first.
/// `buffer` has room for three times the coefficients of a tile.
///
/// A tile's scores and hinges are found before the rows of the tile ahead of it are added: the hinges, a
/// chain of operations that each wait for the last, pass while the processor adds rows.
template <class V>
CLADEBENCH_INLINE double evaluate_models(const Evaluation& e, std::size_t n_models, std::size_t begin,
                                         std::size_t end, double* buffer, double* gradient) {
  const Rows X = e.X;
  const std::size_t width = X.n_vectors() * kLanes, size = n_models * kLanes;
  std::fill_n(gradient, n_models * width, 0.0);
  typename V::Vec loss[kParts<V>] = {};
  double* coefficients = buffer;
  double* other = buffer + size;
  for (std::size_t t = begin; t <= end; ++t) {
    if (t < end) {
      double* scores = e.scores ? e.scores + t * size : buffer + 2 * size;
      tile_scores<V>(X, tile_at(X, e.last_tile, t), e.models, n_models, width, scores);
      tile_hinge<V, true>(scores, e.labels + t * kLanes, n_models, loss, coefficients);
    }
    if (t > begin) {
      const double* next = tile_at(X, e.last_tile, t + kTilesAhead).data;
      add_weighted_rows<V>(X, tile_at(X, e.last_tile, t - 1), next, other, n_models, width, gradient);
    }
    std::swap(coefficients, other);
  }
  return fold_parts<V>(loss);
}

/// Small numbers of models have code of their own, without loops over them.
struct EvaluateTiles {
  template <class V>
  CLADEBENCH_INLINE static double run(const Evaluation& e, std::size_t n_models, std::size_t begin,
                                      std::size_t end, double* buffer, double* gradient) {
    switch (n_models) {
#ifndef __SANITIZE_ADDRESS__  // the same lines four times more, half of the time that it takes to compile
      case 1:
        return evaluate_models<V>(e, 1, begin, end, buffer, gradient);
      case 2:
        return evaluate_models<V>(e, 2, begin, end, buffer, gradient);
      case 3:
        return evaluate_models<V>(e, 3, begin, end, buffer, gradient);
      case 4:
        return evaluate_models<V>(e, 4, begin, end, buffer, gradient);
#endif
      default:
        return evaluate_models<V>(e, n_models, begin, end, buffer, gradient);
    }
  }
};

/// Loss (not divided by nK) of tiles begin..end-1 at scores from + t (to - from).
struct LossAlong {
  template <class V>
  CLADEBENCH_INLINE static double run(const double* from, const double* to, double t, const double* labels,
                                      std::size_t n_models, std::size_t begin, std::size_t end,
                                      double* scores) {
    typename V::Vec loss[kParts<V>] = {};
    for (std::size_t tile = begin; tile < end; ++tile) {
      for (std::size_t k = 0; k < n_models * kLanes; ++k) {
        const std::size_t place = tile * n_models * kLanes + k;
        scores[k] = from[place] + t * (to[place] - from[place]);
      }
      tile_hinge<V, false>(scores, labels + tile * kLanes, n_models, loss, nullptr);
    }
    return fold_parts<V>(loss);
  }
};

/// Adds rows begin..end-1 to the sums of their labels, and their squares to `squares`; returns the sum of all
/// squares.
struct AddRows {
  template <class V>
  CLADEBENCH_INLINE static double run(const Rows& X, const double* labels, std::size_t width,
                                      std::size_t begin, std::size_t end, double* sums, double* squares) {
    using Vec = typename V::Vec;
    Vec whole[kParts<V>] = {}, last_whole[kParts<V>] = {};
    const std::size_t last = X.n_vectors() - 1;
    for (std::size_t i = begin; i < end; ++i) {
      const double* row = X.data + i * X.P;
      double* sum = sums + static_cast<std::size_t>(labels[i]) * width;
      for (std::size_t v = 0; v <= last; ++v) {
        for (int part = 0; part < kParts<V>; ++part) {
          const std::size_t lane = v * kLanes + part * V::kWidth;
          const Vec x = at<V>(row + X.offset(v) + part * V::kWidth), square = x * x;
          (v < last ? whole : last_whole)[part] += square;
          at<V>(sum + lane) += x;
          at<V>(squares + lane) += square;
        }
      }
    }
    double lanes[kLanes];
    for (int part = 0; part < kParts<V>; ++part) at<V>(lanes + part * V::kWidth) = last_whole[part];
    std::fill_n(lanes, width - X.P, 0.0);  // the overlap
    return fold_parts<V>(whole) + fold(lanes);
  }
};

/// Zero if all numbers are finite, else NaN.
struct ZeroIfFinite {
  template <class V>
  CLADEBENCH_INLINE static double run(const double* values, std::size_t n) {
    constexpr std::size_t kStep = 4 * V::kWidth;
    typename V::Vec sums[4] = {};
    std::size_t k = 0;
    for (; k + kStep <= n; k += kStep) {
      for (int s = 0; s < 4; ++s) sums[s] += at<V>(values + k + s * V::kWidth) * 0.0;
    }
    sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double rest = 0.0;
    for (int lane = 0; lane < V::kWidth; ++lane) rest += sums[0][lane];
    for (; k < n; ++k) rest += values[k] * 0.0;
    return rest;
  }
};

/// costs[i, k] for the rows of tiles begin..end-1.
struct CostTiles {
  template <class V>
  CLADEBENCH_INLINE static void run(const Rows& X, const double* last_tile, const double* models,
                                    std::size_t K, std::size_t width, std::size_t begin, std::size_t end,
                                    double* buffer, double* costs) {
    using Vec = typename V::Vec;
    const Vec zero{};
    double* sums = buffer + K * kLanes;
    std::fill_n(buffer + (K - 1) * kLanes, kLanes, 0.0);  // scores of the last model
    for (std::size_t t = begin; t < end; ++t) {
      tile_scores<V>(X, tile_at(X, last_tile, t), models, K - 1, width, buffer);
      std::fill_n(sums, K * kLanes, 0.0);
      for (std::size_t row = 0; row < kLanes; row += V::kWidth) {
        for (std::size_t k = 0; k < K; ++k) {
          const Vec score = at<V>(buffer + k * kLanes + row);
          Vec sum = at<V>(sums + k * kLanes + row);
          for (std::size_t other = k + 1; other < K; ++other) {
            const Vec gap = at<V>(buffer + other * kLanes + row) - score;
            const Vec above = 1.0 + gap, below = 1.0 - gap;
            const Vec mine = above > zero ? above : zero, theirs = below > zero ? below : zero;
            sum += mine * mine;
            at<V>(sums + other * kLanes + row) += theirs * theirs;
          }
          at<V>(sums + k * kLanes + row) = sum;
        }
      }
      const std::size_t n_rows = std::min(kLanes, X.n - t * kLanes);
      for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t k = 0; k < K; ++k) costs[(t * kLanes + r) * K + k] = sums[k * kLanes + r];
      }
    }
  }
};

}  // namespace

std::int64_t first_nonfinite(const MatrixView& X) {
  const std::size_t size = X.n * X.P, block = 1 << 15, n_blocks = ceil_div(size, block);
  std::vector<char> suspect(n_blocks);
  parallel_for(n_blocks, size > kParallelWork, [&](std::size_t b) {
    const std::size_t begin = b * block;
    suspect[b] = run_kernel<ZeroIfFinite>(X.data + begin, std::min(block, size - begin)) != 0.0;
  });
  const auto first = std::find(suspect.begin(), suspect.end(), true) - suspect.begin();
  for (std::size_t k = static_cast<std::size_t>(first) * block; k < size; ++k) {
    if (X.data[k] * 0.0 != 0.0) return static_cast<std::int64_t>(k);
  }
  return -1;
}

MarginLoss::MarginLoss(const MatrixView& X, std::span<const std::int64_t> labels, std::size_t K)
    : X_(X), K_(K), n_tiles_(ceil_div(X.n, kLanes)) {
  if (X.n == 0 || X.P == 0) throw std::invalid_argument("X is empty: expected at least one row and feature");
  if (K < 2) throw std::invalid_argument("n_clusters is " + std::to_string(K) + "; expected at least 2");
  labels_.assign(n_tiles_ * kLanes, -1.0);
  for (std::size_t i = 0; i < X.n; ++i) {
    if (labels[i] < 0 || labels[i] >= static_cast<std::int64_t>(K)) {
      throw std::invalid_argument("labels[" + std::to_string(i) + "] is " + std::to_string(labels[i]) +
                                  "; expected a cluster 0.." + std::to_string(K - 1));
    }
    labels_[i] = static_cast<double>(labels[i]);
  }
  tiles_per_chunk_ = std::max(kLeastTilesPerChunk, ceil_div(n_tiles_, kMostChunks));
  n_chunks_ = ceil_div(n_tiles_, tiles_per_chunk_);
  const Rows rows = widen(X.data, X.n, X.P, narrow_);
  X_ = {rows.data, X.n, X.P};
  last_tile_ = last_tile(rows);
  const std::size_t width = padded_width(X.P), n_models = K - 1;
  differences_.resize(n_models * width);
  chunk_loss_.resize(n_chunks_);
  // Of each chunk: its sums (for at_zero K + 1 of them), the coefficients of two tiles and the scores of one.
  chunk_stride_ = (K + 1) * width + 3 * n_models * kLanes;
  partial_.resize(n_chunks_ * chunk_stride_);
}

void MarginLoss::keep_scores() {
  if (trial_) return;
  // Each is written before it is read.
  trial_ = std::make_unique_for_overwrite<double[]>(n_scores());
  base_ = std::make_unique_for_overwrite<double[]>(n_scores());
}

MarginLoss::AtZero MarginLoss::at_zero() {
  const std::size_t P = X_.P, width = padded_width(P), stride = chunk_stride_;
  const Rows rows{X_.data, X_.n, std::max(P, kLanes)};
  parallel_for(n_chunks_, X_.n * P > kParallelWork, [&](std::size_t c) {
    double* sums = partial_.data() + c * stride;
    std::fill_n(sums, (K_ + 1) * width, 0.0);
    const std::size_t begin = c * tiles_per_chunk_ * kLanes;
    const std::size_t end = std::min(X_.n, begin + tiles_per_chunk_ * kLanes);
    keep_on((end - begin) * P / 8);
    chunk_loss_[c] = run_kernel<AddRows>(rows, labels_.data(), width, begin, end, sums, sums + K_ * width);
  });
  AtZero found{static_cast<double>(K_ - 1) / static_cast<double>(K_), std::vector<double>(K_ * P),
               std::vector<double>(P), 0.0};
  for (std::size_t c = 0; c < n_chunks_; ++c) {
    found.mean_square += chunk_loss_[c];
    const double* sums = partial_.data() + c * stride;
    for (std::size_t p = 0; p < P; ++p) {
      for (std::size_t k = 0; k < K_; ++k) {
        found.gradient[k * P + p] += sums[k * width + place(p, rows.P)];
      }
      found.mean_squares[p] += sums[K_ * width + place(p, rows.P)];
    }
  }
  // Every hinge is 1: a row pushes each other model up by one, and its own down by K - 1.
  const double n = static_cast<double>(X_.n), K = static_cast<double>(K_);
  for (std::size_t p = 0; p < P; ++p) {
    double total = 0.0;
    for (std::size_t k = 0; k < K_; ++k) total += found.gradient[k * P + p];
    for (std::size_t k = 0; k < K_; ++k) {
      found.gradient[k * P + p] = 2.0 / (n * K) * (total - K * found.gradient[k * P + p]);
    }
  }
  for (double& square : found.mean_squares) square /= n;
  found.mean_square /= n;
  if (trial_) std::fill_n(trial_.get(), n_scores(), 0.0);
  return found;
}

double MarginLoss::evaluate(const double* W, double* gradient) {
  const std::size_t P = X_.P, width = padded_width(P), n_models = K_ - 1;
  const std::size_t stride = chunk_stride_;
  const Rows rows{X_.data, X_.n, std::max(P, kLanes)};
  const Evaluation shared{rows, last_tile_.data(), labels_.data(), differences_.data(), trial_.get()};
  subtract_last(W, K_, P, differences_.data());
  parallel_for(n_chunks_, n_models * X_.n * P > kParallelWork, [&](std::size_t c) {
    double* sums = partial_.data() + c * stride;
    const std::size_t begin = c * tiles_per_chunk_;
    const std::size_t end = std::min(n_tiles_, begin + tiles_per_chunk_);
    keep_on((end - begin) * n_models * P);
    chunk_loss_[c] = run_kernel<EvaluateTiles>(shared, n_models, begin, end, sums + K_ * width, sums);
  });
  double* total = differences_.data();
  std::fill_n(total, n_models * width, 0.0);
  Sum loss;
  for (std::size_t c = 0; c < n_chunks_; ++c) {
    loss.add(chunk_loss_[c]);
    const double* sums = partial_.data() + c * stride;
    for (std::size_t k = 0; k < n_models * width; ++k) total[k] += sums[k];
  }
  const double scale = 1.0 / (static_cast<double>(X_.n) * static_cast<double>(K_));
  double* last = gradient + n_models * P;
  std::fill_n(last, P, 0.0);
  for (std::size_t k = 0; k < n_models; ++k) {
    for (std::size_t p = 0; p < P; ++p) {
      gradient[k * P + p] = 2.0 * scale * total[k * width + place(p, rows.P)];
      last[p] -= gradient[k * P + p];
    }
  }
  return scale * loss.value();
}

double MarginLoss::along(double t) const {
  if (!trial_) throw std::logic_error("the scores were not kept");
  const std::size_t n_models = K_ - 1;
  std::vector<double> losses(n_chunks_), scores(n_chunks_ * n_models * kLanes);
  parallel_for(n_chunks_, n_models * X_.n > kParallelWork / 4, [&](std::size_t c) {
    const std::size_t begin = c * tiles_per_chunk_;
    const std::size_t end = std::min(n_tiles_, begin + tiles_per_chunk_);
    losses[c] = run_kernel<LossAlong>(base_.get(), trial_.get(), t, labels_.data(), n_models, begin, end,
                                      scores.data() + c * n_models * kLanes);
  });
  Sum loss;
  for (const double part : losses) loss.add(part);
  return loss.value() / (static_cast<double>(X_.n) * static_cast<double>(K_));
}

std::vector<double> assignment_costs(const MatrixView& X, std::span<const double> W, std::size_t K) {
  std::vector<double> narrow, models((K - 1) * padded_width(X.P));
  const Rows rows = widen(X.data, X.n, X.P, narrow);
  subtract_last(W.data(), K, X.P, models.data());
  const std::vector<double> last = last_tile(rows);
  const std::size_t n_tiles = ceil_div(X.n, kLanes), n_chunks = ceil_div(n_tiles, kLeastTilesPerChunk);
  std::vector<double> costs(X.n * K), buffers(n_chunks * 2 * K * kLanes);
  parallel_for(n_chunks, X.n * K * (X.P + K) > kParallelWork, [&](std::size_t c) {
    const std::size_t begin = c * kLeastTilesPerChunk, end = std::min(n_tiles, begin + kLeastTilesPerChunk);
    run_kernel<CostTiles>(rows, last.data(), static_cast<const double*>(models.data()), K, padded_width(X.P),
                          begin, end, buffers.data() + c * 2 * K * kLanes, costs.data());
  });
  return costs;
}

}  // namespace cladebench
