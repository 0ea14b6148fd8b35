"""Which of equally near clusters merge: the rule that docs/large-hierarchies.md states."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform

from cladebench import linkage
from cladebench.reference import linkages as twin
from linkage_trees import by_rows

Merge = tuple[float, int, int, float]


@st.composite
def tied(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.tuples(st.integers(2, 40), st.integers(1, 3)))
    return draw(arrays(np.float64, shape, elements=st.integers(0, 4).map(float)))


def by_edges(lengths: np.ndarray) -> list[Merge]:
    """By brute force: edges by length, then by their lower row, then by their upper one."""
    n = len(lengths)
    lowest, merges = np.arange(n), []
    for i, j in sorted(zip(*np.triu_indices(n, k=1), strict=True), key=lambda edge: (lengths[edge], edge)):
        lower, upper = sorted((int(lowest[i]), int(lowest[j])))
        if lower != upper:
            lowest[lowest == upper] = lower
            merges.append((lengths[i, j], lower, upper, float((lowest == lower).sum())))
    return merges


def in_order(Z: np.ndarray) -> list[Merge]:
    """Merges as in `by_rows`, in the order of the matrix."""
    merges, lowest = [], list(range(len(Z) + 1))
    for first, second, height, size in Z:
        lower, upper = sorted((lowest[int(first)], lowest[int(second)]))
        merges.append((height, lower, upper, size))
        lowest.append(lower)
    return merges


@given(tied(), st.sampled_from(["euclidean", "sqeuclidean"]))
@settings(max_examples=200)
def test_single_takes_edges_by_length_then_by_rows(X: np.ndarray, metric: str) -> None:
    lengths = squareform(pdist(X, metric))
    found, expected = in_order(linkage(X, "single", metric)), by_edges(lengths)
    assert [merge[1:] for merge in found] == [merge[1:] for merge in expected]
    np.testing.assert_allclose([merge[0] for merge in found], [merge[0] for merge in expected], rtol=1e-12)


@given(tied(), st.integers(0, 2**32 - 1))
def test_single_along_a_graph_does_too(X: np.ndarray, seed: int) -> None:
    linked = np.random.default_rng(seed).random((len(X), len(X))) < 0.4
    linked |= linked.T
    np.fill_diagonal(linked, False)
    lengths = squareform(pdist(X))
    expected = by_edges(np.where(linked, lengths, 1e6 + lengths))  # rows without an edge merge last
    found = in_order(linkage(X, "single", connectivity=sp.csr_array(linked)))
    assert [merge[1:] for merge in found] == [merge[1:] for merge in expected]


@pytest.mark.parametrize("seed", range(6))
def test_large_parts_join_by_the_same_rule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = rng.integers(0, 3, 300)
    X = rng.integers(0, 6, (300, 3)) + np.outer(part, rng.integers(0, 9, 3)) + 0.0
    linked = np.zeros((300, 300), bool)
    for one in range(3):  # a path through each part
        rows = rng.permutation(np.flatnonzero(part == one))
        linked[rows[:-1], rows[1:]] = linked[rows[1:], rows[:-1]] = True
    lengths = squareform(pdist(X))
    expected = by_edges(np.where(linked, lengths, 1e6 + lengths))
    found = in_order(linkage(X, "single", connectivity=sp.csr_array(linked)))
    assert [merge[1:] for merge in found] == [merge[1:] for merge in expected]


@pytest.mark.parametrize("method", ["single", "complete"])
def test_of_equal_rows_that_join_two_parts_the_lowest_do(method: str) -> None:
    X = np.array([[0.0], [0.0], [-1.0], [-1.0]])
    graph = sp.csr_array(([1, 1], ([0, 1], [2, 3])), shape=(4, 4))
    found = in_order(linkage(X, method, connectivity=graph))
    assert (0.0, 0, 1, 2.0) in found or (0.0, 0, 1, 4.0) in found
    assert (0.0, 2, 3, 2.0) not in found


@given(tied(), st.sampled_from([("complete", "euclidean"), ("weighted", "sqeuclidean")]))
@settings(max_examples=200)
def test_others_merge_the_clusters_with_the_lowest_rows(X: np.ndarray, pair: tuple[str, str]) -> None:
    method, metric = pair
    found = by_rows(linkage(X, method, metric))
    expected = by_rows(twin.linkage(squareform(pdist(X, metric)), method))
    assert sorted(merge[1:] for merge in found) == sorted(merge[1:] for merge in expected)


def test_the_lowest_rows_are_not_the_rule_of_single() -> None:
    X = np.array([[4.0], [2.0], [1.0], [3.0]])
    assert in_order(linkage(X, "single")) == [(1.0, 0, 3, 2.0), (1.0, 1, 2, 2.0), (1.0, 0, 1, 4.0)]
    assert in_order(linkage(X, "complete"))[:2] == [(1.0, 0, 3, 2.0), (1.0, 1, 2, 2.0)]
    assert by_rows(twin.linkage(squareform(pdist(X)), "single"))[0] == (1.0, 0, 1, 3.0)


@pytest.mark.parametrize(("method", "metric"), [("average", "sqeuclidean"), ("ward", "euclidean")])
def test_rounding_may_decide_ties_of_centres(method: str, metric: str) -> None:
    X = np.array([[1.0, 4.0], [2.0, 2.0], [4.0, 1.0], [1.0, 3.0], [4.0, 4.0]])
    D = squareform(pdist(X, metric))
    above, wrong = twin.excess(linkage(X, method, metric), D, method)
    assert above < 1e-14 and wrong < 1e-14
