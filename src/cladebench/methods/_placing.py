"""Place new samples in a tree by the rule of its splits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.validation import check_features, check_finite, check_magnitude


class Placing(HierarchicalClusterer):
    """Hold a hierarchical clusterer with a rule, `_scores`, for new samples."""

    @abstractmethod
    def _scores(self, rows: np.ndarray, node: int) -> np.ndarray | None:
        """Give the score of each row for each child of a node.

        None where rows stay. Shape (n, n_children), in the order of ``hierarchy_.children(node)``. A row's scores
        depend on no other row.
        """

    def predict(self, X: Any) -> np.ndarray:
        """Place new samples in the clusters of ``labels_``.

        From the root down, each goes to the child with the largest score; of equal ones to the first. The score is that
        of the child's model, or how near its centre is.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Sparse too, where the class says ``takes_sparse``.

        Returns
        -------
        ndarray of intp, shape (n,)
            Numbers of ``labels_``. Fitted samples get their own, up to rounding where two centres are equally near. Not
            so where the class bounds the sizes of clusters (`HMMC`, `MMC`, `BalancedKMeans`): placed samples know no
            bounds, and some fitted ones may get another cluster.

        Raises
        ------
        ValueError
            If X has another number of features, or is not finite.

        Notes
        -----
        O(n n_features) time for each child on a sample's way.
        """
        rows = checked_rows(self, X)
        nodes, place_of = np.unique(place(rows, self.hierarchy_, self._scores), return_inverse=True)
        label_of = np.array([self.labels_[self.hierarchy_.samples(node)[0]] for node in nodes], dtype=np.intp)
        return label_of[place_of]


class PlacingByModels(Placing):
    """Its splits have linear models; a subclass defines `_models`."""

    @abstractmethod
    def _models(self) -> tuple[np.ndarray, np.ndarray]:
        """Give the models of each node and their constant terms.

        Shapes (n_nodes, n_children, n_features) and (n_nodes, n_children); rows of NaN where there is none. The
        children of a node are in the order of its models.
        """

    def _scores(self, rows: np.ndarray, node: int) -> np.ndarray | None:
        n_children = len(self.hierarchy_.children(node))
        if not n_children:
            return None
        models, intercepts = self._models()
        W, constant = models[node, :n_children], intercepts[node, :n_children]
        # The last bits of a BLAS product depend on where a row stands.
        scores: np.ndarray = np.einsum("ij,kj->ik", rows, W, optimize=False) + constant
        return scores


class PlacingByCentres(Placing):
    """Its splits have centres; a subclass may define `_centres`."""

    def _centres(self, node: int) -> np.ndarray | None:
        """Give the centres of a node's children, shape (n_children, n_features).

        They are the tree's models by default. None means that rows stay.
        """
        n_children = len(self.hierarchy_.children(node))
        return self.hierarchy_.node_data["models"][node, :n_children] if n_children else None

    def _scores(self, rows: np.ndarray, node: int) -> np.ndarray | None:
        centres = self._centres(node)
        return None if centres is None else -squared_distances(rows, centres)


def squared_distances(rows: Any, centres: np.ndarray) -> np.ndarray:
    """Compute squared distances of rows to centres, each by itself.

    Parameters
    ----------
    rows : ndarray or CSR of shape (n, n_features)
    centres : ndarray of shape (n_centres, n_features)

    Returns
    -------
    ndarray of shape (n, n_centres)
        For CSR less the squared norm of the row, and by products, which are less exact far from zero.
    """
    if sparse.issparse(rows):
        return np.einsum("kj,kj->k", centres, centres) - 2.0 * (rows @ centres.T)
    distances = np.empty((len(rows), len(centres)))
    for k, centre in enumerate(centres):
        offsets = rows - centre
        distances[:, k] = np.einsum("ij,ij->i", offsets, offsets)
    return distances


def checked_rows(fitted: Any, X: Any) -> Any:
    """Check new samples of a fitted clusterer.

    They come out as float64, dense or, where it takes these, CSR.
    """
    check_is_fitted(fitted)
    columns = check_features(X, who=fitted)
    accepted = "csr" if fitted.takes_sparse else False
    rows = validate_data(
        fitted, X, reset=False, accept_sparse=accepted, dtype=np.float64, order="C", ensure_all_finite=False
    )
    check_finite(rows, fitted, columns=columns)
    check_magnitude(rows)
    return rows


def place(X: Any, tree: Hierarchy, scores: Callable[[Any, int], np.ndarray | None]) -> np.ndarray:
    """Find the node at which each row stays.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, n_features)
    tree : Hierarchy
    scores : callable
        See `Placing._scores`.

    Returns
    -------
    ndarray of int64, shape (n,)
        Nodes of the tree. Where a row goes depends on no other row.
    """
    stays = np.empty(X.shape[0], dtype=np.int64)
    waiting = [(tree.root, np.arange(X.shape[0]))]
    while waiting:
        node, rows = waiting.pop()
        score = scores(X[rows], node)
        if score is None:
            stays[rows] = node
            continue
        chosen = score.argmax(axis=1)
        parts = [(int(child), rows[chosen == k]) for k, child in enumerate(tree.children(node))]
        waiting.extend(part for part in parts if len(part[1]))
    return stays
