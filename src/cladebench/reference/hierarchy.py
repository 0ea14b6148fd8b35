"""Walk a tree's parent array to the root, without storing structure."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def ancestors(parents: npt.ArrayLike, node: int) -> list[int]:
    """Nodes from `node` (included) up to the root."""
    up = np.asarray(parents)
    path = [int(node)]
    while up[path[-1]] != -1:
        path.append(int(up[path[-1]]))
    return path


def lca(parents: npt.ArrayLike, leaf_of: npt.ArrayLike, i: int, j: int) -> int:
    """Lowest common ancestor of samples i and j.

    The first node above j that also lies above i.
    """
    at = np.asarray(leaf_of)
    above_i = set(ancestors(parents, at[i]))
    return next(node for node in ancestors(parents, at[j]) if node in above_i)


def samples_below(parents: npt.ArrayLike, leaf_of: npt.ArrayLike) -> list[list[int]]:
    """List samples below each node, its own included, by their indices."""
    below: list[list[int]] = [[] for _ in np.asarray(parents)]
    for sample, node in enumerate(np.asarray(leaf_of)):
        for ancestor in ancestors(parents, node):
            below[ancestor].append(sample)
    return below


def class_counts(parents: npt.ArrayLike, leaf_of: npt.ArrayLike, labels: npt.ArrayLike) -> list[list[int]]:
    """Count the samples of each class below each node.

    Classes are sorted. Each sample is counted at all nodes above it.
    """
    given = np.asarray(labels).tolist()
    column = {label: place for place, label in enumerate(sorted(set(given)))}
    counts = [[0] * len(column) for _ in np.asarray(parents)]
    for label, node in zip(given, np.asarray(leaf_of), strict=True):
        for ancestor in ancestors(parents, node):
            counts[ancestor][column[label]] += 1
    return counts


def depths(parents: npt.ArrayLike) -> list[int]:
    """Number of edges between each node and the root."""
    return [len(ancestors(parents, node)) - 1 for node in range(len(np.asarray(parents)))]


def dynamic_clusters(
    parents: npt.ArrayLike, leaf_of: npt.ArrayLike, heights: npt.ArrayLike, min_size: int, depth: int
) -> set[frozenset[int]]:
    """Find the branches that stand apart, as `Hierarchy.dynamic_clusters` says it.

    Each branch keeps a list of the heights at which its samples joined, and a core is looked at pair by pair.
    """
    up, at = np.asarray(parents).tolist(), np.asarray(leaf_of).tolist()
    high: list[float] = np.asarray(heights, dtype=np.float64).tolist()
    below = samples_below(up, at)
    for node, height in enumerate(list(high)):
        for above in ancestors(up, node):
            high[above] = max(high[above], height)
    inside = {
        node: [v for v, above in enumerate(up) if above == node and below[v]] for node in range(len(up))
    }
    single = {node: [i for i, leaf in enumerate(at) if leaf == node] for node in range(len(up))}
    merges = sorted(high[node] for node in inside for _ in range(len(inside[node]) + len(single[node]) - 1))
    if not merges:
        return set()
    low = merges[max(round(0.05 * len(merges)), 1) - 1]
    cut = low + 0.99 * (merges[-1] - low)
    share = (0.64, 0.73, 0.82, 0.91, 0.95)[depth]
    clusters: set[frozenset[int]] = set()

    def is_cluster(joins: list[float], until: float) -> bool:
        size = len(joins)
        if size < min_size:
            return False
        core = joins[: min(size, int(min_size / 2 + (size - min_size / 2) ** 0.5))]
        together = [core[j] for j in range(len(core)) for i in range(j)]
        mean = sum(together) / len(together)
        return mean <= low + share * (cut - low) and min(until, cut) - mean >= 0.75 * (1 - share) * (
            cut - low
        )

    def grow(node: int) -> list[float] | None:
        grown = [(v, grow(v)) for v in inside[node]]
        branches = [(v, joins) for v, joins in grown if joins is not None]
        good = [(v, joins) for v, joins in branches if is_cluster(joins, high[node])]
        if len(branches) < len(grown) or len(good) > 1 or (grown and high[node] > cut):
            clusters.update(frozenset(below[v]) for v, _ in good)
            return None
        base: list[float] = []
        for _, joins in good or branches:
            base = joins if len(joins) > len(base) else base
        return base + [high[node]] * (len(below[node]) - len(base))

    root = up.index(-1)
    whole = grow(root)
    if whole is not None and is_cluster(whole, float("inf")):
        clusters.add(frozenset(below[root]))
    return clusters
