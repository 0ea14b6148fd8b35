"""The flat clusterers that stand beside others as controls."""

import numpy as np
from scipy.stats import chisquare

from cladebench.methods import RandomClusters


def test_random_clusters_are_uniform_and_blind() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 2))
    found = RandomClusters(n_clusters=4, random_state=0).fit(X)
    assert chisquare(np.bincount(found.labels_)).pvalue > 0.01
    again = RandomClusters(n_clusters=4, random_state=0).fit(X[::-1] * 7)
    assert np.array_equal(again.labels_, found.labels_)
    assert not np.array_equal(RandomClusters(4, random_state=1).fit(X).labels_, found.labels_)


def test_random_clusters_that_stay_empty_have_no_number() -> None:
    found = RandomClusters(n_clusters=5, random_state=3).fit(np.zeros((5, 1)))
    assert found.n_clusters_ < 5
    assert sorted(set(found.labels_)) == list(range(found.n_clusters_))
