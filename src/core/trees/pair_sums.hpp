// Exact sums over all pairs of samples of a tree, told apart by the depth of the pair's deeper sample.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trees/tree.hpp"

namespace cladebench {

__extension__ typedef unsigned __int128 Wide;

/// For each depth d the sum, over the unordered pairs of distinct samples i, j of which the deeper one sits
/// at depth d, of values[lca(i, j)] x weights[class of i, class of j]. In whole numbers: nothing is rounded.
///
/// Subtrees are counts of samples by level and class. A subtree of fewer levels is joined to its sibling of
/// more: level by level as far as it reaches; for what lies deeper a vector is left behind at its last level,
/// to be multiplied out when those levels are met next. All subtrees that are joined have no more levels
/// together than the tree has nodes, so that this takes O(n_samples + (n_nodes + m) n_classes) time, where m
/// counts the classes at each level of what is joined: m <= n_nodes n_classes, near n_samples as a rule.
/// Memory is O(n_nodes n_classes) at most, O((depth + log n_nodes) n_classes) for most trees. One thread.
///
/// @param labels class of each sample, 0..n_classes-1.
/// @param weights row-major n_classes x n_classes, symmetric, none negative.
/// @param values for each node, none negative.
/// @return n + 1 sums, n being the depth of the deepest sample.
/// @throws std::invalid_argument if a label, a weight or a value is out of range, or sums could exceed 128
/// bits.
std::vector<Wide> pair_sums(const Tree& tree, std::span<const std::int32_t> labels, std::int32_t n_classes,
                            std::span<const Index> weights, std::span<const Index> values);

}  // namespace cladebench
