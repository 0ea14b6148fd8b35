"""Spectral clustering of a kernel matrix, against the steps of Ng, Jordan and Weiss by NumPy."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from cladebench.class_labels import by_first_member
from cladebench.methods import CLUHSIC, KernelSpectral
from cladebench.methods import kernel_spectral as module
from kernel_cases import gaussian


def data(n: int = 50, seed: int = 0, spread: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(n, 3, centers=4, cluster_std=spread, random_state=seed)


def njw(
    A: np.ndarray,
    k: int,
    *,
    matrix: str = "normalized_cut",
    centered: bool,
    zero_diagonal: bool,
    unit_rows: bool,
) -> np.ndarray:
    """The rows that k-means clusters, by whole matrices."""
    A, n = A.copy(), len(A)
    if zero_diagonal:
        A[np.arange(n), np.arange(n)] = 0.0
    if matrix == "normalized_cut":
        D = np.diag(A.sum(axis=1) ** -0.5)
        A = D @ A @ D
    if centered:
        H = np.eye(n) - np.ones((n, n)) / n
        A = H @ A @ H
    rows = np.linalg.eigh(A)[1][:, -k:]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if unit_rows else rows


def clustered(rows: np.ndarray, k: int) -> np.ndarray:
    return by_first_member(KMeans(k, n_init=30, random_state=1).fit(rows).labels_)


def clustered_rows(monkeypatch: pytest.MonkeyPatch, X: Any, k: int, **params: Any) -> np.ndarray:
    """What a fit hands to k-means."""
    kept = []

    def kmeans(rows: np.ndarray, n_clusters: int, **settings: Any) -> tuple[np.ndarray, int]:
        kept.append(rows)
        return np.arange(len(rows)) % n_clusters, 1

    with monkeypatch.context() as patch:
        patch.setattr(module, "kmeans_labels", kmeans)
        KernelSpectral(k, random_state=0, **params).fit(X)
    return kept[0]


@pytest.mark.parametrize("matrix", ["normalized_cut", "kernel"])
@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("zero_diagonal", [False, True])
@pytest.mark.parametrize("unit_rows", [False, True])
@pytest.mark.parametrize("n", [50, 90])
def test_the_rows_are_those_of_the_plain_steps(
    matrix: str, centered: bool, zero_diagonal: bool, unit_rows: bool, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = data(n)
    how = {"matrix": matrix, "centered": centered, "zero_diagonal": zero_diagonal, "unit_rows": unit_rows}
    for k, width in ((2, 1.0), (3, 0.5)):
        rows = clustered_rows(monkeypatch, X, k, width=width, **how)
        expected = njw(gaussian(X, width), k, **how)  # type: ignore[arg-type]
        assert rows.shape == (n, k)
        # Up to rotation.
        assert rows @ rows.T == pytest.approx(expected @ expected.T, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_partition_is_that_of_the_plain_steps(k: int, seed: int) -> None:
    X, _ = data(seed=seed)
    found = KernelSpectral(k, n_init=30, random_state=0).fit(X)
    rows = njw(gaussian(X), k, centered=False, zero_diagonal=True, unit_rows=True)
    assert np.array_equal(found.labels_, clustered(rows, k))
    assert found.n_clusters_ == k and found.n_features_in_ == 3


def test_parameters_have_their_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = data()
    one = clustered_rows(monkeypatch, X, 3)
    for change in (
        {"kernel": "linear", "matrix": "kernel"},
        {"width": 0.3},
        {"matrix": "kernel"},
        {"centered": True},
        {"zero_diagonal": False},
        {"unit_rows": False},
    ):
        other = clustered_rows(monkeypatch, X, 3, **change)
        assert np.abs(one @ one.T - other @ other.T).max() > 1e-3, change


def test_seeds_and_starts_of_k_means() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    labels = [KernelSpectral(8, n_init=1, random_state=seed).fit(X).labels_ for seed in (0, 0, 1, 2)]
    assert np.array_equal(labels[0], labels[1])
    assert not np.array_equal(labels[0], labels[2]) or not np.array_equal(labels[0], labels[3])
    rows = njw(gaussian(X), 8, centered=False, zero_diagonal=True, unit_rows=True)

    def inertia(n_init: int) -> float:
        found = KernelSpectral(8, n_init=n_init, random_state=0).fit(X).labels_
        return sum(float(np.square(rows[found == c] - rows[found == c].mean(axis=0)).sum()) for c in range(8))

    assert inertia(30) < inertia(1)


def test_sparse_and_precomputed_are_the_same() -> None:
    rng = np.random.default_rng(0)
    X = (rng.uniform(size=(40, 60)) < 0.05 + 0.4 * (np.arange(40)[:, None] % 2 == np.arange(60) % 2)) * 1.0
    X[[3, 8]] = 0.0  # no words
    dense = KernelSpectral(2, random_state=0).fit(X)
    assert np.array_equal(KernelSpectral(2, random_state=0).fit(sparse.csr_array(X)).labels_, dense.labels_)
    given = gaussian(X)
    kept = given.copy()
    pairs = KernelSpectral(2, kernel="precomputed", random_state=0).fit(given)
    assert np.array_equal(pairs.labels_, dense.labels_)
    assert np.array_equal(given, kept)  # the diagonal is set to 0 in a copy
    assert pairs.__sklearn_tags__().input_tags.pairwise and not dense.__sklearn_tags__().input_tags.pairwise


def test_centred_it_is_where_dependence_starts() -> None:
    for seed in range(3):
        X, _ = data(seed=seed, spread=1.0)
        relaxed = KernelSpectral(
            4, matrix="kernel", centered=True, zero_diagonal=False, unit_rows=False, n_init=10, random_state=0
        )
        rows = njw(gaussian(X), 4, matrix="kernel", centered=True, zero_diagonal=False, unit_rows=False)
        assert np.array_equal(relaxed.fit(X).labels_, clustered(rows, 4))
        swept = CLUHSIC(4, random_state=0).fit(X)
        from_there = CLUHSIC(4, start=relaxed.labels_).fit(X)
        assert np.array_equal(swept.labels_, from_there.labels_)


@pytest.mark.parametrize("n", [5, 80])
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("centered", [False, True])
def test_equal_samples_are_one_cluster(n: int, kernel: str, centered: bool) -> None:
    for width in (2, 90):
        X = np.full((n, width), 0.1) * np.arange(1, width + 1)
        for samples in (X, sparse.csr_array(X)):
            found = KernelSpectral(3, kernel=kernel, centered=centered, random_state=0).fit(samples)
            assert not found.labels_.any() and found.n_clusters_ == 1


def test_one_cluster_and_as_many_as_samples() -> None:
    X, _ = data(12)
    assert not KernelSpectral(1).fit(X).labels_.any()
    assert KernelSpectral(1).fit(X[:1]).labels_.tolist() == [0]
    assert KernelSpectral(12, random_state=0).fit(X).labels_.tolist() == list(range(12))
    assert KernelSpectral(2, random_state=0).fit(X[:2]).labels_.tolist() == [0, 1]


def refuse(message: str, X: Any = None, **params: Any) -> None:
    with pytest.raises(ValueError, match=message):
        KernelSpectral(**params).fit(data(10)[0] if X is None else X)


def test_bad_parameters_and_samples() -> None:
    refuse("random_state=-1", random_state=-1)
    X, _ = data(10)
    X[0, 0] = np.nan
    refuse("NaN", X)
    refuse("rescale X", np.full((3, 2), 1e200) * np.arange(3)[:, None])
    refuse(r"kernel has shape \(10, 3\)", kernel="precomputed")
    refuse("1 apart; expected a symmetric matrix", np.triu(np.ones((4, 4))), kernel="precomputed")
    refuse("kernel is not positive semidefinite", 1.0 - 2.0 * np.eye(4), kernel="precomputed")
    refuse("similarities of sample 0: their sum is 0", np.diag([1.0, 2.0, 3.0]), kernel="precomputed")
