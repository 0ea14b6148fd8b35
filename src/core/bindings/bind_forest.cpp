#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cladebench/forest_neighbors.hpp"
#include "cladebench/hierarchy_forest.hpp"
#include "cladebench/max_margin_split.hpp"
#include "cladebench/random_split.hpp"
#include "interruptible.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::HierarchyTree;
using cladebench::interruptible;
using cladebench::Pair;
using cladebench::PlacedForest;
using cladebench::Rows;
using cladebench::to_numpy;

namespace {

// Shapes and values are checked in cladebench.distances.hierarchy_forest, the only caller.
template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Rows rows_of(const Matrix<double>& X) { return {X.data(), X.shape(0), X.shape(1)}; }

std::vector<Pair> pairs_of(const Matrix<std::int64_t>& rows) {
  std::vector<Pair> pairs(rows.shape(0));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {static_cast<std::uint32_t>(rows(i, 0)), static_cast<std::uint32_t>(rows(i, 1))};
  return pairs;
}

cladebench::Splitter splitter_of(const nb::dict& given) {
  if (nb::cast<std::string>(given["splits"]) == "random") return cladebench::random_split;
  cladebench::SplitSettings settings;
  settings.weight = nb::cast<double>(given["weight"]);
  settings.unconstrained = nb::cast<double>(given["unconstrained"]);
  settings.share = nb::cast<double>(given["share"]);
  settings.tolerance = nb::cast<double>(given["tolerance"]);
  settings.max_rounds = nb::cast<int>(given["max_rounds"]);
  settings.supervised_rounds = nb::cast<int>(given["supervised_rounds"]);
  settings.membership = nb::cast<double>(given["membership"]);
  settings.ridge = nb::cast<double>(given["ridge"]);
  settings.start = nb::cast<cladebench::Start>(given["start"]);
  settings.subgradient = nb::cast<bool>(given["subgradient"]);
  settings.restart = nb::cast<bool>(given["restart"]);
  return [settings](const cladebench::NodeProblem& node) {
    return cladebench::max_margin_split(node, settings).weights;
  };
}

/// Arrays of all trees, one behind the other.
nb::tuple joined(std::vector<HierarchyTree> trees) {
  std::vector<std::int64_t> n_nodes;
  HierarchyTree all;
  std::size_t nodes = 0, features = 0, weights = 0;
  for (const HierarchyTree& tree : trees) {
    n_nodes.push_back(static_cast<std::int64_t>(tree.right.size()));
    nodes += tree.right.size();
    features += tree.features.size();
    weights += tree.weights.size();
  }
  all.right.reserve(nodes);
  all.size.reserve(nodes);
  all.features.reserve(features);
  all.weights.reserve(weights);
  for (HierarchyTree& tree : trees) {
    all.right.insert(all.right.end(), tree.right.begin(), tree.right.end());
    all.size.insert(all.size.end(), tree.size.begin(), tree.size.end());
    all.features.insert(all.features.end(), tree.features.begin(), tree.features.end());
    all.weights.insert(all.weights.end(), tree.weights.begin(), tree.weights.end());
    tree = {};  // not all of it twice
  }
  return nb::make_tuple(to_numpy(std::move(n_nodes)), to_numpy(std::move(all.right)),
                        to_numpy(std::move(all.size)), to_numpy(std::move(all.features)),
                        to_numpy(std::move(all.weights)));
}

/// A placed forest, and the arrays that it looks at.
struct Held {
  Matrix<double> X;
  Vector<std::int32_t> right, size;
  Vector<std::uint32_t> features;
  Vector<double> weights;
  std::unique_ptr<PlacedForest> forest;

