"""Read a user's own data for a comparison.

It says what was taken for what.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from cladebench.class_labels import codes_of_y
from cladebench.datasets.own.own_columns import (
    LARGEST,
    as_distances,
    as_features,
    distances_hint,
    without_names,
)
from cladebench.datasets.own.own_doubts import spellings, warnings_of
from cladebench.datasets.own.own_entries import checked_entry, files_of, located, no_column
from cladebench.datasets.own.own_tables import is_text, read_table
from cladebench.datasets.own.own_text import (
    MISSING,
    FileFormat,
    OwnDataError,
    counted,
    decoded,
    first_of,
    is_number,
    read_bytes,
    refuse,
    unpacked,
)
from cladebench.input_files import shown

__all__ = ["OwnData", "OwnDataError", "files_of", "read_own_data"]

_NO_LABEL = ("None", "nan", "NaN", "NaT", "<NA>")
#: Value of ``noise`` by which rows without a label are left out of scores.
UNLABELLED_ROWS = "missing"
#: Rows that a message names at most.
_ROWS = 3


@dataclass(frozen=True, eq=False)
class OwnData:
    """One data set of a user.

    Parameters
    ----------
    name : str
        Key in comparison.yaml.
    X : ndarray of float64 or CSR matrix, shape (n, p) or (n, n)
        Features, or distances.
    kind : "features" or "distances"
    feature_names : tuple of str
        Names of the columns of X.
    labellings : mapping
        Name of a labelling -> class of each row, 0..k-1; -1 for a row that no score counts.
    class_names : mapping
        Name of a labelling -> names of its classes.
    clusters : mapping
        Name of a labelling -> number of clusters; ``{"": k}`` if there are no labels.
    done : tuple of str
        Sentences: what was taken for what, and what was done to the data.
    sha256 : str
        Digest of the file; if there are several, of their digests.
    """

    name: str
    X: Any
    kind: str
    feature_names: tuple[str, ...]
    labellings: Mapping[str, np.ndarray]
    class_names: Mapping[str, tuple[str, ...]]
    clusters: Mapping[str, int]
    done: tuple[str, ...]
    sha256: str


def read_own_data(name: str, entry: Mapping[str, Any], folder: Path) -> OwnData:
    """Read one entry of ``data:``.

    Parameters
    ----------
    name : str
        Key of the entry.
    entry : mapping
        Keys as in ``schemas/own_data.schema.json``.
    folder : Path
        Folder of comparison.yaml, in which files are looked for; then the mirror folders.

    Raises
    ------
    OwnDataError
        In one line that names file, column, row and remedy.
    """
    given = checked_entry(name, entry)
    file, label_files = given["file"], given["label_files"]
    contents = [read_bytes(located(text, folder), text) for text in (file, *label_files)]
    digests = [hashlib.sha256(content).hexdigest() for content in contents]
    kind = given.get("kind", "features")
    asked, categories, ignored = (given[key] for key in ("label", "categories", "ignore"))
    how = FileFormat(
        separator=given.get("separator"),
        decimal=given.get("decimal", "."),
        header=given.get("header"),
        texts={*asked, *categories},
        thousands="decimal" in given,
        square=kind == "distances",
    )
    table = read_table(contents[0], file, how)
    frame, n = table.frame, len(table.frame)
    for column in (*asked, *categories, *ignored):
        if column not in frame.columns:
            no_column(file, column, frame.columns)
    if n < 2:
        refuse(file, "has one row; expected at least 2")
    if frame.shape[1] == 1 and table.sparse is None and not label_files:
        refuse(file, "has one column; expected at least 2" + ": set separator" * is_text(file))
    said = [*table.said]
    said += [f"Columns left out: {', '.join(map(shown, ignored))}."] * bool(ignored)

    labellings: dict[str, np.ndarray] = {}
    class_names: dict[str, tuple[str, ...]] = {}

    def add(column: str, where: str, values: list[Any], line: Callable[[int], int]) -> None:
        codes, names = _classes(values, where, line, how.decimal, given.get("noise"))
        labellings[column], class_names[column] = codes, names
        said.extend(_about_label(column, codes, names))

    labels = asked or list(table.labels)
    for column in labels:
        values = frame[column].astype(object).tolist()
        if column in asked or "clusters" not in given or len(set(values)) > 1:  # svmlight always has labels
            add(column, f"{file}: column {shown(column)}", values, table.line)
    for text, content in zip(label_files, contents[1:], strict=True):
        lines = [row.strip() for row in decoded(unpacked(content, text), text).splitlines()]
        rows = [(at, row) for at, row in enumerate(lines, 1) if row]
        if len(rows) != n:
            refuse(text, f"has {counted(len(rows), 'label')}; expected {n}, one for each row of {file}")
        column = PurePath(text).name.removesuffix(".gz").removeprefix(f"{PurePath(file).name.split('.')[0]}.")
        add(column, text, [row for _, row in rows], [at for at, _ in rows].__getitem__)

    features = frame.drop(columns=[*labels, *ignored])
    if kind != "distances":
        for column, codes in labellings.items():
            said += warnings_of(features, column, codes)
    names: tuple[str, ...] = ()
    if table.sparse is not None:
        X = table.sparse
        if kind == "distances":
            refuse(file, "is sparse; expected a full matrix of distances")
        _check_sparse(X, file, table.line)
    else:
        if kind == "distances":
            features = without_names(features, said)
        X, names, made = as_features(
            features,
            file,
            table.line,
            decimal=how.decimal,
            categories=None if kind == "distances" else categories,
            missing="refuse" if kind == "distances" else given.get("missing", "median"),
        )
        said += made
        if "kind" not in given:
            said += distances_hint(features, file, table.line, how.decimal)
        if not names:
            refuse(file, "has no column of features; expected at least one beside label and ignore")
    if kind == "distances":
        X, made = as_distances(X, names, file, table.line)
        said += made
    k = given.get("clusters")
    if k is None and not class_names:
        raise OwnDataError(f"data.{name}: has neither label nor clusters; expected one of them")
    if k is not None and k > n:
        raise OwnDataError(f"data.{name}: clusters is {k}; expected at most {n}, the rows of {file}")
    return OwnData(
        name=name,
        X=X,
        kind=kind,
        feature_names=names,
        labellings=labellings,
        class_names=class_names,
        clusters={labels: k or len(classes) for labels, classes in (class_names or {"": ()}).items()},
        done=tuple(said),
        sha256=digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest(),
    )


def _classes(
    values: list[Any], where: str, line: Callable[[int], int], decimal: str, noise: int | str | None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Read labels as codes, and the names of the classes.

    Codes are 0..k-1, and -1 for noise.
    """
    absent = missing_labels(values)
    if absent and noise != UNLABELLED_ROWS:
        are = "1 label is" if len(absent) == 1 else f"{len(absent):,} labels are"
        cure = f"expected all, or noise: {UNLABELLED_ROWS} to score no such row"
        raise OwnDataError(f"{where}, {some_rows(absent, line)}: {are} missing; {cure}")
    if absent:
        present = sorted({*range(len(values))} - {*absent})
        given, known = _classes(
            [values[at] for at in present], where, lambda row: line(present[row]), decimal, None
        )
        codes = np.full(len(values), -1)
        codes[present] = given
        return codes, known
    if all(isinstance(value, str) for value in values):
        values = _as_written(values, decimal)
    if not values:
        raise OwnDataError(f"{where}: has no class; expected at least 2, or no label")
    try:
        codes = codes_of_y(values, np.empty(len(values)))
    except ValueError as error:
        text = re.sub(r"^y\[(\d+)\] is ", lambda match: f"{where}, row {line(int(match[1]))}: ", str(error))
        raise OwnDataError(text if text != str(error) else f"{where}: {error}") from None
    names = [values[at] for at in np.unique(codes, return_index=True)[1]]
    if noise is not None and noise in names:
        left_out = names.index(noise)
        del names[left_out]
        codes = np.where(codes == left_out, -1, codes - (codes > left_out))
    if len(names) < 2:
        one = f"one class, {shown(str(names[0]))}" if names else "no class"
        raise OwnDataError(f"{where}: has {one}; expected at least 2, or no label")
    if len(names) == len(values):
        raise OwnDataError(f"{where}: has a class of its own in each row; expected classes of several rows")
    return codes, tuple(map(str, names))


