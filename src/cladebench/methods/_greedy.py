"""Grow trees top-down by the leaf with the best tentative split."""

from __future__ import annotations

import heapq
import math
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from sklearn.utils import check_random_state

from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.validation import check_at_most_samples, check_int, check_scale


@dataclass
class Split:
    """A tentative split of a node.

    Attributes
    ----------
    labels : ndarray of int, shape (n_node,)
        Cluster 0, 1, ... of each sample of the node, in the order of `Node.samples`; at least two clusters, at most
        ``n_splits``, none of them empty.
    score : float
        The leaf with the largest score is split first. Not NaN.
    models : ndarray of shape (n_clusters, n_features), optional
        A linear model, or a centre, for each cluster.
    facts : mapping of str to float
        What else is worth keeping of the split, by name (objective, iterations, ...).
    """

    labels: np.ndarray
    score: float
    models: np.ndarray | None = None
    facts: Mapping[str, float] = field(default_factory=dict)


@dataclass(eq=False)
class Node:
    """A node of the growing tree.

    Attributes
    ----------
    index : int
        The node in ``hierarchy_``: 0 is the root, and children come after all nodes that were there before.
    samples : ndarray of int, shape (n_node,)
        Ascending, read-only. Emptied once the node has been split, as are the labels of its split: a tree as deep as
        it has samples takes O(n_samples) memory.
    parent : Node or None
    position : int
        Which cluster of the parent's split the node holds, -1 at the root.
    depth : int
        Distance from the root.
    seed : int
        For the random numbers of the split.
    split : Split or None
        The tentative split; none where the node cannot be split, or was never tried.
    """

    index: int
    samples: np.ndarray
    parent: Node | None
    position: int
    depth: int
    seed: int
    split: Split | None = None

    def path(self) -> Iterator[tuple[Split, int]]:
        """Give the splits above and their clusters, from the parent up.

        Each cluster leads to this node.
        """
        node = self
        while node.parent is not None:
            assert node.parent.split is not None  # it has a child
            yield node.parent.split, node.position
            node = node.parent


