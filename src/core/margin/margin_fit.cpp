#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "margin/margin.hpp"
#include "margin/proximal.hpp"
#include "margin/quasi_newton.hpp"

namespace cladebench {
namespace {

constexpr std::size_t kMemory = 10;
/// Share of the subproblem's residual that its solution may leave, and its steps at most.
constexpr double kModelTol = 0.3;
constexpr int kModelIterations = 100;
/// Binary orders between the mean of the features' curvatures and their mean order, from which on each
/// feature is measured in its own unit. Principal components of images have about one, and gain nothing;
/// where it is four or five a fit takes a fifth of the steps.
constexpr double kUnlike = 3.0;
/// Least share of the largest curvature that a feature is taken to have.
constexpr double kLeastCurvature = 1e-6;
/// Share of the promised decrease that a step must bring, and the shortest step tried.
constexpr double kSufficient = 1e-4;
constexpr double kShortest = 1e-10;
/// Rises of the objective below this, relatively, are rounding.
constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();

struct Point {
  explicit Point(std::size_t size) : W(size), gradient(size) {}
  std::vector<double> W, gradient;  ///< gradient of loss + ridge
  double loss = 0.0, objective = 0.0;
};

class Fit {
 public:
  Fit(MarginLoss& loss, const MarginPenalty& weights, double tol)
      : loss_(loss),
        size_(loss.K() * loss.P()),
        penalty_(loss.K(), loss.P(), weights.group, weights.l1, weights.ridge),
        units_(loss.P(), 1.0),
        unit_group_(weights.group.begin(), weights.group.end()),
        unit_l1_(weights.l1.begin(), weights.l1.end()),
        unit_penalty_(loss.K(), loss.P(), unit_group_, unit_l1_, weights.ridge),
        penalty_weights_(weights),
        model_(unit_penalty_),
        lbfgs_(size_, kMemory),
        now_(size_),
        trial_(size_),
        step_(size_),
        unit_W_(size_),
        unit_gradient_(size_),
        tol_(tol) {}

  MarginFit run(std::span<const double> start, std::int64_t max_iter) {
    begin(start);
    std::int64_t n_iter = 0;
    double residual = relative_residual();
    if (residual > tol_ && max_iter > 0) {
      centre();
      residual = relative_residual();
    }
    while (residual > tol_ && n_iter < max_iter && advance()) {
      ++n_iter;
      centre();
      residual = relative_residual();
    }
    return {std::move(now_.W), now_.objective, now_.loss, residual, n_iter, n_passes_, residual <= tol_};
  }

 private:
  void begin(std::span<const double> start) {
    loss_.keep_scores();
    MarginLoss::AtZero zero = loss_.at_zero();
    ++n_passes_;
    if (!std::isfinite(zero.mean_square)) {
      throw std::invalid_argument(
          "X has entries that are NaN or infinite, or whose squares overflow; expected finite numbers");
    }
    const double norm = std::sqrt(dot(zero.gradient.data(), zero.gradient.data(), size_));
    scale_ = std::max(norm, 1e-10 * std::sqrt(zero.mean_square));
    if (!(scale_ > 0.0)) scale_ = 1.0;
    choose_units(zero);
    const bool cold = std::all_of(start.begin(), start.end(), [](double w) { return w == 0.0; });
    if (cold) {
      now_.loss = now_.objective = zero.loss;
      now_.gradient = std::move(zero.gradient);
    } else {
      now_.W.assign(start.begin(), start.end());
      evaluate(now_);
    }
    loss_.accept();
  }

  /// The curvature at zero differs from feature to feature as their squares do. Where it differs much,
  /// entries of W are measured in units in which it is alike: the matrix of curvature starts from one that
  /// fits, and the penalties, whose groups are features, keep their form.
  void choose_units(const MarginLoss::AtZero& zero) {
    const std::size_t P = units_.size();
    const double K = static_cast<double>(loss_.K());
    const double mean = 4.0 * zero.mean_square / (K * static_cast<double>(P));
    lbfgs_.reset(mean > 0.0 ? mean : 1.0);
    double sum = 0.0, orders = 0.0, most = 0.0, count = 0.0;
    for (const double square : zero.mean_squares) {
      if (!(square > 0.0)) continue;  // a feature that no row has
      sum += square;
      orders += std::logb(square);  // exact on every machine, unlike a logarithm
      most = std::max(most, square);
      count += 1.0;
    }
    if (!(std::logb(sum / count) - orders / count > kUnlike)) return;
    lbfgs_.reset(4.0 * most / K);
    for (std::size_t p = 0; p < P; ++p) {
      units_[p] = std::sqrt(std::max(zero.mean_squares[p] / most, kLeastCurvature));
      unit_group_[p] = penalty_weights_.group[p] / units_[p];
      unit_l1_[p] = penalty_weights_.l1[p] / units_[p];
    }
  }

