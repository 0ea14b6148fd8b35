"""From numbers to the cells behind them: names of cells on the pages, and what the script there shows of each."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from cladebench.bench.selection import Rule
from cladebench.bench.store import RecordError, Store

#: Characters kept of the end of a failed cell's log, and the number of cells that get one.
LOG_CHARACTERS, LOG_CELLS = 1500, 200

_ENVIRONMENT = ("git_commit", "git_dirty", "core_build", "versions", "machine", "threads")
_DATA = ("data_kind", "data_source", "data_sha256", "stand_in_for")


def anchor(kind: str, name: str) -> str:
    """Fragment of a page for a name, with every character that HTML or an address could mistake written as a code."""
    return f"{kind}-" + re.sub(r"[^A-Za-z0-9./-]", lambda found: f"_{ord(found[0]):x}_", name)


def plain(value: Any) -> Any:
    """Turn a value of a frame into what JSON can hold: missing values become None, numbers keep 7 digits."""
    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, float):
        return float(f"{value:.7g}") if abs(value) != float("inf") else str(value)
    return value if isinstance(value, (str, bool, int)) else value.item()


@dataclass(frozen=True)
class Cell:
    """One repetition: its id, number and status."""

    cell_id: str
    repetition: int
    status: str

    @property
    def anchor(self) -> str:
        """Where it stands on the page of cells."""
        return anchor("cell", self.cell_id)


@dataclass(frozen=True)
class Group:
    """The repetitions of one setting of a method on a data set.

    Attributes
    ----------
    group_id : str
        ``paper/dataset/method/setting_id``.
    dataset, method, setting : str
        ``setting`` is written for readers.
    rules : tuple of str
        Rules of selection that chose this setting.
    cells : tuple of Cell
    scores : tuple of float or None
        Mean over the finished repetitions of each metric that a rule of selection uses.
    cpu_seconds : float
        Over all repetitions.
    """

    group_id: str
    dataset: str
    method: str
    setting: str
    rules: tuple[str, ...]
    cells: tuple[Cell, ...]
    scores: tuple[float | None, ...]
    cpu_seconds: float

    @property
    def anchor(self) -> str:
        """Where it stands on the page of cells."""
        return anchor("cells", self.group_id)


@dataclass
class Sources:
    """Every cell of a paper, and the sets of settings that some number rests on together.

    Attributes
    ----------
    groups : tuple of Group
        In the order of the records.
    score_names : tuple of str
        The metrics of `Group.scores`.
    sets : dict of tuple of str to str
        Group ids -> fragment, for numbers that rest on several settings; filled by `target`.
    """

    groups: tuple[Group, ...]
    score_names: tuple[str, ...]
    sets: dict[tuple[str, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known = {group.group_id for group in self.groups}
        self._cells = {cell.cell_id for group in self.groups for cell in group.cells}

    def target(self, cell_ids: Iterable[str]) -> str | None:
        """Fragment of the page of cells for the cells behind a number; None when no such cell is in the run."""
        cells = list(dict.fromkeys(str(cell_id) for cell_id in cell_ids))
        if len(cells) == 1 and cells[0] in self._cells:
            return anchor("cell", cells[0])
        return self.target_of_groups(cell.rpartition("/")[0] for cell in cells)

    def target_of_groups(self, group_ids: Iterable[str]) -> str | None:
        """Fragment for settings: of the setting where it is one, else of a list of them."""
        groups = tuple(dict.fromkeys(name for name in group_ids if name in self._known))
        if len(groups) < 2:
            return anchor("cells", groups[0]) if groups else None
        return self.sets.setdefault(groups, f"set-{len(self.sets) + 1}")


def readable(setting: str) -> str:
    """Write a setting for readers: ``n_leaves = 8, n_iter = 50``."""
    try:
        found = json.loads(setting)
    except ValueError:
        return setting
    if not isinstance(found, dict):
        return setting
    return (
        ", ".join(f"{k} = {v if isinstance(v, str) else json.dumps(v)}" for k, v in found.items())
        or "default"
    )


def gather_sources(records: pd.DataFrame, choices: pd.DataFrame, selection: Mapping[str, Rule]) -> Sources:
    """Group the cells of one paper by setting.

    Parameters
    ----------
    records : DataFrame
        Rows of ``cells.parquet`` of this paper.
    choices : DataFrame
        Which setting each rule chose: columns dataset, method, rule, setting_id.
    selection : Mapping
        The plan's rules.
    """
    metrics = tuple(dict.fromkeys(rule.metric for rule in selection.values() if rule.metric))
    rules: dict[tuple[str, str, str], list[str]] = {}
    for choice in choices.to_dict(orient="records"):
        rules.setdefault((choice["dataset"], choice["method"], choice["setting_id"]), []).append(
            str(choice["rule"])
        )
    scored = _by_cell(records[records["metric"].isin(metrics)])
    by_group = _by_group(records)
    settings = Counter((rows[0]["dataset"], rows[0]["method"]) for rows in by_group.values())
    groups = []
    for name, rows in by_group.items():
        first = rows[0]
        dataset, method = first["dataset"], first["method"]
        values = [scored.get(row["cell_id"], {}) for row in rows]
        groups.append(
            Group(
                group_id=name,
                dataset=dataset,
                method=method,
                setting=readable(first["setting"]),
                rules=tuple(rules.get((dataset, method, first["setting_id"]), ()))
                if settings[dataset, method] > 1
                else (),
                cells=tuple(Cell(row["cell_id"], int(row["repetition"]), row["status"]) for row in rows),
                scores=tuple(_mean([found[m] for found in values if m in found]) for m in metrics),
                cpu_seconds=sum(plain(row["cpu_seconds"]) or 0.0 for row in rows),
            )
        )
    return Sources(tuple(groups), metrics)


def _by_group(records: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """One row for each cell, under the id of its setting; plain lists, as the pages go through every cell."""
    found: dict[str, list[dict[str, Any]]] = {}
    cells = records.drop_duplicates("cell_id").drop(columns=["metric", "value"])
    for row in cells.to_dict(orient="records"):
        found.setdefault(str(row["cell_id"]).rpartition("/")[0], []).append(
            {str(key): value for key, value in row.items()}
        )
    return found


def _by_cell(records: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Metrics of each finished cell."""
    found: dict[str, dict[str, float]] = {}
    rows = records[records["metric"].notna()]
    for cell_id, metric, value in zip(
        rows["cell_id"].tolist(), rows["metric"].tolist(), rows["value"].tolist(), strict=True
    ):
        found.setdefault(cell_id, {})[metric] = value
    return found


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


