"""Eigenvectors of neighbour graphs, the partitions and the tree made of them."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import make_blobs

from cladebench.class_labels import by_first_member
from cladebench.methods import FlatSpectral, GreedySpectral, _spectral, greedy_spectral
from cladebench.methods._neighbors import NeighborLists, nearest
from cladebench.methods._spectral import (
    EDGES,
    cut_rows,
    embedding,
    gaussian_graph,
    lower_eigenvectors,
    spectral_labels,
    unit_rows,
)


def affinity_twin(X: np.ndarray, k: int, edges: str = "either", exponent: float = 0.5) -> np.ndarray:
    distances = np.array([[np.linalg.norm(x - z) for z in X] for x in X])
    np.fill_diagonal(distances, np.inf)
    index = np.argsort(distances, axis=1, kind="stable")[:, :k]
    distance = np.take_along_axis(distances, index, axis=1)
    sigma = distance.mean()
    W = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        for j, d in zip(index[i], distance[i], strict=True):
            weight = np.exp(-exponent * d**2 / sigma**2)
            if edges == "either" or i in index[j]:
                W[i, j] = W[j, i] = weight
            elif edges == "averaged":
                W[i, j] = W[j, i] = weight / 2
        if edges == "mutual" and not any(i in index[j] for j in index[i]):
            W[i, i] = 1.0
    return W


def njw_rows(W: np.ndarray, n_vectors: int) -> np.ndarray:
    """As in the paper of Ng, Jordan and Weiss."""
    D = np.diag(1 / np.sqrt(W.sum(axis=1)))
    _, vectors = np.linalg.eigh(D @ W @ D)
    top = vectors[:, -n_vectors:]
    return top / np.linalg.norm(top, axis=1, keepdims=True)


def cut_rows_twin(W: np.ndarray, n_vectors: int) -> np.ndarray:
    """As in the paper of Shi and Malik, (D - W) y = mu D y: y' D y = 1, as LAPACK gives them."""
    D = np.diag(W.sum(axis=1))
    return scipy.linalg.eigh(D - W, D, subset_by_index=(0, n_vectors - 1))[1]


def same_up_to_rotation(a: np.ndarray, b: np.ndarray, tolerance: float) -> None:
    assert np.abs(a @ a.T - b @ b.T).max() < tolerance


def labels_of(X: np.ndarray, n_clusters: int, k: int = 5) -> np.ndarray:
    index, distance = nearest(X, np.arange(len(X)), min(k, len(X) - 1))
    return spectral_labels(index, distance, n_clusters, n_init=10, seed=0)


