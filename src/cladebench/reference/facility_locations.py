"""Cluster by exemplars: definition, all sets, integer programme and its relaxation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cladebench.reference.programmes import (
    Constraint,
    FloatArray,
    IntArray,
    LowerBound,
    SolverName,
    minimize_binary,
)

#: Points up to which all 2^n - 1 sets are compared.
MOST_FOR_ALL = 12


@dataclass(frozen=True)
class ExactExemplars:
    """The best exemplars by an exact method.

    Attributes
    ----------
    exemplars : ndarray of int64, shape (n_exemplars,)
        Ascending.
    value : float
        Recomputed from the exemplars.
    objective : float
        The value as the method has it.
    status : str
        As the method reports: evidence, no verdict.
    """

    exemplars: IntArray
    value: float
    objective: float
    status: str


def assignment_of(d: ArrayLike, exemplars: ArrayLike) -> IntArray:
    """Exemplar of each point.

    An exemplar serves itself, others go to the nearest, the lowest index among equals.
    """
    costs = checked(d)
    chosen = sorted(int(q) for q in np.asarray(exemplars))
    return np.array([p if p in chosen else min(chosen, key=lambda q: costs[p, q]) for p in range(len(costs))])


def value_of(d: ArrayLike, exemplars: ArrayLike) -> float:
    """Compute E(Q) of equation (1).

    The sum over p is over the points that are no exemplars.
    """
    costs = checked(d)
    chosen = {int(q) for q in np.asarray(exemplars)}
    prices = [costs[q, q] for q in sorted(chosen)]
    others = [min(costs[p, q] for q in chosen) for p in range(len(costs)) if p not in chosen]
    return math.fsum(prices + others)


def best_of_all_sets(d: ArrayLike) -> ExactExemplars:
    """Compare all sets of up to 12 points; smaller ones first.

    Equally good sets of one size go by index.
    """
    costs = checked(d)
    n = len(costs)
    if n > MOST_FOR_ALL:
        raise ValueError(f"d has n = {n} points; this exact method takes at most {MOST_FOR_ALL}")
    sets = [chosen for size in range(1, n + 1) for chosen in combinations(range(n), size)]
    best = min(sets, key=lambda chosen: value_of(costs, chosen))
    value = value_of(costs, best)
    return ExactExemplars(np.array(best, dtype=np.int64), value, value, "enumeration")


def best_single_move(d: ArrayLike, exemplars: ArrayLike) -> float:
    """Compute the least E of all sets one move away.

    A move adds an exemplar, drops one, or swaps one for another point.
    """
    costs = checked(d)
    chosen = {int(q) for q in np.asarray(exemplars)}
    others = set(range(len(costs))) - chosen
    added = [chosen | {q} for q in others]
    dropped = [chosen - {q} for q in chosen if len(chosen) > 1]
    swapped = [(chosen - {out}) | {q} for out in chosen for q in others]
    return min((value_of(costs, sorted(moved)) for moved in [*added, *dropped, *swapped]), default=math.inf)


def exemplars_ilp(d: ArrayLike, solver: SolverName = "CBC") -> ExactExemplars:
    """Solve the integer programme (2) to (5) by PuLP.

    It has a binary variable for each pair of points.

    Parameters
    ----------
    d : array-like of shape (n, n)
        Costs, prices on the diagonal.
    solver : {"CBC", "HiGHS"}, default="CBC"
        Gets the numbers over the largest magnitude: its tolerances are absolute.

    Returns
    -------
    ExactExemplars

    Raises
    ------
    RuntimeError
        If the solver ended without an optimum that meets the constraints.
    """
    costs = checked(d)
    n = len(costs)
    scale = float(np.abs(costs).max()) or 1.0
    constraints: list[Constraint] = []
    for p in range(n):
        constraints.append(([(p * n + q, 1.0) for q in range(n)], 1.0))  # (3), from both sides
        constraints.append(([(p * n + q, -1.0) for q in range(n)], -1.0))
        # (4); of p = q it says nothing.
        constraints += [([(q * n + q, 1.0), (p * n + q, -1.0)], 0.0) for q in range(n) if q != p]
    x = minimize_binary((costs / scale).ravel(), constraints, solver).reshape(n, n)
    exemplars = np.flatnonzero(np.diag(x))
    objective = scale * math.fsum((costs / scale * x).ravel())
    return ExactExemplars(exemplars, value_of(costs, exemplars), objective, f"{solver}: Optimal")


def dual_value(d: ArrayLike, v: ArrayLike) -> float:
    """L(v), a lower bound on E(Q) for any v.

    The multipliers of (3) are v; what is left parts into the exemplars. Point q is one at the price d_qq - v_q, which
    then is x_qq's coefficient, and each other point p joins it if d_pq - v_p is below 0.
    """
    costs, multipliers = checked(d), np.asarray(v, dtype=np.float64)
    n = len(costs)
    total = math.fsum(multipliers)
    for q in range(n):
        joined = math.fsum(min(0.0, costs[p, q] - multipliers[p]) for p in range(n) if p != q)
        total += min(0.0, costs[q, q] - multipliers[q] + joined)
    return total


def relaxation_bound(d: ArrayLike) -> LowerBound:
    """The linear relaxation of (2) to (5) by SciPy's HiGHS.

    The bound is recomputed from its multipliers of (3).

    Parameters
    ----------
    d : array-like of shape (n, n)
        Costs, prices on the diagonal.

    Returns
    -------
    LowerBound
        `value` is `dual_value` of the multipliers, `solver_value` the optimum as HiGHS has it.

    Raises
    ------
    RuntimeError
        If HiGHS found no optimum.
    """
    import scipy.sparse as sp
    from scipy.optimize import linprog

    costs = checked(d)
    n = len(costs)
    scale = float(np.abs(costs).max()) or 1.0
    p, q = np.divmod(np.arange(n * n), n)
    served = sp.csr_matrix((np.ones(n * n), (p, np.arange(n * n))), shape=(n, n * n))
    p, q = p[p != q], q[p != q]
    rows = np.arange(len(p))
    ones = np.ones(len(p))
    joined = sp.csr_matrix(
        (
            np.concatenate([ones, -ones]),
            (np.concatenate([rows, rows]), np.concatenate([p * n + q, q * n + q])),
        ),
        shape=(len(p), n * n),
    )
    solution: Any = linprog(
        (costs / scale).ravel(),
        A_ub=joined if len(p) else None,
        b_ub=np.zeros(len(p)) if len(p) else None,
        A_eq=served,
        b_eq=np.ones(n),
        bounds=(0.0, 1.0),
        method="highs",
    )
    if solution.status != 0:
        raise RuntimeError(f"HiGHS found no optimum of the relaxation: {solution.message}")
    multipliers = scale * np.asarray(solution.eqlin.marginals, dtype=np.float64)
    return LowerBound(
        dual_value(costs, multipliers), scale * float(solution.fun), multipliers, 0.0, str(solution.message)
    )


def checked(d: ArrayLike) -> FloatArray:
    """Return costs as float64, or raise a ValueError for bad ones."""
    costs = np.asarray(d, dtype=np.float64)
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or costs.size == 0:
        raise ValueError(f"d has shape {costs.shape}; expected (n, n) with n >= 1")
    return costs
