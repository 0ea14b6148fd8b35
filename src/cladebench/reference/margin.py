"""Solve `cladebench.solvers.margin` by loops, cone programme and accelerated gradients."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import numpy.typing as npt

from cladebench.solvers.margin import MarginFit

FloatArray = npt.NDArray[np.float64]


def squared_hinge(X: npt.ArrayLike, labels: npt.ArrayLike, W: npt.ArrayLike) -> tuple[float, FloatArray]:
    """Add up the loss and its gradient term by term.

    The signature is the solver's.
    """
    X, labels, W = np.asarray(X, dtype=float), np.asarray(labels), np.asarray(W, dtype=float)
    loss, gradient = 0.0, np.zeros(W.shape)
    for x, y in zip(X, labels, strict=True):
        for k in range(len(W)):
            hinge = max(0.0, 1.0 - float(W[y] @ x) + float(W[k] @ x))
            if k != y:
                loss += hinge**2
                gradient[k] += 2.0 * hinge * x
                gradient[y] -= 2.0 * hinge * x
    scale = len(X) * len(W)
    return loss / scale, gradient / scale


def assignment_costs(X: npt.ArrayLike, W: npt.ArrayLike) -> FloatArray:
    """Add up samples' costs of clusters by terms (section 4.2, eq. 6)."""
    X, W = np.asarray(X, dtype=float), np.asarray(W, dtype=float)
    costs = np.zeros((len(X), len(W)))
    for i, x in enumerate(X):
        for k in range(len(W)):
            for other in range(len(W)):
                if other != k:
                    costs[i, k] += max(0.0, 1.0 - float(W[k] @ x) + float(W[other] @ x)) ** 2
    return costs


def penalty(W: FloatArray, group: npt.ArrayLike, l1: npt.ArrayLike, ridge: npt.ArrayLike) -> float:
    """Evaluate the penalties of models W (n_clusters, n_features)."""
    columns = (
        group * np.linalg.norm(W, axis=0) + l1 * np.abs(W).sum(axis=0) + ridge * np.square(W).sum(axis=0)
    )
    return float(np.sum(columns))


def objective(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    W: npt.ArrayLike,
    *,
    group: npt.ArrayLike = 0.0,
    l1: npt.ArrayLike = 0.0,
    ridge: npt.ArrayLike = 0.0,
) -> float:
    """Evaluate loss and penalties, in NumPy."""
    X, labels, W = np.asarray(X, dtype=float), np.asarray(labels), np.asarray(W, dtype=float)
    return _loss_and_gradient(X, labels, W)[0] + penalty(W, group, l1, ridge)


def _hinges(X: FloatArray, labels: npt.NDArray[np.int64], W: FloatArray) -> FloatArray:
    """Compute the hinges of every sample and model.

    They are max(0, 1 - w_{y_i}.x_i + w_k.x_i), and 0 at k = y_i.
    """
    scores = X @ W.T
    rows = np.arange(len(X))
    hinges = np.maximum(0.0, 1.0 - scores[rows, labels][:, None] + scores)
    hinges[rows, labels] = 0.0
    return hinges


def _gradient(X: FloatArray, labels: npt.NDArray[np.int64], pushes: FloatArray) -> FloatArray:
    """Sum of pushes[i, k] (e_k - e_{y_i}) x_i over samples and models."""
    coefficients = pushes.copy()
    coefficients[np.arange(len(X)), labels] -= pushes.sum(axis=1)
    return coefficients.T @ X


def _loss_and_gradient(
    X: FloatArray, labels: npt.NDArray[np.int64], W: FloatArray
) -> tuple[float, FloatArray]:
    hinges = _hinges(X, labels, W)
    return float(np.square(hinges).mean()), _gradient(X, labels, 2.0 * hinges / hinges.size)


