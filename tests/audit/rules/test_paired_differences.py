"""Orders, equality within a margin, bounds and what happens once: which verdict, and with what beside it."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from cladebench.audit.rules.paired_differences import (
    compare,
    hardest,
    judge_bound,
    judge_once,
    judge_order,
    judge_same,
)
from cladebench.audit.verdict.verdict_types import (
    ANALOGUE_FAILS,
    ANALOGUE_HOLDS,
    ANALOGUE_UNDECIDED,
    CONTRADICTED,
    DIRECTION_ONLY,
    INCONSISTENT,
    NOT_TESTABLE,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
)
from rule_samples import RULES, interval, samples


def order(left, right, sign=1.0, family=1, **how):
    comparison = compare(np.asarray(left, dtype=float), np.asarray(right, dtype=float), sign=sign, **how)
    return judge_order(comparison, min(1.0, family * comparison.gap.p_value()), RULES, tests=family)


@given(samples, samples)
def test_an_order_and_its_opposite_are_never_both_supported(a, b):
    n = min(a.size, b.size)
    one, other = order(a[:n], b[:n]), order(b[:n], a[:n])
    assert {one.stance, other.stance} != {"supports"}
    assert (one.verdict == REPRODUCED) == (other.verdict == CONTRADICTED)
    assert order(a[:n], b[:n], sign=-1.0).verdict == other.verdict


def test_an_interval_that_just_fits_into_the_tie_is_equal():
    left, right = np.array([0.60, 0.64, 0.63, 0.59, 0.66]), np.array([0.61, 0.63, 0.64, 0.58, 0.65])
    for one, other in ((left, right), (right, left)):
        gap = compare(one, other, sign=1.0).gap
        end = max(abs(gap.value - gap.half_width()), abs(gap.value + gap.half_width()))
        assert "equal to within" in order(one, other, tie=end).reason
        assert "equal to within" not in order(one, other, tie=end * (1 - 1e-9)).reason


def test_the_family_makes_an_order_harder():
    left, right = [0.60, 0.64, 0.63, 0.59, 0.66], [0.58, 0.60, 0.62, 0.58, 0.60]
    assert order(left, right).verdict == REPRODUCED
    assert order(left, right, family=6).verdict == DIRECTION_ONLY


def test_a_p_value_of_just_five_percent_is_enough():
    comparison = compare(np.array([0.6, 0.7, 0.8]), np.array([0.5, 0.55, 0.6]), sign=1.0)
    assert judge_order(comparison, 0.05, RULES, tests=1).verdict == REPRODUCED
    assert judge_order(comparison, 0.0501, RULES, tests=1).verdict != REPRODUCED


def test_what_could_have_been_detected_is_stated_for_the_corrected_test():
    """A difference of that size is significant, and the claim is not, after correction, let through on less."""
    left, right = np.array([0.9, 0.7, 0.8, 0.9, 0.7]), np.array([0.7, 0.7, 0.7, 0.8, 0.6])
    alone, corrected = order(left, right), order(left, right, family=6)
    assert alone.verdict == REPRODUCED
    se = (left - right).std(ddof=1) / math.sqrt(5)
    assert corrected.detectable == pytest.approx((stats.t.ppf(1 - 0.05 / 12, 4) + stats.t.ppf(0.8, 4)) * se)
    assert order(left + corrected.detectable - 0.1, right, family=6).verdict == REPRODUCED
    assert order(left + alone.detectable - 0.1, right, family=6).verdict != REPRODUCED


def test_no_worse_allows_the_margin():
    left, right = np.array([0.47, 0.48, 0.46, 0.47]), np.array([0.50, 0.50, 0.49, 0.51])
    assert order(left, right).verdict == CONTRADICTED
    assert order(left, right, margin=0.05).verdict == REPRODUCED
    assert order(left, right, margin=0.05).difference == pytest.approx(-0.03)


def test_behind_by_less_than_the_margin_is_not_called_ahead():
    left, right = np.array([0.47, 0.52, 0.40, 0.51]), np.array([0.50, 0.50, 0.49, 0.51])
    said = "behind by less than the margin, but not significantly less, adjusted"
    for one, other, sign in ((left, right, 1.0), (right, left, -1.0)):
        found = order(one, other, margin=0.05, sign=sign)
        assert found.verdict == DIRECTION_ONLY and said in found.reason
        ahead = order(other, one, margin=0.05, sign=sign)
        assert ahead.verdict != DIRECTION_ONLY or "on the claimed side, adjusted" in ahead.reason
    assert "on the claimed side, adjusted" in order(right - 0.01, left, margin=0.01).reason


@pytest.mark.parametrize(
    ("left", "right", "how", "verdict", "reason"),
    [
        ([0.9, 0.8, 0.85], [0.5, 0.41, 0.44], {}, REPRODUCED, "holds, paired t, adjusted p = 0.00021"),
        (
            [0.5, 0.41, 0.44],
            [0.9, 0.8, 0.85],
            {},
            CONTRADICTED,
            "the opposite, paired t, adjusted p = 0.00021",
        ),
        (
            [0.5, 0.51, 0.53],
            [0.5, 0.5, 0.5],
            {},
            DIRECTION_ONLY,
            "on the claimed side, adjusted p = 0.27; 3 pairs would show a difference of 0.04730",
        ),
        (
            [0.5, 0.5, 0.5],
            [0.5, 0.51, 0.53],
            {},
            WITHIN_NOISE,
            "no difference shown, adjusted p = 0.27; 3 pairs would show a difference of 0.04730",
        ),
        ([0.5, 0.51, 0.5], [0.5, 0.5, 0.51], {"tie": 0.1}, WITHIN_NOISE, "equal to within 0.1000"),
    ],
)
def test_a_verdict_on_an_order_comes_with_all_that_it_rests_on(left, right, how, verdict, reason):
    found = order(left, right, **how, label="A, B")
    apart = np.subtract(left, right)
    low, high = interval(apart)
    assert (found.verdict, found.reason, found.n) == (verdict, f"A, B: {reason}", 3)
    assert [found.measured, found.difference, found.low, found.high] == pytest.approx(
        [apart.mean(), apart.mean(), low, high]
    )
    assert found.detectable == pytest.approx((stats.t.ppf(0.975, 2) + stats.t.ppf(0.8, 2)) * stats.sem(apart))
    p_value = stats.ttest_1samp(apart, 0).pvalue
    assert [found.p_value, found.p_adjusted] == pytest.approx([p_value, p_value])
    flips = np.abs(np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T @ apart)
    assert found.p_exact == (flips >= abs(apart.sum()) - 1e-9).mean()
    mirrored = order(right, left, sign=-1.0, **how, label="A, B")
    assert (mirrored.verdict, mirrored.reason) == (found.verdict, found.reason)
    assert [mirrored.measured, mirrored.low, mirrored.high] == pytest.approx([-apart.mean(), -high, -low])


@pytest.mark.parametrize(
    ("left", "how", "verdict", "reason"),
    [
        (0.75, {}, REPRODUCED, "holds; nothing varies between repetitions"),
        (0.25, {}, CONTRADICTED, "the opposite; nothing varies between repetitions"),
        (0.5, {}, WITHIN_NOISE, "equal"),
        (0.25, {"tie": 0.25}, WITHIN_NOISE, "equal"),
        (0.5, {"or_equal": True}, REPRODUCED, "holds; nothing varies between repetitions"),
    ],
)
def test_a_known_order_comes_with_its_difference_alone(left, how, verdict, reason):
    gap = left - 0.5
    assert order([left], [0.5], point=True, label="A, B", **how) == Outcome(
        verdict, f"A, B: {reason}", gap, gap, gap, 1, gap, 0.0
    )


def test_what_admits_equality_holds_when_equal():
    assert order([0.63], [0.63], point=True, or_equal=True).verdict == REPRODUCED
    assert order([0.63] * 3, [0.63] * 3, or_equal=True).on_stand_in().verdict == ANALOGUE_HOLDS
    assert order([0.63], [0.64], point=True, or_equal=True).verdict == CONTRADICTED


def test_a_difference_is_small_or_large_against_the_mean_size_of_both_sides():
    assert compare([2.0, 2.0], [-4.0, 4.0], sign=1.0).scale == 3.0
    assert compare([2.0], [4.0], sign=1.0, scale=7.0).scale == 7.0


def test_the_rounding_of_sums_is_no_difference():
    cost = np.array([6.5e5, 6.6e5, 6.7e5])
    assert order(cost * (1 + 1e-13), cost).verdict == WITHIN_NOISE
    assert judge_bound(cost * (1 + 1e-13), cost, sign=-1.0, label="").verdict == REPRODUCED


@pytest.mark.parametrize(("sign", "left"), [(-1.0, [3.0, 6.0, 4.5]), (1.0, [3.0, 2.0, 3.5])])
def test_one_violation_breaks_a_bound(sign, left):
    bound = np.array([3.0, 4.0, 4.0])
    assert judge_bound(np.array(left), bound, sign=sign, label="A") == Outcome(
        CONTRADICTED,
        "A: violated in 2 of 3, by up to 2",
        measured=-sign * 2.0,
        n=3,
        difference=-sign * 2.0,
    )
    kept = judge_bound(bound - sign * np.array([0.0, -0.5, -1.0]), bound, sign=sign, label="A")
    assert kept == Outcome(
        REPRODUCED,
        "A: holds in all 3, which cannot exclude that up to 63% of further repetitions violate it",
        measured=0.0,
        n=3,
        difference=0.0,
    )


def test_a_bound_that_was_tried_once_is_not_shown():
    once = {"sign": -1.0, "label": ""}
    assert judge_bound(np.array([3.0]), np.array([4.0]), **once).verdict == NOT_TESTABLE
    assert judge_bound(np.array([3.0]), np.array([4.0]), **once, point=True).verdict == REPRODUCED
    assert judge_bound(np.array([5.0]), np.array([4.0]), **once).verdict == CONTRADICTED


@pytest.mark.parametrize(("sign", "left"), [(1.0, [3.0, 6.0, 4.0]), (-1.0, [3.0, 2.0, 4.0])])
def test_one_repetition_shows_what_is_said_of_one(sign, left):
    other = np.array([3.0, 4.0, 4.0])
    assert judge_once(np.array(left), other, sign=sign, label="A") == Outcome(
        REPRODUCED, "A: in 1 of 3", measured=sign * 2.0, n=3, difference=sign * 2.0
    )
    none = judge_once(other - sign * np.array([0.0, 0.5, 1.0]), other, sign=sign, label="A")
    assert (none.verdict, none.difference) == (WITHIN_NOISE, 0.0)
    assert none.reason == (
        "A: in 0 of 3, which cannot exclude that it is in up to 63% of further repetitions"
    )


def test_what_never_happens_where_nothing_varies_is_contradicted():
    one = (np.array([0.0]), np.array([0.0]))
    assert judge_once(*one, sign=1.0, label="", point=True).verdict == CONTRADICTED
    assert judge_once(*one, sign=1.0, label="").verdict == WITHIN_NOISE
    assert judge_once(np.array([1e-12 + 1.0]), np.array([1.0]), sign=1.0, label="").verdict == WITHIN_NOISE


def test_stand_in_data_turn_verdicts_into_analogues():
    assert order([0.64], [0.63], point=True).on_stand_in().verdict == ANALOGUE_HOLDS
    assert order([0.62], [0.63], point=True).on_stand_in().verdict == ANALOGUE_FAILS
    assert order([0.63], [0.63], point=True).on_stand_in().verdict == ANALOGUE_UNDECIDED
    assert order([0.63], [0.62]).on_stand_in().verdict == NOT_TESTABLE
    assert Outcome(INCONSISTENT, "x").on_stand_in().verdict == INCONSISTENT


@given(samples, samples, st.floats(0.01, 1))
def test_about_the_same_is_scipys_two_one_sided_tests(a, b, margin):
    n = min(a.size, b.size)
    apart = a[:n] - b[:n]
    assume(np.ptp(apart) > 1e-6)
    found = judge_same(compare(a[:n], b[:n], sign=1.0), margin, RULES)
    agree = max(stats.ttest_1samp(side * apart, -margin, alternative="greater").pvalue for side in (-1, 1))
    beyond = max(0.0, abs(apart.mean()) - margin) / stats.sem(apart)
    differ = 2 * stats.t.sf(beyond, n - 1)
    assume(min(abs(agree - 0.05), abs(differ - 0.05)) > 1e-6)
    expected = REPRODUCED if agree <= 0.05 else CONTRADICTED if differ <= 0.05 else WITHIN_NOISE
    assert (found.verdict, found.n) == (expected, n)


def test_about_the_same_of_numbers_known_exactly():
    def same(left, right, margin, **how):
        return judge_same(
            compare(np.array(left), np.array(right), sign=1.0, label="A, B", **how), margin, RULES
        )

    assert same([0.63], [0.62], 0.01, point=True).verdict == REPRODUCED
    apart = same([0.63], [0.61], 0.01, point=True)
    assert (apart.verdict, apart.reason) == (
        CONTRADICTED,
        "A, B: more than 0.01000 apart; nothing varies between repetitions",
    )
    assert same([0.63], [0.61], 0.01).verdict == NOT_TESTABLE


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("margin", [0.05, -0.05])
def test_a_difference_is_stated_without_the_margin_on_either_side(sign, margin):
    left, right = np.array([0.47, 0.48, 0.46, 0.47]), np.array([0.50, 0.50, 0.49, 0.51])
    found = order(left, right, sign=sign, margin=margin)
    low, high = interval(left - right)
    assert [found.measured, found.difference] == pytest.approx([-0.03, -0.03])
    assert [found.low, found.high] == pytest.approx([low, high])
    apart = sign * (left - right) + margin
    assert found.p_value == pytest.approx(stats.ttest_1samp(apart, 0).pvalue)


@pytest.mark.parametrize("turned", [1, -1])
def test_of_several_the_clearest_that_is_ahead_decides_or_the_hardest_to_tell(turned):
    """Each p-value counts, not the gap: the larger ones here are the less certain."""
    left = np.array([0.50, 0.52, 0.51, 0.49])
    far, near = np.array([0.1, 0.9, 0.2, 0.6]), np.array([0.05, 0.06, 0.05, 0.06])
    ahead, clearly, behind, hardly = left + far, left + near, left - near, left - far
    for rivals, decides in (
        ((ahead, clearly, behind), clearly),
        ((hardly, clearly, ahead), clearly),
        ((behind, ahead, hardly), ahead),
        ((behind, hardly), hardly),
        ((hardly, behind, left - 0.2 + 1e-3 * np.arange(4)), hardly),
    ):
        listed = rivals[::turned]
        found = hardest([compare(left, rival, sign=1.0) for rival in listed])
        assert listed[found] is decides


@pytest.mark.parametrize("kind", [np.uint8, bool])
def test_counts_and_yes_or_no_are_compared_as_numbers(kind):
    """Differences of unsigned numbers would not be below 0, and those of truth values not be at all."""
    less, more = np.array([0, 0, 1, 0], dtype=kind), np.array([1, 1, 1, 1], dtype=kind)
    assert compare(less, more, sign=1.0).gap.value == -0.75
    assert order(less, more).difference == -0.75
    found = judge_bound(less, more, sign=1.0, label="A, B")
    assert (found.verdict, found.measured) == (CONTRADICTED, -1.0)
    assert judge_bound(more, less, sign=1.0, label="A, B").verdict == REPRODUCED


def test_what_one_pair_gives_is_shown_beside_its_verdict():
    label = {"label": "A against B"}
    assert order([0.75], [0.5], **label) == Outcome(
        NOT_TESTABLE,
        "A against B: n too small: a single pair gives no test",
        measured=0.25,
        n=1,
        difference=0.25,
    )
    assert judge_bound(np.array([0.5]), np.array([0.75]), sign=-1.0, **label) == Outcome(
        NOT_TESTABLE,
        "A against B: n too small: it holds in a single repetition",
        measured=-0.25,
        n=1,
        difference=-0.25,
    )
