// Sums over rows, in parallel, whose value does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/parallel.hpp"
#include "common/sum.hpp"
#include "trees/tree.hpp"

namespace cladebench {

/// Rows that one task takes. Fixed, so that the sums do not depend on the number of threads.
inline constexpr Index kRowsPerChunk = 64;

/// Adds up task(begin, end) over fixed chunks of 0..n-1, in parallel; the order of addition is that of the
/// chunks. An exception of a task reaches the caller, after the other tasks.
template <typename Task>
double sum_over_chunks(Index n, const Task& task) {
  const Index n_chunks = (n + kRowsPerChunk - 1) / kRowsPerChunk;
  std::vector<double> parts(static_cast<std::size_t>(n_chunks));
  // A few chunks are done before other threads are awake.
  parallel_for(static_cast<std::size_t>(n_chunks), n_chunks > 8, [&](std::size_t k) {
    const Index begin = static_cast<Index>(k) * kRowsPerChunk;
    parts[k] = task(begin, std::min(n, begin + kRowsPerChunk));
  });
  Sum total;
  for (const double part : parts) total.add(part);
  return total.value();
}

}  // namespace cladebench
