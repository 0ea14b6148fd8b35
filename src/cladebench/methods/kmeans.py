"""Flat k-means (KM)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from cladebench.methods._flat import FlatClusterer
from cladebench.methods._kmeans import kmeans
from cladebench.methods._placing import PlacingByCentres
from cladebench.validation import check_int


class FlatKMeans(PlacingByCentres, FlatClusterer):
    """Cluster by k-means: the hmmc paper's baseline KM (section 5).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    n_init : int, default=1
        Starts of k-means. The hmmc paper is silent; one is scikit-learn's default for k-means++ starts
        (``n_init="auto"``), which are the ones used here.
    max_iter : int, default=300
        Largest number of Lloyd iterations of a start. The paper is silent; scikit-learn's default.
    random_state : int, RandomState instance or None, default=None
        Source of the starts.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A root with one leaf for each cluster.
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples. Fewer than ``n_clusters`` where fewer samples are distinct.
    cluster_centers_ : ndarray of shape (n_found, n_features)
        The centre of each cluster of ``labels_``. `predict` goes by the nearest one.
    n_iter_ : int
        Lloyd iterations of the start that was kept.

    Notes
    -----
    scikit-learn's `KMeans`, on one thread. O(iterations * n_init * n_clusters * n_features * n_samples) time. X may be
    sparse and stays so: the time is then by its entries, not by n_features * n_samples; the centres are dense.

    Examples
    --------
    >>> from cladebench.methods import FlatKMeans
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> found = FlatKMeans(n_clusters=3, random_state=0).fit(X)
    >>> found.labels_.tolist()
    [0, 0, 1, 1, 2]
    >>> found.predict([[4.0], [100.0]]).tolist()
    [1, 2]
    """

    takes_sparse = True
    contract_params: ClassVar[Mapping[str, Any]] = {"n_init": 2}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_init: int = 1,
        max_iter: int = 300,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("n_init", self.n_init, 1)
        check_int("max_iter", self.max_iter, 1)

    def _cluster(self, X: np.ndarray) -> np.ndarray:
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        best = kmeans(
            _plain(X) if sparse.issparse(X) else X,
            self.n_clusters,
            n_init=self.n_init,
            seed=seed,
            max_iter=self.max_iter,
        )
        self.cluster_centers_, self.n_iter_ = best.centers, best.n_iter
        return best.labels

    def _centres(self, node: int) -> np.ndarray | None:
        return self.cluster_centers_ if len(self.hierarchy_.children(node)) else None


def _plain(X: Any) -> sparse.csr_array:
    """Give CSR for scikit-learn: 32-bit indices where possible, entries once."""
    kind = np.int32 if max(X.nnz, *X.shape) <= np.iinfo(np.int32).max else np.int64
    index, start = X.indices.astype(kind, copy=False), X.indptr.astype(kind, copy=False)
    plain = sparse.csr_array((X.data, index, start), shape=X.shape)
    if not plain.has_canonical_format:
        plain = plain.copy()  # X is not to be written to
        plain.sum_duplicates()
    return plain
