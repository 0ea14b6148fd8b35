"""Linkage along a graph: against its twin, against scikit-learn, and its bounds against all distances."""

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.cluster import linkage_tree, ward_tree
from sklearn.neighbors import kneighbors_graph

from cladebench import _core, linkage
from cladebench.methods import Agglomerative
from cladebench.reference import linkages as twin
from cladebench.solvers.graph_linkages import ALONG_GRAPH, BY_EDGES
from instruction_sets import each_instruction_set, each_number_of_threads

PAIRS = [(method, metric) for method, metrics in ALONG_GRAPH.items() for metric in metrics]
BOUNDED = [pair for pair in PAIRS if pair[0] not in ("centroid", "median")]


def by_edges(method: str, metric: str) -> bool:
    return metric in BY_EDGES.get(method, ())


def neighbors(X: np.ndarray, k: int) -> np.ndarray:
    """The graph of the k nearest rows that differ, of equally near ones the lowest; equal rows are linked."""
    n = len(X)
    _, first, which = np.unique(X, axis=0, return_index=True, return_inverse=True)
    rows = np.sort(first)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    linked = np.zeros((n, n), dtype=bool)
    for row in rows:
        others = rows[rows != row]
        linked[row, others[np.argsort(D[row, others], kind="stable")[:k]]] = True
    linked[np.arange(n), first[which.ravel()]] = True
    np.fill_diagonal(linked, False)
    return linked | linked.T


def made_by(Z: np.ndarray) -> list[frozenset[int]]:
    """The rows of each merge."""
    clusters = [frozenset([row]) for row in range(len(Z) + 1)]
    for first, second in Z[:, :2].astype(int):
        clusters.append(clusters[first] | clusters[second])
    return clusters[len(Z) + 1 :]


def by_centres(X: np.ndarray, metric: str) -> np.ndarray:
    return X / np.linalg.norm(X, axis=1, keepdims=True) if metric == "cosine" else X


@pytest.mark.parametrize(("method", "metric"), PAIRS)
@pytest.mark.parametrize("k", [1, 2, 4, 9])
def test_equals_twin_where_nothing_ties(method: str, metric: str, k: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.concatenate([rng.normal(size=(40, 3)), 8.0 + rng.normal(size=(25, 3))])
        linked = neighbors(by_centres(X, metric), k)
        expected = twin.linkage(
            squareform(pdist(X, metric)), method, linked, by_edges=by_edges(method, metric)
        )
        for graph in (k, sp.csr_array(linked), sp.coo_matrix(np.triu(linked) * -2.5)):
            found = linkage(X, method, metric, graph)
            assert np.array_equal(found[:, [0, 1, 3]], expected[:, [0, 1, 3]])
            np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-9, atol=1e-12)


@st.composite
def tied(draw: st.DrawFn) -> np.ndarray:
    """Whole coordinates: ties and equal rows are common."""
    shape = draw(st.tuples(st.integers(1, 40), st.integers(1, 3)))
    coordinates = st.integers(0, draw(st.sampled_from([0, 1, 2, 5, 40])))
    X = draw(arrays(np.float64, shape, elements=coordinates.map(float)))
    return X * draw(st.sampled_from([1.0, -0.5, 2.0**-200, 2.0**100]))


@given(tied(), st.integers(1, 12), st.sampled_from(["tree", "all", "chosen"]))
@settings(max_examples=200)
def test_neighbors_are_the_lowest_of_the_nearest(X: np.ndarray, k: int, search: str) -> None:
    begin, ends, squares = _core.neighbor_graph(X, k, search)
    n = len(X)
    linked = sp.csr_array((np.ones(len(ends)), ends, begin), shape=(n, n)).toarray() > 0
    assert np.array_equal(linked | linked.T, neighbors(X, k))
    unlike = (X[:, None] != X).any(axis=2)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    for row in range(n):
        far = np.sort(D[row, np.unique(np.argmin(unlike, axis=1))])[1:]  # a row of each kind, but its own
        assert squares[row] == (far[k - 1] if len(far) > k else np.inf)


