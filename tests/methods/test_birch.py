import warnings

import numpy as np
import pytest
from sklearn.cluster import Birch

from cladebench.methods import BirchTree


def blobs(n: int = 60) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.repeat([[0.0, 0.0], [20.0, 0.0], [0.0, 20.0]], n // 3, axis=0) + rng.normal(size=(n, 2))


@pytest.mark.parametrize("branching_factor", [2, 3, 50])
def test_without_a_threshold_every_distinct_sample_is_a_leaf(branching_factor: int) -> None:
    X = blobs()
    tree = BirchTree(branching_factor=branching_factor, random_state=0).fit(X).hierarchy_
    assert len(set(tree.leaf_of)) == len(X) == tree.n_leaves
    assert np.diff(tree.child_ptr).max() <= branching_factor


def test_up_to_branching_factor_samples_make_a_star() -> None:
    X = np.random.default_rng(2).normal(size=(51, 2))
    for n, is_star in ((50, True), (51, False)):
        tree = BirchTree(random_state=0).fit(X[:n]).hierarchy_
        assert (len(tree.children(tree.root)) == n) == is_star


def test_equal_samples_share_a_leaf() -> None:
    X = np.repeat(blobs(30), 2, axis=0)
    leaf_of = BirchTree(branching_factor=3, random_state=1).fit(X).hierarchy_.leaf_of
    assert np.array_equal(leaf_of[::2], leaf_of[1::2])
    assert len(set(leaf_of)) == 30


def test_leaves_are_scikit_learns_subclusters() -> None:
    X = blobs()
    order = np.random.RandomState(4).permutation(len(X))
    centred = X - X.mean(axis=0)
    birch = Birch(threshold=1.5, branching_factor=3, n_clusters=None).fit(centred[order])
    expected = birch.predict(centred)
    leaf_of = BirchTree(threshold=1.5, branching_factor=3, random_state=4).fit(X).hierarchy_.leaf_of
    assert 3 < len(set(leaf_of)) < 40
    assert np.array_equal(leaf_of[:, None] == leaf_of, expected[:, None] == expected)


def test_nodes_are_those_of_the_clustering_feature_tree() -> None:
    # Four points on a line, at most two entries a node: inserted in any order, the tree pairs the near ones.
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    for seed in range(10):
        tree = BirchTree(branching_factor=2, random_state=seed).fit(X).hierarchy_
        assert tree.sizes[tree.lca([0, 2, 0], [1, 3, 2])].tolist() == [2, 2, 4]


def test_a_far_offset_merges_nothing() -> None:
    # Sums of squares about the origin would keep no digit of the distances.
    X = blobs() + 2.0**30
    assert len(set(BirchTree(branching_factor=3, random_state=0).fit(X).hierarchy_.leaf_of)) == 60


@pytest.mark.parametrize("branching_factor", [50, 51, 2**31 - 1])
def test_a_branching_factor_beyond_the_samples_makes_a_star(branching_factor: int) -> None:
    X = np.random.default_rng(2).normal(size=(50, 2))
    tree = BirchTree(branching_factor=branching_factor, random_state=0).fit(X).hierarchy_
    assert len(tree.children(tree.root)) == 50
    assert BirchTree(n_clusters=1, branching_factor=branching_factor).fit(X[:1]).labels_.tolist() == [0]


def test_a_threshold_beyond_all_distances_puts_all_samples_into_one_leaf() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    for threshold in (1e3, 1e200, 1e308):
        assert BirchTree(threshold=threshold).fit(X).hierarchy_.n_nodes == 1


def test_numbers_of_clusters_that_its_tree_skips_are_named() -> None:
    X = np.arange(20.0).reshape(-1, 1)
    with pytest.warns(
        UserWarning, match=r"BirchTree: labels_ has 1 cluster, .* n_clusters=2; expected n_clusters=1 or 20"
    ):
        assert (BirchTree(2, random_state=0).fit(X).labels_ == 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n_clusters in (1, 20):
            assert BirchTree(n_clusters, random_state=0).fit(X).labels_.max() == n_clusters - 1
        assert BirchTree(2, branching_factor=2, random_state=0).fit(X).labels_.max() == 1
        BirchTree(20, random_state=0).fit(
            np.zeros((20, 1))
        )  # one leaf: no tree of these rows has more clusters