def least_subgradient(
    W: FloatArray, gradient: FloatArray, group: npt.ArrayLike, l1: npt.ArrayLike
) -> FloatArray:
    """Find the gradient's least element with both penalties' subdifferential, by columns.

    The penalties are group and l1.
    """
    group, l1 = (np.broadcast_to(np.asarray(weight, dtype=float), W.shape[1:]) for weight in (group, l1))
    least = np.empty(W.shape)
    for p in range(W.shape[1]):
        w, g = W[:, p], gradient[:, p]
        soft = np.sign(g) * np.maximum(np.abs(g) - l1[p], 0.0)
        norm = np.linalg.norm(w)
        if norm > 0:
            least[:, p] = np.where(w != 0, g + group[p] * w / norm + l1[p] * np.sign(w), soft)
        else:
            left = np.linalg.norm(soft)
            least[:, p] = soft * (1.0 - group[p] / left) if left > group[p] else 0.0
    return least


def residual(
    X: FloatArray,
    labels: npt.NDArray[np.int64],
    W: FloatArray,
    *,
    group: npt.ArrayLike = 0.0,
    l1: npt.ArrayLike = 0.0,
    ridge: npt.ArrayLike = 0.0,
) -> float:
    """Evaluate the residual of `MarginFit` at W."""
    _, gradient = _loss_and_gradient(X, labels, W)
    least = least_subgradient(W, gradient + 2.0 * np.asarray(ridge) * W, group, l1)
    at_zero = np.linalg.norm(_loss_and_gradient(X, labels, np.zeros(W.shape))[1])
    scale = max(at_zero, 1e-10 * np.sqrt(np.square(X).sum(axis=1).mean()))
    return float(np.linalg.norm(least) / (scale if scale > 0 else 1.0))


def dual_bound(
    X: FloatArray,
    labels: npt.NDArray[np.int64],
    W: FloatArray,
    *,
    group: npt.ArrayLike = 0.0,
    l1: npt.ArrayLike = 0.0,
    ridge: npt.ArrayLike = 0.0,
) -> float:
    """Bound the least objective from below by the hinges at W.

    Notes
    -----
    ``max(0, m)^2 >= c m - c^2 / 4`` for every c >= 0, so that for any c the objective is at least

        mean(c - c^2 / 4) + min_V <G, V> + penalties(V),   G = the gradient with c in place of twice the hinges.

    The minimum is a sum over features: ``-e_p^2 / (4 ridge_p)``, where e_p is by how much the norm of G[:, p] after a
    soft threshold by l1_p exceeds group_p; without a ridge it is 0 if nothing exceeds, else minus infinity, and c
    is scaled down until nothing does. Valid for any W, equal to the least objective at its minimiser.
    """
    hinges = _hinges(X, labels, W)
    group, l1, ridge = (
        np.broadcast_to(np.asarray(weight, dtype=float), W.shape[1:]) for weight in (group, l1, ridge)
    )
    gradient = _gradient(X, labels, 2.0 * hinges / hinges.size)

    def excess(factor: float) -> FloatArray:
        soft = np.maximum(np.abs(factor * gradient) - l1, 0.0)
        return np.maximum(np.linalg.norm(soft, axis=0) - group, 0.0)

    free = ridge == 0
    factor, most = 1.0, 1.0
    if free.any() and excess(1.0)[free].max() > 0:
        factor = 0.0
        for _ in range(100):
            middle = 0.5 * (factor + most)
            if excess(middle)[free].max() > 0:
                most = middle
            else:
                factor = middle
    pushes = 2.0 * factor * hinges
    slack = np.square(excess(factor)[~free]) / (4.0 * ridge[~free])
    return float(np.mean(pushes - np.square(pushes) / 4.0) - slack.sum())


def prox(
    W: FloatArray,
    step: float,
    *,
    group: npt.ArrayLike = 0.0,
    l1: npt.ArrayLike = 0.0,
    ridge: npt.ArrayLike = 0.0,
) -> FloatArray:
    """Minimise step times the penalties plus 1/2 ||Z - W||^2 over Z.

    Both thresholds come after the ridge.
    """
    shrink = 1.0 + 2.0 * step * np.asarray(ridge)
    soft = np.sign(W) * np.maximum(np.abs(W) - step * np.asarray(l1), 0.0)
    norms = np.linalg.norm(soft, axis=0)
    kept = np.maximum(norms - step * np.asarray(group), 0.0) / np.where(norms > 0, norms, 1.0)
    return soft * kept / shrink


