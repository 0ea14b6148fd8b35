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
    a, b, difference, low, high, n, paired, *_ = _judged(
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


@pytest.mark.parametrize(("seeds", "p"), [([1, 2, 3], None), ([1, 2, 9], 0.25), ([7, 8, 9], 0.25)])
def test_without_spread_all_seeds_must_be_the_same_to_need_no_test(seeds, p):
    found = _judged(side([0.1, 0.2, 0.4], [1, 2, 3]), side([0.2, 0.3, 0.5], seeds), 10.0, official=False)
    assert found[-1] is (p is None)
    assert math.isnan(found[-2]) if p is None else found[-2] == p


@pytest.mark.parametrize(("seed", "task", "changed"), [(1, "a", True), (2, "a", False), (1, "b", False)])
def test_one_value_each_is_no_test(seed, task, changed):
    """With the same seed and task it changed; else nobody can tell why it differs."""
    left, right = side([0.1], [1]), side([0.2], [seed])
    left["task"], right["task"] = np.array(["a"], dtype=object), np.array([task], dtype=object)
    *_, n, paired, p, same = _judged(left, right, 10.0, official=False)
    assert (n, paired, same) == (1, task == "a", changed) and math.isnan(p)


def test_pairs_with_a_spread_are_tested_with_the_same_seeds_too():
    found = _judged(side([0.1, 0.2, 0.4], [1, 2, 3]), side([0.2, 0.3, 0.6], [1, 2, 3]), 10.0, official=False)
    assert 0 < found[-2] < 1 and found[-1] is False


def test_repetitions_that_share_rows_leave_more_doubt():
    """Draws of half the rows: the mean of three has (1/3 + 1) times the variance of one, and not a third of it."""
    a, b = side([0.1, 0.2, 0.4], [1, 2, 3]), side([0.3, 0.5, 0.6], [1, 2, 3])
    apart, shared = (_judged(a, b, pool, official=False) for pool in (math.inf, 20.0))
    assert (shared[4] - shared[3]) / (apart[4] - apart[3]) == pytest.approx(2.0)
    assert shared[-2] > apart[-2]
