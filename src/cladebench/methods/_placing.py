"""Place new samples in a tree by the models of its splits."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.validation import check_features, check_magnitude


class Placing(HierarchicalClusterer):
    """A hierarchical clusterer whose splits have linear models.

    New samples are placed by them. A subclass defines `_models`.
    """

    @abstractmethod
    def _models(self) -> tuple[np.ndarray, np.ndarray]:
        """Give the models of each node and their constant terms.

        Shapes (n_nodes, n_children, n_features) and (n_nodes, n_children); rows of NaN where there is none. The
        children of a node are in the order of its models.
        """

    def predict(self, X: Any) -> np.ndarray:
        """Place new samples in the clusters of ``labels_``.

        From the root down, each goes to the child whose model gives it the largest score; of equal ones to the first.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of intp, shape (n,)
            Numbers of ``labels_``. Clusters that are fitted have bounds on their sizes, placed samples have not: some
            fitted samples may get another cluster than in ``labels_``.

        Raises
        ------
        ValueError
            If X has another number of features, or is not finite.
        """
        check_is_fitted(self)
        check_features(X)
        rows = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        check_magnitude(rows)
        tree = self.hierarchy_
        label_of = np.zeros(tree.n_nodes, dtype=np.intp)
        label_of[tree.leaf_of] = self.labels_
        return label_of[place(rows, tree, *self._models())]


def place(X: np.ndarray, tree: Hierarchy, models: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    """Find the leaf of each row.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    tree : Hierarchy
    models, intercepts : ndarray
        See `Placing._models`.

    Returns
    -------
    ndarray of int64, shape (n,)
        Nodes of the tree. Where a row goes depends on no other row.
    """
    leaf = np.empty(len(X), dtype=np.int64)
    waiting = [(tree.root, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        children = tree.children(node)
        if not len(children):
            leaf[rows] = node
            continue
        W, constant = models[node, : len(children)], intercepts[node, : len(children)]
        # The last bits of a BLAS product depend on where a row stands.
        chosen = (np.einsum("ij,kj->ik", X[rows], W, optimize=False) + constant).argmax(axis=1)
        waiting.extend((int(child), rows[chosen == k]) for k, child in enumerate(children))
    return leaf
