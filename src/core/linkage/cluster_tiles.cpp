#include "linkage/cluster_tiles.hpp"

#include <algorithm>
#include <limits>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Distances of kQueries clusters to kTiles tiles; least has for each cluster and lane the least of these and
/// of what it was.
template <class V, int kQueries, int kTiles>
CLADEBENCH_INLINE void look(Between between, const double* tiles, const double* weights, std::size_t d,
                            const Cluster* who, double* out, std::size_t stride, double* least) {
  typename V::Vec sums[kQueries][kTiles][kParts<V>] = {};
  for (std::size_t j = 0; j < d; ++j) {
    for (int t = 0; t < kTiles; ++t) {
      for (int part = 0; part < kParts<V>; ++part) {
        const typename V::Vec x = at<V>(tiles + (t * d + j) * kLanes + part * V::kWidth);
        for (int q = 0; q < kQueries; ++q) {
          const typename V::Vec difference = x - who[q].centre[j];
          sums[q][t][part] += difference * difference;
        }
      }
    }
  }
  for (int q = 0; q < kQueries; ++q) {
    for (int part = 0; part < kParts<V>; ++part) {
      typename V::Vec lowest = at<V>(least + q * kLanes + part * V::kWidth);
      for (int t = 0; t < kTiles; ++t) {
        const std::size_t place = static_cast<std::size_t>(t) * kLanes + part * V::kWidth;
        typename V::Vec& sum = sums[q][t][part];
        const typename V::Vec other = at<V>(weights + place);
        if (between == Between::kSizes) {
          sum *= who[q].weight * other / (who[q].weight + other);
        } else if (between == Between::kSpreads) {
          sum += who[q].weight + other;
        }
        at<V>(out + q * stride + place) = sum;
        lowest = sum < lowest ? sum : lowest;  // false for NaN: no cluster is there
      }
      at<V>(least + q * kLanes + part * V::kWidth) = lowest;
    }
  }
}

struct Look {
  template <class V>
  CLADEBENCH_INLINE static void run(Between between, const double* tiles, const double* weights,
                                    std::size_t n_tiles, std::size_t d, const Cluster* who, std::size_t n_who,
                                    double* out, double* least) {
    constexpr std::size_t kStride = ClusterTiles::kBlock;
    std::size_t t = 0;
    if (n_who == ClusterTiles::kTogether) {
      constexpr int kFew = kParts<V> > 1 ? 1 : 2;  // as many sums as there are registers
      for (; t + kFew <= n_tiles; t += kFew) {
        look<V, ClusterTiles::kTogether, kFew>(between, tiles + t * d * kLanes, weights + t * kLanes, d, who,
                                               out + t * kLanes, kStride, least);
      }
    }
    for (std::size_t q = 0; q < n_who; ++q) {
      std::size_t u = t;
      constexpr int kMany = kParts<V> > 1 ? 2 : 4;
      for (; u + kMany <= n_tiles; u += kMany) {
        look<V, 1, kMany>(between, tiles + u * d * kLanes, weights + u * kLanes, d, who + q,
                          out + q * kStride + u * kLanes, kStride, least + q * kLanes);
      }
      for (; u < n_tiles; ++u) {
        look<V, 1, 1>(between, tiles + u * d * kLanes, weights + u * kLanes, d, who + q,
                      out + q * kStride + u * kLanes, kStride, least + q * kLanes);
      }
    }
  }
};

}  // namespace

void ClusterTiles::assign(std::span<const std::int64_t> ids, const double* centres, const double* weights) {
  const std::size_t n_tiles = (ids.size() + kLanes - 1) / kLanes;
  ids_.assign(ids.begin(), ids.end());
  tiles_.assign(n_tiles * d_ * kLanes, kNone);
  weights_.assign(n_tiles * kLanes, 1.0);
  for (std::size_t place = 0; place < ids.size(); ++place) {
    const std::size_t id = static_cast<std::size_t>(ids[place]);
    replace(place, centres + id * d_, weights[id]);
  }
}

void ClusterTiles::replace(std::size_t place, const double* centre, double weight) {
  double* to = tiles_.data() + place / kLanes * d_ * kLanes + place % kLanes;
  for (std::size_t j = 0; j < d_; ++j) to[j * kLanes] = centre[j];
  weights_[place] = weight;
}

void ClusterTiles::remove(std::size_t place) {
  double* to = tiles_.data() + place / kLanes * d_ * kLanes + place % kLanes;
  for (std::size_t j = 0; j < d_; ++j) to[j * kLanes] = kNone;
}

std::size_t ClusterTiles::tiles_of(std::size_t block) const {
  return std::min(kBlockTiles, (ids_.size() + kLanes - 1) / kLanes - block * kBlockTiles);
}

void ClusterTiles::look_at_block(std::size_t block, std::span<const Cluster> who, Nearby* nearby) const {
  double out[kTogether * kBlock], least[kTogether * kLanes];
  std::fill_n(least, who.size() * kLanes, kInfinity);
  const std::size_t n_tiles = tiles_of(block), first = block * kBlock;
  keep_on(n_tiles * d_ * who.size());
  run_kernel<Look, Between, const double*, const double*, std::size_t, std::size_t, const Cluster*>(
      between_, tiles_.data() + first * d_, weights_.data() + first, n_tiles, d_, who.data(), who.size(), out,
      least);
  for (std::size_t q = 0; q < who.size(); ++q) {
    // Six others than itself are no farther than seven lanes' nearest: so many are asked for at most.
    static_assert(Nearby::kRoom + 2 == kLanes);
    const std::span<const double, kLanes> lanes(least + q * kLanes, kLanes);
    if (!(std::ranges::min(lanes) <= nearby[q].limit())) continue;
    double farthest = lanes[0], enough = -kInfinity;
    for (const double lane : lanes.subspan(1)) {
      enough = std::max(enough, std::min(lane, farthest));
      farthest = std::max(farthest, lane);
    }
    for (std::size_t tile = 0; tile < n_tiles * kLanes; tile += kLanes) {
      const double* distance = out + q * kBlock + tile;
      const auto limit = [&] { return std::min(enough, nearby[q].limit()); };
      int n_near = 0;  // most tiles have none: eight are compared at a time
      for (std::size_t k = 0; k < kLanes; ++k) n_near += distance[k] <= limit();
      for (std::size_t k = 0; n_near > 0 && k < kLanes; ++k) {
        if (distance[k] <= limit() && ids_[first + tile + k] != who[q].id) {
          nearby[q].offer({distance[k], ids_[first + tile + k]});
        }
      }
    }
  }
}

double ClusterTiles::distances(std::size_t block, std::span<const Cluster> from, double* out) const {
  double least[kTogether * kLanes];
  std::fill_n(least, from.size() * kLanes, kInfinity);
  const std::size_t n_tiles = tiles_of(block), first = block * kBlock;
  keep_on(n_tiles * d_ * from.size());
  run_kernel<Look, Between, const double*, const double*, std::size_t, std::size_t, const Cluster*>(
      between_, tiles_.data() + first * d_, weights_.data() + first, n_tiles, d_, from.data(), from.size(),
      out, least);
  return *std::min_element(least, least + from.size() * kLanes);
}

double distance_between(Between between, const Cluster& a, const Cluster& b, std::size_t d) {
  double square = 0.0;
  for (std::size_t j = 0; j < d; ++j) {
    const double difference = a.centre[j] - b.centre[j];
    square += difference * difference;
  }
  return joined(between, square, a.weight, b.weight);
}

}  // namespace cladebench
