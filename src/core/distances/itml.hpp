// Information-theoretic metric learning (Davis, Kulis, Jain, Sra and Dhillon, ICML 2007).
//
// The cost of one sweep over L constraints in d features: to project on one constraint alone takes A v and a
// rank-one update of A, 2 d^2 multiplications and as many additions that stream A through the processor
// twice. Here B constraints are taken together, one after another all the same: what a projection needs of
// the others in its block are the products v' A v of the block, a B x B table that is updated in place of A.
// So A meets a block in two products of matrices, L (3/2 d^2 + 3/2 B d + B^2 / 6) multiplications and as many
// additions in all, A in the second cache read or written three times for B constraints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "margin/margin.hpp"  // MatrixView

namespace cladebench {

struct Itml {
  std::vector<double> A;     ///< d x d, symmetric
  std::vector<double> dual;  ///< multipliers of the constraints, >= 0
  double residual;           ///< largest relative violation that the last sweep met, see fit_itml
  std::int64_t n_iter;       ///< sweeps
  bool converged;
};

/// Minimises D(A, I) + gamma D(diag(xi), diag(xi0)), D the LogDet divergence, so that (x_i - x_j)' A (x_i -
/// x_j) is at most xi_c for a pair that must link, and at least xi_c for one that cannot; xi0 = `upper` and
/// `lower`. Cyclic Bregman projections in the order of the pairs.
///
/// Ends with a sweep whose projections all change a distance p, but for the factor gamma / (1 + gamma) that
/// slack leaves it, by no more than a share `tol`: |alpha| p (1 + gamma) / gamma <= tol.
/// @param pairs 2 L rows of X, no two of a pair equal
/// @param signs L of them: 1 for a pair that must link, -1 for one that cannot
Itml fit_itml(const MatrixView& X, std::span<const std::int64_t> pairs, std::span<const double> signs,
              double upper, double lower, double gamma, double tol, std::int64_t max_iter);

}  // namespace cladebench
