"""Compare two runs.

They may be of two machines, two commits, two seeds or two scopes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from cladebench.audit.audit_files import read_verdicts
from cladebench.audit.two_runs.run_inputs import input_lines, ratios_of_times, statuses_by_cause, without_seed
from cladebench.audit.two_runs.run_means import compare_means
from cladebench.bench.plan.plan import Plan
from cladebench.bench.store.cells_table import read_cells
from cladebench.crosscheck.certificate import read_certificates
from cladebench.input_files import InputFileError
from cladebench.measures import MEASURES
from cladebench.paper.catalogue import built_in_papers, load_plan

_CELL = ["paper", "dataset", "method", "setting_id", "repetition", "fold"]
_KEY = [*_CELL, "metric", "at"]


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
    inputs : dict of str to str
        What the runs were computed from, where it differs: a line for each kind.
    verdicts : DataFrame
        Claims whose verdict differs (or that one audit lacks): paper, claim, verdict_a, verdict_b, reason_a, reason_b.
    certificates : DataFrame
        Solver checks whose outcome differs: id, passed_a, passed_b.
    means : DataFrame
        See `cladebench.audit.two_runs.run_means.compare_means`.
    n_means : int
        Means that both have.
    statuses : DataFrame
        Cells whose status differs, by method and cause: see `cladebench.audit.two_runs.run_inputs.statuses_by_cause`.
    times : DataFrame
        See `cladebench.audit.two_runs.run_inputs.ratios_of_times`.
    values : DataFrame
        One row for each cell, metric and evaluation point that both have, times left out: the key, a, b, difference,
        allowed, equal (bit for bit), agrees.
    missing : DataFrame
        What one run lacks: the key, metric and point (empty for the whole cell) and ``only_in`` (``A`` or ``B``).
    """

    inputs: dict[str, str]
    verdicts: pd.DataFrame
    certificates: pd.DataFrame
    means: pd.DataFrame
    n_means: int
    statuses: pd.DataFrame
    times: pd.DataFrame
    values: pd.DataFrame
    missing: pd.DataFrame

    @property
    def beyond(self) -> pd.DataFrame:
        """Values that differ by more than allowed, the largest first."""
        rows = self.values[~self.values["agrees"]]
        return rows.sort_values("difference", key=np.abs, ascending=False, kind="stable")

    def agree(self, only_common: bool = False) -> bool:
        """Say whether nothing differs beyond tolerance.

        Cells, claims and solver checks that one run lacks count unless `only_common`.
        """
        judged = self.verdicts, self.certificates
        changed = [in_both(table) if only_common else table for table in judged]
        same = self.beyond.empty and self.statuses.empty and all(table.empty for table in changed)
        return same and (only_common or self.missing.empty)


def compare_runs(a: Path, b: Path, tolerance: Tolerance | None = None) -> RunComparison:
    """Compare two results folders.

    Parameters
    ----------
    a, b : Path
        Folders with ``cells.parquet``, and ``audit.csv`` and ``certificates.csv`` where both have them.
    tolerance : Tolerance, optional

    Returns
    -------
    RunComparison

    Raises
    ------
    InputFileError
        If a folder is not there, has no records, has one cell twice, or has a damaged audit or solver checks.
    """
    for folder in (a, b):
        if not folder.is_dir():
            raise InputFileError(
                f"{folder}: no such folder; expected one of cladebench collect or run-comparison"
            )
    left, right = (_numbers(read_cells(folder / "cells.parquet")) for folder in (a, b))
    plans = {paper: load_plan(paper) for paper in {*left["paper"]} & {*built_in_papers()}}
    timed = [_of_the_machine(frame, plans) for frame in (left, right)]
    results = [
        frame[~seconds & (frame["metric"] != "")] for frame, seconds in zip((left, right), timed, strict=True)
    ]
    cells_a, cells_b = (frame.drop_duplicates(_CELL) for frame in (left, right))
    both = cells_a.drop(columns=["metric", "at"]).merge(
        cells_b.drop(columns=["metric", "at"]), on=_CELL, how="outer", suffixes=("_a", "_b"), indicator=True
    )
    common = both[both["_merge"] == "both"]
    # Blocks of test rows are cells of one run.
    runs = both[~both["cell_id_a"].fillna(both["cell_id_b"]).duplicated()]
    shared = runs[runs["_merge"] == "both"]
    finished = common.loc[(common["status_a"] == "ok") & (common["status_b"] == "ok"), _CELL]
    metrics = [frame[_KEY].merge(finished, on=_CELL) for frame in (left, right)]
    missing = [
        _only_in_one(both.assign(metric="", at="")),
        _only_in_one(metrics[0].merge(metrics[1], on=_KEY, how="outer", indicator=True)),
    ]
    changed = shared[shared["status_a"] != shared["status_b"]]
    means, n_means = compare_means(results[0], results[1], plans)
    return RunComparison(
        inputs=input_lines(runs),
        verdicts=_changed(_verdicts(a), _verdicts(b), ["paper", "claim"], "verdict", "reason"),
        certificates=_changed(*without_seed(_outcomes(a), _outcomes(b), left, right), ["id"], "passed"),
        means=means,
        n_means=n_means,
        statuses=statuses_by_cause(changed),
        times=ratios_of_times(shared),
        values=_compare_values(results[0], results[1], tolerance or Tolerance()),
        missing=pd.concat(missing, ignore_index=True),
    )


