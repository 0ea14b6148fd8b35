import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cladebench.audit.rules.against_published import against_published
from cladebench.bench.statistics.intervals import mean_interval
from cladebench.bench.statistics.paired_tests import one_sample
from cladebench.paper.printed import parse_printed


@pytest.mark.parametrize(
    ("text", "value", "unit", "spread"),
    [
        ("0.47 ± 0.02", 0.47, 0.01, 0.02),
        ("0.63 ± 0.00", 0.63, 0.01, 0.0),
        ("6.97e5", 6.97e5, 1e3, None),
        ("1.80e8", 1.80e8, 1e6, None),
        ("2.66E+3", 2660.0, 10.0, None),
        ("7000", 7000.0, 1.0, None),
        ("19,020", 19020.0, 1.0, None),
        ("94.40%", 94.4, 0.01, None),
        ("−0.5 (0.1)", -0.5, 0.1, 0.1),
        ("15957.7", 15957.7, 0.1, None),
        (" 0.470 \\pm 0.010 ", 0.47, 0.001, 0.01),
    ],
)
def test_printed_numbers_are_read_with_their_last_place(text, value, unit, spread):
    printed = parse_printed(text)
    assert (printed.value, printed.spread) == (value, spread)
    assert printed.unit == pytest.approx(unit, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(
            (text, "is not a printed number")
            for text in ("", "-", "n/a", "0.4.7", "nan", "inf", "1e", "0.47 0.02")
        ),
        ("0.47 ± -0.02", "the spread is negative"),
        *((text, "too large or too small") for text in ("1e999", "-1e309", "1e-400", "0e999", "0.1 ± 1e999")),
        ("1e99999999999999999999", "is not a printed number"),  # no number for decimal either
        ("9" * 1000, "is not a printed number"),
        ("1" + " " * 90 + "x", "is not a printed number"),
        ("٣", "is not a printed number"),
    ],
)
def test_what_is_no_printed_number_is_refused(text, said):
    with pytest.raises(ValueError, match=said) as caught:
        parse_printed(text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_spaces_do_not_slow_the_reading_down():
    assert parse_printed(" " * 40 + "0.5   ±\n 0.1 ").spread == 0.1
    start = time.monotonic()
    with pytest.raises(ValueError, match="printed number"):
        parse_printed("1" + " " * 20_000 + "x")
    assert time.monotonic() - start < 20


@given(st.floats(1e-6, 1e9), st.integers(0, 6))
def test_a_number_lies_in_the_interval_of_its_own_print(value, digits):
    printed = parse_printed(f"{value:.{digits}e}")
    assert abs(printed.value - value) <= printed.half_width(0.0) * (1 + 1e-9)


@pytest.mark.parametrize(
    "gap", [one_sample(np.array([0.1])), against_published(mean_interval(np.array([0.6])), 0.5, 0.1, 5)]
)
def test_one_random_value_is_no_difference(gap):
    assert gap.value == pytest.approx(0.1)
    assert (gap.p_value(), gap.half_width(), gap.detectable()) == (1.0, math.inf, math.inf)


@pytest.mark.parametrize(
    "gap",
    [
        one_sample(np.array([0.1]), point=True),
        against_published(mean_interval(np.array([0.6]), point=True), 0.5, None, None),
    ],
)
def test_one_known_value_is_a_difference_without_noise(gap):
    assert gap.value == pytest.approx(0.1)
    assert (gap.p_value(), gap.half_width(), gap.detectable()) == (0.0, 0.0, 0.0)


def test_the_difference_to_a_published_mean_is_welchs():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=6), rng.normal(0.5, 2, size=5)
    gap = against_published(mean_interval(a), b.mean(), b.std(ddof=1), 5)
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert gap.p_value() == pytest.approx(expected.pvalue)
    assert gap.df == pytest.approx(expected.df)
    interval = expected.confidence_interval(0.95)
    assert gap.value + gap.half_width() == pytest.approx(interval.high)


@pytest.mark.parametrize(("printed", "n"), [(1, None), (1, 1), (5, 5)])
def test_true_means_without_a_published_spread_are_seldom_contradicted(printed, n):
    """Five percent, whether the paper's number is of one run or of several; else it would be 12 to 33 percent."""
    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(size=(4000, 5)), rng.normal(size=(4000, printed)).mean(axis=1)
    gaps = [against_published(mean_interval(a), b, None, n) for a, b in zip(ours, theirs, strict=True)]
    assert np.mean([gap.p_value() < 0.05 for gap in gaps]) == pytest.approx(0.05, abs=0.015)


def test_one_published_draw_is_one_more_value_of_our_distribution():
    """The interval is the prediction interval for one new value."""
    a = np.random.default_rng(2).normal(size=5)
    gap = against_published(mean_interval(a), 0.0, None, 5, one_draw=True)
    assert gap.half_width() == pytest.approx(stats.t.ppf(0.975, 4) * a.std(ddof=1) * math.sqrt(1 + 1 / 5))
