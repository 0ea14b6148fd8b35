"""Weights by the spread within clusters alone.

What a diagonal discriminant analysis takes of the labels.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cladebench.distances._exemplars import RuleOfWeights
from cladebench.solvers.given_distances import GivenDistances

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class WithinCluster(RuleOfWeights):
    """Weigh each distance by one over its mean within clusters.

    The clusters are those of the training sets. No clustering is learned from.

    Of squared differences in features these are inverse variances within clusters, as a diagonal discriminant analysis
    has them: with these a nearest mean is the best rule for normal clusters of one covariance. Exemplars are no means:
    their own noise adds up over all features, so that those which tell nothing do harm here.

    Parameters
    ----------
    features : {"squared_differences"} or callable, optional
        What sets are given as; see `ExemplarMetric`.
    price : {"matched"} or float, default="matched"
        Cost of an exemplar; see `FixedWeights`.

    Attributes
    ----------
    weights_ : ndarray of float64, shape (n_distances,)
        Weights of the distances as they are given, of sum 1 for distances that are scaled to mean 1; 0 for a distance
        that is 0 everywhere. A distance that is 0 within clusters alone tells them apart by itself: all weight is on
        such distances where there are any, as it is spread equally where no cluster has two objects.
    scales_ : ndarray of float64, shape (n_distances,)
        Mean of each distance in the training sets.
    price_ : float
    n_distances_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.distances import WithinCluster
    >>> near = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0.0]])
    >>> stack = np.array([near, 5 - 5 * np.eye(4)])  # the second distance tells nothing
    >>> WithinCluster().fit([stack], [[0, 0, 1, 1]]).predict(stack).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, features: Any = None, price: Literal["matched"] | float = "matched") -> None:
        self.features = features
        self.price = price

    def _scaled_weights(self, sets: list[GivenDistances], labels: list[IntArray]) -> FloatArray:
        return inverse_within(sets, labels)


def inverse_within(sets: list[GivenDistances], labels: list[IntArray]) -> FloatArray:
    """Compute weights from mean distances within clusters, of sum 1."""
    n_distances = sets[0].shape[0]
    within, n_pairs = np.zeros(n_distances), 0
    told = np.zeros(n_distances, dtype=bool)
    for given, codes in zip(sets, labels, strict=True):
        p, q = np.nonzero((codes[:, None] == codes) & ~np.eye(len(codes), dtype=bool))
        within += given.total(p, q)
        n_pairs += len(p)
        told |= given.means() > 0
    if not n_pairs or not told.any():
        return np.full(n_distances, 1.0 / n_distances)
    alone = told & (within <= 0)
    if alone.any():
        return alone / alone.sum()
    w = np.zeros(n_distances)
    w[told] = n_pairs / within[told]
    return np.asarray(w / w.sum())
