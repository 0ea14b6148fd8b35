"""Propose an entry of comparison.yaml for a user's file.

It says what was taken for what.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cladebench.datasets.own.own_columns import (
    as_distances,
    as_features,
    kind_of,
    most_levels,
    unit_example,
)
from cladebench.datasets.own.own_doubts import columns_that_tell
from cladebench.datasets.own.own_entries import no_column
from cladebench.datasets.own.own_files import UNLABELLED_ROWS, missing_labels, read_own_data, some_rows
from cladebench.datasets.own.own_tables import is_text, read_table
from cladebench.datasets.own.own_text import (
    FileFormat,
    OwnDataError,
    counted,
    decoded,
    is_number,
    read_bytes,
    refuse,
    separator_of,
    unpacked,
    without_groups,
)
from cladebench.input_files import shown

#: Names of a column that is taken for the label if the user names none, and for a name of the rows.
LABELS = ("label", "labels", "class", "target", "y")
#: Values of a text that may be a label, at most.
FEW = 10
IDENTIFIERS = ("id", "index", "key", "uuid", "row", "rownames", "column 1")


def propose_entry(
    path: Path, label_columns: Sequence[str] = (), *, needed: bool = True
) -> tuple[dict[str, Any], list[str]]:
    """Propose an entry of ``data:`` for a file.

    Parameters
    ----------
    path : Path
        The file; the entry names it as it is given here.
    label_columns : sequence of str, default=()
        Columns of labels, of which the file has one. Default: a column called as in `LABELS`, if there is one.
    needed : bool, default=True
        Refuse a file with none of these columns; else it is read as one of which no label was named.

    Returns
    -------
    tuple
        The entry, and what was taken for what, in sentences; the last are those of `read_own_data`.

    Raises
    ------
    OwnDataError
        As `read_own_data`; also if the file has none or several of these columns, or two decimal marks.
    """
    file = path.as_posix()
    entry: dict[str, Any] = {"file": file}
    said: list[str] = []
    content = read_bytes(path, file, "a file of data")
    decimal = "."
    if is_text(file):
        decimal, named, doubts = _decimal(content, file)
        said += doubts
        separator = separator_of(decoded(unpacked(content, file), file), decimal, file)
        entry |= {"separator": separator} if separator != "," else {}
        entry |= {"decimal": decimal} if named else {}
    # Of an npz file only those arrays are read as columns that are named.
    texts = label_columns or (() if is_text(file) else LABELS)
    how = FileFormat(decimal=decimal, texts=texts, square=True, thousands="decimal" in entry)
    table = read_table(content, file, how)
    frame = table.frame
    columns = [str(column) for column in frame.columns]
    given = [column for column in dict.fromkeys(label_columns) if column in columns]
    if len(given) > 1:
        refuse(file, f"has the columns {' and '.join(map(shown, given))}; expected one --label of a file")
    if label_columns and not given:
        if needed:
            no_column(file, label_columns[0], columns)
        return propose_entry(path)
    label = given[0] if given else None
    if label is None and not table.labels:
        label = next((column for column in reversed(columns) if column.lower() in LABELS), None)
        said += [f"Column {shown(label)} was taken for the label by its name."] * (label is not None)
    if label is not None:
        entry["label"] = label
        if unlabelled := missing_labels(frame[label].astype(object).tolist()):
            entry["noise"] = UNLABELLED_ROWS
            said.append(
                f"WARNING: {some_rows(unlabelled, table.line)} without a label: "
                f"noise: {UNLABELLED_ROWS} is proposed, so no score counts them."
            )
    elif not table.labels:
        entry["clusters"] = min(3, len(frame))
        said.append(
            f"No column was named as label; clusters: {entry['clusters']} is a guess: write your own."
        )
    features = [column for column in columns if column != label and column not in table.labels]
    ignored = {column: reason for column in features if (reason := _reason_to_ignore(frame[column], decimal))}
    copies = (
        _copies(frame[[c for c in features if c not in ignored]], frame[label]) if label is not None else []
    )
    said += [
        f"WARNING: column {shown(column)} is a copy of {shown(str(label))}, one value for each class: "
        "proposed under ignore."
        for column in copies
    ]
    said += [f"Column {shown(column)} {reason}: proposed under ignore." for column, reason in ignored.items()]
    ignored |= dict.fromkeys(copies, "")
    features = [column for column in features if column not in ignored]
    if table.sparse is None and _are_distances(frame[features], file):
        entry["kind"] = "distances"
        said.append("The matrix is square and symmetric with 0 on its diagonal: taken for distances.")
    else:
        texts = [c for c in features if kind_of(frame[c].dropna(), decimal) == "text"]
        entry |= {"categories": texts} if texts else {}
        if label is None and not table.labels:
            said += [_label_hint(frame[column]) for column in texts if _may_be_label(frame[column].dropna())]
        entry |= {"missing": "median"} if frame[features].isna().any(axis=None) else {}
    entry |= {"ignore": list(ignored)} if ignored else {}
    return entry, [*said, *read_own_data(path.stem, entry, Path()).done]


def _decimal(content: bytes, file: str) -> tuple[str, bool, list[str]]:
    """Find the decimal mark, whether to name it, and doubts about it.

    It is a comma, if a column has numbers by it and none has numbers by a point alone.
    """
    frame = read_table(content, file, FileFormat(square=True)).frame
    if not any(_has_commas(frame[column]) for column in frame.columns):
        return ".", False, []
    texts = read_table(content, file, FileFormat(square=True, texts=list(frame.columns))).frame
    # Columns of numbers, by the one mark with which they are; those with commas may be so with both.
    by: dict[str, list[str]] = {"": [], ".": [], ",": []}
    for column in texts.columns:
        values = texts[column].dropna()
        marks = [m for m in ".," if all(is_number(without_groups(value, m), m) for value in values)]
        if marks and (marks != [".", ","] or _has_commas(values)):
            by[marks[0] if len(marks) == 1 else ""].append(str(column))
    if by["."] and by[","]:
        problem = f"has decimal commas, but {shown(by['.'][0])} has points"
        refuse(file, f"{problem}; expected one mark in the file, named by decimal", by[","][0])
    numbers = [texts[column] for columns in by.values() for column in columns]
    is_comma = bool(by[","] or by[""]) and not by["."]
    if is_comma and separator_of(decoded(unpacked(content, file), file), ".", file) == ",":
        if by[","]:
            refuse(
                file, "has decimal commas, which separate columns too; expected separator: ';'", by[","][0]
            )
        is_comma = False
    if not is_comma:
        return ".", any(map(_has_commas, numbers)), []
    doubt = f"Commas in {shown(next(iter(by['']), ''))} may part thousands: then set decimal: '.'."
    return ",", True, [doubt] * (not by[","])


def _has_commas(values: Any) -> bool:
    return any(isinstance(value, str) and re.search(r"\d,\d", value) for value in values)


def _may_be_label(present: Any) -> bool:
    return 2 <= present.nunique() <= FEW and not unit_example(present)


def _label_hint(values: Any) -> str:
    name, option = shown(str(values.name)), shlex.quote(str(values.name))
    number = counted(values.nunique(), "value")
    return f"Column {name} has {number} and stays a feature; --label {option} makes it the label."


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
        if unit := unit_example(present):
            return f"has numbers with a unit, such as {shown(unit)}, {different} different ones"
        return f"is text with {different} different values"
    return ""


def _copies(frame: Any, labels: Any) -> list[str]:
    classes = labels.astype(object).factorize()[0]
    if missing := missing_labels(labels.astype(object).tolist()):
        classes[missing] = -1
    return [column for column, share in columns_that_tell(frame, classes).items() if share > 1]


def _are_distances(frame: Any, file: str) -> bool:
    if frame.shape[0] != frame.shape[1] or len(frame) < 3:
        return False
    try:
        X, names, _ = as_features(frame, file, lambda row: row, categories=None, missing="refuse")
        as_distances(X, names, file, lambda row: row)
    except OwnDataError:
        return False
    return True
