import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import sparsest_cut_exact as exact
from cladebench.reference.sparsest_cut import cut_ratio
from cladebench.solvers.sparsest_cut import sparsest_cut


def random_similarity(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))


@st.composite
def similarities(draw, largest):
    n = draw(st.integers(2, largest))
    values = draw(st.lists(st.sampled_from([0.0, 1e-9, 0.5, 1.0]), min_size=n * n, max_size=n * n))
    S = np.array(values).reshape(n, n)
    return np.maximum(S, S.T)


def least_ratio(S):
    """The definition: every side, every pair."""
    n = len(S)
    sides = itertools.chain.from_iterable(itertools.combinations(range(n), k) for k in range(1, n))
    return min(
        sum(S[i, j] for i in side for j in set(range(n)) - set(side)) / (len(side) * (n - len(side)))
        for side in sides
    )


@given(similarities(6))
@settings(max_examples=60, deadline=None)
def test_enumeration_is_the_definition(S):
    cut = exact.sparsest_cut_enumeration(S)
    assert cut.ratio == pytest.approx(least_ratio(S), rel=1e-12, abs=1e-300)
    assert not cut.mask[0] and cut.mask.any()
    assert cut.ratio == cut_ratio(S, cut.mask)


@pytest.mark.parametrize("solver", ["CBC", "HiGHS"])
@given(S=similarities(6))
@settings(max_examples=6, deadline=None)
def test_ilp_is_as_good_as_enumeration(solver, S):
    # 1e-7: weights of 1e-9 beside 1 are within the solvers' absolute tolerances.
    found = exact.sparsest_cut_ilp(S, solver)
    assert found.ratio == pytest.approx(exact.sparsest_cut_enumeration(S).ratio, rel=1e-9, abs=1e-7)
    assert found.ratio == pytest.approx(found.objective, rel=1e-9, abs=1e-7)


def test_a_tiny_cut_beside_large_degrees_keeps_its_digits():
    S = np.kron(np.eye(2), np.ones((4, 4)))
    S[0, 4] = S[4, 0] = 1e-20
    cut = exact.sparsest_cut_enumeration(S)
    assert cut.ratio == 1e-20 / 16


def test_twenty_points():
    S = random_similarity(20, seed=0)
    cut = exact.sparsest_cut_enumeration(S)
    assert exact.spectral_bound(S) <= cut.ratio <= cut_ratio(S, sparsest_cut(S, exact_below=0))


@given(similarities(6))
@settings(max_examples=15, deadline=None)
def test_bounds_are_below_every_cut(S):
    ratio = exact.sparsest_cut_enumeration(S).ratio
    slack = 1e-14 * max(1.0, S.max())
    assert exact.spectral_bound(S) <= ratio + slack
    for kind in ("metric", "negative_type"):
        assert exact.relaxation_bound(S, kind).value <= ratio + slack


@pytest.mark.parametrize("kind", ["metric", "negative_type"])
@pytest.mark.parametrize("n", [3, 10])
def test_bound_is_the_relaxation_s_optimum(kind, n):
    S = random_similarity(n, seed=4)
    bound = exact.relaxation_bound(S, kind)
    assert bound.value == pytest.approx(bound.solver_value, rel=1e-5)
    assert (bound.multipliers >= 0).all()


def test_any_multipliers_give_a_valid_bound():
    # The proof in the docstring, at multipliers that no solver has seen.
    S = random_similarity(7, seed=6)
    ratio = exact.sparsest_cut_enumeration(S).ratio
    triangles = exact._triangles(7)
    upper = np.triu_indices(7, 1)
    for seed in range(20):
        y = np.random.default_rng(seed).exponential(0.05, size=triangles.shape[0])
        left = S[upper] - triangles.T @ y
        weights = np.zeros((7, 7))
        weights[upper] = left
        assert left.min() <= ratio
        assert exact._least_eigenvalue(weights + weights.T) / 7 <= ratio


def test_triangles_hold_for_distances():
    X = np.random.default_rng(0).normal(size=(5, 2))
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))[np.triu_indices(5, 1)]
    rows = exact._triangles(5)
    assert rows.shape == (30, 10)
    assert (rows @ d > 0).all()


@pytest.mark.parametrize(
    ("S", "message"),
    [(np.ones((1, 1)), "two"), (np.ones((21, 21)), "at most 20"), ([[0, -1], [-1, 0]], "negative")],
)
def test_wrong_similarity_is_named(S, message):
    with pytest.raises(ValueError, match=message):
        exact.sparsest_cut_enumeration(S)


def test_unknown_names():
    with pytest.raises(ValueError, match="GLPK"):
        exact.sparsest_cut_ilp(np.ones((3, 3)), "GLPK")
    with pytest.raises(ValueError, match="euclidean"):
        exact.relaxation_bound(np.ones((3, 3)), "euclidean")
