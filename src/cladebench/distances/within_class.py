"""The Mahalanobis distance within classes."""

from __future__ import annotations

import numpy as np

from cladebench.distances._linear import LinearDistance, check_shrinkage, inverse_root
from cladebench.distances.base import FloatArray, IntArray


class WithinClassMahalanobis(LinearDistance):
    """Measure the Mahalanobis distance by the covariance within classes [1]_.

    The covariance is pooled, as in linear discriminant analysis.

    Directions in which samples of one class differ count little.

    Parameters
    ----------
    shrinkage : float, default=0.1
        As for :class:`Mahalanobis`.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root of the inverse: the distance is the Euclidean one after this map. Where no class has two different
        samples it is the identity.

    References
    ----------
    .. [1] C. R. Rao, The utilization of multiple measurements in problems of biological classification, Journal of
       the Royal Statistical Society B 10, 1948.
    """

    uses_labels = True
    order_invariant = True

    def __init__(self, *, shrinkage: float = 0.1) -> None:
        self.shrinkage = shrinkage

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)

    def _components(
        self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray
    ) -> FloatArray:
        centred = X.copy()
        for label in np.unique(np.asarray(y)):
            centred[y == label] -= X[y == label].mean(axis=0)
        return inverse_root(centred.T @ centred / len(X), self.shrinkage)
