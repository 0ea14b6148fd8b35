"""Read own tables: text, Parquet, Feather, svmlight and NumPy, never pickles.

Each may be packed by gzip.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
import scipy

from cladebench.datasets.archives import SIZE_LIMIT, read_members
from cladebench.datasets.base import DatasetError
from cladebench.datasets.own.own_text import (
    FileFormat,
    FileTable,
    OwnDataError,
    check_names,
    decoded,
    read_text,
    refuse,
    unpacked,
)
from cladebench.input_files import shown

_MOST_COLUMNS = 1_000_000
_SVMLIGHT = re.compile(r"\s*[^\s#:]+(\s+qid:\d+)?(\s+\d+:[^\s#:]+)*\s*(#.*)?")


def read_table(data: bytes, file: str, how: FileFormat) -> FileTable:
    """Read the bytes of a file by the ending of its name."""
    ending = PurePath(file.lower().removesuffix(".gz")).suffix
    if ending not in _READERS:
        code = " (pickles can run code)" if ending in (".pkl", ".pickle", ".joblib") else ""
        refuse(file, f"cannot be read{code}; expected one of {', '.join(_READERS)}, also with .gz")
    table = _READERS[ending](unpacked(data, file), file, how)
    if not len(table.frame):
        refuse(file, "has no rows; expected at least 2")
    return table


def is_text(file: str) -> bool:
    """Whether a file is a text by the ending of its name."""
    return _READERS.get(PurePath(file.lower().removesuffix(".gz")).suffix) is read_text


def _arrow(data: bytes, file: str, how: FileFormat) -> FileTable:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    def check_size(size: int) -> None:
        if size > SIZE_LIMIT:
            refuse(file, f"unpacks to more than {SIZE_LIMIT:,} bytes; expected at most as many")

    try:
        if data.startswith(b"PAR1"):
            source = pq.ParquetFile(pa.BufferReader(data))
            about = source.metadata
            check_size(sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups)))
            check_size(about.num_rows * about.num_columns * 8)
            table = source.read()
        else:
            parts = []
            with pa.ipc.open_file(pa.BufferReader(data)) as batches:
                for i in range(batches.num_record_batches):
                    parts.append(batches.get_batch(i))
                    check_size(sum(part.nbytes for part in parts))
                table = pa.Table.from_batches(parts, batches.schema)
        check_names(table.column_names, file)
        frame = table.to_pandas()
    except OwnDataError:
        raise
    except (ValueError, OSError, KeyError, TypeError, NotImplementedError, pa.ArrowException) as error:
        reason = " ".join(str(error).split()).partition(". ")[0][:60].rstrip(".")
        refuse(file, f"cannot be read: {reason}; expected Parquet or Feather, as its name says")
    said = () if isinstance(frame.index, pd.RangeIndex) else ("The file's index is left out.",)
    return _table(frame.reset_index(drop=True), {}, file, said)


def _table(frame: Any, columns: Mapping[str, Any], file: str, said: tuple[str, ...] = ()) -> FileTable:
    """Make a table of features and of further columns."""
    frame.columns = [str(name) for name in frame.columns]
    check_names([*frame.columns, *columns], file)
    return FileTable(frame.assign(**columns), said=said)


def _matrix(X: Any, columns: Mapping[str, Any], file: str) -> FileTable:
    """Make a table of a matrix and further columns.

    The columns of the matrix are called 1, 2, ...

    It stays sparse if fewer than half of its entries are given.
    """
    import pandas as pd

    if X.ndim != 2 or not 0 < X.shape[1] <= _MOST_COLUMNS:
        refuse(file, f"has shape {X.shape}; expected rows and 1 to {_MOST_COLUMNS:,} columns")
    sparse = scipy.sparse.issparse(X)
    if sparse and X.nnz * 2 < X.shape[0] * X.shape[1]:
        said = (
            f"The features are sparse: {X.nnz / max(X.shape[0], 1):.4g} of {X.shape[1]:,} are given in a row."
        )
        return FileTable(pd.DataFrame(dict(columns), index=range(X.shape[0])), said=(said,), sparse=X)
    names = [str(i) for i in range(1, X.shape[1] + 1)]
    said = ("At least half of the entries are given: read as a full table, not as sparse features.",) * sparse
    return _table(pd.DataFrame(X.toarray() if sparse else X, columns=names), columns, file, said)


def _svmlight(data: bytes, file: str, how: FileFormat) -> FileTable:
    from dataclasses import replace

    from sklearn.datasets import load_svmlight_file

    lines = enumerate(decoded(data, file).splitlines(), 1)
    rows = [(at, row) for at, row in lines if row.partition("#")[0].strip()]
    for at, row in rows:
        if not _SVMLIGHT.fullmatch(row):
            refuse(file, f"{shown(row[:30])}; expected a label and features, as in '1 3:0.5 7:2'", row=at)
    # scikit-learn would make floats of the labels.
    values = "\n".join(" ".join(["0", *row.partition("#")[0].split()[1:]]) for _, row in rows)
    try:
        X, _ = load_svmlight_file(io.BytesIO(values.encode()))
    except (ValueError, OverflowError, MemoryError) as error:
        refuse(file, f"cannot be read: {str(error)[:60]}; expected svmlight")
    table = _matrix(X, {"label": [row.split(None, 1)[0] for _, row in rows]}, file)
    return replace(table, line=lambda row: rows[row][0], labels=("label",))


def _array(content: bytes, file: str) -> np.ndarray:
    """Read the bytes of an npy file."""
    try:
        array: np.ndarray = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, OverflowError, MemoryError, TypeError) as error:
        objects = "Object arrays" in str(error)
        fault = "holds Python objects, which can run code" if objects else "is no whole array"
        refuse(file, f"{fault}; expected numbers, as numpy.save writes them")
    if array.dtype.kind == "c":
        refuse(file, "has complex numbers; expected real ones")
    return array


def _npy(data: bytes, file: str, how: FileFormat) -> FileTable:
    return _matrix(_array(data, file), {}, file)


def _npz(data: bytes, file: str, how: FileFormat) -> FileTable:
    try:
        members = read_members(data, lambda name: name.endswith(".npy"), name=file, size_limit=SIZE_LIMIT)
    except DatasetError as error:
        raise OwnDataError(f"{error}; expected what numpy.savez writes") from None
    arrays = {name[:-4]: _array(content, f"{file}: {name}") for name, content in members.items()}
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    if "X" not in matrices and len(matrices) != 1:
        refuse(file, f"has {len(matrices)} matrices; expected one, or one called X")
    X = arrays["X" if "X" in matrices else matrices[0]]
    columns = {name: array for name, array in arrays.items() if name in how.texts}
    for name, array in columns.items():
        if array.shape != X.shape[:1]:
            refuse(file, f"has shape {array.shape}; expected ({X.shape[0]},), one label a row", name)
    return _matrix(X, columns, file)


_READERS: dict[str, Callable[[bytes, str, FileFormat], FileTable]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".data", ".dat"), read_text),
    ".parquet": _arrow,
    ".feather": _arrow,
    **dict.fromkeys((".svm", ".svmlight", ".libsvm"), _svmlight),
    ".npz": _npz,
    ".npy": _npy,
}
