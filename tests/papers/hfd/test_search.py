"""Tables 1 to 3 of the HFD paper on data that are small, equal or few."""

import itertools

import numpy as np
import pytest
import scipy.linalg
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import v_measure_score

from cladebench.distances import Euclidean, HierarchyForest
from cladebench.papers.hfd import graph_clustering
from cladebench.papers.hfd.graph_clustering import clustering_measures
from cladebench.papers.hfd.neighbor_search import search_measures


def rows_of(n, n_features=3):
    return np.random.default_rng(n).normal(size=(n, n_features))


def forest(X, **params):
    return HierarchyForest(n_trees=4, random_state=0, **params).fit(X)


def plain_precision(found, true):
    """Mean over the true ones of the share of hits among what stands up to each that was found."""
    hits = [row in true for row in found]
    return sum(sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit) / len(true)


def test_average_precision_is_that_of_the_lists_without_the_row_itself():
    X = rows_of(70)
    out = search_measures(forest(X, candidates_per_tree=10), 70, (2, 9))
    other = forest(X)
    exact = other.kneighbors(n_neighbors=50, return_distance=False)
    for number in (2, 9):
        found = other.neighbors_of(n_neighbors=50, candidates_per_tree=number, refill=False)[1]
        assert all(i not in line for i, line in enumerate(found.tolist()))
        # Four trees have eight candidates at most where they give two each, and lists of 50 are cut short.
        assert ((found >= 0).sum(axis=1) <= 4 * number).all()
        shown = {
            r.at["neighbors"]: r.metrics["average_precision"]
            for r in out.readings
            if len(r.at) == 2 and r.at["candidates"] == number
        }
        assert shown == pytest.approx(
            {
                length: np.mean(
                    [
                        plain_precision(a, set(b)) * len(b) / length
                        for a, b in zip(found[:, :length].tolist(), exact.tolist(), strict=True)
                    ]
                )
                for length in (10, 20, 30, 40, 50)
            }
        )
        (whole,) = [r.metrics for r in out.readings if r.at == {"candidates": number}]
        assert whole["mean_average_precision"] == pytest.approx(np.mean(list(shown.values())))
        of_length = [
            plain_precision(a[:length], set(b[:length]))
            for length in (10, 20, 30, 40, 50)
            for a, b in zip(found.tolist(), exact.tolist(), strict=True)
        ]
        assert whole["mean_average_precision_of_length"] == pytest.approx(np.mean(of_length))
        filled = other.kneighbors(n_neighbors=50, return_distance=False, candidates_per_tree=number)
        of_filled = [
            plain_precision(a[:length], set(b)) * len(b) / length
            for length in (10, 20, 30, 40, 50)
            for a, b in zip(filled.tolist(), exact.tolist(), strict=True)
        ]
        assert whole["mean_average_precision_refilled"] == pytest.approx(np.mean(of_filled))
        assert whole["mean_average_precision_refilled"] > whole["mean_average_precision"] + 0.1
        assert whole["time_share"] == whole["search_seconds"] / out.metrics["brute_seconds"] > 0
        assert 0 < whole["mean_average_precision"] < 1


def test_a_search_leaves_the_forest_as_it_was():
    distance = forest(rows_of(30), candidates_per_tree=7)
    search_measures(distance, 30, (1, 3))
    assert distance.candidates_per_tree == 7


@pytest.mark.parametrize(("n", "lengths"), [(2, {1}), (7, {6}), (10, {9}), (11, {10}), (25, {10, 20})])
def test_lists_are_as_long_as_there_are_rows_and_all_rows_as_candidates_are_exact(n, lengths):
    out = search_measures(forest(rows_of(n)), n, (1, n, 10 * n))
    assert {r.at["neighbors"] for r in out.readings if len(r.at) == 2} == lengths
    found = {r.at["candidates"]: r.metrics for r in out.readings if len(r.at) == 1}
    assert [found[k]["mean_average_precision"] for k in (n, 10 * n)] == [1.0, 1.0]
    assert 0 <= found[1]["mean_average_precision"] <= 1
    # All other rows were compared, and no more.
    assert [found[k]["compared_share"] for k in (n, 10 * n)] == [1.0, 1.0]
    assert 1 / n < found[1]["compared_share"] <= min(1, 4 / (n - 1))


def test_equal_rows_are_searched():
    out = search_measures(forest(np.zeros((20, 2))), 20, (1, 20))
    assert out.readings[-1].metrics["mean_average_precision"] == 1.0


@pytest.mark.parametrize("similarity", ["gaussian", "complement"])
@pytest.mark.parametrize(
    ("X", "labels"),
    [
        (rows_of(3), [0, 1, 0]),
        (rows_of(6), [0, 1, 0, 1, 0, 1]),
        (np.zeros((12, 2)), [0, 1] * 6),
        (rows_of(12), [0] * 12),
        (rows_of(12), list(range(12))),
    ],
)
def test_few_and_equal_rows_are_clustered(X, labels, similarity):
    out = clustering_measures(Euclidean().fit(X), np.array(labels), (5, 10, 50), similarity, 3)
    grid = {(r.at["neighbors"], r.at.get("width")): r.metrics["v_measure_grid"] for r in out.readings}
    assert {k for k, _ in grid} == {min(k, len(X) - 1) for k in (5, 10, 50)}
    assert len({width for _, width in grid}) == (5 if similarity == "gaussian" else 1)
    assert out.metrics["v_measure"] == max(grid.values()) >= out.metrics["v_measure_fixed"] >= 0
    assert out.metrics["best_neighbors"] == next(k for (k, _), v in grid.items() if v == max(grid.values()))
    if len(set(labels)) in (1, len(X)):
        assert set(grid.values()) == {1.0}


