"""The clustering that violates the margin most, against all sets of exemplars."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cladebench.solvers import augmented_clustering
from cladebench.solvers.augmented_clustering import energy_less_error, least_augmented


def least_of_all(d, labels, price, alpha, beta) -> float:
    """The least over all sets of exemplars: an object chooses by distance less what a wrong cluster counts."""
    n, values = len(labels), []
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            q = np.array(chosen)
            assignment = q[(d[:, q] - beta * (labels[:, None] != labels[q])).argmin(axis=1)]
            assignment[q] = q
            values.append(energy_less_error(d, labels, price, alpha, beta, q, assignment))
    return min(values)


@st.composite
def problems(draw):
    n = draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = np.unique(rng.integers(0, draw(st.integers(1, n)), n), return_inverse=True)[1]
    ties = draw(st.booleans())
    d = (
        rng.integers(0, 4, (n, n)).astype(float)
        if ties
        else rng.uniform(draw(st.sampled_from([-1, 0])), 3, (n, n))
    )
    return (
        d,
        labels,
        *(draw(st.sampled_from(values)) for values in ([0.0, 1.0, 4.0], [0.0, 0.5, 3.0], [0.0, 1.0, 2.0])),
    )


@given(problems())
def test_it_is_that_of_all_sets_of_exemplars(problem) -> None:
    d, labels, price, alpha, beta = problem
    found = least_augmented(d, labels, price, alpha, beta, 1e-9)
    least = least_of_all(*problem)
    assert found.value == pytest.approx(least, abs=1e-9) and found.bound <= least + 1e-9
    assert found.value - found.bound <= 1e-6
    assert found.value == energy_less_error(d, labels, price, alpha, beta, found.exemplars, found.assignment)
    rough = least_augmented(d, labels, price, alpha, beta, np.inf)
    assert rough.bound <= least + 1e-9 <= rough.value + 2e-9


def test_an_error_by_hand() -> None:
    # Exemplars 0, 1 in the first cluster, none in the second, whose object goes to 0: 2 * 3 + .5 - (1 + 1) * 2 - 7.
    labels, d = np.array([0, 0, 1]), np.full((3, 3), 0.5)
    value = energy_less_error(d, labels, 3.0, 2.0, 7.0, np.array([0, 1]), np.array([0, 1, 0]))
    assert value == 6.0 + 0.5 - 4.0 - 7.0


def test_where_the_search_ends_early_the_bound_stands(monkeypatch) -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(6), 4)
    points = 2.0 * labels[:, None] + rng.normal(size=(24, 2))
    d = np.abs(points[:, None] - points).sum(axis=2)
    exact = least_augmented(d, labels, 4.0, 3.0, 1.0, 1e-9)
    assert exact.value - exact.bound <= 1e-6
    monkeypatch.setattr(augmented_clustering, "WORK", 0)
    monkeypatch.setattr(augmented_clustering, "LEAST_NODES", 2)
    cut = least_augmented(d, labels, 4.0, 3.0, 1.0, 1e-9)
    assert cut.bound < exact.value - 0.1 and cut.value >= exact.value - 1e-9
