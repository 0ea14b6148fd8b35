import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles

from cladebench.class_labels import by_first_member
from cladebench.methods import FlatKMeans, FlatSpectral
from cladebench.methods._flat import flat_hierarchy

FLAT = [FlatKMeans, FlatSpectral]


def test_a_flat_clustering_is_a_root_over_its_clusters() -> None:
    labels = np.array([1, 0, 2, 1, 0])
    tree = flat_hierarchy(labels)
    assert tree.parents.tolist() == [-1, 0, 0, 0]
    assert tree.heights.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert [sorted(tree.samples(1 + k).tolist()) for k in range(3)] == [[1, 4], [0, 3], [2]]
    assert tree.cut(2).tolist() == [0] * 5
    assert tree.cut(3).tolist() == tree.cut(5).tolist() == labels.tolist()


def test_one_cluster_is_one_node() -> None:
    tree = flat_hierarchy(np.zeros(4, dtype=int))
    assert (tree.n_nodes, tree.n_samples, tree.heights.tolist()) == (1, 4, [0.0])


@pytest.mark.parametrize("cls", FLAT)
def test_groups_are_found(cls: Any) -> None:
    X, y = make_blobs(200, 6, centers=5, cluster_std=1.0, random_state=4)
    fitted = cls(5, n_init=10, random_state=0).fit(X)
    assert np.array_equal(fitted.labels_, by_first_member(y))
    assert fitted.hierarchy_.n_leaves == 5
    assert fitted.hierarchy_.depths.max() == 1


@pytest.mark.parametrize("cls", FLAT)
def test_one_cluster_and_equal_samples(cls: Any) -> None:
    for X, n_clusters in ((np.arange(6.0)[:, None], 1), (np.ones((6, 2)), 3)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert cls(n_clusters, random_state=0).fit(X).hierarchy_.n_nodes == 1


def test_k_means_is_scikit_learns() -> None:
    X = np.random.default_rng(0).normal(size=(150, 4))
    fitted = FlatKMeans(6, n_init=3, random_state=5).fit(X)
    seed = np.random.RandomState(5).randint(np.iinfo(np.int32).max)
    expected = KMeans(6, n_init=3, random_state=seed).fit(X)
    assert np.array_equal(fitted.labels_, by_first_member(expected.labels_))
    assert fitted.n_iter_ == expected.n_iter_


def test_k_means_with_fewer_distinct_samples_than_clusters() -> None:
    X = np.array([[3.0], [1.0], [3.0], [2.0], [1.0]])
    fitted = FlatKMeans(5, random_state=0).fit(X)
    assert fitted.labels_.tolist() == [0, 1, 0, 2, 1]
    assert fitted.hierarchy_.n_nodes == 4


def sparse_counts() -> np.ndarray:
    random = np.random.default_rng(0)
    return random.poisson(np.where(np.arange(40) // 10 == (np.arange(80) % 4)[:, None], 1.5, 0.1)).astype(
        float
    )


@pytest.mark.parametrize("convert", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_k_means_of_sparse_samples_is_that_of_dense_ones(convert: Any, index: type) -> None:
    X = sparse_counts()
    thin = convert(X)
    if thin.format == "csr":
        thin.indices, thin.indptr = thin.indices.astype(index), thin.indptr.astype(index)
    found, expected = FlatKMeans(4, random_state=1).fit(thin), FlatKMeans(4, random_state=1).fit(X)
    assert np.array_equal(found.labels_, expected.labels_) and len(set(found.labels_)) == 4
    assert np.array_equal(found.hierarchy_.leaf_of, expected.hierarchy_.leaf_of)


def test_entries_that_stand_twice_add_up_and_stay_where_they_are() -> None:
    X = sparse.csr_array(
        (np.array([3.0, -3.0, 9.0, 9.1]), np.array([0, 0, 0, 0]), np.array([0, 2, 3, 4, 4])), shape=(4, 1)
    )
    assert FlatKMeans(2, random_state=0).fit(X).labels_.tolist() == [0, 1, 1, 0]
    assert X.data.tolist() == [3.0, -3.0, 9.0, 9.1]


def test_spectral_clustering_follows_the_graph_where_k_means_does_not() -> None:
    X, y = make_circles(400, factor=0.4, noise=0.03, random_state=0)
    assert np.array_equal(FlatSpectral(2, random_state=0).fit(X).labels_, by_first_member(y))
    assert not np.array_equal(FlatKMeans(2, random_state=0).fit(X).labels_, by_first_member(y))


def test_the_graph_may_be_wider() -> None:
    X = np.concatenate([np.arange(8.0), [20.0, 21.0]])[:, None]
    # With one neighbour each, pairs are components; the largest number of points comes first.
    assert FlatSpectral(2, n_neighbors=1, random_state=0).fit(X).labels_.tolist() == [0] * 8 + [1] * 2
    assert FlatSpectral(2, n_neighbors=100, random_state=0).fit(X).labels_.tolist() == [0] * 8 + [1] * 2
