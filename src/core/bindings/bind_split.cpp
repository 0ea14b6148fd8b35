#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "interruptible.hpp"
#include "splits/convex_split.hpp"
#include "splits/max_margin_split.hpp"
#include "splits/scatter_start.hpp"
#include "splits/split_labels.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::NodeProblem;
using cladebench::Pair;
using cladebench::SplitSettings;
using cladebench::to_numpy;
namespace checks = cladebench::checks;

namespace {

using Matrix = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = cladebench::Array<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Pairs = cladebench::Array<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A whole matrix as a node: all rows, all features.
class WholeNode {
 public:
  WholeNode(const Matrix& X, const Pairs& must, const Pairs& cannot, std::uint64_t seed)
      : rows_(checked(X).shape(0)),
        features_(X.shape(1)),
        must_(checks::pairs_of("must_link", must, X.shape(0))),
        cannot_(checks::pairs_of("cannot_link", cannot, X.shape(0))) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    std::iota(features_.begin(), features_.end(), 0U);
    problem_ = {X.data(), X.shape(1), rows_, features_, must_, cannot_, seed};
  }
  WholeNode(const WholeNode&) = delete;
  const NodeProblem& problem() const { return problem_; }

 private:
  static const Matrix& checked(const Matrix& X) {
    checks::not_empty("X", X);
    checks::finite("X", checks::span_of<double>(X));
    return X;
  }
  std::vector<std::uint32_t> rows_, features_;
  std::vector<Pair> must_, cannot_;
  NodeProblem problem_;
};

/// The convex problem of the labels that are best at given weights, for tests and measurements.
class FixedSplit {
 public:
  FixedSplit(const Matrix& X, const Pairs& must, const Pairs& cannot, const SplitSettings& settings,
             const Vector& labels_of)
      : X_(X),
        node_(X_, must, cannot, 0),
        settings_(settings),
        labels_(node_.problem(), settings_),
        points_(node_.problem(), labels_.order()),
        scores_(cladebench::PointTiles::room(points_.n())),
        coefficients_(scores_.size()),
        slope_(points_.width()) {
    check_weights(labels_of);
    points_.scores(labels_of.data(), points_.n(), scores_.data());
    labels_.choose(scores_.data(), true, terms_);
  }
  FixedSplit(const FixedSplit&) = delete;

  void check_weights(const Vector& w) const { checks::shape("w", w, {points_.width()}); }

  /// Loss and its gradient.
  double evaluate(const double* w) {
    products_scores(w);
    terms_.gather(scores_.data(), cladebench::HingeTerms::kSatisfied, at_);
    const double loss = terms_.loss(at_);
    terms_.cut(at_, points_.n(), coefficients_.data());
    points_.combine(coefficients_.data(), points_.n(), slope_.data());
    return loss;
  }
  /// The two products of an evaluation alone.
  void multiply(const double* w) {
    products_scores(w);
    points_.combine(coefficients_.data(), points_.n(), slope_.data());
  }
  const std::vector<double>& slope() const { return slope_; }

  auto minimise(const double* start, double gap, int most) {
    cladebench::ConvexSplit convex(points_, settings_.weight);
    convex.pose(terms_, points_.n(), {start, start + points_.width()}, false);
    if (settings_.subgradient) {
      convex.descend(cladebench::weights_radius(settings_), settings_.step_tolerance, most);
    } else {
      convex.minimise(gap, most);
    }
    return convex;
  }

 private:
  void products_scores(const double* w) { points_.scores(w, points_.n(), scores_.data()); }

  Matrix X_;
  WholeNode node_;
  SplitSettings settings_;
  cladebench::RelaxedLabels labels_;
  cladebench::PointTiles points_;
  cladebench::HingeTerms terms_;
  cladebench::TermScores at_;
  cladebench::Floats scores_, coefficients_;
  std::vector<double> slope_;
};

}  // namespace

