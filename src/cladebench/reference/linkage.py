"""Agglomerative clustering on the matrix of all distances.

By the recurrence of Lance and Williams. The twin of `cladebench.solvers.linkages.linkage`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

#: Their recurrence is of squared distances.
SQUARED = ("ward", "centroid", "median")


def merged(D: FloatArray, sizes: FloatArray, a: int, b: int, method: str) -> FloatArray:
    """Give the distances of the union of two clusters to all clusters.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances of clusters; their squares for "ward", "centroid" and "median".
    sizes : ndarray of shape (n,)
    a, b : int
        The two clusters.
    method : str

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    G. N. Lance and W. T. Williams, A general theory of classificatory sorting strategies, The Computer Journal 9, 1967.
    """
    na, nb, n = sizes[a], sizes[b], sizes
    if method == "single":
        return np.minimum(D[a], D[b])
    if method == "complete":
        return np.maximum(D[a], D[b])
    if method == "average":
        return (na * D[a] + nb * D[b]) / (na + nb)
    if method == "weighted":
        return (D[a] + D[b]) / 2
    if method == "centroid":
        return (na * D[a] + nb * D[b]) / (na + nb) - na * nb * D[a, b] / (na + nb) ** 2
    if method == "median":
        return (D[a] + D[b]) / 2 - D[a, b] / 4
    return ((na + n) * D[a] + (nb + n) * D[b] - n * D[a, b]) / (na + nb + n)  # "ward"


def linkage(D: FloatArray, method: str) -> FloatArray:
    """Merge the nearest two clusters until one is left.

    Of equally near pairs the one whose lowest rows come first; O(n^3).

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances of the rows.
    method : str
        As in `cladebench.linkage`.

    Returns
    -------
    Z : ndarray of shape (n - 1, 4)
        SciPy's matrix, in the order of merging.
    """
    n = len(D)
    state = _State(D, method)
    for _ in range(n - 1):
        # A cluster stands in the place of its lowest row, so that argmin breaks ties by it.
        a, b = divmod(int(np.argmin(state.between)), n)
        state.merge(min(a, b), max(a, b))
    return np.array(state.Z).reshape(-1, 4)


def excess(Z: FloatArray, D: FloatArray, method: str) -> tuple[float, float]:
    """Compare each merge with the nearest two clusters of its time.

    Parameters
    ----------
    Z : ndarray of shape (n - 1, 4)
        SciPy's matrix, from any program.
    D : ndarray of shape (n, n)
        Distances of the rows.
    method : str

    Returns
    -------
    above : float
        By how much a merge is above the nearest two clusters at most.
    wrong : float
        By how much a height is not the distance of its clusters at most. Both in units of the largest height.
    """
    n = len(D)
    state, place = _State(D, method), list(range(n))
    above = wrong = 0.0
    for first, second, height, _ in Z:
        a, b = sorted((place[int(first)], place[int(second)]))
        least, own = state.height(float(state.between.min())), state.height(float(state.between[a, b]))
        above, wrong = max(above, own - least), max(wrong, abs(height - own))
        state.merge(a, b)
        place.append(a)
    unit = float(Z[:, 2].max(initial=0.0)) or 1.0
    return above / unit, wrong / unit


class _State:
    """Clusters, each in the place of its lowest row."""

    def __init__(self, D: FloatArray, method: str) -> None:
        self._method = method
        self.between = D**2 if method in SQUARED else D.copy()
        np.fill_diagonal(self.between, np.inf)
        self._sizes, self._numbers = np.ones(len(D)), list(range(len(D)))
        self.Z: list[tuple[float, float, float, float]] = []

    def height(self, distance: float) -> float:
        return float(np.sqrt(max(distance, 0.0))) if self._method in SQUARED else distance

    def merge(self, a: int, b: int) -> None:
        """Put the union of two clusters in the place of the first."""
        self._sizes[a] += self._sizes[b]
        low, high = sorted((self._numbers[a], self._numbers[b]))
        self.Z.append((low, high, self.height(float(self.between[a, b])), self._sizes[a]))
        self._sizes[a] -= self._sizes[b]
        row = merged(self.between, self._sizes, a, b, self._method)
        self._sizes[a] += self._sizes[b]
        self._numbers[a] = len(self._sizes) + len(self.Z) - 1
        gone = np.isinf(self.between).all(axis=1) & (np.arange(len(row)) != a)
        row[gone] = row[a] = np.inf
        self.between[a] = self.between[:, a] = row
        self.between[b] = self.between[:, b] = np.inf
