// Exact measures of trees over samples.
#pragma once

#include <cstdint>
#include <span>

#include "trees/tree.hpp"

namespace cladebench {

/// Dendrogram purity: the mean, over unordered pairs of distinct samples of one class, of the share of that
/// class among the samples below the pair's lowest common ancestor.
///
/// Each path of heavy children is climbed once with the class counts of what lies below, to which the samples
/// of the light children are added: O(n_samples log n_samples) time, O(n_samples + n_classes) memory.
/// @param labels class of each sample, 0..n_classes-1.
/// @throws std::invalid_argument if a label is out of range or no two samples share a class.
double dendrogram_purity(const Tree& tree, std::span<const std::int32_t> labels, std::int32_t n_classes);

/// Dasgupta's cost over unordered pairs of distinct samples, sum of S(i, j) |samples below lca(i, j)|, where
/// S(i, j) is the mean of the entries (i, j) and (j, i) of a row-major n x n matrix. The diagonal is not
/// read.
///
/// O(n^2) time, each entry read once in rows; O(n) memory a thread. Chunks of rows are fixed and their sums
/// are added in order: the result does not depend on the number of threads.
double dasgupta_cost_dense(const Tree& tree, std::span<const double> similarity);

/// The same of a sparse matrix in CSR form (what is not stored is 0); O(n_stored log n) time.
/// @throws std::invalid_argument if a row or a column index is out of range.
double dasgupta_cost_sparse(const Tree& tree, std::span<const std::int64_t> row_ptr,
                            std::span<const std::int32_t> column, std::span<const double> value);

/// The same for S(i, j) = x_i . x_j, without the matrix: O(n d) time, O(n_nodes + d log n) memory.
/// @param X row-major n x d.
double dasgupta_cost_linear(const Tree& tree, std::span<const double> X, Index d);

}  // namespace cladebench
