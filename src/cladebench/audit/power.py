"""Repetitions needed to see a difference.

They follow from the smallest gap that is claimed and a pilot's spread.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

#: Beyond so many repetitions a difference is called unreachable in practice; the sum is still finite.
MOST_REPETITIONS = 10_000_000


def power_of_t(n: int, gap: float, sd: float, alpha: float = 0.05, overlap: float = 0.0) -> float:
    """Compute the chance that the t test finds a difference of `gap`.

    The test is the two-sided one of `cladebench.bench.statistics.paired_tests.one_sample`.

    Parameters
    ----------
    n : int
        Paired repetitions, at least 2.
    gap : float
        The true mean of the differences; its sign does not matter.
    sd : float
        Standard deviation of the differences within a sample, above 0.
    alpha : float, default=0.05
        Level of the test.
    overlap : float, default=0
        As in `cladebench.bench.statistics.intervals.mean_interval`: the variance of the mean is
        ``sd^2 (1 / n + overlap)``.

    Returns
    -------
    float
        Exact for normal differences: the statistic has a noncentral t distribution.

    References
    ----------
    Johnson, Kotz and Balakrishnan (1995), Continuous Univariate Distributions 2, chapter 31: the noncentral t.
    """
    away = abs(gap) / (sd * math.sqrt(1 / n + overlap))
    edge = float(stats.t.isf(alpha / 2, n - 1))
    # The other tail; where it is next to nothing SciPy may give no number.
    other = float(np.nan_to_num(stats.nct.cdf(-edge, n - 1, away)))
    return float(stats.nct.sf(edge, n - 1, away)) + other


def repetitions_needed(
    gap: float, sd: float, alpha: float = 0.05, power: float = 0.8, tests: int = 1, overlap: float = 0.0
) -> int:
    """Count the paired repetitions that find `gap` with the wanted power.

    The fewest with which a t test does.

    Of "about the same" within a margin, which takes two one-sided tests, both are passed by equal methods with the
    wanted power if each is with half the rest: ask for ``gap=margin, alpha=2 * alpha, power=(1 + power) / 2``.
    For a printed mean of m runs whose spread is taken to be ours, the paper's own noise is an ``overlap`` of 1 / m.

    Parameters
    ----------
    gap : float
        The smallest difference that is claimed; its sign does not matter.
    sd : float
        Standard deviation of the paired differences, as a pilot has it. A pilot of few repetitions is often below the
        truth, so that the power is less than what was asked for (docs/calibration.md).
    alpha : float, default=0.05
        Level of the two-sided test.
    power : float, default=0.8
        Wanted chance that the test finds the difference.
    tests : int, default=1
        Size of the family: each test is planned at ``alpha / tests``, the first step of Holm's correction.
    overlap : float, default=0
        Test rows over training rows where repetitions hold rows out of the same data, else 0; see
        `cladebench.bench.statistics.intervals.mean_interval`.

    Returns
    -------
    int
        At least 2, which is enough where nothing varies.

    Raises
    ------
    ValueError
        If an argument is out of range, or no number of repetitions is enough: with an overlap the mean keeps a variance
        of ``overlap * sd^2`` however many there are.
    """
    if not (math.isfinite(gap) and gap != 0):
        raise ValueError(f"gap={gap!r}: expected a finite number that is not 0")
    for name, value in (("sd", sd), ("overlap", overlap)):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name}={value!r}: expected a finite number >= 0")
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise ValueError(f"{name}={value!r}: expected a number between 0 and 1")
    if tests < 1:
        raise ValueError(f"tests={tests!r}: expected an integer >= 1")
    if sd == 0:
        return 2
    level = alpha / tests

    def enough(n: int) -> bool:
        return power_of_t(n, gap, sd, level, overlap) >= power

    edge = float(stats.norm.isf(level / 2))
    if overlap > 0:
        # The same test with all the repetitions that there could be.
        away = abs(gap) / (sd * math.sqrt(overlap))
        reachable = float(stats.norm.sf(edge - away) + stats.norm.cdf(-edge - away))
        if reachable <= power:
            raise ValueError(
                f"gap={gap:g}: with sd={sd:g} and overlap={overlap:g} the power is below {reachable:.3g} at any n; "
                f"expected a gap that allows power={power:g}"
            )
    low, high = 1, 2
    while not enough(high):
        if high >= MOST_REPETITIONS:
            raise ValueError(
                f"gap={gap:g} with sd={sd:g}: more than {MOST_REPETITIONS} repetitions are needed"
            )
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
