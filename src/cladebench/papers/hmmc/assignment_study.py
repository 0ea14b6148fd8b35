"""How long the balanced assignment takes: an integer programme, as in earlier work, against the solver used here.

The one place in which a paper imports a reference: the programme is what the paper compares its flow with (section
4.2).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from cladebench.bench.cell_io import Cell, CellOutput, Reading
from cladebench.methods._max_margin import balance_bounds, balanced_start
from cladebench.papers.protocol import scaled
from cladebench.reference.assignment import balanced_assignment as integer_programme
from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.margin import assignment_costs, fit_margin

#: Numbers of clusters; the paper's splits are in two.
N_CLUSTERS = (2, 5)
#: Weight of the group penalty under which the costs arise.
ALPHA = 0.01


def run_study(cell: Cell) -> CellOutput:
    """Time both on the costs of the second y-step at the root; their optima must be equal.

    Returns
    -------
    CellOutput
        At ``n_splits`` 2 and 5: ``seconds_assignment``, ``seconds_ilp`` (CBC, its model built by PuLP), ``excess``
        (relative difference of the optima).
    """
    X = cell.task.of(scaled(cell.data.X, "unit"))
    random = np.random.RandomState(cell.spec.seed)
    readings = []
    for n_clusters in N_CLUSTERS:
        lower, upper = balance_bounds(len(X), n_clusters, 0.1)
        labels = balanced_start(X, n_clusters, lower, upper, random)
        group = np.full(X.shape[1], ALPHA / (X.shape[1] * n_clusters))
        costs = assignment_costs(X, fit_margin(X, labels, n_clusters, group=group).W)
        ours, seconds = _shortest(lambda c=costs, lo=lower, up=upper: balanced_assignment(c, lo, up), 5)
        theirs, seconds_ilp = _shortest(lambda c=costs, lo=lower, up=upper: integer_programme(c, lo, up), 1)
        values = [float(costs[np.arange(len(X)), found].sum()) for found in (ours, theirs)]
        found = {
            "seconds_assignment": seconds,
            "seconds_ilp": seconds_ilp,
            "excess": (values[0] - values[1]) / max(abs(values[1]), 1e-300),
        }
        readings.append(Reading(found, {"n_splits": n_clusters}))
    return CellOutput(readings=readings)


def _shortest(function: Any, repeats: int) -> tuple[Any, float]:
    """Result and shortest wall time of several calls."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        value = function()
        seconds.append(time.perf_counter() - started)
    return value, min(seconds)
