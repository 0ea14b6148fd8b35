import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.reference import facility_locations as twin
from cladebench.solvers import FacilityLocation, facility_location
from facility_costs import KINDS, costs
from instruction_sets import each_number_of_threads


def check(found: FacilityLocation, d: np.ndarray, tol: float = 1e-4) -> None:
    """All that is promised of any result."""
    n = len(d)
    exemplars = found.exemplars
    assert exemplars.dtype == found.assignment.dtype == np.int64
    assert len(exemplars) >= 1 and (np.diff(exemplars) > 0).all()
    assert exemplars.min() >= 0 and exemplars.max() < n
    assert found.assignment.tolist() == twin.assignment_of(d, exemplars).tolist()
    assert found.value == twin.value_of(d, exemplars)
    assert found.bound <= found.value
    assert found.n_iter >= 1
    assert found.gap >= 0.0
    if found.converged:
        size = np.abs(d[np.arange(n), found.assignment]).sum()  # the value may be 0 by cancellation
        assert found.value - found.bound <= max(tol * abs(found.value), 1e-9 * size)


instances = st.builds(
    costs,
    st.integers(1, 9),
    st.integers(0, 10**6),
    st.sampled_from(KINDS),
    st.sampled_from([0.0, 0.2, 1.0, 4.0]),
)


@settings(max_examples=300)
@given(instances, st.sampled_from([0.0, 1e-4, 0.1]))
def test_against_all_sets(d, tol: float) -> None:
    best = twin.best_of_all_sets(d).value
    found = facility_location(d, tol=tol)
    check(found, d, tol)
    assert found.bound <= best <= found.value
    assert found.converged
    assert found.value - best <= max(tol * abs(found.value), 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_small_cases_end_without_a_gap(kind: str) -> None:
    for seed in range(20):
        d = costs(30, seed, kind, 0.7)
        found = facility_location(d, tol=0.0)
        check(found, d, 0.0)
        assert found.converged
        if kind == "asymmetric":  # no two sets tie
            assert found.gap == 0.0


def test_the_linear_relaxation_is_reached_and_passed() -> None:
    # Half of each exemplar is the relaxation's optimum, 1.5; only branches prove the 2.
    cycle = np.array([[1.0, 0.0, 9.0], [9.0, 1.0, 0.0], [0.0, 9.0, 1.0]])
    found = facility_location(cycle, tol=0.0)
    assert found.value == 2.0 and found.gap <= 1e-9 and found.converged  # three sets tie
    for seed in range(5):
        d = costs(40, seed, "uniform", 0.5)
        relaxed = twin.relaxation_bound(d).value
        found = facility_location(d, tol=0.0)
        assert found.gap <= 1e-9 and found.bound >= relaxed * (1 - 1e-9)


@pytest.mark.parametrize("kind", ["points", "asymmetric", "below zero"])
def test_one_round_of_the_dual_is_a_bound_below_the_relaxation(kind: str) -> None:
    for seed in range(3):
        d = costs(40, seed, kind, 0.7)
        best = twin.exemplars_ilp(d, "HiGHS").value
        for max_iter in (1, 2, 20):
            found = facility_location(d, max_iter=max_iter, tol=0.0)
            check(found, d)
            if not found.converged:
                assert found.n_iter == max_iter
                assert found.bound <= best <= found.value * (1 + 1e-12)
                assert found.gap > 0.0


@settings(max_examples=60)
@given(
    st.integers(2, 40),
    st.integers(0, 10**6),
    st.sampled_from([kind for kind in KINDS if kind not in ("whole", "duplicates")]),
)
def test_renamed_points_have_the_same_value(n: int, seed: int, kind: str) -> None:
    d = costs(n, seed, kind)
    order = np.random.default_rng(seed).permutation(n)
    here, there = (facility_location(matrix, tol=0.0) for matrix in (d, d[np.ix_(order, order)]))
    slack = 1e-9 * np.abs(d).sum()
    assert max(here.bound, there.bound) <= min(here.value, there.value) + slack
    if here.converged and there.converged:
        assert there.value == pytest.approx(here.value, abs=slack)
        assert there.bound == pytest.approx(here.bound, abs=slack)


@pytest.mark.parametrize("factor", [1e-150, 1e-3, 1e150, 2.0**900, 2.0**-900])
@pytest.mark.parametrize("kind", ["points", "below zero", "whole"])
def test_results_scale_with_the_costs(factor: float, kind: str) -> None:
    d = costs(25, 3, kind)
    one, other = facility_location(d), facility_location(d * factor)
    check(other, d * factor)
    # Rounding decides between sets that tie, and so the way of the search.
    assert other.value / factor == pytest.approx(one.value, rel=1e-9)
    assert other.bound / factor == pytest.approx(one.bound, rel=1e-4)
    if kind == "below zero":
        assert other.exemplars.tolist() == one.exemplars.tolist()


def test_a_power_of_two_changes_no_bit() -> None:
    d = costs(60, 0, "uniform", 0.3)
    one, other = facility_location(d), facility_location(np.ldexp(d, -700))
    assert np.ldexp(other.value, 700) == one.value and np.ldexp(other.bound, 700) == one.bound
    assert other.n_iter == one.n_iter


def test_prices_alone_decide_the_number_of_exemplars() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    numbers, values = [], []
    for price in (0.0, 0.02, 0.2, 1.0, 5.0, 50.0, 1e9):
        np.fill_diagonal(d, price)
        found = facility_location(d, tol=0.0)
        check(found, d, 0.0)
        assert found.gap <= 1e-9
        numbers.append(len(found.exemplars))
        values.append(found.value)
    assert numbers[0] == 60 and numbers[-1] == 1
    assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) >= 5
    assert values == sorted(values)  # the optimum grows with the prices


