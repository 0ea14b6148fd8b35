#include "exemplars/exemplar_slaves.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"

namespace cladebench {

namespace {

/// Entries of a sum that one thread makes at a time: they stay in the cache while the distances pass by.
constexpr std::size_t kBlock = 4096;
constexpr std::size_t kRowsPerTask = 16;
constexpr std::size_t kLanes = 8;
/// Work below which threads cost more than they save.
constexpr std::size_t kWorthWhile = 1 << 16;

template <class Value>
void sum(std::span<const double> weights, std::span<const Value> stack, std::span<double> total) {
  const std::size_t n = total.size(), blocks = (n + kBlock - 1) / kBlock;
  if (stack.size() != weights.size() * n) throw std::invalid_argument("stack, weights and total do not fit");
  parallel_for(blocks, stack.size() > kWorthWhile, [&](std::size_t block) {
    const std::size_t first = block * kBlock, size = std::min(kBlock, n - first);
    double* out = total.data() + first;
    std::fill_n(out, size, 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double weight = weights[i];
      if (weight == 0.0) continue;
      const Value* values = stack.data() + i * n + first;
      for (std::size_t j = 0; j < size; ++j) out[j] += weight * static_cast<double>(values[j]);
    }
  });
}

/// In eight partial sums, so that the compiler may make them side by side.
double sum_of_negative(std::span<const double> values) {
  double partial[kLanes] = {};
  const std::size_t n = values.size(), whole = n - n % kLanes;
  for (std::size_t q = 0; q < whole; q += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) partial[lane] += std::min(values[q + lane], 0.0);
  }
  double total = 0.0;
  for (const double one : partial) total += one;
  for (std::size_t q = whole; q < n; ++q) total += std::min(values[q], 0.0);
  return total;
}

/// The first place of the least value; the first of all where none is a number.
std::size_t first_least(std::span<const double> values) {
  double partial[kLanes];
  std::fill_n(partial, kLanes, std::numeric_limits<double>::infinity());
  const std::size_t n = values.size(), whole = n - n % kLanes;
  for (std::size_t q = 0; q < whole; q += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      partial[lane] = std::min(partial[lane], values[q + lane]);
  }
  double least = *std::min_element(partial, partial + kLanes);
  for (std::size_t q = whole; q < n; ++q) least = std::min(least, values[q]);
  const auto place = std::find(values.begin(), values.end(), least);
  return place == values.end() ? 0 : static_cast<std::size_t>(place - values.begin());
}

}  // namespace

void weighted_sum(std::span<const double> weights, std::span<const double> stack, std::span<double> total) {
  sum(weights, stack, total);
}

void weighted_sum(std::span<const double> weights, std::span<const float> stack, std::span<double> total) {
  sum(weights, stack, total);
}

void point_slaves(std::span<const double> distances, std::span<const double> own, std::span<const double> raw,
                  std::span<const double> offset, std::span<const std::int64_t> labels, double beta,
                  std::span<double> values, std::span<std::int64_t> nearest, std::span<std::uint8_t> copies) {
  const std::size_t n = own.size();
  if (distances.size() != n * n || raw.size() != n * n || copies.size() != n * n || offset.size() != n ||
      labels.size() != n || values.size() != n || nearest.size() != n) {
    throw std::invalid_argument("distances, prices, multipliers and labels do not fit");
  }
  std::vector<double> base(n);  // of theta: what is the same for all p
  for (std::size_t q = 0; q < n; ++q) base[q] = own[q] / static_cast<double>(n + 1) - offset[q];
  const std::size_t tasks = (n + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(tasks, n * n > kWorthWhile, [&](std::size_t task) {
    std::vector<double> theta(n), cost(n);
    for (std::size_t p = task * kRowsPerTask; p < std::min(n, (task + 1) * kRowsPerTask); ++p) {
      const double *d = distances.data() + p * n, *multiplier = raw.data() + p * n;
      std::uint8_t* open = copies.data() + p * n;
      for (std::size_t q = 0; q < n; ++q) theta[q] = base[q] + multiplier[q];
      // The copy of p itself is its assignment to itself: never opened for nothing.
      const double itself = std::exchange(theta[p], 0.0);
      const std::int64_t cluster = labels[p];
      for (std::size_t q = 0; q < n; ++q) {
        cost[q] = d[q] + (labels[q] == cluster ? beta : 0.0) + std::max(theta[q], 0.0);
        open[q] = theta[q] < 0.0;
      }
      cost[p] = itself;
      const std::size_t best = first_least(cost);
      open[best] = 1;
      nearest[p] = static_cast<std::int64_t>(best);
      values[p] = sum_of_negative(theta) + cost[best];
    }
  });
}

void move_multipliers(std::span<const std::uint8_t> copies, double step, std::span<double> raw) {
  if (copies.size() != raw.size()) throw std::invalid_argument("copies and multipliers do not fit");
  const std::size_t blocks = (raw.size() + kBlock - 1) / kBlock;
  parallel_for(blocks, raw.size() > kWorthWhile, [&](std::size_t block) {
    const std::size_t last = std::min(raw.size(), (block + 1) * kBlock);
    std::size_t j = block * kBlock;
    for (; j + 8 <= last; j += 8) {  // most are 0
      std::uint64_t eight;
      std::memcpy(&eight, copies.data() + j, 8);
      if (eight == 0) continue;
      for (std::size_t i = j; i < j + 8; ++i) raw[i] += step * copies[i];
    }
    for (; j < last; ++j) raw[j] += step * copies[j];
  });
}

void count_copies(std::span<const std::uint8_t> copies, std::span<std::int64_t> counts) {
  const std::size_t n = counts.size();
  if (copies.size() != n * n) throw std::invalid_argument("copies and counts do not fit");
  std::fill(counts.begin(), counts.end(), 0);
  for (std::size_t p = 0; p < n; ++p) {
    keep_on(n / 4);
    for (std::size_t q = 0; q < n; ++q) counts[q] += copies[p * n + q];
  }
}

}  // namespace cladebench
