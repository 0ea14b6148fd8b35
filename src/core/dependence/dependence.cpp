#include "dependence/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

// A gain that is smaller, relative to the numbers that it is the difference of, is rounding.
constexpr double kTie = 1e-12;

double dot(const double* a, const double* b, std::size_t n) {
  // Four sums: one would wait for each addition.
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

void add(double* to, const double* row, double sign, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] += sign * row[i];
}

/// Sums of the Gram matrix's entries over clusters, as points move.
class ClusterSums {
 public:
  ClusterSums(const CenteredGram& gram, std::size_t k)
      : gram_(gram), k_(k), sums_(k * gram.width), diagonal_(gram.n) {
    for (std::size_t i = 0; i < gram.n; ++i) {
      keep_on(gram.is_factor ? gram.width : 1);
      diagonal_[i] = gram.is_factor ? dot(row(i), row(i), gram.width) : row(i)[i];
    }
  }

  void take_anew(const std::vector<std::int64_t>& labels) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t i = 0; i < gram_.n; ++i) {
      keep_on(gram_.width);
      add(of(labels[i]), row(i), 1.0, gram_.width);
    }
  }

  /// g_c of a point, its own entry included.
  void read(std::size_t i, double* g) const {
    keep_on(gram_.is_factor ? k_ * gram_.width : k_);
    for (std::size_t c = 0; c < k_; ++c) {
      const double* sum = sums_.data() + c * gram_.width;
      g[c] = gram_.is_factor ? dot(row(i), sum, gram_.width) : sum[i];
    }
  }

  void move(std::size_t i, std::int64_t a, std::int64_t b) {
    keep_on(2 * gram_.width);
    add(of(a), row(i), -1.0, gram_.width);
    add(of(b), row(i), 1.0, gram_.width);
  }

  double diagonal(std::size_t i) const { return diagonal_[i]; }

 private:
  const double* row(std::size_t i) const { return gram_.values.data() + i * gram_.width; }
  double* of(std::int64_t c) { return sums_.data() + static_cast<std::size_t>(c) * gram_.width; }

  const CenteredGram& gram_;
  std::size_t k_;
  std::vector<double> sums_;  ///< k x width: of rows of the matrix, or of its factor
  std::vector<double> diagonal_;
};

/// tr(A Y A Y) for the sizes of the clusters, and what it would be after a move.
///
/// With P = Y o Y and r = Y n it is n' P n - 2/N sum_c n_c r_c^2 + (n' r)^2 / N^2.
class SquaredNorm {
 public:
  SquaredNorm(std::span<const double> structure, std::size_t k, double n_points)
      : Y_(structure), k_(k), n_points_(n_points), sizes_(k), r_(k), p_(k), after_(k * k), known_(k * k) {}

  void set_sizes(const std::vector<std::int64_t>& labels) {
    std::fill(sizes_.begin(), sizes_.end(), 0.0);
    for (const std::int64_t label : labels) sizes_[static_cast<std::size_t>(label)] += 1.0;
    refresh();
  }

  void move(std::size_t a, std::size_t b) {
    sizes_[a] -= 1.0;
    sizes_[b] += 1.0;
    refresh();
  }

  double size(std::size_t c) const { return sizes_[c]; }
  double now() const { return combined(q_, sizes_.data(), nullptr, nullptr); }

  double after(std::size_t a, std::size_t b) {
    const std::size_t at = a * k_ + b;
    if (!known_[at]) {
      const double* ya = row(a);
      const double* yb = row(b);
      const double q = q_ + 2.0 * (p_[b] - p_[a]) + ya[a] * ya[a] + yb[b] * yb[b] - 2.0 * ya[b] * ya[b];
      sizes_[a] -= 1.0;
      sizes_[b] += 1.0;
      after_[at] = combined(q, sizes_.data(), ya, yb);
      sizes_[a] += 1.0;
      sizes_[b] -= 1.0;
      known_[at] = 1;
    }
    return after_[at];
  }

 private:
  const double* row(std::size_t a) const { return Y_.data() + a * k_; }

