"""Gather cells' measures, provenance and ends of logs, as pages' JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from cladebench.bench.store.store import RecordError, Store
from cladebench.report.cell_links import Group, cells_by_group, metrics_by_cell, plain

#: Characters kept of the end of a failed cell's log, and the number of cells that get one.
LOG_CHARACTERS, LOG_CELLS = 1500, 200

_ENVIRONMENT = ("git_commit", "git_dirty", "core_build", "versions", "machine", "threads")
_DATA = ("data_kind", "data_source", "data_sha256", "stand_in_for")


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


def cell_details(
    records: pd.DataFrame, groups: Iterable[Group], store: Store, names: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Gather what a page shows of each cell, as JSON.

    It is compact: what many cells share is stored once.

    Parameters
    ----------
    records : DataFrame
        Rows of ``cells.parquet`` of this paper.
    groups : iterable of Group
        The settings on the page.
    store : Store
        For the logs of failed cells, where the records are still on disk.
    names : mapping of str to str, optional
        What readers call each metric; by default its id.

    Returns
    -------
    dict
        ``groups``: for each setting its id, setting, estimator, parameters, names of metrics and cells; a cell is a
        list in the order of ``FIELDS`` in ``cells.js``. Numbers have 7 digits; ``cells.parquet`` has them all.
        ``names``: what readers call each measurement.
    """
    environments, data, texts = _Interned(), _Interned(), _Interned()
    logs = _failed_logs(records, store)
    by_group, measured = cells_by_group(records), metrics_by_cell(records)
    details = []
    for group in groups:
        rows = by_group[group.group_id]
        metrics = sorted({metric for row in rows for metric in measured.get(row["cell_id"], ())})
        cells = []
        for cell in rows:
            shared = {key: plain(cell[key]) for key in _ENVIRONMENT}
            source = {key: plain(cell[key]) for key in _DATA}
            mine = measured.get(cell["cell_id"], {})
            cells.append(
                [
                    cell["cell_id"].rpartition("/")[2],
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
        details.append(
            {
                "id": group.group_id,
                "setting": group.setting,
                "estimator": texts.add(plain(head["estimator"]), plain(head["estimator"])),
                "params": texts.add(plain(head["params"]), plain(head["params"])),
                "metrics": [texts.add(metric, metric) for metric in metrics],
                "cells": cells,
            }
        )
    return {
        "groups": details,
        "environments": environments.values,
        "data": data.values,
        "texts": texts.values,
        "names": _names_of_measured(measured, names or {}),
    }


def _names_of_measured(
    measured: Mapping[str, Mapping[str, float]], names: Mapping[str, str]
) -> dict[str, str]:
    """Name what was measured, each name for one metric alone."""
    shared = Counter(names.values())
    words = {}
    for name in sorted({name for values in measured.values() for name in values}):
        metric, at, point = name.partition(" at ")
        title = names.get(metric, metric)
        words[name] = f"{title if shared[title] < 2 else metric.replace('_', ' ')}{at}{point}"
    return words


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
