#include "exemplars/correlation_clustering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/simd.hpp"
#include "common/sum.hpp"
#include "exemplars/pair_order.hpp"

namespace cladebench {
namespace {

using Values = std::vector<double>;

/// Work below which threads do not pay.
constexpr std::size_t kWorthWhile = 1 << 16;
/// Points on the way, and rows, that are looked at together.
constexpr std::size_t kBlock = 64, kRows = 16;
/// Gain of a move that is rounding, over the points and the largest similarity.
constexpr double kGain = 1e-13;

/// least over k of a[k] + b[k]; the padding is infinite.
struct LeastDetour {
  template <class V>
  CLADEBENCH_INLINE static double run(const double* a, const double* b, std::size_t width) {
    using Vec = typename V::Vec;
    Vec least[kParts<V>];
    for (int part = 0; part < kParts<V>; ++part)
      least[part] = Vec{} + std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < width; k += kLanes) {
      for (int part = 0; part < kParts<V>; ++part) {
        const std::size_t lane = k + part * V::kWidth;
        const Vec sum = at<V>(a + lane) + at<V>(b + lane);
        least[part] = sum < least[part] ? sum : least[part];
      }
    }
    alignas(64) double lanes[kLanes];
    for (int part = 0; part < kParts<V>; ++part) at<V>(lanes + part * V::kWidth) = least[part];
    return *std::min_element(lanes, lanes + kLanes);
  }
};

/// row[j] = min(row[j], first + rest[j])
struct Shorten {
  template <class V>
  CLADEBENCH_INLINE static void run(double* row, double first, const double* rest, std::size_t width) {
    using Vec = typename V::Vec;
    for (std::size_t j = 0; j < width; j += V::kWidth) {
      const Vec by_way = first + at<V>(rest + j), now = at<V>(row + j);
      at<V>(row + j) = by_way < now ? by_way : now;
    }
  }
};

/// d = 1 - x in rows of a multiple of kLanes, padded with infinity; 0 on the diagonal.
Values distances(std::span<const double> x, std::size_t n) {
  const std::size_t width = padded_width(n);
  Values d(n * width, std::numeric_limits<double>::infinity());
  for (std::size_t p = 0; p < n; ++p) {
    keep_on(n);
    for (std::size_t q = 0; q < n; ++q) d[p * width + q] = p == q ? 0.0 : 1.0 - x[p * n + q];
  }
  return d;
}

/// Local search over partitions.
class Partition {
 public:
  Partition(std::span<const double> s, std::size_t n, std::span<std::int64_t> labels)
      : s_(s), n_(n), labels_(labels), sums_(n * n), sizes_(n) {
    double scale = 0.0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) scale = std::max(scale, std::abs(s[p * n + q]));
    }
    least_ = kGain * static_cast<double>(n) * scale;
  }

  /// Merges the two clusters that gain most, until none do; whether any were merged.
  bool merge_all() {
    add_up(true);
    std::vector<std::size_t> alive, now(n_);
    std::iota(now.begin(), now.end(), 0);
    for (std::size_t c = 0; c < n_; ++c) {
      if (sizes_[c] > 0) alive.push_back(c);
    }
    const std::size_t before = alive.size();
    for (;;) {
      double most = least_;
      std::size_t into = n_, gone = n_;
      for (std::size_t i = 0; i < alive.size(); ++i) {
        const double* row = sums_.data() + alive[i] * n_;
        keep_on(alive.size() - i);
        for (std::size_t j = i + 1; j < alive.size(); ++j) {
          if (!(row[alive[j]] > most)) continue;
          most = row[alive[j]];
          into = alive[i];
          gone = alive[j];
        }
      }
      if (into == n_) break;
      for (const std::size_t c : alive) {
        sums_[into * n_ + c] += sums_[gone * n_ + c];
        sums_[c * n_ + into] = sums_[into * n_ + c];
      }
      alive.erase(std::find(alive.begin(), alive.end(), gone));
      std::replace(now.begin(), now.end(), gone, into);
    }
    for (std::int64_t& c : labels_) c = static_cast<std::int64_t>(now[static_cast<std::size_t>(c)]);
    return alive.size() < before;
  }

  /// Moves each point in turn to where it gains most, until none do; whether any were moved.
  bool move_all() {
    add_up(false);
    bool any = false;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t p = 0; p < n_; ++p) moved |= move(p);
      any |= moved;
    }
    return any;
  }

 private:
  /// Similarity of each cluster, or point, to each cluster.
  void add_up(bool of_clusters) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(sizes_.begin(), sizes_.end(), 0);
    for (std::size_t p = 0; p < n_; ++p) {
      const auto own = static_cast<std::size_t>(labels_[p]);
      ++sizes_[own];
      keep_on(n_);
      double* row = sums_.data() + (of_clusters ? own : p) * n_;
      for (std::size_t q = 0; q < n_; ++q) {
        if (q != p) row[labels_[q]] += s_[p * n_ + q];
      }
    }
  }

  bool move(std::size_t p) {
    const auto own = static_cast<std::size_t>(labels_[p]);
    const double* row = sums_.data() + p * n_;
    keep_on(n_);
    double most = row[own] + least_;
    std::size_t target = own, empty = n_;
    for (std::size_t c = 0; c < n_; ++c) {
      if (sizes_[c] == 0) {
        empty = std::min(empty, c);
      } else if (c != own && row[c] > most) {
        most = row[c];
        target = c;
      }
    }
    if (0.0 > most && empty < n_) target = empty;
    if (target == own) return false;
    keep_on(4 * n_);
    for (std::size_t q = 0; q < n_; ++q) {
      if (q == p) continue;
      sums_[q * n_ + own] -= s_[q * n_ + p];
      sums_[q * n_ + target] += s_[q * n_ + p];
    }
    --sizes_[own];
    ++sizes_[target];
    labels_[p] = static_cast<std::int64_t>(target);
    return true;
  }

  std::span<const double> s_;
  std::size_t n_;
  std::span<std::int64_t> labels_;
  Values sums_;
  std::vector<std::size_t> sizes_;
  double least_;  ///< a gain below is rounding
};

}  // namespace

