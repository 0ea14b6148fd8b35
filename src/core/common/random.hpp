// Random numbers that depend on a seed alone: the same on every machine, with every compiler, on any thread.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cladebench {

/// SplitMix64 (Steele, Lea, Flood 2014): a counter, and a hash of it.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() { return hash(state_ += 0x9e3779b97f4a7c15ULL); }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  /// Uniform in 0, ..., n - 1; n >= 1.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t unfair = -n % n;  // 2^64 mod n numbers would come up once more often
    std::uint64_t drawn = bits();
    while (drawn < unfair) drawn = bits();
    return drawn % n;
  }

  /// Standard normal, by the polar method.
  double normal() {
    for (;;) {
      const double a = 2.0 * uniform() - 1.0, b = 2.0 * uniform() - 1.0, square = a * a + b * b;
      if (square > 0.0 && square < 1.0) return a * std::sqrt(-2.0 * std::log(square) / square);
    }
  }

  /// k different ones of 0, ..., n - 1, ascending; k <= n.
  std::vector<std::uint32_t> choose(std::size_t k, std::size_t n) {
    std::vector<std::uint32_t> chosen;
    chosen.reserve(k);
    for (std::size_t i = 0; i < n && chosen.size() < k; ++i) {
      if (below(n - i) < k - chosen.size()) chosen.push_back(static_cast<std::uint32_t>(i));
    }
    return chosen;
  }

  static std::uint64_t hash(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Seed of what has a place of its own under another seed: of a tree in a forest, of a node in a tree.
inline std::uint64_t seed_of(std::uint64_t seed, std::uint64_t place) {
  return Random::hash(Random::hash(seed) + 0x9e3779b97f4a7c15ULL * (place + 1));
}

}  // namespace cladebench
