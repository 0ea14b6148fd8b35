// The core's only parallel loop.
//
// With OpenMP, unless CLADEBENCH_STD_THREADS is defined: then with std::thread, for ThreadSanitizer, which
// does not see how libgomp's threads wait for each other and takes all that they share for races.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>

#if defined(CLADEBENCH_STD_THREADS)
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>
#elif defined(_OPENMP)
#include <omp.h>
#endif

namespace cladebench {

#if defined(CLADEBENCH_STD_THREADS)
inline int thread_limit = 2;
inline int max_threads() { return thread_limit; }
inline void set_max_threads(int n) { thread_limit = n; }
#elif defined(_OPENMP)
inline int max_threads() { return omp_get_max_threads(); }
inline void set_max_threads(int n) { omp_set_num_threads(n); }
#else
inline int max_threads() { return 1; }
inline void set_max_threads(int) {}
#endif

/// task(0), ..., task(n - 1), on several threads if that is worth while. An exception of a task reaches the
/// caller, after the other tasks. (One that leaves an OpenMP loop would end the process.)
template <class Task>
void parallel_for(std::size_t n, [[maybe_unused]] bool worth_while, const Task& task) {
  std::exception_ptr failure;
  std::mutex of_failure;
  const auto attempt = [&](std::size_t k) {
    try {
      task(k);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(of_failure);
      failure = std::current_exception();
    }
  };
#if defined(CLADEBENCH_STD_THREADS)
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t k = next++; k < n; k = next++) attempt(k);
  };
  std::vector<std::thread> others;
  for (int t = 1; worth_while && t < max_threads(); ++t) others.emplace_back(take);
  take();
  for (std::thread& other : others) other.join();
#else
#pragma omp parallel for schedule(dynamic, 1) if (worth_while)
  for (std::size_t k = 0; k < n; ++k) attempt(k);
#endif
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cladebench
