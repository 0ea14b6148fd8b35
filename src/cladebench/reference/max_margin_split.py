"""Plain twins of `cladebench.solvers.max_margin_split`: the paper's formulas, quadratic programmes, enumeration.

Points are rows of X with a constant 1 behind them; w has the constant's weight last. Equation numbers are those of
Johnson, Xiong and Corso (see the solver). Where the paper has joint projections of two points with labels, the maxima
over labels are written out: ``max over z of z a + z b`` is ``|a + b|``, and ``max of s a - s b`` is ``|a - b|``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
import numpy.typing as npt
import scipy.linalg

from cladebench.reference.programmes import FloatArray, IntArray


@dataclass(frozen=True)
class SplitProblem:
    """Problem (8), with the names of the paper.

    Attributes
    ----------
    X : ndarray of shape (n, d + 1)
        Points with a constant 1 behind them.
    must, cannot : ndarray of int64, shape (n_pairs, 2)
    weight, unconstrained, share : float
        lambda, C and L'_C / L_C.
    """

    X: FloatArray
    must: IntArray
    cannot: IntArray
    weight: float = 0.01
    unconstrained: float = 1.0
    share: float = 0.25

    @property
    def alone(self) -> IntArray:
        """The points in no constraint, U."""
        return np.setdiff1d(np.arange(len(self.X)), np.concatenate([self.must.ravel(), self.cannot.ravel()]))

    @property
    def n_chosen(self) -> int:
        """L'_C."""
        return share_of(self.share, len(self.cannot), len(self.cannot))


@dataclass(frozen=True)
class Labels:
    """What a round fixes.

    Labels, +1 or -1, of must-links (of both points), of the chosen cannot-links' first points (the second has the
    other), and of the unconstrained points.
    """

    must: IntArray
    chosen: IntArray
    cannot: IntArray
    alone: IntArray


def make_problem(X: npt.ArrayLike, must: Any = None, cannot: Any = None, **settings: float) -> SplitProblem:
    """Append the constant, and make arrays of the pairs."""
    X = np.asarray(X, dtype=float)
    must, cannot = (
        np.asarray([] if pairs is None else pairs, dtype=np.int64).reshape(-1, 2) for pairs in (must, cannot)
    )
    return SplitProblem(np.column_stack([X, np.ones(len(X))]), must, cannot, **settings)


def share_of(share: float, n: int, most: int) -> int:
    """``ceil(share * n)``, at least 1 and at most `most`.

    A product above a whole number by rounding only is that.
    """
    return min(max(1, math.ceil(share * n * (1 - 1e-12))), most)


def hinge(margin: Any) -> Any:
    """Loss of a margin that should be 1."""
    return np.maximum(0.0, 1.0 - margin)


def mean(values: FloatArray) -> float:
    """Mean, 0 of nothing."""
    return float(values.mean()) if len(values) else 0.0


