"""Kernel matrices and starts that clusterers by dependence share."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from cladebench.class_labels import by_first_member
from cladebench.methods import _kernel
from cladebench.methods._kernel import kernel_matrix, start_labels
from cladebench.methods._kmeans import kmeans_labels
from cladebench.reference.dependence import centring
from cladebench.solvers.gram import center, center_factor
from kernel_cases import blobs, full, gaussian, gram_of, words


@pytest.mark.parametrize("width", [0.5, 1.0, 3.0])
def test_matrices_are_by_definition(width: float) -> None:
    X, _ = blobs(30)
    H = centring(30)
    kernels = {"gaussian": gaussian(X, width), "linear": (X + 30.0) @ (X + 30.0).T}
    for kernel, K in kernels.items():
        D = np.diag(1 / np.sqrt(K.sum(axis=1)))
        for matrix, M in (("kernel", K), ("normalized_cut", D @ K @ D)):
            points = X if kernel == "gaussian" else X + 30.0
            expected = pytest.approx(H @ M @ H, rel=1e-7, abs=1e-10 * np.abs(M).max())
            for rank in (None, 30):
                for given in (points, sparse.csr_array(points)):
                    found = gram_of(given, kernel=kernel, width=width, matrix=matrix, rank=rank)
                    assert full(found) == expected
                    assert found.is_factor or rank is None
            assert full(gram_of(K, kernel="precomputed", matrix=matrix)) == expected


@pytest.mark.parametrize("most", [9, 25, 30])
def test_with_a_rank_the_median_is_of_few_rows(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "MEDIAN_ROWS", most)
    X, _ = blobs(25, spread=3.0)
    rows = np.random.RandomState(0).permutation(25)[:most]
    median = np.median(cdist(X[rows], X[rows], "sqeuclidean")[np.triu_indices(len(rows), 1)])
    expected = centring(25) @ np.exp(-cdist(X, X, "sqeuclidean") / median) @ centring(25)
    for given in (X, sparse.csr_array(X)):
        assert full(gram_of(given, rank=25)) == pytest.approx(expected, abs=1e-9)


def test_products_of_sparse_rows_are_made_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    X = words(30)
    for block in (1, 7, 15, 30, 31):
        monkeypatch.setattr(_kernel, "BLOCK", block)
        assert np.array_equal(kernel_matrix(X, "linear", 1.0), (X @ X.T).toarray())


def test_samples_far_from_all_others_have_similarities() -> None:
    X = np.concatenate([blobs(20)[0], [[1e6] * 4]])
    K = kernel_matrix(X, "gaussian", 1.0)
    assert K.min() == np.exp(-300.0)
    assert np.array_equal(np.diag(K), np.ones(21))


def test_a_low_rank_is_near_the_whole() -> None:
    X, _ = blobs(80, spread=2.0)
    whole = full(gram_of(X))
    errors = [np.linalg.norm(full(gram_of(X, rank=rank)) - whole) for rank in (1, 5, 20, 60)]
    assert (np.diff(errors) < 0).all() and errors[-1] < 1e-3 * np.linalg.norm(whole)
    assert gram_of(X, rank=5).values.shape == (80, 5)


def test_starts() -> None:
    X, y = blobs()
    gram, random = gram_of(X), np.random.RandomState(0)
    for start in ("spectral", "unit_rows"):
        assert np.array_equal(start_labels(gram, 3, start, random), by_first_member(y))
    drawn = [start_labels(gram, 7, "random", random) for _ in range(2)]
    assert not np.array_equal(*drawn)
    assert sorted(np.bincount(drawn[0]).tolist()) == [8, 8, 8, 9, 9, 9, 9]
    assert np.array_equal(drawn[0], by_first_member(drawn[0]))
    assert not start_labels(center(np.ones((70, 70))), 3, "spectral", random).any()


def test_unit_rows_are_another_start() -> None:
    X, _ = blobs(80, spread=5.0)
    gram = gram_of(X)
    random = [np.random.RandomState(0) for _ in range(2)]
    assert not np.array_equal(
        start_labels(gram, 4, "spectral", random[0]), start_labels(gram, 4, "unit_rows", random[1])
    )


@pytest.mark.parametrize("start", ["spectral", "unit_rows"])
@pytest.mark.parametrize("seed", range(4))
def test_starts_are_those_of_the_plain_steps(start: str, seed: int) -> None:
    gram = gram_of(np.random.default_rng(seed).normal(size=(60, 5)))
    rows = np.linalg.eigh(gram.values)[1][:, ::-1][:, :6]
    if start == "unit_rows":
        rows = rows / np.sqrt((rows**2).sum(axis=1))[:, None]
    drawn = np.random.RandomState(seed).randint(2**31 - 1)
    expected = kmeans_labels(rows, 6, n_init=10, seed=drawn)[0]
    assert np.array_equal(start_labels(gram, 6, start, np.random.RandomState(seed)), expected)
    assert not np.array_equal(start_labels(gram, 6, "random", np.random.RandomState(seed)), expected)


def test_the_unit_row_of_a_sample_at_the_mean_is_zero() -> None:
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 0.0]])
    labels = start_labels(center_factor(X), 5, "unit_rows", np.random.RandomState(0))
    assert labels.tolist() == [0, 1, 2, 3, 4]
