// The best one-to-one matching of clusters and classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cladebench {

/// The most samples whose cluster and class are matched to each other, over all matchings of clusters and
/// classes.
///
/// Only pairs that occur are looked at. Rows are the side with fewer names. Prices of rows and columns are
/// whole numbers, a pair costs nothing when they add up to its samples, and rows without a match have the
/// same price. In each round this price falls until a path to a free column costs nothing; then paths are
/// taken that share no column. It is the primal-dual method for all free rows at once (Galil 1986). With n
/// samples, p pairs, at most m samples in a pair and k rows, O(n + (m + k) p log p) time and O(n) memory;
/// most rounds take many paths, so that a dozen are usual.
///
/// @param one, other names of the same n samples, of 0..n-1.
/// @throws std::invalid_argument if a name is out of range, lengths differ, or there are 2^32 samples.
std::int64_t most_matched(std::span<const std::int64_t> one, std::span<const std::int64_t> other);

}  // namespace cladebench
