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

RegressionTree TreeBuilder::fit(const double* outputs, std::size_t m, int depth) const {
  const std::size_t n_inner = (std::size_t{1} << depth) - 1;
  RegressionTree tree{std::vector<std::int32_t>(n_inner, 0),
                      std::vector<double>(n_inner, std::numeric_limits<double>::infinity()),
                      std::vector<double>((n_inner + 1) * m), std::vector<std::int32_t>(n_)};
  const Blocks blocks(outputs, n_, m);
  const std::size_t width = blocks.width();
  std::vector<std::uint32_t> orders = sorted_, by_node(n_);
  std::iota(by_node.begin(), by_node.end(), std::uint32_t{0});
  std::vector<Segment> segments{{0, n_, 0}};
  const std::size_t n_tasks = (d_ + kFeatures - 1) / kFeatures;
  std::vector<std::uint8_t> goes_left(n_);

  for (int level = 0; level < depth && !segments.empty(); ++level) {
    std::vector<double> totals(segments.size() * width);
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const Segment& segment = segments[s];
      blocks.add({by_node.data() + segment.begin, segment.end - segment.begin}, totals.data() + s * width);
    }
    std::vector<Split> best(n_tasks * segments.size());
    parallel_for(n_tasks, n_ * d_ * width > kParallelWork, [&](std::size_t task) {
      const std::size_t first = task * kFeatures, last = std::min(first + kFeatures, d_);
      // Places of each feature and segment before which the value changes.
      std::vector<std::uint32_t> places;
      std::vector<std::size_t> starts;
      for (std::size_t f = first; f < last; ++f) {
        const double* column = columns_.data() + f * n_;
        const std::uint32_t* order = orders.data() + f * stride_;
        for (const Segment& s : segments) {
          starts.push_back(places.size());
          for (std::size_t k = s.begin + 1; k < s.end; ++k) {
            if (column[order[k]] != column[order[k - 1]]) places.push_back(static_cast<std::uint32_t>(k));
          }
        }
      }
      starts.push_back(places.size());
      std::vector<double> left(places.size()), right(places.size());
      for (std::size_t c = 0; c < width; c += kColumns) {
        for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
          const std::size_t f = first + i / segments.size(), s = i % segments.size(), at = starts[i];
          keep_on(segments[s].end - segments[s].begin);
          const auto scan = [&]<int kVectors>() {
            run_kernel<Scan<kVectors>>(
                blocks.at_column(c), static_cast<const std::uint32_t*>(orders.data() + f * stride_),
                segments[s].begin, static_cast<const std::uint32_t*>(places.data() + at), starts[i + 1] - at,
                static_cast<const double*>(totals.data() + s * width + c), left.data() + at,
                right.data() + at);
          };
          if (blocks.vectors(c) == 1) {
            scan.template operator()<1>();
          } else {
            scan.template operator()<2>();
          }
        }
      }
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        const Segment& s = segments[i % segments.size()];
        Split& split = best[task * segments.size() + i % segments.size()];
        for (std::size_t c = starts[i]; c < starts[i + 1]; ++c) {
          const double before = static_cast<double>(places[c] - s.begin),
                       after = static_cast<double>(s.end - places[c]);
          const double score = left[c] / before + right[c] / after;
          if (score > split.score) split = {score, first + i / segments.size(), places[c]};
        }
      }
    });

    std::vector<Segment> next;
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const auto [begin, end, node] = segments[s];
      Split split;
      for (std::size_t task = 0; task < n_tasks; ++task) {
        if (best[task * segments.size() + s].score > split.score) split = best[task * segments.size() + s];
      }
      double own = 0.0;
      for (std::size_t p = 0; p < width; ++p) own += totals[s * width + p] * totals[s * width + p];
      own /= static_cast<double>(end - begin);
      if (!(split.score > own * (1.0 + kLeastGain))) {
        for (std::size_t k = begin; k < end; ++k) goes_left[by_node[k]] = 1;
        next.push_back({begin, end, 2 * node + 1});
        continue;
      }
      const double* column = columns_.data() + split.feature * n_;
      const std::uint32_t* order = orders.data() + split.feature * stride_;
      tree.feature[node] = static_cast<std::int32_t>(split.feature);
      tree.threshold[node] = between(column[order[split.place - 1]], column[order[split.place]]);
      for (std::size_t k = begin; k < end; ++k) goes_left[order[k]] = k < split.place;
      next.push_back({begin, split.place, 2 * node + 1});
      next.push_back({split.place, end, 2 * node + 2});
    }
    // Stable partitions keep each order sorted within the new segments.
    parallel_for(d_ + 1, n_ * d_ > kParallelWork, [&](std::size_t f) {
      std::uint32_t* order = f < d_ ? orders.data() + f * stride_ : by_node.data();
      std::vector<std::uint32_t> right(n_);
      for (const Segment& segment : segments) {
        // Each row is written to both sides, and stays on one: no branch to guess.
        std::size_t n_left = segment.begin, n_right = 0;
        for (std::size_t k = segment.begin; k < segment.end; ++k) {
          const std::uint32_t i = order[k];
          order[n_left] = right[n_right] = i;
          n_left += goes_left[i];
          n_right += 1 - goes_left[i];
        }
        std::copy_n(right.begin(), n_right, order + n_left);
      }
    });
    segments = std::move(next);
  }

  for (const auto& [begin, end, node] : segments) {
    const std::size_t leaf = node - n_inner;
    std::vector<double> total(width);
    blocks.add({by_node.data() + begin, end - begin}, total.data());
    for (std::size_t p = 0; p < m; ++p)
      tree.values[leaf * m + p] = total[p] / static_cast<double>(end - begin);
    for (std::size_t k = begin; k < end; ++k) tree.leaf[by_node[k]] = static_cast<std::int32_t>(leaf);
  }
  return tree;
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
