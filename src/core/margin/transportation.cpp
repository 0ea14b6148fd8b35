#include "margin/transportation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

using Count = std::int64_t;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One row of so many is in the sample.
constexpr std::size_t kSampleBlock = 8;
/// A sample has at least so many rows for each cluster; with fewer, the rows start from prices of zero.
constexpr std::size_t kSampleRows = 8;

/// Prices to start from, and by how much the difference of two of them is likely to change at most.
struct Start {
  std::vector<double> prices;
  double reach = kInfinity;
};

/// Successive shortest paths. Nodes are the clusters 0..K-1 and the sink K; a row in cluster j is a unit of
/// flow that reaches j, and flow_[j] units go on to the sink. Prices and flow satisfy complementary slackness
/// all the time. Each path makes one more node balanced, until as much flow leaves every node as reaches it.
class Flow {
 public:
  Flow(const Transportation& problem, const Start& start)
      : problem_(problem),
        K_(problem.n_clusters),
        labels_(problem.n_rows),
        price_(start.prices),
        heaps_(K_ * K_),
        bounds_(K_ * K_),
        length_(K_ * K_, kInfinity),
        flow_(K_),
        excess_(K_ + 1, 0),
        distance_(K_ + 1),
        previous_(K_ + 1),
        done_(K_ + 1) {
    price_.resize(K_ + 1, 0.0);
    assign_rows(start.reach);
    for (std::size_t j = 0; j < K_; ++j) refresh(j);
    while (std::any_of(excess_.begin(), excess_.end(), [](Count e) { return e > 0; })) augment();
  }

  Assignment take() && {
    std::vector<double> prices = final_prices();
    return {std::move(labels_), std::move(prices)};
  }

 private:
  struct Entry {
    double difference;
    std::size_t row;
    /// The top of a heap is the cheapest move, of the lowest row among equals.
    bool operator<(const Entry& other) const {
      return difference != other.difference ? difference > other.difference : row > other.row;
    }
  };
  using Heap = std::vector<Entry>;

  Heap& heap(std::size_t j, std::size_t k) { return heaps_[j * K_ + k]; }
  double& bound(std::size_t j, std::size_t k) { return bounds_[j * K_ + k]; }
  bool is_in(std::size_t row, std::size_t j) const { return labels_[row] == static_cast<Count>(j); }

  /// Every row goes where it is cheapest at the prices; the flow to the sink follows their signs.
  void assign_rows(double reach) {
    for (std::size_t j = 0; j < K_; ++j) {
      for (std::size_t k = 0; k < K_; ++k) {
        bound(j, k) = j == k ? -kInfinity : (price_[k] - price_[j]) + reach;
      }
    }
    std::vector<Count> lowest(K_), highest(K_), count(K_, 0);
    for (std::size_t k = 0; k < K_; ++k) {
      lowest[k] = price_[k] < 0.0 ? problem_.upper[k] : problem_.lower[k];
      highest[k] = price_[k] > 0.0 ? problem_.lower[k] : problem_.upper[k];
    }
    // Of several cheapest clusters, the first that needs rows, else the first that has room, else the first.
    const auto roomiest = [&](const double* cost, double least) {
      std::size_t chosen = K_;
      int chosen_rank = 3;
      for (std::size_t k = 0; k < K_; ++k) {
        const int rank = count[k] < lowest[k] ? 0 : count[k] < highest[k] ? 1 : 2;
        if (cost[k] - price_[k] == least && rank < chosen_rank) chosen = k, chosen_rank = rank;
      }
      return chosen;
    };
    for (std::size_t i = 0; i < problem_.n_rows; ++i) {
      if (i % 64 == 0) keep_on(64 * K_);
      const double* cost = problem_.row(i);
      double least = kInfinity;
      for (std::size_t k = 0; k < K_; ++k) least = std::min(least, cost[k] - price_[k]);
      std::size_t label = 0, n_cheapest = 0;
      for (std::size_t k = 0; k < K_; ++k) {  // branches on random numbers would cost more than all the rest
        const bool is_cheapest = cost[k] - price_[k] == least;
        label = is_cheapest ? k : label;
        n_cheapest += is_cheapest;
      }
      if (n_cheapest > 1) label = roomiest(cost, least);
      labels_[i] = static_cast<Count>(label);
      ++count[label];
      add_moves(i, label);
    }
    for (Heap& moves : heaps_) {
      keep_on(moves.size());
      std::make_heap(moves.begin(), moves.end());
    }
    for (std::size_t k = 0; k < K_; ++k) {
      flow_[k] = std::clamp(count[k], lowest[k], highest[k]);
      excess_[k] = count[k] - flow_[k];
      excess_[K_] += flow_[k];
    }
    excess_[K_] -= static_cast<Count>(problem_.n_rows);
  }

