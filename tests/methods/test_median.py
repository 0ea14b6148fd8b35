"""The median of pairs against NumPy's, to the last bit; and the memory of what uses it."""

import tracemalloc
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist, squareform

from cladebench.methods import NumericalTaxonomy, _median
from cladebench.methods._median import median_square

LARGEST = np.finfo(float).max
kinds = {
    "any": st.floats(0.0, LARGEST / 4.0),
    "tied": st.sampled_from([0.0, 5e-324, 1.0, 1.0 + 2**-52, 2.0]),
    "near": st.integers(0, 70_000).map(lambda i: 1.0 + i * 2.0**-52),
    "mostly zero": st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.7]),
}


def twin(squares: np.ndarray) -> float:
    """NumPy's, of a copy of the numbers above the diagonal."""
    pairs = squareform(squares, checks=False)
    if not len(pairs):
        return 1.0
    return float(np.median(pairs)) or float(pairs.mean()) or 1.0


@pytest.mark.parametrize("few", [0, 1, 20, 10_000])
@pytest.mark.parametrize("kind", kinds)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_median_is_that_of_numpy(few: int, kind: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 24))
    squares = data.draw(hnp.arrays(np.float64, (n, n), elements=kinds[kind]))
    pairs = squareform(squares, checks=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_median, "FEW", few)
        patch.setattr(_median, "TILE", data.draw(st.integers(1, 9)))
        assert _median._median(squares, len(pairs)) == np.median(pairs)


@pytest.mark.parametrize("n", [2, 3, 40, 130, 700])
@pytest.mark.parametrize("few", [128, 1000, _median.FEW])
def test_the_mean_of_many_equal_rows_is_that_of_numpy(
    n: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_median, "FEW", few)
    rng = np.random.default_rng(n)
    X = np.where(np.arange(n) < 0.8 * n, 0.0, rng.normal(size=n))[:, None]
    squares = cdist(X, X, "sqeuclidean")
    assert median_square(squares) == twin(squares)
    for _ in range(9):
        pairs = squareform(rng.random((n, n)), checks=False)
        assert _median._sum(squareform(pairs), 0, len(pairs)) == pairs.sum()


@pytest.mark.parametrize("n", [1000, 1001, 1002])
def test_with_the_tiles_of_the_real_size(n: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, 3))
    for squares in (cdist(X, X, "sqeuclidean"), cdist(X.round(), X.round(), "sqeuclidean")):
        assert median_square(squares) == twin(squares)


def test_the_median_of_squared_distances() -> None:
    assert median_square(np.array([[0.0, 1, 4], [1, 0, 9], [4, 9, 0]])) == 4.0
    # More than half are 0: the mean.
    assert median_square(np.array([[0.0, 0, 0, 6], [0, 0, 0, 6], [0, 0, 0, 6], [6, 6, 6, 0]])) == 3.0
    twice = np.zeros((4, 4))
    twice[3, :3] = twice[:3, 3] = 6.0
    twice[2, 3] = twice[3, 2] = 0.0
    assert median_square(twice) == 2.0
    assert median_square(np.zeros((3, 3))) == median_square(np.zeros((1, 1))) == 1.0


@pytest.mark.parametrize("kind", ["dense", "sparse", "equal rows", "normalized cut", "linear"])
def test_a_fit_needs_one_copy_of_the_kernel(kind: str) -> None:
    n, rng = 2000, np.random.default_rng(0)
    X: Any = rng.normal(size=(n, 4)) + 9.0 * rng.integers(3, size=(n, 1))
    if kind == "equal rows":
        X[: n * 4 // 5] = 0.0
    if kind in ("sparse", "linear"):
        X = sparse.random_array((n, 40), density=0.1, random_state=rng, format="csr")
    method = NumericalTaxonomy(
        3,
        kernel="linear" if kind == "linear" else "gaussian",
        matrix="normalized_cut" if kind == "normalized cut" else "kernel",
        start=np.arange(n) % 3,
        max_iter=2,
    )
    tracemalloc.start()
    method.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * 8 * n * n
