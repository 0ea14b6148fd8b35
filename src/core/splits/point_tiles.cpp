#include "splits/point_tiles.hpp"

#include <algorithm>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

/// Tiles whose coefficients are held in registers together.
constexpr std::size_t kTogether = 8;
/// Tiles that are added in single precision before their sums go on in double.
constexpr std::size_t kSingle = 64;

template <class V, int kTiles>
CLADEBENCH_INLINE void scores_of_tiles(const float* tiles, std::size_t width, const float* weights,
                                       float* scores) {
  using F = FloatsOf<V>;
  typename F::Vec sums[kTiles][F::kParts] = {};
  for (std::size_t j = 0; j < width; ++j) {
    for (int t = 0; t < kTiles; ++t) {
      const float* x = tiles + (t * width + j) * kFloatLanes;
      for (int part = 0; part < F::kParts; ++part) {
        sums[t][part] += weights[j] * floats_at<F>(x + part * F::kWidth);
      }
    }
  }
  for (int t = 0; t < kTiles; ++t) {
    for (int part = 0; part < F::kParts; ++part) {
      floats_at<F>(scores + t * kFloatLanes + part * F::kWidth) = sums[t][part];
    }
  }
}

/// The last tiles, at most kTiles, together: no sum waits for itself alone.
template <class V, int kTiles>
CLADEBENCH_INLINE void scores_of_rest(const float* tiles, std::size_t n_tiles, std::size_t width,
                                      const float* weights, float* scores) {
  if constexpr (kTiles > 0) {
    if (n_tiles == kTiles) {
      scores_of_tiles<V, kTiles>(tiles, width, weights, scores);
    } else {
      scores_of_rest<V, kTiles - 1>(tiles, n_tiles, width, weights, scores);
    }
  }
}

struct ScoresOfTiles {
  template <class V>
  CLADEBENCH_INLINE static void run(const float* tiles, std::size_t n_tiles, std::size_t width,
                                    const float* weights, float* scores) {
    constexpr int kGroup = 8 / FloatsOf<V>::kParts;  // eight sums that do not wait for each other
    std::size_t t = 0;
    for (; t + kGroup <= n_tiles; t += kGroup) {
      scores_of_tiles<V, kGroup>(tiles + t * width * kFloatLanes, width, weights, scores + t * kFloatLanes);
    }
    scores_of_rest<V, kGroup - 1>(tiles + t * width * kFloatLanes, n_tiles - t, width, weights,
                                  scores + t * kFloatLanes);
  }
};

/// lanes[j] += sum over kTiles tiles of coefficients times feature j.
template <class V, int kTiles>
CLADEBENCH_INLINE void add_tiles(const float* tiles, std::size_t width, const float* coefficients,
                                 float* lanes) {
  using F = FloatsOf<V>;
  for (int part = 0; part < F::kParts; ++part) {
    typename F::Vec c[kTiles];
    for (int t = 0; t < kTiles; ++t) {
      c[t] = floats_at<F>(coefficients + t * kFloatLanes + part * F::kWidth);
    }
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t at = j * kFloatLanes + part * F::kWidth;
      typename F::Vec sum = floats_at<F>(lanes + at);
      for (int t = 0; t < kTiles; ++t) sum += c[t] * floats_at<F>(tiles + t * width * kFloatLanes + at);
      floats_at<F>(lanes + at) = sum;
    }
  }
}

/// The last tiles, at most kTiles, in one pass over the lanes.
template <class V, int kTiles>
CLADEBENCH_INLINE void add_rest(const float* tiles, std::size_t n_tiles, std::size_t width,
                                const float* coefficients, float* lanes) {
  if constexpr (kTiles > 0) {
    if (n_tiles == kTiles) {
      add_tiles<V, kTiles>(tiles, width, coefficients, lanes);
    } else {
      add_rest<V, kTiles - 1>(tiles, n_tiles, width, coefficients, lanes);
    }
  }
}

/// fold_floats, in vectors.
template <class V>
CLADEBENCH_INLINE double fold_lanes(const float* lanes) {
  using Half = typename FloatsOf<V>::Half;
  alignas(64) double half[kLanes];
  for (std::size_t k = 0; k < kLanes; k += V::kWidth) {
    const auto& low = *reinterpret_cast<const Half*>(lanes + k);
    const auto& high = *reinterpret_cast<const Half*>(lanes + kLanes + k);
    at<V>(half + k) =
        __builtin_convertvector(low, typename V::Vec) + __builtin_convertvector(high, typename V::Vec);
  }
  const Lanes2::Vec two =
      (at<Lanes2>(half) + at<Lanes2>(half + 4)) + (at<Lanes2>(half + 2) + at<Lanes2>(half + 6));
  return two[0] + two[1];
}

/// sum[j] += sum over the tiles of coefficients times feature j, added in single precision in lanes.
struct AddTiles {
  template <class V>
  CLADEBENCH_INLINE static void run(const float* tiles, std::size_t n_tiles, std::size_t width,
                                    const float* coefficients, float* lanes, double* sum) {
    std::fill_n(lanes, width * kFloatLanes, 0.0F);
    std::size_t t = 0;
    for (; t + kTogether <= n_tiles; t += kTogether) {
      add_tiles<V, kTogether>(tiles + t * width * kFloatLanes, width, coefficients + t * kFloatLanes, lanes);
    }
    add_rest<V, kTogether - 1>(tiles + t * width * kFloatLanes, n_tiles - t, width,
                               coefficients + t * kFloatLanes, lanes);
    for (std::size_t j = 0; j < width; ++j) sum[j] += fold_lanes<V>(lanes + j * kFloatLanes);
  }
};

}  // namespace

PointTiles::PointTiles(const NodeProblem& problem, std::span<const std::uint32_t> order)
    : n_(order.size()),
      width_(problem.d() + 1),
      tiles_(padded_floats(n_) * width_),
      weights_(width_),
      lanes_(width_ * kFloatLanes) {
  const std::size_t d = problem.d();
  const std::uint32_t* features = problem.features.data();
  for (std::size_t i = 0; i < n_; ++i) {
    const double* row = problem.row(order[i]);
    float* to = tiles_.data() + i / kFloatLanes * width_ * kFloatLanes + i % kFloatLanes;
    for (std::size_t j = 0; j < d; ++j) to[j * kFloatLanes] = static_cast<float>(row[features[j]]);
    to[d * kFloatLanes] = 1.0F;
  }
}

void PointTiles::scores(const double* weights, std::size_t count, float* scores) const {
  for (std::size_t j = 0; j < width_; ++j) weights_[j] = static_cast<float>(weights[j]);
  run_kernel<ScoresOfTiles, const float*>(tiles_.data(), padded_floats(count) / kFloatLanes, width_,
                                          weights_.data(), scores);
}

void PointTiles::combine(const float* coefficients, std::size_t count, double* sum) const {
  const std::size_t n_tiles = padded_floats(count) / kFloatLanes;
  std::fill_n(sum, width_, 0.0);
  for (std::size_t t = 0; t < n_tiles; t += kSingle) {
    keep_on(kSingle * width_);
    run_kernel<AddTiles, const float*>(tiles_.data() + t * width_ * kFloatLanes,
                                       std::min(kSingle, n_tiles - t), width_, coefficients + t * kFloatLanes,
                                       lanes_.data(), sum);
  }
}

}  // namespace cladebench
