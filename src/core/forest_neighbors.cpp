#include "cladebench/forest_neighbors.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "cladebench/parallel.hpp"
#include "cladebench/random.hpp"

namespace cladebench {

namespace {

constexpr std::size_t kLanes8 = 8;  ///< queries that are compared with all rows at a time
/// Queries of a task that compares them with candidates: enough that a tree is read from the cache, and so
/// few that what is known of them stays there, too.
constexpr std::size_t kMostQueries = 512;
constexpr double kMostSteps = 4e6;  ///< that a task keeps: 100 MB

using Found = std::pair<double, std::uint32_t>;

/// The k least, rows being offered in ascending order of their indices.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) { heap_.reserve(k + 1); }

  void offer(double distance, std::uint32_t row) {
    if (heap_.size() == k_) {
      if (distance >= heap_.front().first) return;  // of equal ones the first stays
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = {distance, row};
    } else {
      heap_.emplace_back(distance, row);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }

  void write(double* D, std::int64_t* index) {
    std::sort(heap_.begin(), heap_.end());
    for (const Found& found : heap_) {
      *D++ = found.first;
      *index++ = found.second;
    }
    heap_.clear();
  }

 private:
  std::size_t k_;
  std::vector<Found> heap_;
};

/// The queries of a task.
struct Queries {
  const PlacedForest& forest;
  const double* points;  ///< null: training rows from `first` on
  std::size_t first;
  std::size_t m;

  bool are_rows() const { return points == nullptr; }
  std::uint32_t row(std::size_t q) const { return static_cast<std::uint32_t>(first + q); }
  const double* point(std::size_t q) const { return points + (first + q) * forest.d(); }

  /// See PlacedForest::way. `certainties` is for work.
  Way way(std::size_t t, std::size_t q, std::vector<Way::Step>& steps,
          std::vector<float>& certainties) const {
    const PlacedTree& tree = forest.tree(t);
    if (are_rows()) return forest.way(t, tree.leaf_of[row(q)], nullptr, tree.place_of(row(q)), steps);
    certainties.clear();
    const std::uint32_t leaf = forest.walk(t, point(q), certainties);
    return forest.way(t, leaf, certainties.data(), 0, steps);
  }
};

void compare_with_all(const Queries& queries, const NeighborSettings& settings, double* D,
                      std::int64_t* index, const KeepOn& keep_on) {
  const PlacedForest& forest = queries.forest;
  const std::size_t n = forest.n();
  std::vector<float> by_place(kLanes8 * n, 0.0f);  // of one tree, [query][place]
  std::vector<double> sums(n * kLanes8, 0.0);      // [row][query]
  std::vector<float> own;
  std::vector<Way::Step> steps;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    keep_on();
    const PlacedTree& tree = forest.tree(t);
    for (std::size_t q = 0; q < queries.m; ++q) {
      steps.clear();
      const Way way = queries.way(t, q, steps, own);
      float* line = by_place.data() + q * n;
      const auto fill = [&](const Way::Step& step, std::size_t begin, std::size_t end) {
        const float* certainties = tree.certainties.data();
        const std::size_t base = step.base;
        const float certainty = step.certainty, scale = step.scale;
        for (std::size_t p = begin; p < end; ++p)
          line[p] = tree_distance(certainty, certainties[base + p], scale);
      };
      // The other child at each split is an interval on one side of the way.
      for (std::size_t level = 0; level < way.steps.size(); ++level) {
        const Way::Step& step = way.steps[level];
        const bool last = level + 1 == way.steps.size();
        fill(step, step.begin, last ? way.leaf_begin : way.steps[level + 1].begin);
        fill(step, last ? way.leaf_end : way.steps[level + 1].end, step.end);
      }
      std::fill(line + way.leaf_begin, line + way.leaf_end, 0.0f);
    }
    const float* lines[kLanes8];
    for (std::size_t q = 0; q < kLanes8; ++q) lines[q] = by_place.data() + q * n;
    for (std::size_t p = 0; p < n; ++p) {
      double* sum = sums.data() + tree.row_at[p] * kLanes8;
      double added[kLanes8];
      for (std::size_t q = 0; q < kLanes8; ++q) added[q] = lines[q][p];
      for (std::size_t q = 0; q < kLanes8; ++q) sum[q] += added[q];
    }
  }
  const double n_trees = static_cast<double>(forest.n_trees());
  Nearest nearest(settings.k);
  for (std::size_t q = 0; q < queries.m; ++q) {
    for (std::size_t j = 0; j < n; ++j) {
      if (queries.are_rows() && j == queries.row(q)) continue;
      nearest.offer(sums[j * kLanes8 + q] / n_trees, static_cast<std::uint32_t>(j));
    }
    nearest.write(D + q * settings.k, index + q * settings.k);
  }
}

/// Candidates of one query, tree by tree, as bits of the rows.
class Candidates {
 public:
  Candidates(const PlacedForest& forest, const NeighborSettings& settings)
      : forest_(forest), settings_(settings) {}

