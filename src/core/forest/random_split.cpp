#include "forest/random_split.hpp"

#include <cmath>

#include "common/random.hpp"
#include "forest/hierarchy_tree.hpp"

namespace cladebench {

std::vector<double> random_split(const NodeProblem& problem) {
  Random random(problem.seed);
  const std::size_t d = problem.d();
  std::vector<double> weights(d + 1, 0.0);
  double square = 0.0;
  for (std::size_t k = 0; k < d; ++k) {
    weights[k] = random.normal();
    square += weights[k] * weights[k];
  }
  for (std::size_t k = 0; k < d; ++k) weights[k] /= std::sqrt(square);
  const double* through = problem.row(random.below(problem.n()));
  weights[d] = -score(through, problem.features.data(), weights.data(), d);
  return weights;
}

}  // namespace cladebench
