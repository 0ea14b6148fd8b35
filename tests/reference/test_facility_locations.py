import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import facility_locations as exact

SOLVERS = ("CBC", "HiGHS")


@st.composite
def costs(draw, most=5):
    """Small whole numbers, so that many sets tie; prices of any sign."""
    n = draw(st.integers(1, most))
    d = np.reshape(draw(st.lists(st.integers(0, 4), min_size=n * n, max_size=n * n)), (n, n)).astype(float)
    np.fill_diagonal(d, draw(st.lists(st.integers(-2, 6), min_size=n, max_size=n)))
    return d


def programme_value(d):
    """(2) to (5) by every x: a column for each row, which has to be its own."""
    n = len(d)
    return min(
        sum(d[p, q] for p, q in enumerate(x))
        for x in itertools.product(range(n), repeat=n)
        if all(x[q] == q for q in x)
    )


@given(costs())
@settings(max_examples=60)
def test_the_best_of_all_sets_is_the_optimum_of_the_programme(d):
    found = exact.best_of_all_sets(d)
    assert found.value == found.objective == programme_value(d)
    assert found.value == exact.value_of(d, found.exemplars)
    assert (np.diff(found.exemplars) > 0).all() and len(found.exemplars)


@given(costs(), st.data())
@settings(max_examples=60)
def test_value_and_assignment_agree(d, data):
    chosen = data.draw(st.sets(st.integers(0, len(d) - 1), min_size=1))
    assignment = exact.assignment_of(d, list(chosen))
    assert set(assignment) == chosen
    assert sum(d[p, q] for p, q in enumerate(assignment)) == exact.value_of(d, list(chosen))


def test_value_and_assignment_by_hand():
    d = [[5, 1, 4], [2, 6, 4], [3, 3, 7]]
    assert exact.value_of(d, [1]) == 6 + 1 + 3
    assert exact.value_of(d, [0, 2]) == 5 + 7 + 2
    assert exact.assignment_of(d, [2, 0]).tolist() == [0, 0, 2]
    assert exact.assignment_of(d, [1, 0]).tolist() == [0, 1, 0]  # of equals the lowest
    assert exact.best_of_all_sets(d).exemplars.tolist() == [0]
    assert exact.assignment_of([[9, 0], [0, 9]], [0, 1]).tolist() == [0, 1]  # an exemplar serves itself


@pytest.mark.parametrize("solver", SOLVERS)
@given(d=costs(4))
@settings(max_examples=8)
def test_the_programme_by_solvers(solver, d):
    found = exact.exemplars_ilp(d, solver)
    assert found.value == exact.best_of_all_sets(d).value
    assert found.objective == pytest.approx(found.value, abs=1e-9)
    assert found.status == f"{solver}: Optimal"


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_programme_at_any_scale(solver, scale):
    d = scale * np.random.default_rng(0).uniform(0.5, 2.0, (7, 7))
    assert exact.exemplars_ilp(d, solver).value == pytest.approx(exact.best_of_all_sets(d).value, rel=1e-12)


@given(costs(), st.lists(st.integers(-3, 8), min_size=5, max_size=5))
@settings(max_examples=100)
def test_the_dual_function_is_a_lower_bound(d, v):
    assert exact.dual_value(d, v[: len(d)]) <= exact.best_of_all_sets(d).value


def test_the_dual_function_by_hand():
    d = [[2, 1], [1, 3]]
    # v = (2, 1): exemplar 0 costs 2 - 2 + min(0, 1 - 1), exemplar 1 costs 3 - 1 + min(0, 1 - 2).
    assert exact.dual_value(d, [2, 1]) == 3 == exact.best_of_all_sets(d).value
    assert exact.dual_value(d, [4, 4]) == 8 + (2 - 4 + 1 - 4) + (3 - 4 + 1 - 4)
    assert exact.dual_value(d, [0, 0]) == 0


@given(costs())
@settings(max_examples=30)
def test_the_relaxation_is_a_lower_bound_that_its_multipliers_prove(d):
    found = exact.relaxation_bound(d)
    assert found.value == pytest.approx(found.solver_value, abs=1e-7)
    assert found.value <= exact.best_of_all_sets(d).value + 1e-9


def test_a_relaxation_with_a_gap():
    # Three points, of which each can serve the next: half of each.
    d = np.array([[1.0, 0.0, 9.0], [9.0, 1.0, 0.0], [0.0, 9.0, 1.0]])
    assert exact.best_of_all_sets(d).value == 2.0
    assert exact.relaxation_bound(d).value == pytest.approx(1.5)


def test_what_is_refused():
    for function in (exact.best_of_all_sets, exact.exemplars_ilp, exact.relaxation_bound):
        with pytest.raises(ValueError, match=r"shape \(1, 2\); expected \(n, n\)"):
            function([[0.0, 1.0]])
    with pytest.raises(ValueError, match="n = 13 points; this exact method takes at most 12"):
        exact.best_of_all_sets(np.ones((13, 13)))
    with pytest.raises(ValueError, match="GLPK"):
        exact.exemplars_ilp([[0.0]], "GLPK")