def connected_data(seed: int, n: int = 60) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 6)) + 3.0 * np.repeat(np.eye(6)[:3], n // 3, axis=0)


@settings(max_examples=40, deadline=None)
@given(
    values=st.lists(st.integers(0, 6), min_size=8, max_size=40),
    k=st.integers(1, 4),
    edges=st.sampled_from(EDGES),
    exponent=st.sampled_from([0.5, 1.0]),
)
def test_graphs_of_tied_points_are_as_defined(values: list[int], k: int, edges: str, exponent: float) -> None:
    # Far away from the others, a point of its own, which no other has among its neighbours.
    X = np.array([*values[: len(values) // 2 * 2], 500, 500], dtype=float).reshape(-1, 2)
    k = min(k, len(X) - 2)
    W = gaussian_graph(*nearest(X, np.arange(len(X)), k), edges, exponent).toarray()
    least = np.exp(-300.0) * (W > 0) / (2 if edges == "averaged" else 1)
    assert np.maximum(affinity_twin(X, k, edges, exponent), least) == pytest.approx(W, rel=1e-9)
    assert W.sum(axis=1).min() > 0
    assert (W[-1, -1] == 1.0) == (edges == "mutual") == (W[-1].sum() == 1.0)


@pytest.mark.parametrize("cls", [FlatSpectral, GreedySpectral])
@pytest.mark.parametrize(
    "how",
    [{}, {"edges": "mutual"}, {"edges": "averaged"}, {"exponent": 1.0}, {"edges": "mutual", "exponent": 1.0}],
)
def test_the_graph_that_is_asked_for_is_the_one_that_is_clustered(cls: Any, how: dict[str, Any]) -> None:
    X = connected_data(4)
    found = cls(2, n_neighbors=8, random_state=0, **how).fit(X).labels_
    W = affinity_twin(X, 8, **how)
    n_components, component = connected_components(sparse.csr_array(W))
    if n_components > 1:
        expected = (component != np.bincount(component).argmax()).astype(int)
    else:
        expected = KMeans(2, n_init=30, random_state=1).fit(njw_rows(W, 2)).labels_
    assert np.array_equal(by_first_member(found), by_first_member(expected))


def test_points_that_no_other_chose_do_not_break_the_embedding() -> None:
    # One point alone and one component: more vectors than components are asked for.
    X = np.concatenate([connected_data(2), np.full((1, 6), 50.0)])
    index, distance = nearest(X, np.arange(61), 20)
    W = gaussian_graph(index, distance, "mutual")
    n_components, component = connected_components(W)
    assert n_components == 2 and W[60, 60] == 1.0
    rows = unit_rows(embedding(W, by_first_member(component), 3))
    assert np.isfinite(rows).all()
    assert np.abs(rows[:60] @ rows[60]).max() < 1e-9  # it shares no direction with the others
    expected = KMeans(3, n_init=30, random_state=1).fit(njw_rows(W.toarray(), 3)).labels_
    labels = spectral_labels(index, distance, 3, n_init=30, seed=0, edges="mutual")
    assert np.array_equal(labels, by_first_member(expected))


def test_far_points_stay_in_the_graph() -> None:
    X = np.concatenate([connected_data(0), [[1e6] * 6]])
    W = gaussian_graph(*nearest(X, np.arange(61), 5))
    assert W.data.min() == np.exp(-300.0)
    assert W[[60]].sum() > 0


def test_equal_points_have_weights_of_one() -> None:
    assert set(gaussian_graph(*nearest(np.ones((9, 2)), np.arange(9), 5)).data) == {1.0}


@pytest.mark.parametrize("dense_size", [500, 10], ids=["LAPACK", "Lanczos"])
@pytest.mark.parametrize("n_vectors", [2, 3, 6])
def test_the_embedding_is_that_of_ng_jordan_and_weiss(
    dense_size: int, n_vectors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_spectral, "DENSE_SIZE", dense_size)
    monkeypatch.setattr(_spectral, "TOLERANCE", 1e-10)
    for seed in range(4):
        X = connected_data(seed, 120)
        W = affinity_twin(X, 5)
        rows = embedding(sparse.csr_array(W), np.zeros(120, dtype=int), n_vectors)
        assert (rows[:, 0] > 0).all()
        same_up_to_rotation(unit_rows(rows), njw_rows(W, n_vectors), 1e-6)
        same_up_to_rotation(rows, cut_rows_twin(W, n_vectors), 1e-5)


@pytest.mark.parametrize("dense_size", [500, 10], ids=["LAPACK", "Lanczos"])
def test_the_embedding_of_several_components(dense_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spectral, "DENSE_SIZE", dense_size)
    monkeypatch.setattr(_spectral, "TOLERANCE", 1e-10)
    X = np.concatenate([connected_data(0), connected_data(1)[:33] + 1000.0])
    component = np.repeat([0, 1], [60, 33])
    W = affinity_twin(X, 5)
    assert not W[:60, 60:].any()
    for n_vectors in (3, 5):
        rows = embedding(sparse.csr_array(W), component, n_vectors)
        same_up_to_rotation(unit_rows(rows), njw_rows(W, n_vectors), 1e-6)
        same_up_to_rotation(rows, cut_rows_twin(W, n_vectors), 1e-5)
        assert np.abs(rows[:60] @ rows[60:].T).max() < 1e-8


def test_whole_components_are_parted_where_there_are_enough() -> None:
    sizes = [2, 5, 3, 4, 2]
    W = sparse.csr_array(scipy.linalg.block_diag(*(1.0 - np.eye(size) for size in sizes)))
    component = np.repeat(np.arange(5), sizes)
    for n_clusters, expected in ((1, [0] * 5), (3, [2, 0, 2, 1, 2]), (5, [3, 0, 2, 1, 4])):
        assert np.array_equal(cut_rows(W, n_clusters), np.eye(n_clusters)[expected][component])
    # One more: the largest has to be cut.
    rows = cut_rows(W, 6)
    assert rows.shape == (16, 6)
    assert np.linalg.norm(rows[component == 1] - rows[component == 1].mean(axis=0)) > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_normalized_cuts_are_those_of_another_library(seed: int) -> None:
    # Scikit-learn does not bring rows to length one.
    X = connected_data(seed)
    W = gaussian_graph(*nearest(X, np.arange(60), 10))
    other = SpectralClustering(3, affinity="precomputed", n_init=30, random_state=0).fit_predict(W.toarray())
    labels = KMeans(3, n_init=30, random_state=0).fit_predict(cut_rows(W, 3))
    assert np.array_equal(by_first_member(labels), by_first_member(other))


def test_where_lanczos_gives_up_the_factorisation_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).uniform(size=(600, 2))
    W = gaussian_graph(*nearest(X, np.arange(600), 5))
    zero = np.zeros(600, dtype=int)
    monkeypatch.setattr(_spectral, "TOLERANCE", 1e-10)
    lanczos, calls = _spectral._lanczos, []

    def gives_up_at_first(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 1:
            raise ArpackNoConvergence("none", np.empty(0), np.empty((600, 0)))
        return lanczos(*arguments)

    monkeypatch.setattr(_spectral, "_lanczos", gives_up_at_first)
    factored = lower_eigenvectors(*normalised(W), zero, 4)
    assert len(calls) == 2
    cut_rows(W, 5, max_restarts=7)
    assert calls[2][3:] == (7,)
    monkeypatch.setattr(_spectral, "DENSE_SIZE", 600)
    dense = lower_eigenvectors(*normalised(W), zero, 4)
    assert factored[0] == pytest.approx(dense[0], abs=1e-9)
    assert np.abs(factored[1].T @ dense[1]) == pytest.approx(np.eye(4), abs=1e-6)


def normalised(W: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray]:
    degrees = W.toarray().sum(axis=1)
    M = W.toarray() / np.sqrt(np.outer(degrees, degrees))
    return sparse.csr_array(M), np.sqrt(degrees / degrees.sum())


def test_a_long_path_is_cut_in_the_middle() -> None:
    # Its eigenvalues lie within 1e-8 of each other; the second vector is a half wave.
    assert np.array_equal(labels_of(np.arange(6000.0)[:, None], 2), np.repeat([0, 1], 3000))


def test_a_point_that_hardly_hangs_on_goes_with_its_neighbours() -> None:
    # Far from all; its weights are exp(-300), so that its entries in the eigenvectors are about 1e-65.
    X = connected_data(0)
    towards = X[:20].mean(axis=0) - X[20:].mean(axis=0)
    X = np.concatenate([X, [X.mean(axis=0) + 2000.0 * towards / np.linalg.norm(towards)]])
    index, distance = nearest(X, np.arange(61), 5)
    W = gaussian_graph(index, distance)
    assert W[[60]].max() == np.exp(-300.0)
    rows = unit_rows(embedding(W, np.zeros(61, dtype=int), 3))
    alone = unit_rows(embedding(W[:60][:, :60], np.zeros(60, dtype=int), 3))
    same_up_to_rotation(rows[:60], alone, 1e-9)
    neighbours = rows[index[60]]
    assert (neighbours @ rows[60]).min() > 0.99


@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_the_partition_is_that_of_the_plain_algorithm(n_clusters: int) -> None:
    for seed in range(5):
        X = connected_data(seed)
        rows = njw_rows(affinity_twin(X, 5), n_clusters)
        expected = KMeans(n_clusters, n_init=30, random_state=1).fit(rows).labels_
        index, distance = nearest(X, np.arange(60), 5)
        labels = spectral_labels(index, distance, n_clusters, n_init=30, seed=0)
        assert np.array_equal(labels, by_first_member(expected))


def blocks(sizes: list[int]) -> np.ndarray:
    """Far groups of points, each of which is a component of the graph."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.uniform(size=(size, 2)) + 1000.0 * k for k, size in enumerate(sizes)])


@pytest.mark.parametrize(
    ("sizes", "n_clusters", "expected"),
    [
        ([6, 9], 2, [0, 1]),
        ([6, 9, 7], 2, [0, 1, 0]),
        ([9, 6, 7, 8], 3, [0, 1, 1, 2]),
        ([7, 7, 7], 2, [0, 1, 1]),
        ([6, 7, 8, 9, 10], 5, [0, 1, 2, 3, 4]),
    ],
)
def test_components_are_kept_whole(sizes: list[int], n_clusters: int, expected: list[int]) -> None:
    assert np.array_equal(labels_of(blocks(sizes), n_clusters), np.repeat(expected, sizes))


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(2, 40), min_size=2, max_size=5), data=st.data())
def test_the_largest_components_alone_are_the_best_k_means_partition(
    sizes: list[int], data: st.DataObject
) -> None:
    n_clusters = data.draw(st.integers(2, len(sizes)))
    corners = np.eye(len(sizes))  # where the points of each component are, up to rotation

    def inertia(cluster: Any) -> float:
        total = 0.0
        for j in set(cluster):
            inside = np.array(cluster) == j
            center = np.average(corners[inside], axis=0, weights=np.array(sizes)[inside])
            total += float(np.array(sizes)[inside] @ ((corners[inside] - center) ** 2).sum(axis=1))
        return total

    # Each component a cycle.
    starts = np.cumsum([0, *sizes[:-1]])
    index = np.concatenate(
        [start + (np.arange(size) + 1) % size for start, size in zip(starts, sizes, strict=True)]
    )
    labels = spectral_labels(index[:, None], np.ones((len(index), 1)), n_clusters, n_init=1, seed=0)
    assert np.array_equal(labels, np.repeat(labels[starts], sizes))
    partitions = {
        tuple(by_first_member(np.array(p))) for p in itertools.product(range(n_clusters), repeat=len(sizes))
    }
    assert inertia(labels[starts].tolist()) == pytest.approx(min(map(inertia, partitions)), abs=1e-9)


def test_duplicates_and_small_nodes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X in (
            np.repeat(np.arange(4.0), 10)[:, None],
            np.array([[0.0], [1.0]]),
            np.zeros((3, 1)),
            blocks([2, 1, 1]),
        ):
            labels = labels_of(X, 2)
            assert np.array_equal(labels, labels_of(X, 2))
            assert set(labels) <= {0, 1}
    # Groups of ten equal points are components.
    assert np.array_equal(labels_of(np.repeat(np.arange(4.0), 10)[:, None], 4), np.repeat(np.arange(4), 10))


@pytest.mark.filterwarnings("ignore:.*labels_ has")
@pytest.mark.parametrize("grow", ["compact", "scattered"])
def test_every_node_is_split_by_the_graph_of_its_own(grow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(5).normal(size=(150, 4))
    whole = GreedySpectral(12, n_splits=3, grow=grow, random_state=0).fit(X)
    searched = []

    def within(self: NeighborLists, samples: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        searched.append(len(samples))
        return nearest(X[samples], np.arange(len(samples)), k)

    monkeypatch.setattr(NeighborLists, "within", within)
    direct = GreedySpectral(12, n_splits=3, grow=grow, random_state=0).fit(X)
    assert len(searched) > 5
    assert np.array_equal(whole.hierarchy_.parents, direct.hierarchy_.parents)
    assert np.array_equal(whole.hierarchy_.leaf_of, direct.hierarchy_.leaf_of)
    assert np.array_equal(whole.trace_["score"], direct.trace_["score"])
    monkeypatch.undo()
    monkeypatch.setattr(greedy_spectral, "LIST_FACTOR", 1)
    shorter = GreedySpectral(12, n_splits=3, grow=grow, random_state=0).fit(X)
    assert np.array_equal(whole.hierarchy_.leaf_of, shorter.hierarchy_.leaf_of)


def test_groups_are_found() -> None:
    X, y = make_blobs(300, 8, centers=4, cluster_std=1.5, random_state=0)
    fitted = GreedySpectral(4, grow="scattered", random_state=0).fit(X)
    assert np.array_equal(by_first_member(fitted.labels_), by_first_member(y))
    assert not hasattr(fitted, "_lists")


def test_the_rules_differ() -> None:
    # Two far components, each of two groups: the first is the more compact, the second has the larger total.
    rng = np.random.default_rng(0)
    near = rng.normal(size=(80, 2)) + np.repeat([[0, 0], [0, 4]], 40, axis=0)
    wide = 10.0 * (rng.normal(size=(120, 2)) + np.repeat([[0, 0], [0, 4]], 60, axis=0)) + [5000.0, 0.0]
    X, component = np.concatenate([near, wide]), np.repeat([0, 1], [80, 120])
    for grow, split, whole in (("compact", 0, 1), ("scattered", 1, 0)):
        labels = GreedySpectral(3, grow=grow, random_state=0).fit(X).labels_
        assert len(np.unique(labels[component == split])) == 2
        assert len(np.unique(labels[component == whole])) == 1
