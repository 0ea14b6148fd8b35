"""The records of a run as one long table, ``cells.parquet``: its columns, its rows, and how it is read."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench.bench.cell_spec import canonical_json, point_text, setting_order
from cladebench.input_files import InputFileError
from cladebench.measures import Measure

if TYPE_CHECKING:
    import pandas as pd

#: Columns of ``cells.parquet`` and their Arrow types; ``docs/columns.md`` says what each means.
COLUMNS = {
    "paper": "string",
    "dataset": "string",
    "method": "string",
    "setting": "string",
    "setting_id": "string",
    "repetition": "int64",
    "fold": "int64",
    "task": "string",
    "metric": "string",
    "at": "string",
    "value": "float64",
    "status": "string",
    "reason": "string",
    "seed": "int64",
    "cell_id": "string",
    "data_kind": "string",
    "data_source": "string",
    "data_sha256": "string",
    "stand_in_for": "string",
    "n_rows": "int64",
    "n_train": "int64",
    "n_test": "int64",
    "cpu_seconds": "float64",
    "wall_seconds": "float64",
    "peak_memory_mb": "float64",
    "converged": "bool",
    "iterations": "int64",
    "tolerance": "float64",
    "git_commit": "string",
    "git_dirty": "bool",
    "core_build": "string",
    "code_digest": "string",
    "versions": "string",
    "machine": "string",
    "threads": "int64",
    "estimator": "string",
    "params": "string",
}


def read_cells(path: Path | str) -> pd.DataFrame:
    """Read a ``cells.parquet`` with the same columns and column types as `Store.read_records`.

    Raises
    ------
    InputFileError
        If it is missing, no Parquet, or not what ``cladebench collect`` writes.
    """
    import pyarrow.parquet

    maker = "run cladebench collect, which makes it"
    if not Path(path).is_file():
        raise InputFileError(f"{path}: no such file; {maker}")
    try:
        found = pyarrow.parquet.read_table(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise InputFileError(f"{path}: cannot be read as Parquet: {_first_line(error)}; {maker}") from None
    missing = [name for name in COLUMNS if name not in found.column_names]
    if missing:
        raise InputFileError(f"{path}: it has no column {', '.join(map(repr, missing))}; {maker}")
    if not found.num_rows:
        raise InputFileError(f"{path}: it holds no cell; {maker}")
    try:
        table = found.select(list(COLUMNS)).cast(_schema())
    except pyarrow.ArrowException as error:
        raise InputFileError(f"{path}: a column is of a wrong type: {_first_line(error)}; {maker}") from None
    frame = table.to_pandas(types_mapper=nullable_types)
    twice = frame[["cell_id", "metric", "at", "fold"]].duplicated()
    if twice.any():
        row = frame[twice].iloc[0]
        raise InputFileError(
            f"{path}: it has a row twice: {row['cell_id']}, metric {row['metric']!r} at {row['at']}; {maker}"
        )
    return frame


def metric_fault(row: Mapping[str, Any], measures: Mapping[str, Measure]) -> str:
    """What is wrong with the metric of a row or its value; empty where nothing is."""
    metric, value = row["metric"], row["value"]
    if metric not in measures:
        return (
            f"metric {metric!r} is described neither by cladebench.measures nor in the section measures of the plan of "
            f"{row['paper']}; describe it there and run again: finished cells are kept"
        )
    low, high = _allowed(measures[metric])
    if low <= value <= high:
        return ""
    low, high = measures[metric].range
    return f"metric {metric!r} is {value!r}; its measure allows {low:g} to {high:g}"


def values_out_of_range(table: pd.DataFrame, measures: Mapping[str, Mapping[str, Measure]]) -> Iterator[str]:
    """Ids of cells that ended well with a metric or a value in which `metric_fault` finds a fault, or with none."""
    ended_well = table[table["status"] == "ok"]
    for (paper, metric), rows in ended_well.groupby(["paper", "metric"], dropna=False):
        described = measures.get(str(paper), {}).get(str(metric))
        low, high = (math.inf, -math.inf) if described is None else _allowed(described)
        yield from rows["cell_id"][~rows["value"].between(low, high)].unique()


def _allowed(measure: Measure) -> tuple[float, float]:
    low, high = measure.range
    return low - _rounding(low), high + _rounding(high)


def _rounding(bound: float) -> float:
    return 1e-6 * max(1.0, abs(bound)) if math.isfinite(bound) else 0.0


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


def rows_of(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of one record, each with its sort key under ``_order``."""
    data, details, provenance = record["data"] or {}, record["details"], record["provenance"]
    drawn = record["drawn"] or {}
    base = {
        **{name: record.get(name) for name in COLUMNS},
        **{name: provenance[name] for name in ("git_commit", "git_dirty", "core_build", "code_digest")},
        "setting": canonical_json(record["setting"]),
        "params": canonical_json(record["params"]),
        "task": drawn.get("digest"),
        "n_rows": drawn.get("rows"),
        "n_train": drawn.get("train"),
        "n_test": drawn.get("test"),
        "data_kind": data.get("kind"),
        "data_source": data.get("source"),
        "data_sha256": data.get("content_sha256"),
        "stand_in_for": data.get("stand_in_for"),
        "converged": details.get("converged"),
        "iterations": details.get("iterations"),
        "tolerance": details.get("tolerance"),
        "versions": canonical_json(provenance["versions"]),
        "machine": canonical_json(provenance["machine"]),
    }
    cell = _cell_order(record["paper"], record["setting"], record["cell_id"])
    found = [
        (metric, setting_order(reading["at"]), point_text(reading["at"]), reading.get("block", -1), value)
        for reading in record["readings"]
        for metric, value in reading["metrics"].items()
    ]
    for metric, order, at, block, value in sorted(found) or [(None, [], "{}", -1, None)]:
        row = {**base, "metric": metric, "at": at, "value": value}
        if block >= 0:
            # A block of the test rows is a task of its own, as a fold is: results of one block are paired.
            row |= {"fold": block, "task": block_task(row["task"], block, record["task"]["blocks"])}
        yield {**row, "_order": (*cell, metric or "", order, block)}


