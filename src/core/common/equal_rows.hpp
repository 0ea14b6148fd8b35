// Rows that are equal, number for number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"

namespace cladebench {

/// Each row (of n x d numbers, none -0) that equals an earlier one, behind the first such; in their order by
/// value. O(n d log n)
inline std::vector<std::pair<std::int64_t, std::int64_t>> equal_rows(std::span<const double> X,
                                                                     std::size_t d) {
  const std::size_t n = X.size() / d;
  const auto row = [&](std::int64_t id) { return X.subspan(static_cast<std::size_t>(id) * d, d); };
  // First numbers stand beside their rows: most comparisons need no more.
  std::vector<std::pair<double, std::int64_t>> order(n);
  for (std::size_t id = 0; id < n; ++id) order[id] = {X[id * d], static_cast<std::int64_t>(id)};
  std::size_t compared = 0;
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (++compared % 1024 == 0) keep_on(16 * 1024);
    if (a.first != b.first) return a.first < b.first;
    const auto x = row(a.second), y = row(b.second);
    const auto [p, q] = std::mismatch(x.begin(), x.end(), y.begin());
    return p == x.end() ? a.second < b.second : *p < *q;
  });
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t k = 1, first = 0; k < n; ++k) {
    const std::int64_t one = order[first].second, other = order[k].second;
    if (std::ranges::equal(row(one), row(other))) {
      pairs.emplace_back(one, other);
    } else {
      first = k;
    }
  }
  return pairs;
}

}  // namespace cladebench
