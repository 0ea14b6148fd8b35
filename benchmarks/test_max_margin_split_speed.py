"""The split of one node: an evaluation against its two products and the twin, and whole splits of nodes by size."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cladebench import _core
from cladebench.reference import max_margin_split as reference
from cladebench.solvers import max_margin_split as solver


def digits(n: int, d: int, n_pairs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten overlapping classes of standardised features, and as many must-links as cannot-links."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, n)
    X = 0.4 * rng.normal(size=(10, d))[y] + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / np.sqrt(d)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    pairs = rng.integers(0, n, size=(50 * n_pairs + 100, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return X, pairs[same][:n_pairs], pairs[~same][:n_pairs]


def twin_evaluation(problem: reference.SplitProblem, labels: reference.Labels, w: np.ndarray) -> np.ndarray:
    """Loss and gradient by NumPy: scores once, hinges on them, one product for the gradient."""
    s = problem.X @ w
    c = np.zeros(len(s))
    for pairs, z, other in (
        (problem.must, labels.must, 1),
        (problem.cannot[labels.chosen], labels.cannot, -1),
    ):
        u, v = z * s[pairs[:, 0]], other * z * s[pairs[:, 1]]
        first, active = u <= v, np.minimum(u, v) < 0.5
        np.add.at(c, pairs[first & active, 0], -2.0 / len(pairs) * z[first & active])
        np.add.at(c, pairs[~first & active, 1], -2.0 * other / len(pairs) * z[~first & active])
    alone, y = problem.alone, labels.alone
    c[alone] += np.where(2 * y * s[alone] < 1, -2.0 * problem.unconstrained / max(len(alone), 1) * y, 0.0)
    return problem.X.T @ c


def test_one_evaluation(ratios: Any, seconds: Callable[..., float]) -> None:
    X, must, cannot = digits(8_800, 85, 15_000)
    rng = np.random.default_rng(1)
    w, at = 0.05 * rng.normal(size=(2, 86))
    problem = _core.FixedSplit(X, must, cannot, solver.split_settings(), w)
    ours = seconds(lambda: problem.evaluate(at, 10), 5) / 10
    products = seconds(lambda: problem.multiply(at, 10), 5) / 10
    it = reference.make_problem(X, must, cannot)
    labels = reference.choose_labels(it, w)
    twin = seconds(lambda: twin_evaluation(it, labels, at))
    np.testing.assert_allclose(problem.evaluate(at)[1], twin_evaluation(it, labels, at), atol=1e-3)
    plain = seconds(lambda: reference.fixed_subgradient(it, labels, at), repeats=1)
    ratios.add("split, 8,800 x 85, 15,000 + 15,000 constraints: one evaluation", 1e3 * ours, unit="ms")
    ratios.add("  over its two products with the points", ours / products, "<= 3")
    ratios.add("  NumPy on scores / ours", twin / ours, ">= 10")
    ratios.add("  the plain twin, pair by pair / ours", plain / ours, ">= 10")


@pytest.mark.parametrize(("n", "n_pairs"), [(8_800, 15_000), (800, 800), (800, 0), (100, 0), (10, 0)])
def test_one_split(n: int, n_pairs: int, ratios: Any, seconds: Callable[..., float]) -> None:
    X, must, cannot = digits(n, 85, n_pairs)
    found: dict[str, solver.SplitFit] = {}

    def split(**settings: Any) -> None:
        found["fit"] = solver.max_margin_split(X, must, cannot, random_state=0, **settings)

    ours = seconds(split)
    fit = found["fit"]
    ratios.add(f"split of {n:,} x 85, {n_pairs:,} + {n_pairs:,} constraints", 1e3 * ours, unit="ms")
    ratios.add(f"  {fit.rounds} rounds, {fit.evaluations} evaluations, objective", fit.objective, unit="")
    theirs = seconds(lambda: split(subgradient=True), repeats=1)
    ratios.add("  by Algorithm 1", 1e3 * theirs, unit="ms")
    ratios.add("  its objective / ours", found["fit"].objective / fit.objective)
