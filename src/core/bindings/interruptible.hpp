// Long work that Ctrl-C ends. For the bindings alone.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "common/keep_on.hpp"

namespace cladebench {

struct Stopped {};

/// Runs work without the interpreter's lock, and ends it after Ctrl-C; gives what it gives. Python looks at
/// signals on its main thread alone; the other threads end with it. The lock is not asked for more often than
/// ten times a second: another thread of Python may hold it for a while.
template <class Work>
auto interruptible(const Work& work) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::milliseconds(100);
  std::atomic<bool> stopped = false;
  const std::thread::id here = std::this_thread::get_id();
  Clock::time_point next = Clock::now() + kPause;
  const KeepOn ask = [&] {
    if (!stopped && std::this_thread::get_id() == here && Clock::now() >= next) {
      const nanobind::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) stopped = true;
      next = Clock::now() + kPause;
    }
    if (stopped) throw Stopped{};
  };
  try {
    const nanobind::gil_scoped_release release;
    const Asking asking(&ask);
    return work();
  } catch (...) {
    if (stopped) throw nanobind::python_error();
    throw;
  }
}

}  // namespace cladebench
