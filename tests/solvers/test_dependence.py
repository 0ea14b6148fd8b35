"""The objective of numerical taxonomy clustering and its two halves, against the paper's formulas written out."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench.reference import dependence as twin
from cladebench.solvers.dependence import (
    GreedyPartition,
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

POINTS = ("normal", "whole", "repeated", "equal")
STRUCTURES = ("identity", "tree", "normal", "indefinite", "whole", "twins", "zeros")
STARTS = ("random", "few", "one", "unbalanced", "each")


def points(n: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Rows of features; all kinds but the first make ties."""
    if kind == "whole":
        return rng.integers(0, 3, (n, 2)).astype(float)
    X = rng.normal(size=(n, int(rng.integers(1, 7))))
    if kind == "repeated":
        return X[rng.integers(0, max(1, n // 3), n)]
    return np.zeros_like(X) if kind == "equal" else X


def symmetric(k: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    """A structure; "twins": two clusters are in one place."""
    if kind == "zeros":
        return np.zeros((k, k))
    if kind == "whole":
        Y = rng.integers(-2, 3, (k, k)).astype(float)
        return Y + Y.T
    if kind == "indefinite":
        Y = rng.normal(size=(k, k))
        return Y + Y.T
    if kind == "tree":  # a caterpillar
        steps = np.arange(k, dtype=float)
        return distances_structure(np.abs(steps[:, None] - steps) + 2.0 - 2.0 * np.eye(k))
    B = rng.normal(size=(k, 3))
    if kind == "twins":
        B[-1] = B[0]
    return np.eye(k) if kind == "identity" else B @ B.T


def starting_labels(n: int, k: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "each":
        return rng.permutation(np.arange(n) % k)
    if kind == "one":
        return np.full(n, rng.integers(k))
    if kind == "few":  # other clusters are empty
        return rng.choice(rng.integers(0, k, 2), n)
    labels = rng.integers(0, k, n)
    return np.where(rng.uniform(size=n) < 0.1, labels, labels[0]) if kind == "unbalanced" else labels


@dataclass(frozen=True)
class Case:
    X: np.ndarray
    Y: np.ndarray
    labels: np.ndarray
    order: np.ndarray
    normalized: bool

    @property
    def n(self) -> int:
        return len(self.X)

    @property
    def M(self) -> np.ndarray:
        """The centred Gram matrix by its definition; 0 of equal points, where the definition leaves rounding."""
        H, X = twin.centring(self.n), self.X - self.X[0]
        return H @ X @ X.T @ H

    def gram(self, form: str = "dense") -> CenteredGram:
        return center(self.X @ self.X.T) if form == "dense" else center_factor(self.X)

    def fast(self, form: str = "dense", **settings: object) -> GreedyPartition:
        given = {"normalized": self.normalized, "order": self.order, **settings}
        return greedy_partition(self.gram(form), self.Y, self.labels, **given)  # type: ignore[arg-type]

    def plain(self, max_sweeps: int = 100) -> tuple[np.ndarray, list[float], list[int]]:
        return twin.greedy_partition(
            self.M, self.Y, self.labels, normalized=self.normalized, order=self.order, max_sweeps=max_sweeps
        )

    def value(self, labels: np.ndarray) -> float:
        return twin.dependence(self.M, labels, self.Y, self.normalized)

    @property
    def scale(self) -> float:
        """More than any value of the objective."""
        largest = abs(np.trace(self.M))
        return largest if self.normalized else largest * self.n * np.abs(self.Y).max(initial=1.0)


def case(n: int, k: int, seed: int, kinds: tuple[str, str, str], normalized: bool, shuffled: bool) -> Case:
    rng = np.random.default_rng(seed)
    X, Y = points(n, kinds[0], rng), symmetric(k, kinds[1], rng)
    labels = starting_labels(n, k, kinds[2], rng)
    order = rng.permutation(n) if shuffled else np.arange(n)
    return Case(X, Y, labels, order, normalized)


def cases(
    points: tuple[str, ...] = POINTS,
    structures: tuple[str, ...] = STRUCTURES,
    starts: tuple[str, ...] = STARTS,
    max_n: int = 16,
) -> st.SearchStrategy[Case]:
    kinds = st.tuples(st.sampled_from(points), st.sampled_from(structures), st.sampled_from(starts))
    return st.builds(
        case,
        st.integers(1, max_n),
        st.integers(1, 6),
        st.integers(0, 10**6),
        kinds,
        st.booleans(),
        st.booleans(),
    )


forms = st.sampled_from(["dense", "factor"])


def same_run(
    found: GreedyPartition, labels: np.ndarray, path: list[float], moves: list[int], scale: float
) -> None:
    """A sweep that confirms the end, from sums taken anew, may follow what the twin does."""
    assert np.array_equal(found.labels, labels)
    assert found.moves[: len(moves)].tolist() == moves and not found.moves[len(moves) :].any()
    assert found.objective[: len(path)] == pytest.approx(path, rel=1e-9, abs=1e-10 * scale)
    assert found.objective[len(path) :] == pytest.approx(path[-1], rel=1e-9, abs=1e-10 * scale)
    assert len(found.objective) == len(found.moves) + 1


# ---------------------------------------------------------------- sweeps


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


# ---------------------------------------------------------------- the objective and its parts


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


# ---------------------------------------------------------------- errors


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
