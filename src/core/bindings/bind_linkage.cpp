#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <map>
#include <span>
#include <string>

#include "checks.hpp"
#include "cladebench/linkage.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

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

using Rows = cladebench::Array<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> checked(const Rows& X) {
  if (X.shape(0) == 0 || X.shape(1) == 0) {
    cladebench::checks::refuse("X: ", X.shape(0), " x ", X.shape(1), "; expected at least 1 x 1");
  }
  const std::span<const double> numbers(X.data(), X.size());
  cladebench::checks::finite("X", numbers);
  return numbers;
}

const std::map<std::string, cladebench::PairLinkage> kPairLinkages{
    {"complete", cladebench::PairLinkage::kComplete}, {"average", cladebench::PairLinkage::kAverage}};

}  // namespace

void bind_linkage(nb::module_& m) {
  m.def(
      "link",
      [](Rows X, const std::string& linkage, const std::string& search) {
        const Linkage kind = named(kLinkages, "linkage", linkage);
        const Search how = named(kSearches, "search", search);
        const std::span<const double> numbers = checked(X);
        auto Z = cladebench::interruptible(
            [&] { return cladebench::scipy_matrix(cladebench::link(numbers, X.shape(1), kind, how)); });
        return to_numpy(std::move(Z));
      },
      nb::arg("X"), nb::arg("linkage"), nb::arg("search") = "chosen",
      "SciPy's linkage matrix of the rows of X, flat; of squared Euclidean distances for average and "
      "weighted.");
  m.def(
      "link_by_pairs",
      [](Rows X, const std::string& linkage, std::size_t room) {
        const auto kind = named(kPairLinkages, "linkage", linkage);
        const std::span<const double> numbers = checked(X);
        auto Z = cladebench::interruptible([&] {
          return cladebench::scipy_matrix(cladebench::link_by_pairs(numbers, X.shape(1), kind, room));
        });
        return to_numpy(std::move(Z));
      },
      nb::arg("X"), nb::arg("linkage"), nb::arg("room") = 0,
      "SciPy's linkage matrix of the rows of X, flat; of Euclidean distances. At most `room` of them are "
      "kept.");
}
