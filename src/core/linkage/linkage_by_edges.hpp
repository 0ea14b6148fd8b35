// Agglomerative clustering where the distance of two clusters is that of their linked rows.
#pragma once

#include <cstddef>
#include <span>

#include "linkage/linkage_by_graph.hpp"

namespace cladebench {

enum class EdgeLinkage { kComplete, kAverage, kWeighted };

/// Merges the two nearest of all linked clusters again and again, by Euclidean distances between rows that
/// are linked, and no others.
///
/// The distance of A and B together to C follows from those of A and of B to C, if both are linked to C: it
/// is the greater for kComplete, the mean by the sizes of A and B for kAverage, the plain mean for kWeighted.
/// If one alone is linked to C, its distance is that of both. With all edges these are the linkages without a
/// graph.
///
/// Where the graph falls into parts, the shortest edges between these that join all are edges as well. Linked
/// equal rows merge first: rows that are linked to some of them are as far from all. Of equally near pairs
/// the one with the lowest rows is taken. Heights never fall.
///
/// Bounds are of the true distance of two clusters, of which the height says too little where some of their
/// rows are not linked. For m edges time is O(m d + m log^2 m), with ties somewhat more; memory O(n d + m).
GraphMerges link_by_edges(std::span<const double> X, std::size_t d, EdgeLinkage linkage, const Graph& graph);

}  // namespace cladebench
