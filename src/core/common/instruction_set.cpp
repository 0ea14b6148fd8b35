#include "common/instruction_set.hpp"

#include <array>
#include <stdexcept>

#include "common/simd.hpp"

namespace cladebench {
namespace {

constexpr std::array<const char*, 3> kNames{"baseline", "avx2", "avx512"};

InstructionSet widest() {
#ifdef CLADEBENCH_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2")) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

}  // namespace

std::atomic<InstructionSet> detail::instruction_set_in_use{widest()};

std::vector<std::string> instruction_sets() {
  return {kNames.begin(), kNames.begin() + static_cast<std::size_t>(widest()) + 1};
}

std::string instruction_set() {
  return kNames[static_cast<std::size_t>(detail::instruction_set_in_use.load())];
}

void use_instruction_set(const std::string& name) {
  const std::vector<std::string> available = instruction_sets();
  for (std::size_t k = 0; k < available.size(); ++k) {
    if (available[k] == name) {
      detail::instruction_set_in_use = static_cast<InstructionSet>(k);
      return;
    }
  }
  std::string expected;
  for (const std::string& other : available) expected += (expected.empty() ? "" : ", ") + other;
  throw std::invalid_argument("the instruction set is '" + name + "'; this machine has: " + expected);
}

}  // namespace cladebench
