import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from cladebench.class_labels import by_first_member
from cladebench.methods import GreedyKMeans, _greedy_distance
from cladebench.methods._greedy_distance import AVERAGES, distances_to_centers, within_cluster_distance
from cladebench.methods._kmeans import kmeans_labels


def average_distance(X: np.ndarray, parts: list[np.ndarray]) -> float:
    """Average distance of the samples to the centres of their clusters, one sample at a time."""
    distances = [
        float(np.linalg.norm(X[i] - np.mean([X[j] for j in part], axis=0))) for part in parts for i in part
    ]
    return sum(distances) / len(distances)


def total_distance(X: np.ndarray, samples: np.ndarray) -> float:
    return average_distance(X, [samples]) * len(samples)


def within_twin(X: np.ndarray, labels: np.ndarray, average_over: str) -> float:
    """The three averages, one distance at a time."""
    clusters = [X[labels == j] for j in np.unique(labels)]
    if average_over == "pairs":
        apart = [float(np.linalg.norm(a - b)) for part in clusters for a, b in combinations(part, 2)]
        return sum(apart) / len(apart) if apart else 0.0
    means = [[float(np.linalg.norm(x - part.mean(axis=0))) for x in part] for part in clusters]
    if average_over == "clusters":
        return sum(sum(part) / len(part) for part in means) / len(means)
    return sum(map(sum, means)) / len(X)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(-3, 3), min_size=2, max_size=24),
    n_clusters=st.integers(1, 4),
    block=st.integers(1, 60),
    average_over=st.sampled_from(AVERAGES),
)
def test_the_averages_are_those_of_the_twin(
    values: list[int], n_clusters: int, block: int, average_over: str
) -> None:
    # Ties, equal samples and clusters of one; blocks of any size.
    X = np.array(values[: len(values) // 2 * 2], dtype=float).reshape(-1, 2) + 40.0
    labels = by_first_member(np.arange(len(X)) ** 2 % n_clusters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_greedy_distance, "BLOCK", block)
        found = within_cluster_distance(X, labels, average_over)
    assert found == pytest.approx(within_twin(X, labels, average_over), rel=1e-12, abs=1e-6)


def test_a_pair_a_cluster_and_a_sample_weigh_differently() -> None:
    # Clusters {0, 6} and {20, 21, 22, 22}: pairs 6 | 1 2 2 1 1 0; to the means 3 3 | 1.25 0.25 0.75 0.75.
    X, labels = np.array([[0.0], [6], [20], [21], [22], [22]]), np.array([0, 0, 1, 1, 1, 1])
    assert within_cluster_distance(X, labels) == pytest.approx(1.5)
    assert within_cluster_distance(X, labels, "clusters") == pytest.approx((3.0 + 0.75) / 2)
    assert within_cluster_distance(X, labels, "pairs") == pytest.approx(13 / 7, abs=1e-7)


@pytest.mark.parametrize("average_over", ["clusters", "pairs"])
def test_a_leaf_is_scored_by_the_average_that_is_asked_for(average_over: str) -> None:
    X = np.random.default_rng(1).normal(size=(80, 3))
    tree = GreedyKMeans(12, average_over=average_over, random_state=0).fit(X).hierarchy_
    plain = GreedyKMeans(12, random_state=0).fit(X).hierarchy_
    for node in np.flatnonzero(tree.node_data["order"] >= 0):
        rows = tree.samples(node)
        side = np.isin(rows, tree.samples(tree.children(node)[1])).astype(int)
        expected = -within_twin(X[rows], side, average_over)
        assert tree.node_data["score"][node] == pytest.approx(expected, rel=1e-9)
    assert not np.array_equal(tree.leaf_of, plain.leaf_of)
    scattered = [
        GreedyKMeans(12, grow="scattered", average_over=rule, random_state=0).fit(X).hierarchy_.leaf_of
        for rule in ("samples", average_over)
    ]
    assert np.array_equal(*scattered)


@pytest.mark.filterwarnings("ignore:.*labels_ has")
@pytest.mark.parametrize("n_splits", [2, 3])
@pytest.mark.parametrize("grow", ["compact", "scattered"])
def test_scores_and_order_are_as_defined(grow: str, n_splits: int) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3)) + 50.0
    tree = GreedyKMeans(10, n_splits=n_splits, grow=grow, random_state=0).fit(X).hierarchy_
    scores, order = tree.node_data["score"], tree.node_data["order"]
    for node in np.flatnonzero(order >= 0):
        if grow == "compact":
            expected = -average_distance(X, [tree.samples(child) for child in tree.children(node)])
        else:
            expected = total_distance(X, tree.samples(node))
        assert scores[node] == pytest.approx(expected, rel=1e-12)
    for t, node in enumerate(np.argsort(order)[np.sort(order) >= 0]):
        # Leaves at the time: made by an earlier split, split later or never.
        standing = [
            v for v in range(1, tree.n_nodes) if order[tree.parents[v]] < t and not 0 <= order[v] <= t
        ]
        assert all(scores[v] <= scores[node] for v in standing if order[v] > t)
        if grow == "scattered":
            totals = [total_distance(X, tree.samples(v)) for v in standing if tree.sizes[v] >= n_splits]
            assert max(totals, default=0.0) <= scores[node] * (1 + 1e-12)


