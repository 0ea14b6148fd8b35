// The nearest rows of a query, kept as distances come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace cladebench {

using Found = std::pair<double, std::uint32_t>;

/// The k least; of equal ones those of the lowest rows.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) { heap_.reserve(k + 1); }

  /// What is farther need not be offered.
  double limit() const {
    return heap_.size() < k_ ? std::numeric_limits<double>::infinity() : heap_.front().first;
  }

  void offer(double distance, std::uint32_t row) {
    if (heap_.size() == k_) {
      if (Found(distance, row) >= heap_.front()) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = {distance, row};
    } else {
      heap_.emplace_back(distance, row);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// All of them, the nearest first; nothing can be offered then.
  const std::vector<Found>& sorted() {
    std::sort(heap_.begin(), heap_.end());
    return heap_;
  }

  void write(double* D, std::int64_t* index) {
    for (const Found& found : sorted()) {
      *D++ = found.first;
      *index++ = found.second;
    }
    heap_.clear();
  }

 private:
  std::size_t k_;
  std::vector<Found> heap_;
};

}  // namespace cladebench
