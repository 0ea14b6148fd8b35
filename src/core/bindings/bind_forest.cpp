#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "forest/forest_neighbors.hpp"
#include "forest/forest_ways.hpp"
#include "forest/hierarchy_forest.hpp"
#include "forest/random_split.hpp"
#include "interruptible.hpp"
#include "splits/max_margin_split.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::HierarchyTree;
using cladebench::interruptible;
using cladebench::Pair;
using cladebench::PlacedForest;
using cladebench::Rows;
using cladebench::to_numpy;
namespace checks = cladebench::checks;

namespace {

/// Trees that may be asked for.
constexpr std::size_t kMostTrees = 1 << 20;
/// That are numbered in 32 bits.
constexpr std::size_t kMostColumns = std::numeric_limits<std::int32_t>::max();

template <typename T>
using Vector = cladebench::Array<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = cladebench::Array<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Rows rows_of(const Matrix<double>& X) { return {X.data(), X.shape(0), X.shape(1)}; }

template <class T>
T read(const nb::dict& settings, const char* name) {
  try {
    return nb::cast<T>(settings[name]);
  } catch (const nb::cast_error&) {
    throw nb::type_error((std::string("settings: ") + name + " has a value of another type").c_str());
  }
}

cladebench::Splitter splitter_of(const nb::dict& given) {
  if (read<std::string>(given, "splits") == "random") return cladebench::random_split;
  cladebench::SplitSettings settings;
  settings.weight = read<double>(given, "weight");
  settings.unconstrained = read<double>(given, "unconstrained");
  settings.share = read<double>(given, "share");
  settings.tolerance = read<double>(given, "tolerance");
  settings.max_rounds = read<int>(given, "max_rounds");
  settings.supervised_rounds = read<int>(given, "supervised_rounds");
  settings.membership = read<double>(given, "membership");
  settings.ridge = read<double>(given, "ridge");
  settings.start = read<cladebench::Start>(given, "start");
  settings.subgradient = read<bool>(given, "subgradient");
  settings.restart = read<bool>(given, "restart");
  return [settings](const cladebench::NodeProblem& node) {
    return cladebench::max_margin_split(node, settings, false).weights;
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
  // Copied: what indices point at must not change once they are checked.
  std::vector<std::int32_t> right, size;
  std::vector<std::uint32_t> features;
  Vector<double> weights;
  std::unique_ptr<PlacedForest> forest;

  Held(Matrix<double> rows, Vector<std::int64_t> n_nodes, Vector<std::int32_t> right_child,
       Vector<std::int32_t> node_size, Vector<std::uint32_t> split_features, Vector<double> split_weights,
       std::size_t d, double alpha)
      : X(rows),
        right(right_child.data(), right_child.data() + right_child.size()),
        size(node_size.data(), node_size.data() + node_size.size()),
        features(split_features.data(), split_features.data() + split_features.size()),
        weights(split_weights) {
    checks::not_empty("X", X);
    checks::at_least("alpha", alpha, std::numeric_limits<double>::lowest());
    checks::expect(d <= X.shape(1), "n_split_features: ", d, "; expected at most ", X.shape(1),
                   ", the columns of X");
    std::vector<cladebench::TreeView> views;
    std::size_t node = 0, split = 0;
    for (std::size_t t = 0; t < n_nodes.shape(0); ++t) {
      const auto count = static_cast<std::size_t>(n_nodes(t));
      const bool fits =
          n_nodes(t) > 0 && count % 2 == 1 && count <= right.size() - node && count <= size.size() - node;
      const std::size_t splits = count / 2;
      if (!fits || (split + splits) * d > features.size() || (split + splits) * (d + 1) > weights.shape(0))
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
    if (views.empty() || node != right.size() || node != size.size() || split * d != features.size() ||
        split * (d + 1) != weights.shape(0))
      throw std::invalid_argument("the numbers of nodes, features and weights do not fit together");
    interruptible([&] { forest = std::make_unique<PlacedForest>(std::move(views), rows_of(X), alpha); });
  }
};

/// Of the training rows where no queries are given.
cladebench::ForestWays ways_of(const PlacedForest& forest, const std::optional<Matrix<double>>& queries) {
  return queries ? cladebench::ForestWays(forest, rows_of(*queries)) : cladebench::ForestWays(forest);
}

/// Columns, values and ends of the entries.
template <class Index>
nb::tuple filled(const cladebench::ForestWays& ways, std::vector<std::int64_t> ends) {
  const auto size = static_cast<std::size_t>(ends.back());
  auto columns = std::make_unique_for_overwrite<Index[]>(size);
  auto values = std::make_unique_for_overwrite<float[]>(size);
  interruptible([&] { ways.fill(ends, columns.get(), values.get()); });
  return nb::make_tuple(to_numpy(std::move(columns), size), to_numpy(std::move(values), size),
                        to_numpy(std::move(ends)));
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.def(
      "grow_forest",
      [](Matrix<double> X, Matrix<std::int64_t> must_link, Matrix<std::int64_t> cannot_link,
         std::size_t min_node_size, std::size_t n_split_features, const nb::dict& settings,
         std::uint64_t seed, std::size_t first, std::size_t count, std::size_t min_leaf_size) {
        checks::not_empty("X", X);
        const std::vector<Pair> must = checks::pairs_of("must_link", must_link, X.shape(0));
        const std::vector<Pair> cannot = checks::pairs_of("cannot_link", cannot_link, X.shape(0));
        checks::within("n_split_features", n_split_features, std::size_t{1}, X.shape(1));
        checks::within("count", count, std::size_t{0}, kMostTrees);
        const cladebench::Splitter splitter = splitter_of(settings);
        std::vector<HierarchyTree> trees;
        interruptible([&] {
          trees = cladebench::grow_forest(rows_of(X), must, cannot,
                                          {min_node_size, n_split_features, min_leaf_size}, splitter, seed,
                                          first, count);
        });
        return joined(std::move(trees));
      },
      nb::arg("X"), nb::arg("must_link"), nb::arg("cannot_link"), nb::arg("min_node_size"),
      nb::arg("n_split_features"), nb::arg("settings"), nb::arg("seed"), nb::arg("first"), nb::arg("count"),
      nb::arg("min_leaf_size") = 1,
      "Numbers of nodes of the trees, and their right children, sizes, features and weights.");

  nb::class_<Held>(m, "PlacedForest", "Trees and the training rows in them.")
      .def(nb::init<Matrix<double>, Vector<std::int64_t>, Vector<std::int32_t>, Vector<std::int32_t>,
                    Vector<std::uint32_t>, Vector<double>, std::size_t, double>(),
           nb::arg("X"), nb::arg("n_nodes"), nb::arg("right"), nb::arg("size"), nb::arg("features"),
           nb::arg("weights"), nb::arg("n_split_features"), nb::arg("alpha"))
      .def(
          "pairwise",
          [](const Held& held, Matrix<double> A, Matrix<double> B) {
            checks::shape("A", A, {A.shape(0), held.forest->d()});
            checks::shape("B", B, {B.shape(0), held.forest->d()});
            const std::size_t size = A.shape(0) * B.shape(0);
            auto D = std::make_unique_for_overwrite<double[]>(size);
            interruptible([&] { held.forest->pairwise(rows_of(A), rows_of(B), D.get()); });
            return to_numpy(std::move(D), size);
          },
          nb::arg("A"), nb::arg("B"), "Distances, row-major.")
      .def(
          "neighbors",
          [](const Held& held, std::optional<Matrix<double>> queries, std::size_t k, std::size_t candidates,
             bool nearest, std::uint64_t seed, bool refill) {
            const std::size_t m_all = queries ? queries->shape(0) : held.forest->n();
            const std::size_t n = held.forest->n();
            if (queries) checks::shape("queries", *queries, {m_all, held.forest->d()});
            checks::within("k", k, std::size_t{1}, queries ? n : n - 1);
            checks::within("candidates", candidates, std::size_t{0}, n);
            std::vector<double> D(m_all * k);
            std::vector<std::int64_t> index(m_all * k), n_compared(m_all);
            interruptible([&] {
              cladebench::find_neighbors(*held.forest, queries ? queries->data() : nullptr, 0, m_all,
                                         {k, candidates, nearest, seed, refill}, D.data(), index.data(),
                                         n_compared.data());
            });
            return nb::make_tuple(to_numpy(std::move(D)), to_numpy(std::move(index)),
                                  to_numpy(std::move(n_compared)));
          },
          nb::arg("queries").none(), nb::arg("k"), nb::arg("candidates"), nb::arg("nearest"), nb::arg("seed"),
          nb::arg("refill"), "Distances and rows, row-major, and how many rows each query was compared with.")
      .def(
          "leaves",
          [](const Held& held, std::optional<Matrix<double>> queries) {
            const PlacedForest& forest = *held.forest;
            if (queries) checks::shape("queries", *queries, {queries->shape(0), forest.d()});
            const std::size_t size = (queries ? queries->shape(0) : forest.n()) * forest.n_trees();
            auto numbers = std::make_unique_for_overwrite<std::int32_t[]>(size);
            interruptible([&] {
              const cladebench::ForestWays ways = ways_of(forest, queries);
              checks::expect(ways.n_leaves() <= kMostColumns, "n_nodes: ", ways.n_leaves(),
                             " leaves; expected at most ", kMostColumns);
              ways.leaves(numbers.get());
            });
            return to_numpy(std::move(numbers), size);
          },
          nb::arg("queries").none(),
          "Number of each query's leaf in each tree, among the leaves of all trees.")
      .def(
          "ways",
          [](const Held& held, std::optional<Matrix<double>> queries) {
            const PlacedForest& forest = *held.forest;
            if (queries) checks::shape("queries", *queries, {queries->shape(0), forest.d()});
            std::optional<cladebench::ForestWays> ways;
            std::vector<std::int64_t> ends;
            interruptible([&] {
              ways.emplace(ways_of(forest, queries));
              ends = ways->ends();
            });
            const bool is_small = static_cast<std::size_t>(ends.back()) <= kMostColumns &&
                                  cladebench::kColumnsPerSplit * ways->n_splits() <= kMostColumns;
            return is_small ? filled<std::int32_t>(*ways, std::move(ends))
                            : filled<std::int64_t>(*ways, std::move(ends));
          },
          nb::arg("queries").none(),
          "Columns and values of each query's entries, two for each split on its way, and where they end.");
}
