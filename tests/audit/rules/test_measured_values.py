"""Printed values and ratios: which verdict, and with what beside it."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from cladebench.audit.rules.measured_values import judge_ratio, judge_value
from cladebench.audit.verdict.verdict_types import (
    CONTRADICTED,
    DIRECTION_ONLY,
    NOT_TESTABLE,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
)
from cladebench.bench.statistics.intervals import ratio_of_means
from cladebench.notation import significant
from cladebench.paper.printed import parse_printed
from rule_samples import RULES, interval, samples


def value(ours, text, **how):
    printed = parse_printed(text)
    how = {"published_sd": printed.spread, "n_published": 5} | how
    return judge_value(np.asarray(ours, dtype=float), printed, RULES, **how)


@given(
    samples,
    st.floats(0.001, 0.1),
    st.floats(0.2, 0.8),
    st.sampled_from([None, 0.0, 0.01, 0.05]),
    st.floats(0, 0.1),
)
def test_the_two_tests_of_a_number_are_scipys(noise, sd, centre, published_sd, gap):
    """Agreement by two one-sided tests, a difference by what the rounding leaves; nothing else decides."""
    ours = centre + sd * noise
    found = value(ours, "0.50", published_sd=published_sd, gap=gap)
    theirs = np.ptp(ours) / 2 if published_sd is None else published_sd
    parts = [(ours.var(ddof=1) / ours.size, ours.size - 1)] if np.ptp(ours) > 0 else []
    if published_sd is None:
        parts = [(ours.var(ddof=1) * (1 / ours.size + 1 / 5), ours.size - 1)] if np.ptp(ours) > 0 else []
    elif theirs > 0:
        parts.append((theirs**2 / 5, 4))
    variance = sum(v for v, _ in parts)
    assume(variance > 1e-12)
    df = variance**2 / sum(v**2 / d for v, d in parts)
    apart, se = abs(ours.mean() - 0.5), math.sqrt(variance)
    agree = max(stats.t.sf((0.005 + gap + side * apart) / se, df) for side in (-1, 1))
    differ = min(1.0, 2 * stats.t.sf(max(0.0, apart - 0.005) / se, df))
    assume(min(abs(agree - 0.05), abs(differ - 0.05)) > 1e-6)
    expected = REPRODUCED if agree <= 0.05 else CONTRADICTED if differ <= 0.05 else WITHIN_NOISE
    assert found.verdict == expected
    assert found.p_value == pytest.approx(differ, abs=1e-6)


@given(samples, st.floats(0.001, 0.05))
def test_moving_away_from_the_printed_value_never_improves_the_verdict(noise, sd):
    strength = {REPRODUCED: 2, WITHIN_NOISE: 1, CONTRADICTED: 0}
    noise = noise - noise.mean()
    verdicts = [value(0.5 + sd * noise + shift, "0.50 ± 0.02").verdict for shift in np.linspace(0, 2, 81)]
    known = [strength[v] for v in verdicts]
    assert known == sorted(known, reverse=True)


@given(st.integers(2, 4), st.floats(0.2, 0.5))
def test_a_wide_interval_from_few_values_is_no_agreement(n, width):
    found = value(0.5 + width * np.linspace(-1, 1, n), "0.50 ± 0.02")
    assert found.verdict == WITHIN_NOISE
    assert found.stance == "undecided"
    assert f"; {n} repetitions would show" in found.reason


def test_agreement_reaches_to_half_a_unit_and_the_gap_and_no_further():
    exact = {"published_sd": None, "point": True}
    assert value([0.4849], "0.47", **exact).verdict == REPRODUCED  # one unit where no gap is given
    assert value([0.4851], "0.47", **exact).verdict == CONTRADICTED
    assert value([0.4749], "0.47", gap=0.0, **exact).verdict == REPRODUCED
    assert value([0.4751], "0.47", gap=0.0, **exact).verdict == CONTRADICTED
    assert value([0.5149], "0.47", gap=0.04, **exact).verdict == REPRODUCED
    assert value([6.984e5], "6.97e5", **exact).verdict == REPRODUCED
    assert value([6.986e5], "6.97e5", **exact).verdict == CONTRADICTED


def test_no_p_value_above_five_percent_decides():
    ours = np.array([0.46, 0.48, 0.49, 0.47, 0.46])
    for shift in np.linspace(-0.1, 0.1, 101):
        found = value(ours + shift, "0.47 ± 0.02", gap=0.02)
        p = re.search(r"p = ([0-9.e-]+)$", found.reason)
        assert (found.verdict == WITHIN_NOISE) == (p is None)
        assert p is None or float(p[1]) <= 0.05


@pytest.mark.parametrize(
    ("ours", "text", "verdict", "reason"),
    [
        (
            [0.470, 0.471, 0.472],
            "0.47",
            REPRODUCED,
            "measured 0.4710, 0.001000 from the printed 0.47: less than the 0.01500 that matters, two one-sided tests, "
            "p = 0.0017",
        ),
        (
            [0.47, 0.48, 0.49],
            "0.47",
            WITHIN_NOISE,
            "measured 0.4800, 0.01000 from the printed 0.47: neither a difference (p = 0.60) nor agreement within "
            "0.01500 (p = 0.30) is shown; 3 repetitions would show a difference of 0.04879",
        ),
        (
            [0.57, 0.58, 0.59],
            "0.47",
            CONTRADICTED,
            "measured 0.5800, 0.1100 from the printed 0.47: more than rounding, Welch t, p = 0.0060",
        ),
    ],
)
def test_a_verdict_on_a_number_comes_with_all_that_it_rests_on(ours, text, verdict, reason):
    found = value(ours, text, published_sd=None, n_published=3)
    low, high = interval(ours)
    printed = parse_printed(text)
    gap, half = np.mean(ours) - printed.value, printed.unit / 2
    se = stats.sem(ours) * math.sqrt(2)  # their mean varies as ours does
    assert (found.verdict, found.reason, found.n) == (verdict, reason, 3)
    assert [found.measured, found.low, found.high, found.difference] == pytest.approx(
        [np.mean(ours), low, high, gap]
    )
    assert found.detectable == pytest.approx((stats.t.ppf(0.975, 2) + stats.t.ppf(0.8, 2)) * se + half)
    assert found.p_value == pytest.approx(2 * stats.t.sf(max(0.0, abs(gap) - half) / se, 2), abs=1e-6)
    assert (found.p_exact, found.p_adjusted) == (None, None)


def test_a_ratio_of_numbers_known_exactly_needs_no_second_pair():
    found = judge_ratio(np.array([8.0]), np.array([4.0]), RULES, at_least=1, at_most=3, point=True)
    assert (found.verdict, found.detectable) == (REPRODUCED, 0.0)


@pytest.mark.parametrize(
    ("left", "right", "claimed"), [(0.3, 0.1, {"at_least": 3}), (2.1, 0.3, {"at_most": 7})]
)
def test_a_ratio_at_its_bound_holds_whatever_its_last_bit(left, right, claimed):
    bounds = {"at_least": None, "at_most": None} | claimed
    assert left / right not in claimed.values()
    assert judge_ratio(np.array([left]), np.array([right]), RULES, **bounds, point=True).verdict == REPRODUCED


def test_a_number_of_one_draw_says_so_where_it_is_not_decided():
    assert (
        "is shown; the paper's number is of one draw of the data; 3 repetitions would show"
        in value([0.3, 0.6, 0.5], "0.47", one_draw=True).reason
    )


def test_a_claims_tolerance_widens_the_printed_interval():
    assert value([0.52] * 3, "0.47", tolerance=0.1).verdict == REPRODUCED
    apart = value([0.59] * 3, "0.47", tolerance=0.1, published_sd=None)
    assert (apart.verdict, apart.reason) == (
        CONTRADICTED,
        "measured 0.5900, 0.1200 from the printed 0.47: more than the tolerance; nothing varies between repetitions",
    )


@pytest.mark.parametrize(
    ("ratios", "low", "high", "verdict"),
    [
        ([0.5, 0.52, 0.49], 10, None, CONTRADICTED),
        ([0.5, 0.52, 0.49], None, 0.1, DIRECTION_ONLY),
        ([1.3, 1.0, 0.9], 10, None, CONTRADICTED),  # no side of 1 is shown
        ([8.0, 8.1, 7.9], 1, 5, DIRECTION_ONLY),
        ([5, 50], 10, 100, WITHIN_NOISE),
        ([20], 10, 100, NOT_TESTABLE),
    ],
)
def test_ratios(ratios, low, high, verdict):
    ratios = np.array(ratios, dtype=float)
    found = judge_ratio(ratios, np.ones(ratios.size), RULES, at_least=low, at_most=high)
    assert found.verdict == verdict


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([20, 21, 19], REPRODUCED),
        ([9.6, 10.4, 9.9], WITHIN_NOISE),
        ([3, 3.1, 2.9], DIRECTION_ONLY),
        ([0.5, 0.52, 0.49], CONTRADICTED),
        ([5, 50, 20], WITHIN_NOISE),
    ],
)
def test_a_verdict_on_a_ratio_comes_with_all_that_it_rests_on(ratios, verdict):
    found = judge_ratio(np.array(ratios), np.ones(3), RULES, at_least=10, at_most=100, label="A / B")
    logs = np.log(ratios)
    assert (found.verdict, found.n) == (verdict, 3)
    assert found.reason.startswith(
        f"A / B: ratio {significant(stats.gmean(ratios))}; claimed at least 10 and "
    )
    assert [found.measured, found.low, found.high] == pytest.approx(
        [stats.gmean(ratios), *np.exp(interval(logs))]
    )
    factor = math.exp((stats.t.ppf(0.975, 2) + stats.t.ppf(0.8, 2)) * stats.sem(logs))
    assert found.detectable == pytest.approx(factor - 1)
    assert (found.difference, found.p_value, found.p_exact, found.p_adjusted) == (None,) * 4


pairs = st.lists(st.tuples(st.floats(0, 4), st.floats(1, 3)), min_size=3, max_size=8).map(np.array)


@given(pairs, st.floats(0.1, 3), st.floats(0, 2))
def test_a_ratio_of_means_holds_where_the_t_test_of_its_limit_says_so(pairs, limit, overlap):
    left, right = pairs.T
    found = judge_ratio(left, right, RULES, at_least=None, at_most=limit, overlap=overlap, means=True)
    beyond = left - limit * right
    error = beyond.std(ddof=1) * math.sqrt(1 / len(left) + overlap)
    half = stats.t.ppf(0.975, len(left) - 1) * error
    of_right = right.mean() - stats.t.ppf(0.975, len(left) - 1) * right.std(ddof=1) * math.sqrt(
        1 / len(left) + overlap
    )
    assume(min(abs(beyond.mean() + half), abs(beyond.mean() - half), abs(of_right)) > 1e-6)
    assert found.measured == pytest.approx(left.mean() / right.mean())
    assert (found.verdict == REPRODUCED) == (of_right > 0 and beyond.mean() + half < 0)
    assert (found.verdict in {CONTRADICTED, DIRECTION_ONLY}) == (of_right > 0 and beyond.mean() - half > 0)


def test_a_ratio_of_means_admits_zeros_and_says_what_it_is():
    left, right = np.array([0.0, 1.0, 2.0, 1.0]), np.array([4.0, 5.0, 4.0, 3.0])
    found = judge_ratio(left, right, RULES, at_least=None, at_most=0.75, label="A / B", means=True)
    assert (found.verdict, found.measured) == (REPRODUCED, 0.25)
    assert found.reason == "A / B: ratio of means 0.2500; claimed at most 0.75"
    assert ratio_of_means(left, right).sd == pytest.approx(np.std(left - right / 4, ddof=1))
    assert ratio_of_means(left, right) == ratio_of_means(left, right, level=0.95)
    known = judge_ratio(
        np.array([3.0]), np.array([4.0]), RULES, at_least=None, at_most=0.7, point=True, means=True
    )
    assert (known.verdict, known.low, known.high) == (DIRECTION_ONLY, 0.75, 0.75)
    one = judge_ratio(np.array([3.0]), np.array([4.0]), RULES, at_least=None, at_most=0.7, means=True)
    assert one.verdict == NOT_TESTABLE
    wide = judge_ratio(
        np.array([1.0, 2.0]), np.array([0.0, 9.0]), RULES, at_least=None, at_most=9.0, means=True
    )
    assert (wide.verdict, wide.high) == (WITHIN_NOISE, None)


def test_a_p_value_of_just_the_level_decides():
    ours = np.array([0.50, 0.52, 0.48, 0.51])
    printed = parse_printed("0.651")
    found = judge_value(ours, printed, RULES, published_sd=None, n_published=None)
    assert found.verdict == CONTRADICTED
    at_the_level = replace(RULES, alpha=found.p_value)
    assert (
        judge_value(ours, printed, at_the_level, published_sd=None, n_published=None).verdict == CONTRADICTED
    )


def test_values_of_seeds_alone_have_no_p_value():
    for printed, verdict in [
        ("0.55", REPRODUCED),
        ("0.58", REPRODUCED),
        ("0.59", CONTRADICTED),
        ("0.42", REPRODUCED),
        ("0.41", CONTRADICTED),
    ]:
        outcome = value([0.44, 0.5, 0.56], printed, seeds_alone=True, gap=0.015)
        assert (outcome.verdict, outcome.p_value, outcome.n) == (verdict, None, 3)
        assert (outcome.low, outcome.high, outcome.measured) == (0.44, 0.56, pytest.approx(0.5))
    assert value([0.44, 0.5, 0.56], "0.59", gap=0.015).verdict == WITHIN_NOISE
    assert value([0.5], "0.59", seeds_alone=True).verdict == NOT_TESTABLE
    tolerant = value([0.44, 0.56], "0.59", seeds_alone=True, gap=0.0, tolerance=0.03)
    assert tolerant.verdict == REPRODUCED
    assert "2 seeds give 0.4400 to 0.5600, 0.03000 from the printed 0.59" in tolerant.reason


def test_what_one_repetition_gives_is_shown_beside_its_verdict():
    assert value([0.5], "0.47") == Outcome(
        NOT_TESTABLE,
        "n too small: a single repetition gives no interval",
        measured=0.5,
        n=1,
        difference=0.5 - 0.47,
    )
    once = judge_ratio(np.array([8.0]), np.array([4.0]), RULES, at_least=1, at_most=3, label="A against B")
    assert once == Outcome(
        NOT_TESTABLE,
        "A against B: ratio 2; claimed at least 1 and at most 3; n too small: a single pair gives no interval",
        measured=pytest.approx(2.0),
        n=1,
    )
