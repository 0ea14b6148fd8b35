// A forest that classifies pairs of rows by [|a - b|, (a + b) / 2], evaluated for all pairs of two sets.
//
// A pair that drops down a tree by itself waits for memory at every node. Here all pairs of a block of 256 x
// 1,024 rows (of few rows and more others) go down together. A node is read once for all of its pairs. No
// features of pairs are ever stored. The pairs of a row at a node are bits as long as they are many: a test
// of the row with all others is then a pass over one column, with vectors. It takes as long as a twelfth of
// the pairs one by one. Where they are fewer, they are in a list of all pairs at the node, which a pass
// without branches parts.
//
// Numbers are float and thresholds double, as in scikit-learn's trees: a pair reaches the same leaf there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace cladebench {

/// The nodes of all trees, one after another, the root of a tree first and children behind their parents.
struct PairForestView {
  std::span<const std::int64_t> first_node;   ///< of each tree, and one past the last node of all
  std::span<const std::int32_t> feature;      ///< 0..d-1 a difference, d..2d-1 a mean, -1 a leaf
  std::span<const double> threshold;          ///< a pair goes left if its feature is at most this
  std::span<const std::int32_t> left, right;  ///< places in the tree
  std::span<const double> value;              ///< what a leaf says
};

/// n rows of d numbers, one row after another.
struct PairRows {
  const float* data;
  std::size_t n;
};

/// result[i * B.n + j]: the mean over trees of the value of the leaf that the pair (A_i, B_j) reaches; values
/// are added in the order of trees. Time: at most A.n * B.n * (sum of the depths of leaves reached).
/// @throws std::invalid_argument if the nodes do not make trees over 2 d features.
void pair_forest_means(const PairForestView& forest, std::size_t d, const PairRows& A, const PairRows& B,
                       double* result);

/// The k rows nearest to each query by the same means, ascending, of equally near ones those of the lowest
/// indices: D and index have k numbers for each query. Sums of leaves only grow, where no leaf is negative:
/// pairs whose sum is too large already go down no further trees. Memory: 16 bytes for each row and each of
/// 256 queries, on each thread.
/// @throws std::invalid_argument if the nodes do not make trees over 2 d features, or there are fewer than k
/// rows.
void pair_forest_neighbors(const PairForestView& forest, std::size_t d, const PairRows& queries,
                           const PairRows& rows, std::size_t k, double* D, std::int64_t* index);

}  // namespace cladebench
