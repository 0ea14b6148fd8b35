"""Compare what two runs were made from, their ends and their times."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from cladebench.bench.plan.cell_spec import derive_seed
from cladebench.bench.store.causes import cause_of, some_of

#: Columns that say what a run was computed from: the kind, and by what to name the runs that differ.
_INPUTS = {
    "seed": ("seeds", "method"),
    "data_sha256": ("data", "dataset"),
    "task": ("tasks", "dataset"),
    "params": ("parameters", "method"),
    "code_digest": ("code", "method"),
    "core_build": ("compiled core", "method"),
}
#: Shorter runs say nothing of time: the clock has steps of 0.01 s.
LEAST_SECONDS = 0.1


def input_lines(both: pd.DataFrame) -> dict[str, str]:
    """Give a line on each kind of input that differs.

    Parameters
    ----------
    both : DataFrame
        Cells of both runs merged by ``outer``, with the suffixes ``_a`` and ``_b`` and the column ``_merge``.
    """
    lines = {}
    common = both[both["_merge"] == "both"]
    sides = {side: both[both["_merge"] == f"{side}_only"] for side in ("left", "right")}
    if any(map(len, sides.values())):
        alone = [
            f"{len(rows):,} only in {name}" + (f" ({_most(_methods(rows))})" if len(rows) else "")
            for name, rows in zip("AB", sides.values(), strict=True)
        ]
        lines["runs"] = f"{len(common):,} in both, {', '.join(alone)}"
    for column, (kind, by) in _INPUTS.items():
        first, second = (common[f"{column}_{side}"].astype("string").fillna("") for side in "ab")
        changed = common[first != second]
        if len(changed):
            lines[kind] = f"{len(changed):,} of {len(common):,} runs: {_most(changed[by])}"
    for kind, column in (("libraries", "versions"), ("machine", "machine")):
        a, b = (_settings(both[f"{column}_{side}"].dropna().unique()) for side in "ab")
        changes = [
            f"{key} {_set(a, key)} -> {_set(b, key)}" for key in sorted({*a, *b}) if a.get(key) != b.get(key)
        ]
        if changes:
            lines[kind] = "; ".join(changes)
    commits = [sorted(both[f"git_commit_{side}"].dropna().unique()) for side in "ab"]
    if commits[0] != commits[1]:
        lines["commits"] = " -> ".join(
            (some_of([commit[:8] for commit in of], 3) or "none") for of in commits
        )
    return lines


def _settings(texts: Iterable[str]) -> dict[str, set[str]]:
    """Gather what JSON objects say under each key."""
    values_of: dict[str, set[str]] = {}
    for text in texts:
        for key, value in json.loads(text).items():
            values_of.setdefault(key, set()).add(str(value))
    return values_of


def _set(values_of: dict[str, set[str]], key: str) -> str:
    return some_of(sorted(values_of.get(key, ())), 4) or "none"


def _methods(rows: pd.DataFrame) -> pd.Series:
    """Name methods, with their papers where these are several."""
    return rows["paper"] + " " + rows["method"] if rows["paper"].nunique() > 1 else rows["method"]


def _most(names: pd.Series) -> str:
    """Name those with the most runs."""
    counts = names.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    return some_of(counts.index, 4) or "none"


def statuses_by_cause(changed: pd.DataFrame) -> pd.DataFrame:
    """Count cells whose status differs, by method and cause.

    Columns: paper, method, status_a, status_b, cause, runs.

    Numbers in a cause are those of its first run.
    """
    failed = changed["reason_b"].where(changed["status_b"] != "ok", changed["reason_a"]).astype(object)
    rows = changed.assign(cause=failed.where(failed.notna(), ""))
    rows["same"] = rows["cause"].map(cause_of)
    keys = ["paper", "method", "status_a", "status_b", "same"]
    counted = (
        rows.groupby(keys, sort=False).agg(cause=("cause", "first"), runs=("cause", "size")).reset_index()
    )
    return counted.drop(columns="same").sort_values("runs", ascending=False, kind="stable")


def ratios_of_times(common: pd.DataFrame) -> pd.DataFrame:
    """Give the CPU time of B over A by method.

    It is the median over runs that both finished.

    Parameters
    ----------
    common : DataFrame
        Cells that both have. Runs of the same record, kept from one to the other, are left out, and those of less than
        `LEAST_SECONDS`.

    Returns
    -------
    DataFrame
        Columns paper, method, ratio, low, high (`median_interval`), runs; the slowest in B first.
    """
    a, b = (common[f"cpu_seconds_{side}"].astype(float) for side in "ab")
    kept = (a == b) & (common["wall_seconds_a"] == common["wall_seconds_b"]).fillna(False).astype(bool)
    ended = (common["status_a"] == "ok") & (common["status_b"] == "ok")
    timed = common.assign(ratio=b / a)[ended & ~kept & (np.minimum(a, b) >= LEAST_SECONDS)]
    rows = [
        (*names, *median_interval(group.to_numpy()), len(group))
        for names, group in timed.groupby(["paper", "method"], sort=False)["ratio"]
    ]
    table = pd.DataFrame(rows, columns=["paper", "method", "ratio", "low", "high", "runs"])
    return table.sort_values("ratio", ascending=False, kind="stable", ignore_index=True)


def median_interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Give the median and its interval by signs.

    The values may have any distribution. For fewer than 6 the interval is infinite.

    >>> median_interval(np.arange(1.0, 7.0))
    (3.5, 1.0, 6.0)
    """
    ordered, n = np.sort(values), values.size
    out = int((special.bdtr(np.arange(n), n, 0.5) <= (1 - level) / 2).sum())
    low, high = (ordered[out - 1], ordered[-out]) if out else (-np.inf, np.inf)
    return float(np.median(ordered)), float(low), float(high)


def without_seed(
    a: pd.DataFrame | None, b: pd.DataFrame | None, cells_a: pd.DataFrame, cells_b: pd.DataFrame
) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
    """Name solver checks of B as in A if only seeds differ."""
    if a is None or b is None:
        return a, b
    ours, theirs = ({*frame["id"]} for frame in (a, b))
    first, second = (_root_seed(cells, ours | theirs) for cells in (cells_a, cells_b))
    if first is None or second is None:
        return a, b
    alone, shift = ours - theirs, first - second
    names = {name: shifted for name in theirs - ours for shifted in _shifted(name, shift) if shifted in alone}
    return a, b.assign(id=[names.get(name, name) for name in b["id"]])


def _shifted(name: str, by: int) -> Iterator[str]:
    """Give a name with one of its numbers shifted, each in turn."""
    for number in re.finditer(r"[0-9]+", name):
        yield f"{name[: number.start()]}{int(number[0]) + by}{name[number.end() :]}"


def _root_seed(cells: pd.DataFrame, names: Iterable[str]) -> int | None:
    """Find the root seed in the names of solver checks.

    The seeds of the cells were derived from it.
    """
    cell: Any
    for cell in cells[cells["seed"].notna()].head(1).itertuples():
        repetition, _, fold = str(cell.cell_id).rpartition("/")[2].partition(".")
        parts = (cell.paper, cell.dataset, cell.method, int(repetition), *([f"fold {fold}"] if fold else []))
        numbers = {int(number) for name in names for number in re.findall(r"[0-9]+", name)}
        return next((number for number in sorted(numbers) if derive_seed(number, *parts) == cell.seed), None)
    return None
