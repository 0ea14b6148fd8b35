"""Running one cell.

A pure function from a specification to a record, whatever happens inside.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import resource
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cladebench import datasets
from cladebench.bench.plan.cell_spec import CellSpec, MethodPlan, digest, point_text
from cladebench.bench.plan.task import Task, draw_task
from cladebench.bench.run.cell_io import Cell, CellOutput, Reading
from cladebench.bench.run.storable import storable_array, storable_details, storable_metric, storable_point


def cell_key(
    spec: CellSpec, method: MethodPlan, provenance: Mapping[str, Any], data_sha256: str | None
) -> str:
    """Digest of all that determines a cell's result.

    A record with the same key need not be made again.

    Limits, threads, label and role are left out: they do not change results.
    """
    return digest(
        {
            "spec": spec.identity(),
            "estimator": method.estimator,
            "params": dict(method.params),
            "code": provenance["code_digest"],
            "core": provenance["core_build"],
            "data": data_sha256,
            "versions": key_versions(provenance["versions"]),
        }
    )


def key_versions(versions: Mapping[str, str]) -> dict[str, str]:
    """All recorded versions by which a result can change."""
    libraries = {name: version for name, version in versions.items() if name not in ("cladebench", "python")}
    # Of Python the minor version: its patch releases mend faults and keep what arithmetic and `random` give. The
    # sources of cladebench are in the digest of the code.
    return libraries | {"python": ".".join(versions["python"].split(".")[:2])}


def blank_record(spec: CellSpec, method: MethodPlan, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a cell before its outcome is known.

    `status` and `reason` are still to be set.
    """
    origin = dict(provenance)
    return {
        **spec.as_dict(),
        "cell_id": spec.cell_id,
        "setting_id": spec.setting_id,
        "seed": spec.seed,
        "estimator": method.estimator,
        "params": method.parameters(spec.setting),
        "key": None,
        "status": None,
        "reason": None,
        "log_tail": None,
        "readings": [],
        "arrays": [],
        "arrays_sha256": None,
        "details": {},
        "data": None,
        "drawn": None,
        "cpu_seconds": None,
        "wall_seconds": None,
        "peak_memory_mb": None,
        "provenance": origin,
    }


def draw_of(data: str, repetition: int) -> int:
    """Give a repetition's draw of the data: its own, or 0."""
    return repetition if datasets.info(data).n_draws > 1 else 0


def not_applicable_record(
    spec: CellSpec, method: MethodPlan, provenance: Mapping[str, Any], reason: str
) -> dict[str, Any]:
    """Make the record of a cell that is not to be run.

    The plan says so.
    """
    record = blank_record(spec, method, provenance)
    return {
        **record,
        "status": "not_applicable",
        "reason": reason,
        "key": cell_key(spec, method, provenance, None),
    }