  Held(Matrix<double> rows, Vector<std::int64_t> n_nodes, Vector<std::int32_t> right_child,
       Vector<std::int32_t> node_size, Vector<std::uint32_t> split_features, Vector<double> split_weights,
       std::size_t d, double alpha)
      : X(rows), right(right_child), size(node_size), features(split_features), weights(split_weights) {
    std::vector<cladebench::TreeView> views;
    std::size_t node = 0, split = 0;
    for (std::size_t t = 0; t < n_nodes.shape(0); ++t) {
      const auto count = static_cast<std::size_t>(n_nodes(t));
      const bool fits = n_nodes(t) > 0 && count % 2 == 1 && count <= right.shape(0) - node;
      const std::size_t splits = count / 2;
      if (!fits || (split + splits) * d > features.shape(0) || (split + splits) * (d + 1) > weights.shape(0))
        throw std::invalid_argument("tree " + std::to_string(t) + " has a number of nodes that does not fit");
      views.push_back({{right.data() + node, count},
                       {size.data() + node, count},
                       features.data() + split * d,
                       weights.data() + split * (d + 1),
                       splits,
                       d});
      node += count;
      split += splits;
    }
    if (views.empty() || node != right.shape(0) || node != size.shape(0) || split * d != features.shape(0) ||
        split * (d + 1) != weights.shape(0))
      throw std::invalid_argument("the numbers of nodes, features and weights do not fit together");
    interruptible([&](const auto& keep_on) {
      forest = std::make_unique<PlacedForest>(std::move(views), rows_of(X), alpha, keep_on);
    });
  }
};

}  // namespace

void bind_forest(nb::module_& m) {
  m.def(
      "grow_forest",
      [](Matrix<double> X, Matrix<std::int64_t> must_link, Matrix<std::int64_t> cannot_link,
         std::size_t min_node_size, std::size_t n_split_features, const nb::dict& settings,
         std::uint64_t seed, std::size_t first, std::size_t count) {
        const std::vector<Pair> must = pairs_of(must_link), cannot = pairs_of(cannot_link);
        const cladebench::Splitter splitter = splitter_of(settings);
        std::vector<HierarchyTree> trees;
        interruptible([&](const auto& keep_on) {
          trees = cladebench::grow_forest(rows_of(X), must, cannot, {min_node_size, n_split_features},
                                          splitter, seed, first, count, keep_on);
        });
        return joined(std::move(trees));
      },
      nb::arg("X"), nb::arg("must_link"), nb::arg("cannot_link"), nb::arg("min_node_size"),
      nb::arg("n_split_features"), nb::arg("settings"), nb::arg("seed"), nb::arg("first"), nb::arg("count"),
      "Numbers of nodes of the trees, and their right children, sizes, features and weights.");

  nb::class_<Held>(m, "PlacedForest", "Trees and the training rows in them.")
      .def(nb::init<Matrix<double>, Vector<std::int64_t>, Vector<std::int32_t>, Vector<std::int32_t>,
                    Vector<std::uint32_t>, Vector<double>, std::size_t, double>(),
           nb::arg("X"), nb::arg("n_nodes"), nb::arg("right"), nb::arg("size"), nb::arg("features"),
           nb::arg("weights"), nb::arg("n_split_features"), nb::arg("alpha"))
      .def(
          "pairwise",
          [](const Held& held, Matrix<double> A, Matrix<double> B) {
            std::vector<double> D(A.shape(0) * B.shape(0));
            interruptible([&](const auto& keep_on) {
              held.forest->pairwise(rows_of(A), rows_of(B), D.data(), keep_on);
            });
            return to_numpy(std::move(D));
          },
          nb::arg("A"), nb::arg("B"), "Distances, row-major.")
      .def(
          "neighbors",
          [](const Held& held, std::optional<Matrix<double>> queries, std::size_t k, std::size_t candidates,
             bool nearest, std::uint64_t seed, bool refill) {
            const std::size_t m_all = queries ? queries->shape(0) : held.forest->n();
            std::vector<double> D(m_all * k);
            std::vector<std::int64_t> index(m_all * k), n_compared(m_all);
            interruptible([&](const auto& keep_on) {
              cladebench::find_neighbors(*held.forest, queries ? queries->data() : nullptr, 0, m_all,
                                         {k, candidates, nearest, seed, refill}, D.data(), index.data(),
                                         n_compared.data(), keep_on);
            });
            return nb::make_tuple(to_numpy(std::move(D)), to_numpy(std::move(index)),
                                  to_numpy(std::move(n_compared)));
          },
          nb::arg("queries").none(), nb::arg("k"), nb::arg("candidates"), nb::arg("nearest"), nb::arg("seed"),
          nb::arg("refill"),
          "Distances and rows, row-major, and how many rows each query was compared with.");
}