  /// Appends a row's moves to the heaps, which are none until make_heap is called.
  void add_moves(std::size_t row, std::size_t j) {
    const double* cost = problem_.row(row);
    const double* bounds = bounds_.data() + j * K_;
    bool any = false;
    for (std::size_t k = 0; k < K_; ++k) any |= cost[k] - cost[j] <= bounds[k];
    if (!any) return;
    for (std::size_t k = 0; k < K_; ++k) {
      if (cost[k] - cost[j] <= bounds[k]) heap(j, k).push_back({cost[k] - cost[j], row});
    }
  }

  /// Takes all rows of a cluster into its heaps.
  void load(std::size_t j) {
    for (std::size_t k = 0; k < K_; ++k) {
      if (k == j) continue;
      heap(j, k).clear();
      bound(j, k) = kInfinity;
    }
    keep_on(problem_.n_rows);
    for (std::size_t i = 0; i < problem_.n_rows; ++i) {
      if (is_in(i, j)) add_moves(i, j);
    }
    for (std::size_t k = 0; k < K_; ++k) {
      keep_on(heap(j, k).size());
      std::make_heap(heap(j, k).begin(), heap(j, k).end());
    }
    refresh(j);
  }

  /// Reads the lengths of the arcs out of a cluster off its heaps: the cheapest move, or a bound below it.
  void refresh(std::size_t j) {
    for (std::size_t k = 0; k < K_; ++k) {
      if (k == j) continue;
      Heap& moves = heap(j, k);
      while (!moves.empty() && !is_in(moves.front().row, j)) {
        std::pop_heap(moves.begin(), moves.end());
        moves.pop_back();
      }
      length_[j * K_ + k] = std::min(moves.empty() ? kInfinity : moves.front().difference, bound(j, k));
    }
  }

  /// Moves flow along a shortest path from a node with too much to a node with too little.
  void augment() {
    std::size_t target = find_path();
    for (std::size_t unknown = unknown_tail(target); unknown < K_; unknown = unknown_tail(target)) {
      load(unknown);
      target = find_path();
    }
    for (std::size_t u = 0; u <= K_; ++u) price_[u] += std::min(distance_[u], distance_[target]);

    Count amount = -excess_[target];
    std::size_t source = target;
    for (; previous_[source] != source; source = previous_[source]) {
      const std::size_t from = previous_[source];
      if (source == K_) {
        amount = std::min(amount, problem_.upper[from] - flow_[from]);
      } else if (from == K_) {
        amount = std::min(amount, flow_[source] - problem_.lower[source]);
      } else {
        amount = 1;
      }
    }
    amount = std::min(amount, excess_[source]);
    excess_[source] -= amount;
    excess_[target] += amount;

    // The rows are fetched before any of them is moved, as they were when the path was found.
    moved_.clear();
    for (std::size_t to = target; to != source; to = previous_[to]) {
      const std::size_t from = previous_[to];
      if (to == K_) {
        flow_[from] += amount;
      } else if (from == K_) {
        flow_[to] -= amount;
      } else {
        moved_.emplace_back(heap(from, to).front().row, to);
      }
    }
    for (const auto& [row, to] : moved_) {
      labels_[row] = static_cast<Count>(to);
      for (std::size_t k = 0; k < K_; ++k) {
        if (k == to) continue;
        heap(to, k).push_back({problem_.row(row)[k] - problem_.row(row)[to], row});
        std::push_heap(heap(to, k).begin(), heap(to, k).end());
      }
    }
    for (std::size_t u = target; u != source; u = previous_[u]) {
      if (u < K_) refresh(u);
    }
    if (source < K_) refresh(source);
  }

  /// Dijkstra's algorithm from all nodes with too much, to the nearest one with too little, which it returns.
  /// Reduced lengths are at least 0 but for rounding, which is cut off.
  std::size_t find_path() {
    for (std::size_t u = 0; u <= K_; ++u) {
      distance_[u] = excess_[u] > 0 ? 0.0 : kInfinity;
      previous_[u] = u;
      done_[u] = false;
    }
    // A node that is done is nearer than any that is reached later, so it needs no test of its own.
    const auto reach = [&](std::size_t from, std::size_t to, double length) {
      const double distance = distance_[from] + std::max(0.0, length + (price_[from] - price_[to]));
      if (distance < distance_[to]) distance_[to] = distance, previous_[to] = from;
    };
    for (;;) {
      std::size_t u = K_ + 1;
      for (std::size_t v = 0; v <= K_; ++v) {
        if (!done_[v] && (u > K_ || distance_[v] < distance_[u])) u = v;
      }
      if (u > K_ || distance_[u] == kInfinity) {
        throw std::logic_error("balanced_assignment: no path, although the bounds can be met");
      }
      if (excess_[u] < 0) return u;
      done_[u] = true;
      keep_on(K_);
      if (u == K_) {
        for (std::size_t k = 0; k < K_; ++k) {
          if (flow_[k] > problem_.lower[k]) reach(u, k, 0.0);
        }
        continue;
      }
      if (flow_[u] < problem_.upper[u]) reach(u, K_, 0.0);
      // The same for all clusters, without branches.
      const double *length = length_.data() + u * K_, *price = price_.data();
      double* distance = distance_.data();
      std::size_t* previous = previous_.data();
      const double so_far = distance[u], here = price[u];
      for (std::size_t k = 0; k < K_; ++k) {
        const double through = so_far + std::max(0.0, length[k] + (here - price[k]));
        previous[k] = through < distance[k] ? u : previous[k];
        distance[k] = std::min(through, distance[k]);
      }
    }
  }