def plain_best(distances, labels, neighbors, widths, edges="either", exponent=0.5, clusters="k-means"):
    """Best V-measure over the grid, from full matrices."""
    n, n_classes = len(labels), len(set(labels))
    near = np.argsort(distances + np.diag(np.full(n, np.inf)), axis=1)
    best = 0.0
    for k, width in itertools.product(neighbors, widths):
        W = np.zeros((n, n))
        for i, j in itertools.permutations(range(n), 2):
            one, other = j in near[i, :k], i in near[j, :k]
            share = {"either": one or other, "mutual": one and other, "averaged": (one + other) / 2}[edges]
            d = distances[i, j]
            W[i, j] = share * (np.exp(max(-exponent * (d / width) ** 2, -20.0)) if width else 1 - d)
        W[np.diag_indices(n)] = W.sum(axis=1) == 0
        D = np.diag(W.sum(axis=1))
        rows = scipy.linalg.eigh(D - W, D, subset_by_index=(0, n_classes - 1))[1]
        if clusters == "unit rows":
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        found = KMeans(n_classes, n_init=10, random_state=0).fit_predict(rows)
        if clusters == "discretised":
            peer = SpectralClustering(
                n_classes, affinity="precomputed", assign_labels="discretize", random_state=0
            )
            found = peer.fit_predict(W)
        best = max(best, v_measure_score(labels, found))
    return best


@pytest.mark.parametrize("kind", ["gaussian", "complement"])
def test_every_reading_of_the_graph_is_what_its_name_says(kind, monkeypatch):
    # Three classes that overlap and one width, so that the readings differ.
    labels = np.repeat([0, 1, 2], [20, 16, 12])
    X = rows_of(48, 4) + 2.2 * np.eye(4)[labels]
    distance = Euclidean().fit(X) if kind == "gaussian" else forest(X, candidates_per_tree=None)
    neighbors, widths = (7, 12), (0.8,) if kind == "gaussian" else (0.0,)
    monkeypatch.setattr(graph_clustering, "WIDTHS", (0.8,))
    out = clustering_measures(distance, labels, neighbors, kind, 0).metrics
    once = 1.0 if kind == "gaussian" else 0.5
    expected = {
        "v_measure": {},
        "v_measure_unit_rows": {"clusters": "unit rows"},
        "v_measure_discretised": {"clusters": "discretised"},
        "v_measure_averaged": {"edges": "averaged"},
        "v_measure_mutual": {"edges": "mutual"},
        "v_measure_unhalved": {"exponent": once},
    }
    D = distance.pairwise(X)
    best = {name: plain_best(D, labels, neighbors, widths, **how) for name, how in expected.items()}
    # K-means from other starts may end elsewhere.
    assert {name: out[name] for name in expected} == pytest.approx(best, abs=0.02)
    assert len(set(best.values())) >= 3
    fewer = clustering_measures(distance, labels, neighbors, kind, 0, other_graphs=False).metrics
    assert set(out) - set(fewer) == {"v_measure_averaged", "v_measure_mutual", "v_measure_unhalved"}
    assert fewer.items() <= out.items()


def test_one_random_start_is_one_of_k_means_from_rows(monkeypatch):
    labels, distance = np.arange(60) % 5, Euclidean().fit(rows_of(60, 4))
    monkeypatch.setattr(graph_clustering, "WIDTHS", (0.8,))

    def found(seed: int, **how: object) -> float:
        return clustering_measures(distance, labels, (9,), "gaussian", seed, False, **how).metrics[
            "v_measure"
        ]

    far, near = distance.kneighbors(n_neighbors=9)
    graph = graph_clustering.graph(near, graph_clustering.gaussian(far, 0.8))
    rows = graph_clustering.cut_rows(graph, 5)
    peers = [KMeans(5, init="random", n_init=1, random_state=seed).fit_predict(rows) for seed in range(5)]
    of_one = [found(seed, starts="one random") for seed in range(5)]
    assert of_one == pytest.approx([v_measure_score(labels, peer) for peer in peers])
    assert len(set(of_one)) > len({round(found(seed), 12) for seed in range(5)})
    with pytest.raises(ValueError, match="starts='one'"):
        found(0, starts="one")


def test_k_means_begins_ten_times_as_spectral_clustering_of_scikit_learn_does(monkeypatch):
    asked, clustered = [], graph_clustering.kmeans_labels
    monkeypatch.setattr(
        graph_clustering, "kmeans_labels", lambda *rows, **how: asked.append(how) or clustered(*rows, **how)
    )
    monkeypatch.setattr(graph_clustering, "WIDTHS", (0.8,))
    clustering_measures(Euclidean().fit(rows_of(60, 4)), np.arange(60) % 5, (9,), "gaussian", 3, False)
    assert asked == [{"n_init": SpectralClustering().n_init, "seed": 3}] * 2


def test_a_similarity_that_is_none_is_refused():
    with pytest.raises(ValueError, match="similarity='cosine'"):
        clustering_measures(Euclidean().fit(rows_of(9)), np.arange(9) % 2, (5,), "cosine", 0)
