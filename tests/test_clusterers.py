"""Clusterers of any library: which data a class takes, and what is read from a fit."""

from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.base import BaseEstimator
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, Birch, KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score

from cladebench.clusterers import fit_clusterer, number_of, takes, tree_of
from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative, BirchTree, FlatKMeans, OracleTree

X = np.random.default_rng(0).normal(size=(40, 2)) + 9 * (np.arange(40) % 4)[:, None]


@pytest.mark.parametrize(
    ("cls", "kind", "sparse", "reason"),
    [
        (Agglomerative, "features", False, ""),
        (Agglomerative, "distances", False, ""),
        (BirchTree, "distances", False, "BirchTree takes features, not distances"),
        (
            Agglomerative,
            "features",
            True,
            "Agglomerative takes no sparse features (no tag input_tags.sparse)",
        ),
        (FlatKMeans, "features", True, ""),
        (OracleTree, "features", False, "OracleTree learns from labels"),
        (HDBSCAN, "distances", False, ""),
        (Birch, "distances", False, "Birch takes features, not distances"),
        (AgglomerativeClustering, "distances", False, "with linkage='ward' takes features"),
        (SpectralClustering, "distances", False, "takes features, not distances"),
    ],
)
def test_a_class_says_what_it_takes(cls, kind, sparse, reason):
    said = takes(cls, kind, sparse)[1]
    assert reason in said and bool(reason) == bool(said)


class AnyMetric:
    _parameter_constraints: ClassVar = {"metric": [str, callable]}

    def __init__(self, metric="euclidean"):
        self.metric = metric


class TwoMetrics(AnyMetric):
    _parameter_constraints: ClassVar = {"metric": [SimpleNamespace(options={"euclidean", "cosine"})]}


class Sparse(BaseEstimator):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def test_a_users_class_takes_sparse_features_by_its_tag():
    assert takes(Sparse, "features", True) == ({}, "")
    assert (
        takes(AnyMetric, "features", True)[1]
        == "AnyMetric takes no sparse features (no tag input_tags.sparse)"
    )


class Needs:
    def __init__(self, must, metric="euclidean"):
        pass


class Pairwise:
    def __sklearn_tags__(self):
        tags = KMeans().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


def test_distances_go_to_a_metric_that_may_be_precomputed_or_to_a_tag():
    forced = {"metric": ["precomputed"]}
    assert takes(AnyMetric, "distances") == takes(Needs, "distances") == (forced, "")
    assert "(no metric='precomputed')" in takes(TwoMetrics, "distances")[1]
    assert takes(Pairwise, "distances") == ({}, "")
    assert takes(Pairwise, "features")[1] == "Pairwise takes distances, not features"


def test_of_a_grid_the_linkages_are_left_that_distances_have():
    grid = {"linkage": ["ward", "average", "single"]}
    assert takes(AgglomerativeClustering, "distances", grid=grid) == (
        {"metric": ["precomputed"], "linkage": ["average", "single"]},
        "",
    )
    assert takes(AgglomerativeClustering, "distances", grid={"linkage": ["average"]})[1] == ""
    assert takes(AgglomerativeClustering, "features", grid=grid) == ({}, "")


def test_the_number_of_clusters_goes_by_several_names():
    assert number_of(["a", "k", "n_clusters"]) == "n_clusters"
    assert (number_of(["k"]), number_of(["a"])) == ("k", "")


class Means:
    """No `labels_`: its clusters are what it predicts of the rows."""

    def fit(self, X):
        self.means_ = KMeans(4, n_init=1, random_state=0).fit(X).cluster_centers_

    def predict(self, X):
        return np.square(X[:, None] - self.means_).sum(axis=2).argmin(axis=1)


class WritesInFit(Means):
    def fit(self, X):
        super().fit(X)
        X[:] = 0.0


class WritesInPredict(Means):
    def predict(self, X):
        found = super().predict(X)
        X[:] = 0.0
        return found


class FitsTwice:
    def fit(self, X):
        X[:] = 0.0

    def fit_predict(self, X):
        means = Means()
        means.fit(X)
        return means.predict(X)


