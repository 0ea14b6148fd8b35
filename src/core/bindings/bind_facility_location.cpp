#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "exemplars/facility_location.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;

namespace {

using Costs = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Points = cladebench::Array<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Finite all, and none below 0 but on the diagonal: a point is nearest to itself.
void check_costs(const Costs& d) {
  const std::span<const double> costs = cladebench::checks::span_of<double>(d);
  const std::size_t n = d.shape(0);
  cladebench::checks::finite("d", costs);
  std::ptrdiff_t n_negative = 0;
  for (const double cost : costs) n_negative += cost < 0.0;
  for (std::size_t p = 0; p < n; ++p) n_negative -= costs[p * n + p] < 0.0;
  for (std::size_t k = 0; n_negative > 0 && k < costs.size(); ++k) {
    cladebench::checks::expect(costs[k] >= 0.0 || k / n == k % n, "d: entry (", k / n, ", ", k % n, ") is ",
                               costs[k], "; expected at least 0 off the diagonal");
  }
}

void check_square(const Costs& d) {
  if (d.shape(0) == 0 || d.shape(1) != d.shape(0))
    throw std::invalid_argument("expected (n, n) costs, n >= 1");
  check_costs(d);
}

}  // namespace

void bind_facility_location(nb::module_& m) {
  m.def(
      "facility_location",
      [](Costs d, Points initial, double tolerance, std::size_t max_evaluations) {
        const std::size_t n = d.shape(0);
        cladebench::checks::at_least("tolerance", tolerance, 0.0);
        check_square(d);
        cladebench::FacilityLocation found;
        cladebench::interruptible([&] {
          found = cladebench::facility_location({d.data(), d.size()}, n, {initial.data(), initial.size()},
                                                tolerance, max_evaluations);
        });
        return nb::make_tuple(to_numpy(std::move(found.exemplars)), to_numpy(std::move(found.assignment)),
                              found.bound, found.optimal, found.n_iter, found.converged);
      },
      nb::arg("d"), nb::arg("initial"), nb::arg("tolerance"), nb::arg("max_evaluations"),
      "Exemplars, assignment, lower bound, whether it is the optimum, evaluations, whether the gap is "
      "closed.");
  m.def(
      "exchanged_exemplars",
      [](Costs d, Points initial) {
        check_square(d);
        const std::size_t n = d.shape(0);
        const std::span<const double> costs(d.data(), d.size());
        const std::span<const std::int64_t> start(initial.data(), initial.size());
        cladebench::checks::indices("initial", start, n);
        std::vector<std::int64_t> exemplars, assignment;
        cladebench::interruptible([&] {
          exemplars = cladebench::exchanged_exemplars(costs, n, start);
          assignment = cladebench::assigned_exemplars(costs, n, exemplars);
        });
        return nb::make_tuple(to_numpy(std::move(exemplars)), to_numpy(std::move(assignment)));
      },
      nb::arg("d"), nb::arg("initial"), "Exemplars and assignment of a local search, without a bound.");
}
