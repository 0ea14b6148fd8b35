#include "splits/max_margin_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "common/random.hpp"
#include "splits/convex_split.hpp"
#include "splits/scatter_start.hpp"
#include "splits/split_labels.hpp"

namespace cladebench {
namespace {

double square(const std::vector<double>& w) {
  double sum = 0.0;
  for (const double entry : w) sum += entry * entry;
  return sum;
}

/// |a - b| / max(|a|, |b|), 0 if both are 0.
double relative_change(const std::vector<double>& a, const std::vector<double>& b) {
  double moved = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) moved += (a[j] - b[j]) * (a[j] - b[j]);
  const double larger = std::max(square(a), square(b));
  return larger > 0.0 ? std::sqrt(moved / larger) : 0.0;
}

/// Rounds of choosing labels by the weights and finding weights for these labels. Neither raises the
/// objective: the labels are the best for the weights, and the convex solver starts from the weights.
/// Algorithm 1 may raise it; rounds then end by the change of the weights alone, as Algorithm 2 has it.
class Rounds {
 public:
  Rounds(const PointTiles& points, const SplitSettings& settings, std::uint64_t seed, SplitFit& fit)
      : points_(points),
        settings_(settings),
        random_(seed_of(seed, 0)),
        fit_(fit),
        convex_(points, settings.weight),
        scores_(PointTiles::room(points.n())),
        next_scores_(scores_.size()) {}

  /// Only signs and order of the first weights' scores matter: labels do not depend on their scale, and the
  /// solver starts from their best multiple.
  void start(std::vector<double> weights) {
    fit_.weights = std::move(weights);
    points_.scores(fit_.weights.data(), points_.n(), scores_.data());
  }
  const Floats& scores() const { return scores_; }

  /// The convex objective of the start's labels at its best multiple.
  template <class Choose>
  double promise(std::size_t count, const Choose& choose) {
    choose(scores_.data(), terms_);
    convex_.pose(terms_, count, fit_.weights, true);
    return convex_.value();
  }

  /// At most so many rounds over the first `count` points, with labels by choose(scores, terms); unless
  /// `final`, with the early gap alone. Whether they converged: labels stay, or the weights change by little.
  template <class Choose>
  bool run(std::size_t count, int most, bool final, const Choose& choose) {
    choose(scores_.data(), terms_);
    objective_ = objective(fit_.weights, scores_, terms_);
    bool posed = false, tight = false;
    for (int round = 0; round < most; ++round) {
      if (!posed) pose(count);
      const bool solved = solve(tight);
      const std::vector<double>& next = convex_.best();
      points_.scores(next.data(), points_.n(), next_scores_.data());
      choose(next_scores_.data(), next_terms_);
      const double value = objective(next, next_scores_, next_terms_);
      double change = 0.0;
      posed = true;
      if (first_ || settings_.subgradient || value < objective_) {  // else it is no better but for rounding
        change = relative_change(fit_.weights, next);
        posed = terms_.same_terms(next_terms_);
        objective_ = value;
        fit_.weights = next;
        std::swap(scores_, next_scores_);
        std::swap(terms_, next_terms_);
        first_ = false;
      }
      ++fit_.rounds;
      fit_.trace.push_back(objective_);
      if (settings_.subgradient) {
        posed = false;
        if (final && change <= settings_.tolerance) return solved;
        continue;
      }
      if (!posed && !(final && change <= settings_.tolerance)) continue;
      if (!final || tight) return solved;
      tight = true;
    }
    return false;
  }

 private:
  void pose(std::size_t count) {
    if (settings_.subgradient && settings_.restart) {
      convex_.pose(terms_, count, random_point(), false);
    } else {
      convex_.pose(terms_, count, fit_.weights, first_);
    }
  }

  /// Uniform in the ball of Algorithm 1.
  std::vector<double> random_point() {
    std::vector<double> w(points_.width());
    for (double& entry : w) entry = random_.normal();
    const double share = std::pow(random_.uniform(), 1.0 / static_cast<double>(w.size()));
    const double scale = weights_radius(settings_) * share / std::sqrt(square(w));
    for (double& entry : w) entry *= scale;
    return w;
  }

  bool solve(bool tight) {
    bool solved = true;
    if (settings_.subgradient) {
      solved = convex_.descend(weights_radius(settings_), settings_.step_tolerance, settings_.max_steps);
    } else {
      solved = convex_.minimise(tight ? settings_.gap : settings_.early_gap, settings_.max_steps);
    }
    fit_.gap = std::max(convex_.value() - convex_.bound(), 0.0);
    fit_.evaluations = convex_.evaluations();
    return solved;
  }

  double objective(const std::vector<double>& w, const Floats& scores, const HingeTerms& terms) {
    terms.gather(scores.data(), HingeTerms::kSatisfied, at_);
    return 0.5 * settings_.weight * square(w) + terms.loss(at_);
  }

