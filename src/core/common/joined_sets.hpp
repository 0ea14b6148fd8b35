// Which parts are together, as they join: one look for each part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace cladebench {

/// Sets of parts, each called by its lowest part. All joins of n parts take O(n log n).
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t n) : label_(n), lowest_(n), members_(n) {
    std::iota(label_.begin(), label_.end(), std::uint32_t{0});
    std::iota(lowest_.begin(), lowest_.end(), std::uint32_t{0});
    for (std::size_t part = 0; part < n; ++part) members_[part].push_back(static_cast<std::uint32_t>(part));
  }

  std::uint32_t of(std::size_t part) const { return lowest_[label_[part]]; }
  std::span<const std::uint32_t> members(std::size_t part) const { return members_[label_[part]]; }

  void join(std::size_t a, std::size_t b) {
    std::uint32_t larger = label_[a], smaller = label_[b];
    if (members_[larger].size() < members_[smaller].size()) std::swap(larger, smaller);
    lowest_[larger] = std::min(lowest_[larger], lowest_[smaller]);
    for (const std::uint32_t part : members_[smaller]) {
      label_[part] = larger;
      members_[larger].push_back(part);
    }
    members_[smaller] = {};
  }

 private:
  std::vector<std::uint32_t> label_, lowest_;  ///< of each part its set; of each set its lowest part
  std::vector<std::vector<std::uint32_t>> members_;
};

}  // namespace cladebench
