"""Solve one problem of two classes by two cone programmes.

They are the twins of `cladebench.classifiers.multiple_kernel_svm`.
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def kernels_of(stack: npt.ArrayLike) -> FloatArray:
    """Compute exp(-d / mean d) by entries; pairs of objects are averaged.

    The objects of a pair differ.
    """
    stack = np.asarray(stack, dtype=float)
    kernels = np.ones(stack.shape)
    n = stack.shape[1]
    pairs = [(p, q) for p in range(n) for q in range(n) if p != q]
    for kernel, distances in zip(kernels, stack, strict=True):
        mean = sum(distances[p, q] for p, q in pairs) / len(pairs)
        for p, q in pairs:
            kernel[p, q] = np.exp(-0.5 * (distances[p, q] + distances[q, p]) / (mean or 1.0))
    return kernels


def _roots(kernels: FloatArray) -> list[FloatArray]:
    """Give R with R'R = K for each kernel."""
    roots = []
    for kernel in kernels:
        values, vectors = np.linalg.eigh(kernel)
        roots.append(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)
    return roots


def primal(kernels: FloatArray, y: FloatArray, C: float, sigma: float) -> tuple[float, FloatArray]:
    r"""Solve for the machine's parts, with the weights minimised out.

    The best weight for a part w_k is :math:`\|w_k\| / \sqrt{2 \sigma}`, and then ``|w_k|^2 / (2 d_k) + sigma d_k``
    is :math:`\sqrt{2 \sigma} \|w_k\|`: the parts of the machine have an l1 penalty on their norms.

    Returns
    -------
    objective : float
    weights : ndarray of shape (n_distances,)
    """
    roots, n = _roots(kernels), len(y)
    parts = [cp.Variable(n) for _ in kernels]
    intercept, slack = cp.Variable(), cp.Variable(n, nonneg=True)
    inner = sum(root.T @ part for root, part in zip(roots, parts, strict=True))
    norms = sum(cp.norm(part, 2) for part in parts)
    goal = np.sqrt(2.0 * sigma) * norms + C * cp.sum(slack)
    programme = cp.Problem(cp.Minimize(goal), [cp.multiply(y, inner + intercept) >= 1 - slack])
    programme.solve(solver=cp.CLARABEL)
    norms_found = np.array([np.linalg.norm(np.asarray(part.value)) for part in parts])
    return float(programme.value), norms_found / np.sqrt(2.0 * sigma)


def dual(kernels: FloatArray, y: FloatArray, C: float, sigma: float) -> tuple[float, FloatArray]:
    """Solve for the multipliers.

    The most of their sum where no kernel's weight could gain.

    T is linear in the weights and concave in the multipliers, so that its least value over the weights of its most over
    the multipliers is its most over the multipliers of its least over the weights; the latter is minus infinity unless
    ``alpha' Y K_k Y alpha / 2 <= sigma`` for all k. The weights are what these constraints are priced at.

    Returns
    -------
    objective : float
    weights : ndarray of shape (n_distances,)
    """
    alpha = cp.Variable(len(y))
    bounds = [0.5 * cp.sum_squares((root * y) @ alpha) <= sigma for root in _roots(kernels)]
    programme = cp.Problem(cp.Maximize(cp.sum(alpha)), [*bounds, alpha >= 0, alpha <= C, y @ alpha == 0])
    programme.solve(solver=cp.CLARABEL)
    return float(programme.value), np.array([np.ravel(bound.dual_value)[0] for bound in bounds])
