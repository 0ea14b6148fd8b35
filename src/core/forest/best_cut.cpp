#include "forest/best_cut.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cladebench {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// So many values are sorted.
constexpr std::size_t kSorted = 64;
/// Values that a bin should hold, and most bins: 32 KB.
constexpr std::size_t kInBin = 8, kMostBins = 2048;
/// Impurities in double precision differ from the fractions that they stand for by less, relatively.
constexpr double kRounding = 1e-13;

/// An integer that is ordered as floats are.
std::uint32_t ordered(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

float value_of(std::uint32_t key) { return std::bit_cast<float>(key >> 31 ? key & 0x7fffffffu : ~key); }

bool is_mixed(const Counts& counts) { return counts[kSame] != 0 && counts[kDifferent] != 0; }

}  // namespace

Range range_of(const float* values, std::size_t n) {
  typedef float Lanes __attribute__((vector_size(16)));
  constexpr std::size_t kStep = 8;
  float low = values[0], high = values[0];
  std::size_t i = 0;
  if (n >= kStep) {
    Lanes lows[2], highs[2];
    std::memcpy(lows, values, sizeof lows);
    std::memcpy(highs, values, sizeof highs);
    for (i = kStep; i + kStep <= n; i += kStep) {
      Lanes now[2];
      std::memcpy(now, values + i, sizeof now);
      for (int k = 0; k < 2; ++k) {
        lows[k] = now[k] < lows[k] ? now[k] : lows[k];
        highs[k] = now[k] > highs[k] ? now[k] : highs[k];
      }
    }
    for (int k = 0; k < 8; ++k) {
      low = std::min(low, lows[k / 4][k % 4]);
      high = std::max(high, highs[k / 4][k % 4]);
    }
  }
  for (; i < n; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  return {low, high};
}

double BestCut::impurity(double same, double different) const {
  const double same_right = all_[kSame] - same, different_right = all_[kDifferent] - different;
  return same * different / std::max(1.0, same + different) +
         same_right * different_right / std::max(1.0, same_right + different_right);
}

/// Numerators are at most n^3 / 16, denominators n^2 / 4: kMostPairs is chosen so that products fit.
bool BestCut::exactly_better(const Counts& left) const {
  struct Fraction {
    Wide numerator, denominator;
  };
  const auto fraction = [&](const Counts& counts) {
    const Wide s = counts[kSame], d = counts[kDifferent];
    const Wide s_right = all_[kSame] - s, d_right = all_[kDifferent] - d;
    return Fraction{s * d * (s_right + d_right) + s_right * d_right * (s + d), (s + d) * (s_right + d_right)};
  };
  const Fraction a = fraction(left), b = fraction(best_.left);
  const Wide ours = a.numerator * b.denominator, theirs = b.numerator * a.denominator;
  if (ours != theirs) return ours < theirs;
  return feature_ == best_.feature && left[kNumber] < best_.left[kNumber];
}

bool BestCut::consider(const Counts& left, float highest) {
  const double found = impurity(left[kSame], left[kDifferent]);
  if (found > best_.impurity * (1.0 + kRounding)) return false;
  if (best_.found() && found >= best_.impurity * (1.0 - kRounding) && !exactly_better(left)) return false;
  best_ = {found, left, feature_, highest};
  return true;
}

void BestCut::search_sorted(const float* values, const std::uint32_t* codes, std::size_t n,
                            const Counts& before) {
  keys_.resize(n);
  for (std::size_t i = 0; i < n; ++i) keys_[i] = std::uint64_t{ordered(values[i])} << 32 | codes[i];
  std::sort(keys_.begin(), keys_.end());
  Counts left = before, of_previous{};
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < n;) {
    const auto key = static_cast<std::uint32_t>(keys_[i] >> 32);
    Counts of_value{};
    const Counts up_to_here = left;
    for (; i < n && keys_[i] >> 32 == key; ++i) of_value += counts_[static_cast<std::uint32_t>(keys_[i])];
    left += of_value;
    // A cut between values of one and the same class is worse than the one at the end of its run.
    const Counts both = of_previous + of_value;
    if (of_previous[kNumber] != 0 && (min_samples_leaf_ > 1 || is_mixed(both)) && allowed(up_to_here)) {
      consider(up_to_here, value_of(previous));
    }
    previous = key;
    of_previous = of_value;
  }
}

