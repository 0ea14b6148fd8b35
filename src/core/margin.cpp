#include "cladebench/margin.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "cladebench/measures.hpp"
#include "cladebench/simd.hpp"
#include "cladebench/tiles.hpp"

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

/// Adds the tile's squared hinges to `loss`; coefficients[k] = half the derivative by score k, for k < K - 1.
/// @param labels of the tile's rows, -1 where there is none
CLADEBENCH_INLINE void tile_hinge(const UnalignedVec* scores, const Vec& labels, std::size_t n_models,
                                  Vec& loss, UnalignedVec* coefficients) {
  const Vec zero{};
  Vec own = zero, model = zero;
  for (std::size_t k = 0; k < n_models; ++k, model += 1.0) own = labels == model ? scores[k] : own;
  const Mask is_row = labels >= zero;
  const Vec slack = 1.0 - own;
  Vec total = is_row & (labels != model) & (slack > zero) ? slack : zero;  // of the last model
  loss += total * total;
  model = zero;
  for (std::size_t k = 0; k < n_models; ++k, model += 1.0) {
    Vec hinge = slack + scores[k];
    hinge = is_row & (labels != model) & (hinge > zero) ? hinge : zero;
    loss += hinge * hinge;
    total += hinge;
    if (coefficients) coefficients[k] = hinge;
  }
  if (!coefficients) return;
  model = zero;
  for (std::size_t k = 0; k < n_models; ++k, model += 1.0) {
    coefficients[k] = labels == model ? -total : coefficients[k];
  }
}

/// What one chunk reads and writes.
struct Evaluation {
  const Rows& X;
  const double* last_tile;
  const double* labels;
  const double* models;  ///< differences to the last, padded
  double* scores;        ///< of all tiles
};

CLADEBENCH_INLINE Tile tile_at(const Rows& X, const double* last_tile, std::size_t t) {
  return {(t + 1) * kLanes <= X.n ? X.data + t * kLanes * X.P : last_tile, X.P};
}

CLADEBENCH_INLINE double evaluate_models(const Evaluation& e, std::size_t n_models, std::size_t begin,
                                         std::size_t end, double* coefficients, double* gradient) {
  const Rows X = e.X;
  const std::size_t width = X.n_vectors() * kLanes;
  std::fill_n(gradient, n_models * width, 0.0);
  Vec loss{};
  for (std::size_t t = begin; t < end; ++t) {
    const Tile tile = tile_at(X, e.last_tile, t);
    UnalignedVec* scores = reinterpret_cast<UnalignedVec*>(e.scores + t * n_models * kLanes);
    tile_scores(X, tile, e.models, n_models, width, scores);
    const Vec labels = *reinterpret_cast<const UnalignedVec*>(e.labels + t * kLanes);
    tile_hinge(scores, labels, n_models, loss, reinterpret_cast<UnalignedVec*>(coefficients));
    const double* next = tile_at(X, e.last_tile, t + kTilesAhead).data;
    add_weighted_rows(X, tile, next, coefficients, n_models, width, gradient);
  }
  return fold(loss);
}

/// Loss (not divided by nK) and half the gradient of tiles begin..end-1; `gradient` is cleared first. Small
/// numbers of models have code of their own, without loops over them.
CLADEBENCH_CLONES
double evaluate_tiles(const Evaluation& e, std::size_t n_models, std::size_t begin, std::size_t end,
                      double* coefficients, double* gradient) {
  switch (n_models) {
    case 1:
      return evaluate_models(e, 1, begin, end, coefficients, gradient);
    case 2:
      return evaluate_models(e, 2, begin, end, coefficients, gradient);
    case 3:
      return evaluate_models(e, 3, begin, end, coefficients, gradient);
    case 4:
      return evaluate_models(e, 4, begin, end, coefficients, gradient);
    default:
      return evaluate_models(e, n_models, begin, end, coefficients, gradient);
  }
}