@given(tied(), st.integers(1, 6), st.sampled_from(PAIRS))
@settings(max_examples=300)
def test_each_merge_is_of_the_nearest_linked_clusters(X: np.ndarray, k: int, pair: tuple[str, str]) -> None:
    method, metric = pair
    if metric == "cosine":
        X = np.abs(X) + 1.0
    fitted = Agglomerative(1, linkage=method, metric=metric, connectivity=k).fit(X)
    if len(X) < 2:
        assert fitted.merge_bounds_.shape == (0,) and fitted.hierarchy_.n_samples == 1
        return
    found = linkage(X, method, metric, k)
    D = squareform(pdist(X, metric))
    if metric != "cosine" or k >= len(X) - 1:  # whose ties are not exact
        linked = np.ones_like(D, dtype=bool) if k >= len(X) - 1 else neighbors(X, k)
        above, wrong = twin.excess(found, D, method, linked, by_edges=by_edges(*pair))
        assert above < 1e-7 and wrong < 1e-7
    bounds = fitted.merge_bounds_
    if pair not in BOUNDED and k < len(X) - 1:
        assert bounds is None
        return
    # Heights near 0 are rounding alone.
    shares = twin.nearest_shares(found, D, method, by_edges=by_edges(*pair))
    solid = found[:, 2] > 1e-6 * found[:, 2].max()
    assert (bounds >= 0.0).all() and (bounds <= 1.0).all()
    assert (bounds[solid] <= shares[solid] * (1.0 + 1e-6)).all()


@given(tied(), st.integers(0, 2**32 - 1), st.floats(0.0, 0.5), st.sampled_from(PAIRS))
@settings(max_examples=300)
def test_any_graph(X: np.ndarray, seed: int, density: float, pair: tuple[str, str]) -> None:
    """Graphs that leave equal rows apart, that fall into parts, that have no edge."""
    method, metric = pair
    assume(len(X) > 1)
    if metric == "cosine":
        X = np.abs(X) + 1.0
    graph = sp.random_array((len(X), len(X)), density=density, rng=np.random.default_rng(seed))
    linked = (graph != 0).toarray()
    linked |= linked.T
    np.fill_diagonal(linked, False)
    found = linkage(X, method, metric, graph)
    above, wrong = twin.excess(found, squareform(pdist(X, metric)), method, linked, by_edges=by_edges(*pair))
    assert above < 1e-7 and wrong < 1e-7
    assert not by_edges(*pair) or (np.diff(found[:, 2]) >= 0.0).all()


@pytest.mark.parametrize(("method", "metric"), BOUNDED)
def test_bounds_hold_and_prove_the_low_merges(method: str, metric: str) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.concatenate([rng.normal(size=(90, 2)), 9.0 + 3.0 * rng.normal(size=(60, 2))])
        X = np.concatenate([X, X[:20]])
        along = Agglomerative(1, linkage=method, metric=metric, connectivity=8).fit(X)
        Z = linkage(X, method, metric, 8)
        shares = twin.nearest_shares(
            Z, squareform(pdist(X, metric)), method, by_edges=by_edges(method, metric)
        )
        assert (along.merge_bounds_[20:] <= shares[20:] * (1 + 1e-9)).all()
        proven = along.merge_bounds_ == 1.0
        assert np.mean(proven) > 0.3
        n_first = len(proven) if proven.all() else int(np.argmin(proven))
        assert n_first > 20
        # Equal rows merge in any order.
        assert set(made_by(Z)[20:n_first]) <= set(made_by(linkage(X, method, metric)))
        np.testing.assert_array_equal(along.hierarchy_.heights[len(X) :], Z[:, 2])


