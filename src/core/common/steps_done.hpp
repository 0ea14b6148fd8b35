// How many steps of long work are done, for a caller who shows progress.
#pragma once

#include <cstddef>

namespace cladebench {

/// Where this thread counts; null if nobody wants to know. Threads of a parallel loop do not count.
inline thread_local constinit std::size_t* steps_done = nullptr;

/// Says that one of the steps is done whose number is known.
inline void one_done() {
  if (steps_done) ++*steps_done;
}

/// Counts the steps of this thread as long as it lives.
class CountingSteps {
 public:
  explicit CountingSteps(std::size_t& count) : before_(steps_done) { steps_done = &count; }
  CountingSteps(const CountingSteps&) = delete;
  ~CountingSteps() { steps_done = before_; }

 private:
  std::size_t* const before_;
};

}  // namespace cladebench
