"""Controls: a tree that knows nothing and a tree that knows the classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench.discovery import Excuse
from cladebench.hierarchy import Hierarchy
from cladebench.methods._top_down import divide
from cladebench.methods.base import HierarchicalClusterer


class RandomTree(HierarchicalClusterer):
    """A random binary tree that does not look at the features: what a measure gives for no skill.

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
    """

    contract_excuses: ClassVar[Mapping[str, Excuse]] = {
        "check_clustering": ("finds well-separated blobs no better than chance", AssertionError),
    }

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


class OracleTree(HierarchicalClusterer):
    """The classes as subtrees of the root, single samples below: what a measure gives for perfect knowledge.

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
    """

    uses_labels = True
    order_invariant = True
    contract_excuses: ClassVar[Mapping[str, Excuse]] = {
        "check_clustering": ("is fitted without labels there, which this control cannot do", "requires y"),
    }

    def __init__(self, n_clusters: int = 2) -> None:
        self.n_clusters = n_clusters

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        n_classes, n_samples = len(classes), len(X)
        parents = np.concatenate([[-1], np.zeros(n_classes, dtype=np.int64), 1 + codes])
        leaf_of = 1 + n_classes + np.arange(n_samples)
        # A class of one sample, and a root of one class, would be unary chains.
        return Hierarchy(parents, leaf_of).pruned()