@pytest.mark.parametrize(("method", "metric"), PAIRS)
def test_all_neighbors_give_the_tree_without_a_graph(method: str, metric: str) -> None:
    X = np.random.default_rng(1).normal(size=(80, 3))
    expected = linkage(X, method, metric)
    for k in (79, 80, 2**31 - 1):
        assert np.array_equal(linkage(X, method, metric, k), expected)
    fitted = Agglomerative(linkage=method, metric=metric, connectivity=79).fit(X)
    assert fitted.merge_bounds_.tolist() == [1.0] * 79
    complete = linkage(X, method, metric, sp.csr_array(np.ones((80, 80))))
    assert np.array_equal(complete[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(complete[:, 2], expected[:, 2], rtol=1e-13)
    rows = by_centres(X, metric)
    link = _core.link_by_edges if by_edges(method, metric) else _core.link_by_graph
    Z, bounds = link(rows, method, *_core.neighbor_graph(rows, 79))
    assert Z.reshape(-1, 4)[:, 0].tolist() == expected[:, 0].tolist()
    assert bounds.tolist() == ([1.0] * 79 if (method, metric) in BOUNDED else [])


def test_no_edge_gives_the_tree_without_a_graph() -> None:
    X = np.random.default_rng(1).normal(size=(70, 2))
    for method, metric in PAIRS:
        if by_edges(method, metric):
            continue
        found = linkage(X, method, metric, sp.csr_array((70, 70)))
        np.testing.assert_allclose(found, linkage(X, method, metric), rtol=1e-13)


@pytest.mark.parametrize("method", ["ward", "complete", "average"])
@pytest.mark.parametrize("k", [4, 8, 20])
def test_heights_are_scikit_learns(method: str, k: int) -> None:
    theirs = ward_tree if method == "ward" else partial(linkage_tree, linkage=method)
    n_compared = 0
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(300, 1 + seed))
        graph = kneighbors_graph(X, k)
        graph = graph + graph.T
        if connected_components(graph)[0] > 1:
            continue
        n_compared += 1
        *_, heights = theirs(X, connectivity=graph, return_distance=True)
        for connectivity in (k, graph):
            found = linkage(X, method, connectivity=connectivity)
            np.testing.assert_allclose(found[:, 2], heights, rtol=1e-9)
    assert n_compared > 0


@pytest.mark.parametrize("method", ["ward", "complete", "average"])
def test_zeros_that_are_stored_are_links(method: str) -> None:
    """Distances of equal rows are such. scikit-learn drops them, and so has the heights of a graph of ones."""
    theirs = ward_tree if method == "ward" else partial(linkage_tree, linkage=method)
    n_compared = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = np.repeat(rng.normal(size=(25, 2)), 2, axis=0)
        graph = kneighbors_graph(X, 6, mode="distance")
        ones = sp.csr_array((np.ones(graph.nnz), graph.indices, graph.indptr))
        if connected_components(ones)[0] > 1:
            continue
        *_, heights = theirs(X, connectivity=ones, return_distance=True)
        found = linkage(X, method, connectivity=graph)
        np.testing.assert_allclose(found[:, 2], heights, rtol=1e-9, atol=1e-12)
        assert np.array_equal(found, linkage(X, method, connectivity=ones))
        n_compared += 1
    assert n_compared > 1
    graph.eliminate_zeros()
    assert not np.array_equal(found, linkage(X, method, connectivity=graph))


def test_merges_by_hand() -> None:
    # 0 1 2.5 4.5 with the chain 0-1-2-3: (0, 1) at 1; then 2 is nearer to 3 than to both.
    X = np.array([[0.0], [1.0], [2.5], [4.5]])
    chain = sp.diags_array([1.0, 1.0, 1.0], offsets=1, shape=(4, 4))
    Z = linkage(X, "ward", connectivity=chain)
    assert Z[:, :2].tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    np.testing.assert_allclose(Z[:, 2], [1.0, 2.0, 3.0 * np.sqrt(2.0)])
    # Without the edge 0-1 the merge of 1 and 2 comes first, and 0 is left for the end.
    chain = sp.diags_array([0.0, 1.0, 1.0], offsets=1, shape=(4, 4))
    assert linkage(X, "single", connectivity=chain)[:, 2].tolist() == [1.5, 2.0, 1.0]


def test_a_merge_can_be_lower_than_the_one_before() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.02, 0.0]])
    triangle = sp.coo_array(([1, 1], ([0, 0], [1, 2])), shape=(3, 3))
    X[1:] = [[1.0, 0.0], [0.9, 0.6]]
    Z = linkage(X, "average", "sqeuclidean", triangle)
    np.testing.assert_allclose(Z[:, 2], [1.0, (1.17 + 0.37) / 2.0])
    assert Z[1, 2] < Z[0, 2]


