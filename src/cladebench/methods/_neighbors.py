"""Exact nearest neighbours, of all samples and of those of any subset."""

from __future__ import annotations

import numpy as np

# Entries of the largest array of a search, in float64: 64 MB.
BLOCK = 8_000_000
# The least value of each of the groups of this many points bounds the nearest distances from above.
GROUP = 32


def nearest(X: np.ndarray, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the nearest other points of some of the points.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        C-contiguous float64; squared distances must not overflow.
    rows : ndarray of int, shape (m,)
        Points to find the neighbours of.
    k : int
        Number of neighbours, 0 <= k < n.

    Returns
    -------
    index : ndarray of int64, shape (m, k)
        Nearest first, equally near ones in the order of their indices. A point is not its own neighbour; its equals
        are.
    distance : ndarray of float64, shape (m, k)
        Euclidean distances.

    Notes
    -----
    O(m n n_features) time, nearly all of it in matrix products. These give lower bounds of the squared distances (the
    product minus what rounding can amount to), the bounds give candidates, and the candidates' distances are computed
    from differences: what is returned does not depend on how the products were rounded.
    """
    index = np.empty((len(rows), k), dtype=np.int64)
    distance = np.empty((len(rows), k))
    if k == 0 or len(rows) == 0:
        return index, distance
    columns = first_of_equals(X, k + 1)
    # Rounding is relative to the norms, and these are least about the middle.
    points = X - X.mean(axis=0)
    slack = 4.0 * (X.shape[1] + 4) * np.finfo(np.float64).eps
    norms = (1.0 - slack) * np.einsum("ij,ij->i", points, points)
    others = points[columns]
    size = max(1, BLOCK // len(columns))
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        low = points[block] @ others.T
        low *= -2.0
        low += norms[block, None]
        low += norms[columns]
        places = np.minimum(np.searchsorted(columns, block), len(columns) - 1)
        itself = np.flatnonzero(columns[places] == block)
        low[itself, places[itself]] = np.inf
        # Of these bounds, k at least are no larger, so that about k candidates come first; then all that could be
        # nearer than the k-th nearest of these.
        limit = _kth(low, k)
        for _ in range(2):
            row, place = np.divmod(np.flatnonzero(low <= limit[:, None]), len(columns))
            column = columns[place]
            squared = _squared_distances(X, block[row], column)
            order = np.lexsort((squared, row))  # stable: equally near ones stay in the order of their columns
            first = np.searchsorted(row, np.arange(len(block)))
            best = order[first[:, None] + np.arange(k)]
            farthest = squared[best[:, -1]]
            if (farthest <= limit).all():
                break
            limit = np.maximum(limit, farthest)
        index[start : start + size] = column[best]
        distance[start : start + size] = np.sqrt(squared[best])
    return index, distance


def first_of_equals(X: np.ndarray, count: int) -> np.ndarray:
    """Find points among the first ``count`` of their equals.

    No others can be nearest neighbours.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    count : int

    Returns
    -------
    ndarray of int64
        Ascending.
    """
    rows = np.ascontiguousarray(X + 0.0)  # no negative zeros: rows are compared as bytes
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    order = np.argsort(keys, kind="stable")
    begins = np.concatenate([[True], keys[order[1:]] != keys[order[:-1]]])
    starts = np.maximum.accumulate(np.where(begins, np.arange(len(X)), 0))
    return np.sort(order[np.arange(len(X)) - starts < count])


def _kth(low: np.ndarray, k: int) -> np.ndarray:
    """Upper bounds of the k-th smallest value of each row.

    The k-th smallest of the groups' minima, if there are k.
    """
    n = low.shape[1]
    width = n // GROUP
    if width < 2 * k:
        return np.partition(low, k - 1, axis=1)[:, k - 1]
    least = low[:, : width * GROUP].reshape(len(low), GROUP, width).min(axis=1)
    return np.partition(least, k - 1, axis=1)[:, k - 1]


def _squared_distances(X: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    squared = np.empty(len(i))
    step = max(1, BLOCK // X.shape[1])
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        offsets = X[i[part]] - X[j[part]]
        squared[part] = np.einsum("ij,ij->i", offsets, offsets)
    return squared


class NeighborLists:
    """Nearest neighbours within any subset of the samples, from lists found once.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        C-contiguous float64.
    length : int
        Neighbours in the list of each sample (all others, if there are fewer). Longer lists take more memory and
        spare more searches in subsets.

    Notes
    -----
    A sample's neighbours within a subset are those members of the subset that its list names first, if it names
    enough of them; where it does not, they are searched for among the subset. Either way they are exact.
    """

    def __init__(self, X: np.ndarray, length: int) -> None:
        self._X = X
        self._index, self._distance = nearest(X, np.arange(len(X)), min(length, len(X) - 1))

    def within(self, samples: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Find neighbours among a subset.

        Parameters
        ----------
        samples : ndarray of int, shape (n,)
            The subset, ascending.
        k : int
            Number of neighbours, 0 <= k < n.

        Returns
        -------
        index : ndarray of int64, shape (n, k)
            Places in ``samples``, nearest first, equally near ones in order.
        distance : ndarray of float64, shape (n, k)
        """
        place = np.full(len(self._X), -1)
        place[samples] = np.arange(len(samples))
        listed = place[self._index[samples]]
        inside = listed >= 0
        # A stable sort brings those inside to the front and leaves them in their order.
        front = np.argsort(~inside, axis=1, kind="stable")[:, :k]
        index = np.take_along_axis(listed, front, axis=1)
        distance = np.take_along_axis(self._distance[samples], front, axis=1)
        short = np.flatnonzero(inside.sum(axis=1) < k)
        if index.shape[1] < k:  # lists shorter than k
            index, distance = np.empty((len(samples), k), dtype=np.int64), np.empty((len(samples), k))
        if len(short):
            index[short], distance[short] = nearest(self._X[samples], short, k)
        return index, distance
