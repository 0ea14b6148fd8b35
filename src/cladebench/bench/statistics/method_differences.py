"""Compare a method with rivals: differences, and what they allow to say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cladebench.bench.statistics.method_scores import Settings, Values
from cladebench.bench.statistics.paired_tests import (
    Difference,
    middle_of_pairs,
    one_sample,
    sign_flip,
    signed_rank,
    tarone_holm,
)
from cladebench.input_files import one_of

#: Columns of ``differences.csv``.
COLUMNS = (
    "data", "method", "rival", "measure", "difference", "low", "high", "p", "p_adjusted", "verdict",
)  # fmt: skip
#: Name in the column of data sets for rows on all of them.
ALL = "all"
#: From so many data sets on ranks decide, and no data set is judged alone.
MANY = 10
AHEAD, BEHIND, LEVEL, UNDECIDED = VERDICTS = ("ahead", "behind", "level", "undecided")


@dataclass(frozen=True)
class Compared:
    """A method against a rival, on one data set or all.

    Attributes
    ----------
    data, method, rival, measure : str
    difference : float
        Score of the method less that of the rival, whichever is better.
    low, high : float
        Interval of the difference alone; it stays in the range that is possible.
    p : float
        Two-sided p-value; NaN where nothing can be tested.
    p_adjusted : float
        Corrected over all that is tested in the report by this measure.
    p_level : float
        P-value that the difference matters; corrected alike.
    least_p : float
        Smallest p-value that so few values allow.
    n : int
        Draws, or data sets, that both finished.
    detectable : float
        Smallest true difference that would be found with a chance of 80%, by the t test; infinite where nothing would.
    verdict : str
        One of `VERDICTS`.
    """

    data: str
    method: str
    rival: str
    measure: str
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    p_adjusted: float = math.nan
    p_level: float = math.nan
    least_p: float = 0.0
    n: int = 0
    detectable: float = math.nan
    verdict: str = UNDECIDED
    gap: Difference = field(default=Difference(math.nan, math.inf, 1.0), repr=False, compare=False)


def compare(values: Values, method: str, settings: Settings, *, picked: bool = False) -> list[Compared]:
    """Compare a method with each rival, corrected over all reported tests.

    One data set: the t test over draws, corrected for their overlap. Two to nine: each data set alone, and all by the
    exact sign-flip test. Ten and more: all, by the signed-rank test. A row is ``level`` where the difference is shown
    to be too small to matter. Else it is ``ahead`` or ``behind`` where the difference is shown not to be 0.

    Parameters
    ----------
    values : Values
    method : str
    settings : Settings
    picked : bool, default=False
        The method was chosen because it scored best: then all pairs of methods are tested, and corrected for.

    Raises
    ------
    ValueError
        If there are no values of the method.
    """
    if method not in values.methods:
        raise ValueError(f"method {method!r}: no values; {one_of(method, values.methods)}")
    rivals = [rival for rival in values.methods if rival != method]
    pairs = [(method, rival) for rival in rivals] + [*itertools.combinations(rivals if picked else (), 2)]
    rows = [row for pair in pairs for row in _of_pair(values, *pair, settings)]
    return [row for row in _judged(rows, settings, values.sign) if row.method == method]


def table(rows: Sequence[Compared]) -> pd.DataFrame:
    """Tabulate rows by `COLUMNS`."""
    return pd.DataFrame([[getattr(row, column) for column in COLUMNS] for row in rows], columns=[*COLUMNS])


def over_data(values: Values, method: str, rival: str) -> np.ndarray:
    """Give mean differences, method less rival, on the data of both."""
    by_data = (values.paired(data, method, rival) for data in values.tables)
    return np.round([d.mean() for d in by_data if d.size], 12)


def _of_pair(values: Values, method: str, rival: str, settings: Settings) -> list[Compared]:
    rows = []
    if len(values.tables) < MANY:
        rows = [_on_one(data, method, rival, values, settings) for data in values.tables]
    if len(values.tables) > 1:
        rows.append(_on_all(method, rival, values, settings))
    return rows


def _on_one(data: str, method: str, rival: str, values: Values, settings: Settings) -> Compared:
    """Compare over the draws of one data set."""
    d = values.paired(data, method, rival)
    row = Compared(data, method, rival, values.measure.name, n=d.size)
    if not d.size:
        return row
    exact = {(data, method), (data, rival)} <= values.exact
    gap = one_sample(d[:1] if exact else d, point=exact, overlap=values.overlap[data])
    tested = not (data in values.fixed or d.size < 2)
    if tested and d.any():
        # Scores of few rows move in steps: equal differences over the draws are no proof that there is no spread.
        # Equal scores in every draw are no difference, and need none.
        least = values.step[data] * math.sqrt(1 / d.size + values.overlap[data])
        gap = Difference(gap.value, max(gap.se, least), gap.df)
    half, reach = gap.half_width(settings.level), values.reach
    low, high = max(gap.value - half, -reach), min(gap.value + half, reach)
    row = replace(row, difference=gap.value, low=low, high=high)
    return replace(row, p=gap.p_value(), p_level=gap.within(settings.rope), gap=gap) if tested else row


def _on_all(method: str, rival: str, values: Values, settings: Settings) -> Compared:
    """Compare over data sets, by their mean differences."""
    d = over_data(values, method, rival)
    n, reach = d.size, values.reach
    row = Compared(ALL, method, rival, values.measure.name, n=n)
    if not n:
        return row
    gap = one_sample(d)
    half = gap.half_width(settings.level)
    value, low, high = gap.value, gap.value - half, gap.value + half
    if n >= MANY:
        value, low, high = middle_of_pairs(d, settings.level)
    row = replace(row, difference=value, low=max(low, -reach), high=min(high, reach))
    if n < 2:
        return row
    # One-sided tests that the differences are below the upper end of the region, and above its lower end.
    inside = abs(value) < settings.rope
    p_level = max(p_over_data(d - settings.rope), p_over_data(d + settings.rope)) / 2 if inside else 1.0
    return replace(row, p=p_over_data(d), p_level=p_level, least_p=2.0 ** (1 - n), gap=gap)


def p_over_data(d: np.ndarray) -> float:
    """Compute the two-sided p-value of differences over data sets.

    Signed ranks where there are many, else sign flips.
    """
    p = signed_rank(d) if d.size >= MANY else sign_flip(d)
    assert p is not None
    return p


def _judged(rows: Sequence[Compared], settings: Settings, sign: float) -> list[Compared]:
    """Correct the p-values, and give the verdicts."""
    tested = [row for row in rows if not math.isnan(row.p)]
    least = [row.least_p for row in tested]
    p = tarone_holm([row.p for row in tested], least, settings.alpha)
    p_level = tarone_holm([row.p_level for row in tested], [one / 2 for one in least], settings.alpha)
    first = settings.alpha / max(1, len(tested))
    done = {}
    for row, differs, level in zip(tested, p, p_level, strict=True):
        verdict = UNDECIDED
        if level <= settings.alpha:
            verdict = LEVEL
        elif differs <= settings.alpha:
            verdict = AHEAD if sign * row.difference > 0 else BEHIND
        done[id(row)] = replace(
            row,
            p_adjusted=differs,
            p_level=level,
            detectable=row.gap.detectable(first) if row.least_p <= first else math.inf,
            verdict=verdict,
        )
    return [done.get(id(row), row) for row in rows]
