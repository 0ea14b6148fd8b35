// The core's only parallel loop.
//
// With OpenMP, unless CLADEBENCH_STD_THREADS is defined: then with std::thread, for ThreadSanitizer, which
// does not see how libgomp's threads wait for each other and takes all that they share for races.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <vector>

#include "common/keep_on.hpp"

#if defined(CLADEBENCH_STD_THREADS)
#include <thread>
#endif

namespace cladebench {

/// Threads that a parallel loop would use now. 1 in the child of a fork: OpenMP's threads are not there, and
/// libgomp would wait for them for good.
int max_threads();
void set_max_threads(int n);

/// What the threads of one parallel loop share.
class Team {
 public:
  explicit Team(std::size_t n) : n_(n), caller_(asked) {}

  /// Takes one task after the other; what each thread does.
  template <class Task>
  void work(const Task& task) {
    const Asking asking(caller_.whom, caller_.between);
    ++working_;
    for (std::size_t k = next_++; k < n_; k = next_++) {
      try {
        keep_on(kWorkPerTask);
        task(k);
      } catch (...) {
        fail(k);
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    --working_;
    ended_.notify_one();
  }

  /// What the calling thread does after its last task: it alone hears of Ctrl-C, and goes on asking until the
  /// others are done.
  void wait() {
    constexpr int kSpins = 20'000;  // most waits are shorter than it takes to fall asleep
    for (int spin = 0; spin < kSpins && working_ > 0; ++spin) {
    }
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::milliseconds(50), [&] { return working_ == 0; })) {
      if (!caller_.whom || stopped_) continue;
      lock.unlock();
      try {
        (*caller_.whom)();
      } catch (...) {
        fail(n_);
        stopped_ = true;  // the others hear of it, too
      }
      lock.lock();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Said of a task, which may be short: what takes long asks by itself.
  static constexpr std::size_t kWorkPerTask = kWorkPerQuestion / 32;

 private:
  /// The failure of the first task that fails is kept, whatever the threads: tasks are taken in order.
  void fail(std::size_t k) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_ || k < failed_) {
      failed_ = k;
      failure_ = std::current_exception();
    }
    next_ = n_;
  }

  const std::size_t n_;
  const Asked caller_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<int> working_ = 0;
  bool stopped_ = false;
  std::size_t failed_ = 0;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable ended_;
};

/// task(0), ..., task(n - 1), on several threads if that is worth while. After an exception no task is begun;
/// that of the lowest task reaches the caller. (One that leaves an OpenMP loop would end the process.)
template <class Task>
void parallel_for(std::size_t n, bool worth_while, const Task& task) {
  if (!worth_while || n < 2 || max_threads() < 2) {
    for (std::size_t k = 0; k < n; ++k) {
      if (worth_while) keep_on(Team::kWorkPerTask);
      task(k);
    }
    return;
  }
  Team team(n);
#if defined(CLADEBENCH_STD_THREADS)
  std::vector<std::thread> others;
  for (int t = 1; t < max_threads(); ++t) others.emplace_back([&] { team.work(task); });
  team.work(task);
  team.wait();
  for (std::thread& other : others) other.join();
#else
#pragma omp parallel
  {
    team.work(task);
#pragma omp master
    team.wait();
  }
#endif
  team.rethrow();
}

}  // namespace cladebench
