"""Linkage without a matrix: SciPy's trees where nothing ties, and else merges of the nearest two clusters."""

import os
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform

import cladebench
from cladebench import _core
from cladebench.methods import Agglomerative
from cladebench.reference import linkages as twin
from cladebench.solvers import linkages
from cladebench.solvers.linkages import WITHOUT_MATRIX, linkage
from linkage_trees import assert_same_tree, by_rows

PAIRS = [(method, metric) for method, metrics in WITHOUT_MATRIX.items() for metric in metrics]
BY_PAIRS = ("complete", "average")
SEARCHES = ("tree", "all")


@pytest.mark.parametrize(("method", "metric"), PAIRS)
@pytest.mark.parametrize("shape", [(2, 1), (3, 4), (7, 1), (30, 2), (65, 3), (130, 9), (400, 2), (300, 40)])
def test_equals_scipy_where_nothing_ties(method: str, metric: str, shape: tuple[int, int]) -> None:
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=shape) * 10.0 ** (3 * seed - 3)
        expected = scipy.cluster.hierarchy.linkage(pdist(X, metric), method)
        if metric == "cosine" and shape[1] == 1:  # two directions are all that there are
            continue
        assert_same_tree(linkage(X, method, metric), expected)


@pytest.mark.parametrize("method", linkages.METHODS)
def test_equals_twin_where_nothing_ties(method: str) -> None:
    X = np.random.default_rng(5).normal(size=(60, 3))
    expected = twin.linkage(squareform(pdist(X)), method)
    assert_same_tree(linkage(X, method), expected)
    assert_same_tree(scipy.cluster.hierarchy.linkage(pdist(X), method), expected)


@pytest.mark.parametrize(
    ("method", "metric"),
    [
        ("weighted", "euclidean"),
        *(
            (method, metric)
            for method in ("complete", "average", "weighted")
            for metric in ("cityblock", "correlation")
        ),
    ],
)
def test_other_metrics_are_scipys(method: str, metric: str) -> None:
    X = np.random.default_rng(2).normal(size=(40, 5))
    assert np.array_equal(
        linkage(X, method, metric), scipy.cluster.hierarchy.linkage(pdist(X, metric), method)
    )


@pytest.mark.parametrize("method", linkages.METHODS)
def test_distances_of_all_pairs_are_scipys_to_link(method: str) -> None:
    y = pdist(np.random.default_rng(4).normal(size=(25, 3)))
    assert np.array_equal(linkage(y, method), scipy.cluster.hierarchy.linkage(y, method))
    y[3] = -1e-12  # rounding alone
    assert np.array_equal(linkage(y, method), scipy.cluster.hierarchy.linkage(np.maximum(y, 0.0), method))
    assert linkage([2.5], method).tolist() == [[0.0, 1.0, 2.5, 2.0]]


@st.composite
def tied(draw: st.DrawFn) -> np.ndarray:
    """Whole coordinates: ties and equal rows are common; far from the origin, or in another unit."""
    shape = draw(st.tuples(st.integers(1, 70), st.integers(1, 4)))
    coordinates = st.integers(0, draw(st.sampled_from([0, 1, 2, 5, 40])))
    X = draw(arrays(np.float64, shape, elements=coordinates.map(float)))
    return X * draw(st.sampled_from([1.0, -0.5, 2.0**-200, 2.0**100])) + draw(
        st.sampled_from([0.0, 0.0, 64.0])
    )


@given(tied(), st.sampled_from(PAIRS), st.sampled_from(SEARCHES))
@settings(max_examples=300)
def test_each_merge_is_of_the_nearest_two_clusters(X: np.ndarray, pair: tuple[str, str], search: str) -> None:
    method, metric = pair
    if metric == "cosine":
        X = np.abs(X) + 1.0
    found = linkage(X, method, metric)
    if len(X) < 2:
        assert found.shape == (0, 4)
        return
    D = squareform(pdist(X, metric))
    above, wrong = twin.excess(found, D, method)
    scale = 1.0 + float(np.square(X).max()) / (
        float(D.max()) ** 2 or 1.0
    )  # what subtraction loses far from 0
    assert above < 1e-7 * scale and wrong < 1e-7 * scale
    if method not in ("centroid", "median"):
        assert (np.diff(found[:, 2]) >= 0.0).all()
    if metric == "euclidean" and method not in BY_PAIRS:
        flat = _core.link(np.ascontiguousarray(X), method, search)
        assert np.array_equal(flat.reshape(-1, 4), found)
    if metric == "euclidean" and method in BY_PAIRS:
        few = _core.link_by_pairs(np.ascontiguousarray(X), method, len(X)).reshape(-1, 4)
        above, wrong = twin.excess(few, D, method)
        assert above < 1e-7 * scale and wrong < 1e-7 * scale
        assert (np.diff(few[:, 2]) >= 0.0).all()


