#include "forest/forest_ways.hpp"

#include <algorithm>
#include <numeric>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"

namespace cladebench {

namespace {

constexpr std::size_t kNodes = 2048;  ///< of a task

}  // namespace

ForestWays::ForestWays(const PlacedForest& forest) : forest_(forest), n_(forest.n()), first_split_{0} {
  for (std::size_t t = 0; t < forest.n_trees(); ++t)
    first_split_.push_back(first_split_.back() + forest.view(t).n_splits);
}

ForestWays::ForestWays(const PlacedForest& forest, const Rows& points) : ForestWays(forest) {
  n_ = points.n;
  placed_ = forest.place(points);
}

template <class Visit>
void ForestWays::at_leaves(std::size_t t, const Visit& visit) const {
  const std::span<const std::int32_t> right = forest_.view(t).right;
  const std::vector<PlacedTree::Node>& nodes = tree(t).nodes;
  const std::size_t n_blocks = (right.size() + kNodes - 1) / kNodes;
  parallel_for(n_blocks, n_blocks > 1, [&](std::size_t block) {
    keep_on(kNodes);
    for (std::size_t v = block * kNodes; v < std::min(right.size(), (block + 1) * kNodes); ++v) {
      if (right[v] == 0 && nodes[v].begin != nodes[v].end) visit(v, nodes[v]);
    }
  });
}

void ForestWays::leaves(std::int32_t* numbers) const {
  const std::size_t n_trees = forest_.n_trees();
  for (std::size_t t = 0; t < n_trees; ++t) {
    const std::vector<std::uint32_t>& row_at = tree(t).row_at;
    at_leaves(t, [&](std::size_t v, const PlacedTree::Node& leaf) {
      keep_on(leaf.end - leaf.begin);
      const auto number = static_cast<std::int32_t>(first_split_[t] + t + v - leaf.split);
      for (std::size_t p = leaf.begin; p < leaf.end; ++p) numbers[row_at[p] * n_trees + t] = number;
    });
  }
}

std::vector<std::int64_t> ForestWays::ends() const {
  std::vector<std::int64_t> ends(n_ + 1, 0);
  for (std::size_t t = 0; t < forest_.n_trees(); ++t) {
    const std::vector<std::uint32_t>& row_at = tree(t).row_at;
    at_leaves(t, [&](std::size_t, const PlacedTree::Node& leaf) {
      keep_on(leaf.end - leaf.begin);
      for (std::size_t p = leaf.begin; p < leaf.end; ++p) ends[row_at[p] + 1] += 2 * leaf.level;
    });
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return ends;
}

template <class Index>
void ForestWays::fill(std::span<const std::int64_t> ends, Index* columns, float* values) const {
  struct Step {
    Index column;
    std::size_t base;
  };
  std::vector<std::int64_t> next(ends.begin(), ends.end() - 1);
  for (std::size_t t = 0; t < forest_.n_trees(); ++t) {
    const PlacedTree& placed = tree(t);
    const float* certainties = placed.certainties.data();
    at_leaves(t, [&](std::size_t, const PlacedTree::Node& leaf) {
      std::vector<Step> way(leaf.level);
      keep_on(way.size() * (1 + leaf.end - leaf.begin));
      const PlacedTree::Node* child = &leaf;
      for (std::size_t level = leaf.level; level-- > 0;) {
        const PlacedTree::Node* node = &placed.nodes[static_cast<std::size_t>(child->parent)];
        const bool right = child != node + 1;
        const std::size_t split = first_split_[t] + node->split;
        way[level] = {static_cast<Index>(kColumnsPerSplit * split + (right ? 2 : 0)), node->base};
        child = node;
      }
      for (std::size_t p = leaf.begin; p < leaf.end; ++p) {
        std::int64_t& begin = next[placed.row_at[p]];
        Index* column = columns + begin;
        float* value = values + begin;
        for (std::size_t level = 0; level < way.size(); ++level) {
          column[2 * level] = way[level].column;
          column[2 * level + 1] = way[level].column + 1;
          value[2 * level] = 1.0f;
          value[2 * level + 1] = certainties[way[level].base + p];
        }
        begin += 2 * static_cast<std::int64_t>(way.size());
      }
    });
  }
}

template void ForestWays::fill(std::span<const std::int64_t>, std::int32_t*, float*) const;
template void ForestWays::fill(std::span<const std::int64_t>, std::int64_t*, float*) const;

}  // namespace cladebench
