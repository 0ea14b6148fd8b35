"""Decide differences for audits and comparisons by paired and rank tests.

It has corrections and detectable differences too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from scipy import special

from cladebench.bench.statistics.intervals import mean_interval

#: Up to this many pairs the sign-flip test enumerates all sign patterns.
MAX_SIGN_FLIP = 16


@dataclass(frozen=True)
class Difference:
    """An estimated difference and its uncertainty.

    Attributes
    ----------
    value : float
    se, df : float
        Standard error and degrees of freedom; ``se == 0`` when nothing varies, ``inf`` when the sample cannot say.
    """

    value: float
    se: float
    df: float

    def half_width(self, level: float = 0.95) -> float:
        """Half the width of the confidence interval."""
        return self._scaled(0.5 + level / 2)

    def beyond(self, allowance: float) -> Difference:
        """Take up to `allowance` from the absolute difference, which needs no explanation."""
        return Difference(max(0.0, abs(self.value) - allowance * (1 + 1e-9)), self.se, self.df)

    def within(self, limit: float) -> float:
        """Compute the p-value of a difference below `limit` by two t tests.

        The tests are one-sided, one for each sign.

        References
        ----------
        Schuirmann (1987), A comparison of the two one-sided tests procedure and the power approach for assessing the
        equivalence of average bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15.
        """
        left = limit * (1 + 1e-9) - abs(self.value)
        if self.se == 0:
            return 0.0 if left >= 0 else 1.0
        return 1.0 if math.isinf(self.se) else _upper_tail(left / self.se, self.df)

    def p_value(self) -> float:
        """Two-sided p-value of the t test that the difference is zero."""
        if self.se == 0:
            return 1.0 if self.value == 0 else 0.0
        if math.isinf(self.se):
            return 1.0
        return 2 * _upper_tail(abs(self.value) / self.se, self.df)

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> float:
        """Compute the smallest true difference that the t test finds.

        The test is two-sided, with the given power.

        The usual approximation ``(t[1 - alpha/2] + t[power]) * se`` of the noncentral t; of few pairs at a small
        `alpha` it finds 72 percent rather than 80.
        """
        return self._scaled(1 - alpha / 2) + self._scaled(power)

    def _scaled(self, quantile: float) -> float:
        if self.se == 0 or math.isinf(self.se):
            return self.se
        return float(special.stdtrit(self.df, quantile)) * self.se


# Student's t by its functions: the distribution object checks its arguments for longer than an audit has time.
def _upper_tail(t: float, df: float) -> float:
    return float(special.stdtr(df, -t))


def one_sample(values: np.ndarray, *, point: bool = False, overlap: float = 0.0) -> Difference:
    """Test the mean of paired differences against zero.

    With `overlap`, as in `mean_interval`, this is the corrected resampled t test.
    """
    interval = mean_interval(values, point=point, overlap=overlap)
    if math.isnan(interval.sd):
        return Difference(interval.mean, math.inf, 1.0)
    return Difference(interval.mean, interval.sd * math.sqrt(interval.per_mean), interval.n - 1)


def sign_flip(differences: np.ndarray) -> float | None:
    """Exact two-sided sign-flip permutation p-value of paired differences (None beyond `MAX_SIGN_FLIP` pairs).

    Its smallest possible value is ``2 ** (1 - n)``: 1/16 for five pairs. With five repetitions it can therefore never
    fall below 0.05, and audits report it beside the paired t test.
    """
    n = differences.size
    if n > MAX_SIGN_FLIP:
        return None
    sums = np.abs(_signs(n) @ differences)
    observed = abs(float(differences.sum()))
    return float((sums >= observed - 1e-12 * np.abs(differences).sum()).mean())


@cache
def _signs(n: int) -> np.ndarray:
    return np.array(list(itertools.product((1.0, -1.0), repeat=n)))


def signed_rank(differences: np.ndarray) -> float:
    """Exact two-sided p-value of Wilcoxon's signed-rank test, ties included.

    Differences of 0 are left out. Tied ones share their mean rank, and the distribution is that of these ranks.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1.
    """
    moved = differences[differences != 0]
    if not moved.size:
        return 1.0
    twice = _twice_the_ranks(np.abs(moved))
    chances, rank_sum = _rank_sums(tuple(twice.tolist())), int(twice[moved > 0].sum())
    return min(1.0, 2 * float(min(chances[: rank_sum + 1].sum(), chances[rank_sum:].sum())))


def middle_of_pairs(values: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Compute the median of means of pairs, with `signed_rank`'s interval.

    Parameters
    ----------
    values : ndarray of shape (n,)
    level : float, default=0.95
        Confidence level. Too few values for it have an infinite interval: 5 for 95%.

    Returns
    -------
    tuple of float
        The estimate and the two ends.

    References
    ----------
    Hodges and Lehmann (1963), Estimates of location based on rank tests, Annals of Mathematical Statistics 34.
    """
    first, second = np.triu_indices(values.size)
    means = np.sort((values[first] + values[second]) / 2)
    reached = np.cumsum(_rank_sums(tuple(range(2, 2 * values.size + 1, 2))))[::2]
    out = int((reached <= (1 - level) / 2).sum())
    low, high = (means[out - 1], means[-out]) if out else (-math.inf, math.inf)
    return float(np.median(means)), float(low), float(high)


