// Long work that tells how much of it is done. For the bindings alone.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>

#include "common/steps_done.hpp"
#include "interruptible.hpp"

namespace cladebench {

/// As `interruptible`. Up to ten times a second `progress`, if it is not None, hears how many steps are done,
/// on the calling thread. What it raises ends the work.
template <class Work>
auto with_progress(const Work& work, const nanobind::object& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::milliseconds(100);
  return interruptible([&] {
    if (progress.is_none()) return work();
    const KeepOn* const outer = asked.whom;
    const std::thread::id here = std::this_thread::get_id();
    Clock::time_point next = Clock::now() + kPause;
    std::size_t n_done = 0;
    std::atomic<bool> refused = false;
    std::exception_ptr why;
    const KeepOn ask = [&] {
      (*outer)();
      if (!refused && std::this_thread::get_id() == here && Clock::now() >= next) {
        const nanobind::gil_scoped_acquire lock;
        try {
          progress(n_done);
        } catch (...) {
          why = std::current_exception();
          refused = true;
        }
        next = Clock::now() + kPause;
      }
      if (refused) throw Stopped{};
    };
    const Asking asking(&ask);
    const CountingSteps counting(n_done);
    try {
      return work();
    } catch (const Stopped&) {
      if (refused) std::rethrow_exception(why);
      throw;
    }
  });
}

}  // namespace cladebench
