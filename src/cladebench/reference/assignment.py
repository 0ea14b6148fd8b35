r"""Assign in balance by enumeration, integer programmes and flow, with bounds.

The programme is that of `solvers.assignment`: the least :math:`\sum_i c_{i, y_i}` with
:math:`l_k \le |\{i : y_i = k\}| \le u_k`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from cladebench.reference.programmes import Constraint, IntArray, SolverName, minimize_binary
from cladebench.solvers.assignment_flow import (
    ExactAssignment,
    assignment_value,
    balanced_assignment_flow,
    checked_programme,
)

#: Assignments that `balanced_assignment_enumeration` looks at, at most.
MAX_ASSIGNMENTS = 2_000_000


def balanced_assignment(
    cost: ArrayLike, lower: ArrayLike, upper: ArrayLike, *, method: str = "CBC"
) -> IntArray:
    """Labels of the cheapest assignment, as `solvers.assignment.balanced_assignment` gives them.

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the sizes of clusters, inclusive.
    method : {"enumeration", "CBC", "HiGHS", "OR-tools"}, default="CBC"
        See `balanced_assignment_enumeration`, `balanced_assignment_ilp` and `balanced_assignment_flow`.

    Returns
    -------
    ndarray of int64, shape (n,)
        One of the cheapest: which one depends on the method.

    Raises
    ------
    ValueError
        If the method is unknown, or the programme is not one that can be solved.
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r}: expected one of {', '.join(METHODS)}")
    return METHODS[method](cost, lower, upper).labels


def dual_value(cost: ArrayLike, prices: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> float:
    r"""Bound an assignment's cost within bounds from below, by any prices.

    A row in cluster k costs at least :math:`\min_j (c_{ij} - v_j) + v_k`, and between :math:`l_k` and :math:`u_k` rows
    pay :math:`v_k`, so the total is at least
    :math:`\sum_i \min_k (c_{ik} - v_k) + \sum_k (l_k \text{ if } v_k \ge 0 \text{ else } u_k) v_k`.

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k.
    prices : array-like of shape (K,)
        The v.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the sizes of clusters.

    Returns
    -------
    float
        The bound; its terms are rounded, its sum once.
    """
    costs, v = np.asarray(cost, dtype=np.float64), np.asarray(prices, dtype=np.float64)
    paid = np.where(v >= 0, lower, upper) * v
    return math.fsum([*(costs - v).min(axis=1), *paid])


def balanced_assignment_enumeration(cost: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> ExactAssignment:
    """Compare all K^n assignments, at most 2,000,000.

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the sizes of clusters, inclusive.

    Returns
    -------
    ExactAssignment
        Ties go to the first labels in lexical order.

    Raises
    ------
    ValueError
        If there are too many assignments, or none within the bounds.
    """
    costs, least, most = checked_programme(cost, lower, upper)
    n, n_clusters = costs.shape
    if n_clusters**n > MAX_ASSIGNMENTS:
        raise ValueError(
            f"cost has shape {costs.shape}, which allows {n_clusters}^{n} assignments; expected at most "
            f"{MAX_ASSIGNMENTS}"
        )
    best: tuple[float, tuple[int, ...]] | None = None
    for labels in itertools.product(range(n_clusters), repeat=n):
        if all(least[k] <= labels.count(k) <= most[k] for k in range(n_clusters)):
            value = math.fsum(costs[i, k] for i, k in enumerate(labels))
            if best is None or value < best[0]:
                best = value, labels
    assert best is not None  # the bounds can be met
    return ExactAssignment(np.array(best[1], dtype=np.int64), best[0], best[0], "enumeration")


def balanced_assignment_ilp(
    cost: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    solver: SolverName = "CBC",
    time_limit: float = 600.0,
) -> ExactAssignment:
    """Solve an integer linear programme of rows and clusters with PuLP.

    It has a binary variable for each row and cluster.

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the sizes of clusters, inclusive.
    solver : {"CBC", "HiGHS"}, default="CBC"
        Both come with the installed packages.
    time_limit : float, default=600
        In seconds, see `minimize_binary`.

    Returns
    -------
    ExactAssignment
        The programme gets the costs less the least of each row, over the largest of these differences: the solvers'
        tolerances are absolute.

    Raises
    ------
    ValueError
        If the solver is unknown or the bounds cannot be met.
    RuntimeError
        If the solver found no optimum, see `minimize_binary`.
    """
    costs, least, most = checked_programme(cost, lower, upper)
    n, n_clusters = costs.shape
    extra = costs - costs.min(axis=1, keepdims=True)
    scale = extra.max() or 1.0
    constraints: list[Constraint] = []
    for i in range(n):
        row = range(i * n_clusters, (i + 1) * n_clusters)
        constraints.append(([(x, 1.0) for x in row], 1.0))
        constraints.append(([(x, -1.0) for x in row], -1.0))
    for k in range(n_clusters):
        column = range(k, n * n_clusters, n_clusters)
        constraints.append(([(x, 1.0) for x in column], float(least[k])))
        constraints.append(([(x, -1.0) for x in column], -float(most[k])))
    x = minimize_binary((extra / scale).ravel(), constraints, solver, time_limit)
    chosen = x.reshape(n, n_clusters)
    labels = chosen.argmax(axis=1)
    objective = math.fsum(costs.min(axis=1)) + scale * float((extra / scale * chosen).sum())
    return ExactAssignment(labels, assignment_value(costs, labels), objective, f"{solver}: Optimal")


METHODS: dict[str, Callable[..., ExactAssignment]] = {
    "enumeration": balanced_assignment_enumeration,
    "CBC": balanced_assignment_ilp,
    "HiGHS": lambda cost, lower, upper: balanced_assignment_ilp(cost, lower, upper, "HiGHS"),
    "OR-tools": balanced_assignment_flow,
}
