"""A control: clusters drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench.discovery import Excuse
from cladebench.methods.base import Clusterer


class RandomClusters(Clusterer):
    """Draw each sample's cluster uniformly, whatever its features.

    It shows what a measure gives for no skill.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters to draw from; with few samples some may stay empty.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples.
    n_clusters_ : int
        Clusters that have samples.

    Examples
    --------
    >>> from cladebench.methods import RandomClusters
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> RandomClusters(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 1, 1, 0, 1]
    """

    takes_sparse = True
    contract_excuses: ClassVar[Mapping[str, Excuse]] = {
        "check_clustering": ("finds well-separated blobs no better than chance", AssertionError),
    }

    def __init__(
        self, n_clusters: int = 2, *, random_state: int | np.random.RandomState | None = None
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _cluster(self, X: np.ndarray, y: np.ndarray | None) -> np.ndarray:
        return check_random_state(self.random_state).randint(self.n_clusters, size=X.shape[0])