@pytest.mark.parametrize("method", [WritesInFit, WritesInPredict, FitsTwice])
def test_a_method_that_writes_into_its_rows_finds_the_same_clusters(method):
    before, right = X.copy(), fit_clusterer(Means(), X, 4).clusters
    assert len(np.unique(right)) == 4
    np.testing.assert_array_equal(fit_clusterer(method(), X, 4).clusters, right)
    np.testing.assert_array_equal(X, before)


class Gives:
    """Has these labels after its fit, or gives them."""

    def __init__(self, **given):
        vars(self).update(given)

    def fit(self, X):
        return self


def test_what_is_read_first_are_labels_then_a_tree():
    Z = linkage(X, "average")
    cut = fit_clusterer(Gives(linkage_=Z), X, 3)
    assert adjusted_rand_score(cut.clusters, fcluster(Z, 3, "maxclust")) == 1 and cut.tree.n_samples == 40
    labels = np.arange(40) % 2
    both = fit_clusterer(Gives(linkage_=Z, labels_=labels), X, 3)
    assert (both.clusters == labels).all() and both.tree is not None and both.seconds >= 0
    alone = fit_clusterer(SimpleNamespace(fit_predict=lambda X: labels), X, 3)
    assert (alone.clusters == labels).all() and alone.tree is None


def test_noise_is_a_cluster_of_its_own_for_each_row():
    labels = np.where(np.arange(40) < 3, -1, 7)
    assert fit_clusterer(Gives(labels_=labels), X, 2).clusters.tolist() == [1, 2, 3, *[0] * 37]


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({}, TypeError, "Gives gives no clusters; expected labels_, predict, fit_predict or a tree"),
        ({"labels_": [0, 1]}, ValueError, r"Gives gave labels of shape \(2,\); expected \(40,\), one a row"),
        ({"labels_": ["a"] * 40}, TypeError, "Gives gave labels of text; expected whole numbers"),
        ({"labels_": [0.5] * 40}, TypeError, "labels of type float64; expected whole numbers"),
    ],
)
def test_what_are_no_clusters_is_refused(given, error, said):
    with pytest.raises(error, match=said):
        fit_clusterer(Gives(**given), X, 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"children_": [[0, 0], [1, 2]]}, "Gives.children_ merges node 0 more than once"),
        (
            {"children_": [[0, 1], [-1, 2]]},
            r"Gives.children_\[1, 0\] is -1; expected a node made before: 0..3",
        ),
        ({"children_": [[0, 1], [9, 2]]}, r"Gives.children_\[1, 0\] is 9; expected"),
        ({"children_": [[0, 1.7], [3, 2]]}, r"Gives.children_\[0, 1\] is 1.7; expected"),
        ({"children_": [[0, 4], [1, 2]]}, r"Gives.children_\[0, 1\] is 4; expected a node made before: 0..2"),
        ({"children_": [0, 1]}, r"Gives.children_ has shape \(2,\); expected \(n_samples - 1, 2\)"),
        ({"children_": [["a", "b"]]}, "Gives.children_ is not an array of numbers"),
        (
            {"children_": [[0, 1], [3, 2]], "distances_": [1.0]},
            r"Gives.distances_ has shape \(1,\); expected \(2,\)",
        ),
    ],
)
def test_merges_that_make_no_tree_are_named(given, said):
    with pytest.raises(ValueError, match=said):
        tree_of(Gives(**given), 3)


def test_trees_are_read_from_what_estimators_of_others_have():
    Z = linkage(np.random.default_rng(0).normal(size=(6, 2)), "average")
    merges = Z[:, :2].astype(int)
    plot = SimpleNamespace(to_numpy=lambda: Z)
    for fitted in (
        SimpleNamespace(linkage_=Z),
        SimpleNamespace(linkage_matrix_=Z),
        SimpleNamespace(single_linkage_tree_=plot),
        SimpleNamespace(children_=merges, distances_=Z[:, 2]),
        SimpleNamespace(children_=merges, n_leaves_=6, distances_=Z[:, 2]),
    ):
        tree = tree_of(fitted, 6)
        assert (tree.parents == Hierarchy.from_linkage(Z).parents).all() and tree.heights is not None
        assert tree_of(fitted, 7) is None  # of other rows
    assert tree_of(SimpleNamespace(labels_=[0]), 6) is None
    assert tree_of(SimpleNamespace(children_=merges, transform=None), 6) is None
