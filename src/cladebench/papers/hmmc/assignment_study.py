"""Time the balanced assignment by min-cost flow and integer programme.

Flow and programme are what the paper compares (section 4.2). All are timed without the building of their models. This
project's own solver stands beside them; what it takes is no claim of the paper.
"""

from __future__ import annotations

import time
from importlib import metadata
from typing import Any

import numpy as np

from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.datasets import DataUnavailable
from cladebench.methods._max_margin import balance_bounds, balanced_start
from cladebench.paper.protocol import scaled
from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.assignment_flow import assignment_value, balanced_assignment_flow, flow_rounding
from cladebench.solvers.assignment_programme import timed_assignment_ilp
from cladebench.solvers.margin import assignment_costs, fit_margin

#: Numbers of clusters; the paper's splits are in two.
N_CLUSTERS = (2, 5)
#: Weight of the group penalty under which the costs arise.
ALPHA = 0.01
#: Solutions by each solver, of which the shortest counts.
REPEATS = 3
#: For one solution of an integer programme, in seconds; the cell's own limit holds for all of them.
TIME_LIMIT = 300.0


def run_study(cell: Cell) -> CellOutput:
    """Time all solvers on the root's second y-step; check equal optima.

    Returns
    -------
    CellOutput
        At ``n_splits`` 2 and 5: ``seconds_flow`` (OR-tools), ``seconds_cbc``, ``seconds_highs``,
        ``seconds_assignment`` (this project's own); ``excess``, the largest of the four total costs over the least,
        minus one; and ``excess_rounding``, as much of it as the whole numbers that the flow takes for costs may cause.

    Raises
    ------
    DataUnavailable
        Where OR-tools, an optional package, is not installed: the cells are then unavailable, as those of data that
        cannot be had, and the claims not testable.
    """
    X = cell.task.of(scaled(cell.data.X, "unit"))
    random = np.random.RandomState(cell.spec.seed)
    readings = []
    for n_clusters in N_CLUSTERS:
        lower, upper = balance_bounds(len(X), n_clusters, 0.1)
        labels = balanced_start(X, n_clusters, lower, upper, random)
        group = np.full(X.shape[1], ALPHA / (X.shape[1] * n_clusters))
        costs = assignment_costs(X, fit_margin(X, labels, n_clusters, group=group).W)
        try:
            flow = balanced_assignment_flow(costs, lower, upper, repeats=REPEATS)
        except ImportError as error:
            raise DataUnavailable(str(error)) from error
        cbc = timed_assignment_ilp(costs, lower, upper, "CBC", REPEATS, TIME_LIMIT)
        highs = timed_assignment_ilp(costs, lower, upper, "HiGHS", REPEATS, TIME_LIMIT)
        ours, seconds = _shortest(lambda c=costs, lo=lower, up=upper: balanced_assignment(c, lo, up), REPEATS)
        values = [flow.value, cbc.value, highs.value, assignment_value(costs, ours)]
        least = max(abs(min(values)), 1e-300)
        times = {
            "seconds_flow": flow.seconds_solve,
            "seconds_cbc": cbc.seconds_solve,
            "seconds_highs": highs.seconds_solve,
            "seconds_assignment": seconds,
            "excess": (max(values) - min(values)) / least,
            "excess_rounding": flow_rounding(costs) / least,
        }
        readings.append(Reading(times, {"n_splits": n_clusters}))
    versions = {name: metadata.version(name) for name in ("ortools", "pulp", "highspy")}
    return CellOutput(readings=readings, details=versions)


def _shortest(function: Any, repeats: int) -> tuple[Any, float]:
    """Result and shortest wall time of several calls."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        value = function()
        seconds.append(time.perf_counter() - started)
    return value, min(seconds)
