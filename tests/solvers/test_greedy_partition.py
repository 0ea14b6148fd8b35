"""Sweeps of a greedy partition: the twin's moves, whatever the scale; ties, rounding, small clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.solvers.dependence import GreedyPartition, dependence, greedy_partition
from cladebench.solvers.gram import CenteredGram, center, center_factor
from dependence_cases import POINTS, STRUCTURES, Case, case, cases, forms, symmetric


def same_run(
    found: GreedyPartition, labels: np.ndarray, path: list[float], moves: list[int], scale: float
) -> None:
    """A sweep that confirms the end, from sums taken anew, may follow what the twin does."""
    assert np.array_equal(found.labels, labels)
    assert found.moves[: len(moves)].tolist() == moves and not found.moves[len(moves) :].any()
    assert found.objective[: len(path)] == pytest.approx(path, rel=1e-9, abs=1e-10 * scale)
    assert found.objective[len(path) :] == pytest.approx(path[-1], rel=1e-9, abs=1e-10 * scale)
    assert len(found.objective) == len(found.moves) + 1


@settings(max_examples=400, deadline=None)
@given(cases(), forms)
def test_sweeps_are_the_twin_s(it: Case, form: str) -> None:
    found = it.fast(form)
    same_run(found, *it.plain(), it.scale)
    assert found.labels.dtype == found.moves.dtype == np.int64
    assert found.converged
    assert found.objective[0] == pytest.approx(it.value(it.labels), rel=1e-9, abs=1e-10 * it.scale)
    assert found.objective[-1] == pytest.approx(it.value(found.labels), rel=1e-9, abs=1e-10 * it.scale)


@settings(max_examples=150, deadline=None)
@given(cases(), forms, st.integers(1, 3))
def test_few_sweeps_are_the_twin_s(it: Case, form: str, max_sweeps: int) -> None:
    found = it.fast(form, max_sweeps=max_sweeps)
    same_run(found, *it.plain(max_sweeps), it.scale)
    assert len(found.moves) <= max_sweeps
    # Converged is what a sweep from sums taken anew has confirmed: the first one, or one after a sweep without moves.
    sure = found.moves[-1] == 0 and (len(found.moves) == 1 or found.moves[-2] == 0)
    assert found.converged == sure


@settings(max_examples=150, deadline=None)
@given(cases(), forms, st.sampled_from([1.0, 1e3]))
def test_what_rows_and_columns_of_the_structure_share_changes_nothing(
    it: Case, form: str, size: float
) -> None:
    u = size * np.random.default_rng(it.n).normal(size=len(it.Y))
    shifted = Case(it.X, it.Y + u + u[:, None], it.labels, it.order, it.normalized)
    one, other = it.fast(form), shifted.fast(form)
    assert np.array_equal(one.labels, other.labels)
    assert one.moves.tolist() == other.moves.tolist()
    assert other.objective == pytest.approx(one.objective, rel=1e-9, abs=1e-9 * it.scale)
    value = dependence(it.gram(form), it.labels, it.Y, normalized=it.normalized)
    again = dependence(it.gram(form), it.labels, shifted.Y, normalized=it.normalized)
    assert again == pytest.approx(value, rel=1e-7, abs=1e-9 * size * it.scale)


@pytest.mark.parametrize("form", ["dense", "factor"])
@pytest.mark.parametrize("factor", [1e-100, 1e100])
@pytest.mark.parametrize("kind", POINTS)
def test_the_scale_of_the_matrix_changes_nothing(form: str, factor: float, kind: str) -> None:
    for seed in range(10):
        it = case(20, 4, seed, (kind, STRUCTURES[seed % 5], "random"), seed % 2 == 0, False)
        gram = it.gram(form)
        scaled = CenteredGram(gram.values * (np.sqrt(factor) if gram.is_factor else factor), gram.is_factor)
        one = greedy_partition(gram, it.Y, it.labels, normalized=it.normalized)
        other = greedy_partition(scaled, it.Y, it.labels, normalized=it.normalized)
        assert np.array_equal(one.labels, other.labels)
        assert one.moves.tolist() == other.moves.tolist()
        assert other.objective / factor == pytest.approx(one.objective, rel=1e-9, abs=1e-10 * it.scale)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("factor", [1e-60, 1e60])
def test_the_scale_of_the_structure_changes_no_move(factor: float, normalized: bool) -> None:
    for seed in range(10):
        it = case(20, 4, seed, ("normal", STRUCTURES[seed % 5], "random"), normalized, False)
        one = it.fast()
        other = greedy_partition(it.gram(), factor * it.Y, it.labels, normalized=normalized)
        assert np.array_equal(one.labels, other.labels)
        expected = one.objective if normalized else factor * one.objective
        assert other.objective == pytest.approx(expected, rel=1e-9)


def test_the_order_matters_and_its_default_is_that_of_the_points() -> None:
    ends = set()
    for seed in range(20):
        it = case(20, 3, 5, ("normal", "identity", "random"), True, False)
        order = np.random.default_rng(seed).permutation(20)
        ends.add(tuple(it.fast(order=order).labels))
    assert len(ends) > 1
    assert np.array_equal(it.fast(order=None).labels, it.fast(order=np.arange(20)).labels)


def test_a_tie_goes_to_the_cluster_of_least_index() -> None:
    # Point 2 is as well in cluster 1 as in 2 and 3, which are empty, and worst where it is.
    X = np.array([[0.0], [0.0], [9.0]])
    for normalized in (False, True):
        found = greedy_partition(
            center(X @ X.T), np.eye(4), [0, 0, 0], normalized=normalized, order=[2, 0, 1], max_sweeps=1
        )
        assert found.labels.tolist() == [0, 0, 1]


def test_where_it_is_as_good_a_point_stays() -> None:
    X = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    found = greedy_partition(center(X @ X.T), np.zeros((3, 3)), [2, 1, 2, 0])
    assert found.labels.tolist() == [2, 1, 2, 0] and found.moves.tolist() == [0] and found.converged


@pytest.mark.parametrize("form", ["dense", "factor"])
@pytest.mark.parametrize("normalized", [True, False])
def test_gains_that_are_rounding_move_no_point(form: str, normalized: bool) -> None:
    # All clusters have one mean, which is best, and three points are there: all their sums are rounding.
    for seed in range(10):
        rng = np.random.default_rng(seed)
        half = rng.normal(size=(6, 3))
        X = np.concatenate([half, -half, np.zeros((3, 3))]) + 3.0 * rng.normal(size=3)
        labels = np.concatenate([np.arange(6) % 3, np.arange(6) % 3, [0, 1, 2]])
        it = Case(X, -np.eye(3), labels, np.arange(15), normalized)
        found = it.fast(form)
        assert found.moves.tolist() == [0] and np.array_equal(found.labels, labels)
        assert it.plain()[2] == [0]


def test_the_last_point_of_a_cluster_stays() -> None:
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    found = greedy_partition(center(X @ X.T), np.eye(3), [0, 1, 2, 2])
    assert sorted(set(found.labels)) == [0, 1, 2]
    # With as many clusters as points nothing moves.
    alone = greedy_partition(center(X @ X.T), np.eye(4), [3, 1, 0, 2])
    assert alone.labels.tolist() == [3, 1, 0, 2] and alone.moves.tolist() == [0]


@pytest.mark.parametrize("form", ["dense", "factor"])
def test_one_cluster_with_nearly_all_points(form: str) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 5)), rng.normal(size=(3, 5)) + 6.0])
    labels = np.concatenate([np.zeros(199, dtype=int), [1, 2, 3, 0]])
    for normalized in (True, False):
        it = Case(X, symmetric(4, "tree", rng), labels, np.arange(203), normalized)
        same_run(it.fast(form), *it.plain(), it.scale)


def test_small_clusters_do_not_drown() -> None:
    # The norm is that of two points among 100,000, whatever the structure adds to all clusters.
    n = 100_000
    labels = np.zeros(n, dtype=int)
    labels[:2] = 1, 2
    X = np.zeros((n, 1))
    X[:2, 0] = 1.0, -1.0
    gram, Y = center_factor(X), np.eye(3)
    for shift in (0.0, 1.0, 7.0):
        moved = greedy_partition(gram, Y + shift, labels, max_sweeps=1)
        # 2 / |(2 -1 -1; -1 1 0; -1 0 1)| but for terms of 1 / n.
        assert moved.objective[0] == pytest.approx(2.0 / np.sqrt(10.0), rel=1e-4)
        assert dependence(gram, labels, Y + shift) == pytest.approx(2.0 / np.sqrt(10.0), rel=1e-4)


def test_bad_orders_and_numbers_of_sweeps() -> None:
    gram = center(np.eye(3))
    for order in ([0, 1], [0, 1, 1], [0, 1, 3], [0, 1, -1], [0, 1, 2, 0]):
        with pytest.raises(ValueError, match="order: expected each point once"):
            greedy_partition(gram, np.eye(2), [0, 0, 1], order=order)
    with pytest.raises(ValueError, match="order has dtype"):
        greedy_partition(gram, np.eye(2), [0, 0, 1], order=[0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="max_sweeps is 0; expected at least 1"):
        greedy_partition(gram, np.eye(2), [0, 0, 1], max_sweeps=0)
    with pytest.raises(TypeError, match=r"max_sweeps is 1\.5"):
        greedy_partition(gram, np.eye(2), [0, 0, 1], max_sweeps=1.5)  # type: ignore[arg-type]
