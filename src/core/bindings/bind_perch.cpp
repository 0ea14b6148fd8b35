#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cladebench/perch.hpp"

namespace nb = nanobind;

namespace {

cladebench::Rotations parse_rotations(const std::string& name) {
  if (name == "none") return cladebench::Rotations::kNone;
  if (name == "masking") return cladebench::Rotations::kMasking;
  if (name == "masking+balance") return cladebench::Rotations::kMaskingAndBalance;
  throw std::invalid_argument("rotations='" + name + "': expected one of masking, masking+balance, none");
}

/// Moves a vector into a NumPy array without a copy.
template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {held->data(), {held->size()}, owner};
}

}  // namespace

void bind_perch(nb::module_& m) {
  m.def(
      "perch",
      [](nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> X,
         const std::string& rotations, std::optional<std::size_t> max_leaves) {
        if (max_leaves == 0) throw std::invalid_argument("max_leaves=0: expected None or an integer >= 1");
        const cladebench::Rotations kind = parse_rotations(rotations);
        cladebench::PerchResult result;
        {
          nb::gil_scoped_release release;
          result = cladebench::perch({X.data(), X.size()}, X.shape(1), kind, max_leaves.value_or(0));
        }
        return nb::make_tuple(to_numpy(std::move(result.parents)), to_numpy(std::move(result.leaf_of)),
                              to_numpy(std::move(result.heights)));
      },
      nb::arg("X"), nb::arg("rotations") = "masking+balance", nb::arg("max_leaves") = nb::none(),
      "PERCH tree of the rows of X in order: (parents, leaf_of, heights).");
}
