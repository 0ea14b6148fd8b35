"""Clusters and trees of any clusterer are scored, with labels and without."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score, silhouette_score

from cladebench.clusterer_scores import UnlabelledScores, scores_with_labels
from cladebench.clusterers import Fitted
from cladebench.hierarchy import Hierarchy
from cladebench.metrics import purity_scores


def test_rows_without_a_label_are_in_the_tree_and_not_in_the_score():
    labels, clusters = np.array([0, 0, 1, 1, -1, -1]), np.array([0, 0, 1, 0, 1, 1])
    tree = Hierarchy.from_linkage(linkage(np.array([[0.0], [1], [5], [6], [2], [20]]), "average"))
    metrics = scores_with_labels(labels, Fitted(clusters, tree, 0.0))
    assert metrics["ari"] == pytest.approx(adjusted_rand_score(labels[:4], clusters[:4]))
    kept = Hierarchy(tree.parents, tree.leaf_of[:4]).pruned()
    assert metrics["dendrogram_purity"] == purity_scores(kept, labels[:4]).value
    with pytest.raises(ValueError, match="no row of this draw has a label"):
        scores_with_labels(np.full(6, -1), Fitted(clusters, None, 0.0))


def test_features_and_their_distances_give_one_silhouette_and_sparse_ones_no_more():
    X = np.random.default_rng(0).normal(size=(12, 2))
    clusters = np.arange(12) % 3
    found = Fitted(clusters, Hierarchy.from_linkage(linkage(X, "average")), 0.0)
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    dense, given, sparse = (
        UnlabelledScores(*of).of(found) for of in ((X,), (distances, True), (csr_array(X),))
    )
    assert dense["silhouette"] == pytest.approx(silhouette_score(X, clusters))
    assert dense["calinski_harabasz"] == pytest.approx(calinski_harabasz_score(X, clusters))
    assert dense["dasgupta_ratio"] == dense["dasgupta_cost"] / dense["dasgupta_cost_permuted"]
    assert given == pytest.approx({name: dense[name] for name in dense if name != "calinski_harabasz"})
    assert sparse == pytest.approx({"silhouette": dense["silhouette"]})


def test_of_a_single_cluster_or_single_rows_only_the_tree_is_scored():
    X = np.arange(4.0)[:, None]
    for clusters in (np.zeros(4, dtype=int), np.arange(4)):
        assert UnlabelledScores(X).of(Fitted(clusters, None, 0.0)) == {}
