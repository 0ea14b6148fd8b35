"""Which rows of a table stand for running their cells again.

What ``--keep`` of the commands asks.
"""

from __future__ import annotations

import functools
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench import datasets
from cladebench.bench.plan.cell_spec import canonical_json
from cladebench.bench.plan.jobs import Job, PlannedCell
from cladebench.bench.plan.task import Task, TaskError, draw_task
from cladebench.bench.provenance import import_closure as sources
from cladebench.bench.provenance import provenance
from cladebench.bench.provenance.core_build import core_build_id
from cladebench.bench.run.run_cell import draw_of, key_versions
from cladebench.bench.store.cells_faults import values_out_of_range
from cladebench.bench.store.cells_table import block_task, read_cells
from cladebench.bench.store.store import Store
from cladebench.datasets.settings import OFFLINE

if TYPE_CHECKING:
    import pandas as pd

#: What is kept: rows of the code that there is now, or of any.
SAME_CODE, ANY_CODE = "same-code", "any-code"

#: The columns that are compared.
_COMPARED = (
    "cell_id",
    "paper",
    "dataset",
    "method",
    "setting",
    "repetition",
    "fold",
    "task",
    "status",
    "reason",
    "seed",
    "data_kind",
    "data_sha256",
    "stand_in_for",
    "core_build",
    "code_digest",
    "versions",
    "estimator",
    "params",
)


@dataclass(frozen=True)
class KeptRows:
    """Planned cells of a table.

    Parameters
    ----------
    cells : frozenset of str
        Those whose rows count.
    faults : mapping of str to str
        Those whose rows do not, each with the reason.
    other_code : frozenset of str
        Of those that count, the ones of other code.
    """

    cells: frozenset[str]
    faults: Mapping[str, str]
    other_code: frozenset[str]

    @property
    def said(self) -> str:
        """Say how many cells have rows that do not count, why.

        The text is empty where all count.
        """
        first = {reason: cell for cell, reason in reversed([*self.faults.items()])}
        return ", ".join(
            f"{_cells(count)} with {reason} (first {first[reason]})"
            for reason, count in Counter(self.faults.values()).items()
        )

    def notes(self, path: Path) -> list[str]:
        """What should be known of the rows that count."""
        n = len(self.other_code)
        return [f"{path}: {_cells(n)} of other code count{'s' * (n == 1)}"] if n else []


def _cells(n: int) -> str:
    return f"{n:,} run{'s' * (n != 1)}"


def without_record(path: Path, jobs: Iterable[Job]) -> pd.DataFrame:
    """Give a table's rows of planned cells whose record is missing."""
    store, rows = Store(path.parent), read_cells(path)
    planned = (cell.spec.cell_id for job in jobs for cell in job.cells)
    cells = {cell for cell in planned if not store.path(cell).exists()}
    return rows[rows["cell_id"].isin(cells)]


def judge(table: pd.DataFrame, jobs: Iterable[Job], code: str = SAME_CODE) -> KeptRows:
    """Compare rows with what a new run would give.

    Parameters
    ----------
    table : DataFrame
        As `cladebench.bench.store.cells_table.read_cells` gives it.
    jobs : iterable of Job
        The planned cells; rows of others are not looked at.
    code : {"same-code", "any-code"}
        Whether rows count that other sources, another core or other versions of libraries have made.

    Notes
    -----
    A row counts if it has the seed, setting, estimator and parameters of its cell, the data and the task that are drawn
    of them, the same code, and values in the range of their measures. Data that are not on this machine are not sought
    in the network: they were there, and checked, when the row was made.
    """
    planned = {cell.spec.cell_id: (job, cell) for job in jobs for cell in job.cells}
    rows = table[table["cell_id"].isin(planned.keys())]
    measures = {job.plan.paper: job.plan.measures for job, _ in planned.values()}
    faults = dict.fromkeys(values_out_of_range(rows, measures), "a value that its measure does not allow")
    distinct = rows[list(_COMPARED)].drop_duplicates()
    columns = [distinct[name].astype(object).where(distinct[name].notna(), None) for name in _COMPARED]
    facts = [dict(zip(_COMPARED, values, strict=True)) for values in zip(*columns, strict=True)]

    def data_first(row: Mapping[str, Any]) -> tuple[str, int]:
        spec = planned[row["cell_id"]][1].spec
        return spec.data, draw_of(spec.data, spec.repetition)

    data, other_code = _Data(), set()
    made_with = functools.cache(_made_with)
    for row in sorted(facts, key=data_first):  # each data set is loaded once
        job, cell = planned[row["cell_id"]]
        fault = _fault(row, job, cell, data)
        estimator = job.method_of(cell.spec).estimator
        changed = None if fault else _changed(row, made_with(job.plan.package, estimator))
        if changed and code == ANY_CODE:
            other_code.add(row["cell_id"])
        elif fault or changed:
            faults.setdefault(row["cell_id"], str(fault or changed))
    there = dict.fromkeys(rows["cell_id"])
    return KeptRows(
        frozenset(there.keys() - faults.keys()),
        {cell: faults[cell] for cell in there if cell in faults},
        frozenset(other_code - faults.keys()),
    )


