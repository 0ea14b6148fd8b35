#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "forest/pair_forest.hpp"
#include "forest/pair_forest_growth.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
namespace checks = cladebench::checks;

namespace {

/// Trees that may be asked for.
constexpr std::size_t kMostTrees = 1 << 20;

template <typename T>
using Vector = cladebench::Array<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = cladebench::Array<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Pairs = cladebench::Array<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = cladebench::Array<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

/// Means of so many values stay finite, whatever leaves a pair reaches.
void check_values(const Vector<double>& value, std::size_t n_trees) {
  checks::finite("value", span(value),
                 std::numeric_limits<double>::max() / static_cast<double>(std::max<std::size_t>(n_trees, 1)));
}

/// One array of all trees, one behind the other; those of the trees are given back as soon as they are
/// copied.
template <class T>
auto joined(std::vector<cladebench::PairTree>& trees, std::vector<T> cladebench::PairTree::* member) {
  std::size_t n = 0;
  for (const auto& tree : trees) n += (tree.*member).size();
  std::vector<T> all;
  all.reserve(n);
  for (auto& tree : trees) {
    all.insert(all.end(), (tree.*member).begin(), (tree.*member).end());
    std::vector<T>().swap(tree.*member);
  }
  return cladebench::to_numpy(std::move(all));
}

}  // namespace

void bind_pair_forest(nb::module_& m) {
  m.def(
      "grow_pair_forest",
      [](Rows X, Pairs must_link, Pairs cannot_link, std::size_t max_features, std::size_t min_samples_leaf,
         bool bootstrap, std::uint64_t seed, std::size_t n_trees) {
        checks::not_empty("X", X);
        const auto must = checks::pairs_of("must_link", must_link, X.shape(0));
        const auto cannot = checks::pairs_of("cannot_link", cannot_link, X.shape(0));
        checks::within("n_trees", n_trees, std::size_t{0}, kMostTrees);
        // Differences and sums of two rows are finite, too.
        checks::finite("X", checks::span_of<float>(X), std::numeric_limits<float>::max() / 2.0F);
        std::vector<cladebench::PairTree> trees;
        cladebench::interruptible([&] {
          trees = cladebench::grow_pair_forest({X.data(), X.shape(0)}, X.shape(1), must, cannot,
                                               {max_features, min_samples_leaf, bootstrap}, seed, n_trees);
        });
        std::vector<std::int64_t> first_node{0};
        for (const auto& tree : trees) {
          first_node.push_back(first_node.back() + static_cast<std::int64_t>(tree.feature.size()));
        }
        nb::dict nodes;
        nodes["first_node"] = cladebench::to_numpy(std::move(first_node));
        nodes["feature"] = joined(trees, &cladebench::PairTree::feature);
        nodes["threshold"] = joined(trees, &cladebench::PairTree::threshold);
        nodes["left"] = joined(trees, &cladebench::PairTree::left);
        nodes["right"] = joined(trees, &cladebench::PairTree::right);
        nodes["value"] = joined(trees, &cladebench::PairTree::value);
        return nodes;
      },
      nb::arg("X"), nb::arg("must_link"), nb::arg("cannot_link"), nb::arg("max_features"),
      nb::arg("min_samples_leaf"), nb::arg("bootstrap"), nb::arg("seed"), nb::arg("n_trees"),
      "Nodes of a forest that tells cannot-links (1) from must-links (0), as pair_forest_means takes them; "
      "see "
      "cladebench.distances.random_forest_distance.");
  m.def(
      "pair_forest_means",
      [](Vector<std::int64_t> first_node, Vector<std::int32_t> feature, Vector<double> threshold,
         Vector<std::int32_t> left, Vector<std::int32_t> right, Vector<double> value, Rows A, Rows B,
         Table result) {
        if (A.shape(1) != B.shape(1) || result.shape(0) != A.shape(0) || result.shape(1) != B.shape(0)) {
          throw std::invalid_argument("pair forest: the shapes of A, B and result do not fit");
        }
        checks::has_columns("A", A);
        check_values(value, first_node.size());
        checks::apart("result", result, "first_node", first_node);
        checks::apart("result", result, "feature", feature);
        checks::apart("result", result, "left", left);
        checks::apart("result", result, "right", right);
        cladebench::interruptible([&] {
          cladebench::pair_forest_means(
              {span(first_node), span(feature), span(threshold), span(left), span(right), span(value)},
              A.shape(1), {A.data(), A.shape(0)}, {B.data(), B.shape(0)}, result.data());
        });
      },
      nb::arg("first_node"), nb::arg("feature"), nb::arg("threshold"), nb::arg("left"), nb::arg("right"),
      nb::arg("value"), nb::arg("A"), nb::arg("B"), nb::arg("result").noconvert(),
      "Mean over trees of the value of the leaf that each pair of rows of A and B reaches, written to "
      "result; "
      "see cladebench.distances.random_forest_distance.");
  m.def(
      "pair_forest_neighbors",
      [](Vector<std::int64_t> first_node, Vector<std::int32_t> feature, Vector<double> threshold,
         Vector<std::int32_t> left, Vector<std::int32_t> right, Vector<double> value, Rows queries, Rows rows,
         std::size_t k) {
        if (queries.shape(1) != rows.shape(1)) {
          throw std::invalid_argument("pair forest: the shapes of queries and rows do not fit");
        }
        checks::not_empty("rows", rows);
        checks::within("k", k, std::size_t{1}, rows.shape(0));
        check_values(value, first_node.size());
        std::vector<double> D(queries.shape(0) * k);
        std::vector<std::int64_t> index(D.size());
        cladebench::interruptible([&] {
          cladebench::pair_forest_neighbors(
              {span(first_node), span(feature), span(threshold), span(left), span(right), span(value)},
              rows.shape(1), {queries.data(), queries.shape(0)}, {rows.data(), rows.shape(0)}, k, D.data(),
              index.data());
        });
        return nb::make_tuple(cladebench::to_numpy(std::move(D)), cladebench::to_numpy(std::move(index)));
      },
      nb::arg("first_node"), nb::arg("feature"), nb::arg("threshold"), nb::arg("left"), nb::arg("right"),
      nb::arg("value"), nb::arg("queries"), nb::arg("rows"), nb::arg("k"),
      "Distances and indices of the k rows nearest to each query, by the means that pair_forest_means gives, "
      "one query after another; see cladebench.distances.random_forest_distance.");
}
