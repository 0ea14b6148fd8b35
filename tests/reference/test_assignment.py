import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import assignment as exact
from cladebench.reference.assignment import dual_value
from cladebench.solvers import assignment_programme
from cladebench.solvers.assignment_flow import assignment_value, balanced_assignment_flow, flow_rounding
from cladebench.solvers.assignment_programme import timed_assignment_ilp
from cladebench.solvers.ortools_flow import min_cost_flow

SOLVERS = ("CBC", "HiGHS")


@st.composite
def programmes(draw, max_rows=5, max_clusters=3):
    """Costs, many of them tied, with bounds that some assignment meets."""
    n, n_clusters = draw(st.integers(1, max_rows)), draw(st.integers(1, max_clusters))
    values = draw(st.lists(st.integers(-2, 3), min_size=n * n_clusters, max_size=n * n_clusters))
    sizes = np.bincount(
        draw(st.lists(st.integers(0, n_clusters - 1), min_size=n, max_size=n)), minlength=n_clusters
    )
    room = st.lists(st.integers(0, 2), min_size=n_clusters, max_size=n_clusters)
    lower, upper = np.maximum(sizes - draw(room), 0), sizes + draw(room)
    return np.reshape(values, (n, n_clusters)).astype(float), lower, upper


def least_value(cost, lower, upper):
    """The definition: every choice of a set of rows for each cluster in turn."""
    n, n_clusters = cost.shape

    def best(rows, k):
        if k == n_clusters:
            return 0.0 if not rows else np.inf
        sizes = range(lower[k], min(upper[k], len(rows)) + 1)
        return min(
            (
                cost[list(chosen), k].sum() + best(rows - set(chosen), k + 1)
                for size in sizes
                for chosen in itertools.combinations(sorted(rows), size)
            ),
            default=np.inf,
        )

    return best(frozenset(range(n)), 0)


def meets(labels, lower, upper):
    counts = np.bincount(labels, minlength=len(lower))
    return ((lower <= counts) & (counts <= upper)).all()


@given(programmes())
@settings(max_examples=60)
def test_enumeration_is_the_definition(programme):
    cost, lower, upper = programme
    found = exact.balanced_assignment_enumeration(cost, lower, upper)
    assert found.value == found.objective == least_value(cost, lower, upper)
    assert found.value == assignment_value(cost, found.labels)
    assert meets(found.labels, lower, upper)


def test_enumeration_takes_the_first_labels_of_those_that_tie():
    assert exact.balanced_assignment_enumeration(np.zeros((4, 2)), 2, 2).labels.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("solver", SOLVERS)
@given(programme=programmes())
@settings(max_examples=6)
def test_ilp_is_as_good_as_enumeration(solver, programme):
    found = exact.balanced_assignment_ilp(*programme, solver)
    best = exact.balanced_assignment_enumeration(*programme).value
    assert found.value == best
    assert found.objective == pytest.approx(best, abs=1e-9)
    assert meets(found.labels, *programme[1:])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_ilp_at_any_scale(solver, scale):
    cost = scale * (np.random.default_rng(0).normal(size=(8, 3)) + 5.0)
    best = exact.balanced_assignment_enumeration(cost, 2, 3)
    assert exact.balanced_assignment_ilp(cost, 2, 3, solver).value == pytest.approx(best.value, rel=1e-12)


def test_flow_of_integers_is_exact():
    pytest.importorskip("ortools")
    cost = np.random.default_rng(2).integers(-3, 3, (9, 4)).astype(float)
    lower, upper = np.array([0, 3, 0, 1]), np.array([0, 4, 9, 2])
    found = balanced_assignment_flow(cost, lower, upper)
    assert found.value == found.objective == exact.balanced_assignment_enumeration(cost, lower, upper).value
    assert meets(found.labels, lower, upper)
    assert found.seconds > found.seconds_solve > 0


def test_flow_of_reals_is_as_good_as_its_resolution():
    pytest.importorskip("ortools")
    cost = np.random.default_rng(1).normal(size=(9, 3))
    best = exact.balanced_assignment_enumeration(cost, 2, 4).value
    fine, coarse = (balanced_assignment_flow(cost, 2, 4, resolution) for resolution in (2**40, 4))
    assert fine.value == pytest.approx(best, rel=1e-10)
    assert fine.objective == pytest.approx(best, rel=1e-10)
    assert best <= coarse.value <= best + flow_rounding(cost, 4)