def test_equally_near_pairs_merge_in_the_order_of_rows() -> None:
    X = np.arange(8.0)[:, None]
    Z = linkage(X, "ward", connectivity=sp.diags_array(np.ones(7), offsets=1, shape=(8, 8)))
    assert Z[:4, :2].tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]
    assert Z[4:, :2].tolist() == [[8.0, 9.0], [10.0, 11.0], [12.0, 13.0]]


@pytest.mark.parametrize("method", ["ward", "average", "single", "complete", "median"])
def test_many_equal_rows_take_no_longer(method: str) -> None:
    X = np.repeat([[0.0], [1.0], [5.0]], [30_000, 2, 3], axis=0)
    metric = "sqeuclidean" if method == "average" else "euclidean"
    Z = linkage(X, method, metric, 1)
    assert np.count_nonzero(Z[:, 2]) == 2 and Z[-1, 3] == len(X)


@pytest.mark.parametrize(("method", "metric"), [pair for pair in PAIRS if pair[1] != "cosine"])
def test_threads_and_instruction_sets_change_no_bit(method: str, metric: str) -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(900, 3)), rng.integers(0, 4, size=(300, 3)).astype(float)])
    expected = linkage(X, method, metric, 5)
    for _ in each_number_of_threads():
        assert np.array_equal(linkage(X, method, metric, 5), expected)
    for name in each_instruction_set():
        assert np.array_equal(linkage(X, method, metric, 5), expected), name


