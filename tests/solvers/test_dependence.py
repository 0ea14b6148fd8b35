"""The objective of numerical taxonomy clustering and its two halves, against the paper's formulas written out."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import dependence as twin
from cladebench.solvers.dependence import (
    centered,
    checked_structure,
    dependence,
    distances_structure,
    greedy_partition,
    optimal_structure,
    squared_norm,
    structure_distances,
)
from cladebench.solvers.gram import CenteredGram, center, center_factor
from dependence_cases import Case, case, cases, forms, symmetric


@settings(max_examples=200, deadline=None)
@given(cases(), forms)
def test_the_objective_is_the_paper_s(it: Case, form: str) -> None:
    value = dependence(it.gram(form), it.labels, it.Y, normalized=it.normalized)
    assert value == pytest.approx(it.value(it.labels), rel=1e-9, abs=1e-10 * it.scale)
    P = twin.indicator(it.labels, len(it.Y)).astype(float)
    L = twin.centring(it.n) @ P @ it.Y @ P.T @ twin.centring(it.n)
    sizes = np.bincount(it.labels, minlength=len(it.Y))
    scale = float(sizes @ it.Y**2 @ sizes)
    assert squared_norm(sizes, it.Y) == pytest.approx(np.square(L).sum(), rel=1e-9, abs=1e-12 * scale)


def test_the_objective_by_hand() -> None:
    # Two pairs, one unit from their mean: M = x x', L = (1 -1; -1 1) / 2 in blocks.
    gram = center_factor(np.array([[1.0], [1.0], [-1.0], [-1.0]]))
    assert dependence(gram, [0, 0, 1, 1], np.eye(2)) == pytest.approx(4.0)
    assert dependence(gram, [0, 0, 1, 1], np.eye(2), normalized=False) == pytest.approx(8.0)
    assert dependence(gram, [0, 1, 0, 1], np.eye(2)) == 0.0
    assert dependence(gram, [0, 0, 0, 0], np.eye(2)) == 0.0
    assert dependence(gram, [0, 0, 1, 1], -np.eye(2)) == pytest.approx(-4.0)


@settings(max_examples=150, deadline=None)
@given(cases(points=("normal", "whole"), starts=("each",)), forms, st.integers(0, 1000))
def test_the_optimal_structure_is_the_paper_s(it: Case, form: str, seed: int) -> None:
    k = min(len(it.Y), it.n)
    labels, gram = it.labels % k, it.gram(form)
    Y = optimal_structure(gram, labels, k)
    sets = centered(twin.set_kernel(it.M, labels, k))
    if np.abs(sets).max() <= 1e-12 * np.trace(it.M):
        assert not Y.any()
        return
    assert pytest.approx(twin.optimal_structure(it.M, labels, k), rel=1e-8, abs=1e-8) == Y
    sizes = np.bincount(labels, minlength=k)
    assert squared_norm(sizes, Y) == pytest.approx(1.0)
    assert pytest.approx(sets / np.sqrt(squared_norm(sizes, sets)), abs=1e-9) == Y
    assert np.abs(Y.sum(axis=0)).max() < 1e-10 and np.abs(Y - Y.T).max() < 1e-12
    assert np.linalg.eigvalsh(Y)[0] > -1e-10
    # No other structure has a larger objective; this one has the norm of the means' Gram matrix.
    other = symmetric(k, "normal", np.random.default_rng(seed))
    best = dependence(gram, labels, Y)
    assert best >= dependence(gram, labels, other) - 1e-9 * it.scale
    assert best == pytest.approx(np.sqrt(squared_norm(sizes, sets)))


@pytest.mark.parametrize("form", ["dense", "factor"])
@pytest.mark.parametrize("n", [6, 10, 22])
def test_the_optimal_structure_is_zero_where_means_are_equal(form: str, n: int) -> None:
    # Twice the same points: what is left of the means is rounding.
    half = np.random.default_rng(0).normal(size=(n // 2, 3)) / 3.0
    X = np.concatenate([half, half[::-1]])
    gram = center(X @ X.T) if form == "dense" else center_factor(X)
    assert not optimal_structure(gram, np.repeat([0, 1], n // 2), 2).any()
    assert not optimal_structure(gram, np.zeros(n, dtype=int), 1).any()
    assert not optimal_structure(center(np.ones((n, n))), np.arange(n) % 3, 3).any()


@settings(max_examples=100)
@given(st.integers(1, 8), st.integers(0, 10**6), st.integers(1, 4))
def test_distances_and_structures_are_inverse(k: int, seed: int, dimension: int) -> None:
    X = np.random.default_rng(seed).normal(size=(k, dimension))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    Y = distances_structure(D)
    centred = X - X.mean(axis=0)
    assert pytest.approx(centred @ centred.T, abs=1e-10) == Y
    assert pytest.approx(structure_distances(Y), abs=1e-6) == D
    assert pytest.approx(distances_structure(D * D, squared=False)) == Y
    assert pytest.approx(distances_structure(structure_distances(Y)), abs=1e-10) == Y


def test_distances_of_a_structure_by_hand() -> None:
    assert structure_distances(np.array([[4.0, 1.0], [1.0, 7.0]])).tolist() == [[0, 3], [3, 0]]
    assert distances_structure(np.array([[0.0, 3.0], [3.0, 0.0]])).tolist() == [[2.25, -2.25], [-2.25, 2.25]]
    unsquared = distances_structure(np.array([[0.0, 3.0], [3.0, 0.0]]), squared=False)
    assert unsquared.tolist() == [[0.75, -0.75], [-0.75, 0.75]]
    # Rounding, and squares below 0 of a structure that is not positive semidefinite, are no distance.
    Y = np.array([[1.0, 1.0 - 1e-15, 2.0], [1.0 - 1e-15, 1.0, 0.0], [2.0, 0.0, 1.0]])
    assert structure_distances(Y)[0].tolist() == [0, 0, 0]
    assert structure_distances(Y)[1, 2] == pytest.approx(np.sqrt(2.0))


@pytest.mark.parametrize("factor", [1e-30, 1.0, 1e30])
def test_scales_change_nothing_of_the_objective_and_its_parts(factor: float) -> None:
    it = case(20, 4, 0, ("normal", "normal", "each"), True, False)
    gram, scaled = it.gram(), CenteredGram(factor * it.gram().values, False)
    best, value = optimal_structure(gram, it.labels, 4), dependence(gram, it.labels, it.Y)
    assert optimal_structure(scaled, it.labels, 4) == pytest.approx(best)
    assert dependence(scaled, it.labels, it.Y) == pytest.approx(factor * value)
    assert dependence(gram, it.labels, factor * it.Y) == pytest.approx(value)
    # Centred, this structure is 0 but for rounding: semidefinite, and with all clusters in one place.
    u = np.array([0.1, 0.2, 0.7, 0.4])
    nothing = factor * (u + u[:, None])
    assert np.array_equal(checked_structure(nothing), nothing)
    assert dependence(gram, it.labels, nothing) == 0.0
    assert squared_norm([10**12, 10**12, 1, 1], nothing) == 0.0


def test_the_norm_is_exact_beside_a_large_cluster() -> None:
    sizes, Y = [3, 10**6, 1, 2], np.array([[5, 1, 2, 0], [1, 7, 3, 1], [2, 3, 4, 1], [0, 1, 1, 9]])
    k, n = range(4), sum(sizes)
    A = [[Fraction(sizes[a] * (a == b)) - Fraction(sizes[a] * sizes[b], n) for b in k] for a in k]
    AY = [[sum(A[a][c] * int(Y[c, b]) for c in k) for b in k] for a in k]
    exact = float(sum(AY[a][b] * AY[b][a] for a in k for b in k))
    assert squared_norm(sizes, Y.astype(float)) == pytest.approx(exact, rel=1e-13)


def test_centring_of_a_structure() -> None:
    Y = symmetric(5, "indefinite", np.random.default_rng(0))
    H = twin.centring(5)
    assert pytest.approx(H @ Y @ H, abs=1e-12) == centered(Y)


def test_bad_structures() -> None:
    gram = center(np.eye(3))
    for Y, words in (
        (np.zeros((2, 3)), r"structure has shape \(2, 3\); expected \(n_clusters, n_clusters\)"),
        (np.zeros(4), r"structure has shape \(4,\)"),
        (np.zeros((0, 0)), r"structure has shape \(0, 0\)"),
        ([[0, np.nan], [np.nan, 0]], "structure contains NaN or infinity"),
        ([[0, np.inf], [np.inf, 0]], "structure contains NaN or infinity"),
        ([[0, 1.0], [1.5, 0]], r"structure is not symmetric: it differs from its transpose by 0\.5"),
        ([["a"]], "structure is not an array of numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            checked_structure(Y)
        with pytest.raises(ValueError, match=words):
            greedy_partition(gram, Y, [0, 0, 0])
        with pytest.raises(ValueError, match=words):
            dependence(gram, [0, 0, 0], Y)


def test_structures_that_are_not_positive_semidefinite() -> None:
    with pytest.raises(
        ValueError, match=r"not positive semidefinite: centred, its least eigenvalue is -1, its largest"
    ):
        checked_structure([[0.0, 1.0], [1.0, 0.0]])
    # What counts is the centred form.
    assert checked_structure([[0.0, -1.0], [-1.0, 0.0]]).tolist() == [[0, -1], [-1, 0]]
    assert checked_structure([[0.0, 1.0], [1.0, 0.0]], semidefinite=False).tolist() == [[0, 1], [1, 0]]
    Y = np.eye(2)
    Y[0, 1] = 1e-10
    assert np.array_equal(checked_structure(Y), checked_structure(Y).T)
    assert np.array_equal(checked_structure(1e-300 * np.eye(3)), 1e-300 * np.eye(3))


def test_symmetry_is_asked_for_at_the_structure_s_own_scale() -> None:
    Y = 1e10 * np.eye(2)
    Y[0, 1] = 1.0
    assert checked_structure(Y)[1, 0] == 0.5
    Y = 1e-20 * np.eye(2)
    Y[0, 1] = 1e-21
    with pytest.raises(ValueError, match="structure is not symmetric"):
        checked_structure(Y)


def test_bad_partitions() -> None:
    gram = center(np.eye(3))
    for labels, words in (
        ([0, 0], "labels has length 2; expected 3"),
        ([0, 2, 1], r"labels contains 2; expected clusters 0\.\.1"),
        ([0, -1, 1], "labels contains -1"),
        ([0.0, 1.0, 1.0], "labels has dtype float64"),
        ([[0], [1], [1]], "labels has shape"),
    ):
        with pytest.raises(ValueError, match=words):
            greedy_partition(gram, np.eye(2), labels)
        with pytest.raises(ValueError, match=words):
            dependence(gram, labels, np.eye(2))
        with pytest.raises(ValueError, match=words):
            optimal_structure(gram, labels, 2)
    with pytest.raises(ValueError, match="cluster 1 is empty; expected a point in each of 3"):
        optimal_structure(gram, [0, 2, 2], 3)