@given(programmes(max_rows=4), st.sampled_from([1, 2, 3, 7]), st.floats(0.1, 10.0))
@settings(max_examples=60)
def test_the_rounding_of_a_flow_is_bounded(programme, resolution, scale):
    """The best assignment of rounded costs, whichever of them a solver takes, by enumeration."""
    cost, lower, upper = programme
    cost = scale * cost
    extra = cost - cost.min(axis=1, keepdims=True)
    step = extra.max() / resolution if flow_rounding(cost, resolution) else 1.0
    chosen = exact.balanced_assignment_enumeration(np.rint(extra / step), lower, upper).labels
    best = exact.balanced_assignment_enumeration(cost, lower, upper).value
    assert assignment_value(cost, chosen) <= best + flow_rounding(cost, resolution) * (1 + 1e-9) + 1e-9
    bound = len(cost) * extra.max() / resolution
    assert flow_rounding(cost, resolution) in (0.0, pytest.approx(bound, rel=1e-12))


def test_whole_costs_are_not_rounded_by_a_flow():
    assert flow_rounding([[1.0, 5.0], [2.0, 2.0]], 4) == 0
    assert flow_rounding([[1.0, 5.5], [2.0, 2.0]], 4) == 2 * 4.5 / 4
    assert flow_rounding([[1.0, 6.0], [2.0, 2.0]], 4) == 2 * 5 / 4


@pytest.mark.parametrize("solver", SOLVERS)
@given(programme=programmes())
@settings(max_examples=6)
def test_a_programme_on_the_clock_is_as_good_as_enumeration(solver, programme):
    found = timed_assignment_ilp(*programme, solver, repeats=2)
    assert found.value == exact.balanced_assignment_enumeration(*programme).value
    assert meets(found.labels, *programme[1:])
    assert found.seconds == found.seconds_solve > 0
    assert found.evidence == f"{solver}: Optimal"


@pytest.mark.parametrize("solver", SOLVERS)
def test_bounds_bind_a_programme_on_the_clock(solver):
    """All rows want the first cluster."""
    cost = np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 1.0], [0.0, 3.0, 9.0], [0.0, 4.0, 1.5], [0.0, 0.5, 2.0]])
    found = timed_assignment_ilp(cost, [1, 1, 0], [2, 2, 1], solver)
    assert found.labels.tolist() == [1, 2, 0, 0, 1]
    # Thousands of times as dear, and shifted: the solvers' tolerances are absolute.
    assert timed_assignment_ilp(1e9 * cost + 7, [1, 1, 0], [2, 2, 1], solver).labels.tolist() == [
        1,
        2,
        0,
        0,
        1,
    ]
    assert timed_assignment_ilp(1e-9 * cost, [1, 1, 0], [2, 2, 1], solver).labels.tolist() == [1, 2, 0, 0, 1]


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_building_of_a_programme_is_not_on_the_clock(solver, monkeypatch):
    """Nor is the reading of its file, which the slow model stands for."""
    cost = np.random.default_rng(0).normal(size=(30, 2))
    build, begun = assignment_programme._model, time.perf_counter()

    def slow(*programme):
        time.sleep(1.0)
        return build(*programme)

    monkeypatch.setattr(assignment_programme, "_model", slow)
    found = timed_assignment_ilp(cost, 13, 17, solver, repeats=3)
    passed = time.perf_counter() - begun
    assert 0 < 3 * found.seconds <= passed - 1.0


def test_the_shortest_of_several_solutions_counts(monkeypatch):
    seconds = iter([0.3, 0.1, 0.2])
    monkeypatch.setattr(
        assignment_programme,
        "_time_cbc",
        lambda *how, solve=assignment_programme._time_cbc: solve(*how) and next(seconds),
    )
    assert timed_assignment_ilp(np.eye(3), 1, 1, "CBC", repeats=3).seconds_solve == 0.1


@pytest.mark.parametrize(
    ("values", "bounds", "words"),
    [
        ([0.5, 0.5], (1, 3), "integral point"),
        ([1.0, 1.0], (1, 4), "integral point"),
        ([0.0, 1.0], (1, 4), r"clusters of \[0. 4.\] rows; expected \[1 1\] to"),
        ([0.0, 1.0], (0, 3), "clusters of"),
    ],
)
def test_a_wrong_answer_on_the_clock_is_refused(values, bounds, words, monkeypatch):
    def answer(model, repeats, time_limit):
        names = [f"x{i}_{k}" for i in range(4) for k in range(2)]
        return assignment_programme._Solved(dict(zip(names, values * 4, strict=True)), "Optimal", [1.0])

    monkeypatch.setattr(assignment_programme, "_solve_highs", answer)
    with pytest.raises(RuntimeError, match=words):
        timed_assignment_ilp(np.zeros((4, 2)), *bounds, "HiGHS")