/// Loss (not divided by nK) of tiles begin..end-1 at scores from + t (to - from).
CLADEBENCH_CLONES
double loss_along(const double* from, const double* to, double t, const double* labels, std::size_t n_models,
                  std::size_t begin, std::size_t end, double* scores) {
  Vec loss{};
  for (std::size_t tile = begin; tile < end; ++tile) {
    for (std::size_t k = 0; k < n_models * kLanes; ++k) {
      const std::size_t at = tile * n_models * kLanes + k;
      scores[k] = from[at] + t * (to[at] - from[at]);
    }
    const Vec own_labels = *reinterpret_cast<const UnalignedVec*>(labels + tile * kLanes);
    tile_hinge(reinterpret_cast<const UnalignedVec*>(scores), own_labels, n_models, loss, nullptr);
  }
  return fold(loss);
}

/// Adds rows begin..end-1 to the sums of their labels; returns the sum of squares.
CLADEBENCH_CLONES
double add_rows(const Rows& X, const double* labels, std::size_t width, std::size_t begin, std::size_t end,
                double* sums) {
  Vec squares{}, last_squares{};
  for (std::size_t i = begin; i < end; ++i) {
    const double* row = X.data + i * X.P;
    double* sum = sums + static_cast<std::size_t>(labels[i]) * width;
    const std::size_t n_vectors = X.n_vectors();
    for (std::size_t v = 0; v < n_vectors; ++v) {
      const Vec x = *reinterpret_cast<const UnalignedVec*>(row + X.offset(v));
      (v + 1 < n_vectors ? squares : last_squares) += x * x;
      *reinterpret_cast<UnalignedVec*>(sum + v * kLanes) += x;
    }
  }
  for (std::size_t lane = 0; lane < width - X.P; ++lane) last_squares[lane] = 0.0;  // the overlap
  return fold(squares) + fold(last_squares);
}

/// Zero if all numbers are finite, else NaN.
CLADEBENCH_CLONES
double zero_if_finite(const double* values, std::size_t n) {
  Vec sums[4] = {};
  std::size_t k = 0;
  for (; k + 4 * kLanes <= n; k += 4 * kLanes) {
    for (std::size_t s = 0; s < 4; ++s) {
      sums[s] += *reinterpret_cast<const UnalignedVec*>(values + k + s * kLanes) * 0.0;
    }
  }
  double rest = fold(sums[0]) + fold(sums[1]) + fold(sums[2]) + fold(sums[3]);
  for (; k < n; ++k) rest += values[k] * 0.0;
  return rest;
}

/// costs[i, k] for the rows of tiles begin..end-1.
CLADEBENCH_CLONES
void cost_tiles(const Rows& X, const double* last_tile, const double* models, std::size_t K,
                std::size_t width, std::size_t begin, std::size_t end, double* buffer, double* costs) {
  UnalignedVec* scores = reinterpret_cast<UnalignedVec*>(buffer);
  UnalignedVec* sums = scores + K;
  const Vec zero{};
  for (std::size_t t = begin; t < end; ++t) {
    tile_scores(X, tile_at(X, last_tile, t), models, K - 1, width, scores);
    scores[K - 1] = zero;
    for (std::size_t k = 0; k < K; ++k) sums[k] = zero;
    for (std::size_t k = 0; k < K; ++k) {
      const Vec score = scores[k];
      Vec sum = sums[k];
      for (std::size_t other = k + 1; other < K; ++other) {
        const Vec gap = scores[other] - score;
        const Vec above = 1.0 + gap, below = 1.0 - gap;
        const Vec mine = above > zero ? above : zero, theirs = below > zero ? below : zero;
        sum += mine * mine;
        sums[other] += theirs * theirs;
      }
      sums[k] = sum;
    }
    const std::size_t n_rows = std::min(kLanes, X.n - t * kLanes);
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t k = 0; k < K; ++k) costs[(t * kLanes + r) * K + k] = buffer[(K + k) * kLanes + r];
    }
  }
}

}  // namespace

