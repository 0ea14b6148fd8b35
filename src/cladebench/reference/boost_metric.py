"""Boost with all matrices written out, or by semidefinite programme (BoostMetric)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Boosted:
    """What boosting ends at.

    Attributes
    ----------
    M : ndarray of shape (n_features, n_features)
        Positive semidefinite, in the units of the differences.
    objective : float
    n_iter : int
    """

    M: FloatArray
    objective: float
    n_iter: int


def triplets(X: FloatArray, y: npt.ArrayLike, n_targets: int, n_impostors: int) -> IntArray:
    """List (row, target, impostor) by row, equally near ones by index."""
    y, rows = np.asarray(y), []
    for i in range(len(X)):
        squares = np.square(X - X[i]).sum(axis=1)
        order = [j for j in np.argsort(squares, kind="stable") if j != i]
        near = [j for j in order if y[j] == y[i]][:n_targets]
        far = [j for j in order if y[j] != y[i]][:n_impostors]
        rows += [(i, *pair) for pair in itertools.product(near, far)]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def matrices(X: FloatArray, triplets: IntArray) -> tuple[FloatArray, float]:
    """Give A_r of each triplet over the mean square distance.

    The mean, which is returned too, is over all pairs in triplets.
    """
    i, j, k = triplets.T
    near, far = X[i] - X[j], X[i] - X[k]
    pairs = np.unique(np.concatenate([triplets[:, [0, 1]], triplets[:, [0, 2]]]), axis=0)
    unit = float(np.square(X[pairs[:, 0]] - X[pairs[:, 1]]).sum(axis=1).mean())
    return (far[:, :, None] * far[:, None, :] - near[:, :, None] * near[:, None, :]) / unit, unit


def objective(A: FloatArray, M: FloatArray, v: float) -> float:
    """Evaluate log sum exp(-<A_r, M>) + v tr(M)."""
    margins = np.tensordot(A, M, axes=2)
    least = margins.min()
    return float(np.log(np.exp(least - margins).sum()) - least + v * np.trace(M))


def boost(A: FloatArray, v: float, tol: float, max_iter: int, longest: float = 50.0) -> Boosted:
    """Run the boosting of Shen et al. (2009), with bounded steps.

    The bound is that of `cladebench.distances.BoostMetric`.
    """
    M = np.zeros(A.shape[1:])
    n_iter = 0
    while n_iter < max_iter:
        margins = np.tensordot(A, M, axes=2)
        u = np.exp(margins.min() - margins)
        values, vectors = np.linalg.eigh(np.tensordot(u / u.sum(), A, axes=1))
        if values[-1] - v <= tol:
            break
        Z = np.outer(vectors[:, -1], vectors[:, -1])
        gains = np.tensordot(A, Z, axes=2)
        low, high = 0.0, longest / np.abs(gains).max()
        for _ in range(100):  # bisection, as in the paper: the derivative by the step rises through zero
            middle = (low + high) / 2
            weights = u * np.exp(-middle * gains)
            if weights @ (gains - v) > 0:
                low = middle
            else:
                high = middle
        M = M + high * Z
        n_iter += 1
    return Boosted(M, objective(A, M, v), n_iter)


def programme(A: FloatArray, v: float) -> tuple[FloatArray, float]:
    """Solve the semidefinite programme; gives M and the least objective."""
    d = A.shape[1]
    M = cp.Variable((d, d), PSD=True)
    margins = A.reshape(len(A), d * d) @ cp.vec(M, order="C")
    problem = cp.Problem(cp.Minimize(cp.log_sum_exp(-margins) + v * cp.trace(M)))
    problem.solve(solver=cp.CLARABEL)
    return np.asarray(M.value), float(problem.value)
