"""Nearest rows by products of matrices are those by differences, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from cladebench.distances import LMNN, Euclidean, RandomProjection
from cladebench.distances import _nearest as nearest
from cladebench.distances._mapped import MappedDistance
from cladebench.distances.base import Distance


@given(
    st.integers(0, 2**31),
    st.integers(1, 40),
    st.integers(1, 4),
    st.sampled_from([1, 8]),
    st.sampled_from([0.0, 1.0, 1e8]),
    st.sampled_from([1.0, 1e-160, 1e150]),
    st.booleans(),
    st.data(),
)
@settings(max_examples=200, deadline=None)
def test_nearest_rows_are_those_by_differences(seed, n, d, copies, shift, scale, coarse, data) -> None:
    rng = np.random.default_rng(seed)
    drawn = rng.integers(3, size=(n + 5, d)).astype(float) if coarse else rng.normal(size=(n + 5, d))
    drawn = scale * (drawn + shift)
    # Copies: more equal rows than are looked at closely.
    rows, queries = np.repeat(drawn[:n], copies, axis=0), drawn[n // 2 :]
    k = data.draw(st.integers(1, len(rows)), "k")
    distance, index = nearest.nearest_rows(queries, rows, k)
    every = cdist(queries, rows)
    order = np.argsort(every, axis=1, kind="stable")[:, :k]
    assert np.array_equal(index, order)
    assert np.array_equal(distance, np.take_along_axis(every, order, axis=1))


def test_blocks_of_queries_are_alike(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    rows, queries = rng.normal(size=(50, 3)), rng.normal(size=(23, 3))
    whole = nearest.nearest_rows(queries, rows, 4)
    monkeypatch.setattr(nearest, "BLOCK", 7 * len(rows))
    assert all(
        np.array_equal(a, b) for a, b in zip(whole, nearest.nearest_rows(queries, rows, 4), strict=True)
    )


@pytest.mark.parametrize("distance", [Euclidean(), RandomProjection(n_components=3, random_state=0), LMNN()])
def test_mapped_distances_find_what_comparing_with_all_finds(distance, monkeypatch) -> None:
    rng = np.random.default_rng(1)
    X, y = np.repeat(rng.integers(4, size=(40, 3)), 2, axis=0) * 1.0, np.arange(80) % 2
    queries = rng.normal(size=(9, 3))
    distance.fit(X, y)
    for given_rows in (queries, None):
        fast = distance.kneighbors(given_rows, 6)
        with monkeypatch.context() as patch:
            patch.setattr(type(distance), "_nearest", Distance._nearest)
            slow = distance.kneighbors(given_rows, 6)
        assert all(np.array_equal(a, b) for a, b in zip(fast, slow, strict=True))


class Far(MappedDistance):
    """Rows far from 0, whose squares overflow."""

    def _check_parameters(self) -> None:
        pass

    def _learn(self, X, y, must_link, cannot_link) -> None:
        pass

    def _map(self, X):
        return 1e200 * np.floor(X)


def test_where_squares_overflow_rows_are_compared() -> None:
    X = np.array([[1.2, 1.0], [1.4, 1.0], [1.0, 1.5]])
    distance, index = Far().fit(X).kneighbors(n_neighbors=2)
    assert not distance.any() and index.tolist() == [[1, 2], [0, 2], [0, 1]]
    with pytest.raises(ValueError, match="distances of Far overflow; rescale X"):
        Far().fit([[1.0], [2.0]]).kneighbors(n_neighbors=1)


def test_sparse_rows_stay_sparse() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(3, size=(30, 4)) * 1.0
    dense = Euclidean().fit(X).kneighbors(X[:5], 4)
    for fitted, queries in ((sparse.csr_array(X), X[:5]), (X, sparse.csr_array(X[:5]))):
        found = Euclidean().fit(fitted).kneighbors(queries, 4)
        assert np.array_equal(found[1], dense[1])
