"""Cut trees at a height, or find the clusters that last longest."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cladebench.tree_formats import RootedTree
from cladebench.validation import check_integer, check_real

IntArray = npt.NDArray[np.int64]


def splits(tree: RootedTree, by: str) -> Iterator[tuple[int, int]]:
    """Yield the nodes that a cut splits, in order, and cluster counts."""
    priority = tree.sizes if tree.heights is None or by == "size" else tree.heights
    queue = [(-priority[tree.root], tree.root)]
    n_clusters = 1
    while queue:
        _, node = heapq.heappop(queue)
        parts = tree.parts(node)
        if parts:
            n_clusters += len(parts) - (0 if len(tree.own_samples(node)) else 1)
            yield node, n_clusters
        for part in parts:
            heapq.heappush(queue, (-priority[part], part))


def skipped(tree: RootedTree, n_clusters: int) -> tuple[int, int] | None:
    """Return the cuts nearest to a number that no cut has.

    Their numbers of clusters, below and above. None where there are no such two. Of 2 clusters or more.
    """
    below = 1
    for _, above in splits(tree, "height"):
        if above >= n_clusters:
            return None if above == n_clusters else (below, above)
        below = above
    return None


def cut_at(tree: RootedTree, height: float) -> IntArray:
    """Cut a tree at a height; see `Hierarchy.cut_at`."""
    check_real("height", height, -math.inf)
    heights = _heights(tree, "cut_at")
    begins, waiting = {0}, [tree.root]
    while waiting:
        node = waiting.pop()
        parts = tree.parts(node)
        if heights[node] > height and parts:
            begins.update(int(tree.first[part]) for part in parts)
            waiting.extend(parts)
    return from_begins(tree, begins)


def from_begins(tree: RootedTree, begins: set[int]) -> IntArray:
    """Number clusters from left to right.

    By the places in ``sample_order`` at which one begins.
    """
    is_begin = np.zeros(tree.n_samples, dtype=np.int64)
    is_begin[sorted(begins)] = 1
    labels = np.zeros(tree.n_samples, dtype=np.int64)
    labels[tree.sample_order] = np.cumsum(is_begin) - 1
    return labels


def stable_clusters(tree: RootedTree, min_size: int) -> IntArray:
    """Find the clusters that last longest; see `Hierarchy.stable_clusters`."""
    check_integer("min_size", min_size, minimum=2)
    heights = _heights(tree, "stable_clusters")
    if (heights < 0.0).any():
        raise ValueError("heights: one is negative; expected none for stable_clusters")
    tops, births, lasted, above = [tree.root], [0.0], [0.0], [-1]
    waiting = [(tree.root, 0)]
    while waiting:
        node, cluster = waiting.pop()
        level = math.inf if heights[node] == 0.0 else 1.0 / float(heights[node])
        large = [part for part in tree.parts(node) if tree.sizes[part] >= min_size]
        stay = large if len(large) == 1 else []
        left = int(tree.sizes[node]) - sum(int(tree.sizes[part]) for part in stay)
        # Samples that meet at height 0 stay for ever, and add nothing to a cluster that begins there.
        if level > births[cluster]:
            lasted[cluster] += left * (level - births[cluster])
        waiting.extend((part, cluster) for part in stay)
        if len(large) > 1:
            for part in large:
                waiting.append((part, len(tops)))
                tops.append(part)
                births.append(level)
                lasted.append(0.0)
                above.append(cluster)
    return _label(tree, tops, _chosen(lasted, above))


def _chosen(lasted: list[float], above: list[int]) -> list[int]:
    """Choose clusters, none within another, that last longest in all."""
    best, below = list(lasted), [0.0] * len(lasted)  # the root, which is first, is never chosen
    is_whole = [True] * len(lasted)
    for cluster in range(len(lasted) - 1, 0, -1):  # those within come after
        is_whole[cluster] = not below[cluster] > lasted[cluster]
        best[cluster] = max(lasted[cluster], below[cluster])
        below[above[cluster]] += best[cluster]
    is_open = [True] + [False] * (len(lasted) - 1)
    chosen = []
    for cluster in range(1, len(lasted)):
        if is_open[above[cluster]]:
            is_open[cluster] = not is_whole[cluster]
            chosen += [cluster] * is_whole[cluster]
    return chosen


def _label(tree: RootedTree, tops: list[int], chosen: list[int]) -> IntArray:
    labels = np.full(tree.n_samples, -1, dtype=np.int64)
    for label, node in enumerate(sorted((tops[k] for k in chosen), key=lambda node: tree.first[node])):
        labels[tree.samples(node)] = label
    return labels


def _heights(tree: RootedTree, what: str) -> npt.NDArray[np.float64]:
    if tree.heights is None:
        raise ValueError(f"heights: the tree has none; expected heights for {what}")
    return tree.heights
