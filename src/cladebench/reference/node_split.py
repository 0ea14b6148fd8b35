"""Find the HMMC paper's (5) global optimum by all balanced labellings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.reference.margin import fit_margin as exact_fit
from cladebench.solvers.margin import fit_margin

LARGEST = 12


def balanced_labelings(n: int, n_clusters: int, lower: int, upper: int) -> Iterator[np.ndarray]:
    """Yield all balanced labelings.

    `lower` to `upper` samples in each cluster, one of each set that differs by names alone.

    Clusters are numbered in the order in which they first occur.
    """
    labels = np.zeros(n, dtype=np.intp)

    def extend(position: int, counts: list[int]) -> Iterator[np.ndarray]:
        missing = sum(max(0, lower - count) for count in counts) + lower * (n_clusters - len(counts))
        if missing > n - position:
            return
        if position == n:
            if len(counts) == n_clusters:
                yield labels.copy()
            return
        for k in range(min(len(counts) + 1, n_clusters)):
            if k == len(counts):
                labels[position] = k
                yield from extend(position + 1, [*counts, 1])
            elif counts[k] < upper:
                labels[position] = k
                yield from extend(position + 1, [*counts[:k], counts[k] + 1, *counts[k + 1 :]])

    yield from extend(0, [])


def best_split(
    X: np.ndarray,
    n_clusters: int,
    lower: int,
    upper: int,
    *,
    group: float | np.ndarray = 0.0,
    l1: float | np.ndarray = 0.0,
    ridge: float | np.ndarray = 0.0,
) -> tuple[float, np.ndarray, int]:
    """Find the best of all balanced labelings, with its optimal models.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        At most 12 samples.
    n_clusters, lower, upper : int
    group, l1, ridge : float or ndarray of shape (n_features,)
        Penalties, as in :func:`cladebench.solvers.margin.fit_margin`.

    Returns
    -------
    objective : float
        Of the best labelling, solved again by cvxpy.
    labels : ndarray of shape (n,)
    n_labelings : int
        How many were tried.

    Raises
    ------
    ValueError
        If there are more than 12 samples, or no balanced labelling.

    Notes
    -----
    The convex problem of each labelling is solved by the fast path, which is cross-checked on its own; trying all of
    them with cvxpy would take minutes.
    """
    if len(X) > LARGEST:
        raise ValueError(f"X has {len(X)} samples; this exact method takes at most {LARGEST}")
    best, best_labels, tried = np.inf, None, 0
    for labels in balanced_labelings(len(X), n_clusters, lower, upper):
        tried += 1
        fit = fit_margin(X, labels, n_clusters, group=group, l1=l1, ridge=ridge, tol=1e-7, max_iter=5000)
        if fit.objective < best:
            best, best_labels = fit.objective, labels
    if best_labels is None:
        raise ValueError(f"no labelling of {len(X)} samples has between {lower} and {upper} in each cluster")
    exact = exact_fit(X, best_labels, n_clusters, group=group, l1=l1, ridge=ridge)
    return exact.objective, best_labels, tried
