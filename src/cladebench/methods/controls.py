"""Controls: trees that know nothing, and one that knows classes.

Each of the former has another shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench.discovery import Excuse
from cladebench.hierarchy import Hierarchy
from cladebench.methods._top_down import divide
from cladebench.methods.base import HierarchicalClusterer
from cladebench.validation import check_at_most_samples, check_int

#: What is blind to the features fails where scikit-learn looks for blobs.
BLIND: Mapping[str, Excuse] = {
    "check_clustering": ("finds well-separated blobs no better than chance", AssertionError),
}


class RandomTree(HierarchicalClusterer):
    """Draw a random binary tree that ignores the features.

    It shows what a measure gives for no skill.

    A random permutation of the samples is cut at a place drawn uniformly, and so are both parts, down to
    single samples (the shape of a random binary search tree, of depth O(log n_samples) in expectation).

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    random_state : int, RandomState instance or None, default=None
        Source of the permutation and of the cuts.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A binary tree with one leaf a sample, without heights.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.

    Examples
    --------
    >>> from cladebench.methods import RandomTree
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> RandomTree(random_state=0).fit(X).hierarchy_
    Hierarchy(n_nodes=9, n_leaves=5, n_samples=5)
    """

    contract_excuses: ClassVar[Mapping[str, Excuse]] = BLIND

    def __init__(
        self, n_clusters: int = 2, *, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        random = check_random_state(self.random_state)
        order = random.permutation(len(X))

        def split(part: slice) -> list[slice]:
            if part.stop - part.start == 1:
                return []
            middle = int(random.randint(part.start + 1, part.stop))
            return [slice(part.start, middle), slice(middle, part.stop)]

        return Hierarchy(*divide(len(X), slice(0, len(X)), split, lambda part: order[part]))


class BalancedRandomTree(HierarchicalClusterer):
    """Cut every node in halves at random.

    It shows what a measure gives for balance alone.

    Methods that balance each split by a constraint are to be compared with it: the random shape of `RandomTree` does
    not say what balance is worth. A cut of the tree has clusters whose sizes differ by a factor of two at most.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    random_state : int, RandomState instance or None, default=None
        Source of the permutation of the samples.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A binary tree with one leaf a sample, without heights: the largest node is the next to be cut.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.

    Examples
    --------
    >>> from cladebench.methods import BalancedRandomTree
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> BalancedRandomTree(random_state=0).fit(X).hierarchy_
    Hierarchy(n_nodes=9, n_leaves=5, n_samples=5)
    """

    contract_excuses: ClassVar[Mapping[str, Excuse]] = BLIND

    def __init__(
        self, n_clusters: int = 2, *, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        order = check_random_state(self.random_state).permutation(len(X))

        def split(part: slice) -> list[slice]:
            if part.stop - part.start == 1:
                return []
            middle = (part.start + part.stop) // 2
            return [slice(part.start, middle), slice(middle, part.stop)]

        return Hierarchy(*divide(len(X), slice(0, len(X)), split, lambda part: order[part]))


class StarTree(HierarchicalClusterer):
    """Put all leaves below the root, all but one equally deep.

    The shape says nothing, and is rewarded.

    Semantic similarity by shortest paths divides by the longest path of the tree. One sample at the end of a long chain
    makes that path long, so that all other pairs look alike to the degree 1 - 2 leaf_depth / (depth + leaf_depth); by
    shared branches they do to the degree 1 / (leaf_depth + 1). Near the mean similarity of the classes this is close to
    the best that can be said without looking at the data (`cladebench.metrics.best_constant` is the limit). Of
    dendrogram purity the tree has that of its root, of Dasgupta's cost the most that there is.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``: the root is split into all leaves at once, so that there is one cluster where these
        are more.
    depth : int, default=5
        Edges from the root to the deep leaf.
    leaf_depth : int, default=2
        Edges from the root to each other leaf, on a chain of its own. With these defaults two leaves are alike to the
        degrees 3/7 and 1/3; classes of what the hmmc paper is run on are so to 0.38 to 0.44 on average, by paths.
    n_leaves : int, optional
        Number of leaves: one sample sits at the deep one, the others are dealt to the rest in equal parts. By default
        each sample has its own.
    random_state : int, RandomState instance or None, default=None
        Source of the order in which the samples are dealt.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        Node 0 is the root; the chains follow one after the other, the long one last. Without heights.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.

    Examples
    --------
    >>> from cladebench.methods import StarTree
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> tree = StarTree(depth=3, random_state=0).fit(X).hierarchy_
    >>> sorted(tree.depths[tree.leaf_of].tolist())
    [2, 2, 2, 2, 3]
    """

    contract_excuses: ClassVar[Mapping[str, Excuse]] = BLIND

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        depth: int = 5,
        leaf_depth: int = 2,
        n_leaves: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.depth = depth
        self.leaf_depth = leaf_depth
        self.n_leaves = n_leaves
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("depth", self.depth, 1)
        check_int("leaf_depth", self.leaf_depth, 1)
        if self.n_leaves is not None:
            check_int("n_leaves", self.n_leaves, 1)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        n_samples = len(X)
        n_leaves = n_samples if self.n_leaves is None else self.n_leaves
        check_at_most_samples(self, "n_leaves", n_leaves, n_samples)
        order = check_random_state(self.random_state).permutation(n_samples)
        if n_leaves == 1:
            return Hierarchy([-1], np.zeros(n_samples, dtype=np.int64))
        lengths = np.array([self.leaf_depth] * (n_leaves - 1) + [self.depth])
        ends = np.cumsum(lengths)
        parents = np.arange(-1, ends[-1])  # one chain, which is then cut
        parents[ends - lengths + 1] = 0
        leaf_of = np.empty(n_samples, dtype=np.int64)
        leaf_of[order] = ends[np.arange(n_samples) % (n_leaves - 1)]
        leaf_of[order[-1]] = ends[-1]
        return Hierarchy(parents, leaf_of)


class OracleTree(HierarchicalClusterer):
    """Make the classes subtrees of the root, single samples below.

    It shows what a measure gives for perfect knowledge.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``. The root is split into all classes at once, so with fewer clusters than
        classes ``labels_`` has one cluster.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A tree of depth two, classes in sorted order, without heights. Its dendrogram purity is 1.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.

    Examples
    --------
    >>> from cladebench.methods import OracleTree
    >>> OracleTree().fit([[0.0], [1.0], [2.0]], ["a", "b", "a"]).labels_.tolist()
    [0, 1, 0]
    """

    uses_labels = True
    order_invariant = True
    contract_excuses: ClassVar[Mapping[str, Excuse]] = {
        "check_clustering": ("is fitted without labels there, which this control cannot do", "requires y"),
    }

    def __init__(self, n_clusters: int = 2) -> None:
        self.n_clusters = n_clusters

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        codes = np.asarray(y)
        n_classes, n_samples = int(codes.max()) + 1, len(X)
        parents = np.concatenate([[-1], np.zeros(n_classes, dtype=np.int64), 1 + codes])
        leaf_of = 1 + n_classes + np.arange(n_samples)
        # A class of one sample, and a root of one class, would be unary chains.
        return Hierarchy(parents, leaf_of).pruned()
