"""Ranks of methods over data sets: descriptive where there are few, tested where there are many."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special, stats

from cladebench.bench.statistics import holm
from cladebench.comparison.statistics import MANY, p_over_data
from cladebench.comparison.values import Values


@dataclass(frozen=True)
class Friedman:
    """Test that no method has a rank of its own, in the form of Iman and Davenport.

    References
    ----------
    Iman and Davenport (1980), Approximations of the critical region of the Friedman statistic, Communications in
    Statistics 9.
    """

    statistic: float
    df: tuple[int, int]
    p: float


@dataclass(frozen=True, eq=False)
class RankTable:
    """Ranks over some data sets.

    Attributes
    ----------
    ranks : DataFrame
        Rank by data set and method; 1 is best, and equals share their mean rank.
    friedman : Friedman or None
        None for fewer than `MANY` data sets.
    """

    ranks: pd.DataFrame
    friedman: Friedman | None

    @property
    def n(self) -> int:
        """Number of data sets."""
        return len(self.ranks)

    @property
    def means(self) -> pd.Series:
        """Mean rank of each method; NaN without data sets."""
        return self.ranks.mean()


@dataclass(frozen=True, eq=False)
class Ranks:
    """Mean ranks of all methods by one measure.

    Attributes
    ----------
    complete : RankTable
        Over the data sets on which no run failed.
    failures_last : RankTable
        Over all data sets: a failed draw counts as the worst of that draw.
    pairs : DataFrame or None
        P-values of all pairs of methods by the signed-rank test, corrected by Holm's method; NaN on the diagonal.
        None for fewer than `MANY` data sets.
    """

    complete: RankTable
    failures_last: RankTable
    pairs: pd.DataFrame | None

    @property
    def differ(self) -> bool:
        """Whether failures make the two tables differ."""
        return self.complete.n != self.failures_last.n

    def critical_difference(self, level: float = 0.95) -> float:
        """Smallest difference of mean ranks that the Nemenyi test tells from none.

        Raises
        ------
        ValueError
            If there are fewer than `MANY` data sets without failures.
        """
        if self.complete.n < MANY:
            raise ValueError(f"{self.complete.n} complete data sets; expected at least {MANY}")
        return nemenyi(self.complete.ranks.shape[1], self.complete.n, level)


def ranks(values: Values) -> Ranks:
    """Rank the methods on each data set by their mean score."""
    complete = values.means().loc[values.complete()]
    pairs = _pairs(values) if len(values.tables) >= MANY else None
    return Ranks(_table(values, complete), _table(values, values.means_with_failures()), pairs)


def mean_ranks(values: Values) -> dict[str, float]:
    """Mean rank of each method over all data sets, failures last."""
    means = _table(values, values.means_with_failures()).means
    return {method: float(means[method]) for method in values.methods}


def friedman(ranked: np.ndarray) -> Friedman:
    """Test ranks of shape (n_data, n_methods), at least two each; ties are allowed."""
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
    quantile = float(stats.studentized_range.ppf(level, n_methods, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_data))


def _table(values: Values, means: pd.DataFrame) -> RankTable:
    # Equal scores may differ in their last bit.
    worse = -values.sign * means.round(12)
    found = worse.rank(axis=1, method="average")
    enough = len(found) >= MANY and found.shape[1] > 1
    return RankTable(found, friedman(found.to_numpy()) if enough else None)


def _pairs(values: Values) -> pd.DataFrame:
    methods = [*values.methods]
    pairs = [*itertools.combinations(range(len(methods)), 2)]
    p_values = []
    for left, right in pairs:
        by_data = (values.paired(data, methods[left], methods[right]) for data in values.tables)
        means = np.round([d.mean() for d in by_data if d.size], 12)
        p_values.append(p_over_data(means) if means.size > 1 else 1.0)
    found = np.full((len(methods), len(methods)), np.nan)
    for (left, right), p in zip(pairs, holm(p_values), strict=True):
        found[left, right] = found[right, left] = p
    return pd.DataFrame(found, index=methods, columns=methods)
