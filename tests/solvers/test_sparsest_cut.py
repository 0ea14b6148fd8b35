import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from cladebench.reference import sparsest_cut as reference
from cladebench.reference.sparsest_cut_exact import sparsest_cut_enumeration
from cladebench.solvers import sparsest_cut as solver


def graph(n: int, seed: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "uniform":
        S = rng.uniform(size=(n, n))
    elif kind == "small integers":  # many ties, many zeros
        S = rng.integers(0, 3, size=(n, n)).astype(float)
    elif kind == "wide":
        S = 10.0 ** rng.uniform(-12, 3, size=(n, n))
    else:
        S = np.ones((n, n))
    S = np.triu(S, 1)
    return S + S.T + np.diag(rng.uniform(size=n))  # a diagonal that nothing may read


KINDS = ("uniform", "small integers", "wide", "clique")
graphs = st.builds(graph, st.integers(2, 11), st.integers(0, 10**6), st.sampled_from(KINDS))


def best_of_all(S: np.ndarray) -> float:
    return sparsest_cut_enumeration(S).ratio


@settings(max_examples=100, deadline=None)
@given(S=graphs, seed=st.integers(0, 1000))
def test_sweep_is_its_twin(S: np.ndarray, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(S))
    k, value = solver.sweep_cut(order, S)
    expected_k, expected = reference.sweep_cut(order, S)
    assert k == expected_k
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-300)