def in_both(changed: pd.DataFrame) -> pd.DataFrame:
    """Rows of changed verdicts or solver checks that both runs have."""
    sides = [column for column in map(str, changed) if column.startswith(("verdict_", "passed_"))]
    return changed[(changed[sides] != ABSENT).all(axis=1)]


#: Stands for the verdict of a claim, or the outcome of a solver check, that one run lacks.
ABSENT = "(absent)"


def _of_the_machine(rows: pd.DataFrame, plans: Mapping[str, Plan]) -> pd.Series:
    """Find the rows that are seconds or memory.

    Units of measures say so; a paper elsewhere has the measures of all papers.
    """
    names = rows[["paper", "metric"]].drop_duplicates()
    timed = set()
    for paper, metric in zip(names["paper"], names["metric"], strict=True):
        measure = (plans[paper].measures if paper in plans else MEASURES).get(metric)
        if measure is not None and measure.unit in ("s", "MB"):
            timed.add(f"{paper}/{metric}")
    return (rows["paper"] + "/" + rows["metric"]).isin(timed)


def _numbers(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(metric=frame["metric"].fillna("").astype(str))


def _only_in_one(merged: pd.DataFrame) -> pd.DataFrame:
    rows = merged[merged["_merge"] != "both"]
    return rows[_KEY].assign(only_in=["A" if side == "left_only" else "B" for side in rows["_merge"]])


def _compare_values(left: pd.DataFrame, right: pd.DataFrame, tolerance: Tolerance) -> pd.DataFrame:
    """Compare the results that both runs have, one by one."""
    both = left[[*_KEY, "value"]].merge(right[[*_KEY, "value"]], on=_KEY, suffixes=("_a", "_b"))
    both = both.rename(columns={"value_a": "a", "value_b": "b"})
    a, b = both["a"].astype(float), both["b"].astype(float)
    both["difference"] = b - a
    both["allowed"] = tolerance.allowed(both["metric"], pd.concat([a.abs(), b.abs()], axis=1).max(axis=1))
    both["equal"] = (a == b) | (a.isna() & b.isna())
    both["agrees"] = both["equal"] | (both["difference"].abs() <= both["allowed"])
    return both


def _verdicts(folder: Path) -> pd.DataFrame | None:
    path = folder / "audit.csv"
    return read_verdicts(path) if path.exists() else None


def _outcomes(folder: Path) -> pd.DataFrame | None:
    frame = read_certificates(folder / "certificates.csv")
    return None if frame is None else frame[["id", "passed"]].astype({"passed": str})


def _changed(
    a: pd.DataFrame | None, b: pd.DataFrame | None, key: Sequence[str], *columns: str
) -> pd.DataFrame:
    """List rows of two tables whose entry in the first column differs.

    The list is empty where a run lacks the table.
    """
    names = [f"{column}_{side}" for column in columns for side in "ab"]
    if a is None or b is None:
        return pd.DataFrame(columns=[*key, *names])
    merged = a.merge(b, on=list(key), how="outer", suffixes=("_a", "_b"))[[*key, *names]].fillna(ABSENT)
    return merged[merged[names[0]] != merged[names[1]]].reset_index(drop=True)
