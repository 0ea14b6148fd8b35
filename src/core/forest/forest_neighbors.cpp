#include "forest/forest_neighbors.hpp"

#include <algorithm>
#include <vector>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "forest/forest_queries.hpp"

namespace cladebench {

namespace {

constexpr std::size_t kLanes8 = 8;  ///< queries that are compared with all rows at a time
/// Queries of a task that compares them with candidates: so many that few of them wait for a tree from
/// memory. On USPS 512 take 1.1 times as long, 64 take 1.6 times, and 2,048 as long.
constexpr std::size_t kMostQueries = 1024;
constexpr double kMostSteps = 4e6;  ///< that a task keeps: 100 MB

void compare_with_all(const Queries& queries, const NeighborSettings& settings, double* D,
                      std::int64_t* index) {
  const PlacedForest& forest = queries.forest;
  const std::size_t n = forest.n();
  std::vector<float> by_place(kLanes8 * n, 0.0f);  // of one tree, [query][place]
  std::vector<double> sums(n * kLanes8, 0.0);      // [row][query]
  std::vector<float> own;
  std::vector<Way::Step> steps;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    keep_on(kLanes8 * n);
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

}  // namespace

void find_neighbors(const PlacedForest& forest, const double* queries, std::size_t first, std::size_t m,
                    const NeighborSettings& settings, double* D, std::int64_t* index,
                    std::int64_t* n_compared) {
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
      compare_with_all(part, settings, distances, rows);
      const std::size_t all = forest.n() - (part.are_rows() ? 1 : 0);
      std::fill(n_compared + skip, n_compared + skip + part.m, static_cast<std::int64_t>(all));
    } else {
      compare_with_candidates(part, settings, distances, rows, n_compared + skip);
    }
  });
}

}  // namespace cladebench
