#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"
#include "trees/measures.hpp"
#include "trees/pair_sums.hpp"
#include "trees/tree.hpp"

namespace nb = nanobind;
using cladebench::Index;
using cladebench::Tree;

namespace {

template <typename T>
using Vector = cladebench::Array<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Matrix = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

template <typename T>
std::vector<T> copy(const Vector<T>& array) {
  return std::vector<T>(array.data(), array.data() + array.shape(0));
}

template <typename T>
std::span<const T> span(const T* data, std::size_t size) {
  return {data, size};
}

/// A read-only NumPy view of one of the tree's arrays; it keeps the tree alive.
template <std::vector<Index> Tree::* field>
nb::ndarray<nb::numpy, const Index, nb::ndim<1>> view(nb::handle self) {
  const std::vector<Index>& values = nb::cast<const Tree&>(self).*field;
  return {values.data(), {values.size()}, self};
}

template <typename Count>
void def_class_counts(nb::module_& m) {
  m.def(
      "class_counts",
      [](const Tree& tree, Vector<std::int32_t> labels,
         cladebench::Array<Count, nb::ndim<2>, nb::c_contig, nb::device::cpu> counts) {
        cladebench::checks::shape("labels", labels, {tree.leaf_of.size()});
        cladebench::checks::shape("counts", counts, {tree.parents.size(), counts.shape(1)});
        const auto classes = span(labels.data(), labels.shape(0));
        cladebench::checks::indices("labels", classes, counts.shape(1));
        cladebench::checks::within("n_samples", static_cast<std::uint64_t>(labels.shape(0)), std::uint64_t{1},
                                   static_cast<std::uint64_t>(std::numeric_limits<Count>::max()));
        cladebench::checks::apart("counts", counts, "labels", labels);
        cladebench::interruptible(
            [&] { cladebench::class_counts(tree, classes, counts.shape(1), counts.data()); });
      },
      nb::arg("tree"), nb::arg("labels"), nb::arg("counts").noconvert(),
      "Writes counts, of shape (n_nodes, n_classes). See cladebench.Hierarchy.class_counts.");
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<Tree>(m, "Tree", "Validated layout of a rooted tree over samples; arrays are read-only views.")
      .def(
          "__init__",
          [](Tree* self, Vector<Index> parents, Vector<Index> leaf_of) {
            std::vector<Index> p = copy(parents), l = copy(leaf_of);
            cladebench::interruptible([&] { new (self) Tree(std::move(p), std::move(l)); });
          },
          nb::arg("parents"), nb::arg("leaf_of"))
      .def_ro("root", &Tree::root)
      .def_prop_ro("parents", &view<&Tree::parents>)
      .def_prop_ro("leaf_of", &view<&Tree::leaf_of>)
      .def_prop_ro("child_ptr", &view<&Tree::child_ptr>)
      .def_prop_ro("child_index", &view<&Tree::child_index>)
      .def_prop_ro("preorder", &view<&Tree::preorder>)
      .def_prop_ro("depths", &view<&Tree::depths>)
      .def_prop_ro("sizes", &view<&Tree::sizes>)
      .def_prop_ro("sample_order", &view<&Tree::sample_order>)
      .def_prop_ro("first", &view<&Tree::first>)
      .def_prop_ro("last", &view<&Tree::last>)
      .def_prop_ro("heavy", &view<&Tree::heavy>)
      .def(
          "lca",
          [](const Tree& self, Vector<Index> u, Vector<Index> v) {
            require(u.shape(0) == v.shape(0), "lca: expected as many nodes in u as in v");
            std::vector<Index> found(u.shape(0));
            cladebench::interruptible([&] {
              const auto is_node = [&](Index node) { return node >= 0 && node < self.n_nodes(); };
              for (std::size_t k = 0; k < found.size(); ++k) {
                require(is_node(u(k)) && is_node(v(k)), "lca: expected nodes 0..n_nodes-1");
                found[k] = self.lca(u(k), v(k));
                cladebench::keep_on(1);
              }
            });
            return cladebench::to_numpy(std::move(found));
          },
          nb::arg("u"), nb::arg("v"), "Lowest common ancestors of pairs of nodes.");

  def_class_counts<std::int32_t>(m);
  def_class_counts<std::int64_t>(m);
  m.def(
      "dendrogram_purity",
      [](const Tree& tree, Vector<std::int32_t> labels, std::int32_t n_classes) {
        require(labels.shape(0) == tree.leaf_of.size(), "labels: expected one for each sample");
        // Three counts are kept for each class.
        cladebench::checks::within("n_classes", std::int64_t{n_classes}, std::int64_t{1}, tree.n_samples());
        return cladebench::interruptible([&] {
          return cladebench::dendrogram_purity(tree, span(labels.data(), labels.shape(0)), n_classes);
        });
      },
      nb::arg("tree"), nb::arg("labels"), nb::arg("n_classes"), "See cladebench.metrics.dendrogram_purity.");
  m.def(
      "dasgupta_cost_dense",
      [](const Tree& tree, Matrix similarity) {
        require(similarity.shape(0) == tree.leaf_of.size() && similarity.shape(1) == tree.leaf_of.size(),
                "similarity: expected shape (n_samples, n_samples)");
        return cladebench::interruptible([&] {
          return cladebench::dasgupta_cost_dense(tree, span(similarity.data(), similarity.size()));
        });
      },
      nb::arg("tree"), nb::arg("similarity"), "See cladebench.metrics.dasgupta_cost.");
  m.def(
      "dasgupta_cost_sparse",
      [](const Tree& tree, Vector<std::int64_t> row_ptr, Vector<std::int32_t> column, Vector<double> value) {
        require(row_ptr.shape(0) == tree.leaf_of.size() + 1 && column.shape(0) == value.shape(0),
                "similarity: expected CSR arrays of shape (n_samples, n_samples)");
        require(tree.leaf_of.size() <= std::numeric_limits<std::int32_t>::max(),
                "similarity: expected less than 2^31 samples, whose columns have 32-bit indices");
        return cladebench::interruptible([&] {
          return cladebench::dasgupta_cost_sparse(tree, span(row_ptr.data(), row_ptr.shape(0)),
                                                  span(column.data(), column.shape(0)),
                                                  span(value.data(), value.shape(0)));
        });
      },
      nb::arg("tree"), nb::arg("row_ptr"), nb::arg("column"), nb::arg("value"),
      "See cladebench.metrics.dasgupta_cost.");
  m.def(
      "dasgupta_cost_linear",
      [](const Tree& tree, Matrix X) {
        require(X.shape(0) == tree.leaf_of.size(), "X: expected one row for each sample");
        return cladebench::interruptible([&] {
          return cladebench::dasgupta_cost_linear(tree, span(X.data(), X.size()),
                                                  static_cast<Index>(X.shape(1)));
        });
      },
      nb::arg("tree"), nb::arg("X"), "See cladebench.metrics.dasgupta_cost.");
  m.def(
      "pair_sums",
      [](const Tree& tree, Vector<std::int32_t> labels,
         cladebench::Array<const Index, nb::ndim<2>, nb::c_contig, nb::device::cpu> weights,
         Vector<Index> values) {
        require(labels.shape(0) == tree.leaf_of.size(), "labels: expected one for each sample");
        require(weights.shape(0) == weights.shape(1), "weights: expected shape (n_classes, n_classes)");
        require(values.shape(0) == tree.parents.size(), "values: expected one for each node");
        std::vector<std::uint64_t> high, low;
        cladebench::interruptible([&] {
          for (const cladebench::Wide sum : cladebench::pair_sums(
                   tree, span(labels.data(), labels.shape(0)), static_cast<std::int32_t>(weights.shape(0)),
                   span(weights.data(), weights.size()), span(values.data(), values.shape(0)))) {
            high.push_back(static_cast<std::uint64_t>(sum >> 64));
            low.push_back(static_cast<std::uint64_t>(sum));
          }
        });
        return std::pair(cladebench::to_numpy(std::move(high)), cladebench::to_numpy(std::move(low)));
      },
      nb::arg("tree"), nb::arg("labels"), nb::arg("weights"), nb::arg("values"),
      "Sums over pairs by the depth of the deeper sample, as their upper and lower 64 bits. See "
      "cladebench.metrics.pair_sums.");
}
