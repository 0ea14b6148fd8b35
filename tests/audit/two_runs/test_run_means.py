"""Pairs of two runs: which way they differ, and what a difference without spread says."""

import math

import numpy as np
import pytest

from cladebench.audit.two_runs.run_means import _judged


def side(values, seeds):
    n = len(values)
    return {
        "value": np.array(values, dtype=float),
        "seed": np.array(seeds, dtype=float),
        "repetition": np.arange(n, dtype=float),
        "n_rows": np.full(n, 10.0),
        "n_test": np.full(n, 10.0),
        "task": np.array([f"task {k}" for k in range(n)], dtype=object),
    }


def test_a_difference_is_b_less_a():
    a, b, difference, low, high, n, paired, _ = _judged(
        side([0.1, 0.2, 0.4], [1, 2, 3]), side([0.3, 0.5, 0.6], [1, 2, 3]), 10.0, official=False
    )
    assert (a, b, difference, n, paired) == (
        pytest.approx(0.7 / 3),
        pytest.approx(1.4 / 3),
        pytest.approx(0.7 / 3),
        3,
        True,
    )
    assert low < difference < high


@pytest.mark.parametrize(("seeds", "p"), [([1, 2, 3], 0.0), ([1, 2, 9], 0.25), ([7, 8, 9], 0.25)])
def test_without_spread_all_seeds_must_be_the_same_to_leave_no_doubt(seeds, p):
    found = _judged(side([0.1, 0.2, 0.4], [1, 2, 3]), side([0.2, 0.3, 0.5], seeds), 10.0, official=False)
    assert found[-1] == p


def test_repetitions_that_share_rows_leave_more_doubt():
    """Draws of half the rows: the mean of three has (1/3 + 1) times the variance of one, and not a third of it."""
    a, b = side([0.1, 0.2, 0.4], [1, 2, 3]), side([0.3, 0.5, 0.6], [1, 2, 3])
    apart, shared = (_judged(a, b, pool, official=False) for pool in (math.inf, 20.0))
    assert (shared[4] - shared[3]) / (apart[4] - apart[3]) == pytest.approx(2.0)
    assert shared[-1] > apart[-1]
