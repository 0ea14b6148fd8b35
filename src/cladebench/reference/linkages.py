"""Cluster agglomeratively on all distances by Lance and Williams' recurrence.

It is the twin of `cladebench.solvers.linkages.linkage`.
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


def linkage(
    D: FloatArray, method: str, linked: npt.NDArray[np.bool_] | None = None, *, by_edges: bool = False
) -> FloatArray:
    """Merge the nearest two clusters until one is left, in O(n^3).

    Equally near pairs go by their lowest rows.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances of the rows.
    method : str
        As in `cladebench.linkage`.
    linked : ndarray of bool, shape (n, n), optional
        Symmetric: the pairs of rows that are linked. Clusters merge only where two of their rows are, until no
        such pair is left. "single" is of linked rows till then.
    by_edges : bool, default=False
        Distances of clusters are of linked rows alone. The shortest edges that join what is apart are linked, too.

    Returns
    -------
    Z : ndarray of shape (n - 1, 4)
        SciPy's matrix, in the order of merging.
    """
    n = len(D)
    state = _State(D, method, linked, by_edges)
    for _ in range(n - 1):
        # A cluster stands in the place of its lowest row, so that argmin breaks ties by it.
        a, b = divmod(int(np.argmin(state.allowed())), n)
        state.merge(min(a, b), max(a, b))
    return np.array(state.Z).reshape(-1, 4)


def excess(
    Z: FloatArray,
    D: FloatArray,
    method: str,
    linked: npt.NDArray[np.bool_] | None = None,
    *,
    by_edges: bool = False,
) -> tuple[float, float]:
    """Compare each merge with the nearest two clusters of its time.

    Parameters
    ----------
    Z : ndarray of shape (n - 1, 4)
        SciPy's matrix, from any program.
    D : ndarray of shape (n, n)
        Distances of the rows.
    method : str
    linked : ndarray of bool, shape (n, n), optional
    by_edges : bool, default=False
        Both as in `linkage`.

    Returns
    -------
    above : float
        By how much a merge is above the nearest two clusters at most.
    wrong : float
        By how much a height is not the distance of its clusters at most. Both in units of the largest height.
    """
    n = len(D)
    state, place = _State(D, method, linked, by_edges), list(range(n))
    above = wrong = 0.0
    for first, second, height, _ in Z:
        a, b = sorted((place[int(first)], place[int(second)]))
        least, height_here = (
            state.height(float(state.allowed().min())),
            state.height(float(state.allowed()[a, b])),
        )
        above, wrong = max(above, height_here - least), max(wrong, abs(height - height_here))
        state.merge(a, b)
        place.append(a)
    unit = float(Z[:, 2].max(initial=0.0)) or 1.0
    return above / unit, wrong / unit


def nearest_shares(Z: FloatArray, D: FloatArray, method: str, *, by_edges: bool = False) -> FloatArray:
    """Find how near others were to both clusters of each merge.

    Parameters
    ----------
    Z : ndarray of shape (n - 1, 4)
        SciPy's matrix, from any program.
    D : ndarray of shape (n, n)
        Distances of the rows.
    method : str
    by_edges : bool, default=False
        Heights are of linked rows alone: the distance of the two clusters counts instead.

    Returns
    -------
    ndarray of shape (n - 1,)
        The distance of the nearest other cluster over the height of the merge, 1 at most.
    """
    state, place = _State(D, method), list(range(len(D)))
    shares = np.ones(len(Z))
    for k, (first, second, height, _) in enumerate(Z):
        a, b = sorted((place[int(first)], place[int(second)]))
        height = float(state.between[a, b]) if by_edges else height
        nearest = np.delete(state.between[[a, b]], [a, b], axis=1).min(initial=np.inf)
        if np.isfinite(nearest) and state.height(float(nearest)) < height:
            shares[k] = state.height(float(nearest)) / height
        state.merge(a, b)
        place.append(a)
    return shares


def joined(D: FloatArray, linked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Link what is apart by the shortest edges.

    Ties go to the lowest rows.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances of the rows.
    linked : ndarray of bool, shape (n, n)
        Symmetric.

    Returns
    -------
    ndarray of bool, shape (n, n)
    """
    linked, part = linked.copy(), np.arange(len(D))
    for among_linked in (True, False):
        for i, j in sorted(zip(*np.triu_indices(len(D), 1), strict=True), key=lambda edge: (D[edge], edge)):
            if part[i] != part[j] and linked[i, j] == among_linked:
                linked[i, j] = linked[j, i] = True
                part[part == part[j]] = part[i]
    return linked


class _State:
    """Clusters, each in the place of its lowest row."""

    def __init__(
        self,
        D: FloatArray,
        method: str,
        linked: npt.NDArray[np.bool_] | None = None,
        by_edges: bool = False,
    ) -> None:
        self._method, self._by_edges = method, by_edges
        self.between = D**2 if method in SQUARED else D.copy()
        np.fill_diagonal(self.between, np.inf)
        if linked is not None and by_edges:
            linked = joined(D, linked)
        self._edges = self.between.copy() if linked is None else np.where(linked, self.between, np.inf)
        self._sizes, self._numbers = np.ones(len(D)), list(range(len(D)))
        self.Z: list[tuple[float, float, float, float]] = []

    def height(self, distance: float) -> float:
        return float(np.sqrt(max(distance, 0.0))) if self._method in SQUARED else distance

    def allowed(self) -> FloatArray:
        """Give distances of linked clusters, or of all if none are."""
        if not np.isfinite(self._edges).any():
            return self.between
        if self._by_edges or self._method == "single":
            return self._edges
        return np.where(np.isinf(self._edges), np.inf, self.between)

    def merge(self, a: int, b: int) -> None:
        """Put the union of two clusters in the place of the first."""
        low, high = sorted((self._numbers[a], self._numbers[b]))
        n_rows = self._sizes[a] + self._sizes[b]
        self.Z.append((low, high, self.height(float(self.allowed()[a, b])), n_rows))
        row = merged(self.between, self._sizes, a, b, self._method)
        shortest = np.minimum(self._edges[a], self._edges[b])
        if self._by_edges:
            both = np.isfinite(self._edges[a]) & np.isfinite(self._edges[b])
            shortest[both] = merged(self._edges, self._sizes, a, b, self._method)[both]
        self._sizes[a] = n_rows
        self._numbers[a] = len(self._sizes) + len(self.Z) - 1
        gone = np.isinf(self.between).all(axis=1) & (np.arange(len(row)) != a)
        row[gone] = row[a] = np.inf
        self.between[a] = self.between[:, a] = row
        shortest[[a, b]] = np.inf
        self._edges[a] = self._edges[:, a] = shortest
        for matrix in (self.between, self._edges):
            matrix[b] = matrix[:, b] = np.inf
