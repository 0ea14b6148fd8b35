"""Make features of the columns of a user's table.

Numbers stay as they are, categories become one-hot, gaps get medians.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from datetime import date, timedelta
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from cladebench.datasets.own.own_doubts import doubts_about, spellings
from cladebench.datasets.own.own_text import (
    OwnDataError,
    counted,
    first_of,
    is_number,
    refuse,
    without_groups,
)
from cladebench.distance_matrix import rounding_of
from cladebench.input_files import shown
from cladebench.validation import as_floats

if TYPE_CHECKING:
    import pandas as pd

#: Values that a category may have: one that the user names, one that is found.
MOST_LEVELS, MOST_LEVELS_FOUND = 1000, 50
#: Below it sums of squares do not overflow.
LARGEST = 1e140
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{2,4}")
#: A number between marks that are no letters or digits, or before a short word.
_WITH_UNIT = re.compile(r"([^\w\s.,+-]*)\s*[+-]?\d[\d.,' ]*([^\d\s.,'][^\d]{0,11})?")
Line = Callable[[int], int]


def kind_of(present: pd.Series, decimal: str = ".") -> str:
    """Say what a column without gaps has.

    Numbers, dates, text, or a mixture, which is none of them.
    """
    import pandas as pd

    kind = present.dtype
    if pd.api.types.is_complex_dtype(kind):
        return "mixture"
    if pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
        return "numbers"
    if getattr(kind, "kind", "O") in "mM" or isinstance(kind, pd.PeriodDtype):
        return "dates"
    values: list[Any] = present.astype(object).tolist()
    if all(_is_number(value, decimal) for value in values):
        return "numbers"
    if all(isinstance(value, str) for value in values):
        if all(_DATE.fullmatch(value) for value in values):
            return "dates"
        return "mixture" if any(is_number(value, mark) for value in values for mark in ".,") else "text"
    return "dates" if all(isinstance(value, date | timedelta) for value in values) else "mixture"


def unit_example(values: Iterable[str]) -> str:
    """Give the first of texts that are numbers with a unit.

    They are as ``7%``, all with one unit; the result is empty for other texts.
    """
    texts = [value.strip() for value in values]
    matches = [_WITH_UNIT.fullmatch(text) for text in texts]
    units = {(match[1], (match[2] or "").strip()) for match in matches if match}
    return texts[0] if all(matches) and len(units) == 1 and units != {("", "")} else ""


def _is_number(value: Any, decimal: str) -> bool:
    return isinstance(value, Real | Decimal) or (isinstance(value, str) and is_number(value, decimal))


def most_levels(n_rows: int, asked: bool) -> int:
    """Say how many values a category may have, at most."""
    return MOST_LEVELS if asked else min(MOST_LEVELS_FOUND, max(2, n_rows // 2))


def as_features(
    frame: pd.DataFrame,
    file: str,
    line: Line,
    *,
    decimal: str = ".",
    categories: Collection[str] | None = (),
    missing: str = "median",
) -> tuple[np.ndarray, tuple[str, ...], list[str]]:
    """Make features of all columns, and say what was done.

    Parameters
    ----------
    frame : DataFrame
    file, line
        Name of the file, and where in it a row is, for messages.
    decimal : str
        Decimal mark of numbers in columns of text.
    categories : collection of str, optional
        Columns that are categories, beside those of text; None: there may be none.
    missing : "median" or "refuse"
    """
    columns: dict[str, np.ndarray] = {}
    filled: dict[str, int] = {}
    constant: list[str] = []
    said: list[str] = []
    for column, values in frame.items():
        name, absent = str(column), values.isna().to_numpy()
        present = values[~absent]
        if absent.all():
            refuse(file, "has no values; put it under ignore", name)
        if absent.any():
            filled[name] = int(absent.sum())
            if missing == "refuse":
                cure = "expected none: fill them, or set missing: median" * (categories is not None)
                problem = f"{_missing(filled[name])}; {cure or 'expected all distances'}"
                refuse(file, problem, name, line(int(absent.argmax())))
        asked = name in (categories or ())
        kind = "text" if asked else kind_of(present, decimal)
        if kind == "text" and categories is not None:
            texts = values.astype(object).map(str).to_numpy()
            levels = sorted(set(texts[~absent]))
            if len(levels) > most_levels(len(frame), asked):
                cure = "put it under ignore" + ", or under categories" * (not asked)
                refuse(file, f"is text with {len(levels)} different values; {cure}", name)
            made = {f"{name}={level}": ((texts == level) & ~absent).astype(float) for level in levels}
            if not made.keys().isdisjoint([*columns, *frame.columns]):
                refuse(
                    file, "is a category one of whose columns has the name of another column; rename it", name
                )
            columns |= made
            unit = f", though {shown(unit)} has a number" if (unit := unit_example(levels)) else ""
            made_of = counted(len(levels), "column")
            said.append(f"Column {shown(name)} is a category{unit}: it became {made_of} of 0 and 1.")
            said += spellings(name, levels)
            constant += [name] * (len(levels) == 1 and not absent.any())
            continue
        if kind != "numbers":
            _refuse_column(present, kind, name, file, line, decimal)
        numbers = _floats(present, decimal)
        fits = np.abs(numbers) < LARGEST
        if not fits.all():
            at = int(fits.argmin())
            problem = f"{numbers[at]:g}; expected a number below {LARGEST:g}: rescale or correct it"
            refuse(file, problem, name, line(int(present.index[at])))
        columns[name] = np.full(len(frame), np.median(numbers))
        columns[name][~absent] = numbers
        constant += [name] * bool((numbers == numbers[0]).all())
        said += doubts_about(name, numbers) if categories is not None else ()
    if constant and categories is not None:
        listed = first_of([*map(shown, constant)], 5)
        nothing = "they change nothing" if len(constant) > 1 else "it changes nothing"
        said.append(f"The same value in all rows: {listed}; {nothing}.")
    if filled:
        means = "the median" + ", or by 0 for a category" * any(name not in columns for name in filled)
        listed = ", ".join(f"{shown(name)} ({count})" for name, count in list(filled.items())[:5])
        more = f" and {counted(len(filled) - 5, 'more column')}" * (len(filled) > 5)
        said.append(f"{_missing(sum(filled.values()))}, in {listed}{more}: replaced by {means}.")
    X = np.column_stack(list(columns.values())) if columns else np.zeros((len(frame), 0))
    return X, tuple(columns), said


def _missing(count: int) -> str:
    return counted(count, "missing value")


def _floats(present: pd.Series, decimal: str) -> np.ndarray:
    if present.dtype.kind in "biuf":
        return present.to_numpy(dtype=np.float64)
    values = [v.replace(decimal, ".") if isinstance(v, str) else v for v in present.astype(object)]
    return as_floats("column", np.array([float(value) for value in values]))


def _refuse_column(present: pd.Series, kind: str, name: str, file: str, line: Line, decimal: str) -> None:
    """Say why a column has no features."""
    if kind == "dates":
        refuse(file, "has dates; expected numbers, such as days since a date: or put it under ignore", name)
    if kind == "text":
        refuse(file, f"has text, such as {shown(present.iloc[0])[:30]}; put it under ignore or label", name)
    wrong = next(at for at, value in enumerate(present) if not _is_number(value, decimal))
    value = present.iloc[wrong]
    cure = "correct it, or put the column under label, categories or ignore"
    if isinstance(value, str) and is_number(value, "." if decimal == "," else ","):
        cure = "set decimal: ','" if decimal == "." else "expected ',' in all columns, as decimal says"
        if decimal == "." and without_groups(value, ".") != value:
            cure += "; or decimal: '.' if it parts thousands"
    refuse(file, f"{shown(value)[:30]} is no number; {cure}", name, line(int(present.index[wrong])))


def without_names(frame: pd.DataFrame, said: list[str]) -> pd.DataFrame:
    """Leave out a first column that names the rows.

    The rest must be a square matrix.
    """
    if frame.shape[1] != len(frame) + 1:
        return frame
    first = frame.iloc[:, 0]
    same = [str(value) for value in first] == [str(name) for name in frame.columns[1:]]
    if not same and first.name != "column 1" and kind_of(first.dropna()) == "numbers":
        return frame
    said.append("The first column has the names of the rows.")
    return frame.iloc[:, 1:]


def as_distances(
    D: np.ndarray, names: tuple[str, ...], file: str, line: Line
) -> tuple[np.ndarray, list[str]]:
    """Check distances, and mend what rounding did.

    They are square, symmetric, not negative, and 0 on the diagonal.
    """
    n, p = D.shape
    if n != p:
        shape = f"{counted(n, 'row')} and {counted(p, 'column')}"
        refuse(file, f"has {shape}; expected a square matrix, other columns under ignore")

    def none(wrong: np.ndarray, problem: str) -> None:
        if wrong.any():
            row, column = divmod(int(wrong.argmax()), n)
            told = problem.format(f"{D[row, column]:g}", f"{D[column, row]:g}")
            refuse(file, told, names[column], line(row))

    slack = rounding_of(D)
    none(np.diag(np.abs(np.diag(D)) > slack), "{0}; expected 0 on the diagonal: are these similarities?")
    none(D + slack < 0, "{0} is negative; expected a distance of at least 0")
    none(np.abs(D - D.T) > slack, "{0}, but {1} the other way round; expected a symmetric matrix")
    mended = np.maximum((D + D.T) / 2.0, 0.0)
    np.fill_diagonal(mended, 0.0)
    rounding = "Rounding made the matrix a little asymmetric, negative or not 0 on the diagonal: mended."
    return mended, [] if np.array_equal(mended, D) else [rounding]


def distances_hint(frame: pd.DataFrame, file: str, line: Line, decimal: str) -> list[str]:
    """Say that features may be distances, and what they lack.

    Nothing if it is far from them: most cells must be as those across the diagonal, or the diagonal alone 0.
    """
    n = len(frame)
    if n < 3 or frame.shape[1] != n or any(kind_of(frame[c].dropna(), decimal) != "numbers" for c in frame):
        return []
    X, names, _ = as_features(frame, file, line, decimal=decimal, categories=None)
    if not _is_nearly_symmetric(X):
        return []
    try:
        as_features(frame, file, line, decimal=decimal, categories=None, missing="refuse")
        as_distances(X, names, file, line)
    except OwnDataError as error:
        lacks = str(error).removeprefix(f"{file}: ")
        mended = f"As distances, {lacks}{'.' * (not lacks.endswith('?'))}"
        return ["The table is nearly a matrix of distances: set kind: distances if meant.", mended]
    return ["The table is square, symmetric and 0 on its diagonal: set kind: distances if meant."]


def _is_nearly_symmetric(X: np.ndarray) -> bool:
    n = len(X)
    off, slack = ~np.eye(n, dtype=bool), 1e-8 * float(np.abs(X).max())
    full = int(np.count_nonzero(X[off])) * 2 > n * (n - 1)  # zeros alone would be symmetric
    odd = int(np.count_nonzero(np.abs(X - X.T) > slack))
    hollow = bool((np.abs(np.diag(X)) <= slack).all() and (X[off] > slack).all())
    return full and (odd <= max(2, n * n // 10) or hollow)
