// Long work asks now and then whether it is to go on. All of the core does: no call takes a second and more
// between two questions, whatever its input.
#pragma once

#include <cstddef>
#include <functional>

namespace cladebench {

/// Returns if the work is to go on; what it throws ends the work.
using KeepOn = std::function<void()>;

/// Units of work between two questions: about a nanosecond each, so that questions cost nothing.
inline constexpr std::size_t kWorkPerQuestion = std::size_t{1} << 18;

struct Asked {
  const KeepOn* whom = nullptr;
  std::size_t between = kWorkPerQuestion;
  std::size_t work = 0;  ///< since the last question
};
/// Each thread's own; parallel_for hands it on.
inline thread_local constinit Asked asked;

/// Says that so much work has been done, or is about to be: less than it takes, rather than more.
inline void keep_on(std::size_t work) {
  asked.work += work;
  if (asked.work < asked.between) [[likely]]
    return;
  asked.work = 0;
  if (asked.whom) (*asked.whom)();
}

/// Whom this thread asks, and how often, as long as it lives.
class Asking {
 public:
  explicit Asking(const KeepOn* whom, std::size_t between = kWorkPerQuestion) : before_(asked) {
    asked = {whom, between, 0};
  }
  Asking(const Asking&) = delete;
  ~Asking() { asked = before_; }

 private:
  const Asked before_;
};

}  // namespace cladebench
