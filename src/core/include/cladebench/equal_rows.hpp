// Rows that are equal, number for number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cladebench/keep_on.hpp"

namespace cladebench {

/// Each row (of n x d numbers, none -0) that equals an earlier one, behind the first such; in their order by
/// value. O(n d log n)
inline std::vector<std::pair<std::int64_t, std::int64_t>> equal_rows(std::span<const double> X,
                                                                     std::size_t d) {
  const std::size_t n = X.size() / d;
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto row = [&](std::int64_t id) { return X.subspan(static_cast<std::size_t>(id) * d, d); };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    keep_on(16);
    const auto x = row(a), y = row(b);
    const auto [p, q] = std::mismatch(x.begin(), x.end(), y.begin());
    return p == x.end() ? a < b : *p < *q;
  });
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t k = 1, first = 0; k < n; ++k) {
    if (std::ranges::equal(row(order[first]), row(order[k]))) {
      pairs.emplace_back(order[first], order[k]);
    } else {
      first = k;
    }
  }
  return pairs;
}

}  // namespace cladebench
