#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "exemplars/correlation_clustering.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::to_numpy;
using cladebench::Triangle;
namespace checks = cladebench::checks;

namespace {

using Matrix = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = cladebench::Array<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = cladebench::Array<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = cladebench::Array<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const double> square(const Matrix& values) {
  if (values.shape(0) == 0 || values.shape(0) != values.shape(1)) {
    throw std::invalid_argument("expected a square matrix of at least one point");
  }
  const std::span<const double> given(values.data(), values.size());
  checks::finite("values of pairs", given);
  return given;
}

/// Of similarities that differ by direction no local search need end.
std::span<const double> symmetric(const Matrix& s) {
  const auto given = square(s);
  checks::symmetric("s", given.data(), s.shape(0));
  return given;
}

std::vector<Triangle> checked(const Indices& given, const Numbers& multipliers, std::size_t n) {
  if (given.shape(1) != 3 || given.shape(0) != multipliers.size()) {
    throw std::invalid_argument("expected (m, 3) triangles and m multipliers");
  }
  checks::finite("multipliers", checks::span_of<double>(multipliers));
  std::vector<Triangle> triangles;
  for (std::size_t t = 0; t < given.shape(0); ++t) {
    const Triangle triangle{given(t, 0), given(t, 1), given(t, 2)};
    const auto size = static_cast<std::int32_t>(n);
    const bool inside = triangle.first >= 0 && triangle.first < triangle.last && triangle.last < size &&
                        triangle.middle >= 0 && triangle.middle < size;
    if (!inside || triangle.middle == triangle.first || triangle.middle == triangle.last) {
      throw std::invalid_argument("a triangle is not one of three points, first < last");
    }
    if (!(multipliers(t) >= 0.0)) throw std::invalid_argument("a multiplier is negative");
    triangles.push_back(triangle);
  }
  return triangles;
}

/// Points of all triangles in a row.
auto flat(const std::vector<Triangle>& triangles) {
  std::vector<std::int32_t> points;
  points.reserve(3 * triangles.size());
  for (const Triangle& t : triangles) points.insert(points.end(), {t.first, t.middle, t.last});
  return to_numpy(std::move(points));
}

}  // namespace

void bind_correlation_clustering(nb::module_& m) {
  m.def(
      "violated_triangles",
      [](Matrix x, double least) {
        const auto given = square(x);
        return flat(cladebench::interruptible(
            [&] { return cladebench::violated_triangles(given, x.shape(0), least); }));
      },
      nb::arg("x"), nb::arg("least"),
      "Points first, middle, last of the most violated triangle above each pair, one after the other.");
  m.def(
      "close_triangles",
      [](Matrix x) {
        const auto given = square(x);
        std::vector<double> closed(given.begin(), given.end());
        cladebench::interruptible([&] { cladebench::close_triangles(closed, x.shape(0)); });
        return to_numpy(std::move(closed));
      },
      nb::arg("x"), "The least x, no smaller, that violates no triangle; n * n numbers.");
  m.def(
      "bound_of_multipliers",
      [](Matrix s, Indices triangles, Numbers multipliers) {
        return cladebench::bound_of_multipliers(square(s), s.shape(0),
                                                checked(triangles, multipliers, s.shape(0)),
                                                {multipliers.data(), multipliers.size()});
      },
      nb::arg("s"), nb::arg("triangles"), nb::arg("multipliers"),
      "Upper bound of the values of all partitions.");
  m.def(
      "relax_clustering",
      [](Matrix s, Indices triangles, Numbers multipliers, Matrix x, double tolerance, std::size_t max_iter,
         double known_value) {
        const auto given = symmetric(s);
        const std::size_t n = s.shape(0);
        auto start = checked(triangles, multipliers, n);
        if (x.size() != 0 && x.size() != n * n) throw std::invalid_argument("expected an x for each pair");
        checks::finite("x", checks::span_of<double>(x));
        checks::expect(tolerance >= 0.0, "tolerance: ", tolerance, "; expected a number of at least 0");
        checks::expect(!std::isnan(known_value), "known_value: nan; expected a number");
        cladebench::Relaxed found;
        cladebench::interruptible([&] {
          found = cladebench::relax_clustering(given, n, std::move(start),
                                               {multipliers.data(), multipliers.data() + multipliers.size()},
                                               {x.data(), x.size()}, {tolerance, max_iter, known_value});
        });
        return nb::make_tuple(to_numpy(std::move(found.x)), found.value, found.bound, flat(found.triangles),
                              to_numpy(std::move(found.multipliers)), to_numpy(std::move(found.labels)),
                              found.n_iter, found.converged);
      },
      nb::arg("s"), nb::arg("triangles"), nb::arg("multipliers"), nb::arg("x"), nb::arg("tolerance"),
      nb::arg("max_iter"), nb::arg("known_value"),
      "Relaxation: (x, value, bound, triangles, multipliers, labels of a better partition or none, steps, "
      "whether within the tolerance).");
  m.def(
      "improve_partition",
      [](Matrix s, Labels labels) {
        const auto given = symmetric(s);
        if (labels.size() != s.shape(0)) throw std::invalid_argument("expected a label for each point");
        std::vector<std::int64_t> found(labels.data(), labels.data() + labels.size());
        for (const std::int64_t label : found) {
          if (label < 0 || label >= static_cast<std::int64_t>(found.size())) {
            throw std::invalid_argument("a label is not in 0..n-1");
          }
        }
        cladebench::interruptible([&] { cladebench::improve_partition(given, s.shape(0), found); });
        return to_numpy(std::move(found));
      },
      nb::arg("s"), nb::arg("labels"), "Labels that no merge and no move of a point improves.");
}
