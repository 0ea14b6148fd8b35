import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from cladebench.audit.kinds.sentence import combine
from cladebench.audit.verdict_rules import (
    compare,
    hardest,
    judge_bound,
    judge_order,
    judge_ratio,
    judge_same,
    judge_value,
)
from cladebench.audit.verdict_types import (
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
    Rules,
)
from cladebench.notation import significant
from cladebench.paper.printed import parse_printed

RULES = Rules()


def value(ours, text, **how):
    printed = parse_printed(text)
    how = {"published_sd": printed.spread, "n_published": 5} | how
    return judge_value(np.asarray(ours, dtype=float), printed, RULES, **how)


def order(left, right, sign=1.0, family=1, **how):
    comparison = compare(np.asarray(left, dtype=float), np.asarray(right, dtype=float), sign=sign, **how)
    return judge_order(comparison, min(1.0, family * comparison.gap.p_value()), RULES, tests=family)


def interval(values):
    """What scipy has for the interval of a mean."""
    return stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))


samples = st.lists(st.floats(-1, 1), min_size=2, max_size=8).map(np.array)


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


def test_what_one_repetition_gives_is_shown_beside_its_verdict():
    assert value([0.5], "0.47") == Outcome(
        NOT_TESTABLE,
        "n too small: a single repetition gives no interval",
        measured=0.5,
        n=1,
        difference=0.5 - 0.47,
    )
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
    once = judge_ratio(np.array([8.0]), np.array([4.0]), RULES, at_least=1, at_most=3, **label)
    assert once == Outcome(
        NOT_TESTABLE,
        "A against B: ratio 2, claimed at least 1 and at most 3; n too small: a single pair gives no interval",
        measured=pytest.approx(2.0),
        n=1,
    )


def test_a_ratio_of_numbers_known_exactly_needs_no_second_pair():
    found = judge_ratio(np.array([8.0]), np.array([4.0]), RULES, at_least=1, at_most=3, point=True)
    assert (found.verdict, found.detectable) == (REPRODUCED, 0.0)


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


@given(samples, samples)
def test_an_order_and_its_opposite_are_never_both_supported(a, b):
    n = min(a.size, b.size)
    one, other = order(a[:n], b[:n]), order(b[:n], a[:n])
    assert {one.stance, other.stance} != {"supports"}
    assert (one.verdict == REPRODUCED) == (other.verdict == CONTRADICTED)
    assert order(a[:n], b[:n], sign=-1.0).verdict == other.verdict


@given(samples, st.floats(0.01, 0.3))
def test_a_clear_wrong_order_is_contradicted(noise, sd):
    assume(np.ptp(noise) > 1e-3 and noise.size >= 4)
    left, right = 0.5 + sd * noise, 0.5 + sd * noise + 20 * sd * (1 + 0.01 * np.sin(np.arange(noise.size)))
    assert order(left, right).verdict == CONTRADICTED
    assert order(left, right, sign=-1.0).verdict == REPRODUCED


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


def test_deterministic_sides_need_no_test():
    assert order([0.63], [0.62], point=True).verdict == REPRODUCED
    assert order([0.62], [0.63], point=True).verdict == CONTRADICTED
    assert order([0.63], [0.63], point=True).verdict == WITHIN_NOISE
    assert order([0.63], [0.628], point=True, tie=0.005).verdict == WITHIN_NOISE
    assert order([0.63], [0.1]).verdict == NOT_TESTABLE


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


@pytest.mark.parametrize(
    ("ratios", "low", "high", "verdict"),
    [
        ([20, 21, 19], 10, 100, REPRODUCED),
        ([9.6, 10.4, 9.9], 10, 100, WITHIN_NOISE),
        ([3, 3.1, 2.9], 10, 100, DIRECTION_ONLY),
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
        f"A / B: ratio {significant(stats.gmean(ratios))}, claimed at least 10 and "
    )
    assert [found.measured, found.low, found.high] == pytest.approx(
        [stats.gmean(ratios), *np.exp(interval(logs))]
    )
    factor = math.exp((stats.t.ppf(0.975, 2) + stats.t.ppf(0.8, 2)) * stats.sem(logs))
    assert found.detectable == pytest.approx(factor - 1)
    assert (found.difference, found.p_value, found.p_exact, found.p_adjusted) == (None,) * 4


parts = st.lists(
    st.sampled_from([REPRODUCED, DIRECTION_ONLY, WITHIN_NOISE, CONTRADICTED, NOT_TESTABLE]),
    min_size=1,
    max_size=6,
)
STRENGTH = [CONTRADICTED, WITHIN_NOISE, DIRECTION_ONLY, REPRODUCED]


@given(parts, st.data())
def test_a_sentence_is_what_its_unknown_parts_leave_open(verdicts, data):
    """Brute force: every way in which the unknown parts could have come out."""
    needed = data.draw(st.integers(1, len(verdicts)))
    outcome = combine([Outcome(v, "") for v in verdicts], needed)
    assert outcome.n == len(verdicts)
    found = outcome.verdict
    known = [STRENGTH.index(v) for v in verdicts if v != NOT_TESTABLE]
    unknown = len(verdicts) - len(known)

    def strongest(fill):
        return STRENGTH[sorted([*known, *[fill] * unknown], reverse=True)[needed - 1]]

    best, worst = strongest(3), strongest(0)
    if best == CONTRADICTED:
        assert found == CONTRADICTED
    elif worst == CONTRADICTED:
        assert found == NOT_TESTABLE
    else:
        assert found == worst


@pytest.mark.parametrize(
    ("verdicts", "needed", "verdict", "reason"),
    [
        (
            [(CONTRADICTED, "x"), (CONTRADICTED, "y"), (NOT_TESTABLE, "z")],
            2,
            CONTRADICTED,
            "2 of 3 parts must hold: 2 contradicted, 1 not testable",
        ),
        (
            [(REPRODUCED, "x"), (NOT_TESTABLE, "y"), (NOT_TESTABLE, "y"), (NOT_TESTABLE, "z")],
            2,
            NOT_TESTABLE,
            "2 of 4 parts must hold: 1 reproduced, 3 not testable; y; z",
        ),
        (
            [(REPRODUCED, "x"), *((NOT_TESTABLE, reason) for reason in "tuvw")],
            2,
            NOT_TESTABLE,
            "2 of 5 parts must hold: 1 reproduced, 4 not testable; t; u; and 2 more reasons",
        ),
        (
            [(WITHIN_NOISE, "x"), (REPRODUCED, "y"), (CONTRADICTED, "z"), (REPRODUCED, "u")],
            2,
            REPRODUCED,
            "2 of 4 parts must hold: 2 reproduced, 1 within noise, 1 contradicted",
        ),
        (
            [(WITHIN_NOISE, "x"), (REPRODUCED, "y")],
            2,
            WITHIN_NOISE,
            "2 of 2 parts must hold: 1 reproduced, 1 within noise",
        ),
        (
            [(INCONSISTENT, "x"), (REPRODUCED, "y")],
            2,
            INCONSISTENT,
            "2 of 2 parts must hold: 1 reproduced, 1 inconsistent",
        ),
        (
            [(INCONSISTENT, "x"), (CONTRADICTED, "y")],
            1,
            CONTRADICTED,
            "1 of 2 parts must hold: 1 contradicted, 1 inconsistent",
        ),
    ],
)
def test_a_sentence_says_how_its_parts_came_out(verdicts, needed, verdict, reason):
    given = [Outcome(name, why) for name, why in verdicts]
    assert combine(given, needed) == Outcome(verdict, reason, n=len(given))


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
    assert found.verdict == expected


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
