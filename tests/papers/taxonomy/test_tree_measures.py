"""How well a taxonomy fits: the correlation over pairs of samples, the bound of (1), and other trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.methods._structures import path_lengths
from cladebench.methods.numerical_taxonomy import TREE_STARTS
from cladebench.papers.taxonomy import tree_measures as measures
from cladebench.reference import dependence as twin
from cladebench.reference import tree_metric as trees
from cladebench.solvers.dependence import (
    dependence,
    distances_structure,
    objective_bound,
    optimal_structure,
)
from cladebench.solvers.gram import center, center_factor
from strategies import binary_hierarchies


def symmetric(rng, k):
    D = rng.integers(0, 5, size=(k, k)).astype(float)
    D = D + D.T
    np.fill_diagonal(D, 0.0)
    return D


@settings(max_examples=40, deadline=None)
@given(binary_hierarchies(2, 6), st.integers(2, 5), st.integers(3, 15), st.integers(0, 10**6))
def test_the_correlation_is_over_all_pairs_of_samples(tree, k, n, seed):
    rng = np.random.default_rng(seed)
    D, paths = symmetric(rng, k), path_lengths(tree)
    clusters, classes = rng.integers(0, k, n), rng.integers(0, len(paths), n)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    own = [D[clusters[i], clusters[j]] for i, j in pairs]
    true = [paths[classes[i], classes[j]] for i, j in pairs]
    found = measures.taxonomy_correlation(D, clusters, tree, classes)
    if np.std(own) == 0.0 or np.std(true) == 0.0:
        assert found == 0.0
    else:
        assert found == pytest.approx(np.corrcoef(own, true)[0, 1], abs=1e-9)


@pytest.mark.parametrize("power", [-1000, -400, 600])
def test_the_correlation_is_the_same_in_any_unit(power):
    rng = np.random.default_rng(0)
    tree = trees.as_hierarchy(next(trees.all_topologies(4)), 4)
    D, clusters, classes = symmetric(rng, 5), rng.integers(0, 5, 40), rng.integers(0, 4, 40)
    right = measures.taxonomy_correlation(D, clusters, tree, classes)
    assert measures.taxonomy_correlation(np.ldexp(D, power), clusters, tree, classes) == right != 0.0


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_distances_that_are_the_same_for_all_pairs_say_nothing(value):
    rng = np.random.default_rng(0)
    tree = trees.as_hierarchy(next(trees.all_topologies(4)), 4)
    apart = value * (1.0 - np.eye(30))
    classes = rng.integers(0, 4, 30)
    assert measures.taxonomy_correlation(apart, np.arange(30), tree, classes) == 0.0
    assert (
        measures.taxonomy_correlation(symmetric(rng, 30), np.arange(30), tree, np.zeros(30, dtype=int)) == 0.0
    )
    # Clusters that are the classes, with the paths themselves.
    assert measures.taxonomy_correlation(3.0 * path_lengths(tree), classes, tree, classes) == pytest.approx(
        1.0
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 12), st.integers(2, 4), st.integers(0, 10**6), st.booleans())
def test_nothing_exceeds_the_bound(n, k, seed, as_factor):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, rng.integers(1, n)))
    gram = center_factor(F) if as_factor else center(F @ F.T)
    bound = objective_bound(gram, k)
    values = np.linalg.eigvalsh(twin.centring(n) @ F @ F.T @ twin.centring(n))[::-1]
    assert bound == pytest.approx(np.sqrt((np.maximum(values[: k - 1], 0.0) ** 2).sum()))
    for _ in range(10):
        labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
        Y = rng.normal(size=(k, k))
        assert abs(dependence(gram, labels, Y + Y.T)) <= bound * (1 + 1e-9)
        assert dependence(gram, labels, optimal_structure(gram, labels, k)) <= bound * (1 + 1e-9)


def test_a_lone_cluster_is_bounded_as_two_are():
    gram = center(np.diag([3.0, 2.0, 1.0, 0.5]))
    assert objective_bound(gram, 1) == objective_bound(gram, 2) > 0


@pytest.mark.parametrize("k", [2, 3, 5])
def test_points_at_the_corners_of_a_simplex_reach_it(k):
    labels = np.repeat(np.arange(k), np.arange(2, 2 + k))
    gram = center((labels[:, None] == labels).astype(float))
    best = dependence(gram, labels, optimal_structure(gram, labels, k))
    assert best == pytest.approx(objective_bound(gram, k))
    assert objective_bound(gram, k + 1) == pytest.approx(best)
    if k > 2:
        assert objective_bound(gram, k - 1) < 0.99 * best


def nested(seed):
    """Six groups in two halves: a centred matrix, and the group of each point."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(6), 5)
    centres = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 2, 0], [6, 0, 0, 0], [6, 2, 0, 0], [6, 0, 0, 1.0]])
    X = centres[labels] + 0.1 * rng.normal(size=(30, 4))
    return center(X @ X.T), labels


@pytest.mark.parametrize("seed", range(4))
def test_the_worth_of_trees(seed):
    gram, labels = nested(seed)
    worth = measures.worth_of_trees(gram, labels, seed)
    assert worth.bound == objective_bound(gram, 6)
    best = twin.optimal_structure(gram.values, labels, 6)
    assert worth.unconstrained == pytest.approx(twin.dependence(gram.values, labels, best) / worth.bound)
    D = np.sqrt(np.maximum(np.diag(best)[:, None] + np.diag(best) - 2 * best, 0.0))

    def share(edges):
        Y = distances_structure(trees.fit_edges(D, edges)[1])
        return twin.dependence(gram.values, labels, Y) / worth.bound

    assert worth.tree == pytest.approx(share(trees.best_topology(D)[0]))
    assert worth.star == pytest.approx(share([(i, 9) for i in range(6)]))
    # The groups are in two halves: a tree says so, and a star cannot.
    assert worth.star < worth.tree and worth.random < worth.best_random
    assert max(worth.tree, worth.star, worth.best_random) <= worth.unconstrained + 1e-9 <= 1.0 + 2e-9
    assert worth.random < worth.tree
    assert measures.worth_of_trees(gram, labels, seed) == worth
    assert measures.worth_of_trees(gram, labels, seed + 100).random != worth.random


def test_random_trees_are_the_mean_and_the_best_of_twenty(monkeypatch):
    gram, labels = nested(0)
    drawn, starts = [], set()
    real = measures.fit_tree_metric

    def told(D, **how):
        fit = real(D, **how)
        starts.add((how["topologies"], how["n_starts"]))
        if how["topologies"] == "random":
            value = dependence(gram, labels, distances_structure(fit.distances))
            drawn.append((how["random_state"], value))
        return fit

    monkeypatch.setattr(measures, "fit_tree_metric", told)
    worth = measures.worth_of_trees(gram, labels, 3)
    shares = [value / worth.bound for _, value in drawn]
    assert len(shares) == measures.N_RANDOM == 20 == len({seed for seed, _ in drawn})
    assert worth.random == pytest.approx(np.mean(shares))
    assert worth.best_random == pytest.approx(max(shares))
    assert starts == {("search", TREE_STARTS), ("star", 1), ("random", 1)}


def test_without_dependence_there_are_no_shares():
    gram = center(np.ones((8, 8)))
    worth = measures.worth_of_trees(gram, np.arange(8) % 3, 0)
    assert worth == measures.Worth(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
