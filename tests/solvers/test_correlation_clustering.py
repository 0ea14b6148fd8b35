"""Correlation clustering against enumeration, integer and linear programmes; its kernels against their twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from cladebench import _core
from cladebench.reference import correlation_clusterings as twin
from cladebench.solvers import correlation_clustering
from cladebench.solvers.correlation_clusterings import checked_similarity, partition_value, round_in_order

METHODS = ("relaxation", "greedy")


def similarities(n: int, seed: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "normal":
        S = rng.normal(size=(n, n))
    elif kind == "signs":  # ties everywhere
        S = rng.integers(-1, 2, size=(n, n)).astype(float)
    elif kind == "clusters":
        y = rng.integers(0, 3, size=n)
        S = np.where(y[:, None] == y, 1.0, -1.0) + rng.normal(size=(n, n))
    elif kind == "multipartite":  # what is alike repels, all else attracts: the relaxation is loose
        y = rng.integers(0, 3, size=n)
        S = np.where(y[:, None] == y, -1.0, 1.0)
    else:  # a few large similarities among tiny ones
        S = rng.choice([-1.0, 1.0], size=(n, n)) * 10.0 ** rng.uniform(-9, 4, size=(n, n))
    S = np.triu(S, 1)
    return S + S.T + np.diag(rng.normal(size=n))  # a diagonal that nothing may read


KINDS = ("normal", "signs", "clusters", "multipartite", "wide")
small = st.builds(similarities, st.integers(1, 7), st.integers(0, 10**6), st.sampled_from(KINDS))
larger = st.builds(similarities, st.integers(2, 12), st.integers(0, 10**6), st.sampled_from(KINDS))


def shares(n: int, seed: int, levels: int | None) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(n, n)) if levels is None else rng.integers(0, levels, size=(n, n)) / (levels - 1)
    x = np.triu(x, 1)
    return x + x.T + np.eye(n)


shares_of_pairs = st.builds(
    shares, st.integers(1, 20), st.integers(0, 10**6), st.sampled_from([None, 2, 3, 5])
)


def positive_sum(S: np.ndarray) -> float:
    return float(np.maximum(S, 0.0)[np.triu_indices(len(S), 1)].sum())


def violation(x: np.ndarray) -> float:
    return max((x[p, q] + x[q, r] - x[p, r] - 1.0 for p, q, r in twin.triangles_of(len(x))), default=0.0)


@settings(max_examples=60, deadline=None)
@given(S=small)
def test_between_the_best_partition_and_the_bound(S: np.ndarray) -> None:
    _, best = twin.best_partition(S)
    rounding = 1e-12 * np.abs(S).sum()
    for method in METHODS:
        found = correlation_clustering(S, method=method, random_state=0)
        assert found.value == pytest.approx(twin.partition_value(S, found.labels), abs=rounding)
        assert 0.0 <= found.value <= best + rounding
        assert found.bound >= best - rounding


@settings(max_examples=40, deadline=None)
@given(S=larger)
def test_the_relaxation_is_solved(S: np.ndarray) -> None:
    found = correlation_clustering(S, tol=1e-3, random_state=0)
    _, exact = twin.relaxation(S)
    optimum, scale = -exact.solver_value, positive_sum(S)
    assert found.converged
    assert found.bound >= optimum - 1e-7 * scale
    assert found.bound <= max(optimum, found.value) + 1.001e-3 * scale
    assert -exact.value >= optimum - 1e-7 * scale  # the twin's own bound, from its multipliers
    assert twin.bound_of_multipliers(S, found.triangles, found.multipliers) == pytest.approx(
        found.bound, rel=1e-12, abs=1e-12 * np.abs(S).sum()
    )
    assert (found.multipliers > 0.0).all() and len(found.triangles) == len(found.multipliers)
    relaxed = found.relaxed
    assert relaxed is not None and np.array_equal(relaxed, relaxed.T) and (np.diag(relaxed) == 1.0).all()
    assert relaxed.min() >= 0.0 and relaxed.max() <= 1.0 and violation(relaxed) <= 1e-12
    value = float((S * relaxed)[np.triu_indices(len(S), 1)].sum())
    assert max(value, found.value) >= found.bound - 1.001e-3 * scale


@pytest.mark.parametrize("solver", ["CBC", "HiGHS"])
def test_integer_programme_is_enumeration(solver: str) -> None:
    for seed in range(3):
        S = similarities(7, seed, "normal")
        labels, value = twin.partition_programme(S, solver)  # type: ignore[arg-type]
        assert value == pytest.approx(twin.best_partition(S)[1])
        assert twin.partition_value(S, labels) == value
    assert twin.partition_programme(np.zeros((1, 1)))[1] == 0.0
    with pytest.raises(ValueError, match="at most 14"):
        twin.partition_programme(np.zeros((15, 15)))


def test_the_best_partition_is_found_often() -> None:
    hits = {method: 0 for method in METHODS}
    for seed in range(20):
        S = similarities(12, seed, "normal")
        _, best = twin.partition_programme(S, "HiGHS")
        for method in METHODS:
            value = correlation_clustering(S, method=method, random_state=0).value
            assert value <= best + 1e-9
            hits[method] += value >= best - 1e-9
    assert hits["relaxation"] >= 18
    assert hits["relaxation"] >= hits["greedy"] >= 8


def test_all_partitions_are_enumerated() -> None:
    for n, bell in ((1, 1), (2, 2), (3, 5), (6, 203)):
        partitions = {tuple(labels) for labels in twin.every_partition(n)}
        assert len(partitions) == len(list(twin.every_partition(n))) == bell
    with pytest.raises(ValueError, match="n=9"):
        next(twin.every_partition(9))


def test_clusters_are_found_and_proven() -> None:
    y = np.random.default_rng(0).integers(0, 6, size=90)
    S = np.where(y[:, None] == y, 1.0, -1.0) + 0.3 * similarities(90, 1, "normal")
    for method in METHODS:
        found = correlation_clustering(S, method=method)
        assert np.array_equal(found.labels[:, None] == found.labels, y[:, None] == y)
    proven = correlation_clustering(S)
    assert proven.converged and proven.bound - proven.value <= 1e-3 * positive_sum(S)


def test_a_loose_relaxation() -> None:
    """A point that attracts three others, which repel each other: shares of a half beat every partition."""
    S = -np.ones((4, 4))
    S[0] = S[:, 0] = 1.0
    found = correlation_clustering(S, tol=1e-6)
    assert found.value == 1.0
    assert found.bound == pytest.approx(1.5, abs=1e-5)
    assert found.relaxed is not None
    assert found.relaxed[0, 1:] == pytest.approx([0.5] * 3, abs=1e-3)


def test_the_bound_holds_before_convergence() -> None:
    S = similarities(11, 3, "normal")
    optimum = -twin.relaxation(S)[1].solver_value
    bounds = [correlation_clustering(S, tol=0.0, max_iter=steps).bound for steps in (1, 20, 400)]
    assert min(bounds) >= optimum - 1e-9
    assert bounds[0] > bounds[2] and bounds[2] == pytest.approx(optimum, rel=1e-3)
    few = correlation_clustering(S, tol=0.0, max_iter=7)
    assert not few.converged and few.n_iter == 7


def test_a_start_saves_steps() -> None:
    S = similarities(30, 5, "normal")
    found = correlation_clustering(S, random_state=0)
    assert found.n_iter > 20
    again = correlation_clustering(S, start=found, tol=1.1e-3, random_state=0)
    assert again.converged and again.n_iter == 0
    assert again.bound == pytest.approx(found.bound, rel=1e-12)
    scratch = correlation_clustering(-S, random_state=0)
    other = correlation_clustering(-S, start=found, random_state=0)  # a bad start changes nothing but the way
    assert other.bound == pytest.approx(scratch.bound, abs=2e-3 * positive_sum(-S))
    with pytest.raises(ValueError, match="start has 30 points; expected 4"):
        correlation_clustering(np.zeros((4, 4)), start=found)


@settings(max_examples=100, deadline=None)
@given(x=shares_of_pairs, least=st.sampled_from([1e-6, 0.25, 0.5]))
def test_violated_triangles_are_the_twin(x: np.ndarray, least: float) -> None:
    found = _core.violated_triangles(x, least).reshape(-1, 3)
    assert [tuple(triangle) for triangle in found.tolist()] == twin.violated_triangles(x, least)


@settings(max_examples=100, deadline=None)
@given(x=shares_of_pairs)
def test_closing_is_the_twin(x: np.ndarray) -> None:
    closed = _core.close_triangles(x).reshape(x.shape)
    assert closed == pytest.approx(twin.close_triangles(x), abs=1e-14)
    assert violation(closed) <= 1e-14 and (closed >= x - 1e-14).all()
    assert _core.close_triangles(closed).reshape(x.shape) == pytest.approx(closed, abs=1e-14)


@pytest.mark.parametrize("n", [63, 64, 65, 128, 150])
def test_closing_over_several_blocks(n: int) -> None:
    # Mostly apart, so that shortest paths have several points on the way, first and last of a block among them.
    x = shares(n, n, None) ** 0.05 * (shares(n, n + 1, None) > 0.9)
    closed = _core.close_triangles(x).reshape(n, n)
    assert closed == pytest.approx(twin.close_triangles(x), abs=1e-13)
    assert (closed > x + 0.1).any() and np.array_equal(closed, closed.T)
    found = _core.violated_triangles(x, 1e-6).reshape(-1, 3)
    assert [tuple(triangle) for triangle in found.tolist()] == twin.violated_triangles(x, 1e-6)


@settings(max_examples=60, deadline=None)
@given(S=larger, seed=st.integers(0, 1000))
def test_any_multipliers_bound_from_above(S: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    triangles = np.array(twin.triangles_of(len(S)), dtype=np.int32).reshape(-1, 3)
    multipliers = rng.uniform(size=len(triangles)) * (rng.uniform(size=len(triangles)) < 0.2)
    bound = _core.bound_of_multipliers(S, triangles, multipliers)
    assert bound == pytest.approx(twin.bound_of_multipliers(S, triangles, multipliers), rel=1e-12)
    assert bound >= correlation_clustering(S, method="greedy").value - 1e-9 * np.abs(S).sum()


@settings(max_examples=60, deadline=None)
@given(S=larger, seed=st.integers(0, 1000))
def test_no_merge_and_no_move_improves(S: np.ndarray, seed: int) -> None:
    n = len(S)
    start = np.random.default_rng(seed).integers(0, n, size=n)
    labels = _core.improve_partition(S, start)
    value, rounding = twin.partition_value(S, labels), 1e-12 * n * np.abs(S).max()
    assert value >= twin.partition_value(S, start) - rounding
    for c in range(n):
        for d in range(c):
            merged = np.where(labels == c, d, labels)
            assert twin.partition_value(S, merged) <= value + rounding
    for p in range(n):
        for c in range(n + 1):  # n: one of its own
            moved = np.where(np.arange(n) == p, c, labels)
            assert twin.partition_value(S, moved) <= value + rounding


def test_rounding_takes_halves() -> None:
    x = np.array([[1.0, 0.5, 0.4, 0.0], [0.5, 1.0, 0.9, 0.0], [0.4, 0.9, 1.0, 0.6], [0.0, 0.0, 0.6, 1.0]])
    assert round_in_order(x, np.arange(4)).tolist() == [0, 0, 1, 1]
    assert round_in_order(x, np.array([1, 0, 2, 3])).tolist() == [0, 0, 0, 1]
    assert round_in_order(x, np.array([3, 2, 1, 0])).tolist() == [1, 1, 0, 0]


def test_kernels_refuse_what_they_would_read_outside_of() -> None:
    S, none = np.zeros((3, 3)), np.empty(0)
    for bad in ([[0, 1, 3]], [[-1, 1, 2]], [[2, 1, 0]], [[0, 0, 1]], [[0, 3, 1]]):
        with pytest.raises(ValueError, match="three points"):
            _core.bound_of_multipliers(S, np.array(bad, dtype=np.int32), np.ones(1))
    with pytest.raises(ValueError, match="negative"):
        _core.bound_of_multipliers(S, np.array([[0, 1, 2]], dtype=np.int32), -np.ones(1))
    with pytest.raises(ValueError, match="m multipliers"):
        _core.bound_of_multipliers(S, np.array([[0, 1, 2]], dtype=np.int32), none)
    for labels in ([0, 1], [0, 1, 3], [0, 1, -1]):
        with pytest.raises(ValueError, match="label"):
            _core.improve_partition(S, np.array(labels))


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_similarities(method: str) -> None:
    for n in (1, 2, 9):
        ones = np.ones((n, n))
        alone, together = np.arange(n), np.zeros(n, dtype=int)
        for S, labels, value in (
            (0.0 * ones, alone, 0.0),
            (-ones, alone, 0.0),
            (ones, together, n * (n - 1) / 2),
            (5.0 * np.eye(n), alone, 0.0),
            (1e-300 * ones, together, 1e-300 * n * (n - 1) / 2),
        ):
            found = correlation_clustering(S, method=method)
            assert found.labels.tolist() == labels.tolist() and found.labels.dtype == np.int64
            assert found.value == pytest.approx(value, rel=1e-12) and found.converged
            if method == "relaxation":
                assert found.bound == pytest.approx(value, rel=1e-3)


def test_identical_points_end_together() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(8, 2)), 5, axis=0)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    labels = correlation_clustering(0.8 - D).labels
    assert (labels.reshape(8, 5) == labels[::5, None]).all()


@pytest.mark.parametrize("method", METHODS)
def test_names_diagonal_scale_and_threads_do_not_matter(method: str) -> None:
    S = similarities(40, 2, "normal")
    first = correlation_clustering(S, method=method, random_state=0)
    _, places = np.unique(first.labels, return_index=True)
    assert (np.diff(places) > 0).all() and first.labels[0] == 0
    spoilt = S.copy()
    np.fill_diagonal(spoilt, np.nan)
    before = spoilt.copy()
    second = correlation_clustering(spoilt, method=method, random_state=0)
    assert np.array_equal(spoilt, before, equal_nan=True)
    with threadpool_limits(1):
        third = correlation_clustering(S, method=method, random_state=0)
    scaled = correlation_clustering(1024.0 * S, method=method, random_state=0)
    for other in (second, third, scaled):
        assert np.array_equal(first.labels, other.labels)
    assert first.bound == second.bound == third.bound == scaled.bound / 1024.0


def test_bad_arguments_are_named() -> None:
    S = similarities(5, 0, "normal")
    for value in (np.nan, np.inf, -np.inf, 1e307):
        spoilt = S.copy()
        spoilt[1, 3] = value
        with pytest.raises(ValueError, match=r"similarity\[1, 3\] is .*; expected a finite number"):
            correlation_clustering(spoilt)
    for spoilt, words in (
        (S[:3], r"shape \(3, 5\)"),
        (S[0], r"shape \(5,\)"),
        (S[:0, :0], r"n >= 1"),
        (
            S + np.triu(np.ones((5, 5)), 1),
            r"similarity\[\d, \d\] is .*, similarity\[\d, \d\] is .*, 1 apart; expected a symmetric",
        ),
        ([["a"]], "similarity is not an array of numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            correlation_clustering(spoilt)
    for name, value in (
        ("method", "exact"),
        ("tol", -1.0),
        ("max_iter", 0),
        ("n_orders", 0),
        ("random_state", "one"),
    ):
        with pytest.raises(ValueError, match=name):
            correlation_clustering(S, **{name: value})  # type: ignore[arg-type]


def test_rounding_of_similarities_is_averaged() -> None:
    S = similarities(6, 0, "normal")
    bent = S + 1e-10 * np.triu(np.ones((6, 6)), 1)
    checked = checked_similarity(bent)
    assert np.array_equal(checked, checked.T) and (np.diag(checked) == 0.0).all()
    assert checked[0, 1] == pytest.approx(S[0, 1] + 0.5e-10, abs=1e-14)
    assert partition_value(checked, np.zeros(6, dtype=np.int64)) == pytest.approx(
        twin.partition_value(checked, np.zeros(6, dtype=np.int64))
    )