void BestCut::cut_between_bins(const float* values, std::span<const std::uint16_t> bin,
                               std::span<const Counts> up_to, float low) {
  const std::size_t n_bins = up_to.size() - 1;
  std::size_t best_bin = n_bins;
  for (std::size_t k = 0; k + 1 < n_bins; ++k) {
    const bool empty = up_to[k][kNumber] == up_to[k + 1][kNumber];
    if (!empty && allowed(up_to[k + 1]) && consider(up_to[k + 1], low)) best_bin = k;
  }
  if (best_bin == n_bins) return;
  best_.highest = low;
  for (std::size_t i = 0; i < bin.size(); ++i) {
    if (bin[i] <= best_bin) best_.highest = std::max(best_.highest, values[i]);
  }
}

void BestCut::search(const float* values, const std::uint32_t* codes, std::size_t n, float low, float high,
                     const Counts& before) {
  if (n <= kSorted) {
    search_sorted(values, codes, n, before);
    return;
  }
  const std::size_t n_bins = std::min(kMostBins, std::bit_ceil(n / kInBin));
  // In double precision: differences of floats neither vanish nor overflow. Each step keeps the order, so
  // that equal values share a bin; the least value is in the first, the greatest in the last one.
  const double from = low, scale = (static_cast<double>(n_bins) - 0.5) / (static_cast<double>(high) - from);
  std::vector<std::uint16_t> bin(n);
  for (std::size_t i = 0; i < n; ++i) {
    bin[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>((values[i] - from) * scale));
  }
  std::vector<Counts> up_to(n_bins + 1);  // of bins before the k-th, and all that is left of this search
  for (std::size_t i = 0; i < n; ++i) up_to[bin[i] + 1u] += counts_[codes[i]];
  up_to[0] = before;
  for (std::size_t k = 0; k < n_bins; ++k) up_to[k + 1] += up_to[k];

  cut_between_bins(values, bin, up_to, low);

  struct Part {
    std::size_t bin, begin;
    double bound;
  };
  std::vector<Part> parts;
  std::vector<std::uint32_t> place(n_bins, 0);  // one more than that of the next value of a part
  std::size_t total = 0;
  const auto worth = [&](double bound) { return bound <= best_.impurity * (1.0 + kRounding); };
  for (std::size_t k = 0; k < n_bins; ++k) {
    const Counts &first = up_to[k], &last = up_to[k + 1];
    const Counts inside = last - first;
    if (inside[kNumber] < 2 || (min_samples_leaf_ == 1 && !is_mixed(inside))) continue;
    // The other corners, the cuts at its ends, are no better: what a side is rich in makes it purer.
    const double bound =
        std::min(impurity(first[kSame], last[kDifferent]), impurity(last[kSame], first[kDifferent]));
    if (!worth(bound)) continue;
    parts.push_back({k, total, bound});
    place[k] = static_cast<std::uint32_t>(total + 1);
    total += inside[kNumber];
  }
  if (parts.empty()) return;
  std::vector<float> values_inside(total);
  std::vector<std::uint32_t> codes_inside(total);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::uint32_t& next = place[bin[i]]; next != 0) {
      values_inside[next - 1] = values[i];
      codes_inside[next - 1] = codes[i];
      ++next;
    }
  }
  for (const Part& part : parts) {
    if (!worth(part.bound)) continue;
    const std::size_t count = up_to[part.bin + 1][kNumber] - up_to[part.bin][kNumber];
    const float* inside = values_inside.data() + part.begin;
    const Range range = range_of(inside, count);
    if (range.low == range.high) continue;
    search(inside, codes_inside.data() + part.begin, count, range.low, range.high, up_to[part.bin]);
  }
}

}  // namespace cladebench