  /// Adds `wanted` rows of a tree (or all): first those in the query's leaf, then of the other child of its
  /// parent, and so on. Of the first interval that holds more than are still wanted it takes a part. `self`
  /// is left out.
  void add(std::size_t t, const Way& way, std::size_t wanted, std::int64_t self, std::uint64_t* pool) {
    const PlacedTree& tree = forest_.tree(t);
    std::size_t begin = way.leaf_begin, end = way.leaf_end;
    const std::size_t own = self < 0 ? end : tree.place_of(static_cast<std::size_t>(self));
    wanted -= take(t, way, way.steps.size(), begin, end, own, wanted, pool);
    for (std::size_t level = way.steps.size(); wanted > 0 && level-- > 0;) {
      const Way::Step& step = way.steps[level];
      const bool other_is_left = step.begin < begin;
      const std::size_t from = other_is_left ? step.begin : end, to = other_is_left ? begin : step.end;
      wanted -= take(t, way, level, from, to, to, wanted, pool);
      begin = step.begin;
      end = step.end;
    }
  }

 private:
  /// Takes up to `wanted` of the places from ... to - 1, but for `own`; how many it took.
  std::size_t take(std::size_t t, const Way& way, std::size_t level, std::size_t from, std::size_t to,
                   std::size_t own, std::size_t wanted, std::uint64_t* pool) {
    const PlacedTree& tree = forest_.tree(t);
    const bool without_own = own >= from && own < to;
    const std::size_t held = to - from - (without_own ? 1 : 0);
    const auto set = [&](std::size_t place) {
      const std::uint32_t row = tree.row_at[place];
      pool[row / 64] |= std::uint64_t{1} << (row % 64);
    };
    if (held <= wanted) {
      for (std::size_t p = from; p < to; ++p) {
        if (p != own) set(p);
      }
      return held;
    }
    // The places, own left out, are from, ..., from + held - 1 and so on.
    const auto place = [&](std::size_t i) { return from + i + (without_own && from + i >= own ? 1 : 0); };
    if (level == way.steps.size() && settings_.nearest) {  // all at distance 0, in order of their rows
      for (std::size_t i = 0; i < wanted; ++i) set(place(i));
    } else if (settings_.nearest) {
      const Way::Step& step = way.steps[level];
      order_.clear();
      for (std::size_t p = from; p < to; ++p)
        order_.emplace_back(tree_distance(step.certainty, tree.certainties[step.base + p], step.scale),
                            tree.row_at[p]);
      std::nth_element(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(wanted), order_.end());
      for (std::size_t i = 0; i < wanted; ++i)
        pool[order_[i].second / 64] |= std::uint64_t{1} << (order_[i].second % 64);
    } else {
      // Where a query stands in the tree makes the choice: equal points have equal candidates. Each of all
      // sets of the size is equally probable (Floyd's algorithm).
      const std::uint64_t stand =
          way.steps.empty() ? 0 : std::bit_cast<std::uint32_t>(way.steps.back().certainty);
      Random random(seed_of(seed_of(seed_of(settings_.seed, t), way.leaf), stand));
      chosen_.clear();
      for (std::size_t last = held - wanted; last < held; ++last) {
        std::size_t drawn = random.below(last + 1);
        if (std::find(chosen_.begin(), chosen_.end(), drawn) != chosen_.end()) drawn = last;
        chosen_.push_back(drawn);
        set(place(drawn));
      }
    }
    return wanted;
  }

  const PlacedForest& forest_;
  const NeighborSettings& settings_;
  std::vector<std::pair<float, std::uint32_t>> order_;
  std::vector<std::size_t> chosen_;
};

/// Adds H_t of the query and each row of its pool.
void add_tree(const PlacedTree& tree, const Way& way, std::span<const std::uint32_t> pool, double* sums) {
  const std::uint64_t* keys = tree.keys.data();
  const float* certainties = tree.certainties.data();
  if (way.steps.empty()) return;
  if (way.steps.size() > kKeyLevels) {
    for (std::size_t i = 0; i < pool.size(); ++i) {
      const std::size_t level = way.parts_from(keys[pool[i]]);
      if (level == way.steps.size()) continue;
      const Way::Step& step = way.steps[level];
      sums[i] += tree_distance(step.certainty, certainties[step.base + tree.place_of(pool[i])], step.scale);
    }
    return;
  }
  // No branch for a shared leaf: it is a level of scale 0. Copied, for 16 bytes are found faster than 24.
  struct Level {
    float certainty = 0.0f, scale = 0.0f;
    std::size_t base = 0;
  } levels[kKeyLevels + 1];
  for (std::size_t l = 0; l < way.steps.size(); ++l)
    levels[l] = {way.steps[l].certainty, way.steps[l].scale, way.steps[l].base};
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const std::uint64_t key = keys[pool[i]];
    const Level& level = levels[parting_level(way.key, key)];
    sums[i] += tree_distance(level.certainty, certainties[level.base + static_cast<std::uint32_t>(key)],
                             level.scale);
  }
}

