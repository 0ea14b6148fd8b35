// Links between clusters, found by both ends.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/keep_on.hpp"

namespace cladebench {

/// Two linked clusters, by their places.
struct Link {
  using Place = std::uint32_t;

  double value;         ///< distance by linked rows; its square for kComplete
  double pairs;         ///< how many pairs of rows have a part in it
  Place first, second;  ///< the lower first; both the same once it is gone

  bool is_gone() const { return first == second; }
  void end() { second = first; }
  Place other(Place one) const { return first ^ second ^ one; }
};

/// Open addressing in one array. Links that are gone or have other ends by now stay in it until it is full:
/// they are passed by, for the ends are compared.
class LinkTable {
 public:
  using Place = Link::Place;
  using Index = std::uint32_t;
  static constexpr Index kNone = std::numeric_limits<Index>::max();

  /// Of links that are no more in number later.
  explicit LinkTable(const std::vector<Link>& links)
      : links_(links),
        slots_(std::bit_ceil(2 * links.size() + 16)),
        shift_(64 - std::countr_zero(slots_.size())) {
    fill();
  }

  /// Where the link between both is; kNone is there if there is none.
  Index& slot(Place a, Place b) {
    const Place lower = std::min(a, b), upper = std::max(a, b);
    const std::uint64_t key = std::uint64_t{lower} << 32 | upper;
    std::size_t k = (key ^ key >> 32) * 0x9E3779B97F4A7C15u >> shift_;
    while (slots_[k] != kNone) {
      const Link& link = links_[slots_[k]];
      if (link.first == lower && link.second == upper) break;
      k = (k + 1) & (slots_.size() - 1);
    }
    return slots_[k];
  }

  /// Puts a link there that has its ends, where there is none.
  void put(Index& slot, Index link) {
    slot = link;
    if (4 * ++n_used_ > 3 * slots_.size()) fill();
  }

 private:
  void fill() {
    std::fill(slots_.begin(), slots_.end(), kNone);
    n_used_ = 0;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      keep_on(8);
      if (links_[k].is_gone()) continue;
      slot(links_[k].first, links_[k].second) = static_cast<Index>(k);
      ++n_used_;
    }
  }

  const std::vector<Link>& links_;
  std::vector<Index> slots_;
  int shift_;
  std::size_t n_used_ = 0;
};

}  // namespace cladebench