  /// Models to units, gradients from them.
  void multiply_by_units(const std::vector<double>& from, std::vector<double>& to) const {
    const std::size_t P = units_.size();
    for (std::size_t k = 0; k < size_; k += P) {
      for (std::size_t p = 0; p < P; ++p) to[k + p] = from[k + p] * units_[p];
    }
  }
  void divide_by_units(const std::vector<double>& from, std::vector<double>& to) const {
    const std::size_t P = units_.size();
    for (std::size_t k = 0; k < size_; k += P) {
      for (std::size_t p = 0; p < P; ++p) to[k + p] = from[k + p] / units_[p];
    }
  }

  void evaluate(Point& point) {
    point.loss = loss_.evaluate(point.W.data(), point.gradient.data());
    ++n_passes_;
    penalty_.add_ridge_gradient(point.W.data(), point.gradient.data());
    point.objective = point.loss + penalty_.ridge_value(point.W.data()) + penalty_.value(point.W.data());
  }

  /// The loss knows nothing of a shift common to all models, and a model of its curvature little: the best
  /// one is taken directly.
  void centre() {
    std::copy(now_.W.begin(), now_.W.end(), step_.begin());
    penalty_.centre(now_.W.data());
    if (now_.W == step_) return;
    penalty_.add_ridge_gradient(now_.W.data(), now_.gradient.data());
    for (std::size_t k = 0; k < size_; ++k) step_[k] = -step_[k];
    penalty_.add_ridge_gradient(step_.data(), now_.gradient.data());
    now_.objective = now_.loss + penalty_.ridge_value(now_.W.data()) + penalty_.value(now_.W.data());
  }

  double relative_residual() const {
    return std::sqrt(penalty_.residual_squared(now_.W.data(), now_.gradient.data())) / scale_;
  }

  /// One step; false if none lowers the objective.
  bool advance() {
    if (step()) return true;
    if (!lbfgs_.has_pairs()) return false;
    lbfgs_.reset(lbfgs_.theta());
    return step();
  }

  bool step() {
    divide_by_units(now_.gradient, unit_gradient_);
    if (penalty_.is_smooth()) {
      lbfgs_.solve(unit_gradient_.data(), unit_W_.data());
      divide_by_units(unit_W_, step_);
      for (std::size_t k = 0; k < size_; ++k) trial_.W[k] = now_.W[k] - step_[k];
    } else {
      multiply_by_units(now_.W, unit_W_);
      model_.minimise(lbfgs_, unit_W_.data(), unit_gradient_.data(), kModelTol, kModelIterations,
                      trial_.W.data());
      divide_by_units(trial_.W, trial_.W);
    }
    for (std::size_t k = 0; k < size_; ++k) step_[k] = trial_.W[k] - now_.W[k];
    const double promised = dot(now_.gradient.data(), step_.data(), size_) + penalty_.value(trial_.W.data()) -
                            penalty_.value(now_.W.data());
    if (!(promised < 0.0)) return false;
    evaluate(trial_);
    if (!is_enough(trial_.objective, promised, 1.0)) {
      if (!backtrack(promised)) return false;
      evaluate(trial_);
    }
    for (std::size_t k = 0; k < size_; ++k) {
      step_[k] = trial_.W[k] - now_.W[k];
      now_.gradient[k] = trial_.gradient[k] - now_.gradient[k];
    }
    multiply_by_units(step_, step_);
    divide_by_units(now_.gradient, now_.gradient);
    lbfgs_.update(step_.data(), now_.gradient.data());
    std::swap(now_, trial_);
    loss_.accept();
    return true;
  }

  bool is_enough(double objective, double promised, double t) const {
    return objective <= now_.objective + kSufficient * t * promised + kRounding * std::fabs(now_.objective);
  }

  /// Shortens the step until the objective falls by enough; leaves the point in trial_.W.
  bool backtrack(double promised) {
    double t = 1.0, objective = trial_.objective;
    while (true) {
      // The minimiser of the parabola with this slope and this value at t.
      const double bend = objective - now_.objective - t * promised;
      t *= std::clamp(-0.5 * t * promised / bend, 0.1, 0.5);
      if (!(t >= kShortest)) return false;
      for (std::size_t k = 0; k < size_; ++k) trial_.W[k] = now_.W[k] + t * step_[k];
      objective = loss_.along(t) + penalty_.ridge_value(trial_.W.data()) + penalty_.value(trial_.W.data());
      if (is_enough(objective, promised, t)) return true;
    }
  }

  MarginLoss& loss_;
  std::size_t size_;
  SparseGroupPenalty penalty_;
  std::vector<double> units_, unit_group_, unit_l1_;  ///< P each
  SparseGroupPenalty unit_penalty_;                   ///< of models in units
  MarginPenalty penalty_weights_;
  ProximalModel model_;
  CompactLbfgs lbfgs_;
  Point now_, trial_;
  std::vector<double> step_, unit_W_, unit_gradient_;
  double tol_, scale_ = 1.0;
  std::int64_t n_passes_ = 0;
};

}  // namespace

MarginFit fit_margin(MarginLoss& loss, const MarginPenalty& penalty, std::span<const double> start,
                     double tol, std::int64_t max_iter) {
  return Fit(loss, penalty, tol).run(start, max_iter);
}

}  // namespace cladebench
