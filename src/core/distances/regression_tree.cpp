#include "distances/regression_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/simd.hpp"

namespace cladebench {
namespace {

constexpr std::size_t kColumns = 16;  // outputs whose sums are held in registers
constexpr std::size_t kFeatures = 8;  // features of a task: all of them pass over a block while it is near
constexpr std::size_t kAhead = 8;     // rows between the one that is added and the one that is fetched
// What a split must gain, relative to the node's own score: less is rounding.
constexpr double kLeastGain = 1e-12;
constexpr std::size_t kParallelWork = 200'000;

/// Rows [begin, end) of every order belong to this node.
struct Segment {
  std::size_t begin, end, node;
};

/// Adds up outputs in the order of a feature, and at each of some places (within the segment, ascending) adds
/// the squared norms of the sums before it and from it on to left and right.
template <int kVectors>
struct Scan {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* block, const std::uint32_t* order, std::size_t begin,
                                    const std::uint32_t* places, std::size_t n_places, const double* total,
                                    double* left, double* right) {
    using Vec = typename V::Vec;
    constexpr int kRegisters = kVectors * kParts<V>;
    constexpr std::size_t kWidth = kVectors * kLanes;
    Vec sums[kRegisters] = {};
    std::size_t k = begin;
    for (std::size_t c = 0; c < n_places; ++c) {
      for (; k < places[c]; ++k) {
        const double* row = block + order[k] * kWidth;
        // The order ends with a few rows more than are read here.
        const double* later = block + order[k + kAhead] * kWidth;
        for (std::size_t p = 0; p < kWidth; p += kLanes) __builtin_prefetch(later + p);
        for (int r = 0; r < kRegisters; ++r) sums[r] += at<V>(row + r * V::kWidth);
      }
      Vec of_left[kParts<V>] = {}, of_right[kParts<V>] = {};
      for (int r = 0; r < kRegisters; ++r) {
        const Vec rest = at<V>(total + r * V::kWidth) - sums[r];
        of_left[r % kParts<V>] += sums[r] * sums[r];
        of_right[r % kParts<V>] += rest * rest;
      }
      double lanes[2 * kLanes];
      for (int part = 0; part < kParts<V>; ++part) {
        at<V>(lanes + part * V::kWidth) = of_left[part];
        at<V>(lanes + kLanes + part * V::kWidth) = of_right[part];
      }
      left[c] += fold(lanes);
      right[c] += fold(lanes + kLanes);
    }
  }
};

/// The outputs in blocks of columns, each block row by row.
class Blocks {
 public:
  Blocks(const double* outputs, std::size_t n, std::size_t m)
      : n_(n), width_(padded_width(m)), data_(n * width_) {
    for (std::size_t c = 0; c < width_; c += kColumns) {
      const std::size_t columns = std::min(kColumns, width_ - c);
      keep_on(n * columns / 4);
      for (std::size_t i = 0; i < n; ++i) {
        double* row = data_.data() + c * n + i * columns;
        for (std::size_t p = c; p < std::min(c + columns, m); ++p) row[p - c] = outputs[i * m + p];
      }
    }
  }
  std::size_t width() const { return width_; }
  std::size_t vectors(std::size_t c) const { return std::min(kColumns, width_ - c) / kLanes; }
  const double* at_column(std::size_t c) const { return data_.data() + c * n_; }

  /// Sums of a node's rows, in the order of rows.
  void add(std::span<const std::uint32_t> rows, double* total) const {
    for (std::size_t c = 0; c < width_; c += kColumns) {
      const std::size_t columns = vectors(c) * kLanes;
      keep_on(rows.size() * columns / 4);
      for (const std::uint32_t i : rows) {
        const double* row = at_column(c) + i * columns;
        for (std::size_t p = 0; p < columns; ++p) total[c + p] += row[p];
      }
    }
  }

 private:
  std::size_t n_, width_;
  std::vector<double> data_;
};

struct Split {
  double score = -std::numeric_limits<double>::infinity();
  std::size_t feature = 0, place = 0;
};

/// Midway, but below `upper` always.
double between(double lower, double upper) {
  const double middle = lower + 0.5 * (upper - lower);
  return middle < upper ? middle : lower;
}

}  // namespace

TreeBuilder::TreeBuilder(const MatrixView& X)
    : n_(X.n), d_(X.P), stride_(X.n + kAhead), columns_(X.n * X.P), sorted_(stride_ * X.P) {
  if (n_ == 0 || d_ == 0 || n_ >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("expected between 1 and 2^32 - 2 rows, and a feature");
  }
  parallel_for(d_, n_ * d_ > kParallelWork, [&](std::size_t f) {
    double* column = columns_.data() + f * n_;
    for (std::size_t i = 0; i < n_; ++i) column[i] = X.data[i * d_ + f];
    keep_on(8 * n_);
    std::uint32_t* order = sorted_.data() + f * stride_;
    std::iota(order, order + n_, std::uint32_t{0});
    std::stable_sort(order, order + n_, [column](auto a, auto b) { return column[a] < column[b]; });
  });
}

