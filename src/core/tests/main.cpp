// Runs every registered test, or those whose names contain the first argument; the exit code is 1 if one
// fails.
#include <iostream>

#include "check.hpp"

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  int passed = 0, failed = 0;
  for (const check::Test& test : check::registry()) {
    if (std::string(test.name).find(wanted) == std::string::npos) continue;
    try {
      test.run();
      ++passed;
    } catch (const std::exception& error) {
      ++failed;
      std::cout << "FAILED " << test.name << "\n  " << error.what() << "\n";
    }
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}