def block_task(task: str | None, block: int, n_blocks: int) -> str:
    """Digest of one block of a task's test rows."""
    return hashlib.sha256(f"{task}/block {block} of {n_blocks}".encode()).hexdigest()


def kept_rows(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The rows of a table that was read, as `rows_of` gives those of records."""
    columns = [table[name].astype(object).where(table[name].notna(), None).tolist() for name in COLUMNS]
    orders: dict[str, tuple[Any, ...]] = {}
    for place, values in enumerate(zip(*columns, strict=True)):
        row = dict(zip(COLUMNS, values, strict=True))
        cell = row["cell_id"]
        if cell not in orders:
            orders[cell] = _cell_order(row["paper"], json.loads(row["setting"]), cell)
        yield {**row, "_order": (*orders[cell], "", [], place)}


def _cell_order(paper: str, setting: Mapping[str, Any], cell_id: str) -> tuple[Any, ...]:
    """What cells are sorted by: paper, data set, method, setting (numbers by size), repetition, fold."""
    _, dataset, method, _, number = cell_id.split("/")
    repetition, _, fold = number.partition(".")
    return paper, dataset, method, setting_order(setting), int(repetition), int(fold or -1)


def as_table(rows: list[dict[str, Any]]) -> Any:
    """The rows as an Arrow table with fixed column types."""
    import pyarrow

    return pyarrow.Table.from_pylist(rows, schema=_schema())


def _schema() -> Any:
    import pyarrow

    return pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in COLUMNS.items()])


def nullable_types(kind: Any) -> Any:
    """Pandas types that keep integers and flags apart from missing values."""
    import pandas as pd
    import pyarrow

    return {pyarrow.int64(): pd.Int64Dtype(), pyarrow.bool_(): pd.BooleanDtype()}.get(kind)
