"""Draw points, partitions and structures for the checks of dependence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cladebench.crosscheck._instances import FloatArray, draw, real_data, standardized
from cladebench.crosscheck._pairs import IntArray
from cladebench.methods._kernel import kernel_matrix
from cladebench.solvers.gram import CenteredGram, center


class GramInstance(NamedTuple):
    """Points, and their centred kernel matrix."""

    name: str
    X: FloatArray
    gram: CenteredGram


def structures(n_clusters: int) -> dict[str, FloatArray]:
    """Make the star, Y = I, and a caterpillar.

    The caterpillar's clusters share the spine up to where the first of them leaves it.
    """
    places = np.arange(n_clusters, dtype=np.float64)
    return {"star": np.eye(n_clusters), "caterpillar": np.minimum.outer(places, places) + np.eye(n_clusters)}


def instances(n: int, seed: int) -> Iterator[GramInstance]:
    """Draw rows of each data set, standardised, and as many random points."""
    drawn = {name: draw(X, min(n, len(np.unique(X, axis=0))), seed) for name, (X, _) in real_data().items()}
    drawn["random"] = np.random.default_rng([seed, n]).normal(size=(n, 3))
    for name, X in drawn.items():
        Z = standardized(X)
        yield GramInstance(f"{name}-{len(Z)}-{seed}", Z, center(kernel_matrix(Z, "gaussian", 1.0)))


def labels_of(n: int, n_clusters: int, seed: int) -> IntArray:
    """Draw clusters of unequal sizes, none empty."""
    rng = np.random.default_rng([seed, n, n_clusters])
    share = rng.dirichlet(np.ones(n_clusters))
    return np.concatenate([np.arange(n_clusters), rng.choice(n_clusters, size=n - n_clusters, p=share)])
