"""Nearest rows by products of matrices, exact all the same."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from cladebench.distances.base import FloatArray, IntArray

#: Approximate distances that stand in memory at a time (32 MB).
BLOCK = 2**22
#: Rows that are looked at closely, beyond those that are asked for.
MORE = 8


def nearest_rows(queries: FloatArray, rows: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
    """Find the k nearest rows of each query, nearest first.

    Equally near ones come by index.

    Parameters
    ----------
    queries : ndarray of shape (n, n_features)
    rows : ndarray of shape (m, n_features)
    k : int
        At most m.

    Returns
    -------
    distance : ndarray of float64, shape (n, k)
        Euclidean distances by SciPy's ``cdist``, to the last bit.
    index : ndarray of int64, shape (n, k)

    Raises
    ------
    OverflowError
        If the square of a row or query is not finite.

    Notes
    -----
    A product of matrices gives each squared distance up to a bounded error. Some more than k of the least are computed
    anew from differences; where a row left out could still be nearer, within the error, all rows that could be are.
    O(n m n_features) time.
    """
    centre = rows.mean(axis=0)
    at, around = queries - centre, rows - centre
    squares, of_queries = (np.einsum("ij,ij->i", part, part) for part in (around, at))
    if not (np.isfinite(squares).all() and np.isfinite(of_queries).all()):
        raise OverflowError("the square of a row is not finite")
    precision = np.finfo(np.float64)
    error = 8.0 * (len(centre) + 4) * (precision.eps * (of_queries + squares.max()) + precision.tiny)
    distance, nearest = np.empty((len(queries), k)), np.empty((len(queries), k), dtype=np.int64)
    n_looked_at = min(k + MORE, len(rows))
    step = max(1, BLOCK // len(rows))
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        rough = squares - 2.0 * (at[block] @ around.T)  # the squared distances but for the query's own square
        near = np.argpartition(rough, n_looked_at - 1, axis=1)[:, :n_looked_at]
        left_out = np.take_along_axis(rough, near, axis=1).max(axis=1)  # other rows are no nearer than this
        near.sort(axis=1)
        for i, candidates in enumerate(near, start):
            distance[i], nearest[i] = _nearest_of(queries[i], rows, candidates, k)
            limit = np.square(distance[i, -1]) - of_queries[i] + error[i]
            if n_looked_at < len(rows) and left_out[i - start] <= limit:
                candidates = np.flatnonzero(rough[i - start] <= limit)
                distance[i], nearest[i] = _nearest_of(queries[i], rows, candidates, k)
    return distance, nearest


def _nearest_of(
    query: FloatArray, rows: FloatArray, candidates: IntArray, k: int
) -> tuple[FloatArray, IntArray]:
    """The nearest of some rows, whose indices ascend."""
    distances = cdist(query[None], rows[candidates])[0]
    order = np.argsort(distances, kind="stable")[:k]
    return distances[order], candidates[order]
