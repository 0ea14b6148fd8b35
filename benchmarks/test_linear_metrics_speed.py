"""Learned linear metrics: ITML's projections against products of matrices and NumPy, steps of boosting, DCA."""

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from cladebench import _core
from cladebench.distances import DCA, ITML, BoostMetric
from cladebench.reference import boost_metric as plain_boosting
from cladebench.reference import itml as plain_itml

#: The size of USPS in the paper hfd: training rows, features, classes, constraints.
N, D, K, L = 8_800, 256, 10, 30_000


def classes(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    return 0.5 * rng.normal(size=(K, d))[y] + rng.normal(size=(n, d)), y


def constraints(y: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """As many must-links as cannot-links."""
    pairs = np.random.default_rng(1).integers(len(y), size=(30 * n_pairs, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return pairs[same][: n_pairs // 2], pairs[~same][: n_pairs // 2]


def test_a_sweep_of_itml(ratios: Any, seconds: Callable[..., float]) -> None:
    X, y = classes(N, D)
    must, cannot = constraints(y, L)
    pairs = np.stack([must, cannot], axis=1).reshape(-1, 2)
    signs = np.tile([1.0, -1.0], L // 2)
    bounds = 1.5 * D, 3.0 * D
    widest, by_set = _core.instruction_set(), {}
    for name in _core.instruction_sets():
        _core.use_instruction_set(name)
        by_set[name] = seconds(lambda: _core.fit_itml(X, pairs, signs, *bounds, 1.0, 0.0, 2)) / 2
    _core.use_instruction_set(widest)
    V = (X[pairs[:, 0]] - X[pairs[:, 1]]).T.copy()
    A = np.eye(D)
    with threadpool_limits(1):
        # What no order of the work can do without: A v for each constraint, and half a rank-one update of A.
        product = 1.5 * seconds(lambda: A @ V)
    some = 300
    twin = seconds(
        lambda: plain_itml.fit_itml(X, pairs[:some], signs[:some], *bounds, 1.0, 0.0, 1), repeats=1
    )
    ratios.add(f"ITML, a sweep of {L:,} constraints, d = {D}", by_set[widest], unit="s")
    for name, taken in by_set.items():
        ratios.add(
            f"  {name}: over 1.5 NumPy products A V", taken / product, "<= 3" if name == widest else None
        )
    ratios.add("  plain projections in NumPy / ours", twin * L / some / by_set[widest], ">= 10")


def test_fits(ratios: Any, seconds: Callable[..., float]) -> None:
    X, y = classes(N, D)
    must, cannot = constraints(y, L)
    size = f"{N:,} x {D}"
    found: dict[str, Any] = {}
    for name, cls, params, given in (
        ("ITML, gamma = 0.1", ITML, {"gamma": 0.1}, {"must_link": must, "cannot_link": cannot}),
        ("DCA", DCA, {}, {"must_link": must, "cannot_link": cannot}),
        ("BoostMetric, 20 steps", BoostMetric, {"max_iter": 20}, {"y": y}),
    ):
        taken = seconds(
            lambda cls=cls, params=params, given=given: found.update(fit=cls(**params).fit(X, **given)), 1
        )
        steps = f", {found['fit'].n_iter_} iterations" if hasattr(found["fit"], "n_iter_") else ""
        ratios.add(f"{name}, {size}{steps}", taken, unit="s")


def test_boosting_against_its_twin(ratios: Any, seconds: Callable[..., float]) -> None:
    X, y = classes(400, 20)
    A, _ = plain_boosting.matrices(X, plain_boosting.triplets(X, y, 3, 3))
    ours = seconds(lambda: BoostMetric(max_iter=20).fit(X, y))
    theirs = seconds(lambda: plain_boosting.boost(A, 1e-7, 1e-5, 20), repeats=1)
    ratios.add("BoostMetric, 400 x 20, 20 steps: every matrix written out / ours", theirs / ours, ">= 2")
