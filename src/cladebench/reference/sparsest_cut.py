"""Compute the spectral sparsest cut's steps by loops and dense matrices."""

from __future__ import annotations

import numpy as np

TIE = 1e-9


def cut_ratio(S: np.ndarray, mask: np.ndarray) -> float:
    """Weight across a cut over the product of its sides' sizes.

    Parameters
    ----------
    S : ndarray of shape (n, n)
        Symmetric weights.
    mask : ndarray of bool, shape (n,)
        One side.
    """
    inside = [i for i in range(len(mask)) if mask[i]]
    outside = [i for i in range(len(mask)) if not mask[i]]
    return float(sum(S[i, j] for i in inside for j in outside)) / (len(inside) * len(outside))


def sweep_cut(order: np.ndarray, S: np.ndarray) -> tuple[int, float]:
    """Find the sparsest prefix of an order.

    Equally sparse ones go to the most balanced, then to the shortest.

    Parameters
    ----------
    order : ndarray of int, shape (n,)
        A permutation of the vertices, n >= 2.
    S : ndarray of shape (n, n)
        Symmetric weights, not negative.

    Returns
    -------
    k : int
        ``order[:k]`` is one side.
    value : float
        Ratio of the cut.
    """
    n = len(order)
    ratios = {k: cut_ratio(S, np.isin(np.arange(n), order[:k])) for k in range(1, n)}
    least = min(ratios.values())
    tied = [k for k in ratios if ratios[k] <= least * (1.0 + TIE)]
    best = max(tied, key=lambda k: (min(k, n - k), -k))
    return best, ratios[best]


def fiedler_value(S: np.ndarray) -> float:
    """Compute the second smallest eigenvalue of the Laplacian, D - S.

    Parameters
    ----------
    S : ndarray of shape (n, n)
        Symmetric weights, n >= 2; the diagonal is not read.
    """
    S = S - np.diag(np.diag(S))
    return float(np.sort(np.linalg.eigvalsh(np.diag(S.sum(axis=1)) - S))[1])
