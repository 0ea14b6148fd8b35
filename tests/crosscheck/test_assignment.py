"""The cross-check of the balanced assignment fails when the kernel is wrong, and takes its times."""

import numpy as np
import pytest

from cladebench.crosscheck import assignment as module
from cladebench.reference.assignment import dual_value
from cladebench.solvers.assignment_flow import assignment_value
from solver_checks import failing, spoil

pytestmark = pytest.mark.usefixtures("iris_alone")


def test_a_dearer_assignment_fails(monkeypatch):
    def turned(found):
        labels, prices = found
        return (labels + 1) % len(prices), prices

    spoil(monkeypatch, module, "balanced_assignment", turned)
    assert failing(module) == {"dual-bound", "ilp-CBC", "ilp-HiGHS"}


def test_sizes_out_of_bounds_fail(monkeypatch):
    spoil(monkeypatch, module, "balanced_assignment", lambda found: (0 * found[0], 0 * found[1]))
    assert "sizes" in failing(module)


def test_other_prices_fail(monkeypatch):
    def shifted(found):
        labels, prices = found
        return labels, prices + 10.0 * np.arange(1, len(prices) + 1)

    spoil(monkeypatch, module, "balanced_assignment", shifted)
    assert failing(module) == {"dual-bound"}


def test_times_are_taken_in_full_scope(monkeypatch):
    monkeypatch.setattr(module, "TIMED", ((200, 3),))
    monkeypatch.setitem(module.SIZES, "full", (10, (2,)))
    timed = [c for c in module.certificates("full", 0) if c.name.startswith("time-")]
    assert {"time-ilp"} <= {c.name for c in timed} <= {"time-ilp", "time-flow"}
    assert all(c.passed and c.seconds_fast > 0 and c.seconds_reference > 0 for c in timed)
    assert all("times the kernel's time" in c.note for c in timed)


def test_bounds_are_the_paper_s():
    assert module.bounds(30_000, 2) == (13_500, 16_500)
    assert module.bounds(7, 3) == (2, 3)
    assert all(
        low <= n / k <= high for n in range(2, 60) for k in (2, 3, 5) for low, high in [module.bounds(n, k)]
    )


def test_margin_costs_are_sums_of_squared_hinges():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 4))
    cost = module.margin_costs(X, 3, np.random.default_rng(1))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    W = Z[np.random.default_rng(1).choice(9, size=3, replace=False)]
    W = W / np.linalg.norm(W, axis=1)[:, None]
    for i in range(9):
        for k in range(3):
            hinges = [max(0.0, 1 - W[k] @ Z[i] + W[j] @ Z[i]) ** 2 for j in range(3) if j != k]
            assert cost[i, k] == pytest.approx(sum(hinges), abs=1e-12)


def test_bound_never_passes_the_value():
    for _, cost in module._instances(40, 4, seed=3):
        labels = np.arange(40) % 4
        for price in (-1.0, 0.0, 2.0):
            assert dual_value(cost, price * np.arange(4), 10, 10) <= assignment_value(cost, labels) + 1e-9