def fista(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    n_clusters: int,
    *,
    group: npt.ArrayLike = 0.0,
    l1: npt.ArrayLike = 0.0,
    ridge: npt.ArrayLike = 0.0,
    W: npt.ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int = 10_000,
) -> MarginFit:
    """Solve by accelerated proximal gradient, in NumPy.

    It has backtracking and restarts (Beck and Teboulle 2009). The signature and the residual are those of the solver.
    """
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    weights = {"group": group, "l1": l1, "ridge": ridge}
    now = np.zeros((n_clusters, X.shape[1])) if W is None else np.array(W, dtype=float)
    zero_loss, zero_gradient = _loss_and_gradient(X, labels, np.zeros(now.shape))
    square = float(np.square(X).sum(axis=1).mean())
    scale = max(float(np.linalg.norm(zero_gradient)), 1e-10 * np.sqrt(square)) or 1.0
    ahead, momentum = now, 1.0
    curvature = max(4.0 * square / now.size, 1e-300)
    loss, gradient = _loss_and_gradient(X, labels, now) if now.any() else (zero_loss, zero_gradient)
    left, n_iter, n_passes = np.inf, 0, 2
    while n_iter < max_iter:
        while True:
            new = prox(ahead - gradient / curvature, 1.0 / curvature, **weights)
            step = new - ahead
            new_loss, new_gradient = _loss_and_gradient(X, labels, new)
            n_passes += 1
            bound = loss + float(np.sum(gradient * step)) + 0.5 * curvature * float(np.sum(step**2))
            if new_loss <= bound + 1e-15 * abs(bound):
                break
            curvature *= 2.0
        n_iter += 1
        left = float(
            np.linalg.norm(least_subgradient(new, new_gradient + 2.0 * np.asarray(ridge) * new, group, l1))
        )
        if left <= tol * scale:
            now, loss = new, new_loss
            break
        if np.sum((ahead - new) * (new - now)) > 0:  # the momentum leads up: begin again from here
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = new + (momentum - 1.0) / following * (new - now)
        now, momentum = new, following
        loss, gradient = _loss_and_gradient(X, labels, ahead)
        n_passes += 1
    value = _loss_and_gradient(X, labels, now)[0]
    return MarginFit(
        now,
        value + penalty(now, group, l1, ridge),
        value,
        left / scale,
        n_iter,
        n_passes,
        left <= tol * scale,
    )


def fit_margin(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    n_clusters: int,
    *,
    group: npt.ArrayLike = 0.0,
    l1: npt.ArrayLike = 0.0,
    ridge: npt.ArrayLike = 0.0,
    W: npt.ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> MarginFit:
    """Solve as a cone programme by Clarabel; the signature is the solver's.

    ``W`` is not used: interior points have no warm start. ``tol`` is the residual below which the answer counts as
    converged; the programme is always solved as exactly as Clarabel can.
    """
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    n, P = X.shape
    weights = {"group": group, "l1": l1, "ridge": ridge}
    by_feature = {
        name: np.broadcast_to(np.asarray(value, dtype=float), (P,)) for name, value in weights.items()
    }
    models = cp.Variable((n_clusters, P))
    scores = X @ models.T
    one_hot = np.eye(n_clusters)[labels]
    margins = (
        1.0 - cp.sum(cp.multiply(one_hot, scores), axis=1, keepdims=True) @ np.ones((1, n_clusters)) + scores
    )
    terms = [cp.sum_squares(cp.multiply(1.0 - one_hot, cp.pos(margins))) / (n * n_clusters)]
    if by_feature["group"].any():
        terms.append(by_feature["group"] @ cp.norm(models, 2, axis=0))
    if by_feature["l1"].any():
        terms.append(by_feature["l1"] @ cp.sum(cp.abs(models), axis=0))
    if by_feature["ridge"].any():
        terms.append(by_feature["ridge"] @ cp.sum(cp.square(models), axis=0))
    programme = cp.Problem(cp.Minimize(cp.sum(terms)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inaccurate answers: the residual says how good it is
        programme.solve(
            solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12, max_iter=max_iter
        )
    solution = np.asarray(models.value)
    value = _loss_and_gradient(X, labels, solution)[0]
    left = residual(X, labels, solution, **weights)
    n_iter = int(programme.solver_stats.num_iters or 0)
    return MarginFit(solution, value + penalty(solution, **weights), value, left, n_iter, n_iter, left <= tol)
