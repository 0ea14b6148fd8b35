r"""Solve correlation clustering and its structural SVM the plain way.

It takes enumeration, integer and linear programmes, and one quadratic programme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cladebench.reference.programmes import LowerBound, SolverName, minimize_binary

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Points up to which partitions are enumerated (Bell's number: 4140), and up to which integer programmes are solved.
MOST_TO_ENUMERATE, MOST_FOR_ILP = 8, 14


def every_partition(n: int) -> Iterator[IntArray]:
    """Yield each partition of n points once.

    Clusters are named in the order of their first points.
    """

    def extend(labels: list[int]) -> Iterator[IntArray]:
        if len(labels) == n:
            yield np.array(labels, dtype=np.int64)
            return
        for label in range(max(labels, default=-1) + 2):
            yield from extend([*labels, label])

    if not 1 <= n <= MOST_TO_ENUMERATE:
        raise ValueError(f"n={n}: expected 1 to {MOST_TO_ENUMERATE} points")
    yield from extend([])


def partition_value(S: FloatArray, labels: IntArray) -> float:
    """Sum S[p, q] over the pairs p < q in one cluster."""
    n = len(labels)
    return float(sum(S[p, q] for p in range(n) for q in range(p + 1, n) if labels[p] == labels[q]))


def best_partition(S: FloatArray) -> tuple[IntArray, float]:
    """Find the first partition of largest value among all."""
    best, most = np.arange(len(S)), -np.inf
    for labels in every_partition(len(S)):
        value = partition_value(S, labels)
        if value > most:
            best, most = labels, value
    return best, most


def triangles_of(n: int) -> list[tuple[int, int, int]]:
    """List all inequalities x_pq + x_qr - x_pr <= 1.

    Each is (p, q, r) with p < r.
    """
    return [(p, q, r) for p, r in combinations(range(n), 2) for q in range(n) if q not in (p, r)]


def partition_programme(S: FloatArray, solver: SolverName = "CBC") -> tuple[IntArray, float]:
    """Find the best partition by integer programme with all triangles (PuLP)."""
    n = len(S)
    if n > MOST_FOR_ILP:
        raise ValueError(f"S has {n} points; the integer programme takes at most {MOST_FOR_ILP}")
    column = _columns(n)
    objective = np.array([-S[p, q] for p, q in column])
    scale = float(np.abs(objective).max(initial=0.0)) or 1.0
    constraints = [
        (
            [(column[min(p, q), max(p, q)], -1.0), (column[min(q, r), max(q, r)], -1.0), (column[p, r], 1.0)],
            -1.0,
        )
        for p, q, r in triangles_of(n)
    ]
    x = minimize_binary(objective / scale, constraints, solver) if n > 1 else np.empty(0)
    labels = np.arange(n)
    for (p, q), together in zip(column, x, strict=True):
        if together:
            labels[q] = min(labels[q], labels[p])
    return labels, partition_value(S, labels)


def relaxation(S: FloatArray) -> tuple[FloatArray, LowerBound]:
    """The linear relaxation with all triangles, by HiGHS.

    Returns
    -------
    x : ndarray of shape (n, n)
        1 on the diagonal.
    bound : LowerBound
        Of the negated value, as programmes here minimise: ``-bound.value`` is above all partitions.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    n = len(S)
    x = np.eye(n)
    column, triangles = _columns(n), triangles_of(n)
    if not column:
        return x, LowerBound(0.0, 0.0, np.empty(0), 0.0)
    objective = np.array([-S[p, q] for p, q in column])
    scale = float(np.abs(objective).max()) or 1.0
    rows = np.repeat(np.arange(len(triangles)), 3)
    columns = [column[min(pair), max(pair)] for p, q, r in triangles for pair in ((p, q), (q, r), (p, r))]
    A = csr_array(
        (np.tile([1.0, 1.0, -1.0], len(triangles)), (rows, columns)), shape=(len(triangles), len(column))
    )
    if triangles:
        result = linprog(objective / scale, A_ub=A, b_ub=np.ones(len(triangles)), bounds=(0.0, 1.0))
        multipliers = -scale * np.asarray(result.ineqlin.marginals)
    else:
        result = linprog(objective / scale, bounds=(0.0, 1.0))
        multipliers = np.empty(0)
    for (p, q), value in zip(column, result.x, strict=True):
        x[p, q] = x[q, p] = value
    clipped = np.maximum(multipliers, 0.0)
    return x, LowerBound(
        -bound_of_multipliers(S, triangles, clipped),
        scale * float(result.fun),
        clipped,
        float(np.maximum(-multipliers, 0.0).max(initial=0.0)),
        str(result.message),
    )


