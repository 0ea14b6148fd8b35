#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

#include "checks.hpp"
#include "interruptible.hpp"
#include "margin/assignment.hpp"
#include "margin/matching.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;

namespace {

using Integers = cladebench::Array<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_assignment(nb::module_& m) {
  m.def(
      "balanced_assignment",
      [](cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> cost, Integers lower,
         Integers upper) {
        auto found = cladebench::interruptible([&] {
          return cladebench::balanced_assignment({cost.data(), cost.size()}, cost.shape(1),
                                                 {lower.data(), lower.size()}, {upper.data(), upper.size()});
        });
        return nb::make_tuple(to_numpy(std::move(found.labels)), to_numpy(std::move(found.prices)));
      },
      nb::arg("cost"), nb::arg("lower"), nb::arg("upper"),
      "Cheapest assignment of rows to clusters within bounds: (labels, prices).");
  m.def(
      "most_matched",
      [](Integers one, Integers other) {
        return cladebench::interruptible(
            [&] { return cladebench::most_matched({one.data(), one.size()}, {other.data(), other.size()}); });
      },
      nb::arg("one"), nb::arg("other"),
      "The most samples that a one-to-one matching of the names of two labellings keeps together.");
}