/// Ways of all queries of a task in all trees.
class Ways {
 public:
  Ways(const Queries& queries, const KeepOn& keep_on) : m_(queries.m) {
    const std::size_t n_trees = queries.forest.n_trees();
    std::vector<float> own;
    ways_.reserve(n_trees * m_);
    for (std::size_t t = 0; t < n_trees; ++t) {
      keep_on();
      for (std::size_t q = 0; q < m_; ++q) ways_.push_back(queries.way(t, q, steps_, own));
    }
    const Way::Step* begin = steps_.data();
    for (Way& way : ways_) {
      way.steps = {begin, way.steps.size()};
      begin += way.steps.size();
    }
  }
  const Way& operator()(std::size_t t, std::size_t q) const { return ways_[t * m_ + q]; }

 private:
  std::size_t m_;
  std::vector<Way::Step> steps_;
  std::vector<Way> ways_;
};

void compare_with_candidates(const Queries& queries, const NeighborSettings& settings, double* D,
                             std::int64_t* index, std::int64_t* n_compared, const KeepOn& keep_on) {
  const PlacedForest& forest = queries.forest;
  const std::size_t n = forest.n(), m = queries.m, n_trees = forest.n_trees();
  const std::size_t n_words = (n + 63) / 64;
  const Ways ways(queries, keep_on);
  const auto self = [&](std::size_t q) { return queries.are_rows() ? std::int64_t{queries.row(q)} : -1; };

  Candidates candidates(forest, settings);
  std::vector<std::uint64_t> bits(m * n_words, 0);
  for (std::size_t t = 0; t < n_trees; ++t) {
    keep_on();
    for (std::size_t q = 0; q < m; ++q) {
      candidates.add(t, ways(t, q), settings.candidates, self(q), bits.data() + q * n_words);
    }
  }
  std::vector<std::uint32_t> pool;
  std::vector<std::size_t> ends{0};
  for (std::size_t q = 0; q < m; ++q) {
    const std::span<std::uint64_t> own(bits.data() + q * n_words, n_words);
    const auto count = [&] {
      std::size_t sum = 0;
      for (const std::uint64_t word : own) sum += static_cast<std::size_t>(std::popcount(word));
      return sum;
    };
    for (std::size_t wanted = 2 * settings.candidates; count() < settings.k; wanted *= 2) {
      for (std::size_t t = 0; t < n_trees; ++t) {
        candidates.add(t, ways(t, q), std::min(wanted, n), self(q), own.data());
      }
    }
    for (std::size_t word = 0; word < n_words; ++word) {
      for (std::uint64_t rest = own[word]; rest != 0; rest &= rest - 1)
        pool.push_back(
            static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(rest))));
    }
    ends.push_back(pool.size());
    n_compared[q] = static_cast<std::int64_t>(ends[q + 1] - ends[q]);
  }

  std::vector<double> sums(pool.size(), 0.0);
  for (std::size_t t = 0; t < n_trees; ++t) {
    keep_on();
    for (std::size_t q = 0; q < m; ++q) {
      add_tree(forest.tree(t), ways(t, q), {pool.data() + ends[q], ends[q + 1] - ends[q]},
               sums.data() + ends[q]);
    }
  }
  Nearest nearest(settings.k);
  for (std::size_t q = 0; q < m; ++q) {
    for (std::size_t i = ends[q]; i < ends[q + 1]; ++i)
      nearest.offer(sums[i] / static_cast<double>(n_trees), pool[i]);
    nearest.write(D + q * settings.k, index + q * settings.k);
  }
}

}  // namespace

void find_neighbors(const PlacedForest& forest, const double* queries, std::size_t first, std::size_t m,
                    const NeighborSettings& settings, double* D, std::int64_t* index,
                    std::int64_t* n_compared, const KeepOn& keep_on) {
  // Not more than leaves some for all threads, nor than memory holds, trees being deep.
  const auto threads = static_cast<std::size_t>(max_threads());
  double n_steps = 0.0;
  for (std::size_t t = 0; t < forest.n_trees(); ++t)
    n_steps += static_cast<double>(forest.tree(t).certainties.size()) / static_cast<double>(forest.n());
  const std::size_t room = static_cast<std::size_t>(kMostSteps / (n_steps + 1.0));
  const std::size_t block = settings.candidates == 0
                                ? kLanes8
                                : std::clamp(std::min(m / (4 * threads), room), std::size_t{1}, kMostQueries);
  const std::size_t n_blocks = (m + block - 1) / block;
  parallel_for(n_blocks, n_blocks > 1, [&](std::size_t b) {
    const std::size_t skip = b * block;
    const Queries part{forest, queries, first + skip, std::min(block, m - skip)};
    double* distances = D + skip * settings.k;
    std::int64_t* rows = index + skip * settings.k;
    if (settings.candidates == 0) {
      compare_with_all(part, settings, distances, rows, keep_on);
      const std::size_t all = forest.n() - (part.are_rows() ? 1 : 0);
      std::fill(n_compared + skip, n_compared + skip + part.m, static_cast<std::int64_t>(all));
    } else {
      compare_with_candidates(part, settings, distances, rows, n_compared + skip, keep_on);
    }
  });
}

}  // namespace cladebench