def _fault(row: Mapping[str, Any], job: Job, cell: PlannedCell, data: _Data) -> str | None:
    """Why a row is not that of its cell, whatever the code."""
    spec, method = cell.spec, job.method_of(cell.spec)
    expected = {
        "another place in the plan": {
            **{name: getattr(spec, name) for name in ("paper", "dataset", "method", "repetition")},
            "setting": canonical_json(spec.setting),
        },
        "another seed": {"seed": spec.seed},
        "another estimator": {"estimator": method.estimator},
        "other parameters": {"params": canonical_json(method.parameters(spec.setting))},
    }
    for reason, columns in expected.items():
        if any(row[name] != value for name, value in columns.items()):
            return reason
    if (row["status"] == "not_applicable") != (cell.not_applicable is not None):
        return "another status than the plan's"
    if row["status"] == "not_applicable":
        return None if row["reason"] == cell.not_applicable else "another reason than the plan's"
    if row["data_sha256"] is None:  # a cell that failed before it had its data
        if row["status"] == "unavailable":
            here = data.now(spec.data, draw_of(spec.data, spec.repetition))[0] is not None
            return "data that have come since" if here else None
        return "no data" if row["status"] == "ok" else None
    entry = datasets.info(spec.data)
    if (row["data_kind"], row["stand_in_for"]) != (entry.kind, entry.stand_in_for):
        return "other data"
    digest, task_of = data.now(spec.data, draw_of(spec.data, spec.repetition))
    if digest is None:
        return None
    if digest != row["data_sha256"]:
        return "other data"
    if row["task"] is None:  # nothing could be drawn
        return "no task" if row["status"] == "ok" else None
    task = task_of(spec)
    return None if task and (row["fold"], row["task"]) in _tasks(task) else "another task"


def _tasks(task: Task) -> set[tuple[int | None, str]]:
    """Give fold and digest of a task and of its blocks."""
    n = len(task.blocks)
    blocks = {(block, block_task(task.digest, block, n)) for block in range(n)}
    return {(task.fold, task.digest), *blocks}


def _made_with(package: str, estimator: str) -> dict[str, Any]:
    """The code that there is now: what a key has of it."""
    versions = provenance.package_versions(sources.library_distributions(package, estimator))
    return {
        "sources": sources.code_digest(sources.cell_sources(package, estimator)),
        "core": core_build_id(),
        "versions": key_versions(versions),
    }


def _changed(row: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """Which part of the code has changed since a row was made."""
    if row["code_digest"] != now["sources"]:
        return "other sources, which any-code keeps"
    if row["core_build"] != now["core"]:
        return "another core, which any-code keeps"
    if _versions(row["versions"]) != now["versions"]:
        return "other versions of libraries, which any-code keeps"
    return None


def _versions(text: Any) -> dict[str, str] | None:
    try:
        return key_versions(json.loads(text))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


class _Data:
    """Hold one data set of this machine and its drawn tasks."""

    def __init__(self) -> None:
        self._at: tuple[str, int] | None = None
        self._found: tuple[str | None, Callable[[Any], Task | None]] = None, lambda spec: None

    def now(self, name: str, draw: int) -> tuple[str | None, Callable[[Any], Task | None]]:
        """Give the digest, and what draws a cell's task.

        Both are None where the data are away; no task comes where it cannot be drawn.
        """
        if self._at != (name, draw):
            self._at, self._found = (name, draw), self._load(name, draw)
        return self._found

    def _load(self, name: str, draw: int) -> tuple[str | None, Callable[[Any], Task | None]]:
        try:
            with _without_network():
                data = datasets.load(name, draw=draw)
        except datasets.DataUnavailable:
            return None, lambda spec: None
        except datasets.DatasetError:
            return "damaged", lambda spec: None
        drawn: dict[str, Task | None] = {}

        def task_of(spec: Any) -> Task | None:
            # What a draw depends on: all of a cell but method and setting.
            parts = spec.paper, spec.dataset, spec.repetition, spec.fold, spec.root_seed, dict(spec.task)
            key = canonical_json(parts)
            if key not in drawn:
                try:
                    drawn[key] = draw_task(spec, data)
                except TaskError:
                    drawn[key] = None
            return drawn[key]

        return data.content_sha256, task_of


@contextmanager
def _without_network() -> Iterator[None]:
    before = os.environ.get(OFFLINE)
    os.environ[OFFLINE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[OFFLINE]
        else:
            os.environ[OFFLINE] = before
