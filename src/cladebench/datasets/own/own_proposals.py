"""Propose an entry of comparison.yaml for a user's file.

It says what was taken for what.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cladebench.datasets.own.own_columns import as_distances, as_features, kind_of, most_levels
from cladebench.datasets.own.own_entries import no_column
from cladebench.datasets.own.own_files import read_own_data
from cladebench.datasets.own.own_tables import is_text, read_table
from cladebench.datasets.own.own_text import Format, OwnDataError, decoded, read_bytes, separator_of, unpacked
from cladebench.input_files import shown

#: Names of a column that is taken for the label if the user names none, and for a name of the rows.
LABELS = ("label", "labels", "class", "target", "y")
IDENTIFIERS = ("id", "index", "key", "uuid", "row", "rownames", "column 1")


def propose_entry(
    path: Path, label: str | None = None, *, needed: bool = True
) -> tuple[dict[str, Any], list[str]]:
    """Propose an entry of ``data:`` for a file.

    Parameters
    ----------
    path : Path
        The file; the entry names it as it is given here.
    label : str, optional
        Column of the labels. Default: a column called as in `LABELS`, if there is one.
    needed : bool, default=True
        Refuse a file without the column `label`; else it is read as one of which no label was named.

    Returns
    -------
    tuple
        The entry, and what was taken for what, in sentences; the last are those of `read_own_data`.

    Raises
    ------
    OwnDataError
        As `read_own_data`; also if there is no column of that name.
    """
    file = path.as_posix()
    entry: dict[str, Any] = {"file": file}
    said: list[str] = []
    content = read_bytes(path, file)
    decimal = "."
    if is_text(file):
        decimal = _decimal(content, file)
        separator = separator_of(decoded(unpacked(content, file), file), decimal, file)
        entry |= {"separator": separator} if separator != "," else {}
        entry |= {"decimal": ","} if decimal == "," else {}
    # Of an npz file only those arrays are read as columns that are named.
    named = [label] if label else () if is_text(file) else LABELS
    table = read_table(content, file, Format(decimal=decimal, texts=named, square=True))
    frame = table.frame
    columns = [str(column) for column in frame.columns]
    if label is not None and label not in columns:
        if needed:
            no_column(file, label, columns)
        return propose_entry(path)
    if label is None and not table.labels:
        label = next((column for column in reversed(columns) if column.lower() in LABELS), None)
        said += [f"Column {shown(label)} was taken for the label by its name."] * (label is not None)
    if label is not None:
        entry["label"] = label
    elif not table.labels:
        entry["clusters"] = min(3, len(frame))
        said.append(
            f"No column was named as label; clusters: {entry['clusters']} is a guess: write your own."
        )
    features = [column for column in columns if column != label and column not in table.labels]
    ignored = {column: reason for column in features if (reason := _reason_to_ignore(frame[column], decimal))}
    said += [f"Column {shown(column)} {reason}: proposed under ignore." for column, reason in ignored.items()]
    features = [column for column in features if column not in ignored]
    if table.sparse is None and _are_distances(frame[features], file):
        entry["kind"] = "distances"
        said.append("The matrix is square and symmetric with 0 on its diagonal: taken for distances.")
    else:
        texts = [c for c in features if kind_of(frame[c].dropna(), decimal) == "text"]
        entry |= {"categories": texts} if texts else {}
        entry |= {"missing": "median"} if frame[features].isna().any(axis=None) else {}
    entry |= {"ignore": list(ignored)} if ignored else {}
    return entry, [*said, *read_own_data(path.stem, entry, Path()).done]


def _decimal(content: bytes, file: str) -> str:
    """A comma, if a column has numbers by it alone."""
    frame = read_table(content, file, Format(square=True)).frame
    for column in frame.columns:
        present = frame[column].dropna()
        if len(present) and kind_of(present, ".") == "mixture" and kind_of(present, ",") == "numbers":
            return ","
    return "."


def _reason_to_ignore(values: Any, decimal: str) -> str:
    """Why a column is no feature; empty if it may be one."""
    present = values.dropna()
    if not len(present):
        return "has no values"
    different = int(present.astype(object).map(str).nunique())
    name, kind = str(values.name).lower(), kind_of(present, decimal)
    if different == len(values) > 2 and (name in IDENTIFIERS or name.endswith(("_id", " id", ".id"))):
        return "has a different value in each row and the name of an identifier"
    if kind == "dates":
        return "has dates"
    if kind == "text" and different > most_levels(len(values), False):
        return f"is text with {different} different values"
    return ""


def _are_distances(frame: Any, file: str) -> bool:
    if frame.shape[0] != frame.shape[1] or len(frame) < 3:
        return False
    try:
        X, names, _ = as_features(frame, file, lambda row: row, categories=None, missing="refuse")
        as_distances(X, names, file, lambda row: row)
    except OwnDataError:
        return False
    return True