  double combined(double q, const double* sizes, const double* ya, const double* yb) const {
    double s = 0.0, t = 0.0;
    for (std::size_t c = 0; c < k_; ++c) {
      const double r = ya == nullptr ? r_[c] : r_[c] + (yb[c] - ya[c]);
      s += sizes[c] * r;
      t += sizes[c] * r * r;
    }
    return q - 2.0 * t / n_points_ + (s / n_points_) * (s / n_points_);
  }

  void refresh() {
    q_ = 0.0;
    for (std::size_t a = 0; a < k_; ++a) {
      double r = 0.0, p = 0.0;
      for (std::size_t c = 0; c < k_; ++c) {
        r += row(a)[c] * sizes_[c];
        p += row(a)[c] * row(a)[c] * sizes_[c];
      }
      r_[a] = r;
      p_[a] = p;
      q_ += p * sizes_[a];
    }
    std::fill(known_.begin(), known_.end(), 0);
  }

  std::span<const double> Y_;
  std::size_t k_;
  double n_points_, q_ = 0.0;
  std::vector<double> sizes_, r_, p_, after_;
  std::vector<char> known_;
};

void check(const CenteredGram& gram, std::span<const double> structure, std::span<const std::int64_t> labels,
           std::span<const std::int64_t> order, std::size_t k) {
  if (gram.n == 0 || gram.values.size() != gram.n * gram.width) {
    throw std::invalid_argument("gram: expected n x n values, or n x width of a factor, n >= 1");
  }
  if (!gram.is_factor && gram.width != gram.n) throw std::invalid_argument("gram: expected a square matrix");
  if (k == 0 || structure.size() != k * k) throw std::invalid_argument("structure: expected k x k values");
  if (labels.size() != gram.n) throw std::invalid_argument("labels: expected one for each point");
  for (const std::int64_t label : labels) {
    if (label < 0 || label >= static_cast<std::int64_t>(k)) {
      throw std::invalid_argument("labels: expected clusters within the structure");
    }
  }
  std::vector<char> seen(gram.n, 0);
  for (const std::int64_t i : order) {
    if (i < 0 || i >= static_cast<std::int64_t>(gram.n) || seen[static_cast<std::size_t>(i)]++) {
      throw std::invalid_argument("order: expected each point once");
    }
  }
  if (order.size() != gram.n) throw std::invalid_argument("order: expected each point once");
}

class Sweeper {
 public:
  Sweeper(const CenteredGram& gram, std::span<const double> structure, std::span<const std::int64_t> labels,
          std::size_t k, bool normalized)
      : n_(gram.n),
        k_(k),
        normalized_(normalized),
        Y_(structure.begin(), structure.end()),
        labels_(labels.begin(), labels.end()),
        sums_(gram, k),
        norm_(Y_, k, static_cast<double>(gram.n)),
        g_(k),
        h_(k) {
    // Adding u 1' + 1 u' to Y changes nothing, as M and H are centred. With zeros for the largest cluster
    // small ones do not drown in its square. What is left of equal numbers is rounding, and no structure.
    norm_.set_sizes(labels_);
    std::size_t base = 0;
    for (std::size_t c = 1; c < k_; ++c) {
      if (norm_.size(c) > norm_.size(base)) base = c;
    }
    const std::vector<double> shift(Y_.begin() + static_cast<std::ptrdiff_t>(base * k_),
                                    Y_.begin() + static_cast<std::ptrdiff_t>((base + 1) * k_));
    for (std::size_t a = 0; a < k_; ++a) {
      for (std::size_t b = 0; b < k_; ++b) {
        double& y = Y_[a * k_ + b];
        const double scale = std::abs(y) + std::abs(shift[base]) + std::abs(shift[a]) + std::abs(shift[b]);
        y += shift[base] - shift[a] - shift[b];
        if (std::abs(y) <= 4.0 * std::numeric_limits<double>::epsilon() * scale) y = 0.0;
      }
    }
    take_anew();
  }

