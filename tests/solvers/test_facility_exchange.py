"""Exemplars without a bound: no single move improves them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.reference import facility_locations as twin
from cladebench.solvers import FacilityLocation, facility_location
from facility_costs import KINDS, costs


def check_local(found: FacilityLocation, d: np.ndarray) -> None:
    """All that is promised without a bound."""
    assert found.exemplars.dtype == found.assignment.dtype == np.int64
    assert len(found.exemplars) >= 1 and (np.diff(found.exemplars) > 0).all()
    assert found.assignment.tolist() == twin.assignment_of(d, found.exemplars).tolist()
    assert found.value == twin.value_of(d, found.exemplars)
    assert (found.bound, found.gap, found.n_iter, found.converged) == (-math.inf, math.inf, 0, False)
    size = np.abs(d[np.arange(len(d)), found.assignment]).sum()
    assert twin.best_single_move(d, found.exemplars) >= found.value - 1e-11 * size


@settings(max_examples=300)
@given(
    st.integers(1, 24),
    st.integers(0, 10**6),
    st.sampled_from(KINDS),
    st.sampled_from([0.0, 0.2, 1.0, 4.0]),
    st.data(),
)
def test_without_a_bound_no_single_move_improves(
    n: int, seed: int, kind: str, price: float, data: st.DataObject
) -> None:
    d = costs(n, seed, kind, price)
    initial = data.draw(st.none() | st.sets(st.integers(0, n - 1), min_size=1).map(sorted))
    check_local(facility_location(d, initial=initial, bound=False), d)


@pytest.mark.parametrize("kind", ["points", "asymmetric", "duplicates", "prices apart", "below zero"])
def test_without_a_bound_values_are_near_the_best(kind: str) -> None:
    for seed in range(10):
        d = costs(60, seed, kind, 0.4)
        local, best = facility_location(d, bound=False), facility_location(d)
        size = np.abs(d[np.arange(60), best.assignment]).sum()
        assert local.value >= best.bound - 1e-9 * size
        assert local.value - best.value <= 0.08 * size


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e300])
def test_without_a_bound_the_scale_does_not_matter(scale: float) -> None:
    d = costs(40, 3)
    found = facility_location(d * scale, bound=False)
    assert found.exemplars.tolist() == facility_location(d, bound=False).exemplars.tolist()


@pytest.mark.parametrize("n", [1, 2, 9, 70])
def test_without_a_bound_ties_and_equal_points(n: int) -> None:
    for d in (
        np.zeros((n, n)),
        np.ones((n, n)),
        np.ones((n, n)) + 0.5 * np.eye(n),
        -np.eye(n),
        np.diag(np.arange(n) + 1.0),
    ):
        check_local(facility_location(d, bound=False), d)
    assert len(facility_location(np.ones((n, n)) + 0.5 * np.eye(n), bound=False).exemplars) == 1
    assert facility_location(-np.eye(n), bound=False).exemplars.tolist() == list(range(n))
    # Of sets that cost the same, the smaller.
    assert len(facility_location(np.zeros((n, n)), bound=False).exemplars) == 1


def test_without_a_bound_costs_too_large_to_add_up_still_end() -> None:
    d = 1e308 * (1.0 + np.random.default_rng(0).integers(0, 2, (12, 12)) * 0.7)
    exemplars, assignment = _core.exchanged_exemplars(d, np.zeros(0, np.int64))
    assert len(exemplars) >= 1 and set(assignment) == set(exemplars)


def test_without_a_bound_bad_arguments_are_named() -> None:
    d = costs(5, 0)
    with pytest.raises(ValueError, match="bound=1"):
        facility_location(d, bound=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="initial has the point 5"):
        facility_location(d, initial=[5], bound=False)
    with pytest.raises(ValueError, match="initial: entry 0 is 5"):
        _core.exchanged_exemplars(d, np.array([5]))
