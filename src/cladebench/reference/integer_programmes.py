"""Linear programmes with binary variables, solved by PuLP's solvers; shared by the exact references."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

SolverName: TypeAlias = Literal["CBC", "HiGHS"]
SOLVERS: tuple[SolverName, ...] = ("CBC", "HiGHS")

#: One constraint: ``sum of coefficient * x[column] >= right side``.
Constraint: TypeAlias = tuple[Sequence[tuple[int, float]], float]


@dataclass(frozen=True)
class IntegerPoint:
    """An integral point of a programme, with the solver's own words about it.

    Attributes
    ----------
    x : ndarray of int64, shape (n_variables,)
        Zeros and ones.
    violation : float
        Largest violation of a constraint at `x`, recomputed.
    status : str
        As reported by the solver: evidence, no verdict.
    """

    x: NDArray[np.int64]
    violation: float
    status: str


def minimize_binary(
    objective: NDArray[np.float64],
    constraints: Sequence[Constraint],
    solver: SolverName = "CBC",
    time_limit: float = 60.0,
    binary: NDArray[np.bool_] | None = None,
) -> IntegerPoint:
    """Minimise ``objective @ x`` over binary x, with one thread.

    Parameters
    ----------
    objective : ndarray of shape (n_variables,)
        Coefficients, scaled to about 1: the solvers' tolerances are absolute.
    constraints : sequence of Constraint
        See `Constraint`.
    solver : {"CBC", "HiGHS"}, default="CBC"
        Both come with the installed packages.
    time_limit : float, default=60
        In seconds.
    binary : ndarray of bool, shape (n_variables,), optional
        Which variables are declared binary; the others are declared within [0, 1], where the constraints make
        them integral once the binary ones are. All, by default.

    Returns
    -------
    IntegerPoint

    Raises
    ------
    ValueError
        If the solver is unknown.
    RuntimeError
        If the solver ended without an integral point.
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
        engine = pulp.PULP_CBC_CMD(**options) if solver == "CBC" else pulp.HiGHS(**options)
        status = str(pulp.LpStatus[problem.solve(engine)])
    values = np.array([np.nan if v.value() is None else v.value() for v in variables], dtype=float)
    if not (np.abs(values - np.round(values)) <= 1e-6).all():
        raise RuntimeError(f"{solver} ended with status {status!r} and without an integral point")
    x = np.round(values).astype(np.int64)
    violation = max(
        (right - sum(c * x[column] for column, c in terms) for terms, right in constraints), default=0.0
    )
    return IntegerPoint(x, max(0.0, float(violation)), status)