def equally_far(kind: str) -> np.ndarray:
    """Rows of which so many are equally far that chains take the place of rounds; with some others."""
    rng = np.random.default_rng(0)
    if kind == "two scales":
        return np.vstack([np.hstack([np.eye(210), np.zeros((210, 210))]), 2.0 * np.eye(420)[210:]])
    X = np.eye(420)
    X[:, :3] += 4.0 * (kind == "groups") * rng.integers(0, 3, size=(420, 1))
    return X[rng.permutation(420)]


@pytest.mark.parametrize("kind", ["all", "groups", "two scales"])
@pytest.mark.parametrize(("method", "metric"), [pair for pair in PAIRS if pair[1] != "cosine"])
def test_rows_that_are_equally_far_merge_in_their_order(method: str, metric: str, kind: str) -> None:
    X = equally_far(kind)
    found = linkage(X, method, metric)
    D = squareform(pdist(X, metric))
    above, wrong = twin.excess(found, D, method)
    assert above < 1e-12 and wrong < 1e-12
    if method not in ("centroid", "median"):  # whose heights depend on which of equals merge
        heights = scipy.cluster.hierarchy.linkage(squareform(D), method)[:, 2]
        np.testing.assert_allclose(found[:, 2], heights, rtol=1e-12)
    if method == "complete" and metric == "euclidean":
        assert by_rows(found) == by_rows(twin.linkage(D, method))


def test_a_tree_that_is_not_greedy_is_noticed() -> None:
    D = squareform(pdist([[0.0], [1.0], [3.0], [7.0]]))
    good = twin.linkage(D, "single")
    assert twin.excess(good, D, "single") == (0.0, 0.0)
    swapped = np.array([[0.0, 2.0, 3.0, 2.0], [1.0, 4.0, 1.0, 3.0], [3.0, 5.0, 4.0, 4.0]])
    assert twin.excess(swapped, D, "single")[0] == pytest.approx(0.5)
    assert twin.excess(good * [1, 1, 1.5, 1], D, "single")[1] > 0.3


@pytest.mark.parametrize(("method", "metric"), [pair for pair in PAIRS if pair[1] != "cosine"])
def test_equals_scipy_on_uneven_groups(method: str, metric: str) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(700, 1 + seed % 4)) * np.exp(2.0 * rng.normal(size=(700, 1)))
        assert_same_tree(
            linkage(X, method, metric), scipy.cluster.hierarchy.linkage(pdist(X, metric), method)
        )


@pytest.mark.parametrize("method", list(WITHOUT_MATRIX))
def test_equal_rows_merge_first(method: str) -> None:
    X = np.array([[5.0], [1.0], [5.0], [1.0], [5.0], [0.5]])
    Z = linkage(X, method, WITHOUT_MATRIX[method][0])
    groups = scipy.cluster.hierarchy.fcluster(Z, 0.0, "distance")
    assert [list(groups).index(g) for g in groups] == [0, 1, 0, 1, 0, 5]
    assert linkage(np.ones((200, 3)), method)[:, 2].max() == 0.0


def test_the_order_of_rows_changes_no_height_of_single_linkage() -> None:
    X = np.random.default_rng(1).integers(0, 6, size=(150, 2)).astype(float)
    shuffled = np.random.default_rng(2).permutation(X)
    assert np.array_equal(linkage(X, "single")[:, 2], linkage(shuffled, "single")[:, 2])


def test_a_chain_that_merges_one_pair_a_round_ends() -> None:
    X = np.cumsum(1.0 + 1e-3 * np.arange(3000.0))[:, None]
    for method, metric in (
        *(("single", "euclidean"), ("ward", "euclidean"), ("average", "sqeuclidean")),
        *(("complete", "euclidean"), ("average", "euclidean")),
    ):
        expected = scipy.cluster.hierarchy.linkage(pdist(X, metric), method)
        np.testing.assert_allclose(linkage(X, method, metric)[:, 2], expected[:, 2], rtol=1e-6)