def margins(problem: SplitProblem, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute (8)'s margins of must-links, cannot-links and unconstrained points.

    A margin is the best satisfying score less the best violating one.
    """
    s = problem.X @ w
    (a, b), (c, d) = s[problem.must.T], s[problem.cannot.T]
    return np.abs(a + b) - np.abs(a - b), np.abs(c - d) - np.abs(c + d), 2 * np.abs(s[problem.alone])


def objective(problem: SplitProblem, w: FloatArray) -> float:
    """Evaluate (8): the cannot-links that count are those with the largest margins."""
    must, cannot, alone = margins(problem, w)
    chosen = np.sort(cannot)[::-1][: problem.n_chosen]
    return (
        problem.weight / 2 * float(w @ w)
        + mean(hinge(must))
        + mean(hinge(chosen))
        + problem.unconstrained * mean(hinge(alone))
    )


def choose_labels(problem: SplitProblem, w: FloatArray) -> Labels:
    """Fix labels and cannot-links by (12)-(15).

    Ties get the label +1, and the cannot-link that comes first.
    """
    s = problem.X @ w
    (a, b), (c, d) = s[problem.must.T], s[problem.cannot.T]
    _, cannot, _ = margins(problem, w)
    # Pairs that share the point with the smaller score tie; rounding must not decide.
    chosen = np.sort(np.argsort(-np.round(cannot, 9), kind="stable")[: problem.n_chosen])
    signs = [np.where(value >= 0, 1, -1) for value in (a + b, (c - d)[chosen], s[problem.alone])]
    return Labels(signs[0], chosen, signs[1], signs[2])


def fixed_objective(problem: SplitProblem, labels: Labels, w: FloatArray) -> float:
    """Evaluate (16)."""
    s = problem.X @ w
    (a, b), (c, d) = s[problem.must.T], s[problem.cannot[labels.chosen].T]
    return (
        problem.weight / 2 * float(w @ w)
        + mean(hinge(labels.must * (a + b) - np.abs(a - b)))
        + mean(hinge(labels.cannot * (c - d) - np.abs(c + d)))
        + problem.unconstrained * mean(hinge(2 * labels.alone * s[problem.alone]))
    )


def fixed_subgradient(problem: SplitProblem, labels: Labels, w: FloatArray) -> FloatArray:
    """Add up (17), its last term mended.

    -2 y x / U is the subgradient of (16).
    """
    X, s = problem.X, problem.X @ w
    total = problem.weight * w
    for (i, j), z in zip(problem.must, labels.must, strict=True):
        sign = 1.0 if s[i] >= s[j] else -1.0  # best violating labels (20)
        if z * (s[i] + s[j]) - sign * (s[i] - s[j]) < 1:
            total = total + (sign * (X[i] - X[j]) - z * (X[i] + X[j])) / len(labels.must)
    for (i, j), z in zip(problem.cannot[labels.chosen], labels.cannot, strict=True):
        sign = 1.0 if s[i] + s[j] >= 0 else -1.0  # (21)
        if z * (s[i] - s[j]) - sign * (s[i] + s[j]) < 1:
            total = total + (sign * (X[i] + X[j]) - z * (X[i] - X[j])) / len(labels.cannot)
    for i, y in zip(problem.alone, labels.alone, strict=True):
        if 2 * y * s[i] < 1:
            total = total - 2 * problem.unconstrained * y * X[i] / len(labels.alone)
    return total


def solve_fixed(problem: SplitProblem, labels: Labels) -> tuple[FloatArray, float]:
    """Solve (16) as a quadratic programme."""
    w = cp.Variable(problem.X.shape[1])
    s = problem.X @ w
    terms = [problem.weight / 2 * cp.sum_squares(w)]
    if len(labels.must):
        a, b = s[problem.must[:, 0]], s[problem.must[:, 1]]
        terms.append(cp.sum(cp.pos(1 - cp.multiply(labels.must, a + b) + cp.abs(a - b))) / len(labels.must))
    if len(labels.cannot):
        pairs = problem.cannot[labels.chosen]
        a, b = s[pairs[:, 0]], s[pairs[:, 1]]
        terms.append(cp.sum(cp.pos(1 - cp.multiply(labels.cannot, a - b) + cp.abs(a + b))) / len(pairs))
    if len(labels.alone):
        hinges = cp.pos(1 - 2 * cp.multiply(labels.alone, s[problem.alone]))
        terms.append(problem.unconstrained * cp.sum(hinges) / len(labels.alone))
    return _solve(w, terms)


def _solve(w: cp.Variable, terms: list[Any]) -> tuple[FloatArray, float]:
    programme = cp.Problem(cp.Minimize(sum(terms)))
    programme.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return np.asarray(w.value, dtype=float), float(programme.value)


def concave_convex(
    problem: SplitProblem, w: FloatArray, max_rounds: int = 50
) -> tuple[FloatArray, list[float]]:
    """Alternate (12)-(15) and (16) from w until the objective stays.

    It returns the weights and the objectives (8). All points take part from the start (Algorithm 2 has C = 0 at first).
    """
    trace = [math.inf]
    for _ in range(max_rounds):
        new, _ = solve_fixed(problem, choose_labels(problem, w))
        value = objective(problem, new)
        if not value < trace[-1] * (1 - 1e-9):
            break
        w = new
        trace.append(value)
    return w, trace[1:]


def start(problem: SplitProblem, ridge: float) -> FloatArray:
    """Find the scatter matrices' (9)-(11) largest generalised eigenvector, of length 1.

    The must-links' matrix has a ridge.
    """
    d = problem.X.shape[1] - 1

    def scatter(pairs: IntArray) -> FloatArray:
        differences = problem.X[pairs[:, 0], :d] - problem.X[pairs[:, 1], :d]
        return differences.T @ differences / max(len(pairs), 1)

    S_M, S_C = scatter(problem.must), scatter(problem.cannot)
    added = ridge * np.trace(S_M) / d if np.trace(S_M) > 0 else 1.0
    vectors = scipy.linalg.eigh(S_C, S_M + added * np.eye(d))[1]
    v = vectors[:, -1] / np.linalg.norm(vectors[:, -1])
    return v * np.sign(v[np.argmax(np.abs(v))])


def all_labels(problem: SplitProblem) -> Iterator[Labels]:
    """Yield all choices of labels and cannot-links: for tiny problems."""
    signs = (1, -1)
    for chosen in itertools.combinations(range(len(problem.cannot)), problem.n_chosen):
        for z in itertools.product(signs, repeat=len(problem.must) + len(chosen) + len(problem.alone)):
            parts = np.split(
                np.array(z, dtype=np.int64), [len(problem.must), len(problem.must) + len(chosen)]
            )
            yield Labels(parts[0], np.array(chosen, dtype=np.int64), parts[1], parts[2])


def minimum(problem: SplitProblem) -> tuple[FloatArray, float]:
    """Minimise (8) over all labels, each a quadratic programme.

    Labels that are all turned round give the same value, so one of the signs is kept fixed.
    """
    best: tuple[FloatArray, float] = (
        np.zeros(problem.X.shape[1]),
        objective(problem, np.zeros(problem.X.shape[1])),
    )
    for labels in all_labels(problem):
        first = np.concatenate([labels.must, labels.cannot, labels.alone])
        if len(first) and first[0] < 0:
            continue
        w, value = solve_fixed(problem, labels)
        if value < best[1]:
            best = w, value
    return best


def balanced_objective(problem: SplitProblem, w: FloatArray, membership: float) -> float:
    """Find the least objective over labels with enough of each sign.

    It tries all numbers of positive ones among sorted scores.
    """
    n = len(problem.X)
    least = share_of(membership, n, n // 2)
    s = np.sort(problem.X @ w)[::-1]
    losses = []
    for positive in range(least, n - least + 1):
        y = np.where(np.arange(n) < positive, 1, -1)
        losses.append(hinge(2 * y * s).sum())
    return problem.weight / 2 * float(w @ w) + problem.unconstrained * min(losses) / n


def solve_labelled(problem: SplitProblem, y: IntArray) -> tuple[FloatArray, float]:
    """Find the best weights for given labels by a quadratic programme.

    The problem is the unsupervised one.
    """
    w = cp.Variable(problem.X.shape[1])
    hinges = cp.pos(1 - 2 * cp.multiply(y, problem.X @ w))
    return _solve(
        w, [problem.weight / 2 * cp.sum_squares(w), problem.unconstrained * cp.sum(hinges) / len(problem.X)]
    )


def balanced_minimum(problem: SplitProblem, membership: float) -> tuple[FloatArray, float]:
    """Minimise the unsupervised objective over all labellings with enough of each sign.

    It is for tiny problems.
    """
    n = len(problem.X)
    least = share_of(membership, n, n // 2)
    minima = []
    for signs in itertools.product((1, -1), repeat=n - 1):
        y = np.array((1, *signs), dtype=np.int64)
        if least <= int((y > 0).sum()) <= n - least:
            minima.append(solve_labelled(problem, y))
    return min(minima, key=lambda pair: pair[1])
