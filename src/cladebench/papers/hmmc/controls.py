"""Controls: the tree of the classes itself, and a balanced tree that knows nothing."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from cladebench.hierarchy import Hierarchy
from cladebench.methods._greedy import GreedyTopDown, Node, Split


class ClassTree(BaseEstimator):
    """Every sample at the node of its class in the true tree: both semantic measures and the Rand index give 1.

    Parameters
    ----------
    class_tree : Hierarchy
        Its samples are the classes.
    """

    def __init__(self, class_tree: Hierarchy | None = None) -> None:
        self.class_tree = class_tree

    def fit(self, X: np.ndarray, y: Any) -> Self:
        """Put the samples at the nodes of their classes ``y``."""
        if self.class_tree is None:
            raise ValueError("class_tree=None: expected the tree of the classes")
        tree = self.class_tree
        self.hierarchy_ = Hierarchy(tree.parents, tree.leaf_of[np.asarray(y)])
        return self


class BalancedRandomTree(GreedyTopDown):
    """Every node is cut at random into parts of equal size, the largest leaf first; the features are not looked at.

    What a measure gives for balance alone. The methods of the paper balance every split by a constraint; a random tree
    of random shape does not say what that is worth.

    Parameters
    ----------
    n_clusters, n_leaves, n_splits, random_state
        See :class:`cladebench.methods._greedy.GreedyTopDown`.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_leaves: int | None = None,
        n_splits: int = 2,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_leaves = n_leaves
        self.n_splits = n_splits
        self.min_leaf_size = 1
        self.max_depth = None
        self.random_state = random_state

    def _split(self, node: Node) -> Split:
        n = len(node.samples)
        labels = np.arange(n) % self.n_splits
        return Split(np.random.RandomState(node.seed).permutation(labels), float(n))
