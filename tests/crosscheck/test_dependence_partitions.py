"""The checks of best partitions and sweeps pass as things are, and fail when what they check is broken."""

from dataclasses import replace

import numpy as np
import pytest

from cladebench.crosscheck import dependence_partitions as module
from cladebench.crosscheck.run import as_frame
from cladebench.reference import dependence as twin
from cladebench.solvers.gram import center
from solver_checks import failing, spoil

pytestmark = pytest.mark.usefixtures("iris_alone")


def test_the_larger_scopes_pass_with_both_solvers(monkeypatch):
    for scope in ("quick", "full"):
        monkeypatch.setitem(module.SIZES, scope, (5, 4, 20, 2))
        found = list(module.certificates(scope, 0))
        assert [c.id for c in found if not c.passed] == []
        assert {"star-ilp-CBC", "star-ilp-HiGHS"} <= {c.name for c in found}
        as_frame(found)


def test_a_bound_below_what_partitions_reach_fails(monkeypatch):
    monkeypatch.setattr(module, "objective_bound", lambda gram, k: 0.01)
    assert failing(module, "dependence-partition") == {"below-eigenvalues"}


def test_partitions_that_are_not_the_best_fail(monkeypatch):
    best = module.best_partitions

    def other(gram, k):
        found = best(gram, k)
        moved = np.concatenate([np.arange(k), np.zeros(gram.n - k, dtype=int)])
        return found._replace(unconstrained=moved)

    monkeypatch.setattr(module, "best_partitions", other)
    assert failing(module, "dependence-partition") == {"optimum", "two-clusters"}


@pytest.mark.parametrize("name", ["star_value", "unconstrained_value", "star_with_best"])
def test_values_that_are_not_those_of_the_partitions_fail(monkeypatch, name):
    spoil(
        monkeypatch,
        module,
        "best_partitions",
        lambda found: found._replace(**{name: 1.001 * getattr(found, name)}),
    )
    assert failing(module, "dependence-partition") == {"optimum"}


def stopped(gram, structure, labels, **options):
    """Sweeps that never move a point."""
    found = module_greedy(gram, structure, labels, **options)
    return replace(found, labels=np.asarray(labels), objective=found.objective[[0, 0]])


module_greedy = module.greedy_partition


def test_sweeps_that_stop_early_fail(monkeypatch):
    monkeypatch.setattr(module, "greedy_partition", stopped)
    assert failing(module, "dependence-partition") >= {"star-normalized-local", "caterpillar-plain-local"}
    assert any(name.endswith("labels") for name in failing(module, "dependence-sweeps"))


@pytest.mark.parametrize("place", [0, -1])
def test_sweeps_that_report_another_objective_fail(monkeypatch, place):
    def bent(found):
        path = found.objective.copy()
        path[place] *= 1.0 + 1e-6
        return replace(found, objective=path)

    spoil(monkeypatch, module, "greedy_partition", bent)
    assert {name.rsplit("-", 1)[1] for name in failing(module, "dependence-sweeps")} == {"objective"}
    assert bool(failing(module, "dependence-partition")) == (place == -1)


def test_sweeps_that_say_they_have_not_ended_fail(monkeypatch):
    spoil(monkeypatch, module, "greedy_partition", lambda found: replace(found, converged=False))
    assert {name.rsplit("-", 1)[1] for name in failing(module, "dependence-partition")} == {"local"}


def test_wrong_programmes_and_bounds_fail(monkeypatch):
    monkeypatch.setattr(module, "partition_programme", lambda M, Y, solver: np.arange(len(M)) % len(Y))
    monkeypatch.setattr(module, "partition_bound", lambda M, Y: 0.0)
    assert failing(module, "dependence-partition") == {
        f"{name}-{check}" for name in ("star", "caterpillar") for check in ("ilp-HiGHS", "semidefinite")
    }


def test_the_best_move_is_found_and_empties_no_cluster():
    M = np.random.default_rng(0).normal(size=(5, 5))
    labels = np.array([0, 1, 1, 2, 1])
    seen = []

    def value(moved):
        seen.append(moved.tolist())
        return float(M[moved, np.arange(5)].sum())

    most = module.best_move(value, labels, 3)
    expected = [[*labels[:i], c, *labels[i + 1 :]] for i in (1, 2, 4) for c in range(3) if c != labels[i]]
    assert sorted(seen) == sorted(expected)
    assert most == max(value(np.array(moved)) for moved in expected)


def test_the_optimum_is_of_all_labellings():
    M = center(np.diag([5.0, 1.0, 2.0, 4.0])).values
    Y = np.array([[3.0, 0.0], [0.0, 1.0]])
    every = [np.array([a, b, c, d]) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)][1:-1]

    def value(labels):
        return twin.dependence(M, labels, Y, normalized=False)

    assert module._optimum(value, 4, Y) == max(map(value, every))
