// Which rows are together, as they join.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace cladebench {

/// Roots of a forest of rows: the lowest row of each tree.
class Roots {
 public:
  explicit Roots(std::size_t n) : up_(n) { std::iota(up_.begin(), up_.end(), std::int64_t{0}); }

  std::size_t size() const { return up_.size(); }

  std::int64_t of(std::int64_t row) const {
    while (up_[at(row)] != row) row = up_[at(row)];
    return row;
  }

  /// The same; later looks are shorter.
  std::int64_t find(std::int64_t row) {
    while (up_[at(row)] != row) row = up_[at(row)] = up_[at(up_[at(row)])];
    return row;
  }

  /// The roots of all rows. O(n): what is above a row is a lower one.
  void copy_to(std::span<std::int64_t> roots) const {
    for (std::size_t row = 0; row < up_.size(); ++row) {
      const std::size_t up = at(up_[row]);
      roots[row] = up == row ? up_[row] : roots[up];
    }
  }

  /// Both roots, the lower first, that are one from then on.
  std::pair<std::int64_t, std::int64_t> join(std::int64_t a, std::int64_t b) {
    const std::pair<std::int64_t, std::int64_t> roots = std::minmax({find(a), find(b)});
    up_[at(roots.second)] = roots.first;
    return roots;
  }

 private:
  static std::size_t at(std::int64_t row) { return static_cast<std::size_t>(row); }

  std::vector<std::int64_t> up_;
};

}  // namespace cladebench
