"""The Euclidean distance."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cladebench.distances._mapped import MappedDistance
from cladebench.distances._sparse import euclidean
from cladebench.distances.base import Distance, FloatArray, IntArray


class Euclidean(MappedDistance):
    """Measure the Euclidean distance; nothing is learned.

    Notes
    -----
    From differences (SciPy's ``cdist``), not from products of matrices: equal rows are at distance 0 exactly, and the
    distance does not depend on what else stands in X. O(n m n_features) time. X may be sparse and stays so: O(n m k)
    time with k entries a row.

    Examples
    --------
    >>> from cladebench.distances import Euclidean
    >>> Euclidean().fit([[0, 0], [3, 4]]).pairwise([[0, 0]], [[3, 4]]).tolist()
    [[5.0]]
    """

    takes_sparse = True
    order_invariant = True

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        pass

    def _map(self, X: FloatArray) -> FloatArray:
        return X

    def _pairwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        return euclidean(X, Y)

    def _nearest(self, X: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        if sparse.issparse(X) or sparse.issparse(self._fit_X):
            return Distance._nearest(self, X, k)
        return super()._nearest(X, k)
