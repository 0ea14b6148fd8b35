"""Name entries of users' tables, and find those that are no numbers."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench.yaml_values import shown

#: Up to it float64 holds each integer.
_EXACT = 2**53
_TIMES = (date, timedelta, np.datetime64, np.timedelta64)


def columns_of(table: Any) -> list[Any] | None:
    """Return the names of a data frame's columns; None of anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> from cladebench.table_entries import columns_of
    >>> columns_of(pd.DataFrame({"weight": [1.0]})), columns_of([[1.0]])
    (['weight'], None)
    """
    shape, columns = getattr(table, "shape", None), getattr(table, "columns", None)
    if not isinstance(shape, tuple) or len(shape) != 2 or columns is None or callable(columns):
        return None
    names = list(columns)
    return names if len(names) == shape[1] else None


def entry(name: str, place: Sequence[int], columns: Sequence[Any] | None = None) -> str:
    """Write an entry as one asks for it.

    Its column is written by name where that is text.

    Examples
    --------
    >>> from cladebench.table_entries import entry
    >>> entry("X", (0, 1)), entry("X", (0, 1), ["id", "weight"])
    ('X[0, 1]', "X[0, 'weight']")
    """
    if not len(place):
        return name
    parts = [str(int(at)) for at in place]
    if columns is not None and len(parts) == 2 and isinstance(columns[place[1]], str):
        parts[1] = shown(columns[place[1]])
    return f"{name}[{', '.join(parts)}]"


def unread(
    array: npt.NDArray[Any],
    errors: tuple[type[Exception], ...],
    refused: tuple[type[Any], ...] = (),
) -> tuple[tuple[int, ...], str, str] | None:
    """Find the first entry that is no number.

    None, which NumPy reads as NaN, counts as one.

    Parameters
    ----------
    array : ndarray of any type
    errors : tuple of types
        Errors of ``float`` that tell of such an entry. Others pass.
    refused : tuple of types
        Types of entries that are no numbers, though ``float`` may read them.

    Returns
    -------
    tuple of (place, what it is, what to give instead), or None
    """
    for at, given in enumerate(array.flat):
        value = given.item() if isinstance(given, np.generic) else given
        is_refused = isinstance(given, refused)
        if not is_refused and value is not None:
            try:
                float(value)
            except OverflowError:  # of digits that may be too many to write
                return _place(array, at), "beyond 1.8e308", "numbers that fit into float64"
            except errors:
                is_refused = True
            except (TypeError, ValueError):
                continue
        if is_refused:
            return _place(array, at), shown(value), "numbers"
    return None


def _place(array: npt.NDArray[Any], at: int) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(at, array.shape)))


def check_entries(
    where: str, table: Any, columns: Sequence[Any] | None, refused: tuple[type[Any], ...] = ()
) -> None:
    """Raise a ValueError for entries that no numbers can be made of.

    Dates, complex numbers, records, text that reads as no number, and integers that no float holds; also for rows of
    different lengths, and for columns of one name. Warn of integers that a float holds in part.

    Parameters
    ----------
    where : str
        Who was given it, and as which argument.
    table : array-like or data frame
        Anything else passes.
    columns : list or None
        As of `columns_of`.
    refused : tuple of types
        Types of entries that are no numbers, though ``float`` may read them.
    """
    if columns is not None and len(set(columns)) < len(columns):
        name, n = Counter(columns).most_common(1)[0]
        raise ValueError(f"{where} has {n} columns {shown(name)}; expected different names")
    try:
        array = np.asarray(table)
    except Exception:
        _check_lengths(where, table)
        return  # the caller's reader says what is wrong
    kind = array.dtype.kind
    if kind == "c":  # scikit-learn's checks of estimators ask for the first words
        raise ValueError(f"{where}: Complex data not supported; expected real numbers")
    if kind in "mM" or (kind == "O" and any(isinstance(value, _TIMES) for value in array.flat)):
        raise ValueError(
            f"{where} has dates or times; expected numbers, such as days since a date of your choice"
        )
    if kind == "V":
        names = ", ".join(array.dtype.names or ())
        raise ValueError(
            f"{where} is a structured array of {names or 'bytes'}; expected a 2D array: "
            "numpy.lib.recfunctions.structured_to_unstructured makes one"
        )
    if kind in "iu" and array.size and (array.max() > _EXACT or array.min() < -_EXACT):
        warnings.warn(
            f"{where} has integers beyond 2^53, and float64 loses their last digits; expected smaller ones: "
            "subtract the least",
            UserWarning,
            stacklevel=5,
        )
    # Of other kinds, as of dictionaries, scikit-learn says what is wrong.
    if kind in "OUS" and (fault := unread(array, (ValueError,)) or unread(array, (), refused)):
        place, what, expected = fault
        hint = ": leave such columns out, or encode them" if expected == "numbers" else ""
        if what == "<NA>":
            hint = ": leave such rows out, or fill them"
        raise ValueError(f"{entry(where, place, columns)} is {what}; expected {expected}{hint}")


def _check_lengths(where: str, table: Any) -> None:
    if not isinstance(table, list | tuple) or not all(isinstance(row, list | tuple) for row in table):
        return
    for at, row in enumerate(table):
        if len(row) != len(table[0]):
            raise ValueError(
                f"{where}[{at}] has length {len(row)}, and {where.split()[-1]}[0] {len(table[0])}; "
                "expected rows of one length"
            )
