"""New samples go down the tree by the models of its splits."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from cladebench import Hierarchy
from cladebench.methods import (
    GHC,
    HMMC,
    MMC,
    BalancedKMeans,
    BirchTree,
    FlatKMeans,
    GreedyKMeans,
    HierarchicalKMeans,
)
from cladebench.methods._placing import Placing, place
from strategies import hierarchies


def blobs(seed: int = 0, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(n) % 4
    centres = 8.0 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    return centres[y] + np.random.default_rng(seed).normal(size=(n, 2)), y


@given(hierarchies(), st.integers(0, 9))
def test_each_row_goes_to_the_child_of_the_largest_score(tree: Hierarchy, seed: int) -> None:
    rng = np.random.default_rng(seed)
    most = max(len(tree.children(v)) for v in range(tree.n_nodes))
    # Whole numbers: scores are exact, and some are equal.
    X = rng.integers(-1, 2, size=(12, 2)).astype(float)
    W = rng.integers(-1, 2, size=(tree.n_nodes, most, 2)).astype(float)
    b = rng.integers(-1, 2, size=(tree.n_nodes, most)).astype(float)

    def scores(rows: np.ndarray, node: int) -> np.ndarray | None:
        n_children = len(tree.children(node))
        return rows @ W[node, :n_children].T + b[node, :n_children] if n_children else None

    for row, found in zip(X, place(X, tree, scores), strict=True):
        node = tree.root
        while len(children := tree.children(node)):
            scores = [float(W[node, k] @ row + b[node, k]) for k in range(len(children))]
            node = int(children[scores.index(max(scores))])
        assert found == node


@pytest.mark.parametrize(
    "method",
    [
        HMMC(4, n_leaves=6, random_state=0),
        HMMC(4, n_splits=4, fit_intercept=True, random_state=0),
        MMC(4, random_state=0, n_init=5),
        GHC(4, random_state=0),
        FlatKMeans(4, n_init=5, random_state=0),
        HierarchicalKMeans(4, n_init=5, random_state=0),
        HierarchicalKMeans(4, branching=4, n_init=5, random_state=0),
        GreedyKMeans(4, n_leaves=6, n_init=5, grow="scattered", random_state=0),
        BalancedKMeans(4, n_leaves=6, random_state=0),
        BirchTree(4, branching_factor=4, random_state=0),
    ],
    ids=str,
)
def test_new_rows_get_the_clusters_of_rows_like_them(method: Placing) -> None:
    X, y = blobs()
    method = clone(method).fit(X, y)  # a parameter that holds a tree would outlive the run
    new, classes = blobs(seed=1, n=400)
    placed = method.predict(new)
    assert set(placed) <= set(method.labels_) and placed.dtype == np.intp
    # As pure as the clusters themselves: of each class most rows are where most of the fitted ones are.
    for k in range(4):
        assert np.bincount(placed[classes == k]).argmax() == np.bincount(method.labels_[y == k]).argmax()
    assert adjusted_rand_score(method.predict(X), method.labels_) > 0.9


def nearest_way_down(fitted: Placing, row: np.ndarray) -> int:
    """The cluster of a row, by the means of the fitted samples below each child."""
    tree, node = fitted.hierarchy_, fitted.hierarchy_.root
    while len(np.unique(fitted.labels_[tree.samples(node)])) > 1:
        means = [fitted.fitted_[tree.samples(child)].mean(axis=0) for child in tree.children(node)]
        node = int(tree.children(node)[np.argmin([((row - mean) ** 2).sum() for mean in means])])
    return int(fitted.labels_[tree.samples(node)[0]])


@given(st.integers(0, 10**6), st.integers(3, 30), st.integers(1, 6), st.sampled_from([2, 3]))
def test_each_row_goes_to_the_child_of_the_nearest_mean(
    seed: int, n: int, n_clusters: int, n_splits: int
) -> None:
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(n, 2)) + 50.0, rng.normal(size=(20, 2)) + 50.0
    X[n // 2 :] = X[: n - n // 2]  # duplicates
    n_clusters = min(n_clusters, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fewer clusters than asked for
        for method in (
            HierarchicalKMeans(n_clusters, branching=n_splits, random_state=0),
            GreedyKMeans(n_clusters, n_splits=n_splits, random_state=0),
            BalancedKMeans(n_clusters, n_splits=n_splits, random_state=0),
            FlatKMeans(n_clusters, random_state=0),
        ):
            method.fit(X)
            method.fitted_ = X
            assert method.predict(new).tolist() == [nearest_way_down(method, row) for row in new]
            if not isinstance(method, BalancedKMeans):
                assert np.array_equal(method.predict(X), method.labels_)


@pytest.mark.parametrize("max_iter", [1, 2])
def test_fitted_rows_keep_their_clusters_where_k_means_was_cut_short(max_iter: int) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    for cls in (HierarchicalKMeans, GreedyKMeans, FlatKMeans):
        fitted = cls(9, max_iter=max_iter, random_state=0).fit(X)
        assert np.array_equal(fitted.predict(X), fitted.labels_)


def test_sparse_rows_go_where_dense_ones_go() -> None:
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(80, 6)) * (rng.uniform(size=(80, 6)) < 0.4)
    fitted = FlatKMeans(5, random_state=0).fit(csr_array(X))
    assert np.array_equal(fitted.predict(csr_array(X)), fitted.predict(X))
    assert np.array_equal(fitted.predict(X), fitted.labels_)


def test_of_equally_near_centres_the_first_is_taken() -> None:
    fitted = FlatKMeans(2, random_state=0).fit([[0.0], [2.0]])
    assert fitted.cluster_centers_.tolist() == [[0.0], [2.0]] and fitted.predict([[1.0]]).tolist() == [0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((2, 3)), "X has 3 features"),
        (np.array([[np.inf, 0.0]]), "infinity"),
        (np.ma.array(np.zeros((1, 2)), mask=[[True, False]]), "masked"),
    ],
)
def test_wrong_rows_are_refused(rows: np.ndarray, message: str) -> None:
    fitted = MMC(2, random_state=0).fit(blobs()[0])
    with pytest.raises(ValueError, match=message):
        fitted.predict(rows)
