#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

#include "checks.hpp"
#include "distances/itml.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;
namespace checks = cladebench::checks;

namespace {

template <typename T>
using Vector = cladebench::Array<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = cladebench::Array<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_metrics(nb::module_& m) {
  m.def(
      "fit_itml",
      [](Matrix<double> X, Matrix<std::int64_t> pairs, Vector<double> signs, double upper, double lower,
         double gamma, double tol, std::int64_t max_iter) {
        checks::not_empty("X", X);
        checks::shape("pairs", pairs, {signs.size(), 2});
        checks::indices("pairs", checks::span_of<std::int64_t>(pairs), X.shape(0));
        checks::expect(tol >= 0.0, "tol: ", tol, "; expected a number of at least 0");
        auto fit = cladebench::interruptible([&] {
          return cladebench::fit_itml({X.data(), X.shape(0), X.shape(1)}, {pairs.data(), pairs.size()},
                                      {signs.data(), signs.size()}, upper, lower, gamma, tol, max_iter);
        });
        return nb::make_tuple(to_numpy(std::move(fit.A)), to_numpy(std::move(fit.dual)), fit.residual,
                              fit.n_iter, fit.converged);
      },
      nb::arg("X"), nb::arg("pairs"), nb::arg("signs"), nb::arg("upper"), nb::arg("lower"), nb::arg("gamma"),
      nb::arg("tol"), nb::arg("max_iter"), "See cladebench.reference.itml.fit_itml.");
}
