"""Linkage of linked rows alone: against the twin, by hand, ties, parts of a graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from cladebench import _core, linkage
from cladebench.methods import Agglomerative
from cladebench.reference import linkages as twin
from cladebench.solvers.graph_linkages import BY_EDGES
from linkage_trees import by_rows


def chain(n: int) -> sp.sparray:
    return sp.diags_array(np.ones(n - 1), offsets=1, shape=(n, n))


def test_merges_by_hand() -> None:
    # 0 1 2.5 4.5 on a chain: 0 and 1 at 1; then 2.5 is 1.5 from 1, and so from both.
    X = np.array([[0.0], [1.0], [2.5], [4.5]])
    for method in BY_EDGES:
        Z = linkage(X, method, connectivity=chain(4))
        assert Z.tolist() == [[0.0, 1.0, 1.0, 2.0], [2.0, 4.0, 1.5, 3.0], [3.0, 5.0, 2.0, 4.0]]
    # With the edge 0 - 2.5 both count, and with 0 - 4.5 the last one, too.
    graph = chain(4) + sp.coo_array(([1.0, 1.0], ([0, 0], [2, 3])), shape=(4, 4))
    heights = {method: linkage(X, method, connectivity=graph)[:, 2].tolist() for method in BY_EDGES}
    assert heights["complete"] == [1.0, 2.0, 4.5]  # of 2.5 and 4.5
    assert heights["average"] == [1.0, 2.0, pytest.approx((2 * 4.5 + 2.0) / 3)]
    assert heights["weighted"] == [1.0, 2.0, (4.5 + 2.0) / 2]
    # Sizes count: 3 rows at 0 and 1 at 0.25.
    X = np.array([[0.0], [0.0], [0.0], [0.25], [8.0]])
    graph = sp.coo_array(([1.0] * 5, ([0, 0, 0, 0, 3], [1, 2, 3, 4, 4])), shape=(5, 5))
    assert linkage(X, "average", connectivity=graph)[-1, 2] == (3 * 8.0 + 7.75) / 4
    assert linkage(X, "weighted", connectivity=graph)[-1, 2] == (8.0 + 7.75) / 2


@given(st.integers(2, 40), st.integers(1, 3), st.integers(0, 2**32 - 1), st.floats(0.02, 0.6))
@settings(max_examples=300)
def test_of_equally_near_pairs_the_one_with_the_lowest_rows_merges(
    n: int, d: int, seed: int, density: float
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.permutation(np.unique(rng.integers(0, 4, size=(n, d)).astype(float), axis=0))
    linked = rng.random((len(X), len(X))) < density
    linked |= linked.T
    np.fill_diagonal(linked, False)
    # Greatest distances and plain means are the same numbers in the twin.
    for method in ("complete", "weighted"):
        found = linkage(X, method, connectivity=sp.csr_array(linked))
        expected = twin.linkage(squareform(pdist(X)), method, linked, by_edges=True)
        assert found.tolist() == expected.tolist()


def test_equally_near_pairs_merge_in_the_order_of_rows() -> None:
    for method in BY_EDGES:
        Z = linkage(np.arange(6.0)[:, None], method, connectivity=chain(6))
        assert [merge[1:3] for merge in by_rows(Z)] == [(0, k) for k in range(1, 6)]


def test_parts_are_joined_by_the_shortest_edges_between_them() -> None:
    # Two chains, 3 apart: the edge between them is one of all, and is taken before the last of the first chain.
    X = np.array([[0.0], [4.0], [5.0], [8.0], [9.0]])
    parts = sp.coo_array(([1.0] * 3, ([0, 1, 3], [1, 2, 4])), shape=(5, 5))
    for method in BY_EDGES:
        assert linkage(X, method, connectivity=parts)[:, 2].tolist() == [1.0, 1.0, 3.0, 4.0]
    alone = linkage(X, "complete", connectivity=sp.csr_array((5, 5)))
    assert alone[:, 2].tolist() == [1.0, 1.0, 3.0, 4.0]  # of the spanning tree's edges
    # Equal rows of two parts are at 0 from each other.
    X[3] = 4.0
    assert linkage(X, "average", connectivity=parts)[:, 2].tolist() == [0.0, 1.0, 4.0, 5.0]


def test_metrics_have_one_tree() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    Z = linkage(X, "complete", connectivity=5)
    squared = linkage(X, "complete", "sqeuclidean", 5)
    assert np.array_equal(squared[:, [0, 1, 3]], Z[:, [0, 1, 3]])
    np.testing.assert_allclose(squared[:, 2], Z[:, 2] ** 2, rtol=1e-15)
    first, second = (
        Agglomerative(metric=metric, connectivity=5).fit(X).merge_bounds_
        for metric in ("euclidean", "sqeuclidean")
    )
    assert np.array_equal(first**2, second)
    directions = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosine, of_directions = (
        linkage(X, "complete", "cosine", 5),
        linkage(directions, "complete", connectivity=5),
    )
    np.testing.assert_allclose(cosine[:, 2], of_directions[:, 2] ** 2 / 2.0, rtol=1e-9)


@pytest.mark.parametrize("method", list(BY_EDGES))
def test_few_rows(method: str) -> None:
    for k in (1, 2, 5):
        assert linkage([[1.0, 2.0]], method, connectivity=k).shape == (0, 4)
        assert linkage([[1.0], [3.5]], method, connectivity=k).tolist() == [[0.0, 1.0, 2.5, 2.0]]
    for graph in (sp.csr_array((2, 2)), chain(2)):
        assert linkage([[1.0], [1.0]], method, connectivity=graph).tolist() == [[0.0, 1.0, 0.0, 2.0]]
    assert linkage([[1.0]], method, connectivity=sp.csr_array((1, 1))).shape == (0, 4)


@pytest.mark.parametrize("method", list(BY_EDGES))
@pytest.mark.parametrize("tied", [False, True])
def test_a_cluster_with_many_links_takes_no_longer(method: str, tied: bool) -> None:
    """With all links looked at in each merge this would take minutes."""
    n = 150_000
    X = np.zeros((n, 2))
    X[:-1] = np.where(tied, 1.0, np.arange(1.0, n))[:, None] * [0.6, 0.8]  # equal rows that are not linked
    graph = sp.coo_array((np.ones(n - 1), (np.full(n - 1, n - 1), np.arange(n - 1))), shape=(n, n))
    Z = linkage(X, method, connectivity=graph)
    np.testing.assert_allclose(np.sort(Z[:, 2]), np.sort(np.linalg.norm(X[:-1], axis=1)), rtol=1e-12)


def test_bounds_are_of_the_distance_between_all_rows() -> None:
    """Bounds hold for the distance of two clusters of which some rows are not linked."""
    n_partly = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(int(rng.integers(10, 120)), int(rng.integers(1, 4))))
        X = np.concatenate([X, X[: int(rng.integers(0, 9))], 1e6 * rng.normal(size=(3, X.shape[1]))])
        D = squareform(pdist(X))
        for method in BY_EDGES:
            Z = linkage(X, method, connectivity=3)
            bounds = Agglomerative(1, linkage=method, connectivity=3).fit(X).merge_bounds_
            shares = twin.nearest_shares(Z, D, method, by_edges=True)
            solid = Z[:, 2] > 0.0
            assert (bounds[solid] <= shares[solid] * (1.0 + 1e-9)).all() and (bounds[~solid] == 1.0).all()
            n_partly += np.count_nonzero((bounds > 0.3) & (bounds < 1.0))
    assert n_partly > 100


def test_binding_knows_its_linkages() -> None:
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(ValueError, match="there is none of that name"):
        _core.link_by_edges(X, "ward", *_core.neighbor_graph(X, 1))
