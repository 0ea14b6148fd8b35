"""Ranks of methods over data sets.

Descriptive where there are few data sets, tested where there are many.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from cladebench.bench.statistics.method_differences import MANY, over_data, p_over_data
from cladebench.bench.statistics.method_scores import Values
from cladebench.bench.statistics.paired_tests import Friedman, friedman, holm, nemenyi


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

    @cached_property
    def critical_difference(self) -> float:
        """Give the smallest significant difference of mean ranks (Nemenyi, 5%).

        Raises
        ------
        ValueError
            If there are fewer than `MANY` data sets.
        """
        if self.n < MANY:
            raise ValueError(f"{self.n} data sets; expected at least {MANY}")
        return nemenyi(self.ranks.shape[1], self.n)


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


def ranks(values: Values) -> Ranks:
    """Rank the methods on each data set by their mean score."""
    pairs = _pairs(values) if len(values.tables) >= MANY else None
    return Ranks(_table(values, values.means().loc[values.complete()]), failures_last(values), pairs)


def failures_last(values: Values) -> RankTable:
    """Rank the methods on all data sets.

    A failed draw counts as the worst of that draw.
    """
    return _table(values, values.means_with_failures())


def best_method(values: Values, random: Collection[str] = ()) -> str:
    """Find the method of the best mean rank.

    Failures count as last. Random methods are left out, and the first of equals counts.
    """
    means = failures_last(values).means
    known = [method for method in values.methods if method not in random] or [*values.methods]
    return min(known, key=means.__getitem__)


def _table(values: Values, means: pd.DataFrame) -> RankTable:
    # Equal scores may differ in their last bit.
    worse = -values.sign * means.round(12)
    ranks = worse.rank(axis=1, method="average")
    enough = len(ranks) >= MANY and ranks.shape[1] > 1
    return RankTable(ranks, friedman(ranks.to_numpy()) if enough else None)


def _pairs(values: Values) -> pd.DataFrame:
    pairs = [*itertools.combinations(values.methods, 2)]
    p_of = pd.DataFrame(np.nan, index=[*values.methods], columns=[*values.methods])
    p_values = [p_over_data(over_data(values, *pair)) for pair in pairs]
    for (left, right), p in zip(pairs, holm(p_values), strict=True):
        p_of.loc[left, right] = p_of.loc[right, left] = p
    return p_of
