"""Kendall's tau-b of printed and measured columns: p-value, interval, power."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cladebench.audit.kinds.ranking import concordance, judge_ranking
from cladebench.audit.verdict.verdict_types import NOT_TESTABLE, REPRODUCED, WITHIN_NOISE, Rules

COLUMN = st.lists(st.integers(0, 3), min_size=5, max_size=5)


@given(COLUMN, st.randoms())
@settings(max_examples=20)
def test_with_ties_p_is_the_share_of_all_orders_that_are_as_far_from_zero(printed, random):
    measured = random.sample(printed, len(printed))
    found = concordance(printed, measured)
    if len({*printed}) == 1:
        assert math.isnan(found.tau)
        return
    taus = [abs(stats.kendalltau(printed, order).statistic) for order in itertools.permutations(measured)]
    assert found.p_value == pytest.approx(np.mean(np.array(taus) >= abs(found.tau) - 1e-9))


@pytest.mark.parametrize("swapped", [False, True])
def test_ties_in_one_column_are_enough(swapped):
    columns = [1, 2, 3, 4, 5], [1, 1, 2, 4, 3]
    printed, measured = columns[::-1] if swapped else columns
    taus = [abs(stats.kendalltau(printed, order).statistic) for order in itertools.permutations(measured)]
    found = concordance(printed, measured)
    assert found.p_value == pytest.approx(np.mean(np.array(taus) >= abs(found.tau) - 1e-9))
    assert found.p_value != stats.kendalltau(printed, measured).pvalue


def test_without_ties_and_of_more_than_8_methods_p_is_scipys():
    plain = [3, 1, 2, 5, 4, 6], [1, 2, 3, 4, 6, 5]
    eight, nine = ([[*range(n), 0], [*range(n), 4]] for n in (7, 8))
    for printed, measured in (plain, nine):
        assert concordance(printed, measured).p_value == stats.kendalltau(printed, measured).pvalue
    assert concordance(*eight).p_value != stats.kendalltau(*eight).pvalue


@pytest.mark.parametrize("sign", [1, -1])
def test_columns_that_agree_in_all_pairs_leave_an_interval(sign):
    found = concordance(range(6), [sign * value for value in range(6)])
    ends = sorted((sign * found.low, sign * found.high))
    assert found.tau == pytest.approx(sign) and 0.3 < ends[0] < 0.9 and ends[1] < 1


def test_power_is_stated_at_the_level_of_the_family():
    # 0.437 / (n - 4) of n = 6, and the normal quantiles of 5% and 80%.
    found = concordance([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5])
    alone, of_four = (judge_ranking(found, 0.2, Rules(), tests=tests) for tests in (1, 4))
    assert alone.detectable == pytest.approx(math.tanh((1.9600 + 0.8416) * math.sqrt(0.437 / 2)), abs=1e-4)
    assert of_four.detectable == pytest.approx(math.tanh((2.4977 + 0.8416) * math.sqrt(0.437 / 2)), abs=1e-4)
    assert of_four.verdict == WITHIN_NOISE and "a tau of 0.92 would show" in of_four.reason


def test_five_methods_are_not_testable_where_the_best_p_value_of_an_order_would_not_survive_correction():
    # 2 of 120 orders agree or disagree in all pairs: 0.05 over three columns, 0.067 over four.
    found = concordance([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    of_three, of_four = (judge_ranking(found, tests / 60, Rules(), tests=tests) for tests in (3, 4))
    assert (of_three.verdict, of_four.verdict) == (REPRODUCED, NOT_TESTABLE)
    assert of_four.reason == "over 4 columns no order of 5 methods could differ from chance"


def test_four_methods_are_not_testable():
    assert judge_ranking(concordance([1, 2, 3, 4], [1, 2, 3, 4]), 1.0, Rules()).verdict == NOT_TESTABLE


def test_equal_methods_have_no_order():
    found = judge_ranking(concordance([1, 2, 3, 4, 5], [2, 2, 2, 2, 2]), 1.0, Rules(), missing=["F"])
    assert (found.verdict, found.n) == (NOT_TESTABLE, 5)
    assert found.reason == "all 5 methods are equal; left out: F"
