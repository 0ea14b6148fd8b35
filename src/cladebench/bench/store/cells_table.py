"""The records of a run as one long table, ``cells.parquet``.

Its columns, its rows, and how it is read.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench.bench.plan.cell_spec import STATUSES, canonical_json, point_text, setting_order
from cladebench.input_files import InputFileError, parse_json, shown
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
#: Of these, what says how a run was made, and nothing of its results.
PROVENANCE = ("git_commit", "git_dirty", "core_build", "code_digest", "versions", "machine", "data_sha256")


def read_cells(
    path: Path | str,
    *,
    paper: str | None = None,
    columns: Sequence[str] | None = None,
    one_row_a_run: bool = False,
) -> pd.DataFrame:
    """Read a ``cells.parquet`` with the same column types as `Store.read_records`.

    Parameters
    ----------
    path : Path or str
    paper : str, optional
        Rows of this paper alone. A million rows are over a gigabyte as texts: ask for what is used.
    columns : sequence of str, optional
        By default all of `COLUMNS`.
    one_row_a_run : bool
        The first row of each run, for what is the same in all of them.

    Raises
    ------
    InputFileError
        If it is missing, no Parquet, or not what ``cladebench collect`` writes.
    """
    table = _table_in(path)
    if paper is not None:
        import pyarrow.compute

        table = table.filter(pyarrow.compute.equal(table["paper"], paper))
    if one_row_a_run:
        table = table.filter((~table.select(["cell_id"]).to_pandas().duplicated()).to_numpy())
    table = table.select(list(COLUMNS) if columns is None else list(columns))
    texts = table.cast(_schema(table.column_names))
    frame: pd.DataFrame = texts.to_pandas(types_mapper=nullable_types)
    return frame


def papers_in(path: Path | str) -> set[str]:
    """List the papers of a ``cells.parquet``; errors are those of `read_cells`."""
    return set(_table_in(path)["paper"].unique().to_pylist())


_MAKER = "run cladebench collect, which makes it"


def _table_in(path: Path | str) -> Any:
    if not Path(path).is_file():
        raise InputFileError(f"{path}: no such file; {_MAKER}")
    stat = Path(path).stat()
    # A command asks for it several times, and to read and check a million rows takes seconds.
    return _read_table(path, (stat.st_ino, stat.st_mtime_ns, stat.st_size))


@functools.lru_cache(maxsize=1)
def _read_table(path: Path | str, stamp: tuple[int, ...]) -> Any:
    """Read the table and check it, once for a `stamp`.

    Its texts are numbers in a list of those that occur, a fifth of their size.
    """
    import pyarrow.parquet

    maker = _MAKER
    texts = [name for name, kind in COLUMNS.items() if kind == "string"]
    try:
        found = pyarrow.parquet.read_table(path, read_dictionary=texts)
    except (OSError, pyarrow.ArrowException) as error:
        raise InputFileError(f"{path}: cannot be read as Parquet: {_first_line(error)}; {maker}") from None
    missing = [name for name in COLUMNS if name not in found.column_names]
    if missing:
        raise InputFileError(f"{path}: it has no column {', '.join(map(repr, missing))}; {maker}")
    if not found.num_rows:
        raise InputFileError(f"{path}: it holds no run; {maker}")
    try:
        table = pyarrow.table({f.name: _typed(found[f.name], f.type) for f in _schema()}).unify_dictionaries()
    except pyarrow.ArrowException as error:
        raise InputFileError(f"{path}: a column is of a wrong type: {_first_line(error)}; {maker}") from None
    try:
        for name in texts:
            table[name].unique().to_pylist()
        fault = _content_fault(table)
    except UnicodeDecodeError:
        fault = "a text in it is not UTF-8"
    if fault:
        raise InputFileError(f"{path}: {fault}; {maker}")
    rows = table.select(["cell_id", "metric", "at", "fold"]).to_pandas()
    twice = rows.duplicated()
    if twice.any():
        row = rows[twice].iloc[0]
        raise InputFileError(
            f"{path}: it has a row twice: {row['cell_id']}, metric {row['metric']!r} at {row['at']}; {maker}"
        )
    return table


def _typed(column: Any, kind: Any) -> Any:
    """A column with its type; texts as numbers in a list."""
    import pyarrow

    texts = pyarrow.string()
    if column.type == pyarrow.dictionary(pyarrow.int32(), texts) and kind == texts:
        return column
    column = column.cast(kind)
    return column.dictionary_encode() if kind == texts else column


def _content_fault(table: Any) -> str:
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
    """Find rows that differ from the one before.

    In some of the columns: most of a million rows repeat it.
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
    """Say what is wrong with the names of cells.

    Or with what should be the same in all rows of a cell.
    """
    names = ("paper", "dataset", "method", "setting_id", "repetition")
    found = table.select([*names, "cell_id", "setting", "status"]).to_pylist()
    settings: dict[str, str] = {}
    statuses: dict[str, str] = {}
    for row in found:
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
    """Give a read table's rows as `rows_of` gives records' rows."""
    columns = [table[name].astype(object).where(table[name].notna(), None).tolist() for name in COLUMNS]
    orders: dict[str, tuple[Any, ...]] = {}
    for place, values in enumerate(zip(*columns, strict=True)):
        row = dict(zip(COLUMNS, values, strict=True))
        cell = row["cell_id"]
        if cell not in orders:
            orders[cell] = _cell_order(row["paper"], json.loads(row["setting"]), cell)
        yield {**row, "_order": (*orders[cell], "", [], place)}


def _cell_order(paper: str, setting: Mapping[str, Any], cell_id: str) -> tuple[Any, ...]:
    """What cells are sorted by.

    Paper, data set, method, setting (numbers by size), repetition, fold.
    """
    _, dataset, method, _, number = cell_id.split("/")
    repetition, _, fold = number.partition(".")
    return paper, dataset, method, setting_order(setting), int(repetition), int(fold or -1)


def as_table(rows: list[dict[str, Any]]) -> Any:
    """The rows as an Arrow table with fixed column types."""
    import pyarrow

    return pyarrow.Table.from_pylist(rows, schema=_schema())


def _schema(columns: Iterable[str] = COLUMNS) -> Any:
    import pyarrow

    return pyarrow.schema([(name, pyarrow.type_for_alias(COLUMNS[name])) for name in columns])


def nullable_types(kind: Any) -> Any:
    """Pandas types that keep integers and flags apart from missing values."""
    import pandas as pd
    import pyarrow

    return {pyarrow.int64(): pd.Int64Dtype(), pyarrow.bool_(): pd.BooleanDtype()}.get(kind)
