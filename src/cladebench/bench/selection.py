"""Which setting of a grid stands for a method: a function of the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cladebench.bench.store import setting_order

if TYPE_CHECKING:
    import pandas as pd


def select_settings(records: pd.DataFrame, selection: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Choose one setting for each data set and method under each rule.

    Only settings with the most finished repetitions compete (all of them, unless cells failed), and among them the one
    with the best mean over the repetitions wins. Ties go to the first in the order of `setting_order`, which sorts by
    parameter name and size and so depends neither on the plan nor on the order of the records.

    Parameters
    ----------
    records : DataFrame
        Long table of one paper, as `cladebench.bench.store.Store.read_records` gives it.
    selection : Mapping
        Rule name -> ``{"metric": name, "direction": "max" or "min"}``, as in the plan.

    Returns
    -------
    DataFrame
        Columns dataset, method, rule, setting_id, mean, n (finished repetitions); sorted by dataset, method and
        the order of the rules. A data set and method has no row where no finished cell has the rule's metric.

    Raises
    ------
    ValueError
        If the records are of several papers, or a direction is neither ``max`` nor ``min``.
    """
    import pandas as pd

    if records["paper"].nunique() > 1:
        raise ValueError(f"records of several papers: {', '.join(sorted(records['paper'].unique()))}")
    finished = records[records["status"] == "ok"]
    rows: list[dict[str, Any]] = []
    for (dataset, method), group in finished.groupby(["dataset", "method"], sort=True):
        for rule, how in selection.items():
            if how["direction"] not in ("max", "min"):
                raise ValueError(
                    f"selection.{rule}.direction: {how['direction']!r} is neither 'max' nor 'min'"
                )
            sign = -1.0 if how["direction"] == "max" else 1.0
            values = group[group["metric"] == how["metric"]].sort_values("repetition")
            candidates = [
                (-len(v), sign * v["value"].mean(), setting_order(json.loads(v["setting"].iloc[0])), name)
                for name, v in values.groupby("setting_id", sort=False)
            ]
            if candidates:
                count, best, _, name = min(candidates)
                rows.append(
                    {
                        "dataset": dataset,
                        "method": method,
                        "rule": rule,
                        "setting_id": name,
                        "mean": sign * best,
                        "n": -count,
                    }
                )
    return pd.DataFrame(rows, columns=["dataset", "method", "rule", "setting_id", "mean", "n"])