def _about_label(column: str, codes: np.ndarray, names: tuple[str, ...]) -> list[str]:
    """Say how many classes a label has, and which look misspelt."""
    out = int((codes < 0).sum())
    left_out = f"; rows of no class, left out of scores: {out}" * bool(out)
    said = [f"Label {shown(column)}: {len(names)} classes{left_out}.", *spellings(column, names)]
    single = [shown(names[at]) for at in np.flatnonzero(np.bincount(codes[codes >= 0]) == 1)]
    alone = (
        f"Classes of one row in {shown(column)}: {first_of(single, _ROWS)}; look whether they are misspelt."
    )
    return [*said, *[alone] * bool(single)]


def missing_labels(values: list[Any]) -> list[int]:
    """Find the rows that have no label."""
    return [
        at
        for at, value in enumerate(values)
        if (value.strip() in MISSING if isinstance(value, str) else str(value) in _NO_LABEL)
    ]


def some_rows(rows: list[int], line: Callable[[int], int]) -> str:
    """Name the first of rows: ``rows 61, 70, 82 and 4 more``."""
    return f"row{'s' * (len(rows) > 1)} {first_of([str(line(row)) for row in rows], _ROWS)}"


def _as_written(values: list[str], decimal: str) -> list[Any]:
    """Make whole numbers of texts if all are; ``007`` stays text."""
    if not all(is_number(value, decimal) for value in values):
        return values
    texts = [value.strip().replace(decimal, ".") for value in values]
    whole = [re.fullmatch(r"([+-]?(?:0|[1-9]\d{0,30}))(?:\.0*)?", text) for text in texts]
    if all(whole):
        return [int(match[1]) for match in whole if match]
    if any(re.match(r"[+-]?0\d", text) for text in texts):
        return values
    return [float(text) for text in texts]


def _check_sparse(X: Any, file: str, line: Callable[[int], int]) -> None:
    cells = X.tocoo()
    wrong = np.flatnonzero(~(np.abs(cells.data) < LARGEST))
    if len(wrong):
        row, column, value = (part[wrong[0]] for part in (cells.row, cells.col, cells.data))
        refuse(file, f"{value:g}; expected a number below {LARGEST:g}", str(column + 1), line(int(row)))
