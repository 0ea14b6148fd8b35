"""The Mahalanobis distance of all samples."""

from __future__ import annotations

import numpy as np

from cladebench.distances._linear import LinearDistance, check_shrinkage, inverse_root
from cladebench.distances.base import FloatArray, IntArray


class Mahalanobis(LinearDistance):
    """Measure the Mahalanobis distance by the covariance of all samples [1]_.

    It is a rescaling that reads no labels.

    Parameters
    ----------
    shrinkage : float, default=0.1
        Weight s in [0, 1] of a multiple of the identity in the covariance that is inverted: (1 - s) C + s m I, m the
        mean variance of a feature. With more features than samples, or constant features, C alone has no inverse.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root of the inverse: the distance is the Euclidean one after this map.

    References
    ----------
    .. [1] P. C. Mahalanobis, On the generalised distance in statistics, Proceedings of the National Institute of
       Sciences of India 2, 1936.
    """

    order_invariant = True

    def __init__(self, *, shrinkage: float = 0.1) -> None:
        self.shrinkage = shrinkage

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)

    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        centred = X - X.mean(axis=0)
        return inverse_root(centred.T @ centred / len(X), self.shrinkage)
