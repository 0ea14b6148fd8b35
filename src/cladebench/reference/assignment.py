r"""Balanced assignments by other means.

Enumeration, integer programmes, a public min-cost flow; and their bounds.

The programme is that of `solvers.assignment`: the least :math:`\sum_i c_{i, y_i}` with
:math:`l_k \le |\{i : y_i = k\}| \le u_k`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cladebench.reference.ortools_flow import min_cost_flow
from cladebench.reference.programmes import Constraint, FloatArray, IntArray, SolverName, minimize_binary

#: Assignments that `balanced_assignment_enumeration` looks at, at most.
MAX_ASSIGNMENTS = 2_000_000
#: Costs are brought to whole numbers up to this one for OR-tools, which multiplies them by the number of nodes.
RESOLUTION = 2**40


@dataclass(frozen=True)
class ExactAssignment:
    """An assignment and what was found out about its optimality.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        Cluster of each row.
    value : float
        The total cost, recomputed from the labels.
    objective : float
        The total cost as the search or solver gave it.
    evidence : str
        Name of the method, and the solver's own status where there is one.
    seconds : float
        Wall time of the solver, where it runs in a process whose start should not count; else nan.
    seconds_solve : float
        Of these, without handing over the model.
    """

    labels: IntArray
    value: float
    objective: float
    evidence: str
    seconds: float = math.nan
    seconds_solve: float = math.nan


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


def assignment_value(cost: ArrayLike, labels: ArrayLike) -> float:
    """Total cost of an assignment, rounded once.

    Parameters
    ----------
    cost : array-like of shape (n, K)
    labels : array-like of int, shape (n,)
    """
    costs, chosen = np.asarray(cost, dtype=np.float64), np.asarray(labels)
    return math.fsum(costs[np.arange(len(costs)), chosen])


def dual_value(cost: ArrayLike, prices: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> float:
    r"""Bound every assignment's cost from below, by any prices.

    Within the bounds.

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
    time_limit: float = 60.0,
) -> ExactAssignment:
    """Integer linear programme with PuLP.

    A binary variable for each row and cluster.

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the sizes of clusters, inclusive.
    solver : {"CBC", "HiGHS"}, default="CBC"
        Both come with the installed packages.
    time_limit : float, default=60
        In seconds.

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
        If the solver gave no integral point, or one that breaks a constraint.
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
    point = minimize_binary((extra / scale).ravel(), constraints, solver, time_limit)
    chosen = point.x.reshape(n, n_clusters)
    labels = chosen.argmax(axis=1)
    objective = math.fsum(costs.min(axis=1)) + scale * float((extra / scale * chosen).sum())
    return ExactAssignment(labels, assignment_value(costs, labels), objective, f"{solver}: {point.status}")


def balanced_assignment_flow(
    cost: ArrayLike, lower: ArrayLike, upper: ArrayLike, resolution: int = RESOLUTION, repeats: int = 1
) -> ExactAssignment:
    """Solve the min-cost flow by OR-tools.

    Cost-scaling push-relabel, an optional package, in a process of its own.

    Its costs are integers: they get the differences to the least cost of the row. Where these are whole numbers of at
    most `resolution` they are taken as they are; else they are multiplied by `resolution` over the largest of them
    and rounded, which puts the value at most ``n * largest / resolution`` above the least (`flow_rounding`).

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the sizes of clusters, inclusive.
    resolution : int, default=2**40
        The largest integer cost; times n + K + 1 it has to be below 2^62.
    repeats : int, default=1
        Solutions, each of a network built anew; the shortest times count.

    Returns
    -------
    ExactAssignment

    Raises
    ------
    ImportError
        If OR-tools is not installed.
    ValueError
        If the bounds cannot be met.
    RuntimeError
        If the solver found no optimum or its process failed.
    """
    costs, least, most = checked_programme(cost, lower, upper)
    extra = costs - costs.min(axis=1, keepdims=True)
    scale, _ = _flow_scale(extra, resolution)
    found = min_cost_flow(np.rint(extra * scale).astype(np.int64), least, most, repeats)
    return ExactAssignment(
        found.labels,
        assignment_value(costs, found.labels),
        math.fsum(costs.min(axis=1)) + found.cost / scale,
        f"OR-tools: {found.status}",
        found.seconds_build + found.seconds_solve,
        found.seconds_solve,
    )


def flow_rounding(cost: ArrayLike, resolution: int = RESOLUTION) -> float:
    """Bound how far `balanced_assignment_flow` is above the optimum.

    Its costs are integers.

    Parameters
    ----------
    cost : array-like of shape (n, K)
    resolution : int, default=2**40

    Returns
    -------
    float
        Each of n rows is off by at most half a step in the assignment found, and in the best one.
    """
    extra = np.asarray(cost, dtype=np.float64) - np.min(cost, axis=1, keepdims=True)
    return _flow_scale(extra, resolution)[1] * len(extra)


def _flow_scale(extra: FloatArray, resolution: int) -> tuple[float, float]:
    """Give the factor of costs, and its rounding step.

    Zero for whole numbers.
    """
    largest = float(extra.max())
    if largest <= resolution and (extra == np.rint(extra)).all():
        return 1.0, 0.0
    return resolution / largest, largest / resolution


def checked_programme(
    cost: ArrayLike, lower: ArrayLike, upper: ArrayLike
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return costs and bounds as arrays.

    Or raise a ValueError that says why not.
    """
    costs = np.asarray(cost, dtype=np.float64)
    if costs.ndim != 2 or costs.size == 0:
        raise ValueError(f"cost has shape {costs.shape}; expected (n, K) with n >= 1 and K >= 1")
    if not np.isfinite(costs).all():
        raise ValueError("cost contains NaN or infinity; expected finite numbers")
    n, n_clusters = costs.shape
    least = np.broadcast_to(np.asarray(lower, dtype=np.int64), n_clusters)
    most = np.broadcast_to(np.asarray(upper, dtype=np.int64), n_clusters)
    if (least < 0).any() or (least > most).any() or not least.sum() <= n <= np.minimum(most, n).sum():
        raise ValueError(f"lower = {least} and upper = {most} cannot be met by {n} rows")
    return costs, least, most


METHODS: dict[str, Callable[..., ExactAssignment]] = {
    "enumeration": balanced_assignment_enumeration,
    "CBC": balanced_assignment_ilp,
    "HiGHS": lambda cost, lower, upper: balanced_assignment_ilp(cost, lower, upper, "HiGHS"),
    "OR-tools": balanced_assignment_flow,
}
