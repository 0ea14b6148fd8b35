#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "cladebench/tree.hpp"

namespace nb = nanobind;
using cladebench::Index;
using cladebench::Tree;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::vector<T> copy(const Vector<T>& array) {
  return std::vector<T>(array.data(), array.data() + array.shape(0));
}

/// A read-only NumPy view of one of the tree's arrays; it keeps the tree alive.
template <std::vector<Index> Tree::* field>
nb::ndarray<nb::numpy, const Index, nb::ndim<1>> view(nb::handle self) {
  const std::vector<Index>& values = nb::cast<const Tree&>(self).*field;
  return {values.data(), {values.size()}, self};
}

/// Moves a vector into a NumPy array without a copy.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {held->data(), {held->size()}, owner};
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<Tree>(m, "Tree", "Validated layout of a rooted tree over samples; arrays are read-only views.")
      .def(
          "__init__",
          [](Tree* self, Vector<Index> parents, Vector<Index> leaf_of) {
            std::vector<Index> p = copy(parents), l = copy(leaf_of);
            nb::gil_scoped_release release;
            new (self) Tree(std::move(p), std::move(l));
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
            std::vector<Index> found(u.shape(0));
            nb::gil_scoped_release release;
            for (std::size_t k = 0; k < found.size(); ++k) found[k] = self.lca(u(k), v(k));
            nb::gil_scoped_acquire acquire;
            return to_numpy(std::move(found));
          },
          nb::arg("u"), nb::arg("v"), "Lowest common ancestors of pairs of nodes (equally long, in range).");
}
