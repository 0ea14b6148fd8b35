#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "checks.hpp"
#include "linkage/linkage.hpp"
#include "linkage/linkage_by_edges.hpp"
#include "linkage/linkage_by_graph.hpp"
#include "to_numpy.hpp"
#include "with_progress.hpp"

namespace nb = nanobind;
using cladebench::Linkage;
using cladebench::Search;
using cladebench::to_numpy;

namespace {

template <class T>
T named(const std::map<std::string, T>& known, const char* what, const std::string& name) {
  const auto found = known.find(name);
  if (found == known.end()) cladebench::checks::refuse(what, "='", name, "': there is none of that name");
  return found->second;
}

const std::map<std::string, Linkage> kLinkages{
    {"single", Linkage::kSingle}, {"average", Linkage::kAverage},   {"weighted", Linkage::kWeighted},
    {"ward", Linkage::kWard},     {"centroid", Linkage::kCentroid}, {"median", Linkage::kMedian}};
const std::map<std::string, Search> kSearches{
    {"chosen", Search::kChosen}, {"tree", Search::kTree}, {"all", Search::kAll}};

const std::map<std::string, cladebench::EdgeLinkage> kEdgeLinkages{
    {"complete", cladebench::EdgeLinkage::kComplete},
    {"average", cladebench::EdgeLinkage::kAverage},
    {"weighted", cladebench::EdgeLinkage::kWeighted}};

template <class Number>
using RowsOf = cladebench::Array<const Number, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = RowsOf<double>;

template <class Number>
std::span<const Number> checked(const RowsOf<Number>& X) {
  if (X.shape(0) == 0 || X.shape(1) == 0) {
    cladebench::checks::refuse("X: ", X.shape(0), " x ", X.shape(1), "; expected at least 1 x 1");
  }
  const std::span<const Number> numbers(X.data(), X.size());
  cladebench::checks::finite("X", numbers);
  return numbers;
}

/// The numbers that the core works on: those of single precision are widened here, and nowhere copied before.
template <class Number>
std::vector<double> owned(std::span<const Number> numbers) {
  return {numbers.begin(), numbers.end()};
}

const std::map<std::string, cladebench::PairLinkage> kPairLinkages{
    {"complete", cladebench::PairLinkage::kComplete}, {"average", cladebench::PairLinkage::kAverage}};

template <class Number>
using Numbers = cladebench::Array<const Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_few(const Rows& X) {
  cladebench::checks::expect(X.shape(0) <= std::numeric_limits<std::int32_t>::max(),
                             "X: too many rows; expected below 2^31");
}

/// A copy: what was checked must not change.
cladebench::NeighborGraph checked_graph(std::size_t n, const Numbers<std::int64_t>& begin,
                                        const Numbers<std::int32_t>& ends, const Numbers<double>& squares) {
  using namespace cladebench::checks;
  shape("begin", begin, {n + 1});
  cladebench::NeighborGraph graph{{begin.data(), begin.data() + begin.size()},
                                  {ends.data(), ends.data() + ends.size()},
                                  {squares.data(), squares.data() + squares.size()}};
  expect(graph.begin.front() == 0 && std::ranges::is_sorted(graph.begin) &&
             static_cast<std::uint64_t>(graph.begin.back()) == graph.ends.size(),
         "begin: expected ascending numbers from 0 to ", graph.ends.size());
  indices<std::int32_t>("ends", graph.ends, n);
  expect(graph.squares.empty() || graph.squares.size() == n, "squares: ", graph.squares.size(),
         " numbers; expected 0 or ", n);
  for (const double square : graph.squares) {
    expect(square >= 0.0, "squares: ", square, "; expected none below 0");
  }
  return graph;
}

template <class Number>
void bind_rows_of(nb::module_& m) {
  m.def(
      "link",
      [](RowsOf<Number> X, const std::string& linkage, const std::string& search,
         const nb::object& progress) {
        const Linkage kind = named(kLinkages, "linkage", linkage);
        const Search how = named(kSearches, "search", search);
        const auto numbers = checked(X);
        auto Z = cladebench::with_progress(
            [&] { return cladebench::scipy_matrix(cladebench::link(owned(numbers), X.shape(1), kind, how)); },
            progress);
        return to_numpy(std::move(Z));
      },
      nb::arg("X"), nb::arg("linkage"), nb::arg("search") = "chosen", nb::arg("progress") = nb::none(),
      "SciPy's linkage matrix of the rows of X, flat; of squared Euclidean distances for average and "
      "weighted.");
  m.def(
      "link_by_pairs",
      [](RowsOf<Number> X, const std::string& linkage, std::size_t room, const nb::object& progress) {
        const auto kind = named(kPairLinkages, "linkage", linkage);
        const auto numbers = checked(X);
        auto Z = cladebench::with_progress(
            [&] {
              return cladebench::scipy_matrix(
                  cladebench::link_by_pairs(owned(numbers), X.shape(1), kind, room));
            },
            progress);
        return to_numpy(std::move(Z));
      },
      nb::arg("X"), nb::arg("linkage"), nb::arg("room") = 0, nb::arg("progress") = nb::none(),
      "SciPy's linkage matrix of the rows of X, flat; of Euclidean distances. At most `room` of them are "
      "kept.");
}

template <class Kind, class Link>
void bind_along(nb::module_& m, const char* name, const std::map<std::string, Kind>& kinds, Link link,
                const char* words) {
  m.def(
      name,
      [&kinds, link](Rows X, const std::string& linkage, Numbers<std::int64_t> begin,
                     Numbers<std::int32_t> ends, Numbers<double> squares, const nb::object& progress) {
        const Kind kind = named(kinds, "linkage", linkage);
        const std::span<const double> numbers = checked(X);
        check_few(X);
        const cladebench::NeighborGraph graph = checked_graph(X.shape(0), begin, ends, squares);
        auto [Z, bounds] = cladebench::with_progress(
            [&] {
              auto found = link(numbers, X.shape(1), kind, graph.graph());
              return std::pair(cladebench::scipy_matrix(found.merges), std::move(found.bounds));
            },
            progress);
        return nb::make_tuple(to_numpy(std::move(Z)), to_numpy(std::move(bounds)));
      },
      nb::arg("X"), nb::arg("linkage"), nb::arg("begin"), nb::arg("ends"), nb::arg("squares"),
      nb::arg("progress") = nb::none(), words);
}

}  // namespace

