"""Compute large margin nearest neighbours' loss, and its minimum."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def find_targets(X: npt.ArrayLike, labels: npt.ArrayLike, n_neighbors: int) -> IntArray:
    """Sort the others of each sample's class by distance, then by index.

    The signature is the fast path's.
    """
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    targets = np.full((len(X), n_neighbors), -1)
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i and labels[j] == labels[i]]
        others.sort(key=lambda j: (float(np.sum((X[i] - X[j]) ** 2)), j))
        targets[i, : len(others)] = others[:n_neighbors]
    return targets


def triplet_loss(
    Z: npt.ArrayLike, labels: npt.ArrayLike, targets: npt.ArrayLike, mu: float, smoothing: float = 0.0
) -> tuple[float, float, float, FloatArray]:
    """Add up the loss by triplets (Weinberger and Saul 2009, section 3).

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        Mapped samples.
    labels : array-like of shape (n_samples,)
    targets : array-like of int, shape (n_samples, n_neighbors)
        -1 for none.
    mu : float
    smoothing : float, default=0.0
        The hinge is x^2 / (2 smoothing) up to there, x - smoothing / 2 beyond.

    Returns
    -------
    loss : float
        With plain hinges.
    smoothed : float
    slopes : float
        Sum of mu times the slopes of the smoothed hinges.
    weights : ndarray of shape (n_samples, n_samples)
        Derivative of the smoothed loss by d(a, b) and d(b, a), half of it in each place.
    """
    Z, labels, targets = np.asarray(Z, dtype=float), np.asarray(labels), np.asarray(targets)
    loss = smoothed = slopes = 0.0
    weights = np.zeros((len(Z), len(Z)))
    for i in range(len(Z)):
        for j in targets[i]:
            if j < 0:
                continue
            pull = float(np.sum((Z[i] - Z[j]) ** 2))
            loss += (1.0 - mu) * pull
            smoothed += (1.0 - mu) * pull
            weights[i, j] += 1.0 - mu
            for other in np.flatnonzero(labels != labels[i]):
                x = 1.0 + pull - float(np.sum((Z[i] - Z[other]) ** 2))
                if x <= 0.0:
                    continue
                slope = x / smoothing if x < smoothing else 1.0
                loss += mu * x
                smoothed += mu * (0.5 * x * slope if x < smoothing else x - 0.5 * smoothing)
                slopes += mu * slope
                weights[i, j] += mu * slope
                weights[i, other] -= mu * slope
    return loss, smoothed, slopes, 0.5 * (weights + weights.T)


def laplacian(weights: FloatArray) -> FloatArray:
    """Build the matrix C of weighted squared distances.

    ``sum_ab weights[a, b] ||z_a - z_b||^2`` is ``trace(Z.T @ C @ Z)`` for symmetric weights.
    """
    both = 2.0 * weights
    return np.diag(both.sum(axis=1)) - both


def least_loss(
    X: npt.ArrayLike, labels: npt.ArrayLike, targets: npt.ArrayLike, mu: float
) -> tuple[float, FloatArray]:
    """Solve the semidefinite programme over M = L.T @ L.

    Each triplet has a slack (section 3.2).

    Returns
    -------
    loss : float
        The least over all linear maps.
    M : ndarray of shape (n_features, n_features)
    """
    X, labels, targets = np.asarray(X, dtype=float), np.asarray(labels), np.asarray(targets)
    M = cp.Variable((X.shape[1], X.shape[1]), PSD=True)
    pull, margins = np.zeros((X.shape[1], X.shape[1])), []
    for i, targets_of_row in enumerate(targets):
        for j in targets_of_row[targets_of_row >= 0]:
            near = np.outer(X[i] - X[j], X[i] - X[j])
            pull += near
            for other in np.flatnonzero(labels != labels[i]):
                margins.append((np.outer(X[i] - X[other], X[i] - X[other]) - near).ravel())
    slack = cp.Variable(len(margins), nonneg=True)
    programme = cp.Problem(
        cp.Minimize((1.0 - mu) * cp.trace(pull @ M) + mu * cp.sum(slack)),
        [np.array(margins) @ cp.vec(M, order="C") >= 1.0 - slack],
    )
    with warnings.catch_warnings():  # cvxpy warns of a tolerance narrowly missed; the callers compare values
        warnings.simplefilter("ignore", UserWarning)
        programme.solve(solver=cp.CLARABEL)
    return float(programme.value), np.asarray(M.value)
