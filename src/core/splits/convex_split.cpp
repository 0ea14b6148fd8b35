#include "splits/convex_split.hpp"

#include <algorithm>
#include <cmath>

namespace cladebench {
namespace {

/// How far beyond the best point, on the way to the model's minimiser, the next plane is laid.
constexpr double kBeyond = 0.1;
/// Share of the gap that a line search, or the dual of the model, may leave.
constexpr double kShareOfGap = 0.1;
/// Differences of objectives that single precision does not resolve: losses are of the order of 1.
constexpr double kResolution = 1e-6;
constexpr double kRayTolerance = 1e-3;
constexpr int kSearchSteps = 16, kDoublings = 40;

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// a.a, a.b and b.b, each in the order of its entries: three sums that do not wait for each other.
struct Products {
  double a_a = 0.0, a_b = 0.0, b_b = 0.0;

  Products(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      a_a += a[j] * a[j];
      a_b += a[j] * b[j];
      b_b += b[j] * b[j];
    }
  }
};

}  // namespace

ConvexSplit::ConvexSplit(const PointTiles& points, double weight)
    : points_(points),
      weight_(weight),
      planes_(points.width(), weight),
      best_(points.width()),
      trial_(points.width()),
      slope_(points.width()),
      scores_(PointTiles::room(points.n())),
      coefficients_(PointTiles::room(points.n())) {}

double ConvexSplit::evaluate(const std::vector<double>& w, TermScores& scores) {
  points_.scores(w.data(), count_, scores_.data());
  terms_->gather(scores_.data(), HingeTerms::kSatisfied, scores);
  return 0.5 * weight_ * inner(w, w) + terms_->loss(scores);
}

void ConvexSplit::pose(const HingeTerms& terms, std::size_t count, const std::vector<double>& start,
                       bool ray) {
  terms_ = &terms;
  count_ = count;
  planes_.clear();
  bound_ = 0.0;
  best_ = start;
  value_ = evaluate(best_, at_best_);
  ++evaluations_;
  if (ray) {
    terms_->gather(scores_.data(), 0.0F, step_);
    std::fill(scores_.begin(), scores_.end(), 0.0F);
    terms_->gather(scores_.data(), HingeTerms::kSatisfied, at_best_);
    const Step found = line_search(at_best_, 0.0, 0.0, inner(best_, best_), kRayTolerance * value_);
    for (double& entry : best_) entry *= found.t;
    move(at_best_, step_, found.t);
    value_ = found.value;
  }
  lay_plane(at_best_);
}

void ConvexSplit::lay_plane(const TermScores& at) {
  const double intercept = terms_->cut(at, count_, coefficients_.data());
  points_.combine(coefficients_.data(), count_, slope_.data());
  planes_.add(intercept, slope_.data());
}

/// Minimises weight/2 |w + t step|^2 + loss over t >= 0 to within the tolerance, or nearly so: between two
/// points with slopes of different signs, next where their tangents meet, which bounds what can be gained.
ConvexSplit::Step ConvexSplit::line_search(const TermScores& from, double square, double product,
                                           double step_square, double tolerance) {
  struct Place {
    double t, value, slope;
  };
  const auto look = [&](double t) {
    const HingeTerms::Value loss = terms_->along(from, step_, t);
    return Place{t, loss.loss + 0.5 * weight_ * (square + t * (2.0 * product + t * step_square)),
                 loss.slope + weight_ * (product + t * step_square)};
  };
  Place low = look(0.0);
  if (!(low.slope < 0.0)) return {0.0, low.value};
  Place high = look(1.0);
  for (int k = 0; k < kDoublings && high.slope < 0.0; ++k) {
    low = high;
    high = look(2.0 * low.t);
  }
  for (int k = 0; k < kSearchSteps && low.slope < high.slope; ++k) {
    const double width = high.t - low.t;
    const double meet = (high.value - high.slope * width - low.value) / (low.slope - high.slope);
    if (std::min(low.value, high.value) - (low.value + low.slope * meet) <= tolerance) break;
    const Place next = look(low.t + std::clamp(meet, 0.05 * width, 0.95 * width));
    (next.slope < 0.0 ? low : high) = next;
  }
  return low.value <= high.value ? Step{low.t, low.value} : Step{high.t, high.value};
}

bool ConvexSplit::minimise(double gap, int max_evaluations) {
  for (int k = 0;; ++k) {
    bound_ = std::max(bound_, planes_.solve(kShareOfGap * std::max(gap * value_, value_ - bound_)));
    if (value_ - bound_ <= gap * value_ + kResolution) return true;
    if (k >= max_evaluations) return false;
    planes_.minimiser(trial_.data());
    for (std::size_t j = 0; j < trial_.size(); ++j) trial_[j] -= best_[j];
    points_.scores(trial_.data(), count_, scores_.data());
    terms_->gather(scores_.data(), 0.0F, step_);
    ++evaluations_;
    const Products products(best_, trial_);
    const Step found = line_search(at_best_, products.a_a, products.a_b, products.b_b,
                                   kShareOfGap * std::max(value_ - bound_, gap * value_));
    const double t = found.value < value_ ? found.t : 0.0;
    if (t > 0.0) {
      for (std::size_t j = 0; j < trial_.size(); ++j) best_[j] += t * trial_[j];
      move(at_best_, step_, t);
      value_ = found.value;
    }
    at_cut_ = at_best_;
    move(at_cut_, step_, kBeyond * (1.0 - t));
    lay_plane(at_cut_);
  }
}

bool ConvexSplit::descend(double radius, double tolerance, int max_steps) {
  std::vector<double>& w = best_;
  std::vector<double> before;
  TermScores& at = at_best_;
  for (int r = 1; r <= max_steps; ++r) {
    terms_->cut(at, count_, coefficients_.data());
    points_.combine(coefficients_.data(), count_, slope_.data());
    before = w;
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= (weight_ * w[j] + slope_[j]) / (weight_ * r);
    const double norm = std::sqrt(inner(w, w));
    if (norm > radius) {
      for (double& entry : w) entry *= radius / norm;
    }
    value_ = evaluate(w, at);
    ++evaluations_;
    double moved = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) moved += (w[j] - before[j]) * (w[j] - before[j]);
    const double larger = std::max(std::min(norm, radius), std::sqrt(inner(before, before)));
    if (std::sqrt(moved) <= tolerance * larger) return true;
  }
  return false;
}

}  // namespace cladebench