/// Grows one tree, level by level.
class TreeBuilder::Growth {
 public:
  Growth(const TreeBuilder& of, const double* outputs, std::size_t m, int depth)
      : of_(of),
        m_(m),
        n_inner_((std::size_t{1} << depth) - 1),
        n_tasks_((of.d_ + kFeatures - 1) / kFeatures),
        blocks_(outputs, of.n_, m),
        width_(blocks_.width()),
        orders_(of.sorted_),
        by_node_(of.n_),
        goes_left_(of.n_),
        segments_{{0, of.n_, 0}},
        tree_{std::vector<std::int32_t>(n_inner_, 0),
              std::vector<double>(n_inner_, std::numeric_limits<double>::infinity()),
              std::vector<double>((n_inner_ + 1) * m), std::vector<std::int32_t>(of.n_)} {
    std::iota(by_node_.begin(), by_node_.end(), std::uint32_t{0});
  }

  RegressionTree run(int depth) {
    for (int level = 0; level < depth && !segments_.empty(); ++level) {
      add_up();
      best_.assign(n_tasks_ * segments_.size(), Split{});
      parallel_for(n_tasks_, of_.n_ * of_.d_ * width_ > kParallelWork,
                   [&](std::size_t task) { search(task); });
      std::vector<Segment> next = split();
      // Stable partitions keep each order sorted within the new segments.
      parallel_for(of_.d_ + 1, of_.n_ * of_.d_ > kParallelWork, [&](std::size_t f) {
        partition(f < of_.d_ ? orders_.data() + f * of_.stride_ : by_node_.data());
      });
      segments_ = std::move(next);
    }
    take_means();
    return std::move(tree_);
  }

 private:
  void add_up() {
    totals_.assign(segments_.size() * width_, 0.0);
    for (std::size_t s = 0; s < segments_.size(); ++s)
      blocks_.add(rows_of(segments_[s]), totals_.data() + s * width_);
  }

  std::span<const std::uint32_t> rows_of(const Segment& segment) const {
    return {by_node_.data() + segment.begin, segment.end - segment.begin};
  }

  /// Places where a node can be split by a feature: the value changes before them.
  struct Places {
    std::vector<std::uint32_t> all;
    std::vector<std::size_t> starts;  ///< of each feature and segment, and the end
  };

  Places places_of(std::size_t first, std::size_t last) const {
    Places places;
    for (std::size_t f = first; f < last; ++f) {
      const double* column = of_.columns_.data() + f * of_.n_;
      const std::uint32_t* order = orders_.data() + f * of_.stride_;
      for (const Segment& s : segments_) {
        places.starts.push_back(places.all.size());
        for (std::size_t k = s.begin + 1; k < s.end; ++k) {
          if (column[order[k]] != column[order[k - 1]]) places.all.push_back(static_cast<std::uint32_t>(k));
        }
      }
    }
    places.starts.push_back(places.all.size());
    return places;
  }

