#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "checks.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"
#include "trees/perch.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;

namespace {

cladebench::Rotations parse_rotations(const std::string& name) {
  if (name == "none") return cladebench::Rotations::kNone;
  if (name == "masking") return cladebench::Rotations::kMasking;
  if (name == "masking+balance") return cladebench::Rotations::kMaskingAndBalance;
  throw std::invalid_argument("rotations='" + name + "': expected one of masking, masking+balance, none");
}

}  // namespace

void bind_perch(nb::module_& m) {
  m.def(
      "perch",
      [](cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> X,
         const std::string& rotations, std::optional<std::size_t> max_leaves) {
        if (max_leaves == 0) throw std::invalid_argument("max_leaves=0: expected None or an integer >= 1");
        const cladebench::Rotations kind = parse_rotations(rotations);
        auto result = cladebench::interruptible([&] {
          return cladebench::perch({X.data(), X.size()}, X.shape(1), kind, max_leaves.value_or(0));
        });
        return nb::make_tuple(to_numpy(std::move(result.parents)), to_numpy(std::move(result.leaf_of)),
                              to_numpy(std::move(result.heights)));
      },
      nb::arg("X"), nb::arg("rotations") = "masking+balance", nb::arg("max_leaves") = nb::none(),
      "PERCH tree of the rows of X in order: (parents, leaf_of, heights).");
}
