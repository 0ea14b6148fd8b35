#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"
#include "trees/tree_metric.hpp"

namespace nb = nanobind;
using cladebench::interruptible;
using cladebench::to_numpy;
using cladebench::TreeParents;

namespace {

using Distances = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Parents = cladebench::Array<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// There are (2 k - 5)!! trees of k points: 2 million of 10.
constexpr std::size_t kMostForAll = 10;

using Numbers = cladebench::Array<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Sums of their squares are finite.
constexpr double kFarthest = 1e100;

/// Of distances that differ by direction no search for a tree need end.
std::span<const double> symmetric(const Distances& D) {
  if (D.shape(0) == 0 || D.shape(0) != D.shape(1)) {
    throw std::invalid_argument("expected (k, k) distances, k >= 1");
  }
  const std::span<const double> given(D.data(), D.size());
  cladebench::checks::finite("D", given);
  cladebench::checks::symmetric("D", given.data(), D.shape(0));
  return given;
}

/// Whether they are a tree is looked at in the core; here, that no index lies outside.
TreeParents checked(const Parents& given, std::size_t k) {
  const TreeParents parents(given.data(), given.data() + given.size());
  if (k == 0 || parents.size() < k) throw std::invalid_argument("expected a parent for each point");
  for (const std::int64_t up : parents) {
    if (up < -1 || up >= static_cast<std::int64_t>(parents.size())) {
      throw std::invalid_argument("a parent is no node");
    }
  }
  return parents;
}

}  // namespace

void bind_tree_metric(nb::module_& m) {
  m.def(
      "neighbor_joining",
      [](Distances D) {
        const auto given = symmetric(D);
        return to_numpy(interruptible([&] { return cladebench::neighbor_joining(given, D.shape(0)); }));
      },
      nb::arg("D"), "Parents of the tree of neighbour joining, rooted at point 0.");
  m.def(
      "nonnegative_lengths",
      [](Distances D, Parents parents) {
        const auto given = symmetric(D);
        const TreeParents tree = checked(parents, D.shape(0));
        return to_numpy(
            interruptible([&] { return cladebench::nonnegative_lengths(given, D.shape(0), tree); }));
      },
      nb::arg("D"), nb::arg("parents"), "Lengths >= 0 of the edges above all nodes, by least squares.");
  m.def(
      "path_distances",
      [](std::size_t k, Parents parents, Numbers lengths) {
        if (lengths.size() != parents.size()) throw std::invalid_argument("expected a length for each node");
        const TreeParents tree = checked(parents, k);
        return to_numpy(interruptible(
            [&] { return cladebench::path_distances(k, tree, {lengths.data(), lengths.size()}); }));
      },
      nb::arg("k"), nb::arg("parents"), nb::arg("lengths"),
      "Path lengths between the points, k * k of them.");
  m.def(
      "best_of_all_trees",
      [](Distances D) {
        cladebench::checks::within("k", D.shape(0), std::size_t{1}, kMostForAll);
        const auto given = symmetric(D);
        return to_numpy(interruptible([&] { return cladebench::best_of_all_trees(given, D.shape(0)); }));
      },
      nb::arg("D"), "Parents of the best of all binary trees.");
  m.def(
      "search_trees",
      [](Distances D, Parents start, std::size_t radius) {
        const auto distances = symmetric(D);
        for (const double one : distances) cladebench::checks::within("D", one, 0.0, kFarthest);
        const TreeParents parents = checked(start, D.shape(0));
        return to_numpy(
            interruptible([&] { return cladebench::search_trees(distances, D.shape(0), parents, radius); }));
      },
      nb::arg("D"), nb::arg("start"), nb::arg("radius"), "Parents of a tree that no move improves.");
  m.def(
      "four_point_excess",
      [](Distances D) {
        const auto given = symmetric(D);
        return interruptible([&] { return cladebench::four_point_excess(given, D.shape(0)); });
      },
      nb::arg("D"), "The largest violation of the four-point condition.");
}
