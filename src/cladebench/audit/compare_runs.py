"""Two runs side by side: two machines, two commits, two scopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from cladebench.audit.audit_files import read_audit
from cladebench.bench.cells_table import read_cells
from cladebench.crosscheck.certificate import read_certificates
from cladebench.measures import MEASURES
from cladebench.papers.catalogue import built_in_papers, load_plan

_CELL = ["paper", "dataset", "method", "setting_id", "repetition", "fold"]
_KEY = [*_CELL, "metric", "at"]

#: What a cell was computed from; where it differs, differences of the results are no surprise.
_INPUTS = ("seed", "data_sha256", "task", "params", "code_digest")


@dataclass(frozen=True)
class Tolerance:
    """How far values may differ and still agree.

    Values a and b agree when ``|a - b| <= absolute + relative * max(|a|, |b|)``.

    Parameters
    ----------
    relative, absolute : float
        For every metric without its own entry. The defaults allow the rounding of another machine's arithmetic.
    metrics : mapping of str to float
        Relative tolerance of single metrics.
    """

    relative: float = 1e-9
    absolute: float = 1e-12
    metrics: Mapping[str, float] = field(default_factory=dict)

    def allowed(self, metric: pd.Series, size: pd.Series) -> pd.Series:
        """Largest allowed difference for each row."""
        relative = metric.map(lambda name: self.metrics.get(name, self.relative)).astype(float)
        return self.absolute + relative * size


@dataclass(frozen=True)
class RunComparison:
    """What differs between two runs.

    Attributes
    ----------
    values : DataFrame
        One row for each cell, metric and evaluation point that both have, times left out: the key, a, b, difference,
        allowed, equal (bit for bit), agrees.
    missing : DataFrame
        What one run lacks: the key, metric and point (empty for the whole cell) and ``only_in`` (``A`` or ``B``).
    statuses : DataFrame
        Cells whose status differs: the key, status_a, status_b.
    inputs : DataFrame
        For each paper, data set and method the inputs that differ, and in how many cells.
    times : DataFrame
        For each paper, data set, method and measure of time or memory: median ratio B/A, smallest, largest, cells.
    verdicts : DataFrame
        Claims whose verdict differs (or that one audit lacks): paper, claim, verdict_a, verdict_b.
    certificates : DataFrame
        Certificates whose outcome differs: id, passed_a, passed_b.
    """

    values: pd.DataFrame
    missing: pd.DataFrame
    statuses: pd.DataFrame
    inputs: pd.DataFrame
    times: pd.DataFrame
    verdicts: pd.DataFrame
    certificates: pd.DataFrame

    @property
    def beyond(self) -> pd.DataFrame:
        """Values that differ by more than allowed, the largest first."""
        rows = self.values[~self.values["agrees"]]
        return rows.sort_values("difference", key=np.abs, ascending=False, kind="stable")

    def agree(self, only_common: bool = False) -> bool:
        """Say whether nothing differs beyond tolerance.

        Cells that one run lacks count unless `only_common`.
        """
        same = self.beyond.empty and self.statuses.empty and self.verdicts.empty and self.certificates.empty
        return same and (only_common or self.missing.empty)


def compare_runs(
    a: Path, b: Path, tolerance: Tolerance | None = None, *, only_common: bool = False
) -> RunComparison:
    """Compare two results folders.

    Parameters
    ----------
    a, b : Path
        Folders with ``cells.parquet``, and ``audit.json`` and ``certificates.csv`` where both have them.
    tolerance : Tolerance, optional
    only_common : bool, default=False
        Leave out claims and certificates that only one run has.

    Returns
    -------
    RunComparison

    Raises
    ------
    InputFileError
        If a folder has no records, has one cell twice, or has a damaged audit or certificates.
    """
    left, right = (_numbers(read_cells(folder / "cells.parquet")) for folder in (a, b))
    values, times = _compare_values(left, right, tolerance or Tolerance())
    cells_a, cells_b = (frame.drop_duplicates(_CELL) for frame in (left, right))
    both = cells_a.drop(columns=["metric", "at"]).merge(
        cells_b.drop(columns=["metric", "at"]), on=_CELL, how="outer", suffixes=("_a", "_b"), indicator=True
    )
    common = both[both["_merge"] == "both"]
    finished = common.loc[(common["status_a"] == "ok") & (common["status_b"] == "ok"), _CELL]
    metrics = [frame[_KEY].merge(finished, on=_CELL) for frame in (left, right)]
    missing = [_only_in_one(both.assign(metric="", at="")), _only_in_one(_outer(*metrics))]
    statuses = common.loc[common["status_a"] != common["status_b"], [*_CELL, "status_a", "status_b"]]
    of_cells = [
        _ratios(common.assign(metric=c, value_a=common[f"{c}_a"], value_b=common[f"{c}_b"]))
        for c in ("cpu_seconds", "peak_memory_mb")
    ]
    return RunComparison(
        values=values,
        missing=pd.concat(missing, ignore_index=True),
        statuses=statuses.reset_index(drop=True),
        inputs=_inputs(common),
        times=pd.concat([*of_cells, times], ignore_index=True),
        verdicts=_changed(_verdicts(a), _verdicts(b), ["paper", "claim"], "verdict", only_common),
        certificates=_changed(_outcomes(a), _outcomes(b), ["id"], "passed", only_common),
    )


def _of_the_machine(rows: pd.DataFrame) -> pd.Series:
    """Find the rows that are seconds or memory.

    Units of measures say so; a paper elsewhere has the measures of all papers.
    """
    built_in = built_in_papers()
    measures = {
        paper: load_plan(paper).measures if paper in built_in else MEASURES
        for paper in rows["paper"].unique()
    }
    units = [
        found.unit if (found := measures[paper].get(metric)) else ""
        for paper, metric in zip(rows["paper"], rows["metric"], strict=True)
    ]
    return pd.Series(units, index=rows.index, dtype=object).isin(("s", "MB"))


def _numbers(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(metric=frame["metric"].fillna("").astype(str))


def _outer(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    return left.merge(right, on=_KEY, how="outer", indicator=True)


def _only_in_one(merged: pd.DataFrame) -> pd.DataFrame:
    rows = merged[merged["_merge"] != "both"]
    return rows[_KEY].assign(only_in=["A" if side == "left_only" else "B" for side in rows["_merge"]])


def _compare_values(
    left: pd.DataFrame, right: pd.DataFrame, tolerance: Tolerance
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare the metrics that both runs have.

    Gives results with their differences, and ratios of times.
    """
    merged = left[[*_KEY, "value"]].merge(right[[*_KEY, "value"]], on=_KEY, suffixes=("_a", "_b"))
    merged = merged[merged["metric"] != ""]
    timed = _of_the_machine(merged)
    found = merged[~timed].rename(columns={"value_a": "a", "value_b": "b"}).reset_index(drop=True)
    a, b = found["a"].astype(float), found["b"].astype(float)
    found["difference"] = b - a
    found["allowed"] = tolerance.allowed(found["metric"], pd.concat([a.abs(), b.abs()], axis=1).max(axis=1))
    found["equal"] = (a == b) | (a.isna() & b.isna())
    found["agrees"] = found["equal"] | (found["difference"].abs() <= found["allowed"])
    return found, _ratios(merged[timed])


