#include "distances/triplet_loss.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/simd.hpp"

namespace cladebench {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kBlock = 4;     // rows that are compared with a tile of eight at a time
constexpr std::size_t kChunk = 32;    // rows of a task
constexpr std::size_t kStretch = 32;  // coordinates between two looks at the limit
// Entries of the lists: 256 MB. Beyond it nothing is kept, and each evaluation goes through all pairs.
constexpr std::size_t kMostListed = std::size_t{1} << 26;
// A listed pair is read at random, and costs what some pairs of a search cost.
constexpr std::size_t kListedShare = 16;
// Rounding of distances, far above what it can be.
constexpr double kRounding = 1e-9;

/// Squared distances of a point to others, or +infinity where it is known to exceed both limits.
struct DistancesToOthers {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* a, double limit, const double* Z, std::size_t width,
                                    const double* limits, const std::uint32_t* others, std::size_t n,
                                    double* found) {
    for (std::size_t k = 0; k < n; ++k) {
      const double* b = Z + others[k] * width;
      const double most = std::max(limit, limits[others[k]]);
      typename V::Vec sum[kParts<V>] = {};
      double lanes[kLanes], total = 0.0;
      for (std::size_t begin = 0; begin < width && total < most; begin += kStretch) {
        const std::size_t end = std::min(begin + kStretch, width);
        for (std::size_t p = begin; p < end; p += kLanes) {
          for (int part = 0; part < kParts<V>; ++part) {
            const typename V::Vec gap = at<V>(a + p + part * V::kWidth) - at<V>(b + p + part * V::kWidth);
            sum[part] += gap * gap;
          }
        }
        for (int part = 0; part < kParts<V>; ++part) at<V>(lanes + part * V::kWidth) = sum[part];
        total = fold(lanes);
      }
      found[k] = total < most ? total : std::numeric_limits<double>::infinity();
    }
  }
};

/// sum += weight * row
struct AddRow {
  template <class V>
  CLADEBENCH_INLINE static void run(double* sum, double weight, const double* row, std::size_t width) {
    for (std::size_t p = 0; p < width; p += V::kWidth) at<V>(sum + p) += weight * at<V>(row + p);
  }
};

/// Squared distances of kBlock points to a tile of eight (coordinate by coordinate), unless all exceed their
/// limits: then false.
struct DistancesToTile {
  template <class V>
  CLADEBENCH_INLINE static bool run(const double* rows, std::size_t width, const double* tile, std::size_t m,
                                    const double* limits, double* found) {
    using Vec = typename V::Vec;
    Vec sums[kBlock][kParts<V>] = {};
    for (std::size_t begin = 0; begin < m; begin += kStretch) {
      const std::size_t end = std::min(begin + kStretch, m);
      for (std::size_t p = begin; p < end; ++p) {
        for (int part = 0; part < kParts<V>; ++part) {
          const Vec b = at<V>(tile + p * kLanes + part * V::kWidth);
          for (std::size_t r = 0; r < kBlock; ++r) {
            const Vec gap = b - rows[r * width + p];
            sums[r][part] += gap * gap;
          }
        }
      }
      typename V::Mask within{};
      for (std::size_t r = 0; r < kBlock; ++r) {
        for (int part = 0; part < kParts<V>; ++part) {
          within |= sums[r][part] <= at<V>(limits + r * kLanes + part * V::kWidth);
        }
      }
      std::int64_t any = 0;
      for (int lane = 0; lane < V::kWidth; ++lane) any |= within[lane];
      if (any == 0) return false;
    }
    for (std::size_t r = 0; r < kBlock; ++r) {
      for (int part = 0; part < kParts<V>; ++part) {
        at<V>(found + r * kLanes + part * V::kWidth) = sums[r][part];
      }
    }
    return true;
  }
};

double norm_of_gap(const double* a, const double* b, std::size_t width) {
  double sum = 0.0;
  for (std::size_t p = 0; p < width; ++p) sum += (a[p] - b[p]) * (a[p] - b[p]);
  return std::sqrt(sum);
}

/// Rows of points, sorted and padded with zeros, and a block of zeros beyond the last.
std::vector<double> padded(const double* given, std::size_t columns, const std::vector<std::size_t>& rows) {
  const std::size_t width = padded_width(columns);
  std::vector<double> made((rows.size() + kBlock) * width);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    std::copy_n(given + rows[a] * columns, columns, made.begin() + static_cast<std::ptrdiff_t>(a * width));
  }
  return made;
}

