"""Learn weights of kernels for two classes, with a bound.

The bound is on the least objective. T(d) and the other symbols are those of `MultipleKernelSVM`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

FloatArray = npt.NDArray[np.float64]

#: While weights are learned none falls below their first mean times this share of `tol`. The objective has a gradient
#: where all are positive; at the boundary it need not have one.
_FLOOR = 0.05
#: Tolerances of the support vector machines: the first as a share of `tol`, and the least.
_FIRST_TOLERANCE, _LEAST_TOLERANCE = 0.1, 1e-10
#: Most steps in one of them, each O(n): with equal objects in both classes and a large C it may need very many.
_MACHINE_STEPS = 200_000
#: A kernel whose part is below this share of the most that it could be is the same for all objects.
_ROUNDING = 1e-14
#: Damping beyond which steps no longer move the weights.
_MOST_DAMPING = 1e6


@dataclass(frozen=True)
class KernelWeights:
    """Weights of the kernels, and the machine that has them."""

    weights: FloatArray
    coefficients: FloatArray  # y * alpha, of each object
    intercept: float
    objective: float
    gap: float
    n_iter: int


class Machine(NamedTuple):
    """The support vector machine of some weights."""

    weights: FloatArray
    coefficients: FloatArray
    intercept: float
    value: float  # T(d) as the multipliers have it, at most T(d)
    halves: FloatArray  # alpha' Y K_k Y alpha / 2
    products: FloatArray  # K_k Y alpha, shape (n_distances, n)
    kernel: FloatArray


class TwoClassProblem:
    """Two classes: T(d), its slope, curvature and bounds.

    The bounds are on the least value.
    """

    def __init__(self, kernels: FloatArray, y: FloatArray, C: float, sigma: float) -> None:
        self.kernels, self.y, self.C, self.sigma = kernels, y, C, sigma
        self._flat = kernels.reshape(-1, len(y))
        self._total = kernels.sum(axis=0)

    def machine(self, weights: FloatArray, tolerance: float) -> Machine:
        """Solve for given weights."""
        y, least = self.y, weights.min()
        summed = least * self._total  # all but few weights are at the least one
        for k in np.flatnonzero(weights > least):
            summed += (weights[k] - least) * self.kernels[k]
        svc = SVC(C=self.C, kernel="precomputed", tol=tolerance, max_iter=_MACHINE_STEPS)
        with warnings.catch_warnings():  # the bounds hold for any multipliers
            warnings.simplefilter("ignore", ConvergenceWarning)
            svc.fit(summed, y)
        coefficients = np.zeros(len(y))
        coefficients[svc.support_] = svc.dual_coef_[0]
        products = (self._flat @ coefficients).reshape(len(weights), -1)
        halves = np.maximum(0.0, 0.5 * (products @ coefficients))
        value = coefficients @ y + weights @ (self.sigma - halves)
        return Machine(
            weights, coefficients, float(svc.intercept_[0]), float(value), halves, products, summed
        )

    def upper(self, machine: Machine) -> float:
        """Objective of the machine: its norm, its errors, its weights.

        A machine that misses a margin by the solver's tolerance would pay for it with a large C. It is stretched until
        it does not, where that is cheaper.
        """
        inner = machine.weights @ machine.products
        margins = self.y * (inner + machine.intercept)
        norm = float(machine.weights @ machine.halves)
        stretches = [1.0, 1.0 / margins.min()] if margins.min() > 0.5 else [1.0]
        costs = [norm * t**2 + self.C * np.maximum(0.0, 1.0 - t * margins).sum() for t in stretches]
        return float(min(costs) + self.sigma * machine.weights.sum())

    def lower(self, machine: Machine) -> float:
        """Bound the least value.

        Multipliers that are shrunk until no weight could gain.
        """
        most = machine.halves.max()
        shrink = min(1.0, np.sqrt(self.sigma / most)) if most > 0 else 1.0
        return float(shrink * (machine.coefficients @ self.y))

    def curvature(self, machine: Machine) -> FloatArray:
        """Give the second derivatives of T.

        The support vectors at their margin stay the same.
        """
        alphas = np.abs(machine.coefficients)
        free = np.flatnonzero((alphas > 0) & (alphas < self.C))
        if len(free) < 2:  # one alone is held by alpha' y = 0
            return np.zeros((len(self.kernels),) * 2)
        inner = machine.kernel[free[:, None], free]
        inner.flat[:: len(free) + 1] += 1e-9 * np.trace(inner) / len(free)
        columns = np.column_stack([machine.products[:, free].T, np.ones(len(free))])
        try:
            solved = cho_solve(cho_factor(inner, check_finite=False), columns, check_finite=False)
        except LinAlgError:
            return np.zeros((len(self.kernels),) * 2)
        full = columns.T @ solved
        return full[:-1, :-1] - np.outer(full[:-1, -1], full[-1, :-1]) / full[-1, -1]


def learn_weights(
    kernels: FloatArray, y: FloatArray, C: float, sigma: float, max_iter: int, tol: float
) -> KernelWeights:
    """Minimise T over the weights."""
    problem = TwoClassProblem(kernels, y, C, sigma)
    tolerance = max(_FIRST_TOLERANCE * min(tol, 1e-2), _LEAST_TOLERANCE)
    now, n_iter = _first(problem, tolerance), 0
    floor = _FLOOR * tol * float(now.weights.mean())
    lower, best, damping = problem.lower(now), now, 1e-3
    upper = problem.upper(now)
    while upper - lower > tol * upper and n_iter < max_iter:
        slope, bend = sigma - now.halves, problem.curvature(now)
        # With the machine's parts held, its norm and the price of the weights are a function of each weight. It lies
        # above T and has this second derivative.
        held = 2.0 * np.maximum(now.halves, 1e-3 * sigma) / np.maximum(now.weights, 1e-2 * now.weights.max())
        while n_iter < max_iter:
            trial, promised = _step(now.weights, slope, bend + damping * np.diag(held), floor)
            n_iter += 1
            then = problem.machine(trial, tolerance)
            lower = max(lower, problem.lower(then))
            if (high := problem.upper(then)) < upper:
                upper, best = high, then
            gained = now.value - then.value
            if gained >= 0.1 * promised > 0:
                damping = damping * (0.1 if gained > 0.7 * promised else 1.0)
                now = then
                break
            if upper - lower <= tol * upper:
                break
            damping = max(10.0 * damping, 1e-6)
            if damping > _MOST_DAMPING or promised <= 0:
                if tolerance <= _LEAST_TOLERANCE:
                    return _rounded(problem, best, upper, lower, n_iter, floor, tol, tolerance)
                # The machine's own error may hide the fall.
                tolerance, damping = max(0.01 * tolerance, _LEAST_TOLERANCE), 1e-3
                now = problem.machine(now.weights, tolerance)
                break
    return _rounded(problem, best, upper, lower, n_iter, floor, tol, tolerance)


def _first(problem: TwoClassProblem, tolerance: float) -> Machine:
    """Start from equal weights, then from the best of that machine's parts."""
    K = len(problem.kernels)
    machine = problem.machine(np.full(K, 1.0 / K), tolerance)
    scale = max(1e-3, np.sqrt(machine.halves.mean() / problem.sigma))  # best with a hard margin
    machine = problem.machine(np.full(K, scale / K), tolerance)
    factors = np.maximum(1e-3, np.sqrt(machine.halves / problem.sigma))  # steps are to decide what vanishes
    return problem.machine(machine.weights * factors, tolerance)


