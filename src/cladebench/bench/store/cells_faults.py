"""Say what is wrong with rows of ``cells.parquet``: names, contents, values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cladebench.bench.plan.cell_spec import STATUSES
from cladebench.input_files import parse_json, shown
from cladebench.measures import Measure

if TYPE_CHECKING:
    import pandas as pd


def content_fault(table: Any) -> str:
    """Say what no reader could use in an Arrow table.

    Columns and types are right; empty where nothing is wrong.
    """
    for name in _NEVER_EMPTY:
        if table[name].null_count:
            return f"column {name!r}: it is empty in {table[name].null_count} rows; expected a value"
    first = _where_changed(table, {*_NEVER_EMPTY, *_CONTENT} - {"at", "fold"})  # which differ within a cell
    for name, (fits, expected) in _CONTENT.items():
        for value in (table if name in ("at", "fold") else first)[name].unique().to_pylist():
            if value is not None and not fits(value):
                return f"column {name!r}: {shown(value)}; expected {expected}"
    return _cells_fault(first) or _values_fault(table)


def _where_changed(table: Any, names: Iterable[str]) -> Any:
    """Find rows that differ from their predecessors in some columns.

    Most of a million rows repeat the one before.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    n_later = table.num_rows - 1
    changed = pa.nulls(n_later, pa.bool_()).fill_null(False)
    for name in names:
        column = table[name]
        if pa.types.is_dictionary(column.type):  # of one list: their numbers are compared
            column = pa.chunked_array([chunk.indices for chunk in column.chunks], pa.int32())
        one, other = column.slice(1), column.slice(0, n_later)
        differs = pc.fill_null(pc.not_equal(one, other), True)  # also where both are empty
        changed = pc.or_(changed, pc.and_not(differs, pc.and_(pc.is_null(one), pc.is_null(other))))
    return pa.concat_tables([table.slice(0, 1), table.slice(1).filter(changed)])


def _cells_fault(table: Any) -> str:
    """Find wrong names of cells, and values that differ within cells."""
    names = ("paper", "dataset", "method", "setting_id", "repetition")
    rows = table.select([*names, "cell_id", "setting", "status"]).to_pylist()
    settings: dict[str, str] = {}
    statuses: dict[str, str] = {}
    for row in rows:
        cell, expected = row["cell_id"], "/".join(str(row[name]) for name in names)
        if not (cell.startswith(expected) and re.fullmatch(r"([.][0-9]{1,9})?", cell.removeprefix(expected))):
            return f"column 'cell_id': {shown(cell)}; expected {expected}, as the other columns say"
        group = expected.rpartition("/")[0]
        if settings.setdefault(group, row["setting"]) != row["setting"]:
            return f"column 'setting': {shown(row['setting'])} in {group}; expected one setting for each setting_id"
        if statuses.setdefault(cell, row["status"]) != row["status"]:
            return f"column 'status': {shown(row['status'])} in {cell}; expected one status for each run"
    return ""


def _values_fault(table: Any) -> str:
    """What is wrong with metrics and values.

    A cell that is ``ok`` has both in each row, any other has none.
    """
    import pyarrow.compute as pc

    measured = pc.is_finite(pc.fill_null(table["value"], math.nan))
    named, ok = pc.is_valid(table["metric"]), pc.equal(table["status"], "ok")
    fits = pc.if_else(ok, pc.and_(named, measured), pc.invert(pc.or_(named, pc.is_finite(table["value"]))))
    place = pc.index(pc.fill_null(fits, True), False).as_py()
    if place < 0:
        return ""
    row = {name: table[name][place].as_py() for name in ("cell_id", "status", "metric", "value")}
    return (
        f"{row['cell_id']}: status {row['status']} with the metric {shown(row['metric'])} and the value "
        f"{shown(row['value'])}; expected a metric and a finite value where the status is ok, and none elsewhere"
    )


def _is_object(text: str) -> bool:
    return _object(text) is not None


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _is_point(text: str) -> bool:
    point = _object(text)
    return point is not None and all(isinstance(value, (str, int, float)) for value in point.values())


def _is_name(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", text) is not None


def _is_count(value: float) -> bool:
    return 0 <= value < math.inf


#: Columns without which a row says nothing.
_NEVER_EMPTY = [
    "paper",
    "dataset",
    "method",
    "setting",
    "setting_id",
    "repetition",
    "at",
    "status",
    "cell_id",
]
#: What each column may hold beside nothing: a test of its values, and what a message says of them.
_CONTENT: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(
        ("paper", "dataset", "method", "setting_id"), (_is_name, "a name of letters, digits, ., _ and -")
    ),
    **dict.fromkeys(("setting", "params", "versions", "machine"), (_is_object, "a JSON object")),
    "at": (_is_point, "a JSON object of numbers, texts, true and false"),
    "status": (STATUSES.__contains__, f"one of {', '.join(STATUSES)}"),
    **dict.fromkeys(
        (
            *("repetition", "fold", "n_rows", "n_train", "n_test", "threads"),
            *("cpu_seconds", "wall_seconds", "peak_memory_mb"),
        ),
        (_is_count, "a finite number of at least 0"),
    ),
}


def metric_fault(row: Mapping[str, Any], measures: Mapping[str, Measure]) -> str:
    """What is wrong with the metric of a row or its value.

    Empty where nothing is.
    """
    metric, value = row["metric"], row["value"]
    if metric not in measures:
        return (
            f"metric {metric!r} is described neither by cladebench.measures nor in the section measures of the plan of "
            f"{row['paper']}; describe it there and run again: finished runs are kept"
        )
    low, high = _allowed(measures[metric])
    if low <= value <= high:
        return ""
    low, high = measures[metric].range
    return f"metric {metric!r} is {value!r}; its measure allows {low:g} to {high:g}"


def values_out_of_range(table: pd.DataFrame, measures: Mapping[str, Mapping[str, Measure]]) -> Iterator[str]:
    """List cells that ended well with faulty values.

    `metric_fault` finds a fault in a metric or a value, or there is none.
    """
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
