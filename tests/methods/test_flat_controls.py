"""The flat clusterers that stand beside others as controls."""

import numpy as np
from scipy.stats import chisquare
from sklearn.neighbors import kneighbors_graph

from cladebench.methods import ConnectedComponents, RandomClusters


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


def test_components_are_those_of_the_graph() -> None:
    from scipy.sparse.csgraph import connected_components

    X = np.random.default_rng(1).normal(size=(200, 2))
    for k in (1, 2, 3, 8):
        n, labels = connected_components(kneighbors_graph(X, k), directed=False)
        found = ConnectedComponents(n_neighbors=k).fit(X)
        assert found.n_clusters_ == n
        assert len(set(zip(labels, found.labels_, strict=True))) == n


def test_an_edge_counts_from_either_end_and_equal_samples_stay_together() -> None:
    # 3 is nearest to 1.5, which is nearest to 1: nobody has 3 as nearest neighbour, and it is theirs all the same.
    assert ConnectedComponents(n_neighbors=1).fit([[1.0], [1.5], [3.0], [9.0], [9.1]]).labels_.tolist() == [
        0,
        0,
        0,
        1,
        1,
    ]
    assert ConnectedComponents(n_neighbors=1).fit(np.repeat([[0.0], [5.0]], 6, axis=0)).n_clusters_ == 2
    assert ConnectedComponents(n_neighbors=3).fit([[0.0]]).labels_.tolist() == [0]
