"""Programmes of the dependence: the optimum where it is known, a bound whatever the solver said."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import dependence as twin
from cladebench.reference import dependence_programmes as programmes

SOLVERS = ("CBC", "HiGHS")


def gram(n, rank, seed):
    """A centred matrix of small integers: ties, and rows that are equal."""
    F = np.random.default_rng(seed).integers(-2, 3, size=(n, rank)).astype(float)
    F -= F.mean(axis=0)
    return F @ F.T


def labels_of(n, k, seed):
    return np.concatenate([np.arange(k), np.random.default_rng(seed).integers(k, size=n - k)])


@st.composite
def problems(draw):
    """A matrix and a symmetric structure, positive semidefinite or not."""
    n, k = draw(st.integers(3, 5)), draw(st.integers(2, 3))
    values = draw(st.lists(st.integers(-2, 3), min_size=k * k, max_size=k * k))
    B = np.reshape(values, (k, k)).astype(float)
    return gram(n, draw(st.integers(1, 3)), draw(st.integers(0, 10**6))), B + B.T


def largest(M, structure):
    """The definition: every labelling that uses all clusters."""
    n, k = len(M), len(structure)
    return max(
        twin.dependence(M, np.array(labels), structure, normalized=False)
        for labels in itertools.product(range(k), repeat=n)
        if len(set(labels)) == k
    )


@pytest.mark.parametrize(("n", "k", "seed"), [(6, 2, 0), (9, 3, 1), (12, 4, 2), (40, 2, 3)])
def test_the_structure_is_optimal(n, k, seed):
    M, labels = gram(n, 5, seed), labels_of(n, k, seed)
    found = programmes.structure_programme(M, labels, k)
    assert found.value == pytest.approx(twin.dependence(M, labels, found.structure), rel=1e-12)
    assert found.value * (1 - 1e-12) <= found.bound <= found.value * (1 + 1e-7)
    assert found.residual < 1e-7 and np.linalg.eigvalsh(found.structure)[0] > -1e-12
    best = programmes.best_structure(M, twin.indicator(labels, k))
    assert twin.dependence(M, labels, best) == pytest.approx(found.value, rel=1e-7)
    np.testing.assert_allclose(found.structure.sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("skewed", [0.0, 3.0, -3.0])
def test_the_bound_holds_for_other_multipliers(monkeypatch, skewed):
    M, labels = gram(8, 4, 5), labels_of(8, 3, 5)
    optimum = programmes.structure_programme(M, labels, 3).value
    semidefinite, others = programmes._semidefinite, np.random.default_rng(0).normal(size=(3, 3))
    monkeypatch.setattr(programmes, "_semidefinite", lambda Y: semidefinite(Y + skewed * (others + others.T)))
    assert programmes.structure_programme(M, labels, 3).bound >= optimum * (1 - 1e-9)


def test_a_point_that_breaks_constraints_says_so(monkeypatch):
    M, labels = gram(8, 4, 5), labels_of(8, 3, 5)
    solve = cp.Problem.solve

    def grown(problem, **options):
        solve(problem, **options)
        for variable in problem.variables():
            variable.value = 1.25 * variable.value

    monkeypatch.setattr(cp.Problem, "solve", grown)
    found = programmes.structure_programme(M, labels, 3)
    assert found.residual == pytest.approx(0.25, abs=1e-6)
    assert found.value <= found.bound * (1 + 1e-9)  # the point is made feasible before it has a value


@pytest.mark.parametrize("sizes", [(39, 1), (3, 37), (1, 1, 98)])
def test_the_best_structure_where_an_eigenvalue_is_rounding(sizes):
    """Centred and of unit norm, and so no inverse of rounding."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    P, n = twin.indicator(labels, len(sizes)), sum(sizes)
    M = gram(n, 4, 0)
    Y = programmes.best_structure(M, P)
    np.testing.assert_allclose(Y @ np.ones(len(sizes)), 0.0, atol=1e-10)
    H = twin.centring(n)
    assert np.linalg.norm(H @ P @ Y @ P.T @ H) == pytest.approx(1.0)
    assert programmes.best_value(M, P) == pytest.approx(twin.dependence(M, labels, Y), rel=1e-10)


def test_the_best_value_of_real_matrices_is_that_of_their_span():
    M, rng = gram(9, 4, 3), np.random.default_rng(0)
    P = rng.normal(size=(9, 3))
    Q = np.linalg.qr(twin.centring(9) @ P)[0]
    assert programmes.best_value(M, P) == pytest.approx(np.linalg.norm(Q.T @ M @ Q))
    assert programmes.best_value(M, P @ rng.normal(size=(3, 3))) == pytest.approx(programmes.best_value(M, P))


@settings(max_examples=25, deadline=None)
@given(problems(), st.sampled_from(SOLVERS))
def test_the_integer_programme_is_enumeration(problem, solver):
    M, structure = problem
    labels = programmes.partition_programme(M, structure, solver)
    assert set(labels.tolist()) == set(range(len(structure)))
    value = twin.dependence(M, labels, structure, normalized=False)
    assert programmes.partition_value(M, structure, labels) == pytest.approx(value, abs=1e-9)
    assert value == pytest.approx(largest(M, structure), abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(problems())
def test_the_relaxation_bounds_enumeration(problem):
    M, structure = problem
    bound, optimum = programmes.partition_bound(M, structure), largest(M, structure)
    assert bound >= optimum - 1e-9 * max(1.0, abs(optimum))


def test_the_relaxation_is_tight_where_clusters_are_plain():
    F = np.repeat(np.eye(3), 2, axis=0) - 1 / 3
    M = F @ F.T
    assert programmes.partition_bound(M, np.eye(3)) == pytest.approx(largest(M, np.eye(3)), rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_relaxation_bounds_with_any_multipliers(monkeypatch, seed):
    M, rng = gram(4, 2, seed), np.random.default_rng(seed)
    solve = cp.Problem.solve

    def elsewhere(problem, **options):
        solve(problem, **options)
        for variable in problem.variables():
            step = rng.normal(size=variable.shape)
            variable.value = variable.value + (step + step.T if variable.attributes["symmetric"] else step)

    monkeypatch.setattr(cp.Problem, "solve", elsewhere)
    assert programmes.partition_bound(M, np.eye(2)) >= largest(M, np.eye(2))


def test_what_is_too_large_is_named():
    with pytest.raises(ValueError, match="11 points in 3 clusters: expected at most 30"):
        programmes.partition_programme(gram(11, 2, 0), np.eye(3))
