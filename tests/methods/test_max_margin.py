"""Splits of max-margin clustering: bounds of sizes, starts, the run that is kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.methods import HMMC, MMC
from cladebench.methods._max_margin import (
    ROUNDINGS,
    STARTS,
    Penalties,
    balance_bounds,
    first_labels,
    split_node,
)


def data(n=60, n_features=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, n_features)) * np.linspace(2.0, 0.5, n_features)
    return X - X.mean(axis=0)


@settings(max_examples=200, deadline=None)
@given(
    n=st.integers(2, 400),
    n_clusters=st.integers(2, 9),
    slack=st.sampled_from([0.0, 0.05, 0.1, 0.5, 1.0, 3.0]),
)
def test_bounds_are_the_tightest_of_their_kind_that_a_clustering_meets(n, n_clusters, slack):
    n_clusters = min(n, n_clusters)
    even = [n // n_clusters, -(-n // n_clusters)]  # sizes as equal as possible
    exact = [(1 - slack) * n / n_clusters, min(n, (1 + slack) * n / n_clusters)]
    for rounding in ROUNDINGS:
        lower, upper = balance_bounds(n, n_clusters, slack, rounding)
        assert 1 <= lower <= even[0] and even[1] <= upper
        inside = [k for k in range(1, n + 1) if exact[0] - 1e-9 <= k <= exact[1] + 1e-9]
        if rounding == "outward":
            assert lower == 1 or lower <= exact[0] + 1e-9 < lower + 1
            assert exact[1] - 1e-9 <= upper < exact[1] + 1
        elif inside and min(inside) <= even[0] and max(inside) >= even[1]:
            assert (lower, upper) == (min(inside), max(inside))
        else:  # not feasible inside: the bound in the way is that of equal sizes, and no further out
            assert lower == (min(inside) if inside and min(inside) <= even[0] else even[0])
            assert upper == (max(inside) if inside and max(inside) >= even[1] else even[1])


@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(2, 40),
    n_clusters=st.integers(2, 6),
    start=st.sampled_from(STARTS),
    seed=st.integers(0, 5),
    slack=st.sampled_from([0.0, 0.1]),
    rounding=st.sampled_from(ROUNDINGS),
)
def test_every_start_is_balanced(n, n_clusters, start, seed, slack, rounding):
    n_clusters = min(n, n_clusters)
    X = np.random.default_rng(seed).integers(0, 9, size=(n, 3)) + np.arange(n)[:, None] * 0.01
    bounds = balance_bounds(n, n_clusters, slack, rounding)
    labels = first_labels(X, n_clusters, *bounds, np.random.RandomState(seed), start)
    sizes = np.bincount(labels, minlength=n_clusters)
    assert bounds[0] <= sizes.min() <= sizes.max() <= bounds[1]
    if start != "kmeans":
        assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_the_principal_start_cuts_along_the_direction_of_largest_variance(n_clusters):
    X = data(61) + 5.0
    labels = first_labels(X, n_clusters, 1, 61, np.random.RandomState(0), "pca")
    direction = np.linalg.svd(X - X.mean(axis=0))[2][0]
    along = X @ direction * np.sign(direction[np.abs(direction).argmax()])
    for k in range(n_clusters - 1):
        assert along[labels == k].max() < along[labels == k + 1].min()
    assert np.array_equal(
        labels, first_labels(X[:, ::-1], n_clusters, 1, 61, np.random.RandomState(1), "pca")
    )


def test_random_starts_are_drawn_and_look_at_nothing():
    def drawn(X, seed):
        return first_labels(X, 2, 1, len(X), np.random.RandomState(seed), "random").tolist()

    assert drawn(data(4), 0) == drawn(data(4, seed=1), 0)
    # All six clusterings of four samples into two and two, each about as often.
    counts = {}
    for seed in range(600):
        labels = tuple(drawn(data(4), seed))
        counts[labels] = counts.get(labels, 0) + 1
    assert len(counts) == 6 and min(counts.values()) > 60


@pytest.mark.parametrize("method", [HMMC, MMC])
def test_methods_start_where_they_are_told(method, monkeypatch):
    X, asked = data(), []

    def first(X, n_clusters, lower, upper, random, start):
        asked.append((start, lower, upper))
        return np.arange(len(X)) % n_clusters

    monkeypatch.setattr("cladebench.methods._max_margin.first_labels", first)
    for start in STARTS:
        for rounding in ROUNDINGS:
            asked.clear()
            method(2, start=start, rounding=rounding, n_init=2, slack=0.12, random_state=0).fit(X)
            assert asked == [(start, *balance_bounds(60, 2, 0.12, rounding))] * 2


def test_the_trace_belongs_to_the_run_that_is_kept():
    X, none = data(50), np.zeros(5)
    penalties = Penalties(none + 0.01, none, none)
    found, again = (
        split_node(
            X,
            2,
            penalties,
            slack=0.1,
            n_init=n_init,
            max_iter=50,
            w_tol=1e-6,
            random=np.random.RandomState(0),
        )
        for n_init in (5, 1)
    )
    assert found.trace[-1] == found.objective
    assert again.n_fits == again.n_iter < found.n_fits
    assert found.objective <= again.objective
