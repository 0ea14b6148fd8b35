"""Assign in balance by a public min-cost flow.

It is a rival of `solvers.assignment`: section 4.2 of Zhou et al. (2015) compares it with an integer programme.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from cladebench.solvers.ortools_flow import min_cost_flow

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

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


def balanced_assignment_flow(
    cost: ArrayLike, lower: ArrayLike, upper: ArrayLike, resolution: int = RESOLUTION, repeats: int = 1
) -> ExactAssignment:
    """Solve the min-cost flow by OR-tools, an optional package.

    The algorithm is cost-scaling push-relabel, in a process of its own. Its costs are integers: they get the
    differences to the least cost of the row. Where these are whole numbers of at most `resolution` they are taken as
    they are; else they are multiplied by `resolution` over the largest of them and rounded, which puts the value at
    most ``n * largest / resolution`` above the least (`flow_rounding`).

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
    flow = min_cost_flow(np.rint(extra * scale).astype(np.int64), least, most, repeats)
    return ExactAssignment(
        flow.labels,
        assignment_value(costs, flow.labels),
        math.fsum(costs.min(axis=1)) + flow.cost / scale,
        f"OR-tools: {flow.status}",
        flow.seconds_build + flow.seconds_solve,
        flow.seconds_solve,
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
    """Give costs' factor, and its rounding step, zero for whole numbers."""
    largest = float(extra.max())
    if largest <= resolution and (extra == np.rint(extra)).all():
        return 1.0, 0.0
    return resolution / largest, largest / resolution


def assignment_value(cost: ArrayLike, labels: ArrayLike) -> float:
    """Total cost of an assignment, rounded once.

    Parameters
    ----------
    cost : array-like of shape (n, K)
    labels : array-like of int, shape (n,)
    """
    costs, chosen = np.asarray(cost, dtype=np.float64), np.asarray(labels)
    return math.fsum(costs[np.arange(len(costs)), chosen])


def checked_programme(
    cost: ArrayLike, lower: ArrayLike, upper: ArrayLike
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return costs and bounds as arrays, or raise a ValueError."""
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
