"""Make scores of runs: means, intervals, chance, how they ended.

The table has one row a run, labelling and measure: `RUN`, measure, value, status, reason.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.statistics.intervals import mean_interval
from cladebench.measures import Measure, permuted_name

#: Columns by which runs are the same but for their draw.
RUN = ("data", "labels", "method", "setting")
#: Columns of ``scores.csv``.
COLUMNS = (*RUN, "measure", "mean", "low", "high", "n", "chance", "status", "reason")
#: Status of scores that were measured elsewhere; no run failed.
STATUS = "imported"


def choose(values: pd.DataFrame, rule: str) -> dict[tuple[str, str, str], str]:
    """Choose the setting of the best mean of a measure.

    Each method has one on each data set and labelling. Settings with fewer failed draws go first; of equal ones the
    first in the table.
    """
    earned = values["value"].where(values["measure"] == rule)
    groups = earned.groupby([values[key] for key in RUN], sort=False).agg(["count", "mean"])
    best = groups.sort_values(["count", "mean"], ascending=False, kind="stable").reset_index()
    best = best.drop_duplicates(RUN[:3])
    return {
        (data, labels, method): setting
        for data, labels, method, setting in best[[*RUN]].itertuples(index=False)
    }


def score_table(
    values: pd.DataFrame,
    measures: Mapping[str, Measure],
    shown: Collection[str],
    by_random: Collection[str],
    random: str,
    overlap: float,
) -> pd.DataFrame:
    """Tabulate scores: a row for each run and measure, columns `COLUMNS`.

    Chance is the measure's constant; or else what it gives permuted rows, if the runs have that; or what random
    clusters earned.

    Parameters
    ----------
    values : DataFrame
        The table of runs.
    measures : mapping of str to Measure
        One that is not among them has no interval, and is 0 by chance where it is in `by_random`.
    shown, by_random : collection of str
        Measures that are scores, and those whose chance is what the method `random` earned.
    random : str
    overlap : float
        Of draws of the same rows, as `cladebench.bench.statistics.intervals.mean_interval` takes it.
    """
    chance = _chance(values, measures, by_random, random)
    rows = values[values["measure"].isin(shown) | values["measure"].isna()]
    names = [*RUN, "measure"]
    keys = [*rows[names].drop_duplicates().itertuples(index=False, name=None)]
    group = rows.groupby(names, sort=False, dropna=False).ngroup().to_numpy()
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    numbers = rows["value"].to_numpy(dtype=float)
    status, reason = rows["status"].to_numpy(dtype=object), rows["reason"].to_numpy(dtype=object)
    table = []
    for key, part in zip(keys, parts, strict=True):
        finite = numbers[part][np.isfinite(numbers[part])]
        summed = _interval(measures.get(key[-1]), finite, overlap)
        ended = _ended(status[part], reason[part])
        table.append((*key, *summed, finite.size, chance.get(key, np.nan), *ended))
    return pd.DataFrame(table, columns=list(COLUMNS))


def _interval(measure: Measure | None, values: np.ndarray, overlap: float) -> tuple[float, float, float]:
    """Give the mean, and an interval within the measure's range."""
    if not values.size:
        return np.nan, np.nan, np.nan
    interval = mean_interval(values, overlap=overlap)
    if measure is None:
        return interval.mean, np.nan, np.nan
    least, most = measure.range
    return interval.mean, max(interval.low, least), min(interval.high, most)


def _ended(status: np.ndarray, reason: np.ndarray) -> tuple[str, str]:
    """Sum up how draws ended: the first failure, and how many."""
    failed = np.flatnonzero(status != "ok")
    if not failed.size:
        return "ok", ""
    first = str(reason[failed[0]])
    some = f"{failed.size} of {status.size} draws: " if failed.size < status.size else ""
    return str(status[failed[0]]), some + first


def _chance(
    values: pd.DataFrame, measures: Mapping[str, Measure], by_random: Collection[str], random: str
) -> dict[tuple[Any, ...], float]:
    """Say what scores would be by chance; NaN where not known."""
    blind = dict.fromkeys(by_random, 0.0) | {name: measure.blind for name, measure in measures.items()}
    grouped = values.groupby([*RUN, "measure"], sort=False)["value"].mean()
    means: dict[Any, float] = dict(zip(grouped.index, grouped, strict=True))
    earned = {(key[0], key[1], key[4]): mean for key, mean in means.items() if key[2] == random}
    chances = {}
    for data, labels, method, setting, measure in means:
        chance = blind.get(measure)
        if chance is None:
            chance = means.get((data, labels, method, setting, permuted_name(measure)))
        if chance is None and measure in by_random:
            chance = earned.get((data, labels, measure))
        chances[data, labels, method, setting, measure] = np.nan if chance is None else chance
    return chances
