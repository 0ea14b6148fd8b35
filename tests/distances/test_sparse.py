"""Distances of sparse rows: those of the same rows written out."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from cladebench import distances
from cladebench.distances import _sparse

TAKING = {name: cls for name, cls in distances.discover().items() if cls.takes_sparse}


def rows(n: int, seed: int = 0) -> np.ndarray:
    """Mostly zeros; the first row has none but zeros, the last is equal to the one before."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 9)) * (random.random((n, 9)) < 0.3)
    X[0], X[-1] = 0, X[-2]
    return X


def make(name: str) -> Any:
    estimator = TAKING[name]()
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def test_which_distances_take_sparse_rows() -> None:
    assert set(TAKING) == {"Euclidean", "RandomProjection"}


@pytest.mark.parametrize(
    "convert", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix]
)
@pytest.mark.parametrize("name", TAKING)
def test_sparse_rows_have_the_distances_of_dense_ones(name: str, convert: Any) -> None:
    X, Q = rows(20), rows(7, seed=1)
    dense, thin = make(name).fit(X), make(name).fit(convert(X))
    expected = dense.pairwise(Q, X)
    for left, right in ((convert(Q), convert(X)), (Q, convert(X)), (convert(Q), X)):
        np.testing.assert_allclose(thin.pairwise(left, right), expected, rtol=1e-12, atol=1e-12)
    own = thin.pairwise(convert(X))
    assert np.array_equal(own, own.T) and own[-1, -2] == 0 and not own.diagonal().any()
    for (distance, index), queries in ((thin.kneighbors(convert(Q), 6), Q), (thin.kneighbors(Q, 6), Q)):
        theirs, places = dense.kneighbors(queries, 6)
        np.testing.assert_allclose(distance, theirs, rtol=1e-12, atol=1e-12)
        assert np.array_equal(np.sort(index[:, :3]), np.sort(places[:, :3]))


def test_near_rows_far_from_zero_keep_their_distance() -> None:
    """What products of matrices would lose."""
    X = np.array([[1e8, 0, 1], [1e8, 0, 0], [0, 0, 0]])
    assert distances.Euclidean().fit(X).pairwise(sparse.csr_array(X))[0, 1] == 1.0


@pytest.mark.parametrize("block", [1, 3, 50])
def test_the_size_of_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    X, Y = rows(6), rows(5, seed=2)
    monkeypatch.setattr(_sparse, "BLOCK", block)
    np.testing.assert_allclose(
        _sparse.euclidean(sparse.csr_array(X), sparse.csr_array(Y)), cdist(X, Y), rtol=1e-12, atol=1e-12
    )


def test_entries_that_stand_twice_add_up() -> None:
    X = sparse.csr_array((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert distances.Euclidean().fit(X).pairwise(X)[0, 1] == np.hypot(3, 5)


def test_sparse_rows_whose_squares_overflow_or_vanish_are_refused() -> None:
    X = sparse.csr_array(([1.0, 1e200, 1.0], ([0, 1, 2], [0, 2, 1])), shape=(3, 4))
    with pytest.raises(ValueError, match=r"X\[1, 2\] is 1e\+200.*rescale X"):
        distances.Euclidean().fit(X)
    with pytest.raises(ValueError, match=r"features of X extend over 1e-200 at most"):
        distances.Euclidean().fit(sparse.csr_array(([1e-200], ([0], [1])), shape=(3, 4)))
    assert not distances.Euclidean().fit(sparse.csr_array((3, 4))).pairwise(sparse.csr_array((3, 4))).any()