def _ratios(frame: pd.DataFrame) -> pd.DataFrame:
    columns = ["paper", "dataset", "method", "metric", "ratio", "low", "high", "cells"]
    a, b = frame["value_a"].astype(float), frame["value_b"].astype(float)
    frame = frame.assign(ratio=b / a.where(a > 0))[["paper", "dataset", "method", "metric", "ratio"]].dropna()
    if frame.empty:
        return pd.DataFrame(columns=columns)
    groups = frame.groupby(["paper", "dataset", "method", "metric"])["ratio"]
    table = groups.agg(ratio="median", low="min", high="max", cells="size").reset_index()
    return table[columns]


def _inputs(common: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (paper, dataset, method), group in common.groupby(["paper", "dataset", "method"]):
        for name in _INPUTS:
            first, second = (group[f"{name}_{side}"].astype("string").fillna("") for side in "ab")
            changed = int((first != second).sum())
            if changed:
                rows.append(
                    {
                        "paper": paper,
                        "dataset": dataset,
                        "method": method,
                        "input": name,
                        "changed": changed,
                        "cells": len(group),
                    }
                )
    return pd.DataFrame(rows, columns=["paper", "dataset", "method", "input", "changed", "cells"])


def _verdicts(folder: Path) -> pd.DataFrame | None:
    path = folder / "audit.json"
    if not path.exists():
        return None
    columns = ["paper", "claim", "verdict"]
    return pd.DataFrame(
        [{c: claim[c] for c in columns} for claim in read_audit(path).claims], columns=columns
    )


def _outcomes(folder: Path) -> pd.DataFrame | None:
    frame = read_certificates(folder / "certificates.csv")
    return None if frame is None else frame[["id", "passed"]].astype({"passed": str})


def _changed(
    a: pd.DataFrame | None, b: pd.DataFrame | None, key: Sequence[str], column: str, only_common: bool
) -> pd.DataFrame:
    """List rows of two tables whose entry in one column differs.

    Nothing where a run lacks the table.
    """
    columns = [*key, f"{column}_a", f"{column}_b"]
    if a is None or b is None:
        return pd.DataFrame(columns=columns)
    how: Literal["inner", "outer"] = "inner" if only_common else "outer"
    merged = a.merge(b, on=list(key), how=how, suffixes=("_a", "_b"))[columns].fillna("(absent)")
    return merged[merged[f"{column}_a"] != merged[f"{column}_b"]].reset_index(drop=True)
