"""The study that times the assignment of the HMMC paper: a min-cost flow, integer programmes, our own solver."""

import importlib.util
from dataclasses import replace
from importlib import metadata

import numpy as np
import pytest

from cladebench import datasets, extras
from cladebench.paper.catalogue import load_plan
from cladebench.papers.hmmc import assignment_study, protocol
from task_draws import drawn_cell

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ortools") is None, reason="needs OR-tools")

METRICS = {"seconds_flow", "seconds_cbc", "seconds_highs", "seconds_assignment", "excess", "excess_rounding"}


@pytest.fixture
def cell():
    return drawn_cell("hmmc", load_plan("hmmc").methods["assignment-study"], task={"rows": 60})


def test_all_solvers_find_the_same_optimum(cell):
    out = protocol.PROTOCOL.run(cell)
    assert [reading.at for reading in out.readings] == [{"n_splits": 2}, {"n_splits": 5}]
    for reading in out.readings:
        assert set(reading.metrics) == METRICS
        assert 0 <= reading.metrics["excess"] < 1e-7
        assert 0 < reading.metrics["excess_rounding"] < 1e-6
        assert min(value for name, value in reading.metrics.items() if name.startswith("seconds")) > 0
    assert out.details == {name: metadata.version(name) for name in ("ortools", "pulp", "highspy")}


def only_two(monkeypatch):
    monkeypatch.setattr(assignment_study, "N_CLUSTERS", (2,))


def test_seconds_are_of_the_solver_that_they_name(cell, monkeypatch):
    """And are those without the building of the models."""
    only_two(monkeypatch)
    flow, programme = assignment_study.balanced_assignment_flow, assignment_study.timed_assignment_ilp
    asked = []

    def told_flow(*how, repeats):
        asked.append(("flow", repeats))
        return replace(flow(*how, repeats=repeats), seconds=70.0, seconds_solve=7.0)

    def told_programme(costs, lower, upper, solver, repeats, limit):
        asked.append((solver, repeats, limit))
        seconds = {"CBC": 11.0, "HiGHS": 13.0}[solver]
        found = programme(costs, lower, upper, solver, repeats, limit)
        return replace(found, seconds=10 * seconds, seconds_solve=seconds)

    monkeypatch.setattr(assignment_study, "balanced_assignment_flow", told_flow)
    monkeypatch.setattr(assignment_study, "timed_assignment_ilp", told_programme)
    (reading,) = protocol.PROTOCOL.run(cell).readings
    seconds = {name: reading.metrics[f"seconds_{name}"] for name in ("flow", "cbc", "highs")}
    assert seconds == {"flow": 7, "cbc": 11, "highs": 13}
    assert 0 < reading.metrics["seconds_assignment"] < 1
    repeats, limit = assignment_study.REPEATS, assignment_study.TIME_LIMIT
    assert asked == [("flow", repeats), ("CBC", repeats, limit), ("HiGHS", repeats, limit)]


@pytest.mark.parametrize("solver", ["flow", "CBC", "HiGHS", "ours"])
def test_each_solver_that_finds_something_dearer_is_seen(solver, cell, monkeypatch):
    only_two(monkeypatch)
    solve = assignment_study.balanced_assignment

    def dearer(found, by=1.01):
        return replace(found, value=found.value * by)

    if solver == "flow":
        flow = assignment_study.balanced_assignment_flow
        monkeypatch.setattr(
            assignment_study, "balanced_assignment_flow", lambda *a, **k: dearer(flow(*a, **k))
        )
    elif solver == "ours":
        monkeypatch.setattr(assignment_study, "balanced_assignment", lambda *how: 1 - solve(*how))
    else:
        programme = assignment_study.timed_assignment_ilp
        monkeypatch.setattr(
            assignment_study,
            "timed_assignment_ilp",
            lambda *how: dearer(programme(*how), 1.01 if how[3] == solver else 1.0),
        )
    (reading,) = protocol.PROTOCOL.run(cell).readings
    excess = reading.metrics["excess"]
    assert excess > 0.009 if solver == "ours" else excess == pytest.approx(0.01, abs=1e-6)


def test_the_penalty_is_the_method_s_own(cell, monkeypatch):
    """The weight is shared by all features and clusters, and the start is balanced."""
    met = {}
    fit_margin = assignment_study.fit_margin

    def seen(X, labels, n_clusters, *, group):
        met[n_clusters] = X, labels, group
        return fit_margin(X, labels, n_clusters, group=group)

    monkeypatch.setattr(assignment_study, "fit_margin", seen)
    protocol.PROTOCOL.run(cell)
    assert list(met) == [2, 5]
    for n_clusters, (X, labels, group) in met.items():
        np.testing.assert_array_equal(X, protocol.scaled(cell.data.X, "unit")[cell.task.rows])
        np.testing.assert_allclose(group, [assignment_study.ALPHA / (10 * n_clusters)] * 10)
        sizes = np.bincount(labels, minlength=n_clusters)
        assert 0.8 * 60 / n_clusters <= sizes.min() <= sizes.max() <= 1.2 * 60 / n_clusters


def test_the_shortest_of_several_calls_counts(monkeypatch):
    ticks = iter([0.0, 5.0, 5.0, 7.0, 7.0, 10.0])
    monkeypatch.setattr(assignment_study.time, "perf_counter", lambda: next(ticks))
    assert assignment_study._shortest(lambda: "found", 3) == ("found", 2.0)


def test_without_or_tools_the_cells_are_unavailable(cell, monkeypatch):
    """As those of data that cannot be had: the gate passes, and the claims name the reason."""

    def missing(*args, **options):
        raise ImportError(extras.missing("ortools"))

    monkeypatch.setattr(assignment_study, "balanced_assignment_flow", missing)
    with pytest.raises(datasets.DataUnavailable, match=r"ortools is not installed; .*cladebench\[check\]"):
        protocol.PROTOCOL.run(cell)
