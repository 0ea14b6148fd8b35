#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "common/equal_rows.hpp"
#include "common/parallel.hpp"
#include "linkage/cluster_search.hpp"
#include "linkage/linkage_by_graph.hpp"

namespace cladebench {
namespace {

using Id = std::int64_t;

std::size_t at(Id id) { return static_cast<std::size_t>(id); }

}  // namespace

NeighborGraph neighbor_graph(std::span<const double> X, std::size_t d, std::size_t k, Search search) {
  const std::size_t n = X.size() / d;
  std::vector<double> centres(X.begin(), X.end());
  for (double& x : centres) x += 0.0;  // there is no -0
  std::vector<Id> first_of(n, -1);     // of those that equal an earlier row
  for (const auto& [first, other] : equal_rows(centres, d)) first_of[at(other)] = first;
  std::vector<Id> rows;
  for (std::size_t row = 0; row < n; ++row) {
    if (first_of[row] < 0) rows.push_back(static_cast<Id>(row));
  }
  k = std::min(k, rows.size() - 1);
  NeighborGraph graph;
  graph.begin.assign(1, 0);
  for (std::size_t row = 0; row < n; ++row) {
    graph.begin.push_back(graph.begin.back() + (first_of[row] < 0 ? static_cast<Id>(k) : 1));
  }
  graph.ends.resize(at(graph.begin.back()));
  graph.squares.resize(n);
  const bool is_complete = k == rows.size() - 1;
  const std::vector<double> none(n, 0.0);
  ClusterSearch searched(d, Between::kCentres, search, centres, none);
  searched.rebuild(rows);
  const std::span<const Id> ids = searched.tiles().ids();  // those that are near each other together
  constexpr std::size_t kTogether = ClusterTiles::kTogether;
  parallel_for((ids.size() + kTogether - 1) / kTogether, ids.size() > kTogether, [&](std::size_t b) {
    const auto who = ids.subspan(b * kTogether, std::min(kTogether, ids.size() - b * kTogether));
    std::vector<Nearest> nearest(who.size(), Nearest(k));
    if (k > 0) searched.find(who, nearest);
    for (std::size_t q = 0; q < who.size(); ++q) {
      const std::size_t row = at(who[q]);
      graph.squares[row] = is_complete ? std::numeric_limits<double>::infinity() : nearest[q].limit();
      for (std::int32_t* end = graph.ends.data() + graph.begin[row]; const Found& one : nearest[q].sorted()) {
        *end++ = static_cast<std::int32_t>(one.second);
      }
    }
  });
  for (std::size_t row = 0; row < n; ++row) {
    if (first_of[row] < 0) continue;
    graph.squares[row] = graph.squares[at(first_of[row])];
    graph.ends[at(graph.begin[row])] = static_cast<std::int32_t>(first_of[row]);
  }
  return graph;
}

}  // namespace cladebench
