"""Find branches of a tree that last, or stand apart.

Functions whose first argument is ``self`` are methods of `cladebench.hierarchy.Hierarchy`.
"""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from cladebench.rooted_tree import RootedTree, raised
from cladebench.tree_cuts import Tree, heights_of
from cladebench.validation import check_integer

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
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
    return _label(self, tops[_chosen(lasted.tolist(), above.tolist())])


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
    clusters = np.full(self.n_samples + 1, -1, dtype=np.int64)
    clusters[self.last[tops[:0:-1]]] = above[:0:-1]  # of those that end together the outermost is last
    clusters[self.first[tops]] = np.arange(len(tops))  # of those that begin together the innermost is last
    given = np.maximum.accumulate(np.where(clusters >= 0, np.arange(self.n_samples + 1), 0))[:-1]
    leaf_of = np.empty(self.n_samples, dtype=np.int64)
    leaf_of[self.sample_order] = clusters[given]
    node_data = {"begins": begins, "stability": lasted}
    return type(self)(above, leaf_of, node_data=node_data, sample_names=self.sample_names)


def _large_branches(
    tree: RootedTree, min_size: int, what: str
) -> tuple[IntArray, FloatArray, FloatArray, IntArray]:
    """Find the branches that part into at least two of `min_size` samples.

    It gives their top nodes, heights at which they begin, stabilities, and the branches that they are within. The
    whole is the first; what is within another comes after it.
    """
    check_integer("min_size", min_size, minimum=2)
    heights = heights_of(tree, what)
    if (heights < 0.0).any():
        raise ValueError(f"heights: one is negative; expected none for {what}")
    nodes, n_parts = _large_nodes(tree, min_size)
    # Branches are numbered where they part: from right to left, and there in the order of their nodes.
    parting = nodes[n_parts[nodes] > 1]
    parting = parting[np.lexsort((tree.depths[parting], -tree.last[parting]))]
    number = np.full(tree.n_nodes, -1, dtype=np.int64)
    number[parting] = np.arange(len(parting))
    tops = tree.child_index[(number[tree.parents] >= 0)[tree.child_index]]
    tops = tops[tree.sizes[tops] >= min_size]
    tops = np.append(tree.root, tops[np.argsort(number[tree.parents[tops]], kind="stable")])
    begins = np.append(math.inf, heights[tree.parents[tops[1:]]])
    # In preorder, behind a node with one large part comes that part: a branch is a run of large nodes.
    number[:] = -1
    number[tops] = np.arange(len(tops))
    number[nodes] = number[
        nodes[np.maximum.accumulate(np.where(number[nodes] >= 0, np.arange(len(nodes)), 0))]
    ]
    left, goes_on = tree.sizes[nodes], np.flatnonzero(n_parts[nodes] == 1)
    left[goes_on] -= left[goes_on + 1]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        births, levels = 1.0 / np.abs(begins), 1.0 / np.abs(heights[nodes])  # 0 may have a sign
        lasted = left * (levels - births[number[nodes]])
    # Samples that meet at height 0 stay for ever, and add nothing to a cluster that begins there.
    counts = (levels > births[number[nodes]]) & (left > 0)
    lasted = np.bincount(number[nodes[counts]], lasted[counts], len(tops)).astype(np.float64, copy=False)
    return tops, begins, lasted, np.append(-1, number[tree.parents[tops[1:]]])