class _Interned:
    """A list of distinct values; adding one gives its number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def add(self, key: Any, value: Any) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]


def cells_payload(records: pd.DataFrame, sources: Sources, store: Store) -> dict[str, Any]:
    """Gather what the page of cells shows of each cell, as compact JSON: what many cells share is stored once.

    Parameters
    ----------
    records : DataFrame
        Rows of ``cells.parquet`` of this paper.
    sources : Sources
    store : Store
        For the logs of failed cells, where the records are still on disk.

    Returns
    -------
    dict
        ``groups``: for each setting its id, setting, estimator, parameters, names of metrics and cells; a cell is a
        list in the order of ``fields``. Numbers have 7 digits; ``cells.parquet`` has them all.
    """
    environments, data, texts = _Interned(), _Interned(), _Interned()
    logs = _failed_logs(records, store)
    by_group, measured = _by_group(records), _by_cell(records)
    groups = []
    for group in sources.groups:
        rows = by_group[group.group_id]
        metrics = sorted({metric for row in rows for metric in measured.get(row["cell_id"], ())})
        cells = []
        for cell in rows:
            shared = {key: plain(cell[key]) for key in _ENVIRONMENT}
            source = {key: plain(cell[key]) for key in _DATA}
            mine = measured.get(cell["cell_id"], {})
            cells.append(
                [
                    plain(cell["repetition"]),
                    plain(cell["seed"]),
                    texts.add(cell["status"], cell["status"]),
                    texts.add(plain(cell["reason"]), plain(cell["reason"])),
                    texts.add(logs.get(cell["cell_id"]), logs.get(cell["cell_id"])),
                    environments.add(tuple(shared.values()), shared),
                    data.add(tuple(source.values()), source),
                    texts.add(plain(cell["code_digest"]), plain(cell["code_digest"])),
                    *(plain(cell[key]) for key in ("converged", "iterations", "tolerance")),
                    *(plain(cell[key]) for key in ("cpu_seconds", "wall_seconds", "peak_memory_mb")),
                    [plain(mine.get(metric)) for metric in metrics],
                ]
            )
        head = rows[0]
        groups.append(
            {
                "id": group.group_id,
                "setting": group.setting,
                "estimator": texts.add(plain(head["estimator"]), plain(head["estimator"])),
                "params": texts.add(plain(head["params"]), plain(head["params"])),
                "metrics": [texts.add(metric, metric) for metric in metrics],
                "cells": cells,
            }
        )
    return {"groups": groups, "environments": environments.values, "data": data.values, "texts": texts.values}


def _failed_logs(records: pd.DataFrame, store: Store) -> dict[str, str]:
    """Ends of the logs of failed cells whose records are on disk."""
    logs = {}
    failed = records[~records["status"].isin(("ok", "not_applicable", "unavailable", "missing"))]
    for cell_id in list(dict.fromkeys(failed["cell_id"]))[:LOG_CELLS]:
        try:
            tail = store.read_record(cell_id)["log_tail"]
        except (RecordError, ValueError):
            continue  # a committed run keeps the table alone
        if tail:
            logs[cell_id] = str(tail)[-LOG_CHARACTERS:]
    return logs


def script_json(value: Any) -> str:
    """JSON that is safe inside a script element: no ``<``, ``>`` or ``&`` and no line separator is left as it is."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
