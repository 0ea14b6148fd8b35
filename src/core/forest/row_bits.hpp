// Which rows of a tile, as bits, and a test of all rows at once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/float_lanes.hpp"

namespace cladebench {

/// Bit k of lane l of a part is the row 16 k + l of its 512. So a comparison of 16 lanes gives each a bit.
/// Two lanes are a word.
struct RowBits {
  using Word = std::uint64_t;
  static_assert(std::endian::native == std::endian::little, "the first of two lanes is the lower half");

  static constexpr std::size_t kVectors = 32, kRows = kVectors * kFloatLanes, kWords = kRows / 64;

  static std::size_t words(std::size_t n) { return (n + kRows - 1) / kRows * kWords; }
  static std::size_t word(std::size_t row) { return row / kRows * kWords + row % kFloatLanes / 2; }
  static Word bit(std::size_t row) { return Word{1} << (row % kRows / kFloatLanes + 32 * (row % 2)); }

  /// take(row) for each.
  template <class Take>
  static CLADEBENCH_INLINE void for_each(const Word* bits, std::size_t words, const Take& take) {
    for (std::size_t w = 0; w < words; ++w) {
      const std::size_t first = w / kWords * kRows + w % kWords * 2;
      for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
        take(first + kPlaces[static_cast<std::size_t>(std::countr_zero(rest))]);
      }
    }
  }

  /// Those of `all` that pass the test, and how many they are. Test::run<F>(p, result) says which of the rows
  /// from the float p on do.
  /// @param column  Of kFloatLanes * n_vectors floats.
  template <class V, class Test>
  static CLADEBENCH_INLINE std::uint32_t pass(const Test& test, const float* column, std::size_t n_vectors,
                                              const Word* all, Word* found) {
    using F = FloatsOf<V>;
    using Bits = typename F::Bits;
    using Unaligned = typename F::UnalignedBits;
    std::uint32_t count = 0;
    for (; n_vectors > 0; column += kRows, all += kWords, found += kWords) {
      const std::size_t n = n_vectors < kVectors ? n_vectors : kVectors;
      n_vectors -= n;
      for (int part = 0; part < F::kParts; ++part) {
        const float* p = column + part * F::kWidth;
        Bits bits{};
        const auto add = [&](std::size_t k) __attribute__((always_inline)) {
          Bits result;
          test.template run<F>(p + k * kFloatLanes, result);
          bits |= result & static_cast<std::int32_t>(1U << k);
        };
        if (n == kVectors) {
#pragma GCC unroll 32
          for (std::size_t k = 0; k < kVectors; ++k) add(k);
        } else {
          for (std::size_t k = 0; k < n; ++k) add(k);
        }
        constexpr std::size_t step = sizeof(Bits) / sizeof(Word);
        const auto& of_all = *reinterpret_cast<const Unaligned*>(all + part * step);
        *reinterpret_cast<Unaligned*>(found + part * step) = bits & of_all;
      }
      for (std::size_t w = 0; w < kWords; ++w) count += static_cast<std::uint32_t>(std::popcount(found[w]));
    }
    return count;
  }

 private:
  /// Row of each bit of a word, from that of the first on.
  static constexpr std::array<std::uint16_t, 64> kPlaces = [] {
    std::array<std::uint16_t, 64> places{};
    for (unsigned k = 0; k < 64; ++k) {
      places[k] = static_cast<std::uint16_t>(k % kVectors * kFloatLanes + k / kVectors);
    }
    return places;
  }();
};

}  // namespace cladebench
