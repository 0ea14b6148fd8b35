#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"
#include "common/random.hpp"
#include "forest/forest_queries.hpp"

namespace cladebench {

namespace {

constexpr std::size_t kTreesToCheck = 8;  ///< between two looks at which candidates can be dropped

/// Candidates of one query, tree by tree, as bits of the rows.
class Candidates {
 public:
  Candidates(const PlacedForest& forest, const NeighborSettings& settings)
      : forest_(forest), settings_(settings) {}

  /// Adds `wanted` rows of a tree (or all): first those in the query's leaf, then of the other child of its
  /// parent, and so on. Of the first interval that holds more than are still wanted it takes a part. `self`
  /// is left out.
  void add(std::size_t t, const Way& way, std::size_t wanted, std::int64_t self, std::uint64_t* pool) {
    keep_on(wanted + way.steps.size());
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
      keep_on(held);
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
        if (chosen_.size() % 64 == 63) keep_on(8 * chosen_.size());
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
  explicit Ways(const Queries& queries) : m_(queries.m) {
    const std::size_t n_trees = queries.forest.n_trees();
    std::vector<float> own;
    ways_.reserve(n_trees * m_);
    std::size_t n_steps = 0;  // of the training rows; enough for most
    for (std::size_t t = 0; t < n_trees; ++t) n_steps += queries.forest.tree(t).certainties.size();
    steps_.reserve((n_steps / queries.forest.n() + 1) * (m_ + m_ / 8 + 1));
    for (std::size_t t = 0; t < n_trees; ++t) {
      for (std::size_t q = 0; q < m_; ++q) {
        ways_.push_back(queries.way(t, q, steps_, own));
        keep_on(ways_.back().steps.size());
      }
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

/// Candidates of a query, and their sums over the trees so far.
struct Pool {
  std::span<std::uint32_t> rows;
  std::span<double> sums;

  Pool part(std::size_t from) const { return {rows.subspan(from), sums.subspan(from)}; }
  Pool first(std::size_t count) const { return {rows.first(count), sums.first(count)}; }

  /// Puts the k least sums first. `found` is for work.
  void put_least_first(std::size_t k, std::vector<Found>& found) {
    found.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) found.emplace_back(sums[i], rows[i]);
    if (k < found.size())
      std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k), found.end());
    for (std::size_t i = 0; i < rows.size(); ++i) std::tie(sums[i], rows[i]) = found[i];
  }

  /// Drops those with a sum above the limit.
  void drop_above(double limit) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[kept] = rows[i];
      sums[kept] = sums[i];
      kept += sums[i] <= limit;
    }
    *this = first(kept);
  }
};

/// Completes the sums of all candidates but of those that cannot be among the k nearest, whose pools lose
/// them. Sums only grow: once one is above k complete ones it stays so. The k that are least after half of
/// the trees are completed first. (A limit on sums, not on distances: those may be equal where sums are not,
/// and then the rows decide.)
void sum_trees(const PlacedForest& forest, const Ways& ways, std::size_t k, std::vector<Pool>& pools) {
  const std::size_t n_trees = forest.n_trees(), half = n_trees / 2;
  const auto add = [&](std::size_t t, std::size_t q, const Pool& pool) {
    keep_on(pool.rows.size());
    add_tree(forest.tree(t), ways(t, q), pool.rows, pool.sums.data());
  };
  for (std::size_t t = 0; t < half; ++t) {
    for (std::size_t q = 0; q < pools.size(); ++q) add(t, q, pools[q]);
  }
  std::vector<Found> work;
  for (Pool& pool : pools) pool.put_least_first(k, work);
  const auto nearest_of = [&](const Pool& pool) { return pool.first(std::min(k, pool.rows.size())); };
  for (std::size_t t = half; t < n_trees; ++t) {
    for (std::size_t q = 0; q < pools.size(); ++q) add(t, q, nearest_of(pools[q]));
  }
  std::vector<double> limits;
  for (const Pool& pool : pools) {
    const auto sums = nearest_of(pool).sums;
    limits.push_back(*std::max_element(sums.begin(), sums.end()) * (1.0 + 1e-12));
  }
  for (std::size_t t = half; t < n_trees; ++t) {
    for (std::size_t q = 0; q < pools.size(); ++q) {
      if (pools[q].rows.size() <= k) continue;
      Pool rest = pools[q].part(k);
      if ((t - half) % kTreesToCheck == 0) {
        rest.drop_above(limits[q]);
        pools[q] = pools[q].first(k + rest.rows.size());
      }
      add(t, q, rest);
    }
  }
}

}  // namespace

void compare_with_candidates(const Queries& queries, const NeighborSettings& settings, double* D,
                             std::int64_t* index, std::int64_t* n_compared) {
  const PlacedForest& forest = queries.forest;
  const std::size_t n = forest.n(), m = queries.m, n_trees = forest.n_trees();
  const std::size_t n_words = (n + 63) / 64;
  const Ways ways(queries);
  const auto self = [&](std::size_t q) { return queries.are_rows() ? std::int64_t{queries.row(q)} : -1; };

  Candidates candidates(forest, settings);
  std::vector<std::uint64_t> bits(m * n_words, 0);
  for (std::size_t t = 0; t < n_trees; ++t) {
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
    for (std::size_t wanted = 2 * settings.candidates; settings.refill && count() < settings.k; wanted *= 2) {
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
  std::vector<Pool> pools;
  for (std::size_t q = 0; q < m; ++q)
    pools.push_back({std::span(pool).subspan(ends[q], ends[q + 1] - ends[q]),
                     std::span(sums).subspan(ends[q], ends[q + 1] - ends[q])});
  sum_trees(forest, ways, settings.k, pools);
  Nearest nearest(settings.k);
  for (std::size_t q = 0; q < m; ++q) {
    for (std::size_t i = 0; i < pools[q].rows.size(); ++i)
      nearest.offer(pools[q].sums[i] / static_cast<double>(n_trees), pools[q].rows[i]);
    std::fill_n(D + q * settings.k, settings.k, std::numeric_limits<double>::infinity());
    std::fill_n(index + q * settings.k, settings.k, std::int64_t{-1});
    nearest.write(D + q * settings.k, index + q * settings.k);
  }
}

}  // namespace cladebench
