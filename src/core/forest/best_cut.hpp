// The best cut of a node of a classification tree: all thresholds of a feature, without sorting all values.
//
// Values are counted in bins. The impurity of a cut is a concave function of the weights of the two classes
// on its left; so within a bin no cut is better than the best corner of the rectangle between the weights
// left of the bin and those up to its end. Only bins whose corners are not worse than the best cut known are
// looked into: sorted if they are small, else counted in bins of their own.
//
// What is found is exact: cuts whose impurities are equal but for rounding are compared as fractions of
// integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace cladebench {

/// How many pairs there are, and the weight of must-links and of cannot-links among them. (Where the bits of
/// a vector matter it is the type of GCC and Clang; it is added in one step.)
typedef std::uint32_t Counts __attribute__((vector_size(16)));
enum : std::size_t { kNumber = 0, kSame = 1, kDifferent = 2 };

/// Weights of all pairs of a forest must stay below, so that fractions can be compared in 128 bits.
inline constexpr std::size_t kMostPairs = std::size_t{1} << 26;

struct Cut {
  double impurity = std::numeric_limits<double>::infinity();  ///< s d / (s + d), of either side, added up
  Counts left{};
  std::uint32_t feature = 0;
  float highest = 0.0f;  ///< value that goes left

  bool found() const { return impurity < std::numeric_limits<double>::infinity(); }
};

struct Range {
  float low, high;
};

/// The least and the greatest of n >= 1 values.
Range range_of(const float* values, std::size_t n);

class BestCut {
 public:
  /// counts[code]: what a pair of that code adds. A cut leaves at least min_samples_leaf pairs on either
  /// side.
  BestCut(std::span<const Counts> counts, std::size_t min_samples_leaf)
      : counts_(counts), min_samples_leaf_(min_samples_leaf) {}

  /// Begins a node.
  void begin(const Counts& all) {
    all_ = all;
    best_ = {};
  }

  /// Compares all cuts of a feature with the best so far; equally good ones are no better. `low` < `high` are
  /// the least and the greatest of the n values; none is -0 or not finite.
  void look(std::uint32_t feature, const float* values, const std::uint32_t* codes, std::size_t n, float low,
            float high) {
    feature_ = feature;
    search(values, codes, n, low, high, Counts{});
  }

  const Cut& best() const { return best_; }

 private:
  void search(const float* values, const std::uint32_t* codes, std::size_t n, float low, float high,
              const Counts& before);
  void search_sorted(const float* values, const std::uint32_t* codes, std::size_t n, const Counts& before);
  /// Bins of the values, and what is before each bin.
  void cut_between_bins(const float* values, std::span<const std::uint16_t> bin,
                        std::span<const Counts> up_to, float low);
  bool allowed(const Counts& left) const {
    return left[kNumber] >= min_samples_leaf_ && all_[kNumber] - left[kNumber] >= min_samples_leaf_;
  }
  double impurity(double same, double different) const;
  bool consider(const Counts& left, float highest);
  bool exactly_better(const Counts& left) const;

  std::span<const Counts> counts_;
  std::size_t min_samples_leaf_;
  Counts all_{};
  Cut best_;
  std::uint32_t feature_ = 0;
  std::vector<std::uint64_t> keys_;
};

}  // namespace cladebench
