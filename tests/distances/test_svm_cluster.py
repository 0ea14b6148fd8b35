"""SVM-cluster against one quadratic programme; its parts against plain sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from cladebench.distances import SVMCluster
from cladebench.distances._structural_svm import PairSet, learn
from cladebench.distances.svm_cluster import _pairs, correlation_oracle
from cladebench.reference import correlation_clusterings as twin
from cladebench.solvers import correlation_clustering
from cladebench.solvers.given_distances import StackedDistances
from cladebench.solvers.plane_programme import minimise_planes


def training_set(n: int, seed: int, n_distances: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """The first dimension tells two classes, the others are noise."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, n_distances))
    X[:, 0] = 2.0 * y + 0.5 * X[:, 0]
    return np.abs(X[:, None] - X).transpose(2, 0, 1), y


def training_sets(sizes: list[int], seed: int = 0) -> tuple[list[np.ndarray], list[np.ndarray]]:
    pairs = [training_set(n, seed + k) for k, n in enumerate(sizes)]
    return [stack for stack, _ in pairs], [y for _, y in pairs]


def scaled(model: SVMCluster, stacks: list[np.ndarray]) -> list[np.ndarray]:
    return [stack / model.scales_[:, None, None] for stack in stacks]


@pytest.mark.parametrize(
    ("C", "nonnegative", "loss"),
    [
        (0.5, False, "pairs"),
        (0.5, True, "pairs"),
        (20.0, False, "pairs"),
        (20.0, True, "pairs"),
        (5.0, False, "balanced"),
    ],
)
def test_objective_is_that_of_one_programme(C: float, nonnegative: bool, loss: str) -> None:
    stacks, labels = training_sets([8, 10])
    labels = labels if loss == "pairs" else [np.arange(len(y)) // 2 for y in labels]  # few pairs are inside
    model = SVMCluster(C, nonnegative=nonnegative, loss=loss, tol=1e-4, max_iter=500).fit(stacks, labels)
    balanced = loss == "balanced"
    exact = twin.structural_svm(
        scaled(model, stacks), labels, C, nonnegative, relaxed=True, balanced=balanced
    )
    assert model.converged_ and 0.0 <= model.gap_ <= 1e-4
    assert model.objective_ == pytest.approx(exact.objective, rel=2e-4)
    assert model.objective_ == model.objective_path_.min()
    # The objective is 1-strongly convex.
    v = np.concatenate([[model.bias_], model.weights_ * model.scales_])
    assert np.sum(np.square(v - exact.v)) <= 2.0 * 2e-4 * model.objective_
    if nonnegative:
        assert (model.weights_ >= 0.0).all()
    else:
        assert C == 0.5 or (exact.v < -1e-3).any()  # the constraint makes a difference


def enumerating(k: int, objectives: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    labels, value = twin.best_partition(squareform(objectives))
    return squareform((labels[:, None] == labels).astype(float), checks=False), value


def pair_sets(stacks: list[np.ndarray], labels: list[np.ndarray], balanced: bool = False) -> list[PairSet]:
    sets = []
    for stack, y in zip(stacks, labels, strict=True):
        upper = np.triu_indices(len(y), 1)
        features = [np.ones(len(upper[0])), *(values[upper] for values in stack)]
        units = np.array([1.0] + [-1.0] * len(stack))
        sets.append(PairSet(features, units, y[upper[0]] == y[upper[1]], balanced))
    return sets


@pytest.mark.parametrize(("seed", "balanced"), [(0, False), (1, False), (2, True)])
def test_with_an_exact_oracle_it_is_the_programme_over_all_partitions(seed: int, balanced: bool) -> None:
    stacks, labels = training_sets([5, 6], seed)
    free = np.zeros(4, dtype=bool)
    found = learn(
        pair_sets(stacks, labels, balanced), enumerating, C=5.0, nonnegative=free, tol=1e-6, max_iter=300
    )
    exact = twin.structural_svm(stacks, labels, 5.0, balanced=balanced)
    assert found.converged
    assert found.objective == pytest.approx(exact.objective, rel=1e-5)
    assert found.bound <= exact.objective * (1.0 + 1e-6)
    assert found.v == pytest.approx(exact.v, abs=0.02)
    relaxed = twin.structural_svm(stacks, labels, 5.0, relaxed=True, balanced=balanced)
    assert relaxed.objective >= exact.objective * (1.0 - 1e-6)


@pytest.mark.parametrize("balanced", [False, True])
def test_loss_is_the_largest_over_all_partitions(balanced: bool) -> None:
    """Margin, share of wrong pairs and similarity, pair by pair, at some weights."""
    (stack,), (y,) = training_sets([6])
    y = np.array([0, 0, 1, 2, 3, 3]) if balanced else y
    (own,) = pair_sets([stack], [y], balanced)
    v = np.array([0.7, 0.3, -0.2, 0.1])
    s = v[0] - np.tensordot(v[1:], stack, axes=1)
    pairs = [(p, q) for p in range(6) for q in range(p + 1, 6)]
    most = -np.inf
    for labels in twin.every_partition(6):
        wrong = {(p, q): (labels[p] == labels[q]) != (y[p] == y[q]) for p, q in pairs}
        inside = [wrong[p, q] for p, q in pairs if y[p] == y[q]]
        between = [wrong[p, q] for p, q in pairs if y[p] != y[q]]
        share = (np.mean(inside) + np.mean(between)) / 2 if balanced else np.mean(list(wrong.values()))
        gain = (twin.partition_value(s, labels) - twin.partition_value(s, y)) / 15
        most = max(most, share + gain)
    assert own.similarity(v) == pytest.approx([s[p, q] for p, q in pairs])
    x, value = enumerating(0, own.objectives(v), 0.0)
    loss = own.loss(v, value)
    intercept, slope = own.plane(x)
    assert loss == pytest.approx(most) and intercept + slope @ v == pytest.approx(most)
    assert own.plane(own.together.astype(float)) == (0.0, pytest.approx(np.zeros(4)))


def test_the_relaxed_loss_is_above_that_of_partitions() -> None:
    stacks, labels = training_sets([7])
    (own,) = pair_sets(stacks, labels)
    rng = np.random.default_rng(0)
    for _ in range(10):
        objectives = own.objectives(rng.normal(size=4))
        x, bound = correlation_oracle("relaxation", 1)(0, objectives, 1e-4)
        _, best = enumerating(0, objectives, 0.0)
        assert bound >= best - 1e-9
        assert bound >= objectives @ x - 1e-9 and bound <= max(objectives @ x, best) + 1.001e-4
        y, value = correlation_oracle("greedy", 1)(0, objectives, 1e-4)
        assert set(np.unique(y)) <= {0.0, 1.0} and value == pytest.approx(objectives @ y)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(0, 30),
    d=st.integers(1, 6),
    K=st.integers(1, 4),
    signs=st.booleans(),
    copies=st.booleans(),
)
def test_planes_are_minimised(seed: int, m: int, d: int, K: int, signs: bool, copies: bool) -> None:
    import cvxpy as cp

    rng = np.random.default_rng(seed)
    slopes = np.vstack([np.zeros((K, d)), rng.normal(size=(m, d))])
    intercepts = np.concatenate([np.zeros(K), rng.uniform(size=m)])
    groups = np.concatenate([np.arange(K), rng.integers(0, K, size=m)])
    if copies:  # planes that depend on each other
        slopes, intercepts, groups = (np.concatenate([a, a]) for a in (slopes, intercepts, groups))
    costs = rng.uniform(0.1, 10.0, size=K)
    nonnegative = rng.uniform(size=d) < 0.5 if signs else np.zeros(d, dtype=bool)
    found = minimise_planes(slopes, intercepts, groups, costs, nonnegative)
    # No gap between value and bound: all conditions of optimality at once.
    assert found.gap <= 1e-7 and found.bound <= found.value + 1e-12
    assert (found.multipliers >= 0.0).all() and (found.v[nonnegative] >= 0.0).all()
    assert np.bincount(groups, weights=found.multipliers, minlength=K) == pytest.approx(costs)
    v = cp.Variable(d)
    heights = intercepts + slopes @ v
    objective = 0.5 * cp.sum_squares(v) + sum(costs[k] * cp.max(heights[groups == k]) for k in range(K))
    problem = cp.Problem(cp.Minimize(objective), [v[nonnegative] >= 0] if nonnegative.any() else [])
    problem.solve(solver=cp.CLARABEL)
    assert found.value == pytest.approx(problem.value, rel=1e-6, abs=1e-7)
    assert found.v == pytest.approx(v.value, abs=1e-2)


def test_no_plane_but_zero() -> None:
    found = minimise_planes(
        np.zeros((1, 3)), np.zeros(1), np.zeros(1, dtype=int), np.ones(1), np.zeros(3, bool)
    )
    assert found.v.tolist() == [0.0, 0.0, 0.0] and found.value == found.bound == 0.0


@pytest.mark.parametrize("method", ["relaxation", "greedy"])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_clusters_new_sets(method: str, nonnegative: bool) -> None:
    stacks, labels = training_sets([30, 30, 30])
    model = SVMCluster(method=method, nonnegative=nonnegative, random_state=0).fit(stacks, labels)
    assert model.weights_[0] > 3.0 * np.abs(model.weights_[1:]).max()
    assert model.converged_ and model.n_iter_ == len(model.objective_path_)
    stack, y = training_set(40, 99)
    found = model.predict(stack)
    right = (found[:, None] == found) == (y[:, None] == y)
    assert right.mean() > 0.9
    similarity = model.bias_ - model.pairwise(stack)
    direct = correlation_clustering(similarity, method=method, random_state=0)
    assert np.array_equal(found, direct.labels)


def test_scales_are_means_and_are_undone() -> None:
    stacks, labels = training_sets([12, 20])
    model = SVMCluster(tol=0.05).fit(stacks, labels)
    upper = [stack[:, *np.triu_indices(stack.shape[1], 1)] for stack in stacks]
    assert model.scales_ == pytest.approx(np.hstack(upper).mean(axis=1))
    factors = np.array([1.0, 1024.0, 1 / 1024.0])
    other = SVMCluster(tol=0.05).fit([stack * factors[:, None, None] for stack in stacks], labels)
    assert other.bias_ == pytest.approx(model.bias_, rel=0.1)
    assert other.objective_ == pytest.approx(model.objective_, rel=0.06)
    assert other.weights_ * factors == pytest.approx(model.weights_, abs=0.15 * np.abs(model.weights_).max())


def test_both_directions_are_averaged() -> None:
    stacks, labels = training_sets([15])
    bent = stacks[0] + np.triu(np.ones((15, 15)), 1)
    even = stacks[0] + 0.5 * (1.0 - np.eye(15))
    one, two = (SVMCluster(tol=0.05).fit([s], labels) for s in (bent, even))
    assert one.weights_ == pytest.approx(two.weights_, rel=1e-6)
    assert np.array_equal(one.predict(bent), two.predict(even))


def test_no_entry_of_the_diagonal_is_read() -> None:
    stacks, labels = training_sets([15])
    marked = stacks[0].copy()
    marked[:, np.arange(15), np.arange(15)] = 1000.0 * np.random.default_rng(0).uniform(size=(3, 15))
    (values, together), (others, same) = (_pairs(StackedDistances(s), labels[0]) for s in (stacks[0], marked))
    assert np.array_equal(values, others) and np.array_equal(together, same)
    one, two = (SVMCluster(tol=0.05).fit([s], labels) for s in (stacks[0], marked))
    assert np.array_equal(one.weights_, two.weights_)
    assert np.array_equal(one.predict(stacks[0]), two.predict(marked))


def test_stops_and_says_so() -> None:
    stacks, labels = training_sets([12])
    model = SVMCluster(max_iter=2, tol=1e-6).fit(stacks, labels)
    assert model.n_iter_ == 2 and not model.converged_ and model.gap_ > 1e-6


def test_sets_without_pairs_and_constant_distances() -> None:
    stacks, labels = training_sets([12])
    single = np.zeros((3, 1, 1))
    with_single = SVMCluster(tol=0.05).fit([single, *stacks], [np.zeros(1, dtype=int), *labels])
    alone = SVMCluster(tol=0.05).fit(stacks, labels)
    assert with_single.weights_ == pytest.approx(alone.weights_)
    nothing = SVMCluster().fit([single], [[0]])
    assert nothing.weights_.tolist() == [0.0] * 3 and nothing.bias_ == 0.0 and nothing.converged_
    assert nothing.objective_ == nothing.gap_ == 0.0
    constant = [stack.copy() for stack in stacks]
    constant[0][1] = 2.0
    constant[0][2] = 0.0
    model = SVMCluster(tol=0.05).fit(constant, labels)
    assert model.weights_[2] == 0.0 and model.scales_[2] == 1.0 and model.scales_[1] == 2.0


def test_one_cluster_and_all_alone_are_learned() -> None:
    stack, _ = training_set(10, 0)
    together = SVMCluster().fit([stack], [np.zeros(10, dtype=int)])
    assert together.predict(stack).max() == 0 and together.bias_ > 0.0
    alone = SVMCluster().fit([stack], [np.arange(10)])
    assert alone.predict(stack).max() == 9