def test_what_a_graph_may_be() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    linked = neighbors(X, 3)
    expected = linkage(X, connectivity=3)
    integers, rows = linked.astype(np.int8), np.array(linkage(X, connectivity=3))
    for graph in (
        sp.csc_matrix(linked),
        sp.lil_array(integers),
        sp.csr_array(np.triu(integers)),
        sp.csr_array(integers + 5 * np.eye(30, dtype=np.int8)),
        sp.bsr_array(integers, blocksize=(3, 5)),  # whose zeros fill up blocks
        linked,
        np.triu(integers) * -0.5,
    ):
        assert np.array_equal(linkage(X, connectivity=graph), expected)
    kept = sp.csr_array(linked)
    kept.data[:] = False  # what is stored is an edge, whatever it is
    assert np.array_equal(linkage(X, connectivity=kept), expected)
    assert np.array_equal(
        linkage(X, connectivity=linked * 0.0), linkage(X, connectivity=sp.csr_array((30, 30)))
    )
    assert kept.nnz == linked.sum() and np.array_equal(rows, expected)
    assert np.array_equal(linkage(X, connectivity=np.int16(3)), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = clone(Agglomerative(linkage="ward", connectivity=sp.csr_array(linked))).fit(X)
    assert fitted.merge_bounds_ is None and np.array_equal(fitted.hierarchy_.heights[30:], expected[:, 2])
    assert linkage([[1.0, 2.0]], connectivity=sp.csr_array((1, 1))).shape == (0, 4)
    assert Agglomerative(linkage="ward").fit(X).merge_bounds_.tolist() == [1.0] * 29


@pytest.mark.parametrize(
    ("connectivity", "how", "words"),
    [
        (0, {}, "connectivity=0: expected an integer >= 1"),
        (-3, {}, "connectivity=-3: expected an integer >= 1"),
        (sp.eye_array(3), {}, r"connectivity: shape \(3, 3\); expected \(4, 4\), as X has 4 rows"),
        (sp.csr_array(np.full((4, 4), np.nan)), {}, "connectivity: it has NaN or infinity; expected finite"),
        (sp.csr_array(np.full((4, 4), 1j)), {}, "connectivity: dtype complex128; expected real numbers"),
        (np.ones((3, 4)), {}, r"connectivity: shape \(3, 4\); expected \(4, 4\)"),
        (np.full((4, 4), np.inf), {}, "connectivity: it has NaN or infinity; expected finite"),
        (
            2,
            {"method": "complete", "metric": "cityblock"},
            "='complete', metric='cityblock': not along a graph; expected "
            "metric='euclidean' or 'sqeuclidean' or 'cosine', or connectivity=None$",
        ),
        (2, {"method": "single", "metric": "cityblock"}, "not along a graph"),
    ],
)
def test_bad_graphs_are_refused(connectivity: object, how: dict[str, str], words: str) -> None:
    X = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.raises(ValueError, match=words):
        linkage(X, connectivity=connectivity, **how)
    names = {"linkage": how.get("method", "ward"), "metric": how.get("metric", "euclidean")}
    with pytest.raises(ValueError, match=words):
        Agglomerative(connectivity=connectivity, **names).fit(X)


@pytest.mark.parametrize("connectivity", [True, 2.0, "knn", np.ones((4, 4)).tolist(), lambda X: X])
def test_other_types_are_refused(connectivity: object) -> None:
    X = np.random.default_rng(0).normal(size=(4, 2))
    with pytest.raises(ValueError, match=r"connectivity: .* expected None, an integer, a sparse matrix or"):
        linkage(X, connectivity=connectivity)


def test_distances_have_no_graph() -> None:
    with pytest.raises(ValueError, match="X: distances of all pairs; expected rows of features"):
        linkage([1.0, 2.0, 2.0], connectivity=1)
    with pytest.raises(ValueError, match="distances have no graph; expected metric='euclidean', or conn"):
        Agglomerative(1, linkage="ward", metric="precomputed", connectivity=1).fit([[0.0, 1.0], [1.0, 0.0]])


def test_bindings_refuse_what_is_no_graph() -> None:
    X = np.arange(6.0).reshape(3, 2)
    begin, ends, squares = _core.neighbor_graph(X, 1)
    for arguments, words in [
        ((X, "complete", begin, ends, squares), "there is none of that name"),
        ((X, "ward", begin[:-1], ends, squares), r"begin: shape \(3,\); expected \(4,\)"),
        ((X, "ward", begin[::-1].copy(), ends, squares), "begin: expected ascending"),
        ((X, "ward", begin + 1, ends, squares), "begin: expected ascending"),
        ((X, "ward", begin, ends + 2, squares), r"ends: entry . is 3; expected 0\.\.2"),
        ((X, "ward", begin, ends, squares[:2]), "squares: 2 numbers; expected 0 or 3"),
        ((X, "ward", begin, ends, -squares), "expected none below 0"),
        ((X, "ward", begin, ends, squares * np.nan), "expected none below 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            _core.link_by_graph(*arguments)
    with pytest.raises(ValueError, match="there is none of that name"):
        _core.neighbor_graph(X, 1, "trees")
    with pytest.raises(ValueError, match="k: 0; expected at least 1"):
        _core.neighbor_graph(X, 0)


def test_edges_of_small_integers_that_are_given_twice_stay_edges() -> None:
    ends = np.array([0, 0, 1, 1]), np.array([1, 1, 2, 2])
    X, once = np.array([[0.0], [5.0], [1.0]]), sp.csr_array((np.ones(4), ends), shape=(3, 3))
    twice = sp.coo_array((np.full(4, -128, dtype=np.int8), ends), shape=(3, 3))
    assert linkage(X, connectivity=twice).tolist() == linkage(X, connectivity=once).tolist()