  void take_anew() {
    sums_.take_anew(labels_);
    norm_.set_sizes(labels_);
    // Sums over clusters may cancel out to rounding, entries do not: their scale counts too.
    double largest = 0.0;
    for (const double y : Y_) largest = std::max(largest, std::abs(y));
    numerator_ = scale_ = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      read(i);
      scale_ += sums_.diagonal(i) * largest;
      numerator_ += h_[static_cast<std::size_t>(labels_[i])];
      scale_ += std::abs(h_[static_cast<std::size_t>(labels_[i])]);
    }
  }

  double objective() const { return value(numerator_, norm_.now()); }

  std::int64_t sweep(std::span<const std::int64_t> order) {
    std::int64_t moves = 0;
    for (const std::int64_t point : order) moves += place(static_cast<std::size_t>(point));
    return moves;
  }

  std::vector<std::int64_t> labels() const { return labels_; }

 private:
  void read(std::size_t i) {
    sums_.read(i, g_.data());
    keep_on(k_ * k_);
    for (std::size_t a = 0; a < k_; ++a) {
      double h = 0.0;
      for (std::size_t c = 0; c < k_; ++c) h += Y_[a * k_ + c] * g_[c];
      h_[a] = h;
    }
  }

  /// 0 where the structure puts all points in one place.
  double value(double numerator, double squared_norm) const {
    if (!normalized_) return numerator;
    return squared_norm > 0.0 ? numerator / std::sqrt(squared_norm) : 0.0;
  }

  bool place(std::size_t i) {
    const auto a = static_cast<std::size_t>(labels_[i]);
    if (norm_.size(a) <= 1.0) return false;
    read(i);
    const double now = objective();
    double best = now, best_numerator = numerator_;
    std::size_t to = a;
    for (std::size_t b = 0; b < k_; ++b) {
      if (b == a) continue;
      const double numerator = numerator_ + 2.0 * (h_[b] - h_[a]) +
                               sums_.diagonal(i) * (Y_[a * k_ + a] + Y_[b * k_ + b] - 2.0 * Y_[a * k_ + b]);
      const double squared_norm = normalized_ ? norm_.after(a, b) : 1.0;
      const double found = value(numerator, squared_norm);
      // The scale of both numbers: sums of their terms without signs.
      const double scale =
          normalized_ ? (squared_norm > 0.0 ? scale_ / std::sqrt(squared_norm) : 0.0) : scale_;
      if (found > best + kTie * std::max(scale, std::abs(best))) {
        best = found;
        best_numerator = numerator;
        to = b;
      }
    }
    if (to == a) return false;
    sums_.move(i, static_cast<std::int64_t>(a), static_cast<std::int64_t>(to));
    norm_.move(a, to);
    labels_[i] = static_cast<std::int64_t>(to);
    numerator_ = best_numerator;
    return true;
  }

  std::size_t n_, k_;
  bool normalized_;
  std::vector<double> Y_;
  std::vector<std::int64_t> labels_;
  ClusterSums sums_;
  SquaredNorm norm_;
  double numerator_ = 0.0, scale_ = 0.0;
  std::vector<double> g_, h_;
};

}  // namespace

Sweeps greedy_sweeps(const CenteredGram& gram, std::span<const double> structure,
                     std::span<const std::int64_t> labels, std::span<const std::int64_t> order,
                     const SweepSettings& settings) {
  const auto k = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(structure.size()))));
  check(gram, structure, labels, order, k);
  Sweeper sweeper(gram, structure, labels, k, settings.normalized);
  Sweeps found;
  found.objective.push_back(sweeper.objective());
  bool fresh = true;  // no point has moved since sums were taken
  while (found.moves.size() < settings.max_sweeps) {
    const std::int64_t moves = sweeper.sweep(order);
    found.moves.push_back(moves);
    found.objective.push_back(sweeper.objective());
    if (moves == 0 && fresh) {
      found.converged = true;
      break;
    }
    fresh = moves == 0;
    if (fresh) sweeper.take_anew();
  }
  found.labels = sweeper.labels();
  return found;
}

}  // namespace cladebench
