"""Cut trees, into a number of clusters or at a height.

Functions whose first argument is ``self`` are methods of `cladebench.hierarchy.Hierarchy`.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import takewhile
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cladebench.rooted_tree import RootedTree
from cladebench.validation import check_choice, check_integer, check_real

IntArray = npt.NDArray[np.int64]
Tree = TypeVar("Tree", bound=RootedTree)


def cut(self: RootedTree, n_leaves: int, by: str = "height") -> IntArray:
    """Cut the tree into at most `n_leaves` clusters, from the top down.

    The node with the largest height (the most samples, if there are no heights; the lowest index among
    equals) is split next into its children; samples that sit at it become a cluster of their own. The
    first split that would exceed `n_leaves` ends the cut, so the cuts of one tree are nested. Samples
    that share a leaf stay together, so there can be fewer clusters than asked for.

    Parameters
    ----------
    n_leaves : int
        The largest number of clusters, at least 1: what estimators call ``n_clusters``. With two children a node and
        one sample a leaf there are exactly so many. More than there are samples gives each a cluster of its own;
        estimators refuse it.
    by : {"height", "size"}, default="height"
        "size" splits the node with the most samples next, and is balanced: no cut of the tree into at most
        `n_leaves` clusters has a smaller largest cluster.

    Returns
    -------
    ndarray of int64, shape (n_samples,)
        Cluster of each sample, numbered 0, 1, ... from left to right.

    Raises
    ------
    ValueError
        If `n_leaves` is no integer or below 1, or `by` is another.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> tree.cut(3).tolist()
    [0, 0, 1, 2, 2]
    """
    begins: list[int] = []  # positions in sample_order at which a cluster begins
    for node in splits(self, n_leaves, by):
        begins += self.first[self.parts(node)].tolist()
    return from_begins(self, begins)


def cut_at(self: RootedTree, height: float) -> IntArray:
    """Cut the tree at a height.

    Nodes above the height are split, from the root down. Samples that sit at one become a cluster of their own. A node
    that is not split stays whole, even if heights rise below it. SciPy's ``fcluster`` splits it then: the highest node
    below decides there. Else both cut alike.

    Parameters
    ----------
    height : float
        Finite.

    Returns
    -------
    ndarray of int64, shape (n_samples,)
        Cluster of each sample, numbered 0, 1, ... from left to right.

    Raises
    ------
    ValueError
        If the tree has no heights, or `height` is no finite number.

    Examples
    --------
    >>> from cladebench import Hierarchy, linkage
    >>> tree = Hierarchy.from_linkage(linkage([[0.0], [1.0], [5.0]], method="single"))
    >>> tree.cut_at(2.0).tolist()
    [1, 1, 0]
    """
    check_real("height", height, -math.inf)
    heights, parents = heights_of(self, "cut_at"), self.parents
    below = np.flatnonzero(parents >= 0)
    if (heights[parents[below]] >= heights[below]).all():  # what stands above a high node is high
        apart = below[(heights[parents[below]] > height) & (self.sizes[below] > 0)]
        return from_begins(self, self.first[apart])
    begins: list[int] = []
    waiting = [self.root]
    while waiting:
        node = waiting.pop()
        parts = self.parts(node)
        if heights[node] > height and parts:
            begins += self.first[parts].tolist()
            waiting.extend(parts)
    return from_begins(self, begins)


def splits(self: RootedTree, n_leaves: int, by: str = "height") -> list[int]:
    """List the nodes that `cut` splits, in order.

    They are split to reach at most `n_leaves` clusters.
    """
    check_integer("n_leaves", n_leaves, minimum=1)
    check_choice("by", by, ("height", "size"))
    return [node for node, _ in takewhile(lambda step: step[1] <= n_leaves, steps(self, by))]


def steps(tree: RootedTree, by: str) -> Iterator[tuple[int, int]]:
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
    """Return the numbers of clusters next below and above a missing one.

    `n_clusters` is at least 2. None means that a cut has it, or that none has more.
    """
    below = 1
    for _, above in steps(tree, "height"):
        if above >= n_clusters:
            return None if above == n_clusters else (below, above)
        below = above
    return None


def truncated(self: Tree, n_leaves: int) -> Tree:
    """Return the top of the tree, down to ``cut(n_leaves)``.

    All below these clusters is left out.

    The samples below a cluster sit at its node, which becomes a leaf; heights, edge lengths and node data of the
    nodes that stay are kept, and so is their order.

    Parameters
    ----------
    n_leaves : int
        As in `cut`.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> tree = Hierarchy.from_nested([[0, 1], [2, [3, 4]]])
    >>> tree.truncated(2).to_newick()
    '((0,1),(2,3,4));'
    """
    kept = np.zeros(self.n_nodes, dtype=bool)
    kept[self.root] = True
    for node in splits(self, n_leaves):
        kept[self.parts(node)] = True
    new_index = np.cumsum(kept) - 1
    leaf_of = np.empty(self.n_samples, dtype=np.int64)
    # In preorder the deepest kept node above a sample is the last that writes to its place.
    for node in self.preorder[kept[self.preorder]]:
        leaf_of[self.sample_order[self.first[node] : self.last[node]]] = new_index[node]
    return self._with_nodes(kept, self.parents, leaf_of, self.edge_lengths)


def from_begins(tree: RootedTree, begins: IntArray | list[int]) -> IntArray:
    """Number clusters from left to right.

    `begins` has the places in ``sample_order`` at which one begins; the first, 0, may be left out.
    """
    is_begin = np.zeros(tree.n_samples, dtype=np.int64)
    is_begin[np.asarray(begins, dtype=np.int64)] = 1
    is_begin[0] = 0
    labels = np.zeros(tree.n_samples, dtype=np.int64)
    labels[tree.sample_order] = np.cumsum(is_begin)
    return labels


def heights_of(tree: RootedTree, what: str) -> npt.NDArray[np.float64]:
    """Return the heights, without which there is nothing to read."""
    if tree.heights is None:
        raise ValueError(f"heights: the tree has none; expected heights for {what}")
    return tree.heights
