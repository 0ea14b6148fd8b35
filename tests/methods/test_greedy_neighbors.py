"""Nearest neighbours of all points and within subsets, against a search by sorting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cladebench.methods import _neighbors
from cladebench.methods._neighbors import NeighborLists, first_of_equals, nearest


def nearest_by_sorting(X: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    index, distance = np.empty((len(X), k), dtype=int), np.empty((len(X), k))
    for i in range(len(X)):
        far = [(float(np.sqrt(((X[i] - X[j]) ** 2).sum())), j) for j in range(len(X)) if j != i]
        for place, (d, j) in enumerate(sorted(far)[:k]):
            index[i, place], distance[i, place] = j, d
    return index, distance


@settings(max_examples=80, deadline=None)
@given(
    X=hnp.arrays(
        np.float64, st.tuples(st.integers(2, 30), st.integers(1, 3)), elements=st.integers(-3, 3).map(float)
    ),
    offset=st.sampled_from([0.0, 1e6]),
    block=st.sampled_from([1, 70, 8_000_000]),
    group=st.sampled_from([2, 4, 32]),
    data=st.data(),
)
def test_neighbours_and_their_ties(
    X: np.ndarray, offset: float, block: int, group: int, data: st.DataObject
) -> None:
    X = X + offset
    k = data.draw(st.integers(0, len(X) - 1))
    rows = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), max_size=5)), dtype=int)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_neighbors, "BLOCK", block)
        patch.setattr(_neighbors, "GROUP", group)
        index, distance = nearest(X, rows, k)
    expected = nearest_by_sorting(X, k)
    assert np.array_equal(index, expected[0][rows])
    assert np.array_equal(distance, expected[1][rows])


@pytest.mark.parametrize(
    "trouble", ["none", "far from zero", "one far point", "nearly equal points", "equal points"]
)
def test_neighbours_are_exact_whatever_the_products_lose(trouble: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 7))
    if trouble == "far from zero":
        X += 1e7
    elif trouble == "one far point":
        X[17] = 1e9
    elif trouble == "nearly equal points":
        X[100:200] = X[0] + 1e-9 * rng.normal(size=(100, 7))
    elif trouble == "equal points":
        X[50:200] = X[0]
    index, distance = nearest(X, np.arange(250), 4)
    expected = nearest_by_sorting(X, 4)
    assert distance == pytest.approx(expected[1], rel=1e-13)
    # Distances that differ in the last bit only, from the order of the sum, are equal here.
    differ = index != expected[0]
    assert differ.mean() < 0.01
    again = np.linalg.norm(X[:, None] - X[index], axis=2)
    assert again == pytest.approx(distance, rel=1e-13)
    if trouble == "equal points":
        assert index[199].tolist() == [0, 50, 51, 52]


def test_the_first_of_equal_points() -> None:
    X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [-0.0, 0.0], [1.0, 2.0], [2.0, 1.0]])
    assert first_of_equals(X, 1).tolist() == [0, 1, 5]
    assert first_of_equals(X, 2).tolist() == [0, 1, 2, 3, 5]
    assert first_of_equals(X, 3).tolist() == list(range(6))


@settings(max_examples=60, deadline=None)
@given(
    X=hnp.arrays(
        np.float64, st.tuples(st.integers(3, 30), st.integers(1, 2)), elements=st.integers(-4, 4).map(float)
    ),
    length=st.integers(1, 12),
    data=st.data(),
)
def test_neighbours_within_a_subset_are_those_of_a_search_there(
    X: np.ndarray, length: int, data: st.DataObject
) -> None:
    lists = NeighborLists(X, length)
    samples = np.sort(data.draw(st.lists(st.integers(0, len(X) - 1), min_size=2, unique=True)))
    k = data.draw(st.integers(1, len(samples) - 1))
    index, distance = lists.within(samples, k)
    direct = nearest(X[samples], np.arange(len(samples)), k)
    assert np.array_equal(index, direct[0])
    assert np.array_equal(distance, direct[1])