  const PointTiles& points_;
  const SplitSettings& settings_;
  Random random_;
  SplitFit& fit_;
  ConvexSplit convex_;
  Floats scores_, next_scores_;
  HingeTerms terms_, next_terms_;
  TermScores at_;
  double objective_ = 0.0;
  bool first_ = true;
};

/// Scores of the node's rows, in the given order, in double precision.
std::vector<double> exact_scores(const NodeProblem& problem, std::span<const std::uint32_t> order,
                                 const std::vector<double>& w) {
  std::vector<double> scores(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double* row = problem.row(order[i]);
    double sum = w[problem.d()];
    for (std::size_t j = 0; j < problem.d(); ++j) sum += w[j] * row[problem.features[j]];
    scores[i] = sum;
  }
  return scores;
}

/// From a random direction through the median of the points.
void start_at_random(const NodeProblem& problem, const PointTiles& points, Rounds& rounds) {
  Random random(problem.seed);
  std::vector<double> start(points.width());
  for (std::size_t j = 0; j + 1 < points.width(); ++j) start[j] = random.normal();
  rounds.start(start);
  std::vector<float> sorted(rounds.scores().begin(), rounds.scores().begin() + problem.n());
  for (float& score : sorted) score = std::isnan(score) ? 0.0F : score;  // of scores that overflow: no order
  std::nth_element(sorted.begin(), sorted.begin() + problem.n() / 2, sorted.end());
  start.back() = -static_cast<double>(sorted[problem.n() / 2]);
  rounds.start(start);
}

/// From the eigenvector of (11), through 0 or through the mean of the points.
template <class Choose>
void start_at_eigenvector(const NodeProblem& problem, const SplitSettings& settings, const PointTiles& points,
                          std::size_t count, const Choose& choose, Rounds& rounds) {
  std::vector<double> start = scatter_direction(problem, settings.ridge);
  start.push_back(0.0);
  rounds.start(start);
  if (settings.start == Start::kThroughZero) return;
  std::vector<double> centred = start;
  double sum = 0.0;
  for (std::size_t i = 0; i < points.n(); ++i) sum += rounds.scores()[i];
  centred.back() = -sum / static_cast<double>(points.n());
  const double through_zero = rounds.promise(count, choose);
  rounds.start(centred);
  if (!(rounds.promise(count, choose) < through_zero)) rounds.start(start);
}

void split_with_constraints(const NodeProblem& problem, const SplitSettings& settings, bool with_objective,
                            SplitFit& fit) {
  RelaxedLabels labels(problem, settings);
  const PointTiles points(problem, labels.order());
  Rounds rounds(points, settings, problem.seed, fit);
  const auto supervised = [&](const float* scores, HingeTerms& terms) {
    labels.choose(scores, false, terms);
  };
  const auto all = [&](const float* scores, HingeTerms& terms) { labels.choose(scores, true, terms); };
  if (settings.start == Start::kRandom) {
    start_at_random(problem, points, rounds);
  } else {
    start_at_eigenvector(problem, settings, points, labels.count(false), supervised, rounds);
  }
  if (labels.has_unconstrained()) {
    rounds.run(labels.count(false), std::min(settings.supervised_rounds, settings.max_rounds), false,
               supervised);
    fit.warm_up = fit.rounds;
  }
  fit.converged = rounds.run(labels.count(true), settings.max_rounds - fit.rounds, true, all);
  if (!with_objective) return;
  fit.objective = 0.5 * settings.weight * square(fit.weights) +
                  labels.loss(exact_scores(problem, labels.order(), fit.weights).data());
}

void split_without(const NodeProblem& problem, const SplitSettings& settings, bool with_objective,
                   SplitFit& fit) {
  std::vector<std::uint32_t> order(problem.n());
  std::iota(order.begin(), order.end(), 0U);
  const PointTiles points(problem, order);
  BalancedLabels labels(problem.n(), settings);
  SplitSettings by_planes = settings;  // Algorithm 1 is of the semi-supervised problem
  by_planes.subgradient = false;
  Rounds rounds(points, by_planes, problem.seed, fit);
  start_at_random(problem, points, rounds);
  const auto choose = [&](const float* scores, HingeTerms& terms) { labels.choose(scores, terms); };
  fit.converged = rounds.run(problem.n(), settings.max_rounds, true, choose);
  if (!with_objective) return;
  fit.objective = 0.5 * settings.weight * square(fit.weights) +
                  labels.loss(exact_scores(problem, order, fit.weights).data());
}

}  // namespace

SplitFit max_margin_split(const NodeProblem& problem, const SplitSettings& settings, bool with_objective) {
  SplitFit fit;
  fit.constrained = !problem.cannot_link.empty();
  if (problem.n() == 0) throw std::invalid_argument("the node has no rows; expected at least one");
  if (fit.constrained) {
    split_with_constraints(problem, settings, with_objective, fit);
  } else {
    split_without(problem, settings, with_objective, fit);
  }
  return fit;
}

}  // namespace cladebench