def test_points_below_a_price_of_zero_are_exemplars() -> None:
    for seed in range(10):
        d = costs(20, seed, "below zero")
        found = facility_location(d, tol=0.0)
        assert set(np.flatnonzero(np.diag(d) < 0)) <= set(found.exemplars)
    np.fill_diagonal(d, -1.0)
    everyone = facility_location(d)
    assert len(everyone.exemplars) == 20 and everyone.value == everyone.bound == -20.0
    # They serve themselves even if others are as near.
    d = np.array([[-1.0, 0.0], [0.0, -2.0]])
    assert facility_location(d).assignment.tolist() == [0, 1]


def test_one_point() -> None:
    for price in (-3.0, 0.0, 7.0):
        found = facility_location([[price]])
        check(found, np.array([[price]]))
        assert found.exemplars.tolist() == [0] == found.assignment.tolist()
        assert found.value == found.bound == price and found.gap == 0.0 and found.converged


@pytest.mark.parametrize("n", [2, 5, 70, 200])
@pytest.mark.parametrize("price", [0.0, 1.0, 1e6, -1.0])
def test_all_costs_zero(n: int, price: float) -> None:
    d = price * np.eye(n)
    found = facility_location(d)
    check(found, d)
    assert found.value == (price * n if price < 0 else price)
    assert found.gap <= 1e-9 and found.converged
    if price > 0:
        assert len(found.exemplars) == 1
    prices = np.arange(n, 0.0, -1.0)
    assert facility_location(np.diag(prices)).exemplars.tolist() == [n - 1]


@pytest.mark.parametrize("n", [2, 5, 70])
def test_all_prices_zero(n: int) -> None:
    d = costs(n, 0, "points", 0.0)
    found = facility_location(d)
    assert found.exemplars.tolist() == list(range(n)) and found.value == 0.0 == found.bound
    assert facility_location(np.zeros((n, n))).value == 0.0


@pytest.mark.parametrize("n", [2, 3, 10, 50])
def test_ties_everywhere(n: int) -> None:
    d = np.ones((n, n))
    found = facility_location(d)  # every set costs n
    check(found, d)
    assert found.value == n and found.gap <= 1e-4
    cheaper, dearer = d - 0.5 * np.eye(n), d + 0.5 * np.eye(n)
    assert facility_location(cheaper).exemplars.tolist() == list(range(n))
    assert len(facility_location(dearer).exemplars) == 1
    assert facility_location(dearer).value == n + 0.5


def test_identical_points() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(6, 2)) * 10.0, 5, axis=0)
    d = np.linalg.norm(X[:, None] - X[None], axis=2) + 1e-3 * np.eye(30)
    found = facility_location(d)
    check(found, d)
    assert len(found.exemplars) == 6 and found.value == pytest.approx(6e-3) and found.converged


def test_a_start_is_where_the_search_begins() -> None:
    d = costs(60, 1)
    plain = facility_location(d)
    for initial in ([0], list(range(60)), plain.exemplars, np.array([5, 3], dtype=np.int32)):
        found = facility_location(d, initial=initial)
        check(found, d)
        assert found.value == pytest.approx(plain.value, rel=1e-3)
    # A local optimum stays: nothing is added, and the first value is its own.
    again = facility_location(d, initial=plain.exemplars, max_iter=1)
    assert again.exemplars.tolist() == plain.exemplars.tolist()


@pytest.mark.parametrize("kind", ["points", "asymmetric", "uniform", "prices apart"])
def test_no_single_move_improves(kind: str) -> None:
    d = costs(30, 2, kind, 0.5)
    found = facility_location(d, max_iter=1)
    assert twin.best_single_move(d, found.exemplars) >= found.value * (1 - 1e-12)


