import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cladebench.bench.statistics.intervals import Interval, mean_interval, spread_of
from cladebench.bench.statistics.paired_tests import (
    Difference,
    friedman,
    holm,
    middle_of_pairs,
    one_sample,
    sign_flip,
    signed_rank,
    tarone_holm,
)


def test_the_interval_of_a_mean_is_the_t_interval():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    ours = mean_interval(values)
    low, high = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert (ours.low, ours.high) == (pytest.approx(low), pytest.approx(high))


def test_equal_values_have_no_spread_and_one_random_value_says_nothing():
    same, one = np.array([0.1] * 7), np.array([0.1])
    assert spread_of(same) == 0.0  # the plain formula gives 1e-17
    assert math.isnan(spread_of(one))
    assert mean_interval(same, overlap=0.5) == Interval(0.1, 0.1, 0.1, 7, 0.0, 1 / 7)
    assert mean_interval(one, point=True) == Interval(0.1, 0.1, 0.1, 1, 0.0, 1.0)
    random = mean_interval(one)
    assert (random.mean, random.low, random.high, random.n) == (0.1, -math.inf, math.inf, 1)
    assert math.isnan(random.sd)
    # Known values that differ, as of the folds of a deterministic method, are known in their mean.
    assert mean_interval(np.array([0.1, 0.3]), point=True) == Interval(0.2, 0.2, 0.2, 2, 0.0, 0.5)


def test_what_rounding_explains_is_no_evidence():
    gap = Difference(-0.012, 0.004, 4.0)
    assert gap.beyond(0.012).p_value() == 1.0
    assert gap.beyond(0.005).p_value() == pytest.approx(2 * stats.t.sf(0.007 / 0.004, 4))
    assert Difference(0.004, 0.0, math.inf).beyond(0.005).p_value() == 1.0
    assert Difference(0.006, 0.0, math.inf).beyond(0.005).p_value() == 0.0


@pytest.mark.parametrize("n", [4, 5, 10, 30])
@pytest.mark.parametrize(("alpha", "off"), [(0.05, 0.035), (0.05 / 6, 0.1)])
def test_the_detectable_difference_is_found_with_about_the_stated_power(n, alpha, off):
    gap = Difference(0.0, 1.0 / math.sqrt(n), n - 1.0)
    noncentrality = gap.detectable(alpha) / gap.se
    critical = stats.t.ppf(1 - alpha / 2, n - 1)
    power = stats.nct.sf(critical, n - 1, noncentrality)  # the other tail is nothing
    assert power == pytest.approx(0.8, abs=off)


def test_the_paired_test_is_scipys():
    d = np.array([0.1, 0.3, -0.05, 0.2, 0.15])
    assert one_sample(d).p_value() == pytest.approx(stats.ttest_1samp(d, 0).pvalue)


@given(st.lists(st.floats(-1, 1, allow_nan=False), min_size=1, max_size=8))
def test_the_sign_flip_test_is_scipys_permutation_test(values):
    d = np.round(np.array(values), 3)
    expected = (
        stats.permutation_test(
            (d,),
            lambda x, axis: np.abs(np.round(x.sum(axis=axis), 9)),
            permutation_type="samples",
            alternative="greater",
        )
        if d.size > 1
        else None
    )
    found = sign_flip(d)
    assert found >= 2.0 ** (1 - d.size) - 1e-15
    if expected is not None:
        assert found == pytest.approx(expected.pvalue)


def test_five_pairs_cannot_reach_five_percent_by_the_exact_test():
    assert sign_flip(np.full(5, 1.0)) == 1 / 16


def test_the_exact_test_is_of_at_most_sixteen_pairs():
    assert sign_flip(np.ones(16)) == 2 / 2**16
    assert sign_flip(np.ones(17)) is None


def test_holm_on_a_textbook_family():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.7, 0.9]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_between_the_raw_and_bonferronis_and_keeps_the_order(p_values):
    adjusted = holm(p_values)
    for p, q in zip(p_values, adjusted, strict=True):
        assert p <= q <= min(1.0, len(p_values) * p)
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(np.array(adjusted)[order]) >= 0).all()
    # Rejecting at alpha is the step-down procedure itself.
    for alpha in (0.01, 0.05, 0.3):
        rejected = set()
        for rank, i in enumerate(order):
            if p_values[i] * (len(p_values) - rank) > alpha:
                break
            rejected.add(int(i))
        assert {i for i, q in enumerate(adjusted) if q <= alpha} == rejected