/// The points again, eight at a time, coordinate by coordinate.
std::vector<double> tiles_of(const std::vector<double>& Z, std::size_t n, std::size_t width, std::size_t m) {
  const std::size_t n_tiles = (n + kLanes - 1) / kLanes;
  std::vector<double> tiles(n_tiles * m * kLanes);
  for (std::size_t b = 0; b < n; ++b) {
    double* tile = tiles.data() + b / kLanes * m * kLanes + b % kLanes;
    for (std::size_t p = 0; p < m; ++p) tile[p * kLanes] = Z[b * width + p];
  }
  return tiles;
}

}  // namespace

TripletLoss::TripletLoss(std::span<const std::int64_t> labels, std::span<const std::int64_t> targets,
                         double mu, double smoothing)
    : n_(labels.size()),
      k_(n_ == 0 ? 0 : targets.size() / n_),
      mu_(mu),
      smoothing_(smoothing),
      rows_(n_),
      classes_(n_),
      targets_(n_ * k_, kNone),
      to_target_(n_ * k_),
      limit_(n_),
      lists_(n_) {
  if (n_ == 0 || targets.size() != n_ * k_ || n_ >= kNone) {
    throw std::invalid_argument("expected one row of targets for each of the labels");
  }
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  std::stable_sort(rows_.begin(), rows_.end(), [&](auto a, auto b) { return labels[a] < labels[b]; });
  std::vector<std::uint32_t> place(n_);
  for (std::size_t a = 0; a < n_; ++a) {
    place[rows_[a]] = static_cast<std::uint32_t>(a);
    const bool same = a > 0 && labels[rows_[a]] == labels[rows_[a - 1]];
    classes_[a] = a == 0 ? 0 : classes_[a - 1] + (same ? 0 : 1);
  }
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t j = 0; j < k_; ++j) {
      const std::int64_t target = targets[rows_[a] * k_ + j];
      if (target >= static_cast<std::int64_t>(n_)) throw std::invalid_argument("a target is not a row");
      if (target >= 0) targets_[a * k_ + j] = place[static_cast<std::size_t>(target)];
    }
  }
}

void TripletLoss::measure_targets(const double* Z, std::size_t width) {
  for (std::size_t a = 0; a < n_; ++a) {
    // A point without targets has no triplets.
    limit_[a] = 0.0;
    keep_on(k_ * width / 4);
    for (std::size_t j = 0; j < k_; ++j) {
      const std::uint32_t target = targets_[a * k_ + j];
      if (target == kNone) continue;
      const double gap = norm_of_gap(Z + a * width, Z + target * width, width);
      to_target_[a * k_ + j] = gap * gap;
      limit_[a] = std::max(limit_[a], 1.0 + gap * gap);
    }
  }
}

bool TripletLoss::lists_hold(const double* Z, std::size_t width) const {
  if (!listed_ || reference_width_ != width) return false;
  for (std::size_t a = 0; a < n_; ++a) {
    keep_on(width / 4);
    const double moved = norm_of_gap(Z + a * width, reference_.data() + a * width, width);
    const double grown = std::max(0.0, std::sqrt(limit_[a]) + slack_[a] - reach_[a]);
    if (moved + grown > slack_[a]) return false;
  }
  return true;
}

void TripletLoss::begin_search(const double* Z, std::size_t width) {
  // Lists that serve a few times only are too short, unless they hold so much that a search costs less.
  if (n_searches_ > 0) {
    if (!listed_ || n_listed_ > n_ * n_ / kListedShare) {
      slack_share_ = std::max(0.002, slack_share_ / 2.0);
    } else if (n_served_ < 4 && n_listed_ < n_ * n_ / (4 * kListedShare)) {
      slack_share_ = std::min(0.4, 1.5 * slack_share_);
    } else if (n_served_ > 16) {
      slack_share_ = std::max(0.002, slack_share_ / 1.5);
    }
  }
  ++n_searches_;
  n_served_ = 0;
  reference_.assign(Z, Z + n_ * width);
  reference_width_ = width;
  std::vector<double> mean(width);
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t p = 0; p < width; ++p) mean[p] += Z[a * width + p];
  }
  for (double& x : mean) x /= static_cast<double>(n_);
  slack_.resize(n_);
  reach_.resize(n_);
  for (std::size_t a = 0; a < n_; ++a) {
    const double radius = std::sqrt(limit_[a]);
    slack_[a] = slack_share_ * (norm_of_gap(Z + a * width, mean.data(), width) + radius);
    reach_[a] = radius + slack_[a];
  }
}

