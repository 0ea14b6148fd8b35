#include "forest/hierarchy_forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/random.hpp"

namespace cladebench {

std::vector<HierarchyTree> grow_forest(const Rows& rows, std::span<const Pair> must_link,
                                       std::span<const Pair> cannot_link, const GrowthSettings& settings,
                                       const Splitter& splitter, std::uint64_t seed, std::size_t first,
                                       std::size_t count) {
  std::vector<HierarchyTree> trees(count);
  parallel_for(count, count > 1, [&](std::size_t t) {
    trees[t] = grow_tree(rows, must_link, cannot_link, settings, splitter, seed_of(seed, first + t));
  });
  return trees;
}

PlacedForest::PlacedForest(std::vector<TreeView> trees, const Rows& rows, double alpha)
    : views_(std::move(trees)), trees_(views_.size()), rows_(rows), alpha_(alpha) {
  at_trees([&](std::size_t t) {
    check_tree(views_[t], rows_.n, rows_.d);
    trees_[t] = place_rows(views_[t], rows_, alpha_);
  });
}

template <class Work>
void PlacedForest::at_trees(const Work& work) const {
  parallel_for(views_.size(), views_.size() > 1, [&](std::size_t t) {
    try {
      work(t);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("tree " + std::to_string(t) + ": " + error.what());
    }
  });
}

std::vector<PlacedTree> PlacedForest::place(const Rows& points) const {
  std::vector<PlacedTree> placed(views_.size());
  at_trees([&](std::size_t t) { placed[t] = place_rows(views_[t], points, alpha_, Placed::kPoints); });
  return placed;
}

std::uint32_t PlacedForest::walk(std::size_t t, const double* point, std::vector<float>& certainties) const {
  const TreeView& tree = views_[t];
  const std::vector<PlacedTree::Node>& nodes = trees_[t].nodes;
  std::size_t v = 0;
  while (tree.right[v] != 0) {
    const std::size_t split = nodes[v].split;
    const double value =
        score(point, tree.features + split * tree.d, tree.weights + split * (tree.d + 1), tree.d);
    if (!std::isfinite(value))
      throw std::invalid_argument("the score of a point in tree " + std::to_string(t) +
                                  " is not finite; rescale X");
    certainties.push_back(certainty(alpha_, value));
    v = value <= 0.0 ? v + 1 : static_cast<std::size_t>(tree.right[v]);
  }
  keep_on(certainties.size());
  return static_cast<std::uint32_t>(v);
}

Way PlacedForest::way(std::size_t t, std::uint32_t leaf, const float* certainties, std::size_t place,
                      std::vector<Way::Step>& steps) const {
  const PlacedTree& tree = trees_[t];
  const PlacedTree::Node* child = &tree.nodes[leaf];
  Way way{child->begin, child->end, leaf, child->begin, {}};
  const std::size_t depth = child->level;
  keep_on(depth);
  steps.resize(steps.size() + depth);
  Way::Step* at = steps.data() + steps.size();
  for (std::uint32_t level = child->level; level-- > 0;) {
    const PlacedTree::Node* node = &tree.nodes[static_cast<std::size_t>(child->parent)];
    *--at = {0.0f, node->scale, node->begin, node->end, node->base};
    if (child->begin != node->begin && level < kKeyLevels) way.key |= std::uint64_t{1} << (63 - level);
    child = node;
  }
  // By itself: these loads wait for memory, but not for each other.
  for (std::size_t level = 0; level < depth; ++level)
    at[level].certainty = certainties ? certainties[level] : tree.certainties[at[level].base + place];
  way.steps = {at, depth};
  return way;
}

void PlacedForest::pairwise(const Rows& a, const Rows& b, double* D) const {
  // Each tree's ways of all points at a time, so that it stays in the cache.
  constexpr std::size_t kBlock = 64;
  struct Points {
    std::vector<std::uint32_t> leaf;
    std::vector<std::vector<float>> certainties;
  };
  const auto blocks = [](std::size_t m) { return (m + kBlock - 1) / kBlock; };
  const auto locate = [&](std::size_t t, const Rows& points, Points& located) {
    located.leaf.resize(points.n);
    located.certainties.resize(points.n);
    parallel_for(blocks(points.n), points.n > kBlock, [&](std::size_t block) {
      for (std::size_t i = block * kBlock; i < std::min(points.n, (block + 1) * kBlock); ++i) {
        located.certainties[i].clear();
        located.leaf[i] = walk(t, points.row(i), located.certainties[i]);
      }
    });
  };
  const double n_all = static_cast<double>(n_trees());
  const bool same = a.X == b.X && a.n == b.n;
  Points of_a, of_b;
  for (std::size_t t = 0; t < n_trees(); ++t) {
    locate(t, a, of_a);
    if (!same) locate(t, b, of_b);
    const Points& others = same ? of_a : of_b;
    std::vector<std::uint64_t> keys(b.n);
    parallel_for(blocks(b.n), b.n > kBlock, [&](std::size_t block) {
      std::vector<Way::Step> steps;
      for (std::size_t j = block * kBlock; j < std::min(b.n, (block + 1) * kBlock); ++j) {
        steps.clear();
        keys[j] = way(t, others.leaf[j], others.certainties[j].data(), 0, steps).key;
      }
    });
    parallel_for(blocks(a.n), a.n > kBlock, [&](std::size_t block) {
      std::vector<Way::Step> steps;
      for (std::size_t i = block * kBlock; i < std::min(a.n, (block + 1) * kBlock); ++i) {
        steps.clear();
        keep_on(b.n);
        double* const line = D + i * b.n;
        if (t == 0) std::fill(line, line + b.n, 0.0);
        const Way own = way(t, of_a.leaf[i], of_a.certainties[i].data(), 0, steps);
        for (std::size_t j = 0; j < b.n; ++j) {
          const std::size_t level = own.parts_from(keys[j]);
          if (level == own.steps.size()) continue;  // a shared leaf
          const Way::Step& step = own.steps[level];
          line[j] += tree_distance(step.certainty, others.certainties[j][level], step.scale);
        }
        if (t + 1 < n_trees()) continue;
        for (std::size_t j = 0; j < b.n; ++j) line[j] /= n_all;
      }
    });
  }
}

}  // namespace cladebench
