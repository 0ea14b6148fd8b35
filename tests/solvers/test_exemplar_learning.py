"""Slaves in the core against plain loops, enumeration and programmes; bounds against optima."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cladebench import _core
from cladebench.crosscheck.exemplar_learning import problems
from cladebench.reference import exemplar_learning as twin
from cladebench.solvers.dual_decomposition import Energy, learn
from cladebench.solvers.exemplar_learning import ClusteringProblem
from cladebench.solvers.given_distances import SquaredDifferences, StackedDistances, weighted_sum


def training_set(n: int, seed: int, whole: bool = False, n_distances: int = 2, k: int = 3):
    rng = np.random.default_rng(seed)
    F = (
        rng.integers(0, 3, (n_distances, n, n)).astype(float)
        if whole
        else rng.uniform(size=(n_distances, n, n))
    )
    F[:, np.arange(n), np.arange(n)] = 0.0
    labels = np.unique(rng.integers(0, k, n), return_inverse=True)[1]
    return F, labels, rng


def multipliers_of(problem: ClusteringProblem) -> np.ndarray:
    return problem.raw - problem.offset


instances = st.tuples(
    st.integers(1, 7),
    st.integers(0, 10**6),
    st.booleans(),
    st.sampled_from([(1.0, 1.0), (0.5, 2.0), (0.0, 1.0), (2.0, 0.0)]),
)


@settings(max_examples=60)
@given(instances, st.sampled_from([0.25, 1.0]))
def test_rounds_are_those_of_the_plain_slaves(instance, step: float) -> None:
    n, seed, whole, (alpha, beta) = instance
    F, labels, rng = training_set(n, seed, whole)
    price = float(rng.integers(0, 4))
    fast, plain = problems(F, labels, price, alpha, beta)
    for _ in range(6):
        w = rng.integers(0, 3, 2) / 2.0
        one, other = fast.relax(w), plain.relax(w)
        assert one.at(w) == pytest.approx(other.at(w), abs=1e-9)
        # Where rounding breaks ties otherwise, minimisers may differ: from there on both would go their own ways.
        if not np.allclose(one.features, other.features):
            return
        fast.move(step)
        plain.move(step)
        theta = np.array(plain.multipliers[:n])
        if not np.allclose(multipliers_of(fast), theta, atol=1e-9):
            return
        of_clusters = np.empty(n)
        for own, slave in zip(plain.multipliers[n:], plain.slaves[n:], strict=True):
            of_clusters[slave.variables] = own
        assert fast.of_clusters - fast.offset == pytest.approx(of_clusters, abs=1e-9)


def test_rounds_without_ties_are_those_of_the_plain_slaves() -> None:
    for seed in range(30):
        F, labels, rng = training_set(6, seed)
        fast, plain = problems(F, labels, 1.3)
        for _ in range(8):
            w = rng.uniform(size=2)
            one, other = fast.relax(w), plain.relax(w)
            assert one.features == pytest.approx(other.features, abs=1e-9)
            assert one.rest == pytest.approx(other.rest, abs=1e-9)
            assert fast.squared_slope() == pytest.approx(plain.squared_slope(), abs=1e-9)
            step = rng.uniform(0.1, 0.5)
            fast.move(step)
            plain.move(step)
            assert multipliers_of(fast) == pytest.approx(np.array(plain.multipliers[:6]), abs=1e-9)


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(0, 10**6), st.booleans())
def test_plain_slaves_are_minimal(n: int, seed: int, whole: bool) -> None:
    F, labels, rng = training_set(n, seed, whole)
    w = rng.integers(0, 3, 2) / 2.0 if whole else rng.uniform(size=2)

    def multipliers(size: int) -> np.ndarray:
        return rng.integers(-4, 5, size) / 2.0 if whole else rng.normal(size=size)

    for slave in problems(F, labels, 1.0)[1].slaves:
        own = multipliers(len(slave.variables))
        copies, energy = slave.minimize(w, own)
        if isinstance(slave, twin.PointSlave):
            every = [(own @ x + slave.energy(x, q).at(w)) for x, q in slave.all_solutions()]
        else:
            every = [
                own @ np.array(x) + slave.energy(np.array(x)).at(w)
                for x in product((0.0, 1.0), repeat=len(own))
            ]
        assert own @ copies + energy.at(w) == pytest.approx(min(every), abs=1e-12)


def test_point_slaves_open_the_first_of_the_best() -> None:
    d = np.ones((4, 4))
    copies = np.zeros((4, 4), dtype=np.uint8)
    values, nearest, counts = _core.point_slaves(
        d, np.full(4, 5.0), np.zeros((4, 4)), np.zeros(4), np.zeros(4, dtype=np.int64), 0.0, copies
    )
    # Each is cheapest by itself: 5 / 5 = 1 against 1 + 1.
    assert nearest.tolist() == [0, 1, 2, 3] and values.tolist() == [1.0] * 4 and counts.tolist() == [1] * 4
    raw = np.full((4, 4), -1.0)  # all copies are free: serving oneself costs 0, others 1
    raw[2, 2] = 1.0  # but for point 2, which is as far from all others
    values, nearest, counts = _core.point_slaves(
        d, np.full(4, 5.0), raw, np.zeros(4), np.zeros(4, dtype=np.int64), 0.0, copies
    )
    assert nearest.tolist() == [0, 1, 0, 3] and values.tolist() == [0.0, 0.0, 1.0, 0.0]
    raw[2, 1] = -2.0  # negative: open whoever p goes to
    values, nearest, counts = _core.point_slaves(
        d, np.full(4, 5.0), raw, np.zeros(4), np.zeros(4, dtype=np.int64), 0.0, copies
    )
    assert copies[2].tolist() == [1, 1, 0, 0] and values[2] == 0.0 and counts.tolist() == [2, 2, 0, 1]


def test_of_nothing_that_is_a_number_the_first_is_opened() -> None:
    nowhere, copies = np.full((4, 4), np.nan), np.zeros((4, 4), dtype=np.uint8)
    _, nearest, _ = _core.point_slaves(
        nowhere, nowhere[0], np.zeros((4, 4)), np.zeros(4), np.zeros(4, dtype=np.int64), 0.0, copies
    )
    assert nearest.tolist() == [0] * 4 and copies.tolist() == [[1, 0, 0, 0]] * 4


@settings(max_examples=40)
@given(st.integers(1, 5), st.integers(0, 10**6), st.booleans())
def test_the_bound_is_never_above_the_least_augmented_energy(n: int, seed: int, whole: bool) -> None:
    F, labels, rng = training_set(n, seed, whole)
    price, w = float(rng.integers(0, 4)), rng.integers(0, 3, 2) / 2.0
    d = np.tensordot(w, F, axes=1)
    d[np.arange(n), np.arange(n)] = price
    least = twin.least_augmented_energy(d, labels)
    problem = ClusteringProblem(StackedDistances(F), labels, price)
    for t in range(40):
        assert problem.relax(w).at(w) <= least + 1e-9
        problem.move(1.0 / np.sqrt(t + 1))
    assert twin.relaxation(d, labels) <= least + 1e-6
    assert twin.least_augmented_energy_programme(d, labels) == pytest.approx(least, abs=1e-6)


def test_multipliers_reach_the_linear_programme() -> None:
    for seed in range(4):
        F, labels, rng = training_set(8, seed)
        w = rng.uniform(1, 3, 2)
        d = np.tensordot(w, F, axes=1)
        d[np.arange(8), np.arange(8)] = 2.0
        exact = twin.relaxation(d, labels)
        problem, bounds = ClusteringProblem(StackedDistances(F), labels, 2.0), []
        for t in range(3000):
            bounds.append(problem.relax(w).at(w))
            problem.move(0.5 / np.sqrt(t + 1))
        assert exact - 0.05 <= max(bounds) <= exact + 1e-5
        assert bounds[0] < exact - 0.5


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(0, 10**6), st.booleans())
def test_completions_are_the_cheapest_that_agree(n: int, seed: int, whole: bool) -> None:
    F, labels, rng = training_set(n, seed, whole)
    price, w = float(rng.integers(0, 4)), rng.integers(0, 3, 2) / 2.0
    d = np.tensordot(w, F, axes=1)
    d[np.arange(n), np.arange(n)] = price
    problem = ClusteringProblem(StackedDistances(F), labels, price)
    assert problem.complete(w).at(w) == pytest.approx(twin.best_completion(d, labels))
    # The nearest exemplar of all costs no more, and the loss may then be negative.
    nearest = ClusteringProblem(StackedDistances(F), labels, price, completion="nearest")
    assert nearest.complete(w).at(w) <= problem.complete(w).at(w) + 1e-12


def test_learning_for_fixed_exemplars_is_the_convex_programme_s() -> None:
    for seed, regularizer in ((0, "l1"), (1, "l2")):
        rng = np.random.default_rng(seed)
        stacks, labels = [], []
        for _ in range(2):
            y = np.repeat([0, 1], 4)
            X = np.column_stack([3.0 * y + rng.normal(size=8), 3.0 * rng.normal(size=8)])
            stacks.append(np.square(X[:, None] - X[None]).transpose(2, 0, 1) / 10.0)
            labels.append(y)
        problems = [
            ClusteringProblem(StackedDistances(F), y, 2.0) for F, y in zip(stacks, labels, strict=True)
        ]
        start = np.full(2, 0.5)
        completed = [problem.complete(start) for problem in problems]
        weights, exact = twin.learning_programme(stacks, labels, completed, 2.0, 1.0, regularizer)
        reg = (lambda w: (w.sum(), np.ones(2))) if regularizer == "l1" else (lambda w: (w @ w, 2 * w))
        found = learn(problems, start, regularizer=reg, tau=1.0, step=0.5, weight_step=0.05, rounds=10**6,
                      max_iter=6000, tol=0.0)  # fmt: skip
        assert exact - 1e-5 <= found.objective <= exact * 1.02 + 0.02
        assert found.path[0] > exact * 1.2
        assert found.weights == pytest.approx(weights, abs=0.15)


@settings(max_examples=50)
@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 10**6), st.booleans())
def test_sums_of_distances(n: int, n_distances: int, seed: int, single: bool) -> None:
    rng = np.random.default_rng(seed)
    stack = rng.uniform(size=(n_distances, n, n)).astype(np.float32 if single else np.float64)
    w = rng.integers(-1, 2, n_distances) * rng.uniform(size=n_distances)
    expected = sum(w[i] * stack[i].astype(np.float64) for i in range(n_distances))
    assert weighted_sum(w, stack) == pytest.approx(expected, abs=1e-14)
    scales = rng.uniform(1, 2, n_distances)
    distances = StackedDistances(stack, scales)
    assert distances.shape == (n_distances, n)
    scaled = stack.astype(np.float64) / scales[:, None, None]
    assert distances.at(w) == pytest.approx(np.tensordot(w, scaled, axes=1), abs=1e-14)
    p, q = rng.integers(n, size=(2, 5))
    assert distances.total(p, q) == pytest.approx(scaled[:, p, q].sum(axis=1))
    off = ~np.eye(n, dtype=bool)
    means = stack.astype(np.float64)[:, off].mean(axis=1) if n > 1 else np.zeros(n_distances)
    assert distances.means() == pytest.approx(means)


def test_distances_of_weight_zero_are_not_read() -> None:
    stack = np.full((2, 3, 3), np.nan)
    stack[1] = 1.0
    assert weighted_sum(np.array([0.0, 2.0]), stack).tolist() == [[2.0] * 3] * 3


def test_a_large_sum_is_made_in_blocks() -> None:
    rng = np.random.default_rng(0)
    stack, w = rng.uniform(size=(3, 150, 151)), rng.uniform(size=3)
    assert weighted_sum(w, stack) == pytest.approx(np.tensordot(w, stack, axes=1), rel=1e-14)


@settings(max_examples=40)
@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 10**6))
def test_squared_differences_are_those_of_the_matrices(n: int, n_features: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    X -= X.mean(axis=0)
    stack = np.square(X[:, None] - X[None]).transpose(2, 0, 1)
    scales, w = rng.uniform(1, 2, n_features), rng.uniform(size=n_features)
    one, other = SquaredDifferences(X), StackedDistances(stack)
    assert one.shape == other.shape and one.means() == pytest.approx(other.means())
    assert one.scaled(scales).at(w) == pytest.approx(other.scaled(scales).at(w), abs=1e-12)
    p, q = rng.integers(n, size=(2, 4))
    assert one.scaled(scales).total(p, q) == pytest.approx(other.scaled(scales).total(p, q), abs=1e-12)


def test_the_margin_by_hand() -> None:
    labels = np.array([0, 0, 0, 1, 1])
    x = np.zeros((5, 5))
    x[[0, 1, 2, 3, 4], [0, 0, 3, 3, 4]] = 1.0  # two exemplars in the second cluster; point 2 goes astray
    assert twin.margin(x, labels) == 1 + 1
    assert twin.margin(x, labels, alpha=3.0, beta=0.5) == 3 + 0.5
    none = np.zeros((5, 5))
    none[:, 0] = 1.0
    assert twin.margin(none, labels) == 1 + 2  # no exemplar in the second, both of its points astray


def test_energies_add_up() -> None:
    energy = Energy(np.array([2.0, -1.0]), 0.5)
    assert energy.at(np.array([1.0, 3.0])) == -0.5
