"""Cut trees, at a height or by what lasts or stands apart."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cladebench.tree_formats import RootedTree
from cladebench.validation import check_integer, check_real

IntArray = npt.NDArray[np.int64]
#: Largest mean height within a core, as a share of the range of heights, for each depth of splitting.
SCATTERS = (0.64, 0.73, 0.82, 0.91, 0.95)
#: Merges below the reference height, and where between it and the highest merge the tree is cut, as shares.
REFERENCE, CUT = 0.05, 0.99


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
    heights, parents = _heights(tree, "cut_at"), tree.parents
    below = np.flatnonzero(parents >= 0)
    if (heights[parents[below]] >= heights[below]).all():  # what stands above a high node is high
        apart = below[(heights[parents[below]] > height) & (tree.sizes[below] > 0)]
        return from_begins(tree, tree.first[apart])
    begins: list[int] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        parts = tree.parts(node)
        if heights[node] > height and parts:
            begins += tree.first[parts].tolist()
            waiting.extend(parts)
    return from_begins(tree, begins)


def from_begins(tree: RootedTree, begins: IntArray | list[int]) -> IntArray:
    """Number clusters from left to right.

    By the places in ``sample_order`` at which one begins, but for the first.
    """
    is_begin = np.zeros(tree.n_samples, dtype=np.int64)
    is_begin[np.asarray(begins, dtype=np.int64)] = 1
    is_begin[0] = 0
    labels = np.zeros(tree.n_samples, dtype=np.int64)
    labels[tree.sample_order] = np.cumsum(is_begin)
    return labels


def stable_clusters(tree: RootedTree, min_size: int) -> IntArray:
    """Find the clusters that last longest; see `Hierarchy.stable_clusters`."""
    tops, _, lasted, above = _large_branches(tree, min_size, "stable_clusters")
    return _label(tree, tops, _chosen(lasted, above))


def condensed(
    tree: RootedTree, min_size: int
) -> tuple[IntArray, IntArray, dict[str, npt.NDArray[np.float64]]]:
    """Give parents, nodes of samples and node data; see `Hierarchy.condensed`."""
    tops, begins, lasted, above = _large_branches(tree, min_size, "condensed")
    # Where a cluster begins in the order of samples, and where the one above goes on after it.
    clusters = np.full(tree.n_samples, -1, dtype=np.int64)
    for cluster in range(len(tops) - 1, 0, -1):  # of those that end together the outermost is last
        if tree.last[tops[cluster]] < tree.n_samples:
            clusters[tree.last[tops[cluster]]] = above[cluster]
    clusters[tree.first[tops]] = np.arange(len(tops))  # of those that begin together the innermost is last
    given = np.maximum.accumulate(np.where(clusters >= 0, np.arange(tree.n_samples), 0))
    leaf_of = np.empty(tree.n_samples, dtype=np.int64)
    leaf_of[tree.sample_order] = clusters[given]
    return np.array(above), leaf_of, {"begins": np.array(begins), "stability": np.array(lasted)}


def _large_branches(
    tree: RootedTree, min_size: int, what: str
) -> tuple[list[int], list[float], list[float], list[int]]:
    """Find the branches that part into at least two of `min_size` samples.

    Their top nodes, heights at which they begin, stabilities, and the branches that they are within. The whole
    is the first; what is within another comes after it.
    """
    check_integer("min_size", min_size, minimum=2)
    heights = _heights(tree, what)
    if (heights < 0.0).any():
        raise ValueError(f"heights: one is negative; expected none for {what}")
    tops, births, lasted, above = [tree.root], [0.0], [0.0], [-1]
    begins = [math.inf]
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
                begins.append(float(heights[node]))
                births.append(level)
                lasted.append(0.0)
                above.append(cluster)
    return tops, begins, lasted, above


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


def dynamic_clusters(tree: RootedTree, min_size: int, depth: int) -> IntArray:
    """Find the branches that stand apart; see `Hierarchy.dynamic_clusters`."""
    check_integer("min_size", min_size, minimum=2)
    check_integer("depth", depth, minimum=0)
    if depth >= len(SCATTERS):
        raise ValueError(f"depth is {depth}; expected at most {len(SCATTERS) - 1}")
    heights = _heights(tree, "dynamic_clusters").copy()
    order = tree.preorder[::-1]
    for node in order:  # what stands below a lower node is as high as that
        if tree.parents[node] >= 0:
            heights[tree.parents[node]] = max(heights[tree.parents[node]], heights[node])
    merges = np.sort(np.repeat(heights, _merges(tree)))
    if not len(merges):
        return np.full(tree.n_samples, -1, dtype=np.int64)
    low = merges[max(round(REFERENCE * len(merges)), 1) - 1]
    cut = low + CUT * (merges[-1] - low)
    scatter = low + SCATTERS[depth] * (cut - low)
    gap = 0.75 * (1.0 - SCATTERS[depth]) * (cut - low)

    def stands_apart(node: int, joins: list[tuple[float, int]], height: float) -> bool:
        size = int(tree.sizes[node])
        if size < min_size:
            return False
        own = _core_height(joins, min(size, int(min_size / 2 + math.sqrt(size - min_size / 2))))
        return own <= scatter and min(height, cut) - own >= gap

    # The joins of a branch: heights at which its samples but the first come to it. A node without is no branch.
    joins_of: dict[int, list[tuple[float, int]]] = {}
    found: list[int] = []
    for node in order:
        height, parts = heights[node], tree.parts(node)
        branches = [part for part in parts if part in joins_of]
        apart = [part for part in branches if stands_apart(part, joins_of[part], height)]
        if len(branches) < len(parts) or len(apart) > 1 or (parts and height > cut):
            found += apart
        elif tree.sizes[node]:
            base = max(apart or branches, key=lambda part: tree.sizes[part], default=None)
            joins = [] if base is None else joins_of[base]
            joins.append((height, int(tree.sizes[node]) - (1 if base is None else int(tree.sizes[base]))))
            joins_of[node] = joins
        for part in branches:
            del joins_of[part]
    if tree.root in joins_of and stands_apart(tree.root, joins_of[tree.root], math.inf):
        found.append(tree.root)
    return _label(tree, found, list(range(len(found))))


def _merges(tree: RootedTree) -> IntArray:
    """Count merges at each node: its parts and own samples, less one."""
    inner = np.flatnonzero((tree.sizes > 0) & (tree.parents >= 0))
    counts = np.bincount(tree.parents[inner], minlength=tree.n_nodes)
    return np.maximum(counts + np.bincount(tree.leaf_of, minlength=tree.n_nodes) - 1, 0)


def _core_height(joins: list[tuple[float, int]], n_core: int) -> float:
    """Average the heights at which pairs of the first samples are together."""
    total, rank = 0.0, 1
    for height, count in joins:
        new = min(count, n_core - rank)
        total += height * (new * rank + new * (new - 1) / 2)
        rank += new
        if rank == n_core:
            break
    return total / (n_core * (n_core - 1) / 2)


def _label(tree: RootedTree, tops: list[int], chosen: list[int]) -> IntArray:
    labels = np.full(tree.n_samples, -1, dtype=np.int64)
    for label, node in enumerate(sorted((tops[k] for k in chosen), key=lambda node: tree.first[node])):
        labels[tree.samples(node)] = label
    return labels


def _heights(tree: RootedTree, what: str) -> npt.NDArray[np.float64]:
    if tree.heights is None:
        raise ValueError(f"heights: the tree has none; expected heights for {what}")
    return tree.heights