def test_a_square_matrix_of_distances_is_warned_of() -> None:
    D = squareform(pdist(np.random.default_rng(0).normal(size=(6, 2))))
    with pytest.warns(UserWarning, match=r"X: square, .* expected squareform\(X, checks=False\) for"):
        linkage(D)
    off = D.copy()
    off[0, 3], off[2, 2] = off[3, 0] * (1 + 1e-12), 1e-12
    with pytest.warns(UserWarning, match="X: square"):  # though rounding has touched it
        linkage(off)
    np.testing.assert_allclose(linkage(squareform(off, checks=False)), linkage(squareform(D)), rtol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linkage(squareform(D), "average")
        for rows in (np.zeros((4, 4)), np.eye(4), D[:, :5]):
            linkage(rows)


def test_what_it_takes() -> None:
    wide = np.random.default_rng(0).normal(size=(20, 3))
    expected = linkage(wide, "ward")
    for same in (wide.tolist(), np.asfortranarray(wide), wide[:, ::-1][:, ::-1]):
        assert np.array_equal(linkage(same, "ward"), expected)
    assert np.array_equal(linkage([[0], [1], [5]]), linkage([[0.0], [1.0], [5.0]]))
    assert cladebench.linkage is linkage


@pytest.mark.parametrize(
    ("X", "how", "words"),
    [
        ([[0.0, 1.0], [2.0, np.nan]], {}, r"X\[1, 1\] is NaN; expected finite numbers: leave such rows out"),
        ([[0.0], [-np.inf]], {}, r"X\[1, 0\] is infinity; expected finite"),
        (np.zeros((0, 3)), {}, r"shape=\(0, 3\)"),
        (np.zeros((3, 0)), {}, r"shape=\(3, 0\)"),
        (np.zeros((2, 2, 2)), {}, r"shape \(2, 2, 2\)"),
        ([1.0, 2.0], {}, "2 distances; expected n"),
        ([1.0, -2.0, 3.0], {}, "distance -2; expected none below 0"),
        ([1.0, -1e-7, 3.0], {}, "distance -1e-07; expected none below 0"),
        ([1.0, np.nan, 3.0], {}, r"X\[1\] is NaN; .*: leave out one sample of each such pair$"),
        (scipy.sparse.eye(3).tocsr(), {}, "sparse"),
        (np.ma.masked_less([[0.0], [1.0]], 0.5), {}, "mask"),
        ([["a"], ["b"]], {}, "numbers"),
        ([[1j], [2.0]], {}, "numbers"),
        ([[0.0, 0.0], [1.0, 2.0]], {"method": "average", "metric": "cosine"}, "row 0 is zero"),
        ([[0.0], [1.0]], {"method": "ward", "metric": "cosine"}, "'euclidean' with this method"),
        ([[0.0], [1.0]], {"method": "Ward"}, "method='Ward': expected one of .*; did you mean 'ward'\\?$"),
        ([[0.0], [1.0]], {"metric": "l7"}, "metric='l7': expected one of .*, sqeuclidean$"),
        (
            [[0.0], [1.0]],
            {"metric": "precomputed"},
            r"distances need none; expected X=squareform\(D\), and no metric",
        ),
        ([[0.0], [1.0]], {"metric": "manhattan"}, "expected one of .*; did you mean 'cityblock'\\?$"),
        ([[0.0], [1.0]], {"metric": "l2"}, "expected one of .*; did you mean 'euclidean'\\?$"),
        (3.0, {}, r"X: float, shape \(\), dim 0; expected"),
        (None, {}, "X: NoneType, shape"),
        ((row for row in "ab"), {}, "X: generator, shape"),
    ],
)
def test_bad_input_is_refused(X: object, how: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        linkage(X, **how)


@pytest.mark.parametrize(
    ("X", "metric", "rows"),
    [
        ([[1.0, 2.0], [3.0, 3.0], [2.0, 1.0]], "correlation", (0, 1)),
        ([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0], [5.0, 5.0]], "correlation", (0, 2)),
        ([[1.0, 2.0], [2.0, 1.0], [0.0, 0.0], [0.0, 0.0]], "braycurtis", (2, 3)),
        ([[1.0, 1.0], [1.0, 1.0]], "seuclidean", (0, 1)),
        ([[1.0, 1.0], [2.0, 1.0], [-5.0, 1.0]], "jensenshannon", (0, 2)),
    ],
)
def test_rows_without_a_distance_are_named(X: list[list[float]], metric: str, rows: tuple[int, int]) -> None:
    with pytest.raises(
        ValueError,
        match=f"X: the '{metric}' distance between rows {rows[0]} and {rows[1]} is (nan|inf); expected",
    ):
        linkage(X, "average", metric)


@pytest.mark.parametrize(("method", "metric"), PAIRS)
def test_single_precision_gives_the_tree_of_its_numbers(method: str, metric: str) -> None:
    X = np.random.default_rng(0).normal(size=(150, 4)).astype(np.float32) * np.float32(1e30)
    expected = linkage(X.astype(np.float64), method, metric)
    for same in (X, np.asfortranarray(X), X[::-1][::-1]):
        assert np.array_equal(linkage(same, method, metric), expected)
    along = None if (method, metric) not in (("ward", "euclidean"), ("single", "cosine")) else 3
    assert np.array_equal(
        linkage(X, method, metric, along), linkage(X.astype(np.float64), method, metric, along)
    )
    assert len(linkage(np.float32([[3e38], [-3e38], [1e-45]]), "single")) == 2


@pytest.mark.parametrize("method", ["ward", "single", "complete", "average"])
def test_single_precision_is_not_copied(method: str) -> None:
    X = np.random.default_rng(0).normal(size=(1000, 400)).astype(np.float32)

    def most(fit: Callable[[], object]) -> int:
        tracemalloc.start()
        fit()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert most(lambda: linkage(X, method)) < X.nbytes / 2
    assert most(lambda: Agglomerative(linkage=method).fit(X)) < X.nbytes
    for bad, name in ((np.nan, "NaN"), (np.inf, "infinity")):
        X[7, 3] = bad
        with pytest.raises(ValueError, match=rf"X\[7, 3\] is {name}"):
            linkage(X, method)
        with pytest.raises(ValueError, match="finite"):
            _core.link(X, "ward")


@pytest.mark.parametrize(
    ("method", "metric", "connectivity"),
    [
        *((*pair, None) for pair in PAIRS),
        *((method, "euclidean", 5) for method in ("ward", "single", "complete", "weighted", "median")),
    ],
)
def test_progress_is_told_and_may_end_the_call(method: str, metric: str, connectivity: int | None) -> None:
    told: list[tuple[int, int]] = []
    X = np.random.default_rng(0).normal(size=(9_000, 30))  # long enough to be asked

    class Enough(Exception):
        pass

    def stop(done: int, of: int) -> None:
        told.append((done, of))
        raise Enough

    with pytest.raises(Enough):
        linkage(X, method, metric, connectivity, progress=stop)
    assert len(told) == 1 and 0 <= told[0][0] < told[0][1] == len(X) - 1
    few = X[:20, :3]
    told.clear()
    expected = linkage(few, method, metric, connectivity)
    found = linkage(few, method, metric, connectivity, progress=lambda *done: told.append(done))
    assert np.array_equal(found, expected) and told[-1] == (19, 19)
    with pytest.raises(Enough):
        linkage(few, method, metric, connectivity, progress=stop)


def test_progress_only_rises() -> None:
    told: list[int] = []
    X = np.random.default_rng(0).normal(size=(6_000, 12))
    for method in ("median", "single", "complete"):
        told.clear()
        expected = linkage(X, method)
        assert np.array_equal(linkage(X, method, progress=lambda done, of: told.append(done)), expected)
        assert told == sorted(told) and told[0] >= 0 and told[-1] == len(X) - 1
    for few in (X[:1], X[:2], X[:30]):  # SciPy's tell nothing else
        told.clear()
        linkage(few, "weighted", progress=lambda done, of: told.append(done))
        linkage(pdist(X[:30]), progress=lambda done, of: told.append(done))
        assert told == [len(few) - 1] * (len(few) > 1) + [29]
    with pytest.raises(TypeError, match="progress is 3; expected None or a callable"):
        linkage(X, progress=3)  # type: ignore[arg-type]


def test_distances_that_no_memory_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.arange(60.0)[:, None]
    assert linkages.free_memory() > 2**20
    # Room for distances, none for SciPy's copy.
    monkeypatch.setattr(linkages, "free_memory", lambda: 6 * 60**2)
    words = "the distances of 60 rows take 0 GiB, 0 GiB are free; expected fewer rows, or one of"
    with pytest.raises(MemoryError, match=words):
        linkage(X, "weighted")
    with pytest.raises(MemoryError, match="or metric='euclidean' with another method"):
        linkage(X, "complete", "cityblock")
    assert len(linkage(X, "single", "cityblock")) == 59
    monkeypatch.setattr(linkages, "free_memory", lambda: 0)
    with pytest.raises(MemoryError):
        linkage(X, "single", "cityblock")
    assert len(linkage(X, "single")) == 59


def test_free_memory_is_all_memory_where_the_system_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkages, "Path", lambda name: Path("/no/such/file"))
    monkeypatch.setattr(os, "sysconf", lambda name: 100)
    assert linkages.free_memory() == 10_000


PEAKS = """
from pathlib import Path
import numpy as np
from cladebench import linkage

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))

X = np.random.default_rng(0).normal(size=(4_000, 2))
for method in ("single", "complete"):
    linkage(X[:50], method, "cityblock")
    before = peak()
    linkage(X, method, "cityblock")
    print(peak() - before)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read from Linux")
def test_matrices_take_the_memory_that_is_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", PEAKS], capture_output=True, text=True, check=True)
    single, complete = (int(line) / 4_000**2 for line in done.stdout.split())
    assert 3.5 < single < 5.5 and 7.0 < complete < 9.5