def bound_of_multipliers(
    S: FloatArray, triangles: Sequence[Sequence[int]] | NDArray[Any], multipliers: FloatArray
) -> float:
    """Sum the multipliers and the positive rests of similarities: a bound."""
    left = np.array(S, dtype=np.float64)
    for (p, q, r), m in zip(triangles, multipliers, strict=True):
        for (a, b), by in (((p, q), m), ((q, r), m), ((p, r), -m)):
            left[a, b] -= by
            left[b, a] -= by
    n = len(left)
    return float(sum(multipliers) + sum(max(0.0, left[p, q]) for p in range(n) for q in range(p + 1, n)))


def violated_triangles(x: FloatArray, least: float) -> list[tuple[int, int, int]]:
    """Find each (p, r)'s most violated triangle, if by over ``least``.

    Of middles that tie it has the first one from (p + r) mod n on, and round.
    """
    triangles, n = [], len(x)
    d = 1.0 - x
    for p, r in combinations(range(n), 2):
        middles = [q for q in range(n) if q not in (p, r)]
        if middles:
            q = min(middles, key=lambda q: (d[p, q] + d[r, q], (q - p - r) % n))
            if d[p, r] - (d[p, q] + d[r, q]) > least:
                triangles.append((p, q, r))
    return triangles


def close_triangles(x: FloatArray) -> FloatArray:
    """Shares whose distances 1 - x are the lengths of shortest paths."""
    d = 1.0 - x
    np.fill_diagonal(d, 0.0)
    for q in range(len(d)):
        d = np.minimum(d, d[:, q, None] + d[q])
    return 1.0 - d


@dataclass(frozen=True)
class StructuralSVM:
    """Hold the solver's objective and features' weights, the constant first."""

    v: FloatArray
    objective: float


def structural_svm(
    stacks: Sequence[FloatArray],
    labels: Sequence[IntArray],
    C: float,
    nonnegative: bool = False,
    relaxed: bool = False,
    balanced: bool = False,
) -> StructuralSVM:
    """Solve the structural SVM as one quadratic programme.

    It minimises `|v|^2 / 2 + C / K * sum of losses` (cvxpy, Clarabel).

    A loss is the largest over x of `(sum over pairs of c |x - y| + s (x - y)) / pairs`, with s = v_0 - sum_i v_i d_i.
    The x are all partitions, or those of the relaxation. The maximum over the relaxation is written as its dual. All
    costs c are 1, or half of all cost is that of the pairs with y = 1.

    Parameters
    ----------
    stacks : sequence of ndarray of shape (n_distances, n, n)
        Symmetric, 2 <= n; they are not scaled.
    labels : sequence of ndarray of shape (n,)
    C : float
    nonnegative : bool, default=False
        Whether v_1, v_2, ... must be at least 0.
    relaxed : bool, default=False
    balanced : bool, default=False
        Each set needs pairs of both kinds then.
    """
    import cvxpy as cp

    v = cp.Variable(1 + len(stacks[0]))
    losses, constraints = [], [v[1:] >= 0] if nonnegative else []
    for stack, codes in zip(stacks, labels, strict=True):
        n = len(codes)
        column = _columns(n)
        y = np.array([float(codes[p] == codes[q]) for p, q in column])
        features = np.array([[1.0, *(-stack[:, p, q])] for p, q in column])
        c = (
            len(y) / 2.0 * np.where(y == 1.0, 1.0 / y.sum(), 1.0 / (1.0 - y).sum())
            if balanced
            else np.ones(len(y))
        )
        loss = cp.Variable()
        if relaxed:
            triangles = triangles_of(n)
            A = np.zeros((len(triangles), len(column)))
            for t, (p, q, r) in enumerate(triangles):
                for pair, sign in (((p, q), 1.0), ((q, r), 1.0), ((p, r), -1.0)):
                    A[t, column[min(pair), max(pair)]] = sign
            s = features @ v
            above = cp.Variable(len(column), nonneg=True)
            most = cp.sum(above)
            pull: Any = 0.0
            if triangles:
                m = cp.Variable(len(triangles), nonneg=True)
                most, pull = most + cp.sum(m), A.T @ m
            constraints += [
                above >= s + c * (1.0 - 2.0 * y) - pull,
                loss * len(column) >= most + c @ y - y @ s,
            ]
        else:
            for partition in every_partition(n):
                x = np.array([float(partition[p] == partition[q]) for p, q in column])
                by = (x - y) / len(column)
                constraints.append(loss >= c @ np.abs(by) + (by @ features) @ v)
        losses.append(loss)
    objective = 0.5 * cp.sum_squares(v) + C / len(losses) * sum(losses)
    problem = cp.Problem(cp.Minimize(objective), constraints)
    problem.solve(solver=cp.CLARABEL)
    return StructuralSVM(np.asarray(v.value), float(problem.value))


def _columns(n: int) -> dict[tuple[int, int], int]:
    """Place of each pair p < q among all."""
    return {pair: k for k, pair in enumerate(combinations(range(n), 2))}
