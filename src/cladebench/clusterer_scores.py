"""Score what a clusterer gave: clusters and tree, with labels and without."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from cladebench.clusterers import Fitted
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import (
    Similarity,
    cost_scores,
    purity_scores,
    rand_scores,
    similarity_of_distances,
    v_scores,
)
from cladebench.paper.protocol import scored

#: Up to so many rows Dasgupta's cost is computed, from a matrix; the silhouette of more is that of as many of them.
MATRIX_ROWS = 3000


def scores_with_labels(labels: npt.NDArray[np.int64], fitted: Fitted) -> dict[str, float]:
    """Score clusters and tree against labels, without rows of the label -1.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Classes 0, 1, ...; -1 for rows that are in clusters and tree, but not in the score.
    found : Fitted

    Returns
    -------
    dict of str to float
        ``ari`` and ``ami``. Of a tree ``dendrogram_purity`` too, with its exact value by chance, and corrected for it.

    Raises
    ------
    ValueError
        If no row has a label.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.clusterer_scores import scores_with_labels
    >>> from cladebench.clusterers import Fitted
    >>> found = Fitted(np.array([0, 0, 1, 1]), None, 0.1)
    >>> scores_with_labels(np.array([1, 1, 0, -1]), found)
    {'ari': 1.0, 'ami': 1.0}
    """
    kept = labels >= 0
    if not kept.any():
        raise ValueError("no row of this draw has a label; expected one or more")
    true, clusters = labels[kept], fitted.clusters[kept]
    corrected = {"ari": rand_scores(true, clusters).corrected, "ami": v_scores(true, clusters).corrected}
    metrics = {name: float(value) for name, value in corrected.items() if value is not None}
    if fitted.tree is not None:
        tree = fitted.tree
        left = tree if kept.all() else Hierarchy(tree.parents, tree.leaf_of[kept]).pruned()
        metrics |= scored(dendrogram_purity=purity_scores(left, true))
    return metrics


class UnlabelledScores:
    """Measures without labels, in one space for all clusterers and settings.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
        Or distances of shape (n_samples, n_samples).
    distances : bool, default=False
        Whether X has distances.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.clusterer_scores import UnlabelledScores
    >>> from cladebench.clusterers import fit_clusterer
    >>> from sklearn.cluster import KMeans
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> found = fit_clusterer(KMeans(2, random_state=0), X, 2)
    >>> {name: round(score, 2) for name, score in UnlabelledScores(X).of(found).items()}
    {'silhouette': 0.89, 'calinski_harabasz': 162.0}
    """

    def __init__(self, X: Any, distances: bool = False) -> None:
        self._X, self._distances = X, distances

    def of(self, fitted: Fitted) -> dict[str, float]:
        """Score clusters by distances and a tree by similarities, where defined.

        Returns
        -------
        dict of str to float
            ``silhouette`` of two clusters and more, on `MATRIX_ROWS` rows at most; ``calinski_harabasz`` too where X
            are dense features. Of a tree over so many rows ``dasgupta_cost``, with its exact value by chance, and their
            ratio ``dasgupta_ratio``.
        """
        n, metrics = len(fitted.clusters), dict[str, float]()
        sparse = hasattr(self._X, "indptr")
        if 1 < len(np.unique(fitted.clusters)) < n:
            some = np.random.default_rng(0).permutation(n)[:MATRIX_ROWS] if n > MATRIX_ROWS else np.arange(n)
            clusters = fitted.clusters[some]
            if 1 < len(np.unique(clusters)) < len(some):
                rows = self._X[np.ix_(some, some)] if self._distances else self._X[some]
                metric = "precomputed" if self._distances else "euclidean"
                metrics["silhouette"] = float(silhouette_score(rows, clusters, metric=metric))
            if not self._distances and not sparse:
                metrics["calinski_harabasz"] = float(calinski_harabasz_score(self._X, fitted.clusters))
        if fitted.tree is not None and n <= MATRIX_ROWS and not sparse:
            cost = cost_scores(fitted.tree, self._similarity)
            metrics |= scored(dasgupta_cost=cost)
            if cost.permuted > 0:
                metrics["dasgupta_ratio"] = cost.value / cost.permuted
        return metrics

    @cached_property
    def _similarity(self) -> np.ndarray:
        return similarity_of_distances(self._X) if self._distances else Similarity()(self._X)