void TripletLoss::end_search(std::size_t n_listed) {
  n_listed_ = n_listed;
  listed_ = n_listed_ <= kMostListed;
  if (listed_) return;
  for (auto& list : lists_) std::vector<std::uint32_t>().swap(list);
}

/// One evaluation: the pairs that matter, their weights, and the sums that become the product.
class TripletLoss::Evaluation {
 public:
  Evaluation(TripletLoss& of, const double* given, std::size_t m, const double* V, std::size_t q)
      : of_(of),
        m_(m),
        q_(q),
        width_(padded_width(m)),
        width_V_(padded_width(q)),
        Z_(padded(given, m, of.rows_)),
        sums_(of.n_ * width_V_),
        losses_(of.n_),
        smoothed_(of.n_),
        slopes_(of.n_),
        pulls_(of.n_ * of.k_) {
    const bool same = V == given && q == m;  // two arrays of different widths may begin at one place
    if (!same) V_ = padded(V, q, of.rows_);
    rows_of_V_ = same ? Z_.data() : V_.data();
  }

  Value run(double* product) {
    of_.measure_targets(Z_.data(), width_);
    const bool keep = of_.lists_hold(Z_.data(), width_);
    if (!keep) {
      of_.begin_search(Z_.data(), width_);
      tiles_ = tiles_of(Z_, of_.n_, width_, m_);
    }
    ++of_.n_served_;
    parallel_for((of_.n_ + kChunk - 1) / kChunk, of_.n_ * m_ > 20'000, [&](std::size_t chunk) {
      const std::size_t first = chunk * kChunk, last = std::min(first + kChunk, of_.n_);
      keep ? weigh_listed(first, last) : weigh_anew(first, last);
    });
    if (!keep) of_.end_search(n_listed_);
    const Value value = add_targets();
    for (std::size_t a = 0; a < of_.n_; ++a) {
      std::copy_n(sums_.data() + a * width_V_, q_, product + of_.rows_[a] * q_);
    }
    return value;
  }

 private:
  using List = std::vector<std::uint32_t>;

  void weigh_listed(std::size_t first, std::size_t last) {
    std::vector<double> gaps;
    for (std::size_t a = first; a < last; ++a) weigh(a, of_.lists_[a], gaps);
  }

  void weigh_anew(std::size_t first, std::size_t last) {
    std::vector<double> gaps;
    std::vector<List> lists(last - first);
    for (std::size_t block = first; block < last; block += kBlock) {
      keep_on(kBlock * of_.n_);
      for (std::size_t tile = 0; tile < of_.n_; tile += kLanes) {
        list_near(block, std::min(block + kBlock, last), tile, lists.data() + (block - first));
      }
    }
    for (std::size_t a = first; a < last; ++a) {
      const List& list = lists[a - first];
      weigh(a, list, gaps);
      of_.lists_[a].clear();
      if ((n_listed_ += list.size()) <= kMostListed) {
        of_.lists_[a].assign(list.begin(), list.end());
      } else {
        List().swap(of_.lists_[a]);
      }
    }
  }

  /// Lists for each point of a block those of a tile that matter to it, or may soon.
  void list_near(std::size_t block, std::size_t end, std::size_t tile, List* lists) const {
    const std::size_t stop = std::min(tile + kLanes, of_.n_);
    const std::vector<std::int32_t>& classes = of_.classes_;
    if (classes[tile] == classes[stop - 1] && classes[block] == classes[end - 1] &&
        classes[tile] == classes[block]) {
      return;
    }
    double limits[kBlock * kLanes], found[kBlock * kLanes];
    std::fill(limits, limits + kBlock * kLanes, -1.0);
    for (std::size_t a = block; a < end; ++a) {
      for (std::size_t b = tile; b < stop; ++b) {
        if (classes[b] == classes[a]) continue;
        const double reach = std::max(of_.reach_[a] + of_.slack_[b], of_.reach_[b] + of_.slack_[a]);
        limits[(a - block) * kLanes + b - tile] = reach * reach * (1.0 + kRounding);
      }
    }
    if (!run_kernel<DistancesToTile>(Z_.data() + block * width_, width_, tiles_.data() + tile * m_, m_,
                                     static_cast<const double*>(limits), static_cast<double*>(found))) {
      return;
    }
    for (std::size_t a = block; a < end; ++a) {
      for (std::size_t b = tile; b < stop; ++b) {
        const std::size_t k = (a - block) * kLanes + b - tile;
        if (found[k] <= limits[k]) lists[a - block].push_back(static_cast<std::uint32_t>(b));
      }
    }
  }

  /// Adds to a point's sums what the others pull and push.
  void weigh(std::size_t a, const List& others, std::vector<double>& gaps) {
    keep_on(others.size());
    gaps.resize(others.size());
    run_kernel<DistancesToOthers>(Z_.data() + a * width_, of_.limit_[a], Z_.data(), width_,
                                  static_cast<const double*>(of_.limit_.data()), others.data(), others.size(),
                                  gaps.data());
    double* row = sums_.data() + a * width_V_;
    double total = 0.0;
    for (std::size_t c = 0; c < others.size(); ++c) {
      const std::size_t b = others[c];
      if (gaps[c] >= of_.limit_[a] && gaps[c] >= of_.limit_[b]) continue;
      const double weight = weight_of(a, b, gaps[c]);
      total += weight;
      run_kernel<AddRow>(row, of_.mu_ * weight, rows_of_V_ + b * width_V_, width_V_);
    }
    run_kernel<AddRow>(row, -of_.mu_ * total, rows_of_V_ + a * width_V_, width_V_);
  }

  /// Of a pair of two classes, by its triplets; those of the first point are added up.
  double weight_of(std::size_t a, std::size_t b, double gap) {
    const std::size_t k = of_.k_;
    const double smoothing = of_.smoothing_;
    const auto slope = [&](double x) { return x < smoothing ? x / smoothing : 1.0; };
    double weight = 0.0;
    for (std::size_t j = 0; j < k; ++j) {
      const double x = 1.0 + of_.to_target_[a * k + j] - gap;
      if (of_.targets_[a * k + j] != kNone && x > 0.0) {
        const double s = slope(x);
        weight += s;
        pulls_[a * k + j] += s;
        slopes_[a] += s;
        losses_[a] += x;
        smoothed_[a] += x < smoothing ? 0.5 * x * s : x - 0.5 * smoothing;
      }
      const double back = 1.0 + of_.to_target_[b * k + j] - gap;
      if (of_.targets_[b * k + j] != kNone && back > 0.0) weight += slope(back);
    }
    return weight;
  }

  /// The value; adds to the sums what the targets pull.
  Value add_targets() {
    Value value{};
    double pull = 0.0, push = 0.0, push_smoothed = 0.0;
    for (std::size_t a = 0; a < of_.n_; ++a) {
      keep_on(of_.k_ * width_V_ / 4);
      for (std::size_t j = a * of_.k_; j < (a + 1) * of_.k_; ++j) {
        const std::uint32_t target = of_.targets_[j];
        if (target == kNone) continue;
        pull += of_.to_target_[j];
        const double weight = (1.0 - of_.mu_) + of_.mu_ * pulls_[j];
        const double *v = rows_of_V_ + a * width_V_, *v_target = rows_of_V_ + target * width_V_;
        double *of_a = sums_.data() + a * width_V_, *of_target = sums_.data() + target * width_V_;
        for (std::size_t p = 0; p < width_V_; ++p) {
          const double part = weight * (v[p] - v_target[p]);
          of_a[p] += part;
          of_target[p] -= part;
        }
      }
      push += losses_[a];
      push_smoothed += smoothed_[a];
      value.slopes += of_.mu_ * slopes_[a];
    }
    value.loss = (1.0 - of_.mu_) * pull + of_.mu_ * push;
    value.smoothed = (1.0 - of_.mu_) * pull + of_.mu_ * push_smoothed;
    return value;
  }

  TripletLoss& of_;
  const std::size_t m_, q_, width_, width_V_;
  const std::vector<double> Z_;
  std::vector<double> V_, tiles_;
  const double* rows_of_V_;
  std::vector<double> sums_, losses_, smoothed_, slopes_, pulls_;
  std::atomic<std::size_t> n_listed_ = 0;
};

TripletLoss::Value TripletLoss::evaluate(const double* Z, std::size_t m, const double* V, std::size_t q,
                                         double* product) {
  return Evaluation(*this, Z, m, V, q).run(product);
}

}  // namespace cladebench
