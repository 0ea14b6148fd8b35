"""Clustering by dependence on a given structure, and the kernel matrices and starts that it shares."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from cladebench.class_labels import by_first_member
from cladebench.methods import CLUHSIC, NumericalTaxonomy, _kernel
from cladebench.methods._kernel import gram_matrix, kernel_matrix, start_labels
from cladebench.methods._kmeans import kmeans_labels
from cladebench.methods._structures import n_ary_tree, structure_matrix
from cladebench.reference import dependence as twin
from cladebench.reference.dependence import centring
from cladebench.solvers.dependence import dependence
from cladebench.solvers.gram import CenteredGram, center, center_factor


def blobs(n: int = 60, centers: int = 3, seed: int = 0, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(n, 4, centers=centers, cluster_std=spread, random_state=seed)


def gaussian(X: np.ndarray, width: float = 1.0) -> np.ndarray:
    squares = cdist(X, X, "sqeuclidean")
    return np.exp(-squares / (width * np.median(squares[np.triu_indices(len(X), 1)])))


def gram_of(X: Any, **how: Any) -> CenteredGram:
    given = {"kernel": "gaussian", "width": 1.0, "matrix": "kernel", "rank": None, **how}
    return gram_matrix(X, random=np.random.RandomState(0), **given)


def full(gram: CenteredGram) -> np.ndarray:
    return gram.values @ gram.values.T if gram.is_factor else gram.values


def words(n: int = 40, d: int = 60, seed: int = 0) -> sparse.csr_array:
    """Documents of which two have no words."""
    rng = np.random.default_rng(seed)
    X = (rng.uniform(size=(n, d)) < 0.05 + 0.4 * (np.arange(n)[:, None] % 2 == np.arange(d) % 2)) * 1.0
    X[[3, 8]] = 0.0
    return sparse.csr_array(X)


# ---------------------------------------------------------------- kernel matrices


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


# ---------------------------------------------------------------- results


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


def test_seeds_decide() -> None:
    X, _ = blobs(60, 5, spread=4.0)

    def places(seed: int) -> list[int]:
        # The start is the same for all: what differs is the order.
        found = CLUHSIC(5, structure="2-ary", start=np.arange(60) % 5, visit="random", random_state=seed).fit(
            X
        )
        return list(found.places_)

    assert places(0) == places(0)
    assert len({tuple(places(seed)) for seed in range(10)}) > 1


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


def test_full_rank_is_the_whole_matrix() -> None:
    X, _ = blobs(50, 4, spread=3.0)
    for kernel in ("gaussian", "linear"):
        one, other = (CLUHSIC(4, kernel=kernel, rank=rank, random_state=0).fit(X) for rank in (None, 50))
        assert np.array_equal(one.places_, other.places_)
        assert one.objective_ == pytest.approx(other.objective_)


def test_fit_gram_is_fit() -> None:
    X, _ = blobs(50, 4, spread=3.0)
    one = CLUHSIC(4, random_state=0).fit(X)
    other = CLUHSIC(4, random_state=0).fit_gram(gram_of(X))
    assert np.array_equal(one.labels_, other.labels_) and np.array_equal(one.places_, other.places_)
    assert one.n_clusters_ == other.n_clusters_ and one.objective_ == other.objective_
    with pytest.raises(ValueError, match="n_clusters=51 exceeds the number of samples, n_samples=50"):
        CLUHSIC(51).fit_gram(gram_of(X))
    with pytest.raises(ValueError, match="n_starts=0"):
        CLUHSIC(4, n_starts=0).fit_gram(gram_of(X))


# ---------------------------------------------------------------- degenerate input


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


# ---------------------------------------------------------------- errors


def refuse(message: str, X: Any = None, **params: Any) -> None:
    with pytest.raises(ValueError, match=message):
        CLUHSIC(**params).fit(blobs(10)[0] if X is None else X)


def test_bad_parameters() -> None:
    refuse("rank=3; expected None for a precomputed kernel", rank=3, kernel="precomputed")
    refuse("start='kmeans': expected one of random, spectral, unit_rows", start="kmeans")
    refuse("random_state='x'", random_state="x")


def test_bad_structures() -> None:
    refuse("structure='tree': expected 'star'", structure="tree")
    refuse("structure is for 3 clusters; expected 2", structure=np.eye(3))
    refuse("structure is for 3 clusters; expected 2", structure=n_ary_tree(2, 3))
    refuse("structure is not symmetric", structure=[[1.0, 0.5], [0.0, 1.0]])
    refuse("structure is not positive semidefinite", structure=[[0.0, 1.0], [1.0, 0.0]])
    refuse("structure contains NaN", structure=[[np.nan, 0.0], [0.0, 1.0]])


def test_bad_starts() -> None:
    refuse("start has length 3; expected 10, a cluster for each sample", start=[0, 1, 0])
    refuse(r"start contains 2; expected clusters 0\.\.1", start=[0, 1] * 4 + [2, 0])
    refuse("start contains -1", start=[0, 1] * 4 + [-1, 0])
    refuse("start has dtype", start=[0.0, 1.0] * 5)


def test_bad_samples() -> None:
    X, _ = blobs(10)
    X[2, 1] = np.nan
    refuse("NaN", X)
    refuse("rescale X", np.full((3, 2), 1e200) * np.arange(3)[:, None])
    refuse(
        "similarities of sample 1: their sum is 0",
        np.array([[1.0], [0.0], [2.0]]),
        kernel="linear",
        matrix="normalized_cut",
    )


def test_bad_kernels() -> None:
    K = np.eye(10)
    K[2, 7] = 0.5
    refuse(r"kernel is not symmetric: entry \[2, 7\] is 0\.5 and \[7, 2\] is 0", K, kernel="precomputed")
    K = np.eye(10)
    K[4, 4] = -1.0
    refuse("kernel is not positive semidefinite: its least eigenvalue is -1", K, kernel="precomputed")
    refuse(r"kernel has shape \(10, 4\)", kernel="precomputed")
    K[4, 4] = np.nan
    refuse("NaN", K, kernel="precomputed")


@pytest.mark.parametrize("method", [CLUHSIC, NumericalTaxonomy])
@pytest.mark.parametrize("rank", [None, 1, 2, 3])
def test_rows_of_zeros_are_one_cluster_at_any_rank(method: Any, rank: int | None) -> None:
    for X in (np.zeros((3, 3)), sparse.csr_array(np.zeros((3, 3)))):
        for start in ("spectral", "unit_rows"):
            fitted = method(2, kernel="linear", rank=rank, start=start).fit(X)
            assert fitted.labels_.tolist() == [0, 0, 0] and fitted.objective_ == 0.0
