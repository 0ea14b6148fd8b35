#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

#include "checks.hpp"
#include "dependence/dependence.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;

namespace {

using Matrix = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Index = cladebench::Array<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_dependence(nb::module_& m) {
  m.def(
      "greedy_sweeps",
      [](Matrix gram, bool is_factor, Matrix structure, Index labels, Index order, bool normalized,
         std::size_t max_sweeps) {
        cladebench::Sweeps found;
        cladebench::interruptible([&] {
          found =
              cladebench::greedy_sweeps({{gram.data(), gram.size()}, gram.shape(0), gram.shape(1), is_factor},
                                        {structure.data(), structure.size()}, {labels.data(), labels.size()},
                                        {order.data(), order.size()}, {normalized, max_sweeps});
        });
        return nb::make_tuple(to_numpy(std::move(found.labels)), to_numpy(std::move(found.objective)),
                              to_numpy(std::move(found.moves)), found.converged);
      },
      nb::arg("gram"), nb::arg("is_factor"), nb::arg("structure"), nb::arg("labels"), nb::arg("order"),
      nb::arg("normalized"), nb::arg("max_sweeps"),
      "Sweeps over the points, each moved to the cluster that raises the dependence most: (labels, objective "
      "before and after each sweep, moves of each sweep, whether the last moved none).");
}