  /// A cluster on the path whose cheapest move along the path is only bounded; the sink if there is none.
  std::size_t unknown_tail(std::size_t target) {
    for (std::size_t to = target; previous_[to] != to; to = previous_[to]) {
      const std::size_t from = previous_[to];
      if (from == K_ || to == K_) continue;
      const Heap& moves = heap(from, to);
      if (moves.empty() || moves.front().difference > bound(from, to)) return from;
    }
    return K_;
  }

  /// Prices from the residual network alone (Bellman and Ford), zero at the sink: those of the search carry
  /// the rounding of all its steps.
  std::vector<double> final_prices() const {
    std::vector<double> price(K_ + 1, 0.0);
    bool changed = true;
    const auto lower_to = [&](std::size_t v, double value) {
      if (value < price[v]) price[v] = value, changed = true;
    };
    for (std::size_t round = 0; changed && round <= K_; ++round) {
      changed = false;
      for (std::size_t j = 0; j < K_; ++j) {
        keep_on(K_);
        for (std::size_t k = 0; k < K_; ++k) lower_to(k, price[j] + length_[j * K_ + k]);
        if (flow_[j] < problem_.upper[j]) lower_to(K_, price[j]);
        if (flow_[j] > problem_.lower[j]) lower_to(j, price[K_]);
      }
    }
    for (double& p : price) p -= price[K_];
    price.pop_back();
    return price;
  }

  const Transportation& problem_;
  std::size_t K_;
  std::vector<Count> labels_;
  std::vector<double> price_;
  /// Moves from one cluster to another. A heap may hold rows that have left, and lacks rows of the cluster
  /// whose difference is above the bound: most are never looked at.
  std::vector<Heap> heaps_;
  std::vector<double> bounds_;  ///< of the heaps; minus infinity on the diagonal
  std::vector<double> length_;  ///< of the arcs; infinite on the diagonal
  std::vector<Count> flow_, excess_;
  std::vector<double> distance_;
  std::vector<std::size_t> previous_;  ///< on the path to a node; itself at a source
  std::vector<char> done_;
  std::vector<std::pair<std::size_t, std::size_t>> moved_;  ///< row and its new cluster
};

/// Prices of a sample, one row of every block at a place that looks random, so that no period in the rows is
/// met.
Start sample_start(const Transportation& problem) {
  const std::size_t n = problem.n_rows, K = problem.n_clusters, m = n / kSampleBlock;
  if (m < kSampleRows * K) return {std::vector<double>(K, 0.0)};
  std::vector<double> cost(m * K);
  for (std::size_t b = 0; b < m; ++b) {
    const std::uint64_t place = (b * 0x9E3779B97F4A7C15ull) >> 61;  // 0..7: the top bits of Fibonacci hashing
    std::copy_n(problem.row(b * kSampleBlock + place), K, cost.begin() + static_cast<Count>(b * K));
  }
  Transportation sample{cost.data(), m, K, problem.lower, problem.upper};
  for (std::size_t k = 0; k < K; ++k) {
    const Count rows = static_cast<Count>(n), sampled = static_cast<Count>(m);
    sample.lower[k] = problem.lower[k] * sampled / rows;
    sample.upper[k] = (problem.upper[k] * sampled + rows - 1) / rows;
  }
  Assignment found = solve_by_flow(sample);
  // About sqrt(2 n K) rows will lie between old prices and new ones. Twelve times as many lie within this
  // reach: still few, and a cluster whose heaps have to be loaded whole costs more.
  std::vector<double> gap(m, kInfinity);  // between the two cheapest clusters
  for (std::size_t i = 0; i < m; ++i) {
    const auto label = static_cast<std::size_t>(found.labels[i]);
    const double* row = sample.row(i);
    keep_on(K);
    for (std::size_t k = 0; k < K; ++k) {
      if (k == label) continue;
      gap[i] = std::min(gap[i], (row[k] - found.prices[k]) - (row[label] - found.prices[label]));
    }
  }
  const double share = 12.0 * std::sqrt(2.0 * static_cast<double>(K) / static_cast<double>(n));
  const auto rank = gap.begin() + static_cast<Count>(std::min(share, 0.99) * static_cast<double>(m));
  std::nth_element(gap.begin(), rank, gap.end());
  return {std::move(found.prices), std::max(0.0, *rank)};
}

}  // namespace

Assignment solve_by_flow(const Transportation& problem) {
  return Flow(problem, sample_start(problem)).take();
}

}  // namespace cladebench