void bind_split(nb::module_& m) {
  nb::enum_<cladebench::Start>(m, "SplitStart")
      .value("EIGENVECTOR", cladebench::Start::kEigenvector)
      .value("THROUGH_ZERO", cladebench::Start::kThroughZero)
      .value("RANDOM", cladebench::Start::kRandom);
  nb::class_<SplitSettings>(m, "SplitSettings")
      .def(nb::init<>())
      .def_rw("weight", &SplitSettings::weight)
      .def_rw("unconstrained", &SplitSettings::unconstrained)
      .def_rw("share", &SplitSettings::share)
      .def_rw("tolerance", &SplitSettings::tolerance)
      .def_rw("gap", &SplitSettings::gap)
      .def_rw("early_gap", &SplitSettings::early_gap)
      .def_rw("max_rounds", &SplitSettings::max_rounds)
      .def_rw("supervised_rounds", &SplitSettings::supervised_rounds)
      .def_rw("membership", &SplitSettings::membership)
      .def_rw("ridge", &SplitSettings::ridge)
      .def_rw("start", &SplitSettings::start)
      .def_rw("subgradient", &SplitSettings::subgradient)
      .def_rw("restart", &SplitSettings::restart)
      .def_rw("step_tolerance", &SplitSettings::step_tolerance)
      .def_rw("max_steps", &SplitSettings::max_steps);
  m.def(
      "max_margin_split",
      [](Matrix X, Pairs must_link, Pairs cannot_link, const SplitSettings& settings, std::uint64_t seed) {
        auto fit = cladebench::interruptible([&] {
          const WholeNode node(X, must_link, cannot_link, seed);
          return cladebench::max_margin_split(node.problem(), settings);
        });
        return nb::make_tuple(to_numpy(std::move(fit.weights)), to_numpy(std::move(fit.trace)), fit.warm_up,
                              fit.rounds, fit.evaluations, fit.objective, fit.gap, fit.converged,
                              fit.constrained);
      },
      nb::arg("X"), nb::arg("must_link"), nb::arg("cannot_link"), nb::arg("settings"), nb::arg("seed"),
      "See cladebench.solvers.max_margin_split.");
  m.def(
      "scatter_direction",
      [](Matrix X, Pairs must_link, Pairs cannot_link, double ridge) {
        const WholeNode node(X, must_link, cannot_link, 0);
        return to_numpy(
            cladebench::interruptible([&] { return cladebench::scatter_direction(node.problem(), ridge); }));
      },
      nb::arg("X"), nb::arg("must_link"), nb::arg("cannot_link"), nb::arg("ridge"),
      "See cladebench.solvers.max_margin_split.scatter_direction.");
  nb::class_<FixedSplit>(m, "FixedSplit", "A split's convex problem with the labels that are best at w.")
      .def(nb::init<const Matrix&, const Pairs&, const Pairs&, const SplitSettings&, const Vector&>(),
           nb::arg("X"), nb::arg("must_link"), nb::arg("cannot_link"), nb::arg("settings"), nb::arg("w"))
      .def(
          "evaluate",
          [](FixedSplit& self, const Vector& w, int repeats) {
            self.check_weights(w);
            double loss = 0.0;
            cladebench::interruptible([&] {
              for (int k = 0; k < repeats; ++k) loss = self.evaluate(w.data());
            });
            return nb::make_tuple(loss, to_numpy(std::vector<double>(self.slope())));
          },
          nb::arg("w"), nb::arg("repeats") = 1, "Loss, without the norm, and a subgradient.")
      .def(
          "multiply",
          [](FixedSplit& self, const Vector& w, int repeats) {
            self.check_weights(w);
            cladebench::interruptible([&] {
              for (int k = 0; k < repeats; ++k) self.multiply(w.data());
            });
          },
          nb::arg("w"), nb::arg("repeats") = 1, "The two products of an evaluation alone, for measurement.")
      .def(
          "minimise",
          [](FixedSplit& self, const Vector& w, double gap, int most) {
            self.check_weights(w);
            const auto convex = cladebench::interruptible([&] { return self.minimise(w.data(), gap, most); });
            return nb::make_tuple(to_numpy(std::vector<double>(convex.best())), convex.value(),
                                  convex.bound(), convex.evaluations());
          },
          nb::arg("w"), nb::arg("gap"), nb::arg("most"), "Weights, objective, a bound of it, evaluations.");
}
