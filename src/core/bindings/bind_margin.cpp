#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "interruptible.hpp"
#include "margin/margin.hpp"
#include "margin/proximal.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::MatrixView;
using cladebench::to_numpy;
namespace checks = cladebench::checks;

namespace {

/// Models beyond the number of rows that may be asked for.
constexpr std::size_t kMostClusters = 1 << 16;

template <typename T>
using Vector = cladebench::Array<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

MatrixView view(const Matrix& X) { return {X.data(), X.shape(0), X.shape(1)}; }

}  // namespace

void bind_margin(nb::module_& m) {
  m.def(
      "first_nonfinite",
      [](Matrix X) {
        return cladebench::interruptible([&] { return cladebench::first_nonfinite(view(X)); });
      },
      nb::arg("X"), "Place of the first entry, by rows, that is NaN or infinite; -1 if there is none.");
  m.def(
      "squared_hinge",
      [](Matrix X, Vector<std::int64_t> labels, Matrix W) {
        checks::not_empty("X", X);
        checks::shape("labels", labels, {X.shape(0)});
        checks::shape("W", W, {W.shape(0), X.shape(1)});
        std::vector<double> gradient(W.size());
        const double loss = cladebench::interruptible([&] {
          return cladebench::MarginLoss(view(X), span(labels), W.shape(0))
              .evaluate(W.data(), gradient.data());
        });
        return nb::make_tuple(loss, to_numpy(std::move(gradient)));
      },
      nb::arg("X"), nb::arg("labels"), nb::arg("W"), "See cladebench.solvers.margin.squared_hinge.");
  m.def(
      "assignment_costs",
      [](Matrix X, Matrix W) {
        checks::not_empty("X", X);
        checks::not_empty("W", W);
        checks::shape("W", W, {W.shape(0), X.shape(1)});
        auto costs = cladebench::interruptible(
            [&] { return cladebench::assignment_costs(view(X), {W.data(), W.size()}, W.shape(0)); });
        return to_numpy(std::move(costs));
      },
      nb::arg("X"), nb::arg("W"), "See cladebench.solvers.margin.assignment_costs.");
  m.def(
      "sparse_group_prox",
      [](Matrix W, double step, Vector<double> group, Vector<double> l1) {
        checks::has_columns("W", W);
        checks::shape("group", group, {W.shape(1)});
        checks::shape("l1", l1, {W.shape(1)});
        std::vector<double> result(W.data(), W.data() + W.size());
        const std::vector<double> none(W.shape(1));
        cladebench::SparseGroupPenalty(W.shape(0), W.shape(1), span(group), span(l1), none)
            .prox(result.data(), step);
        return to_numpy(std::move(result));
      },
      nb::arg("W"), nb::arg("step"), nb::arg("group"), nb::arg("l1"),
      "See cladebench.solvers.margin.sparse_group_prox.");
  m.def(
      "fit_margin",
      [](Matrix X, Vector<std::int64_t> labels, std::size_t n_clusters, Vector<double> group,
         Vector<double> l1, Vector<double> ridge, std::optional<Matrix> W, double tol,
         std::int64_t max_iter) {
        checks::not_empty("X", X);
        checks::shape("labels", labels, {X.shape(0)});
        checks::within("n_clusters", n_clusters, std::size_t{2}, std::max(X.shape(0), kMostClusters));
        for (const auto& [name, weights] : {std::pair{"group", group}, {"l1", l1}, {"ridge", ridge}}) {
          checks::shape(name, weights, {X.shape(1)});
        }
        if (W) checks::shape("W", *W, {n_clusters, X.shape(1)});
        checks::expect(tol >= 0.0, "tol: ", tol, "; expected a number of at least 0");
        auto fit = cladebench::interruptible([&] {
          cladebench::MarginLoss loss(view(X), span(labels), n_clusters);
          std::span<const double> start;
          if (W) start = {W->data(), W->size()};
          return cladebench::fit_margin(loss, {span(group), span(l1), span(ridge)}, start, tol, max_iter);
        });
        return nb::make_tuple(to_numpy(std::move(fit.W)), fit.objective, fit.loss, fit.residual, fit.n_iter,
                              fit.n_passes, fit.converged);
      },
      nb::arg("X"), nb::arg("labels"), nb::arg("n_clusters"), nb::arg("group"), nb::arg("l1"),
      nb::arg("ridge"), nb::arg("W").none(), nb::arg("tol"), nb::arg("max_iter"),
      "See cladebench.solvers.margin.fit_margin.");
}