class GreedyTopDown(HierarchicalClusterer):
    """Grow by Algorithm 1 of the hmmc paper (section 4.1) [1]_.

    Any split will do. Every leaf carries a tentative split, found once, when the leaf is made. The leaf whose split has
    the largest score (the one made first among equals) is split, until ``n_leaves`` leaves stand or no leaf can be
    split. The last split may make more leaves than asked for, by up to ``n_splits - 2``.

    A subclass defines `_split`. There ``self._X`` is the data; the samples of a node are its rows ``node.samples``.
    What `_split` gives is checked. Of the parameters below a subclass takes those that it wants to offer: for the
    others the class has the defaults.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    n_leaves : int, optional
        Number of leaves at which growth ends (F), at least ``n_clusters``, which is the default. The hmmc paper takes
        1, 1.5 and 2 times the number of classes (section 5).
    n_splits : int, default=2
        Clusters into which a node is split (K). The hmmc paper takes 2 to 5 (section 5).
    min_leaf_size : int, default=1
        Nodes of at most this many samples are not split (a stopping criterion that the paper names in section 4.1 and
        does not use).
    max_depth : int, optional
        Nodes at this distance from the root are not split (also named there and not used). No limit by default.
    random_state : int, RandomState instance or None, default=None
        Source of the seeds of the nodes. 0 in a subclass without this parameter.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        Parents precede their children, siblings are in the order of their clusters. The t-th of T splits has the
        height T - t + 1 and leaves have 0, so that `Hierarchy.cut` replays the growth. In ``node_data``: "score" (NaN
        at leaves), "order" (t - 1; -1 at leaves), each of the split's facts (NaN at leaves) and, where splits have
        models, "models" of shape (n_nodes, n_splits, n_features) (rows of NaN where there is none).
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree, that is the leaves that stood when there were at most ``n_clusters``. A first split into
        three goes from one cluster to three, so that ``n_clusters=2`` gives one, with a UserWarning. There are fewer
        clusters too, without a warning, where no leaf could be split any more.
    n_leaves_grown_ : int
        Number of leaves.
    trace_ : dict of ndarray, shape (n_splits_done,)
        After each split: "n_leaves", "seconds" since growth began, "score" of the split.

    Notes
    -----
    A node is not split where it has fewer than ``n_splits`` samples or all its samples are equal. The tentative splits
    of the leaves that the last split makes are not computed: nothing reads them.

    The seed of a node depends on its index alone, so that with one ``random_state`` the tree with fewer leaves is a
    cut of the tree with more.

    References
    ----------
    .. [1] G.-T. Zhou, S. J. Hwang, M. Schmidt, L. Sigal, G. Mori, Hierarchical maximum-margin clustering,
       arXiv:1502.01827, 2015.
    """

    n_leaves: int | None = None
    n_splits: int = 2
    min_leaf_size: int = 1
    max_depth: int | None = None
    # Without the parameter, nothing is random; None would draw the nodes' seeds from NumPy's global generator.
    random_state: int | np.random.RandomState | None = 0

    @abstractmethod
    def _split(self, node: Node) -> Split | None:
        """Cluster a node's samples into ``n_splits`` or more, else None."""

    def _check_parameters(self) -> None:
        if self.n_leaves is not None:
            check_int("n_leaves", self.n_leaves, 1)
            if self.n_leaves < self.n_clusters:
                raise ValueError(
                    f"n_leaves={self.n_leaves} is below n_clusters={self.n_clusters}: expected at least as many leaves "
                    "as clusters, which are made of them"
                )
        check_int("n_splits", self.n_splits, 2)
        check_int("min_leaf_size", self.min_leaf_size, 1)
        if self.max_depth is not None:
            check_int("max_depth", self.max_depth, 0)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        check_scale(X)
        n_leaves = self.n_clusters if self.n_leaves is None else self.n_leaves
        check_at_most_samples(self, "n_leaves", n_leaves, len(X))
        if n_leaves > 1:
            check_at_most_samples(self, "n_splits", self.n_splits, len(X))
        self._X = X
        try:
            nodes, order = self._grow(n_leaves)
        finally:
            del self._X
        return self._tree(nodes, order, len(X))

    def _grow(self, n_leaves: int) -> tuple[list[Node], list[Node]]:
        """Return all nodes, and the split ones in order of splitting."""
        began = time.perf_counter()
        random = check_random_state(self.random_state)
        nodes: list[Node] = []
        order: list[Node] = []
        queue: list[tuple[float, int]] = []  # leaves that can be split: minus the score, index

        def add(samples: np.ndarray, parent: Node | None, position: int) -> Node:
            depth = 0 if parent is None else parent.depth + 1
            seed = int(random.randint(np.iinfo(np.int32).max))
            samples.flags.writeable = False
            nodes.append(Node(len(nodes), samples, parent, position, depth, seed))
            return nodes[-1]

        new = [add(np.arange(len(self._X)), None, -1)]
        n_now = 1
        trace: list[tuple[int, float, float]] = []
        while n_now < n_leaves:
            for node in new:
                node.split = self._tentative(node)
                if node.split is not None:
                    heapq.heappush(queue, (-node.split.score, node.index))
            if not queue:
                break
            grown = nodes[heapq.heappop(queue)[1]]
            split, samples = grown.split, grown.samples
            assert split is not None
            parts = [samples[split.labels == j] for j in range(int(split.labels.max()) + 1)]
            new = [add(part, grown, position) for position, part in enumerate(parts)]
            grown.samples, split.labels = samples[:0].copy(), split.labels[:0].copy()
            order.append(grown)
            n_now += len(new) - 1
            trace.append((n_now, time.perf_counter() - began, split.score))
        self.n_leaves_grown_ = n_now
        columns = np.array(trace, dtype=np.float64).reshape(-1, 3).T
        self.trace_ = {"n_leaves": columns[0].astype(np.int64), "seconds": columns[1], "score": columns[2]}
        return nodes, order

    def _tentative(self, node: Node) -> Split | None:
        n = len(node.samples)
        if n < self.n_splits or n <= self.min_leaf_size:
            return None
        if self.max_depth is not None and node.depth >= self.max_depth:
            return None
        first = self._X[node.samples[0]]
        if (self._X[node.samples[-1]] == first).all() and (self._X[node.samples] == first).all():
            return None
        split = self._split(node)
        wrong = None if split is None else _fault(split, n, self.n_splits)
        if wrong:
            raise ValueError(
                f"{type(self).__name__}._split, node {node.index} ({n} samples, depth {node.depth}): {wrong}"
            )
        return split

    def _tree(self, nodes: list[Node], order: list[Node], n_samples: int) -> Hierarchy:
        parents = [-1 if node.parent is None else node.parent.index for node in nodes]
        leaf_of = np.empty(n_samples, dtype=np.int64)
        for node in nodes:
            leaf_of[node.samples] = node.index  # a node that was split holds none any more
        heights, rank = np.zeros(len(nodes)), np.full(len(nodes), -1)
        node_data: dict[str, np.ndarray] = {}
        for t, node in enumerate(order):
            split = node.split
            assert split is not None
            heights[node.index], rank[node.index] = len(order) - t, t
            for name, value in {**split.facts, "score": split.score}.items():
                node_data.setdefault(name, np.full(len(nodes), np.nan))[node.index] = value
            if split.models is not None:
                shape = (len(nodes), self.n_splits, split.models.shape[1])
                models = node_data.setdefault("models", np.full(shape, np.nan))
                models[node.index, : len(split.models)] = split.models
        node_data.setdefault("score", np.full(len(nodes), np.nan))
        node_data["order"] = rank
        return Hierarchy(parents, leaf_of, heights, node_data)


def _fault(split: object, n: int, n_splits: int) -> str | None:
    """Say what is wrong with the split of a node.

    A node of n samples, and what was expected; None if nothing is wrong.
    """
    if not isinstance(split, Split):
        return f"returned {type(split).__name__}; expected a Split, or None where the node cannot be split"
    labels, models = split.labels, split.models
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu":
        given = f"of dtype {labels.dtype}" if isinstance(labels, np.ndarray) else f"a {type(labels).__name__}"
        return f"labels are {given}; expected an ndarray of integers, shape ({n},)"
    if labels.shape != (n,):
        return f"labels have shape {labels.shape}; expected ({n},), the cluster of each sample of the node"
    least, most = int(labels.min()), int(labels.max())
    if least < 0 or most >= n_splits:
        return f"labels run from {least} to {most}; expected 0..{n_splits - 1} at most (n_splits={n_splits})"
    sizes = np.bincount(labels.astype(np.intp, copy=False), minlength=2)
    if not sizes.all():
        return f"clusters of {sizes.tolist()} samples; expected two clusters or more, none of them empty"
    if not isinstance(split.score, Real) or math.isnan(split.score):
        return f"the score is {split.score!r}; expected a number that is not NaN"
    if models is not None and (np.ndim(models) != 2 or len(models) != len(sizes)):
        return f"models have shape {np.shape(models)}; expected ({len(sizes)}, n_features), one a cluster"
    return None
