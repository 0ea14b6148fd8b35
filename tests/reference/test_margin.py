"""The margin twins among themselves and by hand: they are what the fast path is held against."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize

from cladebench.reference import margin as reference


def test_loss_by_hand() -> None:
    # One row x = 2 of cluster 0; scores 1, 0, 2: hinges 1 - 1 + 0 = 0 and 1 - 1 + 2 = 2.
    loss, gradient = reference.squared_hinge([[2.0]], [0], [[0.5], [0.0], [1.0]])
    assert loss == pytest.approx(4.0 / 3.0)
    np.testing.assert_allclose(gradient, [[-8.0 / 3.0], [0.0], [8.0 / 3.0]])


def test_costs_by_hand() -> None:
    costs = reference.assignment_costs([[2.0]], [[0.5], [0.0], [1.0]])
    np.testing.assert_allclose(costs, [[0.0 + 4.0, 4.0 + 9.0, 0.0 + 0.0]])


def test_costs_of_the_labels_add_up_to_the_loss() -> None:
    rng = np.random.default_rng(0)
    X, W, labels = rng.normal(size=(20, 3)), rng.normal(size=(4, 3)), rng.integers(0, 4, 20)
    costs = reference.assignment_costs(X, W)
    loss, _ = reference.squared_hinge(X, labels, W)
    assert costs[np.arange(20), labels].sum() / (20 * 4) == pytest.approx(loss, rel=1e-12)


def test_prox_is_the_minimiser_that_a_solver_finds() -> None:
    rng = np.random.default_rng(1)
    W = rng.normal(size=(3, 6))
    group, l1, ridge = rng.uniform(0, 1.5, 6), rng.uniform(0, 0.6, 6), rng.uniform(0, 0.5, 6)
    Z = cp.Variable(W.shape)
    penalties = (
        group @ cp.norm(Z, 2, axis=0) + l1 @ cp.sum(cp.abs(Z), axis=0) + ridge @ cp.sum(cp.square(Z), axis=0)
    )
    cp.Problem(cp.Minimize(0.7 * penalties + 0.5 * cp.sum_squares(Z - W))).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11
    )
    found = reference.prox(W, 0.7, group=group, l1=l1, ridge=ridge)
    np.testing.assert_allclose(found, Z.value, atol=1e-6)
    assert (found == 0).any() and (found != 0).any()


def test_least_subgradient_is_the_slope_of_steepest_descent() -> None:
    # The least slope over directions of length 1 is minus the norm of the least subgradient.
    rng = np.random.default_rng(2)
    for W in (np.zeros((2, 1)), np.array([[0.7], [0.0]]), np.array([[0.7], [-0.2]])):
        gradient = rng.normal(size=W.shape)
        least = reference.least_subgradient(W, gradient, 0.3, 0.2)

        def slope(angle: float, W=W, gradient=gradient, t=1e-7) -> float:
            d = np.array([[np.cos(angle)], [np.sin(angle)]])
            change = reference.penalty(W + t * d, 0.3, 0.2, 0.0) - reference.penalty(W, 0.3, 0.2, 0.0)
            return float(np.sum(gradient * d)) + change / t

        steepest = min(slope(angle) for angle in np.linspace(0, 2 * np.pi, 1001))
        assert min(steepest, 0.0) == pytest.approx(-np.linalg.norm(least), abs=1e-4)


@pytest.mark.parametrize("weights", [{"group": 0.02}, {"l1": 0.02, "group": 0.01}, {"ridge": 0.1}])
def test_programme_and_accelerated_gradient_agree(weights: dict) -> None:
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(40, 4)), rng.integers(0, 3, 40)
    exact = reference.fit_margin(X, labels, 3, **weights)
    iterated = reference.fista(X, labels, 3, tol=1e-9, **weights)
    assert iterated.converged and iterated.residual == pytest.approx(
        reference.residual(X, labels, iterated.W, **weights), rel=1e-3
    )
    assert exact.objective == pytest.approx(iterated.objective, rel=1e-8)
    assert exact.objective == pytest.approx(reference.objective(X, labels, exact.W, **weights), rel=1e-12)


def test_programme_agrees_with_a_general_minimiser() -> None:
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(15, 2)), rng.integers(0, 2, 15)

    def value(w: np.ndarray) -> float:
        W = w.reshape(2, 2)
        return reference.squared_hinge(X, labels, W)[0] + 0.05 * float(np.square(W).sum())

    found = minimize(value, np.zeros(4), tol=1e-12)
    assert reference.fit_margin(X, labels, 2, ridge=0.05).objective == pytest.approx(found.fun, rel=1e-7)


@pytest.mark.parametrize(
    "weights", [{"group": 0.03}, {"group": 0.02, "l1": 0.01}, {"ridge": 0.1}, {"group": 0.01, "ridge": 0.05}]
)
def test_dual_bound_is_below_and_meets_the_optimum(weights: dict) -> None:
    rng = np.random.default_rng(5)
    X, labels = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    best = reference.fista(X, labels, 3, tol=1e-10, **weights)
    assert reference.dual_bound(X, labels, best.W, **weights) == pytest.approx(best.objective, rel=1e-8)
    for _ in range(20):
        anywhere = reference.dual_bound(X, labels, rng.normal(size=(3, 3)), **weights)
        assert anywhere <= best.objective * (1 + 1e-9)
