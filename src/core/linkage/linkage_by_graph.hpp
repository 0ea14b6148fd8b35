// Agglomerative clustering along the edges of a graph.
//
// Reference: A. Ferligoj and V. Batagelj, Clustering with relational constraint, Psychometrika 47, 1982.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linkage/linkage.hpp"

namespace cladebench {

/// Two rows are linked if one of them has the other among its ends, ends[begin[row]] and on, up to
/// ends[begin[row + 1]].
struct Graph {
  std::span<const std::int64_t> begin;  ///< n + 1, ascending from 0
  std::span<const std::int32_t> ends;
  /// Empty, or of each row a squared distance: rows that neither it nor its equals are linked to are at least
  /// so far.
  std::span<const double> squares;
};

struct NeighborGraph {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> ends;
  std::vector<double> squares;

  Graph graph() const { return {begin, ends, squares}; }
};

/// The ends of each row of X are the k rows nearest to it, the nearest first; of equally near ones those of
/// the lowest rows. Rows that equal an earlier one are no neighbours but of that one, which is their only
/// end.
///
/// Time O(n^2 d), for few coordinates most often O(n d k log n). Memory O(n (d + k)).
NeighborGraph neighbor_graph(std::span<const double> X, std::size_t d, std::size_t k,
                             Search search = Search::kChosen);

struct GraphMerges {
  std::vector<Merge> merges;
  /// Of each merge: no other cluster is nearer to one of both than this share of its height. 1: all are as
  /// far. Empty if the graph has no squares.
  std::vector<double> bounds;
};

/// Merges the two nearest of all linked clusters again and again; two clusters are linked if a row of one is
/// linked to a row of the other. Then merges what is left by `link`'s rule.
///
/// Equal rows that are linked merge first. Of equally near pairs the one with the lowest rows is taken.
/// Heights are those of `link`; they may fall.
///
/// For kSingle two linked clusters are as far as the shortest edge between them. kCentroid and kMedian have
/// no bounds: what merges elsewhere can come nearer to two clusters than both are, so that nothing is proven
/// by what is near them. With m edges time is O(m d log n) most often, and O(n m d) at worst, where a cluster
/// that is linked to many merges one by one. Memory O(n d + m).
GraphMerges link_by_graph(std::span<const double> X, std::size_t d, Linkage linkage, const Graph& graph);

}  // namespace cladebench
