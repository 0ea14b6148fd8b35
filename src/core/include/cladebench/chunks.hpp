// Sums over rows, in parallel, whose value does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

#include "cladebench/measures.hpp"
#include "cladebench/tree.hpp"

namespace cladebench {

/// Rows that one task takes. Fixed, so that the sums do not depend on the number of threads.
inline constexpr Index kRowsPerChunk = 64;

/// Adds up task(begin, end) over fixed chunks of 0..n-1, in parallel; the order of addition is that of the
/// chunks. An exception of a task reaches the caller, after the other tasks.
template <typename Task>
double sum_over_chunks(Index n, const Task& task) {
  const Index n_chunks = (n + kRowsPerChunk - 1) / kRowsPerChunk;
  std::vector<double> parts(static_cast<std::size_t>(n_chunks));
  std::exception_ptr failure;
  // A few chunks are done before other threads are awake.
#pragma omp parallel for schedule(dynamic, 1) if (n_chunks > 8)
  for (Index chunk = 0; chunk < n_chunks; ++chunk) {
    try {
      parts[chunk] = task(chunk * kRowsPerChunk, std::min(n, (chunk + 1) * kRowsPerChunk));
    } catch (...) {  // one that leaves a parallel loop ends the process
#pragma omp critical(cladebench_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  Sum total;
  for (const double part : parts) total.add(part);
  return total.value();
}

}  // namespace cladebench
