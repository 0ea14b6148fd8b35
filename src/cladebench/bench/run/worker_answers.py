"""Check what comes out of a worker's pipe.

The parent looks; a cell may have written into the pipe too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cladebench.bench.plan.cell_spec import CellSpec, MethodPlan, canonical_json
from cladebench.bench.run.run_cell import blank_record, cell_key
from cladebench.input_files import parse_json, validator

#: What a worker can say of a cell; the other statuses are the parent's to give.
WORKER_STATUSES = ("ok", "error", "out_of_memory", "unavailable")
#: What a worker fills in; everything else is known before.
FILLED = (
    *("key", "status", "reason", "readings", "arrays", "arrays_sha256", "details", "data", "drawn"),
    *("cpu_seconds", "wall_seconds", "peak_memory_mb"),
)
MEASURED = ("cpu_seconds", "wall_seconds", "peak_memory_mb")


class WrongAnswer(ValueError):
    """A line that is not the worker's answer to this cell.

    The message says why.
    """


@dataclass(frozen=True)
class WorkerAnswer:
    """Hold a cell's record, and what it left changed in the process."""

    record: dict[str, Any]
    changes: list[str]


def read_answer(
    line: bytes, token: str, spec: CellSpec, method: MethodPlan, provenance: Mapping[str, Any]
) -> WorkerAnswer:
    """Read a worker's answer and check that it fits the cell.

    It can only be the record of this cell.

    Parameters
    ----------
    line : bytes
    token : str
        What was sent with the cell; the worker repeats it, the cell does not know it.
    spec, method, provenance
        As they were sent.

    Raises
    ------
    WrongAnswer
        If it is not valid JSON, without the token, not a record by the schema, the record of something else, or of a
        status that a worker does not give.
    """
    try:
        message = parse_json(line.decode("utf-8"))
    except ValueError:
        raise WrongAnswer("no JSON in UTF-8") from None
    if not isinstance(message, dict) or message.get("token") != token:
        raise WrongAnswer("it was not written by the worker")
    record: Any = message.get("record")
    changes = message.get("changes")
    error = next(iter(validator("record").iter_errors(record)), None)
    if error is not None:
        raise WrongAnswer(f"{error.json_path}: {error.message}"[:300])
    if not isinstance(changes, list) or not all(isinstance(change, str) for change in changes):
        raise WrongAnswer("changes: expected a list of texts")
    expected = blank_record(spec, method, provenance)
    for name in expected:
        if name not in FILLED and canonical_json(record[name]) != canonical_json(expected[name]):
            raise WrongAnswer(f"{name} is not the run's")
    if record["status"] not in WORKER_STATUSES:
        raise WrongAnswer(f"status {record['status']!r} is not for a worker to give")
    digest = (record["data"] or {}).get("content_sha256")
    if record["key"] not in (None, cell_key(spec, method, provenance, digest)):
        raise WrongAnswer("key is not the run's")
    for name in MEASURED:
        if record[name] is None or record[name] < 0:
            raise WrongAnswer(f"{name}: expected a number of at least 0, got {record[name]!r}")
    return WorkerAnswer(record, changes)
