"""Nearest rows by products of matrices, exact all the same."""

from __future__ import annotations

import numpy as np

from cladebench.distances.base import FloatArray, IntArray

#: Approximate distances that stand in memory at a time (32 MB).
BLOCK = 2**22
#: Rows that are looked at closely, beyond those that are asked for.
MORE = 8


def nearest_rows(queries: FloatArray, rows: FloatArray, k: int) -> IntArray:
    """Find the k nearest rows of each query, the nearest first, equally near ones by index.

    Parameters
    ----------
    queries : ndarray of shape (n, n_features)
    rows : ndarray of shape (m, n_features)
    k : int
        At most m.

    Returns
    -------
    ndarray of int64, shape (n, k)
        The order is that of the sums of squared differences.

    Notes
    -----
    A product of matrices gives each squared distance up to a bounded error. Some more than k of the least are computed
    anew from differences; where a row left out could still be nearer, within the error, all rows are. O(n m
    n_features) time.
    """
    centre = rows.mean(axis=0)
    at, around = queries - centre, rows - centre
    squares = np.einsum("ij,ij->i", around, around)
    found = np.empty((len(queries), k), dtype=np.int64)
    n_looked_at = min(k + MORE, len(rows))
    step = max(1, BLOCK // len(rows))
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        rough = squares - 2.0 * (at[block] @ around.T)  # the squared distances but for the query's own square
        looked_at = np.argpartition(rough, n_looked_at - 1, axis=1)[:, :n_looked_at]
        looked_at.sort(axis=1)
        exact = _squares(queries[block][:, None], rows[looked_at])
        order = np.argsort(exact, axis=1, kind="stable")[:, :k]
        found[block] = np.take_along_axis(looked_at, order, axis=1)
        if n_looked_at == len(rows):
            continue
        own = np.einsum("ij,ij->i", at[block], at[block])
        error = 8.0 * (len(centre) + 4) * np.finfo(np.float64).eps * (own + squares.max())
        limit = np.take_along_axis(exact, order[:, -1:], axis=1)[:, 0] - own + error
        left_out = np.take_along_axis(rough, looked_at, axis=1).max(axis=1)  # those are no nearer than this
        for i in np.flatnonzero(left_out <= limit):
            candidates = np.flatnonzero(rough[i] <= limit[i])
            order = np.argsort(_squares(queries[start + i], rows[candidates]), kind="stable")
            found[start + i] = candidates[order[:k]]
    return found


def _squares(a: FloatArray, b: FloatArray) -> FloatArray:
    differences = a - b
    return np.einsum("...j,...j->...", differences, differences)
