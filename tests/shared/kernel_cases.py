"""Kernel matrices by definition, and as methods make them."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from cladebench.methods._kernel import gram_matrix
from cladebench.solvers.gram import CenteredGram


def blobs(n: int = 60, centers: int = 3, seed: int = 0, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(n, 4, centers=centers, cluster_std=spread, random_state=seed)


def gaussian(X: np.ndarray, width: float = 1.0) -> np.ndarray:
    squares = cdist(X, X, "sqeuclidean")
    return np.exp(-squares / (width * np.median(squares[np.triu_indices(len(X), 1)])))


def gram_of(X: Any, **how: Any) -> CenteredGram:
    given = {"kernel": "gaussian", "width": 1.0, "matrix": "kernel", "rank": None, **how}
    return gram_matrix(X, random=np.random.RandomState(0), **given)


def full(gram: CenteredGram) -> np.ndarray:
    return gram.values @ gram.values.T if gram.is_factor else gram.values


def words(n: int = 40, d: int = 60, seed: int = 0) -> sparse.csr_array:
    """Documents of which two have no words."""
    rng = np.random.default_rng(seed)
    X = (rng.uniform(size=(n, d)) < 0.05 + 0.4 * (np.arange(n)[:, None] % 2 == np.arange(d) % 2)) * 1.0
    X[[3, 8]] = 0.0
    return sparse.csr_array(X)
