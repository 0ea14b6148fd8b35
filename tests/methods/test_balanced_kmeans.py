"""Balanced k-means trees against labels that are enumerated, and what holds of any of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.methods import HMMC, BalancedKMeans
from cladebench.methods._max_margin import balance_bounds
from cladebench.methods.balanced_kmeans import balanced_descent


def inertia(X, labels):
    return sum(
        float(np.square(X[labels == j] - X[labels == j].mean(axis=0)).sum()) for j in np.unique(labels)
    )


def balanced_labels(n, n_clusters, lower, upper):
    """All labels within the bounds, one after the other."""
    for labels in product(range(n_clusters), repeat=n):
        sizes = np.bincount(labels, minlength=n_clusters)
        if sizes.min() >= lower and sizes.max() <= upper:
            yield np.array(labels)


def twin(X, labels, n_clusters, lower, upper):
    """The descent, trying all labels for the best ones; the present ones stay where they are as good."""
    everything = list(balanced_labels(len(X), n_clusters, lower, upper))
    while True:
        means = [X[labels == k].mean(axis=0) for k in range(n_clusters)]

        def cost(y, means=means):
            return sum(float(np.square(x - means[k]).sum()) for x, k in zip(X, y, strict=True))

        best = min(everything, key=cost)
        if cost(best) >= cost(labels) - 1e-9:
            return inertia(X, labels)
        labels = best


points = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=7)


@settings(max_examples=60, deadline=None)
@given(points, st.integers(2, 3), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_no_balanced_labels_are_better_for_the_means_where_the_descent_ends(values, n_clusters, slack):
    # Ties, equal samples and clusters of one.
    X = np.array(values, dtype=float)
    if len(X) < n_clusters:
        return
    lower, upper = balance_bounds(len(X), n_clusters, slack)
    start = np.arange(len(X)) % n_clusters
    labels, value, _, ended = balanced_descent(X, start, n_clusters, lower, upper, 300)
    sizes = np.bincount(labels, minlength=n_clusters)
    assert ended and lower <= sizes.min() and sizes.max() <= upper
    assert value == pytest.approx(inertia(X, labels), abs=1e-9)
    assert value <= inertia(X, start) + 1e-9
    # Where the twin starts from these labels, it stays.
    assert twin(X, labels, n_clusters, lower, upper) == pytest.approx(value, abs=1e-9)


def test_the_best_of_many_starts_is_the_best_of_all_balanced_splits():
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(9, 2))
        lower, upper = balance_bounds(9, 2, 0.1)
        least = min(inertia(X, y) for y in balanced_labels(9, 2, lower, upper))
        model = BalancedKMeans(2, n_init=60, random_state=seed).fit(X)
        assert model.hierarchy_.node_data["inertia"][0] == pytest.approx(least)
        assert inertia(X, model.labels_) == pytest.approx(least)


def test_balance_parts_it_from_k_means():
    # Two points far away: K-means would leave them alone.
    X = np.append(np.arange(18.0), [100.0, 101.0])[:, None]
    assert np.bincount(BalancedKMeans(2, random_state=0).fit(X).labels_).tolist() == [11, 9]
    assert sorted(np.bincount(BalancedKMeans(2, slack=1.0, random_state=0).fit(X).labels_)) == [2, 18]


@pytest.mark.parametrize("grow", ["fall", "lowest", "largest"])
def test_the_leaf_that_is_asked_for_is_split_next(grow):
    X = np.random.default_rng(1).normal(size=(60, 3)) + np.repeat([[0.0], [9.0], [10.0]], 20, axis=0)
    tree = BalancedKMeans(8, grow=grow, random_state=0).fit(X).hierarchy_
    order, score = tree.node_data["order"], tree.node_data["score"]
    for node in np.flatnonzero(order >= 0):
        rows, parts = tree.samples(node), [tree.samples(child) for child in tree.children(node)]
        fall = inertia(X[rows], np.zeros(len(rows), int)) - sum(
            inertia(X[part], np.zeros(len(part), int)) for part in parts
        )
        expected = {"fall": fall, "lowest": -fall, "largest": len(rows)}[grow]
        assert score[node] == pytest.approx(expected)
        # Of the nodes that stood then and were split later none has a higher score.
        waiting = [
            other for other in np.flatnonzero(order > order[node]) if order[tree.parents[other]] < order[node]
        ]
        assert all(score[other] <= score[node] for other in waiting)


def test_fall_is_the_numerator_of_equation_4_with_means_as_models():
    X = np.random.default_rng(2).normal(size=(30, 4)) + 5.0
    model = BalancedKMeans(2, random_state=0).fit(X)
    centred = X - X.mean(axis=0)
    W = np.array([centred[model.labels_ == k].mean(axis=0) for k in range(2)])
    assert model.hierarchy_.node_data["score"][0] == pytest.approx(float((centred * W[model.labels_]).sum()))


def test_it_starts_where_hmmc_starts():
    # Nothing moves in one alternation of clear halves: both keep the balanced start.
    X = np.random.default_rng(3).normal(size=(40, 2)) + np.repeat([[0.0], [50.0]], 20, axis=0)
    X -= X.mean(axis=0)
    ours = BalancedKMeans(2, random_state=4).fit(X).labels_
    assert np.array_equal(ours, HMMC(2, random_state=4).fit(X).labels_)


def test_equal_samples_share_a_leaf_and_pairs_come_apart():
    tree = BalancedKMeans(2, n_leaves=4, random_state=0).fit([[0.0], [0.0], [1.0], [1.0]]).hierarchy_
    assert tree.n_leaves == 2 and tree.leaf_of[0] == tree.leaf_of[1] != tree.leaf_of[2]
    assert BalancedKMeans(2, random_state=0).fit([[0.0], [3.0]]).labels_.tolist() == [0, 1]


def test_a_run_that_is_cut_off_says_so():
    X = np.random.default_rng(5).normal(size=(200, 2))
    assert not BalancedKMeans(2, max_iter=1, random_state=0).fit(X).converged_
    assert BalancedKMeans(2, random_state=0).fit(X).converged_


def test_slack_is_below_1():
    with pytest.raises(ValueError, match="slack"):
        BalancedKMeans(2, slack=1.5).fit(np.eye(4))
