"""Which setting of a grid stands for a method: a function of the records."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cladebench.bench.cell_spec import point_text, setting_order

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Rule:
    """How a setting is chosen.

    Attributes
    ----------
    name, label : str
        In the plan, and in headings.
    metric : str or None
        The one with the best mean wins; None where the setting is fixed.
    direction : {"higher", "lower"} or None
        Which is better.
    at : mapping
        The evaluation point at which the metric is read.
    setting : mapping or None
        The fixed setting, or the part of it that is fixed.
    uses : str
        What the choice rests on: test labels, training labels, no labels, or nothing.
    """

    name: str
    label: str
    metric: str | None = None
    direction: str | None = None
    at: Mapping[str, Any] = field(default_factory=dict)
    setting: Mapping[str, Any] | None = None
    uses: str = ""


def agrees(setting: str, where: Mapping[str, Any]) -> bool:
    """Whether a setting (its canonical JSON) has these values."""
    found = json.loads(setting)
    return all(key in found and found[key] == value for key, value in where.items())


def select_settings(records: pd.DataFrame, selection: Mapping[str, Rule]) -> pd.DataFrame:
    """Choose one setting for each data set and method under each rule.

    Only settings with the most finished cells compete (all of them, unless cells failed), and among them the one with
    the best mean over repetitions and folds wins. Ties go to the first in the order of `setting_order`, which sorts by
    parameter name and size and so depends neither on the plan nor on the order of the records.

    Parameters
    ----------
    records : DataFrame
        Long table of one paper, as `cladebench.bench.store.Store.read_records` gives it.
    selection : mapping of str to Rule
        As in the plan.

    Returns
    -------
    DataFrame
        Columns dataset, method, rule, setting_id, mean (nan where the setting is fixed), n (finished cells); sorted by
        dataset, method and the order of the rules. A data set and method has no row where no finished cell has the
        rule's metric at its point, or none the fixed setting.

    Raises
    ------
    ValueError
        If the records are of several papers, or a rule with a metric has no direction.
    """
    import pandas as pd

    if records["paper"].nunique() > 1:
        raise ValueError(f"records of several papers: {', '.join(sorted(records['paper'].unique()))}")
    for rule in selection.values():
        if rule.setting is None and rule.direction not in ("higher", "lower"):
            raise ValueError(
                f"selection.{rule.name}.direction: {rule.direction!r} is neither 'higher' nor 'lower'"
            )
    finished = records[records["status"] == "ok"]
    # What a rule reads, once for all methods.
    scored = {
        rule.name: finished[
            (finished["metric"] == rule.metric) & finished["at"].isin((point_text(rule.at), "{}"))
        ].sort_values(["repetition", "fold"])
        for rule in selection.values()
        if rule.setting is None
    }
    tables = {name: dict(list(table.groupby(["dataset", "method"]))) for name, table in scored.items()}
    rows: list[dict[str, Any]] = []
    for (dataset, method), group in finished.groupby(["dataset", "method"], sort=True):
        for rule in selection.values():
            if rule.setting is not None:
                fixed = rule.setting
                cells = group.drop_duplicates("cell_id")
                cells = cells[[agrees(text, fixed) for text in cells["setting"]]]
                candidates = [
                    (-len(v), 0.0, setting_order(json.loads(v["setting"].iloc[0])), name)
                    for name, v in cells.groupby("setting_id", sort=False)
                ]
                sign = 1.0
            else:
                sign = -1.0 if rule.direction == "higher" else 1.0
                values = tables[rule.name].get((dataset, method))
                if values is None:
                    continue
                candidates = [
                    (
                        -len(v),
                        sign * v["value"].mean(),
                        setting_order(json.loads(v["setting"].iloc[0])),
                        name,
                    )
                    for name, v in values.groupby("setting_id", sort=False)
                ]
            if candidates:
                count, best, _, name = min(candidates)
                rows.append(
                    {
                        "dataset": dataset,
                        "method": method,
                        "rule": rule.name,
                        "setting_id": name,
                        "mean": sign * best if rule.setting is None else math.nan,
                        "n": -count,
                    }
                )
    return pd.DataFrame(rows, columns=["dataset", "method", "rule", "setting_id", "mean", "n"])
