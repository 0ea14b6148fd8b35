"""Compute numerical taxonomy clustering's objective and sweeps as in the paper."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

TIE = 1e-12


def centring(n: int) -> np.ndarray:
    """H = I - 1 1' / n."""
    return np.eye(n) - np.ones((n, n)) / n


def indicator(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """The partition as a matrix.

    (n, n_clusters), 1 where the point is in the cluster.
    """
    return np.asarray(labels)[:, None] == np.arange(n_clusters) + np.zeros((len(labels), 1))


def dependence(M: np.ndarray, labels: np.ndarray, structure: np.ndarray, normalized: bool = True) -> float:
    """Compute equation (1), or its numerator, by n x n matrices, O(n^3).

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Symmetric, centred or not.
    labels : ndarray of int, shape (n,)
    structure : ndarray of shape (k, k)
    normalized : bool, default=True
    """
    H = centring(len(M))
    P = indicator(labels, len(structure)).astype(float)
    L = H @ P @ structure @ P.T @ H
    numerator = np.trace(M @ L)
    if not normalized:
        return float(numerator)
    squared = np.trace(L @ L)
    n = P.sum(axis=0)
    # A structure that puts all points in one place leaves rounding behind.
    if squared <= 1e-12 * n @ structure**2 @ n:
        return 0.0
    return float(numerator / np.sqrt(squared))


def optimal_structure(M: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Compute equation (8) with a pseudo-inverse.

    Scaled so that the norm in (5) is 1.

    Parameters
    ----------
    M : ndarray of shape (n, n)
    labels : ndarray of int, shape (n,)
        No cluster empty.
    n_clusters : int
    """
    H = centring(len(M))
    P = indicator(labels, n_clusters).astype(float)
    # One eigenvalue is 0; its rounding can pass the cut-off that is the default.
    inverse = np.linalg.pinv(P.T @ H @ P, rcond=1e-10)
    Y = inverse @ P.T @ H @ M @ H @ P @ inverse
    norm = np.sqrt(np.trace(P.T @ H @ P @ Y @ P.T @ H @ P @ Y))
    return Y / norm


def set_kernel(M: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Compute equation (9): means of the centred matrix over cluster pairs."""
    H = centring(len(M))
    centred = H @ M @ H
    members = [np.flatnonzero(np.asarray(labels) == c) for c in range(n_clusters)]
    return np.array(
        [[sum(centred[i, j] for i in a for j in b) / (len(a) * len(b)) for b in members] for a in members]
    )


def greedy_partition(
    M: np.ndarray,
    structure: np.ndarray,
    labels: np.ndarray,
    *,
    normalized: bool = True,
    order: np.ndarray | None = None,
    max_sweeps: int = 100,
) -> tuple[np.ndarray, list[float], list[int]]:
    """Move points one at a time to where the objective is largest.

    The two traces are taken anew for each move.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Centred.
    structure : ndarray of shape (k, k)
    labels : ndarray of int, shape (n,)
    normalized : bool, default=True
    order : ndarray of int, shape (n,), optional
    max_sweeps : int, default=100

    Returns
    -------
    labels : ndarray of int, shape (n,)
    objective : list of float
        Before the first sweep and after each.
    moves : list of int
    """
    n, k = len(M), len(structure)
    labels = np.array(labels)
    rows = M.tolist()
    entries = float(np.trace(M) * np.abs(structure).max())  # the scale of what sums over clusters cancel out

    def objective(S: np.ndarray, sizes: np.ndarray) -> tuple[float, float]:
        """Compute objective and scale from cluster pairs' sums and sizes."""
        numerator, scale = float((S * structure).sum()), float(np.abs(S * structure).sum()) + entries
        if not normalized:
            return numerator, scale
        A = np.diag(sizes) - np.outer(sizes, sizes) / n
        squared = float(np.trace(A @ structure @ A @ structure))
        if squared <= 1e-12 * float(sizes @ structure**2 @ sizes):
            return 0.0, 0.0
        return numerator / squared**0.5, scale / squared**0.5

    def to_clusters(i: int) -> np.ndarray:
        """Sums of a row over the clusters, the point itself left out."""
        sums = [0.0] * k
        for j, value in enumerate(rows[i]):
            if j != i:
                sums[labels[j]] += value
        return np.array(sums)

    P = indicator(labels, k).astype(float)
    S, sizes = P.T @ M @ P, P.sum(axis=0)
    trace = [objective(S, sizes)[0]]
    moves: list[int] = []
    while len(moves) < max_sweeps:
        moves.append(0)
        for i in range(n) if order is None else order:
            a = labels[i]
            if sizes[a] == 1:
                continue
            g = to_clusters(i)
            others, other_sizes = S.copy(), sizes.copy()  # without the point
            others[a] -= g
            others[:, a] -= g
            others[a, a] -= rows[i][i]
            other_sizes[a] -= 1
            best, to = objective(S, sizes)[0], a
            for b in range(k):
                if b == a:
                    continue
                with_point, with_sizes = others.copy(), other_sizes.copy()
                with_point[b] += g
                with_point[:, b] += g
                with_point[b, b] += rows[i][i]
                with_sizes[b] += 1
                reached, scale = objective(with_point, with_sizes)
                if reached > best + TIE * max(scale, abs(best)):
                    best, to, chosen = reached, b, (with_point, with_sizes)
            if to != a:
                labels[i] = to
                S, sizes = chosen
                moves[-1] += 1
        trace.append(objective(S, sizes)[0])
        if moves[-1] == 0:
            break
    return labels, trace, moves


def partitions(n: int, n_clusters: int) -> Iterator[np.ndarray]:
    """List partitions of n points into exactly k clusters.

    Clusters are numbered by their first points.

    Parameters
    ----------
    n, n_clusters : int

    Yields
    ------
    ndarray of int, shape (n,)
    """
    labels = [0] * n

    def extend(i: int, used: int) -> Iterator[np.ndarray]:
        if i == n:
            if used == n_clusters:
                yield np.array(labels)
            return
        if n_clusters - used > n - i:  # too few points left
            return
        for c in range(min(used + 1, n_clusters)):
            labels[i] = c
            yield from extend(i + 1, max(used, c + 1))

    yield from extend(0, 0)
