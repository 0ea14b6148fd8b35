// What the linkages along a graph share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/keep_on.hpp"
#include "common/roots.hpp"
#include "linkage/linkage_by_graph.hpp"

namespace cladebench {

/// Calls task(row, end) of each edge, in the order of rows.
template <class Task>
void for_edges(const Graph& graph, const Task& task) {
  for (std::size_t row = 0; row + 1 < graph.begin.size(); ++row) {
    keep_on(static_cast<std::size_t>(graph.begin[row + 1] - graph.begin[row]));
    for (std::int64_t k = graph.begin[row]; k < graph.begin[row + 1]; ++k) {
      task(static_cast<std::int64_t>(row),
           static_cast<std::int64_t>(graph.ends[static_cast<std::size_t>(k)]));
    }
  }
}

/// Calls merge(kept, gone) of roots that an edge between equal rows of X links, the lower first; it joins
/// them.
template <class Merge>
void merge_equal_rows(std::span<const double> X, std::size_t d, const Graph& graph, Roots& roots,
                      const Merge& merge) {
  for_edges(graph, [&](std::int64_t a, std::int64_t b) {
    const double *x = X.data() + static_cast<std::size_t>(a) * d,
                 *y = X.data() + static_cast<std::size_t>(b) * d;
    keep_on(d);
    if (!std::equal(x, x + d, y)) return;
    const auto [kept, gone] = std::minmax({roots.find(a), roots.find(b)});
    if (kept != gone) merge(kept, gone);
  });
}

/// Less by more than rounding can make it.
inline constexpr double kBelowRounding = 1.0 - 0x1p-40;

/// How much of a distance another is, 1 at most.
inline double share_of(double least, double distance) { return least < distance ? least / distance : 1.0; }

}  // namespace cladebench