def test_the_rules_differ_as_their_names_say() -> None:
    # Two tight groups, far away from a wide one.
    rng = np.random.default_rng(0)
    X = np.concatenate(
        [
            rng.normal(size=(40, 2)) * 8,
            rng.normal(loc=[200, 0], size=(20, 2)),
            rng.normal(loc=[200, 9], size=(20, 2)),
        ]
    )
    group = np.repeat([0, 1, 2], [40, 20, 20])
    compact = GreedyKMeans(3, grow="compact", n_init=5, random_state=0).fit(X).labels_
    scattered = GreedyKMeans(3, grow="scattered", n_init=5, random_state=0).fit(X).labels_
    assert np.array_equal(by_first_member(compact), group)
    assert len(np.unique(scattered[group == 0])) == 2
    assert len(np.unique(scattered[group > 0])) == 1


def test_a_node_is_split_as_scikit_learn_does() -> None:
    X, _ = make_blobs(200, 5, centers=4, cluster_std=4.0, random_state=3)
    tree = GreedyKMeans(4, n_splits=4, n_init=3, random_state=7).fit(X).hierarchy_
    seed = np.random.RandomState(7).randint(np.iinfo(np.int32).max)
    expected = KMeans(4, n_init=3, random_state=seed).fit(X).labels_
    assert np.array_equal(tree.leaf_of - 1, by_first_member(expected))


@pytest.mark.parametrize("grow", ["compact", "scattered"])
def test_fewer_distinct_samples_than_clusters(grow: str) -> None:
    X = np.array([[0.0], [5.0], [0.0], [6.0], [0.0], [5.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = GreedyKMeans(6, n_splits=5, grow=grow, random_state=0).fit(X)
    tree = fitted.hierarchy_
    assert [tree.samples(v).tolist() for v in tree.children(tree.root)] == [[0, 2, 4], [1, 5], [3]]
    assert fitted.n_leaves_grown_ == tree.n_nodes - 1 == 3


def test_samples_apart_by_rounding_only_end_somewhere() -> None:
    X = 1.0 + np.arange(12.0)[:, None] * np.finfo(float).eps
    fitted = GreedyKMeans(12, random_state=0).fit(X)
    assert 1 <= fitted.n_leaves_grown_ <= 12


def test_a_larger_number_of_leaves_than_clusters() -> None:
    X, y = make_blobs(90, 4, centers=3, cluster_std=0.5, random_state=1)
    fitted = GreedyKMeans(3, n_leaves=9, grow="scattered", n_init=5, random_state=0).fit(X)
    assert fitted.hierarchy_.n_leaves == 9
    assert np.array_equal(by_first_member(fitted.labels_), by_first_member(y))


def test_max_iter_bounds_the_iterations() -> None:
    X = np.random.default_rng(0).normal(size=(500, 2))
    assert GreedyKMeans(5, max_iter=2, random_state=0).fit(X).n_iter_ == 2
    assert 2 < GreedyKMeans(5, random_state=0).fit(X).n_iter_ < 300


def test_labels_are_numbered_by_first_members() -> None:
    assert by_first_member(np.array([7, 2, 7, 5, 2])).tolist() == [0, 1, 0, 2, 1]
    labels, n_iter = kmeans_labels(np.array([[9.0], [1.0], [1.0], [9.0]]), 4, n_init=1, seed=0)
    assert labels.tolist() == [0, 1, 1, 0]
    assert n_iter >= 1


def test_distances_to_centers() -> None:
    X = np.random.default_rng(2).normal(size=(30, 4)) + 1e6
    labels = np.arange(30) % 4
    expected = [np.linalg.norm(x - X[labels == j].mean(axis=0)) for x, j in zip(X, labels, strict=True)]
    assert distances_to_centers(X, labels) == pytest.approx(np.array(expected), rel=1e-12)