@settings(max_examples=60, deadline=None)
@given(S=graphs.filter(lambda S: S.max() < 100), seed=st.integers(0, 1000))
def test_sparse_sweep_is_its_twin(S: np.ndarray, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(S))
    _, value = solver.sweep_cut(order, sparse.csr_array(S))
    assert value == pytest.approx(reference.sweep_cut(order, S)[1], rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("n", [solver.BLOCK - 1, solver.BLOCK, solver.BLOCK + 1, 2 * solver.BLOCK, 150])
def test_sweep_over_several_blocks(n: int) -> None:
    S = graph(n, n, "wide")
    order = np.random.default_rng(n).permutation(n)
    P = S[np.ix_(order, order)]
    ratios = [P[:k, k:].sum() / (k * (n - k)) for k in range(1, n)]
    k, value = solver.sweep_cut(order, S)
    assert k == 1 + int(np.argmin(ratios))
    assert value == pytest.approx(min(ratios), rel=1e-12)


def test_sweep_keeps_the_digits_of_a_tiny_cut() -> None:
    S = np.kron(np.eye(2), np.full((60, 60), 1e6)) + 1e-20
    k, value = solver.sweep_cut(np.arange(120), S)
    assert k == 60
    assert value == pytest.approx(1e-20, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(S=graphs)
def test_enumeration_finds_the_sparsest(S: np.ndarray) -> None:
    mask = solver.enumerate_cuts(S)
    assert not mask[0]
    assert mask.any()
    assert reference.cut_ratio(S, mask) == pytest.approx(best_of_all(S), rel=2e-9, abs=1e-300)


@settings(max_examples=60, deadline=None)
@given(S=graphs)
def test_spectral_cut_is_within_its_bounds(S: np.ndarray) -> None:
    n = len(S)
    mask = solver.sparsest_cut(S, exact_below=0)
    assert not mask[0]
    value, best = reference.cut_ratio(S, mask), best_of_all(S)
    fiedler = max(reference.fiedler_value(S), 0.0)
    largest = (S.sum(axis=1) - S.diagonal()).max()
    rounding = 1e-12 * largest
    assert fiedler / n <= best + rounding
    assert best <= value * (1 + 2e-9)
    assert value <= 2 / n * np.sqrt(2 * largest * (fiedler + rounding)) + rounding


def test_spectral_cut_is_often_the_sparsest() -> None:
    # Three to five noisy clusters: the relaxation should see them.
    hits = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        cluster = rng.integers(0, 2 + seed % 3, size=11)
        S = np.where(cluster[:, None] == cluster, 1.0, 0.1) * rng.uniform(0.8, 1.2, size=(11, 11))
        S = np.triu(S, 1) + np.triu(S, 1).T
        value = reference.cut_ratio(S, solver.sparsest_cut(S, exact_below=0))
        hits += value <= best_of_all(S) * (1 + 1e-9)
    assert hits >= 18


def test_two_cliques_and_a_bridge() -> None:
    S = np.kron(np.eye(2), np.ones((20, 20)))
    S[5, 33] = S[33, 5] = 0.5
    mask = solver.sparsest_cut(S)
    assert np.array_equal(mask, np.arange(40) >= 20)
    assert reference.cut_ratio(S, mask) == pytest.approx(0.5 / 400)


def test_a_clique_is_halved() -> None:
    for n in (13, 40, 250):
        assert solver.sparsest_cut(np.ones((n, n))).sum() in (n // 2, n - n // 2)


def test_components_are_not_cut() -> None:
    sizes = [3, 30, 1, 16]
    cluster = np.repeat(np.arange(4), sizes)
    order = np.random.default_rng(0).permutation(50)
    S = (cluster[:, None] == cluster).astype(float)[np.ix_(order, order)]
    for weights in (S, sparse.csr_array(S)):
        mask = solver.sparsest_cut(weights)
        assert reference.cut_ratio(S, mask) == 0.0


def test_no_edges_at_all() -> None:
    assert solver.sparsest_cut(np.zeros((30, 30))).sum() == 15
    assert solver.sparsest_cut(np.zeros((3, 3))).sum() in (1, 2)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 80), p=st.floats(0.0, 0.2), seed=st.integers(0, 10**6))
def test_components_match_scipy(n: int, p: float, seed: int) -> None:
    edges = np.random.default_rng(seed).uniform(size=(n, n)) < p
    S = (edges | edges.T).astype(float)
    found, expected = solver.components(S), solver.components(sparse.csr_array(S))
    assert np.array_equal(found[:, None] == found, expected[:, None] == expected)
    _, first = np.unique(found, return_index=True)
    assert (np.diff(first) > 0).all()


def test_the_diagonal_swallows_no_small_weight() -> None:
    # Vertex 7 is attached most weakly, but 1e-20 vanishes beside a one.
    S = np.full((15, 15), 1e-20)
    S[7] = S[:, 7] = 1e-22
    np.fill_diagonal(S, 1.0)
    assert np.array_equal(np.flatnonzero(solver.sparsest_cut(S)), [7])


def test_same_cut_every_time_and_nothing_is_written() -> None:
    S = graph(300, 2, "uniform")
    before = S.copy()
    assert np.array_equal(solver.sparsest_cut(S), solver.sparsest_cut(S))
    assert np.array_equal(S, before)


def test_bad_weights_are_named() -> None:
    S = np.ones((4, 4))
    for spoilt, words in (
        (S[:3], r"shape \(3, 4\)"),
        (S[:1, :1], r"shape \(1, 1\)"),
        (S - 2 * np.eye(4)[::-1], "-1"),
        (np.where(np.eye(4)[::-1] > 0, np.nan, S), "NaN"),
        (S + np.triu(S), "not symmetric"),
    ):
        for weights in (spoilt, sparse.csr_array(spoilt)):
            with pytest.raises(ValueError, match=words):
                solver.sparsest_cut(weights)


def test_weights_below_zero_by_rounding_are_zero() -> None:
    S = graph(8, 2, "uniform")
    S[1, 2] = S[2, 1] = 0.0
    off = S.copy()
    off[1, 2] = off[2, 1] = -1e-16
    for weights in (off, sparse.csr_array(off)):
        found = solver.checked_weights(weights)
        assert np.array_equal(found.toarray() if sparse.issparse(found) else found, solver.checked_weights(S))
    assert solver.checked_weights(sparse.csr_array(off)).nnz == np.count_nonzero(solver.checked_weights(S))


def test_weights_of_small_integers_that_are_given_twice_are_added_without_overflow() -> None:
    twice = sparse.coo_array((np.full(4, 100, dtype=np.int8), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2))
    assert solver.checked_weights(twice).toarray().tolist() == [[0.0, 200.0], [200.0, 0.0]]
