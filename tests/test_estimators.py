"""Estimators by name, and what any of them gives as distance, tree and labels."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, FeatureAgglomeration, KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors, NeighborhoodComponentsAnalysis
from sklearn.preprocessing import StandardScaler

import cladebench.methods as methods
from cladebench import distances
from cladebench.distances import Euclidean
from cladebench.estimators import as_distance, as_hierarchy, as_labels, check_values, find, parameters
from cladebench.hierarchy import Hierarchy
from cladebench.methods import Agglomerative, RandomClusters

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.arange(40) % 3


def test_names_and_dotted_paths() -> None:
    assert find("Agglomerative") is Agglomerative
    assert find("Euclidean") is Euclidean
    assert find("cladebench.methods.Agglomerative") is Agglomerative
    assert find("sklearn.neighbors.NeighborhoodComponentsAnalysis") is NeighborhoodComponentsAnalysis
    assert find("sklearn.cluster.HDBSCAN") is HDBSCAN


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Aglomerative", "'Aglomerative' is unknown; did you mean 'Agglomerative'.*dotted path"),
        ("Euclidian", "did you mean 'Euclidean'"),
        ("discover", "'discover' is unknown"),
        ("birch", "'birch' is unknown"),
        ("no_such_package.cluster.X", "there is no module no_such_package; expected one"),
        ("sklearn.clusters.HDBSCAN", "there is no module sklearn.clusters; expected one"),
        ("sklearn.cluster.HDBSCANN", "sklearn.cluster has no HDBSCANN; did you mean 'HDBSCAN'"),
        ("sklearn.cluster.k_means", "it is a function; expected a class"),
        ("", "expected a name"),
        (".x", "expected a name"),
        ("a b", "expected a name"),
        (None, "expected a name"),
    ],
)
def test_names_that_lead_nowhere(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        find(name)


def test_a_module_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "failing_one.py").write_text("import no_such_package\n")
    (tmp_path / "failing_two.py").write_text("1 / 0\n")
    with pytest.raises(
        ImportError, match=r"'failing_one\.X': failing_one cannot be imported .*no_such_package"
    ):
        find("failing_one.X")
    with pytest.raises(ImportError, match=r"'failing_two\.X': .*ZeroDivisionError: division by zero"):
        find("failing_two.X")


def test_one_name_in_both_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "Euclidean", Agglomerative, raising=False)
    with pytest.raises(ValueError, match=r"'Euclidean' is ambiguous: .*agglomerative.* and .*euclidean"):
        find("Euclidean")


@pytest.mark.parametrize(
    ("cls", "values", "message"),
    [
        (Agglomerative, {"linkage": "wrad"}, "linkage='wrad': expected one of "),
        (Agglomerative, {"n_clusters": "two"}, "n_clusters='two': expected an integer >= 1"),
        (RandomClusters, {"random_state": -1}, "random_state=-1: expected None, an integer in "),
        (
            distances.RandomProjection,
            {"random_state": "x"},
            "random_state='x': expected None, an integer in ",
        ),
        (distances.LMNN, {"n_neighbors": 0}, "n_neighbors=0: expected an integer >= 1"),
        (distances.ExemplarMetric, {"random_state": 0.5}, "random_state=0.5: expected None, an "),
        (KMeans, {"n_clusters": 0}, "n_clusters=0: expected an int in the range [1, inf)"),
        (PCA, {"svd_solver": "fast"}, "svd_solver='fast': expected a str among "),
        (methods.GHC, {"router": "lineal"}, "router='lineal': expected one of linear, neural"),
        (methods.GHC, {"router": 3}, "router=3: expected 'linear', 'neural' or an object"),
    ],
)
def test_values_are_checked_without_data(cls: type, values: dict, message: str) -> None:
    check_values(cls, {})
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        check_values(cls, values)
    if not issubclass(cls, distances.ExemplarMetric):  # which is fitted to stacks
        with pytest.raises(ValueError, match=re.escape(next(iter(values)))):  # a fit refuses it, too
            cls(**values).fit(X, Y)


def test_values_of_other_classes_are_not_checked() -> None:
    class Own:
        def __init__(self, size: int = 1) -> None:
            self.size = size

    check_values(Own, {"size": "large"})


def test_parameters() -> None:
    assert parameters(RandomClusters) == {"n_clusters": 2, "random_state": None}
    assert parameters(Euclidean) == {}
    assert set(parameters(PCA)) == set(PCA().get_params())

    class Odd:
        def __init__(self, a, *args, b=1, **more):
            pass

    assert parameters(Odd) == {"a": inspect.Parameter.empty, "b": 1}


@pytest.mark.parametrize(
    "transformer", [PCA(n_components=2), NeighborhoodComponentsAnalysis(max_iter=5, random_state=0)], ids=str
)
def test_the_distance_of_a_transformer_is_euclidean_after_it(transformer) -> None:
    mapped = clone(transformer).fit(X, Y).transform(X)
    unfitted = as_distance(clone(transformer)).fit(X, Y, must_link=[[0, 3]], cannot_link=[[0, 1]])
    fitted = as_distance(clone(transformer).fit(X, Y), X)
    theirs, places = NearestNeighbors(algorithm="brute").fit(mapped).kneighbors(mapped[:6], 4)
    for distance in (unfitted, fitted):
        np.testing.assert_allclose(distance.pairwise(X), cdist(mapped, mapped), atol=1e-12)
        np.testing.assert_allclose(distance.pairwise(X[:3], X[5:]), cdist(mapped[:3], mapped[5:]), atol=1e-12)
        found, index = distance.kneighbors(X[:6], 4)
        assert np.array_equal(index, places)
        np.testing.assert_allclose(found, theirs, atol=1e-7)
        assert len(distance.get_feature_names_out()) == distance.transform(X).shape[1] == mapped.shape[1]


def test_a_transformer_that_writes_into_its_rows_changes_no_distance() -> None:
    rows = X.copy()
    distance = as_distance(StandardScaler(copy=False)).fit(rows)
    first = distance.pairwise(rows)
    near = distance.kneighbors(n_neighbors=3)
    assert np.array_equal(distance.pairwise(rows), first) and np.array_equal(rows, X)
    for one, other in zip(near, distance.kneighbors(n_neighbors=3), strict=True):
        assert np.array_equal(one, other)
    np.testing.assert_allclose(first, cdist(X / X.std(axis=0), X / X.std(axis=0)), atol=1e-12)


class Doubled:
    """A transformer that scikit-learn's own functions do not take for an estimator."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return 2 * X


