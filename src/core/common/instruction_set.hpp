// The instruction set that the kernels use: the widest that the machine has, unless another is asked for.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace cladebench {

enum class InstructionSet { baseline, avx2, avx512 };

/// Their names, "baseline" first: those that this machine can run.
std::vector<std::string> instruction_sets();

/// Name of the one in use.
std::string instruction_set();

/// For measurements and tests: no result depends on it. Not while a kernel runs.
/// @throws std::invalid_argument if the name is not one of instruction_sets().
void use_instruction_set(const std::string& name);

namespace detail {
extern std::atomic<InstructionSet> instruction_set_in_use;
}

}  // namespace cladebench
