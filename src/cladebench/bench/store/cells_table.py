"""Define and read ``cells.parquet``, the records of a run as one table."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench.bench.plan.cell_spec import canonical_json, point_text, setting_order
from cladebench.bench.store.cells_faults import content_fault
from cladebench.input_files import InputFileError

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
    """Read a ``cells.parquet`` with nullable column types.

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


_MAKER = "run cladebench collect or run-comparison, which makes it"


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
        contents = pyarrow.parquet.read_table(path, read_dictionary=texts)
    except (OSError, pyarrow.ArrowException) as error:
        raise InputFileError(f"{path}: cannot be read as Parquet: {_first_line(error)}; {maker}") from None
    missing = [name for name in COLUMNS if name not in contents.column_names]
    if missing:
        raise InputFileError(f"{path}: it has no column {', '.join(map(repr, missing))}; {maker}")
    if not contents.num_rows:
        raise InputFileError(f"{path}: it holds no run; {maker}")
    try:
        table = pyarrow.table(
            {f.name: _typed(contents[f.name], f.type) for f in _schema()}
        ).unify_dictionaries()
    except pyarrow.ArrowException as error:
        raise InputFileError(f"{path}: a column is of a wrong type: {_first_line(error)}; {maker}") from None
    try:
        for name in texts:
            table[name].unique().to_pylist()
        fault = content_fault(table)
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
    readings = [
        (metric, setting_order(reading["at"]), point_text(reading["at"]), reading.get("block", -1), value)
        for reading in record["readings"]
        for metric, value in reading["metrics"].items()
    ]
    for metric, order, at, block, value in sorted(readings) or [(None, [], "{}", -1, None)]:
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
    """Sort cells by paper, data set, method, setting, repetition and fold.

    Settings go by the size of their numbers.
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
