"""Euclidean distances of dense and of sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from cladebench.distances.base import FloatArray

#: Entries that stand in memory at a time while sparse rows are subtracted (about 100 MB).
BLOCK = 2**21


def euclidean(X: Any, Y: Any) -> FloatArray:
    """Compute Euclidean distances of X's rows to Y's from differences.

    Parameters
    ----------
    X, Y : ndarray or CSR, shapes (n, n_features) and (m, n_features)

    Returns
    -------
    ndarray of float64, shape (n, m)

    Notes
    -----
    Products of matrices would be faster on sparse rows, and lose half of the digits of a small distance. O(n m
    n_features) time where both are dense, O(n m k) with k entries a row where one is sparse.
    """
    if not (sparse.issparse(X) or sparse.issparse(Y)):
        return cdist(X, Y)
    X, Y = sparse.csr_array(X), sparse.csr_array(Y)
    n_pairs = X.shape[0] * Y.shape[0]
    squares = np.empty(n_pairs)
    step = max(1, BLOCK // max(1, _longest(X) + _longest(Y)))
    for start in range(0, n_pairs, step):
        left, right = np.divmod(np.arange(start, min(start + step, n_pairs)), Y.shape[0])
        squares[start : start + step] = (X[left] - Y[right]).power(2).sum(axis=1)
    return np.sqrt(squares).reshape(X.shape[0], Y.shape[0])


def _longest(rows: sparse.csr_array) -> int:
    return int(np.diff(rows.indptr).max(initial=0))
