// Long work that Ctrl-C ends. For the bindings alone.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <thread>

namespace cladebench {

struct Stopped {};

/// Runs work without the interpreter's lock, and hands it a function that ends it after Ctrl-C. Python looks
/// at signals on its main thread alone; the other threads end with it.
template <class Work>
void interruptible(const Work& work) {
  std::atomic<bool> stopped = false;
  const std::thread::id here = std::this_thread::get_id();
  const auto keep_on = [&] {
    if (!stopped && std::this_thread::get_id() == here) {
      nanobind::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) stopped = true;
    }
    if (stopped) throw Stopped{};
  };
  try {
    nanobind::gil_scoped_release release;
    work(keep_on);
  } catch (const Stopped&) {
    throw nanobind::python_error();
  }
}

}  // namespace cladebench
