"""Queries over the records: the repetitions of a metric for one method on one data set under a rule of selection."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.selection import select_settings


@dataclass(frozen=True)
class Sample:
    """What a query found.

    Attributes
    ----------
    values : Series
        By repetition; empty when there is a problem.
    problem : str
        Why there is nothing to judge; empty when there is.
    notes : tuple of str
        What a reader should know though it stops nothing: cells that failed, for example.
    cells : str
        Glob pattern over ``cell_id`` that finds the cells behind it.
    setting : str
        Canonical JSON of the setting.
    gridded : bool
        Whether the setting was selected among several.
    point : bool
        Known exactly: a constant, or a deterministic method.
    stand_in_for : str
        The data that the data set stands in for; empty for the paper's own.
    drift : int
        Of the best or worst of several methods, some without records: +1 where those could only have raised the value,
        -1 where they could only have lowered it, else 0.
    """

    values: pd.Series
    problem: str = ""
    notes: tuple[str, ...] = ()
    cells: str = ""
    setting: str = ""
    gridded: bool = False
    point: bool = False
    stand_in_for: str = ""
    drift: int = 0


def constant(value: float) -> Sample:
    """A number that is not measured."""
    return Sample(pd.Series([value], index=[0], dtype=float), point=True)


@dataclass
class Records:
    """The records of one paper, ready for queries.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``cells.parquet`` of this paper.
    selection : Mapping
        The plan's rules: name -> metric and direction.
    deterministic : collection of str
        Methods for which one repetition is exact.
    """

    frame: pd.DataFrame
    selection: Mapping[str, Any] = field(default_factory=dict)
    deterministic: Collection[str] = ()

    def __post_init__(self) -> None:
        self._groups = dict(list(self.frame.groupby(["dataset", "method"], sort=False)))
        self._choices: dict[tuple[str, str, str], pd.DataFrame] = {}
        self._samples: dict[str, Sample] = {}

    def sample(self, query: Mapping[str, Any], rule: str) -> Sample:
        """Find the repetitions that a query asks for.

        Parameters
        ----------
        query : Mapping
            Keys dataset, method, metric; where (a part of the setting); scale; selection (a rule that the claim fixes).
        rule : str
            Rule by which the setting is selected when the claim fixes none.
        """
        key = json.dumps([rule, {k: query[k] for k in sorted(query) if k != "x"}], sort_keys=True)
        if key not in self._samples:
            self._samples[key] = self._find(query, rule)
        return self._samples[key]

    def _find(self, query: Mapping[str, Any], rule: str) -> Sample:
        dataset, method, metric = query["dataset"], query["method"], query["metric"]
        name = f"{method} on {dataset}"
        where = query.get("where") or {}
        rows = self._groups.get((dataset, method))
        if rows is not None and where:
            rows = rows[[_agrees(text, where) for text in rows["setting"]]]
        if rows is None or rows.empty:
            extra = f" with {json.dumps(where, sort_keys=True)}" if where else ""
            return _nothing(f"no cell of {name}{extra} in this run")
        stand_in = next((str(s) for s in rows["stand_in_for"] if isinstance(s, str) and s), "")
        gridded = rows["setting_id"].nunique() > 1
        if gridded and (rows["status"] == "ok").any():
            chosen = self._chosen(rows, dataset, method, query.get("selection", rule), where)
            if chosen is None:
                return _nothing(
                    f"no setting of {name} is selected under the rule {query.get('selection', rule)!r}"
                )
            rows = rows[rows["setting_id"] == chosen]
        return self._read(rows, name, metric, float(query.get("scale", 1.0)), gridded, method, stand_in)

    def _chosen(
        self, rows: pd.DataFrame, dataset: str, method: str, rule: str, where: Mapping[str, Any]
    ) -> str | None:
        key = (dataset, method, json.dumps(where, sort_keys=True))
        if key not in self._choices:
            self._choices[key] = select_settings(rows, self.selection)
        choices = self._choices[key]
        found = choices[
            (choices["dataset"] == dataset) & (choices["method"] == method) & (choices["rule"] == rule)
        ]
        return None if found.empty else str(found["setting_id"].iloc[0])

    def _read(
        self,
        rows: pd.DataFrame,
        name: str,
        metric: str,
        scale: float,
        gridded: bool,
        method: str,
        stand_in: str,
    ) -> Sample:
        cells = rows.drop_duplicates("cell_id")
        ok = int((cells["status"] == "ok").sum())
        failed = cells[cells["status"] != "ok"]
        if 2 * ok < len(cells) or not ok:
            return _nothing(f"{name}: {_failures(failed, len(cells))}")
        notes = (f"{name}: {_failures(failed, len(cells))}",) if len(failed) else ()
        found = rows[(rows["status"] == "ok") & (rows["metric"] == metric)]
        values = pd.Series(
            found["value"].to_numpy(dtype=float) * scale, index=found["repetition"].to_numpy(dtype=int)
        ).sort_index()
        if values.empty:
            return _nothing(f"{name}: the metric {metric!r} is not recorded")
        if not np.isfinite(values.to_numpy()).all():
            return _nothing(
                f"{name}: {metric} is not finite in {int((~np.isfinite(values)).sum())} of {len(values)}"
            )
        if values.index.has_duplicates:
            return _nothing(
                f"{name}: {metric} is recorded twice for repetition {values.index[values.index.duplicated()][0]}"
            )
        pattern = str(found["cell_id"].iloc[0]).rpartition("/")[0] + "/*"
        # One repetition of a deterministic method is exact; several differ only through the data drawn.
        point = len(values) == 1 and method in self.deterministic
        return Sample(
            values,
            "",
            notes,
            pattern,
            str(found["setting"].iloc[0]),
            gridded,
            point,
            stand_in_for=stand_in,
        )


def pair(left: Sample, right: Sample) -> tuple[np.ndarray, np.ndarray]:
    """Pair two samples by repetition; a value known exactly meets every repetition of the other side.

    Returns
    -------
    tuple of ndarray
        Equally long; empty when no repetition is shared.
    """
    if left.point and right.point:
        return left.values.to_numpy(), right.values.to_numpy()
    if left.point:
        return np.full(len(right.values), left.values.iloc[0]), right.values.to_numpy()
    if right.point:
        return left.values.to_numpy(), np.full(len(left.values), right.values.iloc[0])
    shared = left.values.index.intersection(right.values.index)
    return left.values.loc[shared].to_numpy(), right.values.loc[shared].to_numpy()


def _nothing(problem: str) -> Sample:
    return Sample(pd.Series(dtype=float), problem=problem)


def _agrees(setting: str, where: Mapping[str, Any]) -> bool:
    found = json.loads(setting)
    return all(key in found and found[key] == value for key, value in where.items())


def _failures(failed: pd.DataFrame, total: int) -> str:
    """Say how many cells failed and why: ``5 of 5 cells unavailable: no source holds the file``."""
    parts = []
    for status, group in failed.groupby("status", sort=True):
        reasons = [r for r in dict.fromkeys(group["reason"]) if isinstance(r, str) and r]
        why = f": {' '.join(reasons[0].split())[:160]}" if reasons else ""
        parts.append(f"{len(group)} of {total} cells {str(status).replace('_', ' ')}{why}")
    return "; ".join(parts)
