"""Share the exact references' input, binary programmes and proven bounds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cladebench.solvers.assignment_programme import SOLVERS as SOLVERS
from cladebench.solvers.assignment_programme import SolverName as SolverName

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

#: One constraint: ``sum of coefficient * x[column] >= right side``.
Constraint: TypeAlias = tuple[Sequence[tuple[int, float]], float]


@dataclass(frozen=True)
class LowerBound:
    """A lower bound that does not rest on a solver's word.

    Attributes
    ----------
    value : float
        The bound, recomputed from `multipliers`: weak duality makes it valid for any non-negative ones.
    solver_value : float
        The optimum of the relaxation as the solver reported it.
    multipliers : ndarray of shape (n_constraints,)
        The dual point, clipped at zero.
    dual_infeasibility : float
        How far below zero the solver's multipliers were before they were clipped.
    status : str
        As reported by the solver: evidence, no verdict.
    """

    value: float
    solver_value: float
    multipliers: FloatArray
    dual_infeasibility: float
    status: str = ""


def check_similarity(S: Any, largest: int) -> FloatArray:
    """Return similarity as float64 with zero diagonal, or raise ValueError."""
    S = np.array(S, dtype=np.float64)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.shape[0] == 0:
        raise ValueError(f"similarity has shape {S.shape}; expected (n, n) with n >= 1")
    if len(S) > largest:
        raise ValueError(f"similarity has n = {len(S)} points; this exact method takes at most {largest}")
    np.fill_diagonal(S, 0.0)
    if not np.isfinite(S).all():
        raise ValueError("similarity contains NaN or infinity; expected finite numbers")
    if (S < 0).any():
        raise ValueError(f"similarity has a negative entry ({S.min():g}); expected numbers >= 0")
    if not np.allclose(S, S.T, rtol=1e-12, atol=0.0):
        raise ValueError("similarity is not symmetric; expected S[i, j] == S[j, i]")
    return S


def minimize_binary(
    objective: FloatArray,
    constraints: Sequence[Constraint],
    solver: SolverName = "CBC",
    time_limit: float = 600.0,
    binary: NDArray[np.bool_] | None = None,
) -> IntArray:
    """Minimise ``objective @ x`` over binary x, with one thread.

    Parameters
    ----------
    objective : ndarray of shape (n_variables,)
        Coefficients, scaled to about 1: the solvers' tolerances are absolute.
    constraints : sequence of Constraint
        See `Constraint`.
    solver : {"CBC", "HiGHS"}, default="CBC"
        Both come with the installed packages.
    time_limit : float, default=600
        In seconds: CPU time of CBC, wall time of HiGHS.
    binary : ndarray of bool, shape (n_variables,), optional
        Which variables are declared binary; the others are declared within [0, 1], where the constraints make
        them integral once the binary ones are. All, by default.

    Returns
    -------
    ndarray of int64, shape (n_variables,)
        Zeros and ones.

    Raises
    ------
    ValueError
        If the solver is unknown.
    RuntimeError
        If the solver did not call its point optimal, as at the limit of time, or if the point is not integral or breaks
        a constraint.
    """
    import pulp

    if solver not in SOLVERS:
        raise ValueError(f"solver={solver!r}: expected one of {', '.join(SOLVERS)}")
    declared = np.ones(len(objective), dtype=bool) if binary is None else binary
    with warnings.catch_warnings():  # PuLP 3 announces names that only PuLP 4 has
        warnings.simplefilter("ignore", DeprecationWarning)
        variables = [
            pulp.LpVariable(f"x{k}", 0, 1, pulp.LpBinary if is_binary else pulp.LpContinuous)
            for k, is_binary in enumerate(declared)
        ]
        problem = pulp.LpProblem("reference", pulp.LpMinimize)
        problem += pulp.LpAffineExpression(
            (variable, float(c)) for variable, c in zip(variables, objective, strict=True)
        )
        for terms, right in constraints:
            problem += pulp.LpAffineExpression((variables[column], c) for column, c in terms) >= right
        options = {"msg": False, "timeLimit": time_limit, "threads": 1}
        engine = pulp.PULP_CBC_CMD(**options, timeMode="cpu") if solver == "CBC" else pulp.HiGHS(**options)
        problem.solve(engine)
    # PuLP's `status` says "Optimal" of any point that CBC holds at the limit of time.
    if problem.sol_status != pulp.LpSolutionOptimal:
        raise RuntimeError(
            f"{solver} ended with {pulp.LpSolution[problem.sol_status]!r}; expected an optimal point"
        )
    values = np.array([np.nan if v.value() is None else v.value() for v in variables], dtype=float)
    if not (np.abs(values - np.round(values)) <= 1e-6).all():
        raise RuntimeError(f"{solver} ended without an integral point")
    x = np.round(values).astype(np.int64)
    violation = max(
        (right - sum(c * x[column] for column, c in terms) for terms, right in constraints), default=0.0
    )
    if violation > 0:
        raise RuntimeError(f"{solver} returned a point that breaks a constraint by {violation:g}")
    return x
