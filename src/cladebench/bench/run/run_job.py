"""Run a job: each planned cell gets or keeps a good record."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench import datasets
from cladebench.bench.plan.cell_spec import CellSpec, MethodPlan
from cladebench.bench.plan.jobs import Job, PlannedCell
from cladebench.bench.provenance import import_closure as sources
from cladebench.bench.provenance import provenance as provenance_module
from cladebench.bench.run import run_cell as cells
from cladebench.bench.run.progress import Progress
from cladebench.bench.run.signals import signals_raise
from cladebench.bench.run.watchdog import Ending, Worker, breach, open_log
from cladebench.bench.store.store import RecordError, Store
from cladebench.files import write_json

KEPT = ("ok", "not_applicable")


class JobLocked(RuntimeError):
    """Another process is running the same job in the same folder."""


@dataclass(frozen=True)
class JobSummary:
    """What a run of a job did.

    Parameters
    ----------
    statuses : Counter
        Status -> number of cells.
    reused : int
        Cells whose record was kept.
    seconds : float
        Wall seconds.
    """

    statuses: Counter[str]
    reused: int
    seconds: float


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Lock a job.

    The operating system releases the lock when the process ends, however it ends.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JobLocked(
                f"{path.stem.lstrip('.')}: another process is running this job in {path.parent}"
            ) from None
        yield


class _Origins:
    """Where the records of each of a job's estimators come from."""

    def __init__(self, job: Job) -> None:
        self._package = package = job.plan.package
        self._found = {
            estimator: provenance_module.collect(
                self._code_digest(estimator), sources.library_distributions(package, estimator)
            )
            for estimator in job.estimators
        }

    def _code_digest(self, estimator: str) -> str:
        return sources.code_digest(sources.cell_sources(self._package, estimator))

    def renew(self, method: MethodPlan) -> bool:
        """Look at a method's sources again, before a worker imports them.

        Whether they have been edited meanwhile.
        """
        origin, now = self._found[method.estimator], self._code_digest(method.estimator)
        self._found[method.estimator] = {**origin, "code_digest": now}
        return bool(now != origin["code_digest"])

    def modules(self, method: MethodPlan) -> list[str]:
        """What a worker imports before the first cell of a method."""
        package, estimator = self._package, method.estimator
        module = sources.estimator_module(estimator)
        return [
            *sources.library_modules(package, estimator),
            f"{package}.protocol",
            # What makes and reads an estimator; a paper's own measures need nothing of it.
            *(("cladebench.estimators", module) if module else ()),
        ]

    def provenance(self, method: MethodPlan) -> dict[str, Any]:
        """The provenance of a method's records."""
        return self._found[method.estimator]


class _Keys:
    """Keys that records of a job must have to be kept.

    Loads each draw of the data once.
    """

    def __init__(self, job: Job, origins: _Origins) -> None:
        self.job, self.origins = job, origins
        self._sha: dict[tuple[str, int], str | None] = {}

    def keeps(self, planned: PlannedCell, record: dict[str, Any]) -> bool:
        """Whether a record is what running the cell again would give."""
        if record["status"] not in KEPT or record["key"] is None:
            return False
        if planned.not_applicable is not None or record["status"] == "not_applicable":
            return record["reason"] == planned.not_applicable and self._matches(planned.spec, record, None)
        entry, data = datasets.info(planned.spec.data), record["data"]
        # No digest has these: what the verdicts say of the data hangs on them.
        if (data["kind"], data["stand_in_for"]) != (entry.kind, entry.stand_in_for):
            return False
        now = self._data_sha256(planned.spec)
        # Data that are away now were there, and checked, when the record was made.
        return self._matches(planned.spec, record, now or data["content_sha256"])

    def _matches(self, spec: CellSpec, record: dict[str, Any], data_sha256: str | None) -> bool:
        method = self.job.method_of(spec)
        return bool(
            record["key"] == cells.cell_key(spec, method, self.origins.provenance(method), data_sha256)
        )

    def _data_sha256(self, spec: CellSpec) -> str | None:
        draw = cells.draw_of(spec.data, spec.repetition)
        if (spec.data, draw) not in self._sha:
            try:
                self._sha[spec.data, draw] = datasets.load(spec.data, draw=draw).content_sha256
            except datasets.DataUnavailable:
                self._sha[spec.data, draw] = None
            except datasets.DatasetError:
                self._sha[spec.data, draw] = (
                    "damaged"  # no key matches: the cell is run, and says what is wrong
                )
        return self._sha[spec.data, draw]


