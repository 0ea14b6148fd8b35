"""Features and distances whose squares overflow or vanish: the tree of the same numbers in another unit."""

import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.spatial.distance import pdist, squareform

from cladebench import linkage
from cladebench.methods import Agglomerative
from cladebench.solvers.linkages import METHODS, METRICS, WITHOUT_MATRIX

#: What a factor of the features does to distances; by default nothing.
POWERS = {"euclidean": 1, "minkowski": 1, "cityblock": 1, "chebyshev": 1}
SHIFTS = (-1000, -600, 600, 1000)


@pytest.fixture(autouse=True)
def _without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def rows() -> np.ndarray:
    return np.abs(np.random.default_rng(0).normal(size=(40, 4))) + 0.5 * np.arange(1.0, 5.0)


def methods_of(metric: str) -> list[str]:
    squares = ("ward", "centroid", "median")
    return [method for method in METHODS if metric == "euclidean" or method not in squares]


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("metric", [metric for metric in METRICS if metric != "sqeuclidean"])
def test_features_in_any_unit_have_one_tree(metric: str, shift: int) -> None:
    for method in methods_of(metric):
        expected = linkage(rows(), method, metric)
        found = linkage(np.ldexp(rows(), shift), method, metric)
        found[:, 2] = np.ldexp(found[:, 2], -shift * POWERS.get(metric, 0))
        assert np.array_equal(found, expected), method


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("method", METHODS)
def test_along_a_graph_too(method: str, shift: int) -> None:
    expected = linkage(rows(), method, connectivity=3)
    found = linkage(np.ldexp(rows(), shift), method, connectivity=3)
    found[:, 2] = np.ldexp(found[:, 2], -shift)
    assert np.array_equal(found, expected)
    one, other = (
        Agglomerative(linkage=method, connectivity=3).fit(X).merge_bounds_
        for X in (rows(), np.ldexp(rows(), shift))
    )
    assert np.array_equal(one, other)


@pytest.mark.parametrize("shift", [-1000, -600, 600, 1000])
@pytest.mark.parametrize("method", METHODS)
def test_distances_in_any_unit_have_one_tree(method: str, shift: int) -> None:
    y = pdist(rows())
    expected, given = linkage(y, method), np.ldexp(y, shift)
    before = given.copy()
    found = linkage(given, method)
    found[:, 2] = np.ldexp(found[:, 2], -shift)
    assert np.array_equal(found, expected) and np.array_equal(given, before)
    tree = Agglomerative(linkage=method, metric="precomputed").fit(squareform(given)).hierarchy_
    assert np.array_equal(np.sort(np.ldexp(tree.heights[40:], -shift)), np.sort(expected[:, 2]))


@pytest.mark.parametrize("method", ["ward", "centroid", "median"])
def test_few_large_and_small_distances(method: str) -> None:
    Z = linkage(np.array([1.0, 2.0, 2.0, 2.0, 2.0, 1.0]) * 1e200, method)
    assert is_valid_linkage(Z) and Z[:2].tolist() == [[0.0, 1.0, 1e200, 2.0], [2.0, 3.0, 1e200, 2.0]]
    assert linkage(np.array([1e-200, 2e-200, 3e-200]), method)[1, 2] > 2e-200
    assert linkage([1e-200, 2e-200, 1.0, 3e-200, 1.0, 1.0], method)[1, 2] > 2e-200
    assert linkage([0.0, 0.0, 0.0], method)[:, 2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("metric", ["hamming", "canberra", "chebyshev", "cityblock", "braycurtis"])
def test_where_no_squares_are_taken_numbers_may_be_near_the_largest(metric: str) -> None:
    X = np.ldexp(rows() / rows().max() * (1.0 - 2.0**-53), 1024)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            found = linkage(X, "complete", metric)
        except ValueError as error:  # its distances are sums of such numbers
            assert metric == "cityblock" and "the 'cityblock' distance between rows" in str(error)
            return
    small = linkage(np.ldexp(X, -100), "complete", metric)
    small[:, 2] = np.ldexp(small[:, 2], 100 * POWERS.get(metric, 0))
    assert np.array_equal(found, small)


def test_each_feature_or_row_has_its_own_unit_where_it_counts_by_its_scale() -> None:
    X, powers = rows(), np.array([-500.0, 0.0, 900.0, -900.0]).astype(int)
    expected = linkage(X, "average", "seuclidean")
    assert np.array_equal(linkage(np.ldexp(X, powers), "average", "seuclidean"), expected)
    by_row = np.resize(powers, 40)[:, None]
    expected = linkage(X, "average", "correlation")
    assert np.array_equal(linkage(np.ldexp(X, by_row), "average", "correlation"), expected)


@pytest.mark.parametrize("constant", [0.0, 1.0, 1e300])
@pytest.mark.parametrize(("method", "metric"), [(m, "euclidean") for m in WITHOUT_MATRIX])
def test_a_constant_feature_hides_no_small_one(method: str, metric: str, constant: float) -> None:
    X = np.column_stack([np.full(40, constant), rows() * 2.0**-700])
    found, expected = linkage(X, method, metric), linkage(rows(), method, metric)
    np.testing.assert_allclose(np.ldexp(found[:, 2], 700), expected[:, 2], rtol=1e-12)
    assert len(linkage(np.full((5, 2), 1e300), method, metric)) == 4


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_squares_that_are_the_distances_are_refused(scale: float) -> None:
    for X in (rows() * scale, np.float64([[scale], [3 * scale], [7 * scale]])):
        with pytest.raises(ValueError, match="rescale X"):
            linkage(X, "average", "sqeuclidean")


def test_a_merge_above_all_numbers_is_refused() -> None:
    words = "X: a merge is higher than 1.8e308; expected smaller numbers: rescale X"
    with pytest.raises(ValueError, match=words):
        linkage([[1.5e308], [-1.5e308]], "single")
    with pytest.raises(ValueError, match=words):
        linkage([1e308, 1.7e308, 1.7e308], "ward")
    assert linkage([1e308, 1.7e308, 1.7e308], "average")[1, 2] == 1.7e308


def test_directions_may_be_very_near() -> None:
    X = np.array([[1.0, 1e-200], [1.0, 2e-200], [1.0, 1.0]])
    assert linkage(X, "average", "cosine")[0].tolist() == [0.0, 1.0, 0.0, 2.0]
