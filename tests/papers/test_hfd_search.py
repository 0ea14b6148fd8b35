"""Tables 1 to 3 of the HFD paper on data that are small, equal or few."""

import numpy as np
import pytest

from cladebench.distances import Euclidean, HierarchyForest
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
        found = other.kneighbors(n_neighbors=50, return_distance=False, candidates_per_tree=number)
        assert all(i not in line for i, line in enumerate(found.tolist()))
        shown = {
            r.at["neighbors"]: r.metrics["average_precision"]
            for r in out.readings
            if len(r.at) == 2 and r.at["candidates"] == number
        }
        assert shown == pytest.approx(
            {
                length: np.mean(
                    [
                        plain_precision(a, set(b))
                        for a, b in zip(found[:, :length].tolist(), exact[:, :length].tolist(), strict=True)
                    ]
                )
                for length in (10, 20, 30, 40, 50)
            }
        )
        (whole,) = [r.metrics for r in out.readings if r.at == {"candidates": number}]
        assert whole["mean_average_precision"] == pytest.approx(np.mean(list(shown.values())))
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
    assert min(lengths) / n < found[1]["compared_share"] <= 1


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


def test_a_similarity_that_is_none_is_refused():
    with pytest.raises(ValueError, match="similarity='cosine'"):
        clustering_measures(Euclidean().fit(rows_of(9)), np.arange(9) % 2, (5,), "cosine", 0)
