"""Means of two runs: which differ, and whether their repetitions explain it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.plan.plan import Plan
from cladebench.bench.samples.samples import overlap
from cladebench.bench.statistics.paired_tests import Difference, holm, one_sample

GROUP = ["paper", "dataset", "method", "setting_id", "metric", "at"]
COLUMNS = [
    *GROUP,
    "setting",
    "mean_a",
    "mean_b",
    "difference",
    "low",
    "high",
    "n",
    "paired",
    "p",
    "p_adjusted",
    "says",
]
#: A smaller relative difference does not show in the four digits of tables.
SEEN = 1e-4
ALPHA = 0.05
CHANGED, DIFFERS, EXPLAINED, UNTOLD = (
    "changed, with the same seed and data",
    "more than repetitions explain",
    "no more than repetitions explain",
    "too few repetitions to tell",
)


def compare_means(
    left: pd.DataFrame, right: pd.DataFrame, plans: Mapping[str, Plan]
) -> tuple[pd.DataFrame, int]:
    """Test means of two runs that differ visibly.

    Means over tasks that both have are paired, by the t test with correction for overlap. Without such tasks it is the
    test of Welch: draws of two runs overlap as those of one run do, so that the overlap cancels.

    A single pair, or pairs that all differ by as much, have no spread. With the same seed nothing was drawn anew: the
    mean changed, and no test is needed. A single pair of other seeds is no test either. Several such pairs have the
    least p-value of so many.

    Parameters
    ----------
    left, right : DataFrame
        Rows of ``cells.parquet`` of finished cells, times left out.
    plans : mapping of str to Plan
        By paper; they say of how many rows data sets are.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, the surest difference first: ``n`` pairs, or the smaller number of values where none are
        ``paired``. Rows without a test have no p-value. Holm's method corrects over all means that are not equal.
    int
        How many means both have.
    """
    groups = [frame.groupby(GROUP, sort=False) for frame in (left, right)]
    means = pd.concat([group["value"].mean() for group in groups], axis=1, join="inner", keys=["a", "b"])
    gap = (means["b"] - means["a"]).abs()
    official = {(paper, *pair) for paper, plan in plans.items() for pair in plan.official_splits()}
    sizes = {(paper, name): n for paper, plan in plans.items() for name, n in plan.pools().items()}
    sides = [(_arrays(frame), group.indices) for frame, group in zip((left, right), groups, strict=True)]
    compared: list[tuple[Any, ...]] = []
    name: Any
    for name in means.index[gap > SEEN * means.abs().max(axis=1)]:
        a, b = ({key: column[places[name]] for key, column in columns.items()} for columns, places in sides)
        pool = max(float(a["pool"][0]), float(b["pool"][0]), sizes.get(name[:2], 0))
        judged = _judged(a, b, pool, name[:3] in official)
        if abs(judged[2]) > SEEN * max(map(abs, judged[:2])):  # on the tasks that both met
            compared.append((*name, a["setting"][0], *judged))
    table = pd.DataFrame(compared, columns=[*(c for c in COLUMNS if c not in ("p_adjusted", "says")), "same"])
    # Means that differ in later digits are tested too, and pass for equal.
    tested = table["p"].notna()
    unseen = int((gap > 0).sum()) - len(table)
    adjusted = holm([*map(float, table.loc[tested, "p"]), *[1.0] * unseen])
    table["p_adjusted"] = np.nan
    table.loc[tested, "p_adjusted"] = adjusted[: int(tested.sum())]
    tests = np.where(table["p_adjusted"] <= ALPHA, DIFFERS, EXPLAINED)
    table["says"] = np.where(tested, tests, np.where(table.pop("same"), CHANGED, UNTOLD))
    surest = table["p"].where(table["says"] != CHANGED, -1.0)
    return table.loc[surest.sort_values(kind="stable").index, COLUMNS].reset_index(drop=True), len(means)


def _arrays(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Give the columns that tests read.

    ``pool`` is the rows of the data, as many as any run of the same data had.
    """
    names = ["seed", "repetition", "n_rows", "n_test", "value"]
    arrays = {name: frame[name].to_numpy(dtype=float, na_value=np.nan) for name in names}
    rows = frame.groupby("data_sha256", dropna=False)["n_rows"].transform("max")
    arrays["pool"] = rows.to_numpy(dtype=float, na_value=np.nan)
    return arrays | {name: frame[name].fillna("").to_numpy(dtype=object) for name in ("task", "setting")}


def _judged(
    a: Mapping[str, np.ndarray], b: Mapping[str, np.ndarray], pool: float, official: bool
) -> tuple[float, ...]:
    """Give means, difference, interval, n, whether paired, p, and whether changed.

    P is NaN where nothing is tested. The last says that the mean changed with nothing drawn anew.
    """
    tasks, i, j = np.intersect1d(a["task"], b["task"], return_indices=True)
    i, j = i[tasks != ""], j[tasks != ""]  # of some records no task is known
    left, right = (a["value"][i], b["value"][j]) if i.size else (a["value"], b["value"])
    n, same = min(left.size, right.size), False
    if i.size:
        drawn = {name: a[name][i] for name in ("repetition", "n_rows", "n_test")}
        gap = one_sample(np.round(right - left, 12), overlap=overlap(drawn, pool, official=official))
        same = bool((a["seed"][i] == b["seed"][j]).all())
        least = 2.0 ** (1 - n)
    else:
        gap = welch(left, right)
        least = 2 / math.comb(left.size + right.size, left.size)
    p = gap.p_value()
    if n < 2 or (gap.se == 0 and same):
        p = math.nan
    elif gap.se == 0:
        p = least
    half = gap.half_width()
    mean_a, mean_b = float(left.mean()), float(right.mean())
    return (
        mean_a,
        mean_b,
        gap.value,
        gap.value - half,
        gap.value + half,
        n,
        bool(i.size),
        p,
        same and math.isnan(p),
    )


def welch(a: np.ndarray, b: np.ndarray) -> Difference:
    """Difference of two means of independent values, b less a.

    References
    ----------
    Welch (1947), The generalization of Student's problem when several different population variances are involved,
    Biometrika 34.
    """
    value = float(b.mean() - a.mean())
    if min(a.size, b.size) < 2:
        return Difference(value, math.inf, 1.0)
    of_means = [0.0 if np.ptp(x) == 0 else float(x.var(ddof=1)) / x.size for x in (a, b)]
    se, total = math.sqrt(sum(of_means)), sum(of_means)
    parts = sum(part**2 / (x.size - 1) for part, x in zip(of_means, (a, b), strict=True))
    return Difference(value, se, total**2 / parts if parts else 1.0)
