import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import dasgupta_optimal as exact


def random_similarity(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))


def pairwise_cost(hierarchy, S):
    """The definition, word by word: similarity times the samples below the lowest common ancestor."""
    total = 0.0
    for i, j in itertools.combinations(range(len(S)), 2):
        total += S[i, j] * len(hierarchy.samples(hierarchy.lca(i, j)))
    return total


@st.composite
def similarities(draw, largest):
    n = draw(st.integers(1, largest))
    # Few distinct values, zeros among them: ties everywhere.
    values = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n * n, max_size=n * n))
    S = np.array(values).reshape(n, n)
    return np.maximum(S, S.T)


@pytest.mark.parametrize("n", range(1, 7))
def test_enumeration_visits_every_binary_tree_once(n):
    trees = list(exact.binary_trees(list(range(n))))

    def canonical(tree):
        return frozenset([tree]) if isinstance(tree, int) else frozenset(map(canonical, tree))

    assert len(trees) == math.prod(range(2 * n - 3, 0, -2))
    assert len({canonical(tree) for tree in trees}) == len(trees)


@given(similarities(5))
@settings(max_examples=40, deadline=None)
def test_programme_equals_enumeration(S):
    by_trees, by_subsets = exact.optimal_tree_enumeration(S), exact.optimal_tree_programme(S)
    assert by_subsets.cost == pytest.approx(by_trees.cost, rel=1e-12, abs=1e-12)
    assert by_subsets.objective == pytest.approx(by_subsets.cost, rel=1e-12, abs=1e-12)
    assert pairwise_cost(by_subsets.hierarchy, np.triu(S, 1)) == pytest.approx(by_subsets.cost, abs=1e-12)


@pytest.mark.parametrize("solver", ["CBC", "HiGHS"])
@given(S=similarities(5))
@settings(max_examples=8, deadline=None)
def test_ilp_equals_programme_with_ties_and_zeros(solver, S):
    found = exact.optimal_tree_ilp(S, solver)
    assert found.cost == pytest.approx(exact.optimal_tree_programme(S).cost, rel=1e-9, abs=1e-12)
    assert found.objective == pytest.approx(found.cost, rel=1e-9, abs=1e-9) and "Optimal" in found.evidence


def test_tiny_similarities_are_not_lost_in_solver_tolerances():
    S = random_similarity(6, seed=3)
    small = exact.optimal_tree_ilp(1e-12 * S, "HiGHS")
    assert small.cost == pytest.approx(1e-12 * exact.optimal_tree_programme(S).cost, rel=1e-9)


@given(similarities(6))
@settings(max_examples=25, deadline=None)
def test_spreading_bound_is_below_the_optimum(S):
    bound, best = exact.spreading_bound(S), exact.optimal_tree_programme(S)
    assert bound.value <= best.cost * (1 + 1e-12) + 1e-12
    assert bound.value == pytest.approx(bound.solver_value, rel=1e-7, abs=1e-9)
    assert (bound.multipliers >= 0).all()


def test_spreading_bound_is_better_than_nothing():
    S = random_similarity(8, seed=1)
    bound, best = exact.spreading_bound(S), exact.optimal_tree_programme(S)
    every_pair_alone = 2 * np.triu(S, 1).sum()
    assert every_pair_alone < 0.8 * bound.value < best.cost


@pytest.mark.parametrize(
    ("S", "message"),
    [
        (np.ones((2, 3)), "shape"),
        (np.ones((0, 0)), "shape"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
        ([[0, -1.0], [-1.0, 0]], "negative"),
        ([[0, 1.0], [2.0, 0]], "symmetric"),
        (np.ones((13, 13)), "at most 12"),
    ],
)
@pytest.mark.parametrize("method", [exact.optimal_tree_programme, exact.spreading_bound])
def test_wrong_similarity_is_named(method, S, message):
    with pytest.raises(ValueError, match=message):
        method(S)


def test_unknown_solver_and_too_many_points():
    with pytest.raises(ValueError, match="GLPK"):
        exact.optimal_tree_ilp(np.ones((3, 3)), "GLPK")
    with pytest.raises(ValueError, match="at most 8"):
        exact.optimal_tree_ilp(np.ones((9, 9)))
    with pytest.raises(ValueError, match="at most 7"):
        exact.optimal_tree_enumeration(np.ones((8, 8)))
