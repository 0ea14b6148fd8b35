// The direction from which a semi-supervised split starts.
#pragma once

#include <vector>

#include "splits/node_problem.hpp"

namespace cladebench {

/// The unit vector v of the d features that is the largest generalised eigenvector of
///   S_C v = mu (S_M + ridge * trace(S_M) / d * I) v
/// with the scatter matrices of cannot-links and must-links (eqs 9-11); its largest entry is positive. S_M
/// counts as the identity if it is zero or there is no must-link: v is then the principal direction of S_C.
/// Zero if S_C is. ridge > 0 (S_M alone may be singular).
///
/// O(L d^2 + d^3): Lanczos with full orthogonalisation in the inner product of the right side.
std::vector<double> scatter_direction(const NodeProblem& problem, double ridge);

}  // namespace cladebench
