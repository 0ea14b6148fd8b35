"""Discretise eigenvectors of normalized cuts to clusters, as Yu and Shi."""

from __future__ import annotations

import numpy as np
import scipy.linalg

#: The alternation ends when its score no longer grows by more than this share; it never falls.
TOLERANCE = 1e-12
#: Steps at most. Each makes another partition of finitely many, so that it ends without this, mostly within twenty.
MAX_STEPS = 200


def discretised(rows: np.ndarray, seed: int) -> np.ndarray:
    """Turn rows of normalized cuts to nearest cluster indicators [1]_.

    Z are the rows of the eigenvectors, brought to length one. We look for a rotation R and a partition with indicators
    X that make :math:`|X - Z R|` least, in turns until nothing changes. Given R, each row goes to the cluster where
    ``Z R`` is largest. Given X, the best R is :math:`U V^T`, of the singular vectors of :math:`Z^T X`.

    Parameters
    ----------
    rows : ndarray of shape (n, k)
        As `cladebench.methods._spectral.cut_rows` gives them; no row is 0.
    seed : int
        Draws the row that the first rotation begins with.

    Returns
    -------
    ndarray of int64, shape (n,)
        Clusters below k. Some may be empty.

    References
    ----------
    .. [1] S. X. Yu, J. Shi, Multiclass spectral clustering, ICCV 2003.
    """
    Z = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    R = first_rotation(Z, int(np.random.default_rng(seed).integers(len(Z))))
    reached = -np.inf
    for _ in range(MAX_STEPS):
        labels = np.argmax(Z @ R, axis=1)
        U, singular, Vt = scipy.linalg.svd(Z.T @ np.eye(Z.shape[1])[labels])
        if singular.sum() <= reached * (1.0 + TOLERANCE):
            break
        reached, R = singular.sum(), U @ Vt
    return labels


def first_rotation(Z: np.ndarray, first: int) -> np.ndarray:
    """Choose rows, one by one, that are as orthogonal as can be.

    Parameters
    ----------
    Z : ndarray of shape (n, k)
        Of length one.
    first : int
        The row that comes first.

    Returns
    -------
    ndarray of shape (k, k)
        These rows as columns; not yet orthogonal, where no such rows are.
    """
    k = Z.shape[1]
    R = np.empty((k, k))
    R[:, 0] = Z[first]
    overlap = np.zeros(len(Z))
    for column in range(1, k):
        overlap += np.abs(Z @ R[:, column - 1])
        R[:, column] = Z[np.argmin(overlap)]
    return R
