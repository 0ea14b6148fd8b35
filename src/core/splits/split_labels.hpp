// What a split's labels may be: the terms that its convex problem has once they are fixed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "splits/hinge_terms.hpp"
#include "splits/max_margin_split.hpp"
#include "splits/node_problem.hpp"

namespace cladebench {

/// Labels of the relaxed semi-supervised problem (8). Its points are put in order: those of a constraint
/// first.
class RelaxedLabels {
 public:
  RelaxedLabels(const NodeProblem& problem, const SplitSettings& settings);

  /// Places of the node's rows, in order.
  std::span<const std::uint32_t> order() const { return order_; }
  /// Points that take part.
  std::size_t count(bool with_unconstrained) const {
    return with_unconstrained ? order_.size() : n_constrained_;
  }
  std::size_t n_keys() const { return must_.size() + cannot_.size() + order_.size(); }
  bool has_unconstrained() const { return n_constrained_ < order_.size() && unconstrained_ > 0.0; }

  /// The labels that are best at the given scores of the points in order (eqs 12-15; ties: the sign +, and
  /// the constraint that comes first). The terms' loss at these scores is that of (8).
  void choose(const float* scores, bool with_unconstrained, HingeTerms& terms);

  /// The loss of (8) at scores in double precision.
  double loss(const double* scores) const;

 private:
  template <class Score>
  void rank_cannot_links(const Score* scores, std::vector<Score>& margins,
                         std::vector<std::uint32_t>& chosen) const;

  double unconstrained_;
  std::size_t n_constrained_ = 0, n_chosen_;
  std::vector<std::uint32_t> order_, chosen_;
  std::vector<Pair> must_, cannot_;  ///< by places in order
  std::vector<float> margins_;
};

/// Labels of the unsupervised problem: at least `least` points on each side.
class BalancedLabels {
 public:
  BalancedLabels(std::size_t n, const SplitSettings& settings);

  /// The signs of the scores (+ for 0), but for the flips that the requirement makes necessary: those that
  /// cost least, ties by index. The terms' loss is the least that labels can have at these scores.
  void choose(const float* scores, HingeTerms& terms);
  double loss(const double* scores) const;

  std::size_t n_keys() const { return n_; }
  std::size_t least() const { return least_; }

 private:
  template <class Score>
  void find_signs(const Score* scores, std::vector<float>& signs) const;

  double unconstrained_;
  std::size_t n_, least_;
  std::vector<float> signs_;
};

}  // namespace cladebench