def test_the_distance_of_a_transformer_takes_sparse_rows_where_the_transformer_does() -> None:
    rows = csr_array(np.where(X > 0, X, 0))
    transformer = TruncatedSVD(n_components=2, random_state=0)
    dense, kept = (as_distance(clone(transformer)).fit(x) for x in (rows.toarray(), rows))
    np.testing.assert_allclose(kept.pairwise(rows[:4]), dense.pairwise(rows[:4].toarray()), atol=1e-12)
    assert np.array_equal(
        kept.kneighbors(rows, 3, return_distance=False),
        dense.kneighbors(rows.toarray(), 3, return_distance=False),
    )
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        as_distance(NeighborhoodComponentsAnalysis().fit(X, Y), rows)


def test_what_a_distance_is_made_of() -> None:
    own = Euclidean().fit(X)
    assert as_distance(own) is own
    for wrong in (KMeans, 3, RandomClusters(), PCA, Doubled()):
        with pytest.raises(TypeError, match="gives no distance; expected a Distance"):
            as_distance(wrong)
    with pytest.raises(ValueError, match="not fitted"):
        as_distance(PCA(), X)
    for ask in ("pairwise", "kneighbors"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(as_distance(PCA()), ask)(X)
    without_rows = as_distance(PCA(2).fit(X))
    np.testing.assert_allclose(without_rows.pairwise(X), as_distance(PCA(2)).fit(X).pairwise(X))
    with pytest.raises(ValueError, match=r"PCA has no rows to search; expected as_distance\(fitted, X\)"):
        without_rows.kneighbors(X)
    with pytest.raises(ValueError, match="has no rows"):
        without_rows.kneighbors()
    with pytest.raises(ValueError, match="must_link has shape"):
        as_distance(PCA()).fit(X, must_link=[0, 1])


@pytest.mark.parametrize("method", ["ward", "average", "complete", "single"])
def test_the_tree_of_scikit_learn_is_that_of_scipy(method: str) -> None:
    fitted = AgglomerativeClustering(n_clusters=3, linkage=method, compute_distances=True).fit(X)
    tree, ours = as_hierarchy(fitted), Hierarchy.from_linkage(linkage(X, method))
    i, j = np.triu_indices(40, 1)
    np.testing.assert_allclose(tree.heights[tree.lca(i, j)], ours.heights[ours.lca(i, j)])
    assert len({(a, b) for a, b in zip(tree.cut(3), fitted.labels_, strict=True)}) == 3


def test_trees() -> None:
    own = Agglomerative().fit(X)
    assert as_hierarchy(own) is own.hierarchy_
    assert as_hierarchy(AgglomerativeClustering().fit(X)).heights is None
    for wrong in (
        KMeans(n_clusters=2).fit(X),
        AgglomerativeClustering(),
        FeatureAgglomeration().fit(X),
        None,
    ):
        with pytest.raises(TypeError, match="gives no tree; expected a fitted estimator with hierarchy_"):
            as_hierarchy(wrong)
    graph = NearestNeighbors().fit(X).kneighbors_graph(mode="connectivity")
    part = AgglomerativeClustering(n_clusters=30, connectivity=graph, compute_full_tree=False).fit(X)
    with pytest.raises(ValueError, match=r"10 merges of 40 samples; expected 39: .*compute_full_tree=True"):
        as_hierarchy(part)


def test_each_noise_sample_is_a_cluster_of_its_own() -> None:
    rows = [[0.0], [9.0], [0.1], [0.2], [5.0], [5.1], [5.2], [20.0]]
    fitted = DBSCAN(eps=0.5, min_samples=3).fit(rows)
    assert fitted.labels_.tolist() == [0, -1, 0, 0, 1, 1, 1, -1]
    assert as_labels(fitted).tolist() == [0, 2, 0, 0, 1, 1, 1, 3]
    assert as_labels(DBSCAN().fit(np.array(rows) * 10)).tolist() == list(range(8))


def test_hdbscan_has_other_sorts_of_noise() -> None:
    rows = np.array([[0.0], [0.1], [0.2], [np.inf], [5.0], [5.1], [np.nan], [5.2], [40.0]])
    fitted = HDBSCAN(min_cluster_size=3, copy=True).fit(rows)
    assert {-3, -2} <= set(fitted.labels_)
    labels = as_labels(fitted)
    noise = fitted.labels_ < 0
    assert len(set(labels[noise])) == noise.sum() and set(labels[noise]).isdisjoint(labels[~noise])
    assert np.array_equal(labels[~noise], fitted.labels_[~noise])


def test_labels() -> None:
    own = RandomClusters(3, random_state=0).fit(X)
    assert np.array_equal(as_labels(own), own.labels_)
    fitted = KMeans(n_clusters=3, n_init=1, random_state=0).fit(X)
    assert np.array_equal(as_labels(fitted), fitted.labels_) and as_labels(fitted).dtype == np.int64
    for wrong in (KMeans(), GaussianMixture(2).fit(X), None):
        with pytest.raises(TypeError, match="gives no clusters"):
            as_labels(wrong)


def test_rows_that_would_crash_a_transformer_are_refused_first() -> None:
    damaged = csr_array(X)
    damaged.indices[1] = 10**6
    for ask in (as_distance(TruncatedSVD(2)).fit, as_distance(TruncatedSVD(2).fit(X)).pairwise):
        with pytest.raises(ValueError, match=r"X has the column 1000000; expected 0\.\.2"):
            ask(damaged)
