// What is known at a node of a hierarchy that is to be split in two by a hyperplane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cladebench {

/// Two rows of a node, by their places in NodeProblem::rows.
struct Pair {
  std::uint32_t first, second;
};

/// A point of the problem is the drawn features of one of the node's rows, and a constant 1 behind them.
struct NodeProblem {
  const double* X;                          ///< all training rows, row-major
  std::size_t n_features;                   ///< of X
  std::span<const std::uint32_t> rows;      ///< of X, that lie in the node
  std::span<const std::uint32_t> features;  ///< drawn for the node, ascending
  std::span<const Pair> must_link, cannot_link;
  std::uint64_t seed;  ///< for what is random in a split

  std::size_t n() const { return rows.size(); }
  std::size_t d() const { return features.size(); }  ///< without the constant
  const double* row(std::size_t place) const { return X + rows[place] * n_features; }
};

}  // namespace cladebench