def by_enumeration(differences):
    """Two-sided p-value of the signed-rank test from all patterns of signs."""
    moved = differences[differences != 0]
    ranks = stats.rankdata(np.abs(moved))
    found = ranks[moved > 0].sum()
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=moved.size)])
    return min(1.0, 2 * min((sums >= found).mean(), (sums <= found).mean()))


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_signed_rank_test_counts_all_patterns_of_signs_ties_included(values):
    d = np.array(values, dtype=float)
    assert signed_rank(d) == pytest.approx(by_enumeration(d))
    assert signed_rank(-d) == pytest.approx(signed_rank(d))


@pytest.mark.parametrize("n", [10, 20, 45])
def test_the_signed_rank_test_without_ties_is_scipys(n):
    d = np.random.default_rng(n).normal(0.3, 1, size=n)
    assert signed_rank(d) == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)


def test_differences_of_nothing_are_no_evidence():
    assert signed_rank(np.zeros(12)) == 1.0
    assert signed_rank(np.array([])) == 1.0


@given(
    st.lists(st.integers(-1000, 1000), min_size=6, max_size=14, unique_by=abs).filter(lambda d: 0 not in d),
    st.sampled_from([0.8, 0.9, 0.95]),
)
def test_the_interval_of_the_middle_leaves_out_zero_where_the_signed_rank_test_does(values, level):
    d = np.array(values, dtype=float)
    value, low, high = middle_of_pairs(d, level)
    assert low <= value <= high
    assert (low > 0 or high < 0) == (signed_rank(d) <= 1 - level + 1e-12)
    assert middle_of_pairs(-d, level) == pytest.approx((-value, -high, -low))
    assert middle_of_pairs(d + 7, level) == pytest.approx((value + 7, low + 7, high + 7))


def test_five_values_have_no_interval_of_95_percent():
    assert middle_of_pairs(np.arange(5.0))[1:] == (-math.inf, math.inf)
    assert middle_of_pairs(np.arange(6.0))[1:] == (0.0, 5.0)


def test_adjusted_p_values_are_holms_where_every_test_can_reach_the_level():
    p = [0.01, 0.04, 0.03, 0.005]
    assert tarone_holm(p, [0.0] * 4, 0.05) == pytest.approx(holm(p))
    assert tarone_holm([], [], 0.05) == []
    assert tarone_holm([*p, 0.25], [0.0] * 4 + [0.25], 0.05) == pytest.approx([*holm(p), 1.0])
    # Of two tests with a least p of 0.03, one alone could be found: a family of two allows neither.
    assert tarone_holm([0.03, 0.03], [0.03, 0.03], 0.05) == [1.0, 1.0]
    assert tarone_holm([0.03], [0.03], 0.05) == [0.03]
    # A least p that equals the level of its family is enough, and counts in the size of the family.
    assert tarone_holm([0.025, 0.025], [0.025, 0.025], 0.05) == [0.05, 0.05]
    assert tarone_holm([0.025, 0.025, 0.01], [0.025, 0.025, 0.01], 0.05) == [1.0, 1.0, 0.01]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.002, 0.02, 0.06])), max_size=12))
def test_adjusted_p_values_are_never_below_those_of_the_tests_that_count(found):
    p, least = [max(pair) for pair in found], [pair[1] for pair in found]
    for one, q in zip(p, tarone_holm(p, least, 0.05), strict=True):
        assert one <= q <= 1


@given(
    st.lists(
        st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(lambda row: len({*row}) > 1),
        min_size=10,
        max_size=14,
    )
)
def test_friedmans_test_in_the_form_of_iman_and_davenport_is_from_scipys(rows):
    table = np.array(rows, dtype=float)
    n, k = table.shape
    chi = stats.friedmanchisquare(*table.T).statistic
    found = friedman(stats.rankdata(table, axis=1))
    if chi >= n * (k - 1) - 1e-6:
        assert (found.statistic, found.p) == (math.inf, pytest.approx(stats.chi2.sf(n * (k - 1), k - 1)))
    else:
        expected = (n - 1) * chi / (n * (k - 1) - chi)
        assert found.statistic == pytest.approx(expected)
        assert found.p == pytest.approx(stats.f.sf(expected, k - 1, (k - 1) * (n - 1)), abs=1e-12)


def test_where_nothing_ranks_friedmans_statistic_is_0():
    found = friedman(np.full((10, 3), 2.0))
    assert (found.statistic, found.p) == (0.0, 1.0)