std::int64_t first_nonfinite(const MatrixView& X) {
  const std::size_t size = X.n * X.P, block = 1 << 15, n_blocks = ceil_div(size, block);
  std::int64_t first = static_cast<std::int64_t>(n_blocks);
#pragma omp parallel for schedule(static) reduction(min : first) if (size > kParallelWork)
  for (std::size_t b = 0; b < n_blocks; ++b) {
    const std::size_t begin = b * block;
    if (zero_if_finite(X.data + begin, std::min(block, size - begin)) != 0.0) {
      first = std::min(first, static_cast<std::int64_t>(b));
    }
  }
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
  trial_.resize(n_tiles_ * n_models * kLanes);
  base_.resize(trial_.size());
  chunk_loss_.resize(n_chunks_);
  // Of each chunk: its sums (for at_zero K of them) and the coefficients or scores of one tile.
  partial_.resize(n_chunks_ * (K * width + n_models * kLanes));
}

MarginLoss::AtZero MarginLoss::at_zero() {
  const std::size_t P = X_.P, width = padded_width(P), stride = K_ * width + (K_ - 1) * kLanes;
  const Rows rows{X_.data, X_.n, std::max(P, kLanes)};
#pragma omp parallel for schedule(dynamic, 1) if (X_.n * P > kParallelWork)
  for (std::size_t c = 0; c < n_chunks_; ++c) {
    double* sums = partial_.data() + c * stride;
    std::fill_n(sums, K_ * width, 0.0);
    const std::size_t begin = c * tiles_per_chunk_ * kLanes;
    const std::size_t end = std::min(X_.n, begin + tiles_per_chunk_ * kLanes);
    chunk_loss_[c] = add_rows(rows, labels_.data(), width, begin, end, sums);
  }
  AtZero found{static_cast<double>(K_ - 1) / static_cast<double>(K_), std::vector<double>(K_ * P), 0.0};
  for (std::size_t c = 0; c < n_chunks_; ++c) {
    found.mean_square += chunk_loss_[c];
    const double* sums = partial_.data() + c * stride;
    for (std::size_t k = 0; k < K_; ++k) {
      for (std::size_t p = 0; p < P; ++p) {
        found.gradient[k * P + p] += sums[k * width + place(p, rows.P)];
      }
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
  found.mean_square /= n;
  std::fill(trial_.begin(), trial_.end(), 0.0);
  return found;
}

double MarginLoss::evaluate(const double* W, double* gradient) {
  const std::size_t P = X_.P, width = padded_width(P), n_models = K_ - 1;
  const std::size_t stride = K_ * width + n_models * kLanes;
  const Rows rows{X_.data, X_.n, std::max(P, kLanes)};
  const Evaluation shared{rows, last_tile_.data(), labels_.data(), differences_.data(), trial_.data()};
  subtract_last(W, K_, P, differences_.data());
#pragma omp parallel for schedule(dynamic, 1) if (n_models * X_.n * P > kParallelWork)
  for (std::size_t c = 0; c < n_chunks_; ++c) {
    double* sums = partial_.data() + c * stride;
    const std::size_t begin = c * tiles_per_chunk_;
    const std::size_t end = std::min(n_tiles_, begin + tiles_per_chunk_);
    chunk_loss_[c] = evaluate_tiles(shared, n_models, begin, end, sums + K_ * width, sums);
  }
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
  const std::size_t n_models = K_ - 1;
  std::vector<double> losses(n_chunks_), scores(n_chunks_ * n_models * kLanes);
#pragma omp parallel for schedule(dynamic, 1) if (n_models * X_.n > kParallelWork / 4)
  for (std::size_t c = 0; c < n_chunks_; ++c) {
    const std::size_t begin = c * tiles_per_chunk_;
    const std::size_t end = std::min(n_tiles_, begin + tiles_per_chunk_);
    losses[c] = loss_along(base_.data(), trial_.data(), t, labels_.data(), n_models, begin, end,
                           scores.data() + c * n_models * kLanes);
  }
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
#pragma omp parallel for schedule(dynamic, 1) if (X.n * K * (X.P + K) > kParallelWork)
  for (std::size_t c = 0; c < n_chunks; ++c) {
    const std::size_t begin = c * kLeastTilesPerChunk, end = std::min(n_tiles, begin + kLeastTilesPerChunk);
    cost_tiles(rows, last.data(), models.data(), K, padded_width(X.P), begin, end,
               buffers.data() + c * 2 * K * kLanes, costs.data());
  }
  return costs;
}

}  // namespace cladebench