  /// The best splits of all nodes by the features of a task.
  void search(std::size_t task) {
    const std::size_t first = task * kFeatures, last = std::min(first + kFeatures, of_.d_);
    const auto [places, starts] = places_of(first, last);
    std::vector<double> left(places.size()), right(places.size());
    for (std::size_t c = 0; c < width_; c += kColumns) {
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        const std::size_t f = first + i / segments_.size(), s = i % segments_.size(), at = starts[i];
        keep_on(segments_[s].end - segments_[s].begin);
        const auto scan = [&, &places = places, &starts = starts]<int kVectors>() {
          run_kernel<Scan<kVectors>>(
              blocks_.at_column(c), static_cast<const std::uint32_t*>(orders_.data() + f * of_.stride_),
              segments_[s].begin, static_cast<const std::uint32_t*>(places.data() + at), starts[i + 1] - at,
              static_cast<const double*>(totals_.data() + s * width_ + c), left.data() + at,
              right.data() + at);
        };
        if (blocks_.vectors(c) == 1) {
          scan.template operator()<1>();
        } else {
          scan.template operator()<2>();
        }
      }
    }
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const Segment& s = segments_[i % segments_.size()];
      Split& best = best_[task * segments_.size() + i % segments_.size()];
      for (std::size_t c = starts[i]; c < starts[i + 1]; ++c) {
        const double before = static_cast<double>(places[c] - s.begin),
                     after = static_cast<double>(s.end - places[c]);
        const double score = left[c] / before + right[c] / after;
        if (score > best.score) best = {score, first + i / segments_.size(), places[c]};
      }
    }
  }

  /// Splits each node by the best of all features; one that gains nothing passes its rows on.
  std::vector<Segment> split() {
    std::vector<Segment> next;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const auto [begin, end, node] = segments_[s];
      Split best;
      for (std::size_t task = 0; task < n_tasks_; ++task) {
        const Split& one = best_[task * segments_.size() + s];
        if (one.score > best.score) best = one;
      }
      double score = 0.0;
      for (std::size_t p = 0; p < width_; ++p) score += totals_[s * width_ + p] * totals_[s * width_ + p];
      score /= static_cast<double>(end - begin);
      if (!(best.score > score * (1.0 + kLeastGain))) {
        for (std::size_t k = begin; k < end; ++k) goes_left_[by_node_[k]] = 1;
        next.push_back({begin, end, 2 * node + 1});
        continue;
      }
      const double* column = of_.columns_.data() + best.feature * of_.n_;
      const std::uint32_t* order = orders_.data() + best.feature * of_.stride_;
      tree_.feature[node] = static_cast<std::int32_t>(best.feature);
      tree_.threshold[node] = between(column[order[best.place - 1]], column[order[best.place]]);
      for (std::size_t k = begin; k < end; ++k) goes_left_[order[k]] = k < best.place;
      next.push_back({begin, best.place, 2 * node + 1});
      next.push_back({best.place, end, 2 * node + 2});
    }
    return next;
  }

  void partition(std::uint32_t* order) const {
    std::vector<std::uint32_t> right(of_.n_);
    for (const Segment& segment : segments_) {
      // Each row is written to both sides, and stays on one: no branch to guess.
      std::size_t n_left = segment.begin, n_right = 0;
      for (std::size_t k = segment.begin; k < segment.end; ++k) {
        const std::uint32_t i = order[k];
        order[n_left] = right[n_right] = i;
        n_left += goes_left_[i];
        n_right += 1 - goes_left_[i];
      }
      std::copy_n(right.begin(), n_right, order + n_left);
    }
  }

  /// The leaves' values.
  void take_means() {
    for (const Segment& segment : segments_) {
      const std::size_t leaf = segment.node - n_inner_;
      const std::span<const std::uint32_t> rows = rows_of(segment);
      std::vector<double> total(width_);
      blocks_.add(rows, total.data());
      for (std::size_t p = 0; p < m_; ++p) {
        tree_.values[leaf * m_ + p] = total[p] / static_cast<double>(rows.size());
      }
      for (const std::uint32_t i : rows) tree_.leaf[i] = static_cast<std::int32_t>(leaf);
    }
  }

  const TreeBuilder& of_;
  const std::size_t m_, n_inner_, n_tasks_;
  const Blocks blocks_;
  const std::size_t width_;
  std::vector<std::uint32_t> orders_, by_node_;
  std::vector<std::uint8_t> goes_left_;
  std::vector<Segment> segments_;
  std::vector<double> totals_;  ///< of each segment
  std::vector<Split> best_;     ///< of each task and segment
  RegressionTree tree_;
};

RegressionTree TreeBuilder::fit(const double* outputs, std::size_t m, int depth) const {
  return Growth(*this, outputs, m, depth).run(depth);
}

void add_trees(const MatrixView& X, const std::int32_t* feature, const double* threshold,
               const double* values, std::size_t n_trees, int depth, std::size_t m, double* Z) {
  constexpr std::size_t kRows = 64;  // of a task; the leaves of a tree stay near while all of them pass
  const std::size_t n_inner = (std::size_t{1} << depth) - 1;
  parallel_for((X.n + kRows - 1) / kRows, X.n * n_trees * m > kParallelWork, [&](std::size_t task) {
    const std::size_t first = task * kRows, last = std::min(first + kRows, X.n);
    for (std::size_t t = 0; t < n_trees; ++t) {
      keep_on(kRows);
      for (std::size_t i = first; i < last; ++i) {
        const double* x = X.data + i * X.P;
        std::size_t node = 0;
        for (int level = 0; level < depth; ++level) {
          const std::size_t k = t * n_inner + node;
          node = 2 * node + (x[feature[k]] <= threshold[k] ? 1 : 2);
        }
        const double* value = values + (t * (n_inner + 1) + node - n_inner) * m;
        for (std::size_t p = 0; p < m; ++p) Z[i * m + p] += value[p];
      }
    }
  });
}

}  // namespace cladebench
