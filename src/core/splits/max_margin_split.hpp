// The max-margin split of one node of a hierarchy: semi-supervised and relaxed, or unsupervised with a least
// membership of each side.
//
// D. M. Johnson, C. Xiong and J. J. Corso, Semi-supervised nonlinear distance metric learning via forests of
// max-margin cluster hierarchies, section 3; M. Hoai and F. De la Torre, Maximum margin temporal clustering,
// AISTATS 2012, for the membership requirement.
#pragma once

#include <cmath>
#include <vector>

#include "splits/node_problem.hpp"

namespace cladebench {

/// What a split with cannot-links starts from: the eigenvector of (11) through the mean of the points or
/// through 0, whichever is better; the same through 0 alone; or a random direction through the median.
enum class Start { kEigenvector, kThroughZero, kRandom };

struct SplitSettings {
  double weight = 0.01;        ///< lambda, of |w|^2 / 2
  double unconstrained = 1.0;  ///< C, of the points without a constraint
  double share = 0.25;         ///< of the cannot-links that is to be satisfied: L'_C / L_C
  double tolerance = 0.01;     ///< eps_2: relative change of the weights at which rounds end
  double gap = 0.01;           ///< relative duality gap of the last convex problem
  double early_gap = 0.1;      ///< of those before
  int max_rounds = 50;         ///< of fixing labels and solving a convex problem
  int supervised_rounds = 3;   ///< of these the first, without the unconstrained points (C = 0)
  double membership = 0.25;    ///< share of the points labelled as of each side, without a cannot-link
  double ridge = 0.01;         ///< of S_M, relative to the mean of its diagonal
  Start start = Start::kEigenvector;
  bool subgradient = false;      ///< Algorithm 1, from the last weights, in place of cutting planes
  bool restart = false;          ///< Algorithm 1 from a random point of its ball, as it is printed
  double step_tolerance = 0.01;  ///< eps_1: relative size of a step at which Algorithm 1 ends
  int max_steps = 5000;          ///< of Algorithm 1, or evaluations of cutting planes, a convex problem
};

/// Radius of a ball that holds the best weights: the weights of the loss's three terms over lambda. Equation
/// 22 has one less: there must- and cannot-links are one term.
inline double weights_radius(const SplitSettings& settings) {
  return std::sqrt((2.0 + settings.unconstrained) / settings.weight);
}

struct SplitFit {
  std::vector<double> weights;  ///< d + 1, the constant's last
  std::vector<double> trace;    ///< the objective after each round, from scores in single precision
  int warm_up = 0;              ///< rounds of the trace that leave the unconstrained points out (C = 0)
  int rounds = 0, evaluations = 0;
  double objective = 0.0;  ///< (8) at the weights, or the objective of the unsupervised problem; in double
  double gap = 0.0;        ///< objective of the last convex problem less its bound; with subgradients, less 0
  bool converged = false, constrained = false;
};

/// Splits by relaxed semi-supervised clustering (eq. 8, Algorithm 2) if there is a cannot-link, else with a
/// membership requirement (section 3.3). Results depend on the problem, its seed and the settings alone.
///
/// Values are used in single precision: their magnitudes must be below 1e15. O(n d + L) an evaluation,
/// O(L d^2 + d^3) for the start of a semi-supervised split. A forest has no use for the objective.
SplitFit max_margin_split(const NodeProblem& problem, const SplitSettings& settings,
                          bool with_objective = true);

}  // namespace cladebench
