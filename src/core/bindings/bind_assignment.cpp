#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

#include "checks.hpp"
#include "interruptible.hpp"
#include "margin/assignment.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;

namespace {

using Bounds = cladebench::Array<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_assignment(nb::module_& m) {
  m.def(
      "balanced_assignment",
      [](cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> cost, Bounds lower,
         Bounds upper) {
        auto found = cladebench::interruptible([&] {
          return cladebench::balanced_assignment({cost.data(), cost.size()}, cost.shape(1),
                                                 {lower.data(), lower.size()}, {upper.data(), upper.size()});
        });
        return nb::make_tuple(to_numpy(std::move(found.labels)), to_numpy(std::move(found.prices)));
      },
      nb::arg("cost"), nb::arg("lower"), nb::arg("upper"),
      "Cheapest assignment of rows to clusters within bounds: (labels, prices).");
}
