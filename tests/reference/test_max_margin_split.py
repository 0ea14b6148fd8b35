"""The twins of the max-margin split among themselves and by hand: they are what the core is held against."""

import cvxpy as cp
import numpy as np
import pytest

from cladebench.reference import max_margin_split as reference


def problem(
    seed: int, n: int = 8, d: int = 2, must: int = 2, cannot: int = 3, **settings: float
) -> reference.SplitProblem:
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(must + cannot)])
    return reference.make_problem(rng.normal(size=(n, d)), pairs[:must], pairs[must:], **settings)


def test_objective_by_hand() -> None:
    # Scores 2, -1, 0.25 at w = (1, 0). Must-link (0, 1): |2 - 1| - |2 + 1| = -2, hinge 3. Cannot-links (0, 1): 2,
    # hinge 0; (0, 2): |1.75| - |2.25| = -0.5, hinge 1.5. Point 3, score 0.2: hinge 1 - 0.4.
    X = [[2.0], [-1.0], [0.25], [0.2]]
    half = reference.make_problem(X, [[0, 1]], [[0, 2], [0, 1]], share=0.5)
    w = np.array([1.0, 0.0])
    assert reference.objective(half, w) == pytest.approx(0.005 + 3 + 0 + 0.6)
    whole = reference.make_problem(X, [[0, 1]], [[0, 2], [0, 1]], share=1.0, unconstrained=0.5)
    assert reference.objective(whole, w) == pytest.approx(0.005 + 3 + 0.75 + 0.3)
    labels = reference.choose_labels(half, w)
    assert labels.must.tolist() == [1] and labels.chosen.tolist() == [1] and labels.cannot.tolist() == [1]
    assert reference.balanced_objective(half, w, 0.5) == pytest.approx(0.005 + (0 + 0 + 0.5 + 1.4) / 4)


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_tangents(seed: int) -> None:
    it = problem(seed, must=5, cannot=7)
    rng = np.random.default_rng(seed)
    w = rng.normal(size=3)
    labels = reference.choose_labels(it, w)
    assert reference.fixed_objective(it, labels, w) == pytest.approx(reference.objective(it, w), rel=1e-12)
    for _ in range(20):
        other = rng.normal(size=3)
        assert reference.fixed_objective(it, labels, other) >= reference.objective(it, other) * (1 - 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_subgradient_is_the_slope_and_zero_at_the_minimum(seed: int) -> None:
    it = problem(seed, must=4, cannot=5)
    rng = np.random.default_rng(seed)
    w, direction = rng.normal(size=(2, 3))
    labels = reference.choose_labels(it, w)
    at = [reference.fixed_objective(it, labels, w + t * direction) for t in (1e-6, -1e-6)]
    slope = reference.fixed_subgradient(it, labels, w) @ direction
    assert (at[0] - at[1]) / 2e-6 == pytest.approx(slope, rel=1e-5, abs=1e-6)
    best, value = reference.solve_fixed(it, labels)
    assert reference.fixed_objective(it, labels, best) == pytest.approx(value, rel=1e-7)
    for _ in range(50):
        assert reference.fixed_objective(it, labels, best + 0.01 * rng.normal(size=3)) >= value * (1 - 1e-8)


def test_joint_projections_are_the_hinges() -> None:
    # (16) as the paper writes it, with slacks and one constraint for each violating labelling.
    it = problem(3, must=3, cannot=4, share=0.5)
    labels = reference.choose_labels(it, np.array([0.3, -1.0, 0.2]))
    w, s = cp.Variable(3), None
    s = it.X @ w
    eta_m, eta_c = cp.Variable(3, nonneg=True), cp.Variable(len(labels.cannot), nonneg=True)
    xi = cp.Variable(len(it.alone), nonneg=True)
    rules = [2 * y * s[i] >= 1 - xi[k] for k, (i, y) in enumerate(zip(it.alone, labels.alone, strict=True))]
    for k, ((i, j), z) in enumerate(zip(it.must, labels.must, strict=True)):
        rules += [z * s[i] + z * s[j] - (v * s[i] - v * s[j]) >= 1 - eta_m[k] for v in (1, -1)]
    for k, ((i, j), z) in enumerate(zip(it.cannot[labels.chosen], labels.cannot, strict=True)):
        rules += [z * s[i] - z * s[j] - (v * s[i] + v * s[j]) >= 1 - eta_c[k] for v in (1, -1)]
    cost = 0.005 * cp.sum_squares(w) + cp.sum(eta_m) / 3 + cp.sum(eta_c) / len(labels.cannot)
    if len(it.alone):
        cost = cost + cp.sum(xi) / len(it.alone)
    written = cp.Problem(cp.Minimize(cost), rules)
    written.solve(solver=cp.CLARABEL)
    assert reference.solve_fixed(it, labels)[1] == pytest.approx(written.value, rel=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_enumeration_is_below_the_rounds_and_a_grid(seed: int) -> None:
    it = problem(seed, n=6, d=1, must=1, cannot=2, share=0.5)
    w, value = reference.minimum(it)
    assert reference.objective(it, w) == pytest.approx(value, rel=1e-7)
    for angle in np.linspace(0, np.pi, 60):
        for size in np.geomspace(0.1, 14, 25):
            there = size * np.array([np.cos(angle), np.sin(angle)])
            assert reference.objective(it, there) >= value * (1 - 1e-7)
    found, trace = reference.concave_convex(it, np.array([1.0, 0.1]))
    assert trace == sorted(trace, reverse=True) and trace[-1] >= value * (1 - 1e-7)
    assert reference.objective(it, found) == pytest.approx(trace[-1])


def test_start_is_the_largest_eigenvector() -> None:
    it = problem(5, n=30, d=3, must=20, cannot=20)
    v = reference.start(it, 0.1)

    def ratio(u: np.ndarray) -> float:
        cannot, must = (
            np.square(np.diff((it.X[:, :3] @ u)[pairs], axis=1)).mean() for pairs in (it.cannot, it.must)
        )
        trace = np.square(it.X[it.must[:, 0], :3] - it.X[it.must[:, 1], :3]).sum(axis=1).mean()
        return float(cannot / (must + 0.1 * trace / 3 * (u @ u)))

    rng = np.random.default_rng(0)
    assert all(ratio(rng.normal(size=3)) <= ratio(v) for _ in range(300))


def test_balanced_minimum_by_hand() -> None:
    # Two points and one feature: w = (1/2, 0) has margins 1 at x = 1, -1 and norm 1/4; lambda is small.
    it = reference.make_problem([[1.0], [-1.0]], weight=0.01)
    w, value = reference.balanced_minimum(it, 0.5)
    np.testing.assert_allclose(np.abs(w), [0.5, 0.0], atol=1e-4)
    assert value == pytest.approx(0.005 * 0.25, rel=1e-4)
    assert reference.balanced_objective(it, w, 0.5) == pytest.approx(value, rel=1e-3)
