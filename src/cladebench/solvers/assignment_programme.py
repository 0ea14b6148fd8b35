"""The balanced assignment as an integer programme, timed.

Its model is built before the clock starts.

PuLP builds the model, and hands it to CBC as a file and to HiGHS as arrays; from then on only the solver is timed. Each
solution starts cold: CBC in a new process that has read the file, HiGHS with all that it knew cleared.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cladebench import extras
from cladebench.solvers.assignment_flow import (
    ExactAssignment,
    FloatArray,
    IntArray,
    assignment_value,
    checked_programme,
)

SolverName: TypeAlias = Literal["CBC", "HiGHS"]
SOLVERS: tuple[SolverName, ...] = ("CBC", "HiGHS")
#: What CBC prints, and flushes, when it waits for the next command.
CBC_PROMPT = b"Coin:"


class _Solved(NamedTuple):
    """Values of variables, the solver's status, and times.

    Values are by name; a time for each solution.
    """

    values: dict[str, float]
    status: str
    seconds: list[float]


def timed_assignment_ilp(
    cost: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    solver: SolverName = "CBC",
    repeats: int = 1,
    time_limit: float = 60.0,
) -> ExactAssignment:
    r"""Solve with one thread; give the solver's shortest time of several.

    The programme of section 4.2 of Zhou et al. (2015) has a binary variable for each row and cluster, an equation for
    each row, and two bounds for each cluster: :math:`O(nK)` variables and :math:`O(n + K)` constraints.

    Parameters
    ----------
    cost : array-like of shape (n, K)
        Cost of row i in cluster k. The solver gets the costs less the least of each row, over the largest of these
        differences, for its tolerances are absolute.
    lower, upper : int or array-like of int, shape (K,)
        Bounds on the sizes of clusters, inclusive.
    solver : {"CBC", "HiGHS"}, default="CBC"
        Both come with the installed packages.
    repeats : int, default=1
        Solutions, at least one.
    time_limit : float, default=60
        For each solution, in seconds.

    Returns
    -------
    ExactAssignment
        `seconds` and `seconds_solve` are the shortest time of the solver, presolve included, its model built before.

    Raises
    ------
    ValueError
        If the solver is unknown or the bounds cannot be met.
    RuntimeError
        If the solver did not call its point optimal, as at the limit of time, or if the point is not integral or breaks
        a bound.
    """
    if solver not in SOLVERS:
        raise ValueError(f"solver={solver!r}: expected one of {', '.join(SOLVERS)}")
    costs, least, most = checked_programme(cost, lower, upper)
    extra = costs - costs.min(axis=1, keepdims=True)
    with warnings.catch_warnings():  # PuLP 3 announces names that only PuLP 4 has
        warnings.simplefilter("ignore", DeprecationWarning)
        model, variables = _model(extra / (extra.max() or 1.0), least, most)
        solve = _solve_cbc if solver == "CBC" else _solve_highs
        solved = solve(model, repeats, time_limit)
    if solved.status != "Optimal":
        raise RuntimeError(f"{solver} ended with status {solved.status!r}; expected 'Optimal'")
    values = np.array([[solved.values.get(v.name, np.nan) for v in row] for row in variables])
    chosen = np.rint(values)
    sizes = chosen.sum(axis=0)
    if not (np.abs(values - chosen) <= 1e-6).all() or not (chosen.sum(axis=1) == 1).all():
        raise RuntimeError(f"{solver} ended without an integral point")
    if (sizes < least).any() or (sizes > most).any():
        raise RuntimeError(f"{solver} returned clusters of {sizes} rows; expected {least} to {most}")
    labels = chosen.argmax(axis=1)
    value, shortest = assignment_value(costs, labels), min(solved.seconds)
    return ExactAssignment(labels, value, value, f"{solver}: {solved.status}", shortest, shortest)


def _model(costs: FloatArray, lower: IntArray, upper: IntArray) -> tuple[Any, list[list[Any]]]:
    """The programme in PuLP, and its variables by row and cluster."""
    pulp = extras.need("pulp", "balanced_assignment")

    n, n_clusters = costs.shape
    x = [[pulp.LpVariable(f"x{i}_{k}", 0, 1, pulp.LpBinary) for k in range(n_clusters)] for i in range(n)]
    model = pulp.LpProblem("assignment", pulp.LpMinimize)
    model += pulp.LpAffineExpression(
        (v, float(c))
        for row, row_costs in zip(x, costs, strict=True)
        for v, c in zip(row, row_costs, strict=True)
    )
    for row in x:
        model += pulp.LpAffineExpression((v, 1) for v in row) == 1
    for k, (least, most) in enumerate(zip(lower, upper, strict=True)):
        model += pulp.LpAffineExpression((row[k], 1) for row in x) >= int(least)
        model += pulp.LpAffineExpression((row[k], 1) for row in x) <= int(most)
    return model, x


def _solve_highs(model: Any, repeats: int, time_limit: float) -> _Solved:
    import pulp

    engine = pulp.HiGHS(msg=False, timeLimit=time_limit, threads=1)
    engine.createAndConfigureSolver(model)
    engine.buildSolverModel(model)
    solver = model.solverModel
    seconds = []
    for _ in range(repeats):
        solver.clearSolver()
        started = time.perf_counter()
        solver.run()
        seconds.append(time.perf_counter() - started)
    status = solver.modelStatusToString(solver.getModelStatus())
    values = solver.getSolution().col_value
    return _Solved({v.name: values[v.index] for v in model.variables()} if values else {}, status, seconds)


def _solve_cbc(model: Any, repeats: int, time_limit: float) -> _Solved:
    import pulp

    with tempfile.TemporaryDirectory() as folder:
        problem, solution = Path(folder) / "model.mps", Path(folder) / "solution.txt"
        variables, names, rows, _ = model.writeMPS(str(problem), rename=True)
        engine = pulp.PULP_CBC_CMD(msg=False)
        seconds = [_time_cbc(engine.path, problem, solution, time_limit) for _ in range(repeats)]
        _, values, *_, ended = engine.readsol_MPS(str(solution), model, variables, names, rows)
    # PuLP's status says "Optimal" of any point that CBC holds at the limit of time.
    status = "Optimal" if ended == pulp.LpSolutionOptimal else pulp.LpSolution[ended]
    return _Solved(values, status, seconds)


def _time_cbc(program: str, problem: Path, solution: Path, time_limit: float) -> float:
    """Time CBC from its command to solve.

    Wall time until it asks for the next one.
    """
    commands = (f"seconds {time_limit:g}", f"import {problem.name}", "printingOptions all")
    with subprocess.Popen(
        [program, "-"], cwd=problem.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        # A limit of the solver's own is not looked at everywhere; without an answer nothing here would go on.
        watchdog = threading.Timer(3 * time_limit, process.kill)
        watchdog.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            _until_prompt(process.stdout)
            for command in commands:
                _say(process, command)
            started = time.perf_counter()
            _say(process, "solve")
            seconds = time.perf_counter() - started
            _say(process, f"solution {solution.name}")
            process.stdin.write(b"quit\n")
        finally:
            watchdog.cancel()
            process.kill()
    return seconds


def _say(process: subprocess.Popen[bytes], command: str) -> None:
    """Give a command and wait until CBC asks for the next."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(command.encode() + b"\n")
    _until_prompt(process.stdout)


def _until_prompt(stream: IO[bytes]) -> None:
    said = b""
    while not said.endswith(CBC_PROMPT):
        piece = stream.read(65536)
        if not piece:
            raise RuntimeError(f"CBC ended early: {said.decode(errors='replace')[-200:]!r}")
        said += piece