def test_any_form_of_the_same_numbers() -> None:
    d = costs(40, 0, "whole", 1.0)
    plain = facility_location(d)
    read_only = d.copy()
    read_only.flags.writeable = False
    for given_form in (d.astype(np.int32), np.asfortranarray(d), d.astype(np.float32), d.tolist(), read_only):
        found = facility_location(given_form)
        assert found.exemplars.tolist() == plain.exemplars.tolist()
        assert (found.value, found.bound) == (plain.value, plain.bound)
    strided = np.zeros((80, 80))
    strided[::2, ::2] = d
    assert facility_location(strided[::2, ::2]).value == plain.value
    asymmetric = costs(40, 0, "asymmetric")
    before = asymmetric.copy()
    found = facility_location(np.asfortranarray(asymmetric))
    assert found.value == facility_location(asymmetric).value  # d itself, not its transpose
    assert (asymmetric == before).all()


def test_results_do_not_depend_on_the_threads_and_repeat() -> None:
    X = np.random.default_rng(0).normal(size=(600, 3))  # enough for several threads
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(d, 5.0)
    fits = [facility_location(d, tol=1e-6, max_iter=80) for _ in (*each_number_of_threads(), "again")]
    assert len({(*fit.exemplars, fit.value, fit.bound, fit.n_iter) for fit in fits}) == 1


def test_larger_instances_are_within_the_tolerance() -> None:
    for seed, price, dimensions in ((0, 3.0, 2), (1, 0.3, 2), (2, 30.0, 5)):
        X = np.random.default_rng(seed).normal(size=(400, dimensions))
        d = np.linalg.norm(X[:, None] - X[None], axis=2)
        np.fill_diagonal(d, price)
        found = facility_location(d)
        check(found, d)
        assert found.gap <= 2e-3
        loose = facility_location(d, tol=0.5)
        assert loose.converged and loose.n_iter <= found.n_iter


def test_the_gap_is_relative() -> None:
    nothing = np.zeros(1, dtype=np.int64)
    for value, bound, gap in (
        (4.0, 3.0, 0.25),
        (-3.0, -4.0, 0.25),
        (0.0, 0.0, 0.0),
        (0.0, -1.0, 1.0),
        (2, 2, 0),
    ):
        assert FacilityLocation(nothing, nothing, value, bound, 1, True).gap == gap


@pytest.mark.parametrize(
    ("d", "words"),
    [
        ([[0.0, 1.0]], r"d has shape \(1, 2\); expected \(n, n\)"),
        (np.zeros((0, 0)), r"shape \(0, 0\)"),
        (np.zeros(4), r"shape \(4,\)"),
        ([[1, np.nan], [0, 1]], r"d\[0, 1\] is nan; expected finite"),
        ([[1, 0], [0, np.inf]], r"d\[1, 1\] is inf; expected finite"),
        (
            [[1, 0], [-0.5, 1]],
            r"d\[1, 0\] is -0.5; expected costs of at least 0 off the diagonal; similarities have to be handed over "
            "negated and shifted",
        ),
        ([[1, 1e308], [0, 1]], r"d\[0, 1\] is 1e\+308; expected at most 2.25e\+307 in magnitude"),
        ([[-1e308, 1], [0, 1]], r"d\[0, 0\] is -1e\+308; expected at most"),
        ([["0", "1"], ["1", "0"]], "not an array of numbers"),
    ],
)
def test_bad_costs_are_named(d, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        facility_location(d)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tol": -1e-3}, "tol=-0.001: expected a finite number >= 0"),
        ({"tol": math.nan}, "tol=nan"),
        ({"max_iter": 0}, "max_iter=0: expected an integer >= 1"),
        ({"max_iter": 2.5}, "max_iter=2.5"),
        ({"initial": []}, "initial is empty|initial has dtype"),
        ({"initial": np.zeros(0, dtype=int)}, "initial is empty; expected at least one"),
        ({"initial": [3]}, r"initial has the point 3; expected 0..2"),
        ({"initial": [-1]}, r"initial has the point -1; expected 0..2"),
        ({"initial": [1, 0, 1]}, "initial has the point 1 twice"),
        ({"initial": [0.5]}, "initial has dtype float64; expected integers"),
        ({"initial": [[0]]}, r"initial has shape \(1, 1\)"),
    ],
)
def test_bad_options_are_named(options, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        facility_location(np.ones((3, 3)), **options)


def test_the_core_refuses_what_is_no_square_and_no_point() -> None:
    nobody = np.zeros(0, dtype=np.int64)
    with pytest.raises(ValueError, match=r"\(n, n\)"):
        _core.facility_location(np.zeros((2, 3)), nobody, 0.0, 1)
    with pytest.raises(ValueError, match="2 is no point"):
        _core.facility_location(np.zeros((2, 2)), np.array([2]), 0.0, 1)
