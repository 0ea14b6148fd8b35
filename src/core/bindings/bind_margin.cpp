#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cladebench/margin.hpp"
#include "cladebench/proximal.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::MatrixView;
using cladebench::to_numpy;

namespace {

// Shapes are checked in cladebench.solvers.margin, the only caller.
template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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
        nb::gil_scoped_release release;
        return cladebench::first_nonfinite(view(X));
      },
      nb::arg("X"), "Place of the first entry, by rows, that is NaN or infinite; -1 if there is none.");
  m.def(
      "squared_hinge",
      [](Matrix X, Vector<std::int64_t> labels, Matrix W) {
        std::vector<double> gradient(W.size());
        double loss = 0.0;
        {
          nb::gil_scoped_release release;
          loss =
              cladebench::MarginLoss(view(X), span(labels), W.shape(0)).evaluate(W.data(), gradient.data());
        }
        return nb::make_tuple(loss, to_numpy(std::move(gradient)));
      },
      nb::arg("X"), nb::arg("labels"), nb::arg("W"), "See cladebench.solvers.margin.squared_hinge.");
  m.def(
      "assignment_costs",
      [](Matrix X, Matrix W) {
        std::vector<double> costs;
        {
          nb::gil_scoped_release release;
          costs = cladebench::assignment_costs(view(X), {W.data(), W.size()}, W.shape(0));
        }
        return to_numpy(std::move(costs));
      },
      nb::arg("X"), nb::arg("W"), "See cladebench.solvers.margin.assignment_costs.");
  m.def(
      "sparse_group_prox",
      [](Matrix W, double step, Vector<double> group, Vector<double> l1) {
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
        cladebench::MarginFit fit;
        {
          nb::gil_scoped_release release;
          cladebench::MarginLoss loss(view(X), span(labels), n_clusters);
          std::span<const double> start;
          if (W) start = {W->data(), W->size()};
          fit = cladebench::fit_margin(loss, {span(group), span(l1), span(ridge)}, start, tol, max_iter);
        }
        return nb::make_tuple(to_numpy(std::move(fit.W)), fit.objective, fit.loss, fit.residual, fit.n_iter,
                              fit.n_passes, fit.converged);
      },
      nb::arg("X"), nb::arg("labels"), nb::arg("n_clusters"), nb::arg("group"), nb::arg("l1"),
      nb::arg("ridge"), nb::arg("W").none(), nb::arg("tol"), nb::arg("max_iter"),
      "See cladebench.solvers.margin.fit_margin.");
}
