"""Choose from the records which setting represents a method."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cladebench.bench.plan.cell_spec import point_text, setting_order

if TYPE_CHECKING:
    import pandas as pd

#: What `select_settings` reads of the records.
SELECTION_COLUMNS = [
    *("paper", "dataset", "method", "setting", "setting_id", "repetition", "fold"),
    *("metric", "at", "value", "status", "cell_id"),
]


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
    shown : bool
        Whether tables have a column of it; others are there for claims and other choices.
    """

    name: str
    label: str
    metric: str | None = None
    direction: str | None = None
    at: Mapping[str, Any] = field(default_factory=dict)
    setting: Mapping[str, Any] | None = None
    uses: str = ""
    shown: bool = True


def agrees(setting: str, where: Mapping[str, Any]) -> bool:
    """Whether a setting (its canonical JSON) has these values."""
    chosen = json.loads(setting)
    return all(key in chosen and chosen[key] == value for key, value in where.items())


def select_settings(records: pd.DataFrame, selection: Mapping[str, Rule]) -> pd.DataFrame:
    """Choose one setting for each data set and method under each rule.

    Only settings with the most finished cells compete (all of them, unless cells failed), and among them the one with
    the best mean over repetitions and folds wins. Ties go to the first in the order of `setting_order`, which sorts by
    parameter name and size and so depends neither on the plan nor on the order of the records.

    Parameters
    ----------
    records : DataFrame
        Long table of one paper, as `cladebench.bench.store.cells_table.read_cells` gives it.
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
                f"selection.{rule.name}.direction: {rule.direction!r}; expected 'higher' or 'lower'"
            )
    finished = records[records["status"] == "ok"]
    candidates = {name: _candidates(finished, rule) for name, rule in selection.items()}
    rows = []
    for dataset, method in sorted(
        finished[["dataset", "method"]].drop_duplicates().itertuples(index=False, name=None)
    ):
        for name, rule in selection.items():
            settings = candidates[name].get((dataset, method), {})
            ranked = []
            for setting_id, (setting, values) in settings.items():
                mean = pd.Series(values, dtype=float).mean() if rule.setting is None else 0.0
                sign = -1.0 if rule.direction == "higher" else 1.0
                ranked.append(
                    (-len(values), sign * mean, setting_order(json.loads(setting)), setting_id, mean)
                )
            if ranked:
                count, _, _, setting_id, mean = min(ranked)
                mean = mean if rule.setting is None else math.nan
                rows.append((dataset, method, rule.name, setting_id, mean, -count))
    return pd.DataFrame(rows, columns=["dataset", "method", "rule", "setting_id", "mean", "n"])


def _candidates(
    finished: pd.DataFrame, rule: Rule
) -> dict[tuple[str, str], dict[str, tuple[str, list[float]]]]:
    """Group the settings that a rule compares by data set and method.

    Each setting has its text and the values of its cells.
    """
    if rule.setting is None:
        at = finished["at"].isin((point_text(rule.at), "{}"))
        read = finished[(finished["metric"] == rule.metric) & at].sort_values(["repetition", "fold"])
    else:
        read = finished.drop_duplicates("cell_id")
    candidates: dict[tuple[str, str], dict[str, tuple[str, list[float]]]] = {}
    columns = ("dataset", "method", "setting_id", "setting", "value")
    for dataset, method, setting_id, setting, value in zip(*(read[name] for name in columns), strict=True):
        if rule.setting is not None and not agrees(setting, rule.setting):
            continue
        settings = candidates.setdefault((dataset, method), {})
        settings.setdefault(setting_id, (setting, []))[1].append(value)
    return candidates
