// A split that is blind to the data, but for that it goes through them.
#pragma once

#include <vector>

#include "splits/node_problem.hpp"

namespace cladebench {

/// A hyperplane of uniformly distributed normal, through a random one of the node's rows.
std::vector<double> random_split(const NodeProblem& problem);

}  // namespace cladebench