def run_job(job: Job, store: Store, progress: Progress | None = None) -> JobSummary:
    """Run the cells without a good record, then write the summary.

    Parameters
    ----------
    job : Job
    store : Store
    progress : Progress, optional
        Hears of each cell; by default the lines are printed.

    Returns
    -------
    JobSummary

    Raises
    ------
    Interrupted
        On SIGINT or SIGTERM: the worker is dead, finished records are there, nothing is half-written.
    JobLocked
        If another process runs the same job.
    WorkerFailure
        If no worker can be started at all.
    OSError
        If the folder cannot be written.
    """
    start = time.monotonic()
    with signals_raise(), _lock(store.root / "jobs" / f".{job.lock_name}.lock"):
        _remove_half_written(store, job)
        origins = _Origins(job)
        keys = _Keys(job, origins)
        statuses: Counter[str] = Counter()
        pending: list[CellSpec] = []
        progress = progress or Progress(len(job.cells))
        reused = 0
        for planned in job.cells:
            record = _existing(store, planned.spec.cell_id)
            if record is not None and keys.keeps(planned, record) and store.arrays_fault(record) is None:
                reused += 1
                statuses[record["status"]] += 1
                progress.cell(record)
            elif planned.not_applicable is not None:
                method = job.method_of(planned.spec)
                record = cells.not_applicable_record(
                    planned.spec, method, origins.provenance(method), planned.not_applicable
                )
                store.write_record(record)
                statuses["not_applicable"] += 1
                progress.cell(record)
            else:
                pending.append(planned.spec)
        with _Workers(job, store, origins) as workers:
            for spec in pending:
                store.remove(spec.cell_id)
                record = workers.run(spec)
                store.write_record(record)
                if record["status"] == "ok":
                    shutil.rmtree(store.path(spec.cell_id, ".kept"), ignore_errors=True)
                statuses[record["status"]] += 1
                progress.cell(record, record["wall_seconds"])
        write_json(
            store.job_path(job.name),
            {
                "job": job.name,
                "scope": job.scope,
                "statuses": dict(statuses),
                "cells": store.ledger_rows(job.cells),
            },
        )
    return JobSummary(statuses, reused, time.monotonic() - start)


def _existing(store: Store, cell_id: str) -> dict[str, Any] | None:
    try:
        return store.read_record(cell_id)
    except RecordError:
        return None


def _remove_half_written(store: Store, job: Job) -> None:
    """Remove the temporary files of a run that was killed while writing."""
    for folder in {store.path(cell.spec.cell_id).parent for cell in job.cells}:
        for path in folder.glob(".*.tmp"):
            path.unlink(missing_ok=True)


class _Workers:
    """One worker at a time.

    The next is started when a cell has killed the last.
    """

    def __init__(self, job: Job, store: Store, origins: _Origins) -> None:
        self._job, self._store, self._origins = job, store, origins
        self._worker: Worker | None = None
        self._imported: set[str] = set()
        self._log = store.log_path(job.name)

    def __enter__(self) -> _Workers:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with open_log(self._log) as log:
            log.truncate(0)
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._worker is not None:
            worker, self._worker = self._worker, None
            self._imported.clear()
            worker.stop()

    def run(self, spec: CellSpec) -> dict[str, Any]:
        """The record of a cell."""
        method = self._job.method_of(spec)
        # What earlier cells left must not count against this one.
        if self._worker is not None and not self._worker.is_clean(spec.limits):
            self._stop()
        # A worker imports an estimator at its first cell. Edited meanwhile, it needs a worker without the old modules.
        if method.estimator not in self._imported:
            if self._origins.renew(method):
                self._stop()
            self._imported.add(method.estimator)
        if self._worker is None:
            self._worker = Worker(self._job.plan.package, self._store.root, self._log, spec.threads)
        self._note(spec.cell_id)
        outcome = self._worker.run(
            spec, method, self._origins.modules(method), self._origins.provenance(method)
        )
        record = self._finish(spec, outcome)
        # What this cell changed must not change what the next one computes.
        believed = outcome.record is not None and outcome.record["status"] == record["status"]
        if not believed or outcome.changes:
            self._stop()
        if outcome.changes:
            self._note(f"a new worker for the next run: this one changed {', '.join(outcome.changes)}")
        return record

    def _note(self, text: str) -> None:
        with open_log(self._log) as log:
            log.write(f"--- {text}\n".encode())

    def _finish(self, spec: CellSpec, outcome: Ending) -> dict[str, Any]:
        """Complete the worker's record, or make the one it could not write."""
        record, usage = outcome.record, outcome.usage
        broken = (outcome.status, outcome.reason) if outcome.status else None
        if record is not None and record["status"] == "ok":
            # A breach between two polls is a breach.
            broken = breach(usage, spec.limits, spec.threads)
            fault = self._store.misplaced(spec.cell_id) or self._store.arrays_fault(record)
            if broken is None and fault is not None:
                broken = "error", fault
        if record is None or broken is not None:
            data, key = (None, None) if record is None else (record["data"], record["key"])
            method = self._job.method_of(spec)
            record = cells.blank_record(spec, method, self._origins.provenance(method))
            record.update(data=data, key=key)
            record["status"], record["reason"] = broken or ("error", "the worker gave no record")
        record["cpu_seconds"], record["wall_seconds"] = usage.cpu, usage.wall
        record["peak_memory_mb"] = usage.memory_mb
        if record["status"] not in KEPT:
            record["log_tail"] = outcome.log_tail
        return record
