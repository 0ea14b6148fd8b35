"""Clustering by dependence on a given structure, and the kernel matrices and starts that it shares."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from cladebench.class_labels import by_first_member
from cladebench.methods import CLUHSIC, NumericalTaxonomy
from cladebench.methods._kernel import kernel_matrix
from cladebench.methods._structures import n_ary_tree, structure_matrix
from cladebench.reference import dependence as twin
from cladebench.reference.dependence import centring
from cladebench.solvers.dependence import dependence
from kernel_cases import blobs, gaussian, gram_of, words


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("start", ["spectral", "unit_rows", "random"])
def test_separated_blobs_are_recovered(normalized: bool, start: str) -> None:
    for seed in range(3):
        X, y = blobs(seed=seed, spread=0.3)
        found = CLUHSIC(3, normalized=normalized, start=start, n_starts=10, random_state=0).fit(X)
        assert np.array_equal(found.labels_, by_first_member(y))
        assert found.n_clusters_ == 3 and found.converged_


@pytest.mark.parametrize(
    "structure", ["star", "caterpillar", "2-ary", lambda: n_ary_tree(3, 4), np.diag([1.0, 2, 3, 4])]
)
@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("squared", [True, False])
def test_what_is_told_of_a_fit_is_so(structure: Any, normalized: bool, squared: bool) -> None:
    X, _ = blobs(40, 4, spread=3.0)
    structure = structure() if callable(structure) else structure
    found = CLUHSIC(
        4, structure=structure, normalized=normalized, squared=squared, start="random", random_state=1
    ).fit(X)
    assert np.array_equal(found.structure_, structure_matrix(structure, 4, squared=squared))
    value = dependence(gram_of(X), found.places_, found.structure_, normalized=normalized)
    assert found.objective_ == pytest.approx(value)
    plain = twin.dependence(gaussian(X), found.places_, found.structure_, normalized)
    assert found.objective_ == pytest.approx(plain)
    assert found.objective_ == found.objective_path_[-1] > found.objective_path_[0]
    assert len(found.objective_path_) == found.n_iter_ + 1
    assert np.array_equal(by_first_member(found.places_), found.labels_)
    assert found.n_features_in_ == 4 and found.converged_


def test_the_places_are_those_of_the_twin() -> None:
    X, _ = blobs(40, 4, spread=3.0)
    start = np.random.default_rng(0).integers(0, 4, 40)
    found = CLUHSIC(4, structure="caterpillar", start=start).fit(X)
    H, Y = centring(40), structure_matrix("caterpillar", 4)
    labels, path, _ = twin.greedy_partition(H @ gaussian(X) @ H, Y, start, normalized=False)
    assert np.array_equal(found.places_, labels)
    assert found.objective_ == pytest.approx(path[-1])


def test_parameters_have_their_effects() -> None:
    X, _ = blobs(60, 5, spread=4.0)
    base = {"n_clusters": 5, "structure": "2-ary", "start": "random", "random_state": 0}
    one = CLUHSIC(**base).fit(X)
    assert one.n_iter_ > 2
    for change in (
        {"structure": "star"},
        {"truncation": "filled"},
        {"squared": False},
        {"normalized": True},
        {"kernel": "linear"},
        {"width": 0.1},
        {"matrix": "normalized_cut"},
        {"rank": 4},
        {"start": "spectral"},
        {"visit": "random"},
        {"random_state": 1},
    ):
        other = CLUHSIC(**{**base, **change}).fit(X)
        assert other.objective_ != pytest.approx(one.objective_, rel=1e-6), change
    assert CLUHSIC(**base, max_sweeps=1).fit(X).n_iter_ == 1
    assert not CLUHSIC(**base, max_sweeps=1).fit(X).converged_


def test_the_best_of_several_starts_is_kept() -> None:
    X, _ = blobs(50, 6, spread=4.0)
    for visit in ("index", "random"):
        settings: dict[str, Any] = {"structure": "caterpillar", "start": "random", "visit": visit}
        values = []
        for n_starts in (1, 2, 4, 8, 16):
            values.append(CLUHSIC(6, n_starts=n_starts, random_state=0, **settings).fit(X).objective_)
        # The draws of few starts are the first of many.
        assert (np.diff(values) >= 0).all() and values[-1] > values[0]
        random = np.random.RandomState(0)
        single = [CLUHSIC(6, random_state=random, **settings).fit(X).objective_ for _ in range(16)]
        assert values[-1] == max(single)


def test_sparse_and_dense_samples_are_clustered_alike() -> None:
    X = words()
    for kernel in ("gaussian", "linear"):
        for rank in (None, 10):
            for matrix in ("kernel", "normalized_cut") if kernel == "gaussian" else ("kernel",):
                settings: dict[str, Any] = {
                    "kernel": kernel,
                    "rank": rank,
                    "matrix": matrix,
                    "random_state": 0,
                }
                one, other = (CLUHSIC(2, **settings).fit(data) for data in (X, X.toarray()))
                assert np.array_equal(one.labels_, other.labels_)
                assert one.objective_ == pytest.approx(other.objective_)
    # Documents without words are points like others: equal ones are in one cluster.
    assert one.labels_[3] == one.labels_[8]
    rest = np.setdiff1d(np.arange(40), [3, 8])
    assert np.array_equal(one.labels_[rest] == one.labels_[0], rest % 2 == 0)


def test_a_precomputed_kernel_is_the_kernel() -> None:
    X, _ = blobs(50, 4, spread=3.0)
    for matrix in ("kernel", "normalized_cut"):
        one = CLUHSIC(4, matrix=matrix, random_state=0).fit(X)
        other = CLUHSIC(4, matrix=matrix, kernel="precomputed", random_state=0).fit(
            kernel_matrix(X, "gaussian", 1.0)
        )
        assert np.array_equal(one.places_, other.places_)
        assert one.objective_ == pytest.approx(other.objective_)
    assert other.__sklearn_tags__().input_tags.pairwise and not one.__sklearn_tags__().input_tags.pairwise


def test_fit_gram_is_fit() -> None:
    X, _ = blobs(50, 4, spread=3.0)
    one = CLUHSIC(4, random_state=0).fit(X)
    other = CLUHSIC(4, random_state=0).fit_gram(gram_of(X))
    assert np.array_equal(one.labels_, other.labels_) and np.array_equal(one.places_, other.places_)
    assert one.n_clusters_ == other.n_clusters_ and one.objective_ == other.objective_
    at_random = [CLUHSIC(4, start="random", max_sweeps=1, random_state=seed) for seed in (0, 1)]
    places = [(model.fit(X).places_, clone(model).fit_gram(gram_of(X)).places_) for model in at_random]
    assert all(np.array_equal(*of_one_seed) for of_one_seed in places)
    assert not np.array_equal(places[0][0], places[1][0])
    with pytest.raises(
        ValueError, match=r"^CLUHSIC: n_clusters=51 exceeds .* n_samples=50; expected at most 50$"
    ):
        CLUHSIC(51).fit_gram(gram_of(X))
    with pytest.raises(ValueError, match="n_starts=0"):
        CLUHSIC(4, n_starts=0).fit_gram(gram_of(X))


def test_one_cluster_and_as_many_as_samples() -> None:
    X, _ = blobs(12)
    one = CLUHSIC(1, random_state=0).fit(X)
    assert not one.labels_.any() and one.n_clusters_ == 1 and one.objective_ == pytest.approx(0.0)
    all_ = CLUHSIC(12, start="random", random_state=0).fit(X)
    assert all_.labels_.tolist() == list(range(12)) and all_.converged_
    assert CLUHSIC(1).fit(X[:1]).labels_.tolist() == [0]


@pytest.mark.parametrize("n", [7, 70])
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("matrix", ["kernel", "normalized_cut"])
@pytest.mark.parametrize("rank", [None, 3])
def test_equal_samples_are_one_cluster(n: int, kernel: str, matrix: str, rank: int | None) -> None:
    for width in (3, 100):
        X = np.full((n, width), 0.1) * np.arange(1, width + 1)
        for data in (X, sparse.csr_array(X)):
            settings: dict[str, Any] = {"kernel": kernel, "matrix": matrix, "rank": rank, "random_state": 0}
            for normalized in (True, False):
                found = CLUHSIC(3, normalized=normalized, **settings).fit(data)
                assert not found.labels_.any() and found.n_clusters_ == 1
                assert found.objective_ == 0.0 and found.converged_


def test_empty_clusters_of_a_start_may_be_entered() -> None:
    X, _ = blobs(spread=0.3)
    for normalized in (True, False):
        found = CLUHSIC(3, start=np.zeros(60, dtype=int), normalized=normalized).fit(X)
        assert found.n_clusters_ >= 2 and found.converged_


def test_few_distinct_samples() -> None:
    X = np.repeat([[0.0, 0.0], [1.0, 5.0], [7.0, 2.0]], 5, axis=0)
    for k in (3, 5):
        found = CLUHSIC(k, normalized=True, random_state=0).fit(X)
        for group in range(3):
            assert found.labels_[5 * group : 5 * group + 5].std() == 0.0 or k > 3
    assert CLUHSIC(3, random_state=0).fit(X).labels_.tolist() == [0] * 5 + [1] * 5 + [2] * 5


WITHOUT_A_SUM = np.array([[1.0], [0.0], [2.0]])
KERNEL = np.eye(10)


def changed(K: np.ndarray, place: tuple[int, int], value: float) -> np.ndarray:
    K = K.copy()
    K[place] = value
    return K


@pytest.mark.parametrize(
    ("X", "params", "words"),
    [
        (None, {"rank": 3, "kernel": "precomputed"}, "rank=3; expected None for a precomputed kernel"),
        (None, {"start": "kmeans"}, "start='kmeans': expected one of random, spectral, unit_rows"),
        (None, {"random_state": "x"}, "random_state='x'"),
        (None, {"structure": "tree"}, "structure='tree': expected 'star'"),
        (None, {"structure": np.eye(3)}, "structure is for 3 clusters; expected 2"),
        (None, {"structure": n_ary_tree(2, 3)}, "structure is for 3 clusters; expected 2"),
        (None, {"structure": [[0.0, 1.0], [1.0, 0.0]]}, "structure is not positive semidefinite"),
        (None, {"start": [0, 1, 0]}, "start has length 3; expected 10, a cluster for each sample"),
        (None, {"start": [0, 1] * 4 + [2, 0]}, r"start contains 2; expected clusters 0\.\.1"),
        (None, {"start": [0.0, 1.0] * 5}, "start has dtype"),
        (changed(blobs(10)[0], (2, 1), np.nan), {}, "NaN"),
        (np.full((3, 2), 1e200) * np.arange(3)[:, None], {}, "rescale X"),
        (
            WITHOUT_A_SUM,
            {"kernel": "linear", "matrix": "normalized_cut"},
            "similarities of sample 1: their sum is 0",
        ),
        (
            changed(KERNEL, (2, 7), 0.5),
            {"kernel": "precomputed"},
            r"kernel\[2, 7\] is 0\.5, kernel\[7, 2\] is 0, 0\.5 apart; expected a symmetric matrix",
        ),
        (
            changed(KERNEL, (4, 4), -1.0),
            {"kernel": "precomputed"},
            "kernel is not positive semidefinite: its least eigenvalue is -1",
        ),
        (changed(KERNEL, (4, 4), np.nan), {"kernel": "precomputed"}, "NaN"),
        (None, {"kernel": "precomputed"}, r"kernel has shape \(10, 4\)"),
    ],
)
def test_bad_input_is_named(X: Any, params: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CLUHSIC(**params).fit(blobs(10)[0] if X is None else X)


@pytest.mark.parametrize("method", [CLUHSIC, NumericalTaxonomy])
@pytest.mark.parametrize("rank", [None, 1, 2, 3])
def test_rows_of_zeros_are_one_cluster_at_any_rank(method: Any, rank: int | None) -> None:
    for X in (np.zeros((3, 3)), sparse.csr_array(np.zeros((3, 3)))):
        for start in ("spectral", "unit_rows"):
            fitted = method(2, kernel="linear", rank=rank, start=start).fit(X)
            assert fitted.labels_.tolist() == [0, 0, 0] and fitted.objective_ == 0.0