void bind_linkage(nb::module_& m) {
  bind_rows_of<double>(m);
  bind_rows_of<float>(m);
  m.def(
      "neighbor_graph",
      [](Rows X, std::size_t k, const std::string& search, const nb::object& progress) {
        const Search how = named(kSearches, "search", search);
        const std::span<const double> numbers = checked(X);
        check_few(X);
        cladebench::checks::expect(k > 0, "k: 0; expected at least 1");
        auto graph = cladebench::with_progress(
            [&] { return cladebench::neighbor_graph(numbers, X.shape(1), k, how); }, progress);
        return nb::make_tuple(to_numpy(std::move(graph.begin)), to_numpy(std::move(graph.ends)),
                              to_numpy(std::move(graph.squares)));
      },
      nb::arg("X"), nb::arg("k"), nb::arg("search") = "chosen", nb::arg("progress") = nb::none(),
      "The k nearest of the rows that differ, of all rows: where each row's begin, they, and how far all "
      "others are at least, squared.");
  bind_along(
      m, "link_by_graph", kLinkages, cladebench::link_by_graph,
      "SciPy's linkage matrix along the edges of a graph, flat, and a bound of each merge if `squares` are "
      "given, but for centroid and median; of squared Euclidean distances for average and weighted.");
  bind_along(
      m, "link_by_edges", kEdgeLinkages, cladebench::link_by_edges,
      "The same where the distance of two clusters is that of their linked rows; of Euclidean distances.");
}
