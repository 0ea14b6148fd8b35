from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import get_tags

from cladebench import Hierarchy
from cladebench import linkage as own_linkage
from cladebench.methods import Agglomerative
from cladebench.solvers.linkages import METHODS as LINKAGES


def test_complete_linkage_by_hand() -> None:
    # 0 1 . 3 . . 6.5: merges (0, 1) at 1, (01, 3) at 3, all at 6.5.
    tree = Agglomerative().fit([[0.0], [1.0], [3.0], [6.5]]).hierarchy_
    heights = tree.heights
    assert heights is not None
    assert [heights[tree.lca(0, i)] for i in (1, 2, 3)] == [1.0, 3.0, 6.5]


@pytest.mark.parametrize("name", LINKAGES)
def test_heights_are_scipys_cophenetic_distances(name: str) -> None:
    X = np.random.default_rng(1).normal(size=(20, 3))
    tree = Agglomerative(linkage=name).fit(X).hierarchy_
    indices = np.arange(20)
    expected = squareform(cophenet(linkage(X, name)))
    np.testing.assert_allclose(tree.heights[tree.lca(indices[:, None], indices)], expected, rtol=1e-12)


def test_distances_whose_squares_overflow_have_their_tree() -> None:
    heights = Agglomerative().fit([[1e200], [-1e200], [5e199]]).hierarchy_.heights
    assert heights is not None and heights.tolist() == [0.0, 0.0, 0.0, 5e199, 2e200]


@pytest.mark.parametrize("how", [{}, {"metric": "precomputed"}, {"linkage": "ward", "connectivity": 2}])
def test_one_row_has_a_height(how: dict[str, Any]) -> None:
    tree = Agglomerative(1, **how).fit([[0.0]]).hierarchy_
    assert tree.heights is not None and tree.heights.tolist() == [0.0]
    assert tree.cut_at(1.0).tolist() == [0] and tree.condensed(2).n_nodes == 1
    assert tree.stable_clusters(2).shape == tree.dynamic_clusters(2).shape == (1,)


def test_trees_along_a_graph_are_marked_with_their_bounds() -> None:
    X = np.random.default_rng(3).normal(size=(40, 3))
    along = Agglomerative(linkage="ward", connectivity=3).fit(X)
    marks = along.hierarchy_.node_data["merge_bound"]
    assert np.isnan(marks[:40]).all() and np.array_equal(marks[40:], along.merge_bounds_)
    assert 0.0 < np.mean(marks[40:] == 1.0) < 1.0
    by_matrix = Agglomerative(linkage="ward", connectivity=kneighbors_graph(X, 3)).fit(X).hierarchy_
    assert np.isnan(by_matrix.node_data["merge_bound"]).all()
    plain = Agglomerative(linkage="ward").fit(X).hierarchy_
    assert not plain.node_data
    expected = Hierarchy.from_linkage(own_linkage(X, connectivity=3))
    assert np.array_equal(along.hierarchy_.parents, expected.parents)
    assert np.array_equal(along.hierarchy_.heights, expected.heights)


@pytest.mark.parametrize("name", LINKAGES)
def test_distances_can_be_given(name: str) -> None:
    X = np.random.default_rng(2).normal(size=(30, 3))
    D = squareform(pdist(X))
    given = Agglomerative(linkage=name, metric="precomputed").fit(D).hierarchy_
    expected = linkage(pdist(X), name)
    assert np.array_equal(given.to_linkage()[:, [0, 1, 3]], expected[:, [0, 1, 3]]) or name in (
        "centroid",
        "median",
    )
    assert given.heights is not None and np.array_equal(np.sort(given.heights[30:]), np.sort(expected[:, 2]))
    assert get_tags(Agglomerative(metric="precomputed")).input_tags.pairwise
    assert not get_tags(Agglomerative()).input_tags.pairwise
    assert Agglomerative(1, metric="precomputed").fit([[0.0]]).labels_.tolist() == [0]


