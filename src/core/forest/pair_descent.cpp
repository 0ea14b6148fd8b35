#include "forest/pair_descent.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace cladebench {
namespace {

/// The largest float that is no larger: a float is at most x if and only if it is at most this.
float floor_to_float(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) <= x ? nearest
                                           : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

}  // namespace

void ReadyPairTree::read(const PairForestView& forest, std::size_t t) {
  const auto first = static_cast<std::size_t>(forest.first_node[t]);
  const auto n = static_cast<std::size_t>(forest.first_node[t + 1]) - first;
  nodes.clear();
  values.clear();
  name.resize(n);
  // Children stand behind their parents: from the last node on, their names are known.
  for (std::size_t k = n; k-- > 0;) {
    const std::size_t v = first + k;
    if (forest.feature[v] < 0) {
      name[k] = ~static_cast<std::int32_t>(values.size());
      values.push_back(forest.value[v]);
    } else {
      name[k] = static_cast<std::int32_t>(nodes.size());
      nodes.push_back({static_cast<std::uint32_t>(forest.feature[v]), floor_to_float(forest.threshold[v]),
                       name[static_cast<std::size_t>(forest.left[v])],
                       name[static_cast<std::size_t>(forest.right[v])]});
    }
  }
  root = name[0];
}

void check_pair_forest(const PairForestView& forest, std::size_t d) {
  const auto fail = [](const std::string& what) { throw std::invalid_argument("pair forest: " + what); };
  const std::size_t n_nodes = forest.feature.size();
  const auto& first = forest.first_node;
  if (forest.threshold.size() != n_nodes || forest.left.size() != n_nodes || forest.right.size() != n_nodes ||
      forest.value.size() != n_nodes) {
    fail("expected one feature, threshold, left, right and value for each node");
  }
  if (first.size() < 2 || first.front() != 0 || first.back() != static_cast<std::int64_t>(n_nodes)) {
    fail("expected trees that begin at 0 and end at n_nodes=" + std::to_string(n_nodes));
  }
  for (std::size_t t = 0; t + 1 < first.size(); ++t) {
    // No difference before both are known to lie inside: it may overflow.
    if (first[t + 1] <= first[t] || first[t + 1] > first.back()) {
      fail("tree " + std::to_string(t) + " has no nodes");
    }
    const std::int64_t n = first[t + 1] - first[t];
    for (std::int64_t k = 0; k < n; ++k) {
      const auto v = static_cast<std::size_t>(first[t] + k);
      if (forest.feature[v] < 0) continue;
      const bool known = static_cast<std::size_t>(forest.feature[v]) < 2 * d;
      const bool behind =
          forest.left[v] > k && forest.left[v] < n && forest.right[v] > k && forest.right[v] < n;
      if (!known || !behind || std::isnan(forest.threshold[v])) {
        fail("node " + std::to_string(k) + " of tree " + std::to_string(t) +
             " has a feature, threshold or child that makes no sense");
      }
    }
  }
}

}  // namespace cladebench
