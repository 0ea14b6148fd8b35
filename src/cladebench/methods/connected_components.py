"""Clusters that hang together in the graph of nearest neighbours."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from cladebench.methods._neighbors import nearest
from cladebench.methods.base import Clusterer
from cladebench.validation import check_int, check_scale


class ConnectedComponents(Clusterer):
    """Find the connected components of the graph of nearest neighbours.

    There are as many clusters as the graph falls into.

    A control for methods that find the number of clusters themselves: it finds those that nothing joins, and no more.

    Parameters
    ----------
    n_neighbors : int, default=5
        Nearest neighbours of each sample (all others, if there are fewer). There is an edge where either end has the
        other among its neighbours.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples. Equal samples share one.
    n_clusters_ : int
        Number of components.

    Notes
    -----
    Neighbours are exact (Euclidean), and of equally near ones those with the lowest indices are taken.
    O(n_samples^2 n_features) time.

    Examples
    --------
    >>> from cladebench.methods import ConnectedComponents
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> ConnectedComponents(n_neighbors=1).fit(X).labels_.tolist()
    [0, 0, 1, 1, 1]
    """

    order_invariant = True

    def __init__(self, *, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        check_int("n_neighbors", self.n_neighbors, 1)

    def _cluster(self, X: np.ndarray, y: np.ndarray | None) -> np.ndarray:
        check_scale(X)
        n = len(X)
        k = min(self.n_neighbors, n - 1)
        index, _ = nearest(X, np.arange(n), k)
        graph = csr_array((np.ones(index.size), index.ravel(), np.arange(n + 1) * k), shape=(n, n))
        return connected_components(graph, directed=False)[1]
