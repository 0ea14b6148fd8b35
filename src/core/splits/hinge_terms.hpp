// The losses of a max-margin split once its labels are fixed: sums of hinges over scores of points.
//
// With the satisfying labels of a pair fixed, its loss is one hinge. Let a, b be the scores of its points.
//   must-link, both labelled z:  1 - (z (a + b) - |a - b|) = 1 - 2 min(z a, z b),
//   cannot-link, z and -z:       1 - (z (a - b) - |a + b|) = 1 - 2 min(z a, -z b),
//   a single point, y:           1 - 2 y a,
// because p + q - |p - q| = 2 min(p, q). So all are max(0, 1 - 2 min(u, v)) of two signed scores: convex in
// the weights, and with the best labels for given weights z (a + b) is |a + b|, and so on: the losses of (8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/float_lanes.hpp"

namespace cladebench {

/// The signed scores u, v of all terms, at some weights.
struct TermScores {
  Floats u, v;
};

/// sum over groups of weight * sum over the group's terms of max(0, 1 - 2 min(u, v)).
class HingeTerms {
 public:
  void clear();
  void begin_group(double weight);
  /// u = first_sign * score of first, v = second_sign * score of second. Terms of the same key in other
  /// rounds are of the same constraint or point: they have the same points, with signs that are the same or
  /// opposite.
  void add(std::uint32_t key, std::uint32_t first, float first_sign, std::uint32_t second,
           float second_sign) {
    terms_.push_back({key, {first, second}, {first_sign, second_sign}});
  }
  void end_group();

  bool same_terms(const HingeTerms& other) const {
    return terms_ == other.terms_ && weights_ == other.weights_;
  }

  /// What fills groups up to whole vectors gets `filling`: kSatisfied for scores, 0 for differences of
  /// scores.
  void gather(const float* scores, float filling, TermScores& out) const;
  static constexpr float kSatisfied = 1.0F;

  struct Value {
    double loss, slope;
  };
  /// Loss at from + t step, and a subgradient in t.
  Value along(const TermScores& from, const TermScores& step, double t) const;
  double loss(const TermScores& at) const;

  /// Coefficients of the points in a subgradient of the loss, room(count) numbers; returns the sum of the
  /// weights of the terms in force: loss(w') >= result + sum_i coefficients[i] point_i . w' for all w'.
  double cut(const TermScores& at, std::size_t count, float* coefficients) const;

  std::size_t size() const { return terms_.size(); }

  struct Term {
    std::uint32_t key, points[2];
    float signs[2];
    bool operator==(const Term&) const = default;
  };
  struct Group {
    std::size_t begin, end;  ///< of its terms; what fills the last vector up lies behind
    double weight;
  };
  const std::vector<Term>& terms() const { return terms_; }
  const std::vector<Group>& groups() const { return groups_; }

 private:
  std::vector<Term> terms_;
  std::vector<Group> groups_;
  std::vector<double> weights_;
};

/// from += t step.
void move(TermScores& from, const TermScores& step, double t);

}  // namespace cladebench
