// Additive trees: a distance matrix of k points fitted by the path lengths of a tree, by least squares.
//
// A tree is an array of parents. Nodes 0..k-1 are the points, inner nodes follow, and point 0 is the root:
// what counts is the tree without its root. Inner nodes have degree 3 or more. The edge above a node has the
// node's number.
//
// Least squares needs of D only, for each edge, the sum of D across it: the normal matrix of a tree has the
// entry (points beyond e) x (points beyond f) for two edges, so that both the product with it and the
// solution of the normal equations take O(k), vertex by vertex, without a matrix (Vach 1989).
//
// Non-negative lengths are found by the active-set method of Lawson and Hanson, in which an edge of length 0
// is contracted and the rest is such a solution again. Searches skip a tree without it where a lower bound is
// worse than the best tree so far: what lengths of any sign leave, with multipliers for those that are zero.
// Edges that a move changes get multipliers of their own, so that few trees are left that are no better.
//
// Measured on one core: see benchmarks/test_tree_metric_speed.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cladebench {

using TreeParents = std::vector<std::int64_t>;

/// Neighbour joining (Saitou and Nei 1987, with the criterion of Studier and Keppler 1988). Of equal pairs
/// the first is joined; a new node takes the first one's place. O(k^3): 3 to 6 times faster than plain loops,
/// since most rows cannot have the least pair and are passed over. If most pairs tie it is no faster.
///
/// @param distances row-major k x k, symmetric, zero diagonal, finite, >= 0; k >= 1. So everywhere here.
TreeParents neighbor_joining(std::span<const double> distances, std::size_t k);

/// The same tree with another node as its root.
TreeParents rerooted(TreeParents parent, std::int64_t root);

/// Lengths >= 0 of the edges above all nodes that minimise the sum of squared errors; 0 at the root.
///
/// @throws std::invalid_argument if `parents` is not a tree as described above.
std::vector<double> nonnegative_lengths(std::span<const double> distances, std::size_t k,
                                        const TreeParents& parents);

/// Path lengths between the points, row-major k x k; the lengths are those of the edges above all nodes.
std::vector<double> path_distances(std::size_t k, const TreeParents& parents,
                                   std::span<const double> lengths);

/// The best of all binary trees, the first of equals; (2k - 5)!! of them.
TreeParents best_of_all_trees(std::span<const double> distances, std::size_t k);

/// Descends from a binary tree to one that no move improves: the best move that prunes a subtree and grafts
/// it to an edge at most `radius` edges away is made, again and again; of radius 1 (nearest-neighbour
/// interchange) while one improves, of the full radius then. A round takes O(k x depth) time for sums of D,
/// O(1) for each move that what has changed since the last one lies on the way to, and O(k) for each tree
/// that is not skipped. O(k^2) memory.
///
/// @throws std::invalid_argument if the start is no binary tree.
TreeParents search_trees(std::span<const double> distances, std::size_t k, const TreeParents& start,
                         std::size_t radius);

/// The largest of D_ab + D_cd - max(D_ac + D_bd, D_ad + D_bc) over all quadruples, repeated points included;
/// so it is at least 0. O(k^4 / 24).
double four_point_excess(std::span<const double> distances, std::size_t k);

}  // namespace cladebench
