// Values of pairs of points, p < q: the upper triangle of a symmetric matrix, row by row.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cladebench {

/// Place of a pair of different points.
inline std::size_t place_of_pair(std::size_t p, std::size_t q, std::size_t n) {
  if (p > q) std::swap(p, q);
  return p * (2 * n - p - 1) / 2 + (q - p - 1);
}

/// Of a full matrix of n rows, the values of all pairs.
inline std::vector<double> values_of_pairs(std::span<const double> full, std::size_t n) {
  std::vector<double> values;
  values.reserve(n * (n - 1) / 2);
  for (std::size_t p = 0; p < n; ++p) {
    values.insert(values.end(), full.begin() + p * n + p + 1, full.begin() + (p + 1) * n);
  }
  return values;
}

/// The full matrix, with ones on the diagonal.
inline std::vector<double> matrix_of_pairs(const std::vector<double>& pairs, std::size_t n) {
  std::vector<double> full(n * n, 1.0);
  std::size_t at = 0;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = p + 1; q < n; ++q, ++at) full[p * n + q] = full[q * n + p] = pairs[at];
  }
  return full;
}

}  // namespace cladebench
