"""Enumerating the balanced labelings of a node."""

import itertools

import numpy as np
import pytest

from cladebench.methods._max_margin import Penalties, balance_bounds, split_node
from cladebench.reference.node_split import balanced_labelings, best_split


@pytest.mark.parametrize(
    ("n", "n_clusters", "lower", "upper"),
    [(6, 2, 3, 3), (7, 2, 3, 4), (6, 3, 1, 4), (5, 3, 2, 3), (4, 4, 1, 1)],
)
def test_every_labelling_is_met_once(n, n_clusters, lower, upper):
    found = [tuple(labels) for labels in balanced_labelings(n, n_clusters, lower, upper)]
    expected = set()
    for labels in itertools.product(range(n_clusters), repeat=n):
        counts = np.bincount(labels, minlength=n_clusters)
        if counts.min() >= lower and counts.max() <= upper:
            renamed = {name: k for k, name in enumerate(dict.fromkeys(labels))}
            expected.add(tuple(renamed[name] for name in labels))
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_no_descent_ends_below_the_optimum_and_many_starts_reach_it():
    X, none = np.random.default_rng(5).normal(size=(8, 2)), np.zeros(2)
    group = none + 0.02
    lower, upper = balance_bounds(8, 2, 0.1)
    optimum, labels, tried = best_split(X, 2, lower, upper, group=group)
    assert tried == 35 + 56  # 4 + 4 in unordered pairs, 3 + 5
    assert sorted(np.bincount(labels))[0] >= lower
    found = split_node(
        X,
        2,
        Penalties(group, none, none),
        slack=0.1,
        n_init=20,
        max_iter=50,
        w_tol=1e-7,
        random=np.random.RandomState(0),
    )
    assert found.objective == pytest.approx(optimum, rel=1e-5)


def test_what_cannot_be_enumerated_is_refused():
    with pytest.raises(ValueError, match="13 samples"):
        best_split(np.zeros((13, 2)), 2, 6, 7)
    with pytest.raises(ValueError, match="between 3 and 3"):
        best_split(np.zeros((5, 2)), 2, 3, 3)
