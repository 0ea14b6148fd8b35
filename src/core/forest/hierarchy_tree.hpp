// One cluster hierarchy: grown from the training rows, and where these stand in it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "splits/node_problem.hpp"

namespace cladebench {

/// Training rows, row-major.
struct Rows {
  const double* X;
  std::size_t n, d;
  const double* row(std::size_t i) const { return X + i * d; }
};

/// Nodes in preorder, the left child first: that of node v is v + 1. Splits are the nodes that are no leaves,
/// in the same order.
struct HierarchyTree {
  std::vector<std::int32_t> right;      ///< right child of a node; 0 says that it is a leaf
  std::vector<std::int32_t> size;       ///< training rows in a node
  std::vector<std::uint32_t> features;  ///< of each split, ascending
  std::vector<double> weights;          ///< of each split: those of its features, and the constant's
};

/// The same, stored elsewhere.
struct TreeView {
  std::span<const std::int32_t> right, size;
  const std::uint32_t* features;
  const double* weights;
  std::size_t n_splits, d;  ///< d features to a split
};

/// Weights of a node's features and of the constant behind them; a row goes left if its score is <= 0.
using Splitter = std::function<std::vector<double>(const NodeProblem&)>;

struct GrowthSettings {
  std::size_t min_node_size;      ///< a node of more rows is split
  std::size_t n_split_features;   ///< drawn at each node
  std::size_t min_leaf_size = 1;  ///< a split that leaves fewer rows on a side is not made
};

/// Features that are drawn at a node before it is left as a leaf, its rows having equal scores each time.
inline constexpr int kMaxDraws = 10;

/// w.[x 1], the sums of every fourth feature first: the same bits wherever it is called.
double score(const double* row, const std::uint32_t* features, const double* weights, std::size_t d);

/// sigma(-alpha score), half of eq. (3), rounded to float: all distances are made of the rounded ones.
float certainty(double alpha, double score);

/// Depends on nothing but its arguments.
HierarchyTree grow_tree(const Rows& rows, std::span<const Pair> must_link, std::span<const Pair> cannot_link,
                        const GrowthSettings& settings, const Splitter& splitter, std::uint64_t seed);

/// std::invalid_argument unless the nodes make a preorder of n rows and features and weights can be read.
void check_tree(const TreeView& tree, std::size_t n, std::size_t n_features);

/// Two points part at the first level at which their turns differ. A key has the turns at the levels 0 to 31,
/// right ones set, from the highest bit down, and below them the place (of a point that is no training row:
/// the first place of its leaf).
inline constexpr std::uint32_t kKeyLevels = 32;

/// The level, or kKeyLevels if it is none of those.
inline std::uint32_t parting_level(std::uint64_t key, std::uint64_t other) {
  const std::uint64_t turns = ~std::uint64_t{0} << kKeyLevels, end = std::uint64_t{1} << (kKeyLevels - 1);
  return static_cast<std::uint32_t>(std::countl_zero(((key ^ other) & turns) | end));
}

/// The training rows in a tree. They are numbered anew, leaf by leaf, so that each node is an interval of
/// places; the certainties of a split's rows stand together, by place.
///
/// Memory for each row: a float at each split on its way, its key (8 bytes), leaf and row (4 each). 50,000
/// rows, 500 trees of leaves of 30 or fewer, 16 levels: 25e6 x (64 + 16) bytes = 2.0 GB; and for each node 40
/// bytes: 500 x 6,000 x 40 bytes = 0.1 GB.
struct PlacedTree {
  struct Node {
    std::uint32_t begin, end;  ///< places
    std::int32_t parent;       ///< -1: none
    std::uint32_t level;       ///< of the root: 0
    std::size_t base;          ///< certainties[base + place]; of a split alone, and modulo 2^64
    std::uint32_t split;       ///< its number; of a leaf how many splits come before it
    float scale;               ///< |node| / N
  };
  std::vector<Node> nodes;
  std::vector<float> certainties;
  std::vector<std::uint32_t> row_at, leaf_of;  ///< by place, by row
  std::vector<std::uint64_t> keys;             ///< by row: see above
  std::uint32_t place_of(std::size_t row) const { return static_cast<std::uint32_t>(keys[row]); }
};

/// What is placed in a tree: the rows it was grown from, or others. Nodes may hold none of those.
enum class Placed { kTrainingRows, kPoints };

/// std::invalid_argument if a node does not get the training rows that its size says, or a score is not
/// finite.
PlacedTree place_rows(const TreeView& tree, const Rows& rows, double alpha,
                      Placed what = Placed::kTrainingRows);

}  // namespace cladebench
