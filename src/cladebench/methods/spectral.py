"""Flat spectral clustering (SC)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench.methods._flat import FlatClusterer
from cladebench.methods._neighbors import nearest
from cladebench.methods._spectral import EDGES, spectral_labels
from cladebench.validation import check_choice, check_int, check_real


class FlatSpectral(FlatClusterer):
    """Cluster by spectral clustering of Ng, Jordan and Weiss [1]_.

    This is the baseline SC of the hmmc paper (section 5).

    The graph joins each sample to its nearest neighbours; an edge of length d weighs exp(-d^2 / (2 sigma^2)), sigma
    the mean distance of a sample to its neighbours. The top eigenvectors of D^-1/2 W D^-1/2 are stacked, their rows
    are brought to unit length, and k-means clusters the rows.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, and of eigenvectors.
    n_neighbors : int, default=5
        Nearest neighbours of each sample (all others, if there are fewer); five in the hmmc paper.
    edges : {"either", "mutual", "averaged"}, default="either"
        There is an edge where either end has the other among its neighbours, or only where both have; or an edge of one
        direction counts half. The paper is silent.
    exponent : float, default=0.5
        An edge of length d weighs exp(-exponent d^2 / sigma^2): 1/2 in [1]_; 1 is in use as well, and the hmmc paper
        says only what the width is. Above 0.
    n_init : int, default=10
        Starts of k-means. The hmmc paper is silent; the default of scikit-learn's `SpectralClustering`.
    random_state : int, RandomState instance or None, default=None
        Source of the starts of k-means. Nothing else is random.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A root with one leaf for each cluster.
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples. Fewer than ``n_clusters`` where fewer rows are distinct; one, where
        all samples are equal.

    Notes
    -----
    Neighbours are exact, and of equally near ones those with the lowest indices are taken: of many equal samples, the
    first ones thus become everyone's neighbours, and equal samples may come apart. Where the graph has more components
    than ``n_clusters``, the largest components are clusters of their own and the others make up the last (see
    `cladebench.methods._spectral.spectral_labels`).

    O(n_samples^2 n_features) time for the neighbours; memory is linear in ``n_samples``, but for a few blocks of
    64 MB.

    References
    ----------
    .. [1] A. Y. Ng, M. I. Jordan, Y. Weiss, On spectral clustering: analysis and an algorithm, NIPS 2001.

    Examples
    --------
    >>> from cladebench.methods import FlatSpectral
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> FlatSpectral(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1, 1]
    """

    contract_params: ClassVar[Mapping[str, Any]] = {"n_init": 2}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_neighbors: int = 5,
        edges: str = "either",
        exponent: float = 0.5,
        n_init: int = 10,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.edges = edges
        self.exponent = exponent
        self.n_init = n_init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("n_neighbors", self.n_neighbors, 1)
        check_choice("edges", self.edges, EDGES)
        check_real("exponent", self.exponent, 0.0, open_minimum=True)
        check_int("n_init", self.n_init, 1)

    def _cluster(self, X: np.ndarray) -> np.ndarray:
        if self.n_clusters == 1 or (X[0] == X).all():
            return np.zeros(len(X), dtype=np.int64)
        index, distance = nearest(X, np.arange(len(X)), min(self.n_neighbors, len(X) - 1))
        return spectral_labels(
            index,
            distance,
            self.n_clusters,
            n_init=self.n_init,
            seed=int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)),
            edges=self.edges,
            exponent=self.exponent,
        )
