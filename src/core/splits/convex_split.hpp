// The convex problem of a split whose labels are fixed, weight/2 |w|^2 + hinges (eq. 16), and its solvers.
#pragma once

#include <cstddef>
#include <vector>

#include "splits/cutting_planes.hpp"
#include "splits/hinge_terms.hpp"
#include "splits/point_tiles.hpp"

namespace cladebench {

/// Finds the weights that are best for given terms, from any start, and a bound that proves how good they
/// are.
///
/// Cutting planes, with those of Franc and Sonnenburg's refinements (Optimized cutting plane algorithm for
/// support vector machines, ICML 2008): the best point moves along the ray to the minimiser of the model, by
/// a line search, and planes are laid a little further on. An evaluation reads the points twice, for the
/// scores of the model's minimiser and for the slope of a plane; everything else is done on scores.
class ConvexSplit {
 public:
  ConvexSplit(const PointTiles& points, double weight);

  /// Sets the problem: terms over the first `count` points, and weights to start from. If `ray`, the best
  /// multiple of the weights is taken. The terms are read as long as the problem is worked on.
  void pose(const HingeTerms& terms, std::size_t count, const std::vector<double>& start, bool ray);

  /// Goes on until value() - bound() <= gap * value() + 1e-6, or for so many evaluations; whether the gap is
  /// reached.
  bool minimise(double gap, int max_evaluations);

  /// The paper's Algorithm 1, its errata mended: steps -gradient / (weight r), r = 1, 2, ..., each followed
  /// by a projection on the ball of the given radius, until a step is at most `tolerance` of the larger of
  /// the norms before and after, or max_steps. best() is then the last point, as there, which need be none of
  /// the best; no bound (bound() is 0).
  bool descend(double radius, double tolerance, int max_steps);

  const std::vector<double>& best() const { return best_; }
  double value() const { return value_; }
  double bound() const { return bound_; }
  int evaluations() const { return evaluations_; }

 private:
  struct Step {
    double t, value;
  };
  double evaluate(const std::vector<double>& w, TermScores& scores);
  Step line_search(const TermScores& from, double square, double product, double step_square,
                   double tolerance);
  void lay_plane(const TermScores& at);

  const PointTiles& points_;
  double weight_;
  const HingeTerms* terms_ = nullptr;
  std::size_t count_ = 0;
  CuttingPlanes planes_;
  std::vector<double> best_, trial_, slope_;
  Floats scores_, coefficients_;
  TermScores at_best_, step_, at_cut_;
  double value_ = 0.0, bound_ = 0.0;
  int evaluations_ = 0;
};

}  // namespace cladebench