std::vector<Triangle> violated_triangles(std::span<const double> x, std::size_t n, double least) {
  const Values d = distances(x, n);
  const std::size_t width = padded_width(n);
  std::vector<std::vector<Triangle>> of_row(n);
  parallel_for(n, n * n * n > kWorthWhile, [&](std::size_t p) {
    for (std::size_t q = p + 1; q < n; ++q) {
      keep_on(n / 4);
      const double* a = d.data() + p * width;
      const double* b = d.data() + q * width;
      const double detour = run_kernel<LeastDetour>(a, b, width);
      if (!(a[q] - detour > least)) continue;
      // Shares of 0 and 1 tie often: the first one after p + q, so that not all triangles meet at low
      // indices.
      std::size_t k = (p + q) % n;
      while (a[k] + b[k] != detour) k = k + 1 < n ? k + 1 : 0;
      of_row[p].push_back(
          {static_cast<std::int32_t>(p), static_cast<std::int32_t>(k), static_cast<std::int32_t>(q)});
    }
  });
  std::vector<Triangle> found;
  for (const auto& row : of_row) found.insert(found.end(), row.begin(), row.end());
  return found;
}

/// Floyd and Warshall's algorithm by blocks of points on the way: first their own rows, which all others then
/// read.
void close_triangles(std::span<double> x, std::size_t n) {
  Values d = distances(x, n);
  const std::size_t width = padded_width(n);
  const auto shorten = [&](std::size_t p, std::size_t begin, std::size_t end) {
    double* row = d.data() + p * width;
    for (std::size_t k = begin; k < end; ++k) {
      if (k != p && row[k] < 1.0) run_kernel<Shorten>(row, row[k], d.data() + k * width, width);
    }
  };
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t end = std::min(n, begin + kBlock);
    for (std::size_t k = begin; k < end; ++k) {
      keep_on(kBlock * n / 4);
      for (std::size_t p = begin; p < end; ++p) shorten(p, k, k + 1);
    }
    parallel_for((n + kRows - 1) / kRows, n * n > kWorthWhile, [&](std::size_t chunk) {
      for (std::size_t p = chunk * kRows; p < std::min(n, (chunk + 1) * kRows); ++p) {
        keep_on(kBlock * n / 4);
        if (p < begin || p >= end) shorten(p, begin, end);
      }
    });
  }
  // Both directions sum the same path in another order.
  for (std::size_t p = 0; p < n; ++p) {
    keep_on(n);
    for (std::size_t q = p; q < n; ++q) {
      x[p * n + q] = x[q * n + p] = 1.0 - std::min(d[p * width + q], d[q * width + p]);
    }
  }
}

double bound_of_multipliers(std::span<const double> s, std::size_t n, std::span<const Triangle> triangles,
                            std::span<const double> multipliers) {
  Values left = values_of_pairs(s, n);
  Sum sum;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto first = static_cast<std::size_t>(triangles[t].first),
               middle = static_cast<std::size_t>(triangles[t].middle),
               last = static_cast<std::size_t>(triangles[t].last);
    sum.add(multipliers[t]);
    left[place_of_pair(first, middle, n)] -= multipliers[t];
    left[place_of_pair(middle, last, n)] -= multipliers[t];
    left[place_of_pair(first, last, n)] += multipliers[t];
  }
  for (const double value : left) sum.add(std::max(0.0, value));
  return sum.value();
}

void improve_partition(std::span<const double> s, std::size_t n, std::span<std::int64_t> labels) {
  Partition partition(s, n, labels);
  while (partition.merge_all() || partition.move_all()) {
  }
}

}  // namespace cladebench