def _twice_the_ranks(sizes: np.ndarray) -> np.ndarray:
    """Twice the mean ranks, which are integers."""
    _, place, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(counts) - counts + 1)[place]


@lru_cache(256)
def _rank_sums(ranks: tuple[int, ...]) -> np.ndarray:
    """Compute the chance of each sum of ranks.

    Each rank counts or not with the chance of a coin.
    """
    chances = np.zeros(sum(ranks) + 1)
    chances[0] = 1.0
    for rank in ranks:
        moved = chances / 2
        moved[rank:] += chances[:-rank] / 2
        chances = moved
    return chances


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down method.

    Parameters
    ----------
    p_values : sequence of float
        The p-values of one family, in any order.

    Returns
    -------
    list of float
        Adjusted p-values in the same order; compare them with alpha directly.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, running = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted


def tarone_holm(p_values: Sequence[float], least: Sequence[float], alpha: float) -> list[float]:
    """Adjust p-values by Holm's method over tests that can reach the level.

    Tests that cannot reach it have 1.

    Parameters
    ----------
    p_values : sequence of float
    least : sequence of float
        The smallest p-value that each test can give, whatever the data.
    alpha : float
        The level.

    References
    ----------
    Tarone (1990), A modified Bonferroni method for discrete data, Biometrics 46.
    """
    sizes = np.arange(1, len(p_values) + 1)
    able_at = np.searchsorted(np.sort(least), alpha / sizes, side="right")
    size = next((int(size) for size, able in zip(sizes, able_at, strict=True) if able <= size), 1)
    able = [i for i, one in enumerate(least) if one <= alpha / size]
    adjusted = [1.0] * len(p_values)
    for i, p in zip(able, holm([p_values[i] for i in able]), strict=True):
        adjusted[i] = p
    return adjusted


@dataclass(frozen=True)
class Friedman:
    """Test that no method has a rank of its own (Iman, Davenport).

    References
    ----------
    Iman and Davenport (1980), Approximations of the critical region of the Friedman statistic, Communications in
    Statistics 9.
    """

    statistic: float
    df: tuple[int, int]
    p: float


def friedman(ranked: np.ndarray) -> Friedman:
    """Test ranks of shape (n_data, n_methods).

    There are at least two of each; ties are allowed.
    """
    n, k = ranked.shape
    spread = float(((ranked - (k + 1) / 2) ** 2).sum())
    between = n * float(((ranked.mean(axis=0) - (k + 1) / 2) ** 2).sum())
    df = (k - 1, (k - 1) * (n - 1))
    if spread - between <= 1e-9 * spread:
        # All data sets agree to the last rank, where Friedman's own statistic has a p-value; or none ranks at all.
        p = float(special.chdtrc(k - 1, n * (k - 1))) if spread else 1.0
        return Friedman(math.inf if spread else 0.0, df, p)
    statistic = (n - 1) * between / (spread - between)
    return Friedman(statistic, df, float(special.fdtrc(*df, statistic)))


def nemenyi(n_methods: int, n_data: int, level: float = 0.95) -> float:
    """Critical difference of mean ranks.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of Machine Learning
    Research 7.
    """
    from scipy import stats  # takes longer than all else here

    quantile = float(stats.studentized_range.ppf(level, n_methods, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_data))
