"""Find branches of a tree that last, or stand apart.

Functions whose first argument is ``self`` are methods of `cladebench.hierarchy.Hierarchy`.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cladebench.rooted_tree import RootedTree
from cladebench.tree_cuts import Tree, heights_of
from cladebench.validation import check_integer

IntArray = npt.NDArray[np.int64]
#: Largest mean height within a core, as a share of the range of heights, for each depth of splitting.
SCATTERS = (0.64, 0.73, 0.82, 0.91, 0.95)
#: Merges below the reference height, and where between it and the highest merge the tree is cut, as shares.
REFERENCE, CUT = 0.05, 0.99


def stable_clusters(self: RootedTree, min_size: int) -> IntArray:
    """Find the clusters that last longest while the height falls.

    Parameters
    ----------
    min_size : int
        Samples that a cluster needs, at least 2. Smaller parts drop out of their cluster.

    Returns
    -------
    ndarray of int64, shape (n_samples,)
        Cluster of each sample, numbered 0, 1, ... from left to right; -1 for samples of none.

    Raises
    ------
    ValueError
        If the tree has no heights, or negative ones.

    Notes
    -----
    A cluster begins at the height at which it parts from another. For each sample it ends where that leaves it. The
    time between is counted in inverse heights, and added up over the samples. Of clusters within each other those
    are taken that last longest together. The whole is none. This is HDBSCAN's choice, from any tree.

    Time O(n_samples / min_size) at best, O(n_samples) at worst.

    References
    ----------
    R. J. G. B. Campello, D. Moulavi, J. Sander, Density-based clustering based on hierarchical density estimates,
    PAKDD 2013.

    Examples
    --------
    >>> from cladebench import Hierarchy, linkage
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [20.0]]
    >>> tree = Hierarchy.from_linkage(linkage(X, method="single"))
    >>> tree.stable_clusters(min_size=3).tolist()
    [0, 0, 0, 1, 1, 1, -1]
    """
    tops, _, lasted, above = _large_branches(self, min_size, "stable_clusters")
    return _label(self, tops, _chosen(lasted, above))


def condensed(self: Tree, min_size: int) -> Tree:
    """Return the tree of its large clusters alone: HDBSCAN's condensed tree.

    Each node but the whole is a cluster of at least `min_size` samples. It begins where at least two such parts
    come out of one cluster. Smaller parts drop out of their cluster, and sit at its node.

    Parameters
    ----------
    min_size : int
        Samples that a cluster needs, at least 2.

    Returns
    -------
    Hierarchy
        Node 0 is the whole. ``node_data["begins"]`` has the height below which a cluster is apart, infinite for the
        whole. ``node_data["stability"]`` sums over its samples how long they stay, in inverse heights, by which
        `stable_clusters` chooses.

    Raises
    ------
    ValueError
        If the tree has no heights, or negative ones.

    Examples
    --------
    >>> from cladebench import Hierarchy, linkage
    >>> X = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0], [20.0]]
    >>> tree = Hierarchy.from_linkage(linkage(X, method="single"))
    >>> large = tree.condensed(min_size=3)
    >>> large.to_newick(), large.node_data["begins"].tolist()
    ('(6,(0,1,2),(3,4,5));', [inf, 3.0, 3.0])
    >>> large.node_data["stability"].round(2).tolist()
    [2.08, 2.0, 2.0]
    """
    tops, begins, lasted, above = _large_branches(self, min_size, "condensed")
    # Where a cluster begins in the order of samples, and where the one above goes on after it.
    clusters = np.full(self.n_samples, -1, dtype=np.int64)
    for cluster in range(len(tops) - 1, 0, -1):  # of those that end together the outermost is last
        if self.last[tops[cluster]] < self.n_samples:
            clusters[self.last[tops[cluster]]] = above[cluster]
    clusters[self.first[tops]] = np.arange(len(tops))  # of those that begin together the innermost is last
    given = np.maximum.accumulate(np.where(clusters >= 0, np.arange(self.n_samples), 0))
    leaf_of = np.empty(self.n_samples, dtype=np.int64)
    leaf_of[self.sample_order] = clusters[given]
    node_data = {"begins": np.array(begins), "stability": np.array(lasted)}
    return type(self)(np.array(above), leaf_of, node_data=node_data, sample_names=self.sample_names)


def _large_branches(
    tree: RootedTree, min_size: int, what: str
) -> tuple[list[int], list[float], list[float], list[int]]:
    """Find the branches that part into at least two of `min_size` samples.

    It gives their top nodes, heights at which they begin, stabilities, and the branches that they are within. The
    whole is the first; what is within another comes after it.
    """
    check_integer("min_size", min_size, minimum=2)
    heights = heights_of(tree, what)
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


def dynamic_clusters(self: RootedTree, min_size: int, depth: int = 1) -> IntArray:
    """Find the branches that are tight inside and stand apart.

    Parameters
    ----------
    min_size : int
        Samples that a cluster needs, at least 2.
    depth : int, default=1
        0 to 4; more splits into more and smaller clusters. The default is the default of the authors' program.

    Returns
    -------
    ndarray of int64, shape (n_samples,)
        Cluster of each sample, numbered 0, 1, ... from left to right; -1 for samples of none.

    Raises
    ------
    ValueError
        If the tree has no heights.

    Notes
    -----
    A branch is a cluster if it has `min_size` samples, its core is low, and it merges high above its core.
    Its core are the first ``min_size / 2 + sqrt(size - min_size / 2)`` samples. The height of the core is the mean
    over pairs of the height at which the later one joins. It is ``low + s (cut - low)`` at most. The gap is
    ``0.75 (1 - s) (cut - low)`` at least. For depths 0 to 4, s is 0.64, 0.73, 0.82, 0.91 and 0.95. The 5% quantile
    of the heights is ``low``. At 99% of the way from there to the highest is ``cut``, and nothing joins above it.
    Branches that meet become one if at most one of them is a cluster. Else those that are none are left out.
    A node lower than one below it counts as high as that.

    These are the conditions of Dynamic Hybrid. It takes mean dissimilarities within the core, which a tree does not
    have, and it then gives samples of no cluster to the nearest one.

    Time O(n_samples log n_samples) for the sort, and O(sqrt(n_samples)) for each two branches that meet.

    References
    ----------
    P. Langfelder, B. Zhang, S. Horvath, Defining clusters from a hierarchical cluster tree: the Dynamic Tree Cut
    package for R, Bioinformatics 24, 2008.

    Examples
    --------
    >>> from cladebench import Hierarchy, linkage
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.3], [20.0]]
    >>> tree = Hierarchy.from_linkage(linkage(X, method="average"))
    >>> tree.dynamic_clusters(min_size=3).tolist()
    [0, 0, 0, 1, 1, 1, -1]
    """
    check_integer("min_size", min_size, minimum=2)
    check_integer("depth", depth, minimum=0)
    if depth >= len(SCATTERS):
        raise ValueError(f"depth is {depth}; expected at most {len(SCATTERS) - 1}")
    heights = heights_of(self, "dynamic_clusters").copy()
    order = self.preorder[::-1]
    for node in order:  # what stands below a lower node is as high as that
        if self.parents[node] >= 0:
            heights[self.parents[node]] = max(heights[self.parents[node]], heights[node])
    merges = np.sort(np.repeat(heights, _merges(self)))
    if not len(merges):
        return np.full(self.n_samples, -1, dtype=np.int64)
    low = merges[max(round(REFERENCE * len(merges)), 1) - 1]
    cut = low + CUT * (merges[-1] - low)
    scatter = low + SCATTERS[depth] * (cut - low)
    gap = 0.75 * (1.0 - SCATTERS[depth]) * (cut - low)

    def stands_apart(node: int, joins: list[tuple[float, int]], height: float) -> bool:
        size = int(self.sizes[node])
        if size < min_size:
            return False
        core = _core_height(joins, min(size, int(min_size / 2 + math.sqrt(size - min_size / 2))))
        return core <= scatter and min(height, cut) - core >= gap

    # The joins of a branch: heights at which its samples but the first come to it. A node without is no branch.
    joins_of: dict[int, list[tuple[float, int]]] = {}
    nodes: list[int] = []
    for node in order:
        height, parts = heights[node], self.parts(node)
        branches = [part for part in parts if part in joins_of]
        apart = [part for part in branches if stands_apart(part, joins_of[part], height)]
        if len(branches) < len(parts) or len(apart) > 1 or (parts and height > cut):
            nodes += apart
        elif self.sizes[node]:
            base = max(apart or branches, key=lambda part: self.sizes[part], default=None)
            joins = [] if base is None else joins_of[base]
            joins.append((height, int(self.sizes[node]) - (1 if base is None else int(self.sizes[base]))))
            joins_of[node] = joins
        for part in branches:
            del joins_of[part]
    if self.root in joins_of and stands_apart(self.root, joins_of[self.root], math.inf):
        nodes.append(self.root)
    return _label(self, nodes, list(range(len(nodes))))


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