def _large_nodes(tree: RootedTree, min_size: int) -> tuple[IntArray, IntArray]:
    """List large nodes and root in preorder, and count large parts."""
    large = tree.sizes >= min_size
    n_parts = np.bincount(tree.parents[large & (tree.parents >= 0)], minlength=tree.n_nodes)
    large[tree.root] = True
    return tree.preorder[large[tree.preorder]], n_parts


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

    Time O(n_samples log n_samples) for the sort, and O(log n_samples) for each two branches that meet.

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
    heights = raised(self, heights_of(self, "dynamic_clusters"))
    merges = np.sort(np.repeat(heights, _merges(self)))
    if self.n_samples < min_size or not len(merges):
        return np.full(self.n_samples, -1, dtype=np.int64)
    low = float(merges[max(round(REFERENCE * len(merges)), 1) - 1])
    cut = low + CUT * (float(merges[-1]) - low)
    scatter = low + SCATTERS[depth] * (cut - low)
    gap = 0.75 * (1.0 - SCATTERS[depth]) * (cut - low)
    height_of, size_of, heavy = heights.tolist(), self.sizes.tolist(), self._tree.heavy.tolist()

    def stands_apart(node: int, joins: _Joins, height: float) -> bool:
        size = size_of[node]
        core = joins.core_height(min(size, int(min_size / 2 + math.sqrt(size - min_size / 2))))
        return core <= scatter and min(height, cut) - core >= gap

    def first_joins(node: int) -> _Joins:
        joins, way = _Joins(), [heavy[node]]
        while way[-1] >= 0 and size_of[way[-1]] > 1:
            way.append(heavy[way[-1]])
        for part in way[-2::-1]:
            joins.add(height_of[part], size_of[part])
        return joins

    # Smaller nodes are no clusters, and branches where they are low enough: they are looked at only as parts of cores.
    large, n_large = _large_nodes(self, min_size)
    has_parts = self.sizes > np.bincount(self.leaf_of, minlength=self.n_nodes)
    ends = ((heights > cut) & has_parts)[large]
    # Large nodes whose parent is to come, from right to left. One without joins is no branch.
    waiting: list[tuple[int, _Joins | None]] = []
    nodes: list[int] = []
    columns = (large, n_large[large], heights[large], self.sizes[large], ends)
    for node, n, height, size, is_end in zip(*(column[::-1].tolist() for column in columns), strict=True):
        parts = waiting[: -n - 1 : -1]
        del waiting[len(waiting) - n :]
        joins = parts[0][1] if n else first_joins(node)
        if n > 1 or is_end or joins is None:
            branches = [(part, joins) for part, joins in parts if joins is not None]
            apart = [branch for branch in branches if stands_apart(*branch, height)]
            if is_end or len(apart) > 1 or len(branches) < n:
                nodes += [part for part, _ in apart]
                waiting.append((node, None))
                continue
            joins = max(apart or branches, key=lambda branch: size_of[branch[0]])[1]
        joins.add(height, size)
        waiting.append((node, joins))
    ((root, joins),) = waiting
    if joins is not None and stands_apart(root, joins, math.inf):
        nodes.append(root)
    return _label(self, np.array(nodes, dtype=np.int64))


class _Joins:
    """The heights at which samples come to a branch.

    With the samples that it then has, and the sum over their pairs of the heights at which the later one joins.
    """

    __slots__ = ("heights", "sizes", "totals")

    def __init__(self) -> None:
        self.heights, self.sizes, self.totals = [0.0], [1], [0.0]

    def add(self, height: float, size: int) -> None:
        """Let samples join until there are so many."""
        old = self.sizes[-1]
        new = size - old
        self.totals.append(self.totals[-1] + height * (new * old + new * (new - 1) / 2))
        self.heights.append(height)
        self.sizes.append(size)

    def core_height(self, n_core: int) -> float:
        """Average the heights at which pairs of the first samples are together."""
        at = bisect_left(self.sizes, n_core)
        old = self.sizes[at - 1]
        new = n_core - old
        total = self.totals[at - 1] + self.heights[at] * (new * old + new * (new - 1) / 2)
        return total / (n_core * (n_core - 1) / 2)


def _merges(tree: RootedTree) -> IntArray:
    """Count merges at each node: its parts and own samples, less one."""
    inner = np.flatnonzero((tree.sizes > 0) & (tree.parents >= 0))
    counts = np.bincount(tree.parents[inner], minlength=tree.n_nodes)
    return np.maximum(counts + np.bincount(tree.leaf_of, minlength=tree.n_nodes) - 1, 0)


def _label(tree: RootedTree, nodes: IntArray) -> IntArray:
    """Number nodes, none below another, from left to right."""
    nodes = nodes[np.argsort(tree.first[nodes])]
    sizes = tree.sizes[nodes]
    places = np.arange(sizes.sum()) + np.repeat(tree.first[nodes] - np.cumsum(sizes) + sizes, sizes)
    labels = np.full(tree.n_samples, -1, dtype=np.int64)
    labels[tree.sample_order[places]] = np.repeat(np.arange(len(nodes)), sizes)
    return labels