def by_rounding(kind: str) -> np.ndarray:
    """Distances as one computes them, of rows of which some are equal."""
    X = np.random.default_rng(3).normal(size=(40, 7))
    X = np.vstack([X, X[:10]])
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    U = U.astype(np.float32) if kind == "single precision" else U
    D = {"correlation": lambda: 1 - np.corrcoef(X), "euclidean": lambda: pairwise_distances(X)}
    return D.get(kind, lambda: 1 - U @ U.T)()


@pytest.mark.parametrize("kind", ["correlation", "euclidean", "cosine", "single precision"])
@pytest.mark.parametrize("name", ["complete", "average"])
def test_rounding_is_mended(kind: str, name: str) -> None:
    D = by_rounding(kind)
    D[0, 3] += 1e-9  # whatever rounding this machine does
    D[5, 5], D[1, 41], D[41, 1] = 1e-9, -1e-9, -1e-9
    given = D.copy()
    found = Agglomerative(linkage=name, metric="precomputed").fit(D).hierarchy_
    assert np.array_equal(D, given) and found.heights is not None and found.heights.min() == 0.0
    exact = np.maximum((D + D.T) / 2, 0)
    np.fill_diagonal(exact, 0)
    expected = Agglomerative(linkage=name, metric="precomputed").fit(exact).hierarchy_
    assert np.array_equal(found.heights, expected.heights) and np.array_equal(found.parents, expected.parents)


@pytest.mark.parametrize(
    ("D", "words"),
    [
        ([[0.0, 1.0]], r"X: shape \(1, 2\); expected as many columns as rows"),
        (
            [[0.0, 1.0], [1.0000003, 0.0]],
            r"X\[0, 1\] is 1, X\[1, 0\] is 1, 3e-07 apart; expected symmetric distances, but for 1e-08 of",
        ),
        ([[1.0, 0.5], [0.5, 1.0]], r"X\[0, 0\] is 1; expected 0 from each sample to itself: are these simil"),
        ([[0.0, 1.0], [1.0, -1e-6]], r"X\[1, 1\] is -1e-06; expected distances of at least 0"),
        ([[0.0, -1.0], [-1.0, 0.0]], r"X\[0, 1\] is -1; expected distances of at least 0"),
        ([[0.0, np.inf], [np.inf, 0.0]], r"X\[0, 1\] is infinity; .* leave out one sample of each such pair"),
    ],
)
def test_what_are_no_distances_is_refused(D: list[list[float]], words: str) -> None:
    with pytest.raises(ValueError, match=f"^Agglomerative: {words}"):
        Agglomerative(1, metric="precomputed").fit(D)


@pytest.mark.parametrize(
    ("name", "metric", "connectivity"), [("ward", "cosine", None), ("complete", "cityblock", 2)]
)
def test_the_linkage_is_named_as_it_was_given(name: str, metric: str, connectivity: int | None) -> None:
    with pytest.raises(ValueError, match=f"^linkage='{name}', metric='{metric}': "):
        Agglomerative(1, linkage=name, metric=metric, connectivity=connectivity).fit([[0.0], [1.0]])


@pytest.mark.parametrize(
    ("X", "how"),
    [
        (np.ma.masked_less([[0.0, 1.0], [1.0, 2.0]], 0.5), {}),
        (np.array([(1.0, 2.0), (3.0, 4.0)], dtype=[("a", float), ("b", float)]), {}),
        ([[0.0, 0.0], [1.0, 2.0]], {"metric": "cosine"}),
        ([[1.0, 2.0], [3.0, 3.0]], {"metric": "correlation"}),
        ([[1e200, 0.0], [0.0, 1e200]], {"metric": "sqeuclidean"}),
        ([[1.7e308, 0.0], [-1.7e308, 0.0]], {}),
        ([[0.0, np.inf]], {}),
        ([[1.0, 2.0]], {"connectivity": csr_array((2, 2))}),
    ],
)
def test_words_are_those_of_linkage_and_name_the_estimator(X: Any, how: dict[str, Any]) -> None:
    with pytest.raises(ValueError) as plain:
        own_linkage(X, "complete", **how)
    with pytest.raises(ValueError) as named:
        Agglomerative(1, linkage="complete", **how).fit(X)
    words = str(plain.value).replace(", or distances of all pairs", "")
    assert str(named.value) == f"Agglomerative: {words}"
