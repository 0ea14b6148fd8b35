// Least-squares regression trees of several outputs, by exact search over all features and thresholds.
//
// Rows are sorted by each feature once; a tree carries these orders down by stable partitions. A level costs
// O(n d m) additions for n rows, d features, m outputs: each feature's order is walked through with the
// outputs' running sums in registers, 16 outputs at a time so that their column block stays in the second
// cache.
//
// Trees are complete binary trees of a given depth in an array: the children of node k are 2k + 1 and 2k + 2.
// A node that is not split sends all rows left (threshold +infinity).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "margin/margin.hpp"  // MatrixView

namespace cladebench {

struct RegressionTree {
  std::vector<std::int32_t> feature;  ///< 2^depth - 1
  std::vector<double> threshold;      ///< left if x <= threshold
  std::vector<double> values;         ///< 2^depth x m: the mean of each leaf's outputs, zero of an empty one
  std::vector<std::int32_t> leaf;     ///< of each row that it was fitted to
};

class TreeBuilder {
 public:
  /// Copies X, feature by feature, and sorts. @throws std::invalid_argument if X is empty or has 2^32 rows
  explicit TreeBuilder(const MatrixView& X);

  /// The tree to outputs (n x m). Each split maximises |S_L|^2 / n_L + |S_R|^2 / n_R over the sums S of
  /// outputs; of equally good ones the lowest feature's lowest threshold is taken. Thresholds lie midway
  /// between values. A node is not split where no split gains more than rounding.
  RegressionTree fit(const double* outputs, std::size_t m, int depth) const;

  std::size_t n() const { return n_; }

 private:
  class Growth;

  std::size_t n_, d_, stride_;
  std::vector<double> columns_;        ///< d x n
  std::vector<std::uint32_t> sorted_;  ///< d x stride: rows by value, then by index; zeros beyond the last
};

/// Z (n x m) += the leaves' values of trees, one after another. Arrays as in RegressionTree, of all trees in
/// a row.
void add_trees(const MatrixView& X, const std::int32_t* feature, const double* threshold,
               const double* values, std::size_t n_trees, int depth, std::size_t m, double* Z);

}  // namespace cladebench