def test_a_solver_that_ends_early_is_told(tmp_path):
    silent = tmp_path / "cbc"
    silent.write_text("#!/bin/sh\necho gone\n")
    silent.chmod(0o755)
    with pytest.raises(RuntimeError, match="CBC ended early: 'gone"):
        assignment_programme._time_cbc(str(silent), tmp_path / "model.mps", tmp_path / "solution.txt", 1.0)


def test_a_silent_solver_is_stopped(tmp_path):
    silent = tmp_path / "cbc"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    begun = time.perf_counter()
    with pytest.raises(RuntimeError, match="CBC ended early"):
        assignment_programme._time_cbc(str(silent), tmp_path / "model.mps", tmp_path / "solution.txt", 0.1)
    assert time.perf_counter() - begun < 20


@given(programmes(), st.lists(st.integers(-3, 3), min_size=3, max_size=3))
@settings(max_examples=60)
def test_any_prices_bound_every_assignment(programme, prices):
    cost, lower, upper = programme
    best = exact.balanced_assignment_enumeration(cost, lower, upper).value
    assert dual_value(cost, prices[: cost.shape[1]], lower, upper) <= best


def test_values_by_hand():
    cost = [[0.0, 5.0], [1.0, 2.0], [0.0, 9.0], [3.0, 3.0]]
    assert assignment_value(cost, [0, 1, 0, 1]) == 5.0
    assert dual_value(cost, [0.0, 1.0], 2, 2) == 0 + 1 + 0 + 2 + 2 * 1
    assert dual_value(cost, [0.0, -1.0], 0, [4, 3]) == 0 + 1 + 0 + 3 - 3 * 1
    assert dual_value(cost, [0.0, 0.0], 0, 4) == 4.0


def test_sums_are_rounded_once():
    assert assignment_value([[1e16], [1.0], [-1e16]], [0, 0, 0]) == 1.0
    assert dual_value([[1e16], [1.0], [-1e16]], [0.0], 3, 3) == 1.0


@pytest.mark.parametrize("method", ["enumeration", "CBC", "HiGHS", "OR-tools"])
def test_methods_by_name(method):
    if method == "OR-tools":
        pytest.importorskip("ortools")
    cost = [[0, 5], [1, 2], [0, 9], [3, 3]]
    assert exact.balanced_assignment(cost, 2, 2, method=method).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("cost", "lower", "upper", "words"),
    [
        (np.zeros((0, 2)), 0, 1, r"shape \(0, 2\)"),
        (np.zeros(3), 0, 1, r"shape \(3,\)"),
        ([[np.nan]], 0, 1, "NaN"),
        (np.zeros((3, 2)), 2, 2, "cannot be met by 3 rows"),
        (np.zeros((3, 2)), 0, 1, "cannot be met by 3 rows"),
        (np.zeros((3, 2)), [3, 0], [2, 3], "cannot be met by 3 rows"),
        (np.zeros((3, 2)), -1, 3, "cannot be met by 3 rows"),
        (np.zeros((21, 2)), 0, 21, r"2\^21 assignments"),
    ],
)
def test_wrong_programmes_are_named(cost, lower, upper, words):
    with pytest.raises(ValueError, match=words):
        exact.balanced_assignment_enumeration(cost, lower, upper)


def test_a_failure_of_the_child_is_told():
    pytest.importorskip("ortools")
    with pytest.raises(RuntimeError, match=r"OR-tools failed: .*status INFEASIBLE"):
        min_cost_flow(np.zeros((2, 2), dtype=np.int64), np.array([2, 2]), np.array([2, 2]))


def test_without_or_tools(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"cladebench\[check\]"):
        balanced_assignment_flow([[0.0]], 0, 1)


def test_unknown_names():
    with pytest.raises(ValueError, match="'simplex': expected one of enumeration, CBC"):
        exact.balanced_assignment([[0.0]], 0, 1, method="simplex")
    for solve in (exact.balanced_assignment_ilp, timed_assignment_ilp):
        with pytest.raises(ValueError, match="GLPK"):
            solve([[0.0]], 0, 1, "GLPK")
