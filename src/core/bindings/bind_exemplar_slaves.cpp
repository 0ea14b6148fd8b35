#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "checks.hpp"
#include "exemplars/exemplar_slaves.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;
namespace checks = cladebench::checks;

namespace {

template <class Value>
using Flat = cladebench::Array<Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Value>
using Square = cladebench::Array<Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Value>
void add_weighted_sum(nb::module_& m) {
  m.def(
      "weighted_sum",
      [](Flat<const double> weights, Square<const Value> stack) {
        checks::shape("stack", stack, {weights.size(), stack.shape(1)});
        // One that is empty has no memory, and any number of columns.
        checks::expect(stack.size() > 0 || stack.shape(1) == 0, "stack: no row; expected at least 1");
        std::vector<double> total(stack.shape(1));
        cladebench::interruptible([&] {
          cladebench::weighted_sum({weights.data(), weights.size()},
                                   std::span<const Value>(stack.data(), stack.size()), total);
        });
        return to_numpy(std::move(total));
      },
      nb::arg("weights"), nb::arg("stack"), "Sum of the rows with weights, in double precision.");
}

}  // namespace

void bind_exemplar_slaves(nb::module_& m) {
  add_weighted_sum<double>(m);
  add_weighted_sum<float>(m);
  m.def(
      "point_slaves",
      [](Square<const double> distances, Flat<const double> own, Square<const double> raw,
         Flat<const double> offset, Flat<const std::int64_t> labels, double beta,
         Square<std::uint8_t> copies) {
        const std::size_t n = own.size();
        checks::shape("distances", distances, {n, n});
        checks::shape("raw", raw, {n, n});
        checks::shape("offset", offset, {n});
        checks::shape("labels", labels, {n});
        checks::shape("copies", copies, {n, n});
        std::vector<double> values(own.size());
        std::vector<std::int64_t> nearest(own.size()), counts(own.size());
        cladebench::interruptible([&] {
          cladebench::point_slaves({distances.data(), distances.size()}, {own.data(), own.size()},
                                   {raw.data(), raw.size()}, {offset.data(), offset.size()},
                                   {labels.data(), labels.size()}, beta, values, nearest,
                                   {copies.data(), copies.size()});
          cladebench::count_copies({copies.data(), copies.size()}, counts);
        });
        return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(nearest)),
                              to_numpy(std::move(counts)));
      },
      nb::arg("distances"), nb::arg("own"), nb::arg("raw"), nb::arg("offset"), nb::arg("labels"),
      nb::arg("beta"), nb::arg("copies").noconvert(),
      "Minimise the slaves of all points; fills `copies`. (values, exemplar of each point, copies of each "
      "exemplar).");
  m.def(
      "move_multipliers",
      [](Square<const std::uint8_t> copies, double step, Square<double> raw) {
        checks::shape("raw", raw, {copies.shape(0), copies.shape(1)});
        cladebench::interruptible([&] {
          cladebench::move_multipliers({copies.data(), copies.size()}, step, {raw.data(), raw.size()});
        });
      },
      nb::arg("copies"), nb::arg("step"), nb::arg("raw").noconvert(),
      "Add `step` to `raw` where a copy is 1.");
}
