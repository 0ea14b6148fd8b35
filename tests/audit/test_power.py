"""Repetitions from the smallest claimed gap and a pilot's spread: exact, and so in simulations of the real test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from cladebench.audit.power import MOST_REPETITIONS, power_of_t, repetitions_needed
from cladebench.bench.statistics.paired_tests import one_sample

TRIALS = 2000


def found(n, gap, sd, alpha=0.05, overlap=0.0, seed=0):
    """Share of simulated samples in which the audit's own test finds a difference, and its standard error."""
    rng = np.random.default_rng(seed)
    values = gap + sd * rng.normal(size=(TRIALS, n)) + sd * np.sqrt(overlap) * rng.normal(size=(TRIALS, 1))
    share = np.mean([one_sample(v, overlap=overlap).p_value() <= alpha for v in values])
    return share, np.sqrt(share * (1 - share) / TRIALS)


@pytest.mark.parametrize(
    ("n", "gap", "sd", "alpha", "overlap"),
    [
        (5, 1.0, 0.5, 0.05, 0.0),
        (20, 1.0, 1.5, 0.05, 0.0),
        (20, -1.0, 1.5, 0.05, 0.0),
        (8, 1.0, 0.5, 0.005, 0.0),
        (15, 1.0, 0.6, 0.05, 0.25),
        (4, 0.05, 1.0, 0.05, 0.0),  # next to nothing: both tails count
    ],
)
def test_power_is_how_often_the_audit_finds_the_difference(n, gap, sd, alpha, overlap):
    share, error = found(n, gap, sd, alpha, overlap)
    assert power_of_t(n, gap, sd, alpha, overlap) == pytest.approx(share, abs=4 * error)


@settings(max_examples=25)
@given(st.integers(2, 60), st.floats(0.05, 4.0), st.sampled_from([0.05, 0.01, 0.001]))
def test_power_is_the_integral_over_the_spread(n, effect, alpha):
    """The definition: a normal mean, over an independent chi-squared variance."""
    edge, away = stats.t.isf(alpha / 2, n - 1), effect * np.sqrt(n)

    def at(u):
        reach = edge * u / np.sqrt(n - 1)
        return (stats.norm.sf(reach - away) + stats.norm.cdf(-reach - away)) * stats.chi.pdf(u, n - 1)

    whole, _ = integrate.quad(at, 0, np.sqrt(n - 1) + 8, limit=200)
    assert power_of_t(n, effect, 1.0, alpha) == pytest.approx(whole, abs=1e-6)


@settings(max_examples=40)
@given(
    st.floats(0.3, 20.0),
    st.sampled_from([0.05, 0.01]),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.integers(1, 20),
    st.sampled_from([0.0, 0.001]),
)
def test_the_fewest_that_are_enough(effect, alpha, power, tests, overlap):
    n = repetitions_needed(effect, 1.0, alpha, power, tests, overlap)
    assert power_of_t(n, effect, 1.0, alpha / tests, overlap) >= power
    assert n == 2 or power_of_t(n - 1, effect, 1.0, alpha / tests, overlap) < power


def test_by_hand():
    """What tables of the t test have: a gap of 0.8, 0.5 and 0.2 spreads, 80%, two-sided at 5%."""
    assert [repetitions_needed(gap, 1.0) for gap in (0.8, 0.5, 0.2)] == [15, 34, 199]
    assert repetitions_needed(-0.5, 1.0) == repetitions_needed(5.0, 10.0) == 34
    assert repetitions_needed(0.5, 1.0, power=0.9) == 44
    assert repetitions_needed(0.5, 1.0, tests=5) == repetitions_needed(0.5, 1.0, alpha=0.01) > 34
    assert repetitions_needed(1.0, 0.0) == repetitions_needed(1.0, 1e-9) == 2


def test_an_overlap_takes_more_and_may_take_all():
    few, more = (repetitions_needed(1.0, 1.5, overlap=overlap) for overlap in (0.0, 0.05))
    assert (few, more) == (20, 168)
    # Infinitely many: a normal with a spread of 1.5 * sqrt(overlap), found at 5% in 80% where 2.80 of them make 1.
    edge = (1.0 / 1.5 / (stats.norm.isf(0.025) + stats.norm.isf(0.2))) ** 2
    assert repetitions_needed(1.0, 1.5, overlap=0.99 * edge) > 1000
    with pytest.raises(ValueError, match=r"gap=1: with sd=1.5 and overlap=0.057.*below 0.79"):
        repetitions_needed(1.0, 1.5, overlap=1.01 * edge)
    with pytest.raises(ValueError, match=f"more than {MOST_REPETITIONS}"):
        repetitions_needed(1.0, 1e6)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"gap": 0.0}, r"gap=0.0: expected a finite number that is not 0"),
        ({"gap": np.nan}, "gap=nan"),
        ({"sd": -1.0}, r"sd=-1.0: expected a finite number >= 0"),
        ({"sd": np.inf}, "sd=inf"),
        ({"overlap": -0.1}, "overlap=-0.1"),
        ({"alpha": 0.0}, r"alpha=0.0: expected a number between 0 and 1"),
        ({"power": 1.0}, "power=1.0"),
        ({"tests": 0}, "tests=0"),
    ],
)
def test_what_cannot_be_is_named(how, words):
    with pytest.raises(ValueError, match=words):
        repetitions_needed(**{"gap": 1.0, "sd": 1.0, **how})
