#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "distances/regression_tree.hpp"
#include "distances/triplet_loss.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::MatrixView;
using cladebench::to_numpy;
using cladebench::TreeBuilder;
using cladebench::TripletLoss;
namespace checks = cladebench::checks;

namespace {

constexpr int kMostDepth = 20;

template <typename T>
using Vector = cladebench::Array<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = cladebench::Array<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

MatrixView view(const Matrix<double>& X) { return {X.data(), X.shape(0), X.shape(1)}; }

}  // namespace

void bind_triplets(nb::module_& m) {
  nb::class_<TripletLoss>(m, "TripletLoss", "See triplet_loss.hpp and cladebench.distances._triplets.")
      .def(
          "__init__",
          [](TripletLoss* self, Vector<std::int64_t> labels, Matrix<std::int64_t> targets, double mu,
             double smoothing) {
            checks::shape("targets", targets, {labels.size(), targets.shape(1)});
            new (self)
                TripletLoss({labels.data(), labels.size()}, {targets.data(), targets.size()}, mu, smoothing);
          },
          nb::arg("labels"), nb::arg("targets"), nb::arg("mu"), nb::arg("smoothing"))
      .def(
          "evaluate",
          [](TripletLoss& self, Matrix<double> Z, Matrix<double> V) {
            if (Z.shape(0) != self.n() || V.shape(0) != self.n()) {
              throw std::invalid_argument("Z and V must have one row for each label");
            }
            std::vector<double> product(V.size());
            const TripletLoss::Value value = cladebench::interruptible(
                [&] { return self.evaluate(Z.data(), Z.shape(1), V.data(), V.shape(1), product.data()); });
            return nb::make_tuple(value.loss, value.smoothed, value.slopes, to_numpy(std::move(product)));
          },
          nb::arg("Z"), nb::arg("V"),
          "The loss at Z, the smoothed loss, the sum of mu times slopes, and the Laplacian's product with V, "
          "flat.")
      .def("set_smoothing", &TripletLoss::set_smoothing, nb::arg("smoothing"))
      .def_prop_ro("n_searches", &TripletLoss::n_searches)
      .def_prop_ro("n_listed", &TripletLoss::n_listed);

  nb::class_<TreeBuilder>(m, "TreeBuilder", "See regression_tree.hpp.")
      .def(
          "__init__",
          [](TreeBuilder* self, Matrix<double> X) {
            checks::not_empty("X", X);
            checks::finite("X", checks::span_of<double>(X));
            cladebench::interruptible([&] { new (self) TreeBuilder(view(X)); });
          },
          nb::arg("X"))
      .def(
          "fit",
          [](const TreeBuilder& self, Matrix<double> outputs, int depth) {
            if (outputs.shape(0) != self.n() || depth < 0 || depth > kMostDepth) {
              throw std::invalid_argument("outputs must have one row for each of X, and the depth be 0..20");
            }
            auto tree =
                cladebench::interruptible([&] { return self.fit(outputs.data(), outputs.shape(1), depth); });
            return nb::make_tuple(to_numpy(std::move(tree.feature)), to_numpy(std::move(tree.threshold)),
                                  to_numpy(std::move(tree.values)), to_numpy(std::move(tree.leaf)));
          },
          nb::arg("outputs"), nb::arg("depth"),
          "Features, thresholds, values of leaves (flat), leaves of rows.");

  m.def(
      "add_trees",
      [](Matrix<double> X, Matrix<std::int32_t> feature, Matrix<double> threshold,
         cladebench::Array<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> values, int depth,
         cladebench::Array<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> Z) {
        checks::within("depth", depth, 0, kMostDepth);
        const std::size_t n_leaves = std::size_t{1} << depth, n_trees = values.shape(0);
        checks::has_columns("X", X);
        checks::shape("feature", feature, {n_trees, n_leaves - 1});
        checks::shape("threshold", threshold, {n_trees, n_leaves - 1});
        checks::shape("values", values, {n_trees, n_leaves, Z.shape(1)});
        checks::shape("Z", Z, {X.shape(0), Z.shape(1)});
        checks::indices("feature", checks::span_of<std::int32_t>(feature), X.shape(1));
        checks::apart("Z", Z, "feature", feature);
        // One without leaves' values has no memory, and any number of trees.
        if (values.size() == 0) return;
        cladebench::interruptible([&] {
          cladebench::add_trees(view(X), feature.data(), threshold.data(), values.data(), values.shape(0),
                                depth, values.shape(2), Z.data());
        });
      },
      nb::arg("X"), nb::arg("feature"), nb::arg("threshold"), nb::arg("values"), nb::arg("depth"),
      nb::arg("Z").noconvert(), "Z += the values of the trees' leaves, in place.");
}
