// A registry of tests in a few lines, so that the core's tests need nothing but a compiler.
//
//   TEST(lca_of_siblings_is_their_parent) { CHECK(tree.lca(1, 2) == 0); }
//   CHECK_NEAR(a, b, relative), CHECK_THROWS(expression, "words that the message contains")
//
// A failed check ends its test; the runner goes on with the next one.
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& registry() {
  static std::vector<Test> tests;
  return tests;
}

struct Registered {
  Registered(const char* name, void (*run)()) { registry().push_back({name, run}); }
};

[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

inline void near(const char* file, int line, double a, double b, double relative) {
  if (std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b))) return;
  std::ostringstream what;
  what.precision(17);
  what << a << " is not " << b << " to a relative " << relative;
  fail(file, line, what.str());
}

}  // namespace check

#define TEST(name)                                                      \
  static void test_##name();                                            \
  static const check::Registered registered_##name(#name, test_##name); \
  static void test_##name()

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) check::fail(__FILE__, __LINE__, "not true: " #condition); \
  } while (false)

#define CHECK_NEAR(a, b, relative) check::near(__FILE__, __LINE__, (a), (b), (relative))

#define CHECK_THROWS(expression, words)                                                                     \
  do {                                                                                                      \
    bool thrown = false;                                                                                    \
    try {                                                                                                   \
      (void)(expression);                                                                                   \
    } catch (const std::invalid_argument& error) {                                                          \
      thrown = true;                                                                                        \
      if (std::string(error.what()).find(words) == std::string::npos) {                                     \
        check::fail(__FILE__, __LINE__, std::string("message without '") + (words) + "': " + error.what()); \
      }                                                                                                     \
    }                                                                                                       \
    if (!thrown) check::fail(__FILE__, __LINE__, "no std::invalid_argument from " #expression);             \
  } while (false)
