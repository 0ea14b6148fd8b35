#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>

#include "cladebench/pair_forest.hpp"

namespace nb = nanobind;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

}  // namespace

void bind_pair_forest(nb::module_& m) {
  m.def(
      "pair_forest_means",
      [](Vector<std::int64_t> first_node, Vector<std::int32_t> feature, Vector<double> threshold,
         Vector<std::int32_t> left, Vector<std::int32_t> right, Vector<double> value, Rows A, Rows B,
         Table result) {
        if (A.shape(1) != B.shape(1) || result.shape(0) != A.shape(0) || result.shape(1) != B.shape(0)) {
          throw std::invalid_argument("pair forest: the shapes of A, B and result do not fit");
        }
        nb::gil_scoped_release release;
        cladebench::pair_forest_means(
            {span(first_node), span(feature), span(threshold), span(left), span(right), span(value)},
            A.shape(1), {A.data(), A.shape(0)}, {B.data(), B.shape(0)}, result.data());
      },
      nb::arg("first_node"), nb::arg("feature"), nb::arg("threshold"), nb::arg("left"), nb::arg("right"),
      nb::arg("value"), nb::arg("A"), nb::arg("B"), nb::arg("result"),
      "Mean over trees of the value of the leaf that each pair of rows of A and B reaches, written to "
      "result; "
      "see cladebench.distances.random_forest_distance.");
}
