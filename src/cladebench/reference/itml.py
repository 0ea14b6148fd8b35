"""Solve ITML by one projection at a time, and as convex programme."""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Itml:
    """What the projections end at.

    Attributes
    ----------
    A : ndarray of shape (n_features, n_features)
        Positive definite.
    dual : ndarray of shape (n_pairs,)
        Multipliers, not negative: ``inv(A)`` is the identity plus the sum of sign * dual * v v', v a pair's difference.
    bounds : ndarray of shape (n_pairs,)
        The bounds that slack has moved: ``1 / bounds = 1 / bounds0 - sign * dual / gamma``.
    residual : float
        Largest relative violation that the last sweep met.
    n_iter : int
        Sweeps.
    converged : bool
    """

    A: FloatArray
    dual: FloatArray
    bounds: FloatArray
    residual: float
    n_iter: int
    converged: bool


def fit_itml(
    X: FloatArray,
    pairs: IntArray,
    signs: FloatArray,
    upper: float,
    lower: float,
    gamma: float,
    tol: float,
    max_iter: int,
) -> Itml:
    """Run Algorithm 1 of Davis et al. (2007) from the identity.

    Arguments are those of the core's ``fit_itml``.

    The step is the exact projection, ``alpha = min(dual, sign gamma / (1 + gamma) (1 / p - 1 / xi))``: after it p and
    xi are equal. The paper prints ``sign / 2 (1 / p - gamma / xi)``, which is the same at gamma = 1 and no projection
    elsewhere.
    """
    A = np.eye(X.shape[1])
    dual, bounds = np.zeros(len(signs)), np.where(signs > 0, upper, lower)
    residual, n_iter, converged = 0.0, 0, False
    while n_iter < max_iter and not converged:
        residual = 0.0
        for c, ((i, j), sign) in enumerate(zip(pairs, signs, strict=True)):
            v = X[i] - X[j]
            p = v @ A @ v
            alpha = min(dual[c], sign * gamma / (1 + gamma) * (1 / p - 1 / bounds[c]))
            beta = sign * alpha / (1 - sign * alpha * p)
            bounds[c] = gamma * bounds[c] / (gamma + sign * alpha * bounds[c])
            dual[c] -= alpha
            A = A + beta * np.outer(A @ v, A @ v)
            residual = max(residual, abs(alpha) * p * (1 + gamma) / gamma)
        n_iter += 1
        converged = residual <= tol
    return Itml(A, dual, bounds, residual, n_iter, converged)


def objective(
    A: FloatArray, bounds: FloatArray, signs: FloatArray, upper: float, lower: float, gamma: float
) -> float:
    """Evaluate ITML's objective.

    D(A, I) + gamma D(diag(bounds), diag(bounds0)), D(M, N) = tr(M inv(N)) - log det(M inv(N)) - n.
    """
    ratio = bounds / np.where(signs > 0, upper, lower)
    slack = float(np.sum(ratio - np.log(ratio) - 1.0))
    return float(np.trace(A) - np.linalg.slogdet(A)[1] - len(A)) + gamma * slack


def programme(
    X: FloatArray, pairs: IntArray, signs: FloatArray, upper: float, lower: float, gamma: float
) -> tuple[FloatArray, FloatArray, float]:
    """Solve ITML with slack (Davis et al. 2007) as cone programme.

    It gives A, bounds and objective.
    """
    d = X.shape[1]
    A, bounds = cp.Variable((d, d), PSD=True), cp.Variable(len(signs))
    V = X[pairs[:, 0]] - X[pairs[:, 1]]
    p = cp.sum(cp.multiply(V @ A, V), axis=1)
    start = np.where(signs > 0, upper, lower)
    slack = cp.sum(cp.multiply(1.0 / start, bounds) - cp.log(bounds)) + float(
        np.sum(np.log(start)) - len(start)
    )
    divergence = cp.trace(A) - cp.log_det(A) - d
    problem = cp.Problem(cp.Minimize(divergence + gamma * slack), [cp.multiply(signs, bounds - p) >= 0])
    problem.solve(solver=cp.CLARABEL)
    return np.asarray(A.value), np.asarray(bounds.value), float(problem.value)