def _step(weights: FloatArray, slope: FloatArray, bend: FloatArray, floor: float) -> tuple[FloatArray, float]:
    """Minimise the quadratic model over weights that are at least the floor.

    Return them and the fall it promises.
    """
    above = weights - floor
    diagonal = bend.diagonal()
    most = float(diagonal.max())
    bend = bend + np.diag(np.full(len(bend), 1e-10 * most if most > 0 else slope.max() / weights.max()))
    scale = 1.0 / np.sqrt(bend.diagonal())
    root = _root(scale[:, None] * bend * scale)
    # The model is |root x - aim|^2 / 2 up to a constant, in x = (new - floor) / scale.
    pull = scale * (bend @ above - slope)
    aim = solve_triangular(root, pull, trans="T")
    x, _ = nnls(root, aim)
    trial = floor + scale * x
    move = trial - weights
    return trial, float(-(slope @ move) - 0.5 * move @ bend @ move)


def _root(matrix: FloatArray) -> FloatArray:
    """Give the upper Cholesky factor of a matrix, lifted if needed.

    The matrix has a diagonal of ones and is lifted until it has a factor.
    """
    lift = 1e-12
    while True:
        try:
            return np.asarray(cholesky(matrix + lift * np.eye(len(matrix))))
        except LinAlgError:
            lift *= 10.0


def _rounded(
    problem: TwoClassProblem,
    best: Machine,
    upper: float,
    lower: float,
    n_iter: int,
    floor: float,
    tol: float,
    tolerance: float,
) -> KernelWeights:
    """Round small weights to 0, and those of kernels that tell nothing."""
    tells = best.halves > _ROUNDING * np.abs(best.coefficients).sum() ** 2
    rounded = problem.machine(np.where(tells & (best.weights > 10.0 * floor), best.weights, 0.0), tolerance)
    high = problem.upper(rounded)
    if high <= upper or high - lower <= tol * high:
        best, upper = rounded, high
    gap = max(0.0, upper - lower) / upper
    return KernelWeights(best.weights, best.coefficients, best.intercept, upper, gap, n_iter)
