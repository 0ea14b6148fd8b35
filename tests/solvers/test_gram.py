"""Centred Gram matrices: whole ones and factors against the definitions, and incomplete Cholesky factors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference.dependence import centring, indicator
from cladebench.solvers import gram as module
from cladebench.solvers.gram import (
    CenteredGram,
    center,
    center_factor,
    checked_degrees,
    checked_kernel,
    incomplete_cholesky,
    normalized_cut,
    normalized_cut_factor,
    top_eigenvectors,
)


def factors(n: int, rank: int, seed: int, whole: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, rank)).astype(float) if whole else rng.normal(size=(n, rank)) + 1.0


some_factors = st.builds(factors, st.integers(1, 20), st.integers(1, 8), st.integers(0, 10**6), st.booleans())


def matrix(gram: CenteredGram) -> np.ndarray:
    return gram.values @ gram.values.T if gram.is_factor else gram.values


def both(F: np.ndarray) -> tuple[CenteredGram, CenteredGram]:
    return center(F @ F.T), center_factor(F)


@settings(deadline=None)
@given(some_factors, st.booleans())
def test_a_matrix_that_may_be_written_over_gives_the_same_bits(F: np.ndarray, equal: bool) -> None:
    M = np.full((len(F), len(F)), 0.1) if equal else F @ F.T
    before = M.copy()
    kept = center(M)
    assert np.array_equal(M, before)
    over = center(M, overwrite=True)
    assert np.array_equal(kept.values, over.values) and over.values is M
    A = np.exp(before / (1.0 + np.abs(before).max()))
    copy = A.copy()
    cut = normalized_cut(A)
    assert np.array_equal(A, copy) and np.array_equal(normalized_cut(copy, overwrite=True), cut)
    assert np.array_equal(copy, cut)


def test_a_matrix_of_several_blocks_is_symmetrised() -> None:
    M = np.random.default_rng(0).normal(size=(13, 13))
    expected = (M + M.T) / 2.0
    for block in (1, 4, 13, 20):
        found = M.copy()
        module._symmetrise(found, block)
        assert np.array_equal(found, expected)


@settings(max_examples=100, deadline=None)
@given(some_factors)
def test_centring_is_by_definition(F: np.ndarray) -> None:
    n, H = len(F), centring(len(F))
    expected = H @ F @ F.T @ H
    for gram, is_factor in zip(both(F), (False, True), strict=True):
        assert gram.is_factor == is_factor and gram.n == n
        assert matrix(gram) == pytest.approx(expected, abs=1e-10)
        assert gram.trace == pytest.approx(np.trace(expected), abs=1e-10)
        assert gram.values.flags.c_contiguous and gram.values.dtype == np.float64
    dense = center(F @ F.T).values
    assert np.array_equal(dense, dense.T)


@settings(max_examples=100, deadline=None)
@given(some_factors, st.integers(0, 1000))
def test_rows_are_centred_among_themselves(F: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    index = rng.permutation(len(F))[: rng.integers(1, len(F) + 1)]
    H = centring(len(index))
    for gram in both(F):
        rows = gram.rows(index)
        assert rows.is_factor == gram.is_factor and rows.n == len(index)
        assert matrix(rows) == pytest.approx(H @ F[index] @ F[index].T @ H, abs=1e-10)


@settings(max_examples=100, deadline=None)
@given(some_factors, st.integers(1, 6), st.integers(0, 1000))
def test_sums_over_pairs_of_clusters(F: np.ndarray, k: int, seed: int) -> None:
    labels = np.random.default_rng(seed).integers(0, k, len(F))
    P, H = indicator(labels, k).astype(float), centring(len(F))
    expected = P.T @ H @ F @ F.T @ H @ P
    for gram in both(F):
        S = gram.cluster_sums(labels, k)
        assert pytest.approx(expected, abs=1e-9) == S
        assert np.array_equal(S, S.T)
        # Clusters that no point has.
        assert pytest.approx(np.pad(expected, (0, 2)), abs=1e-9) == gram.cluster_sums(labels, k + 2)


@pytest.mark.parametrize("n", [3, 7, 10, 49, 1000])
@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e7 + 0.1, -1e-200])
def test_equal_points_are_exactly_so(n: int, value: float) -> None:
    F = np.full((n, 3), value)
    assert not center_factor(F).values.any()
    assert not center(np.full((n, n), value)).values.any()
    noisy = np.full((n, n), value) * (1.0 + 2e-16 * (np.add.outer(np.arange(n), np.arange(n)) % 2))
    assert not center(noisy).values.any()
    # One column of equal numbers does not wipe out the others, whatever its size.
    F[0, 1] += abs(value)
    F[:, 2] *= 1e17
    centred = center_factor(F).values
    assert centred[0, 1] == pytest.approx(abs(value) * (1 - 1 / n))
    assert not centred[:, [0, 2]].any()


@pytest.mark.parametrize("n", [2, 5, 40, 64, 65, 150])
@pytest.mark.parametrize("n_vectors", [1, 3, 8])
def test_eigenvectors_are_numpy_s(n: int, n_vectors: int) -> None:
    F = factors(n, 12, n)
    grams = both(F)
    values, vectors = np.linalg.eigh(matrix(grams[0]))
    wanted = min(n_vectors, n - 1)
    for gram in grams:
        found, rows = gram.top_eigenvectors(n_vectors)
        assert found.shape == (wanted,) and rows.shape == (n, wanted)
        assert found == pytest.approx(values[::-1][:wanted], rel=1e-8)
        assert rows.T @ rows == pytest.approx(np.eye(wanted), abs=1e-8)
        assert np.abs(np.sum(rows * vectors[:, ::-1][:, :wanted], axis=0)) == pytest.approx(1.0, abs=1e-6)
    again = grams[0].top_eigenvectors(n_vectors)
    assert np.array_equal(again[1], grams[0].top_eigenvectors(n_vectors)[1])


@pytest.mark.parametrize("n", [20, 100])
def test_eigenvectors_of_the_eigenvalue_zero_are_left_out(n: int) -> None:
    for gram in both(factors(n, 3, 0)):
        assert gram.top_eigenvectors(6)[0].shape == (3,)
        assert gram.top_eigenvectors(6)[1].shape == (n, 3)
    for gram in both(np.ones((n, 3))):
        assert gram.top_eigenvectors(2)[1].shape == (n, 0)
    for gram in both(np.ones((1, 3))):
        assert gram.top_eigenvectors(2)[1].shape == (1, 0)


def test_all_eigenvectors_at_most_n_less_one() -> None:
    for gram in both(factors(8, 12, 0)):
        values, vectors = gram.top_eigenvectors(50)
        assert len(values) == 7
        assert (vectors * values) @ vectors.T == pytest.approx(matrix(gram), abs=1e-9)


@pytest.mark.parametrize("n", [30, 64, 65, 120])
def test_eigenvectors_of_any_symmetric_matrix(n: int) -> None:
    # The largest, not those of largest magnitude.
    M = np.random.default_rng(n).normal(size=(n, n))
    M = M + M.T - 5.0 * np.eye(n)
    values, vectors = top_eigenvectors(M, 4)
    assert values == pytest.approx(np.linalg.eigvalsh(M)[::-1][:4])
    assert M @ vectors == pytest.approx(vectors * values, abs=1e-7)


def kernel(n: int, seed: int = 0) -> np.ndarray:
    F = factors(n, n, seed)
    return F @ F.T


@pytest.mark.parametrize("n", [1, 5, 64, 65, 600])
def test_a_kernel_passes(n: int) -> None:
    K = kernel(n)
    K[0, -1] *= 1.0 + 1e-12
    checked = checked_kernel(K)
    assert np.array_equal(checked, checked.T)
    assert checked == pytest.approx(K)
    # Semidefinite is enough, and zeros are a kernel.
    assert np.array_equal(checked_kernel(np.ones((n, n))), np.ones((n, n)))
    assert not checked_kernel(np.zeros((n, n))).any()


def test_kernels_of_a_wrong_form() -> None:
    for K in (np.zeros((2, 3)), np.zeros(4), np.zeros((0, 0)), np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match=r"kernel has shape .*expected"):
            checked_kernel(K)
    for value in (np.nan, np.inf, -np.inf):
        K = kernel(5)
        K[3, 1] = value
        with pytest.raises(ValueError, match=r"kernel\[3, 1\] is (nan|-?inf); expected finite numbers"):
            checked_kernel(K)


@pytest.mark.parametrize(("n", "i", "j"), [(4, 2, 1), (70, 3, 60), (600, 590, 7), (600, 520, 550)])
def test_kernels_that_are_not_symmetric(n: int, i: int, j: int) -> None:
    K = np.eye(n)
    K[i, j] = 0.25
    words = rf"^kernel\[({i}, {j}|{j}, {i})\] is (0.25, .* is 0|0, .* is 0.25), 0.25 apart; expected a symm"
    for semidefinite in (True, False):
        with pytest.raises(ValueError, match=words):
            checked_kernel(K, semidefinite=semidefinite)


@pytest.mark.parametrize("n", [5, 64, 65, 150])
def test_kernels_that_are_not_positive_semidefinite(n: int) -> None:
    K = np.diag(np.linspace(0.0, 2.0, n))
    K[0, 0] = -1e-3
    with pytest.raises(ValueError, match=r"least eigenvalue is -0\.001, its largest 2$"):
        checked_kernel(K)
    assert np.array_equal(checked_kernel(K, semidefinite=False), K)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        checked_kernel(-np.eye(n))
    K[0, 0] = -1e-10  # rounding
    assert np.array_equal(checked_kernel(K), K)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 15), st.integers(1, 5), st.integers(0, 10**6))
def test_normalised_cuts(n: int, rank: int, seed: int) -> None:
    F = np.random.default_rng(seed).uniform(0.1, 1.0, (n, rank))
    A = F @ F.T
    D = np.diag(1.0 / np.sqrt(A.sum(axis=1)))
    cut = normalized_cut(A)
    assert cut == pytest.approx(D @ A @ D)
    scaled = normalized_cut_factor(F)
    assert scaled @ scaled.T == pytest.approx(cut)
    assert pytest.approx(F @ F.T) == A  # the argument is left alone


def test_degrees_have_to_be_positive() -> None:
    words = "similarities of sample 1: their sum is {}; expected a positive one"
    for value in (0.0, -2.0):
        with pytest.raises(ValueError, match=words.format(f"{value:g}")):
            normalized_cut(np.array([[1.0, 0.0], [0.0, value]]))
    with pytest.raises(ValueError, match=words.format("0")):
        normalized_cut_factor(np.array([[1.0], [0.0], [0.0]]))
    with pytest.raises(ValueError, match=words.format("nan")):
        checked_degrees(np.array([1.0, np.nan]))
    assert checked_degrees(np.array([1.0, 2.0])).tolist() == [1, 2]


def cholesky(K: np.ndarray, rank: int, **settings: float) -> tuple[np.ndarray, list[int]]:
    pivots: list[int] = []

    def column(i: int) -> np.ndarray:
        pivots.append(i)
        return K[:, i]

    return incomplete_cholesky(column, np.diag(K), rank, **settings), pivots


@settings(max_examples=100, deadline=None)
@given(some_factors, st.integers(1, 25))
def test_incomplete_cholesky_factors(F: np.ndarray, rank: int) -> None:
    K = F @ F.T
    n, scale = len(K), np.trace(K) + 1.0
    G, pivots = cholesky(K, rank)
    assert G.flags.c_contiguous and G.shape == (n, len(pivots))
    assert len(pivots) == len(set(pivots)) <= min(rank, n, F.shape[1])
    left = K - G @ G.T
    assert np.linalg.eigvalsh(left)[0] > -1e-9 * scale
    assert np.abs(left[pivots]).max(initial=0.0) < 1e-9 * scale
    # The pivots are those with most left, in turn.
    for r, pivot in enumerate(pivots):
        remaining = np.diag(K - G[:, :r] @ G[:, :r].T)
        assert remaining[pivot] >= remaining.max() - 1e-9 * scale
    if rank >= min(n, F.shape[1]):
        assert np.abs(left).max() < 1e-9 * scale


def test_pivots_by_hand() -> None:
    K = np.diag([2.0, 5.0, 5.0, 1.0])
    G, pivots = cholesky(K, 3)
    assert pivots == [1, 2, 0]  # the first of two equal ones
    assert pytest.approx(np.sqrt(5.0) * np.eye(4)[:, [1, 2, 0]] * [1, 1, np.sqrt(0.4)]) == G
    assert np.array_equal(np.diag(K), [2, 5, 5, 1])


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 20), st.integers(1, 3), st.integers(0, 10**6))
def test_no_point_is_a_pivot_twice(n: int, rank: int, seed: int) -> None:
    # Not even of the rounding that is left where nothing else ends it.
    F = factors(n, rank, seed)
    _, pivots = cholesky(F @ F.T, n, tol=0.0)
    assert len(pivots) == len(set(pivots))


def test_where_a_factor_ends() -> None:
    K = np.diag([100.0, 10.0, 1.0, 0.1])
    for tol, rank in ((0.2, 1), (0.05, 2), (0.005, 3), (1e-12, 4)):
        assert cholesky(K, 4, tol=tol)[0].shape[1] == rank
    # What counts is the sum of what is left.
    assert cholesky(np.diag([4.0, 1.0, 1.0, 1.0, 1.0]), 5, tol=0.3)[0].shape[1] == 3
    K = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    G, pivots = cholesky(K, 3)
    assert pivots == [2] and G.ravel() == pytest.approx([1, 2, 3])
    assert cholesky(np.zeros((3, 3)), 2)[0].shape == (3, 0)
    G, _ = cholesky(kernel(30), 30)
    assert pytest.approx(kernel(30), abs=1e-8) == G @ G.T
    for bad in (0, 1.5, None):
        with pytest.raises(ValueError, match=f"rank={bad}"):
            cholesky(K, bad)  # type: ignore[arg-type]


def test_a_strip_is_smaller_than_the_matrices_above() -> None:
    assert 2 * module.STRIP > 600 > module.STRIP