def run_cell(
    spec: CellSpec,
    method: MethodPlan,
    package: str,
    provenance: Mapping[str, Any],
    keep_in: Path | None = None,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Run one cell in this process, without limits.

    Parameters
    ----------
    spec : CellSpec
    method : MethodPlan
    package : str
        Dotted name of the paper's package; ``PROTOCOL.run(cell)`` of its module ``protocol`` computes the cell.
    provenance : Mapping
        As `cladebench.bench.provenance.provenance.collect` gives it.
    keep_in : Path, optional
        Where the protocol may keep what a long fit has; by default nowhere.

    Returns
    -------
    record : dict
        Complete but for `log_tail` and `arrays_sha256`; then valid under ``schemas/record.schema.json``.
    arrays : dict of str to ndarray
        Empty unless the status is ``ok``.

    Notes
    -----
    Nothing raised inside escapes: a traceback goes to the standard error stream and its last line into `reason`.
    """
    record = blank_record(spec, method, provenance)
    arrays: dict[str, np.ndarray] = {}
    _reset_peak_memory()
    # Protocols take their randomness from spec.seed; this is for code that reaches for the global generators.
    random.seed(spec.seed)
    np.random.seed(spec.seed)  # noqa: NPY002
    cpu, wall = _cpu_seconds(), time.perf_counter()
    try:
        data = load_data(spec.data, draw_of(spec.data, spec.repetition))
        record["data"] = {
            "kind": data.kind,
            "source": data.source,
            "stand_in_for": data.stand_in_for,
            "content_sha256": data.content_sha256,
            "files": dict(data.files),
        }
        record["key"] = cell_key(spec, method, provenance, data.content_sha256)
        protocol = importlib.import_module(f"{package}.protocol").PROTOCOL
        task = draw_task(spec, data)
        record["drawn"] = drawn(task)
        # By the key: what code, data or parameters of another kind have left there is not met.
        kept = keep_in / record["key"][:16] if keep_in else None
        cell = Cell(spec, method, data, task, kept)
        readings, record["details"], arrays = check_output(protocol.run(cell), len(task.blocks))
        record["readings"] = [
            {"at": dict(r.at), "metrics": dict(r.metrics)} | ({} if r.block is None else {"block": r.block})
            for r in readings
        ]
        record["arrays"] = sorted(arrays)
        record["status"] = "ok"
    except datasets.DataUnavailable as error:
        record.update(status="unavailable", reason=_message(error) or type(error).__name__)
    except BaseException as error:  # a cell may also call sys.exit
        with contextlib.suppress(Exception):  # it may have closed the stream
            traceback.print_exc()
        message = _message(error)
        status = "out_of_memory" if _is_memory_error(error, message) else "error"
        record.update(
            status=status, reason=f"{type(error).__name__}: {message}" if message else type(error).__name__
        )
    if record["status"] != "ok":
        record.update(readings=[], details={})
        arrays = {}
    record["cpu_seconds"] = _cpu_seconds() - cpu
    record["wall_seconds"] = time.perf_counter() - wall
    record["peak_memory_mb"] = _peak_memory_mb()
    return record, arrays


def drawn(task: Task) -> dict[str, Any]:
    """What a record says of its task.

    The digest by which results are paired, how many rows serve for what, links.
    """
    links = {"must_link": len(task.must_link), "cannot_link": len(task.cannot_link)}
    return {
        "digest": task.digest,
        "rows": len(task.rows),
        "train": len(task.train),
        "test": len(task.test),
        **(links if any(links.values()) else {}),
    }


_loaded: dict[tuple[str, int], datasets.Dataset] = {}
_unavailable: dict[str, datasets.DataUnavailable] = {}


def load_data(name: str, draw: int) -> datasets.Dataset:
    """Load a data set, keeping the last one.

    Its arrays are read-only, so that no cell can alter another's data.

    A data set found unavailable is not sought again in this process: each search may wait for the network.
    """
    if name in _unavailable:
        raise _unavailable[name]
    if (name, draw) not in _loaded:
        try:
            data = datasets.load(name, draw=draw)
        except datasets.DataUnavailable as error:
            _unavailable[name] = error
            raise
        data.freeze()
        _loaded.clear()
        _loaded[name, draw] = data
    return _loaded[name, draw]


def check_output(
    output: Any, n_blocks: int = 0
) -> tuple[list[Reading], dict[str, Any], dict[str, np.ndarray]]:
    """Check what a protocol returned, and make it plain.

    Parameters
    ----------
    output : object
        What it returned.
    n_blocks : int, default=0
        Blocks of test rows that the task has.

    Returns
    -------
    readings : list of Reading
        What was measured once comes first, at the empty point; then the evaluation points in the order given.
    details : dict
        JSON-able; NaN and infinity become None, NumPy scalars and arrays plain numbers and lists.
    arrays : dict of str to ndarray

    Raises
    ------
    TypeError, ValueError
        If something is missing, not finite, too large, read twice at one point or cannot be stored; names the metric,
        detail or array.
    """
    if not isinstance(output, CellOutput):
        raise TypeError(f"the protocol must return a CellOutput, got {type(output).__name__}")
    once = [Reading(output.metrics)] if output.metrics else []
    readings = _plain_readings([*once, *output.readings], n_blocks)
    arrays = {name: storable_array(name, value) for name, value in output.arrays.items()}
    return readings, storable_details(output.details), arrays


def _plain_readings(given: list[Reading], n_blocks: int) -> list[Reading]:
    """Give readings in plain numbers, each evaluation point once a block."""
    readings: list[Reading] = []
    points: dict[str, dict[str, list[int | None]]] = {}
    for reading in given:
        if not isinstance(reading, Reading):
            raise TypeError(f"readings: expected each to be a Reading, got {type(reading).__name__}")
        at = storable_point(reading.at)
        point = point_text(at)
        metrics = {}
        for name, value in reading.metrics.items():
            metrics[name] = storable_metric(name, value)
            where = f"metric {name!r}" + (f" at {point}" if at else "")
            blocks = points.setdefault(name, {}).setdefault(point, [])
            if reading.block in blocks:
                raise ValueError(f"{where} is read twice")
            blocks.append(reading.block)
            if "{}" in points[name] and len(points[name]) > 1:
                raise ValueError(
                    f"metric {name!r}: read at evaluation points and at none; expected one of the two"
                )
        readings.append(Reading(metrics, at, reading.block))
    for name, blocks_of in points.items():
        for point, blocks in blocks_of.items():
            if blocks != [None] and not set(blocks) <= set(range(n_blocks)):
                raise ValueError(
                    f"metric {name!r} at {point}: read in the blocks {blocks}; expected some of the task's {n_blocks}"
                )
    if not points:
        raise ValueError("the protocol returned no metric")
    return readings


def _message(error: BaseException) -> str:
    """Give the text of an exception on one line of UTF-8."""
    try:
        text = str(error)
    except Exception:  # an exception of the cell's own making
        return ""
    return " ".join(text.split())[:500].encode(errors="backslashreplace").decode()


def _is_memory_error(error: BaseException, message: str) -> bool:
    """Whether an allocation was refused.

    XLA says so in the text of a RuntimeError.
    """
    return isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in message


def _cpu_seconds() -> float:
    """Measure CPU seconds of this process and its finished children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


_CLEAR_REFS, _RESET_HWM = Path("/proc/self/clear_refs"), "5"  # proc(5): 5 resets the peak resident set size


def _reset_peak_memory() -> None:
    """Let the kernel count the peak from now on, where it can."""
    with contextlib.suppress(OSError):
        _CLEAR_REFS.write_text(_RESET_HWM)


def _peak_memory_mb() -> float:
    """Measure peak resident MiB since the last reset, else of the process."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
