"""Checks of arguments.

`check_int`, `check_real` and `check_choice` are for the parameters of estimators.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from cladebench.nearest_name import did_you_mean
from cladebench.table_entries import check_entries, columns_of, entry, unread

#: Of the integer parameters of estimators: the core counts in 32 bits.
LARGEST_COUNT = 2**31 - 1
_LARGEST_INDEX = np.uint64(2**63 - 1)
_NOT_NUMBERS = (str, bytes, date, timedelta, np.datetime64, np.timedelta64, np.ma.MaskedArray)


class NotAnInteger(ValueError, TypeError):
    """Report that something else is given where an integer is expected.

    It is both kinds of errors, as scikit-learn's are. Estimators raise a ValueError of a wrong number of
    clusters, and so does what cuts a tree, for those who catch one.
    """


def check_integer(name: str, value: Any, minimum: int | None = None) -> None:
    """Raise an error unless ``value`` is an integer >= ``minimum``.

    Another type, bool included, is NotAnInteger; a value below ``minimum`` is a ValueError.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise NotAnInteger(f"{name} is {value!r}; expected an integer")
    if minimum is not None and value < minimum:
        raise ValueError(f"{name} is {value}; expected at least {minimum}")


def check_number(name: str, value: Any) -> None:
    """Raise a TypeError unless ``value`` is a real number (no bool).

    NaN and infinity pass.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; expected a real number")


def check_unmasked(name: str, values: Any) -> None:
    """Raise a ValueError if an array or list has masked entries.

    NumPy would drop the mask of arrays in lists.
    """
    n_masked = _count_masked(values, 0)
    if n_masked:
        raise ValueError(f"{name} has {n_masked} masked entries; expected values without a mask")


def _count_masked(values: Any, depth: int) -> int:
    if isinstance(values, list | tuple) and depth < 8:
        return sum(_count_masked(value, depth + 1) for value in values)
    return int(np.ma.count_masked(values)) if isinstance(values, np.ma.MaskedArray) else 0


def as_array(name: str, values: Any, of: str = "labels") -> npt.NDArray[Any]:
    """Return an array of any type, as every reader does first.

    ValueError if it is ragged or has masked entries.
    """
    check_unmasked(name, values)
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not an array of {of}: {error}") from error


def as_index(name: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return a vector as the int64 that the core reads.

    ValueError unless it is one of integers that fit.
    """
    array = as_array(name, values, "integers")
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; expected one dimension")
    if array.size and array.dtype.kind not in "iu":
        _check_fits(name, values)
        raise ValueError(f"{name} has dtype {array.dtype}; expected integers")
    if isinstance(values, list | tuple):  # beside an integer, NumPy turns True into 1
        flags = [at for at, value in enumerate(values) if isinstance(value, bool | np.bool_)]
        if flags:
            raise ValueError(f"{name}[{flags[0]}] is {values[flags[0]]!r}; expected an integer")
    if array.dtype == np.uint64 and (array > _LARGEST_INDEX).any():  # these would come out negative
        at = int(np.argmax(array > _LARGEST_INDEX))
        raise ValueError(f"{name}[{at}] is {array[at]}; expected at most 2^63 - 1")
    return np.ascontiguousarray(array, dtype=np.int64)


def _check_fits(name: str, values: npt.ArrayLike) -> None:
    """Raise a ValueError if an integer is beyond 64 bits."""
    given = np.asarray(values, dtype=object).tolist()
    if all(isinstance(value, Integral) and not isinstance(value, bool) for value in given):
        for at, value in enumerate(given):
            if not -(2**63) <= value < 2**63:
                limit = "at most 2^63 - 1" if value > 0 else "at least -2^63"
                raise ValueError(f"{name}[{at}] is {value}; expected {limit}")


def as_floats(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a C-contiguous array of float64.

    Parameters
    ----------
    name : str
        Name of the argument, for the message.
    values : array-like
        Booleans, integers, floating point numbers, or objects that convert to them.

    Raises
    ------
    ValueError
        If the values do not make an array of real numbers. Complex numbers are refused, since their imaginary parts
        would be lost; so are text and dates, even if they can be read as numbers, masked entries, and sparse matrices.
    """
    if scipy.sparse.issparse(values):
        raise ValueError(f"{name} is sparse; expected a dense array")
    array = as_array(name, values, "numbers")
    kind = array.dtype.kind
    if kind not in "biufO":
        raise ValueError(
            f"{name} is not an array of numbers: it has dtype {array.dtype}; expected real numbers"
        )
    try:
        if kind != "O" or not any(isinstance(value, _NOT_NUMBERS) for value in array.flat):
            return np.asarray(array, dtype=np.float64, order="C")
        why = "it has text or dates"
    except (TypeError, ValueError, OverflowError) as error:
        why = str(error)
    if fault := unread(array, (TypeError, ValueError), _NOT_NUMBERS):
        why = f"{entry(name, fault[0], columns_of(values))} is {fault[1]}"
    raise ValueError(f"{name} is not an array of numbers: {why}; expected real numbers")


def without_overflow(matrix: Any) -> Any:
    """Return a sparse matrix of integers as float64.

    Entries that are given twice are added, and small integers would overflow; other matrices pass.
    """
    return matrix.astype(np.float64) if matrix.dtype.kind in "iu" else matrix


def check_columns(X: Any, name: str = "X") -> None:
    """Raise a ValueError if a sparse matrix points outside of itself.

    CSR or CSC; all else passes.

    Neither SciPy nor scikit-learn looks, and their compiled loops then read and write beyond their arrays.

    Parameters
    ----------
    X : object
        Its columns (CSC: rows) must be within its shape, and ``indptr`` within the entries that it stores.
    name : str, default="X"
        Name of the argument, for the message.
    """
    if not (scipy.sparse.issparse(X) and X.format in ("csr", "csc") and X.ndim == 2):
        return
    (n_lines, n_places), place = (X.shape, "column") if X.format == "csr" else (X.shape[::-1], "row")
    ends, n_stored = X.indptr, min(len(X.indices), len(X.data))
    if len(ends) != n_lines + 1 or ends[0] != 0 or (ends[1:] < ends[:-1]).any() or ends[-1] > n_stored:
        raise ValueError(
            f"{name}.indptr is damaged; expected {n_lines + 1} numbers that never fall, from 0 to at most {n_stored}"
        )
    places = X.indices[: ends[-1]]  # what lies beyond is not read
    outside = (places < 0) | (places >= n_places)
    if outside.any():
        raise ValueError(
            f"{name} has the {place} {places[int(np.argmax(outside))]}; expected 0..{n_places - 1}"
        )


def check_features(X: Any, name: str = "X", who: object = None, *, text: bool = True) -> list[Any] | None:
    """Raise a ValueError for what scikit-learn lets pass, or does not name.

    Masked entries, dates, text, integers that no float holds, columns of one name, and sparse X out of its shape.

    Parameters
    ----------
    X : object
    name : str, default="X"
        Name of the argument.
    who : estimator, optional
        Who was given it.
    text : bool, default=True
        Whether text that reads as a number passes, and pandas' NA.

    Returns
    -------
    list or None
        Names of the columns of a data frame, for `check_finite`.
    """
    check_columns(X, name)
    check_unmasked(where_in(name, who), X)
    if scipy.sparse.issparse(X):
        return None
    columns = columns_of(X)
    refused: list[type[Any]] = [] if text else [str, bytes]
    if not text and "pandas" in sys.modules:
        refused.append(type(sys.modules["pandas"].NA))
    check_entries(where_in(name, who), X, columns, tuple(refused))
    return columns


def where_in(name: str, who: object = None) -> str:
    """Name an argument, and who was given it if that is known."""
    return name if who is None else f"{type(who).__name__}: {name}"


def check_finite(
    X: Any, who: object, name: str = "X", columns: Sequence[Any] | None = None, *, of_pairs: bool = False
) -> None:
    """Raise a ValueError that names the first NaN or infinite entry.

    Parameters
    ----------
    X : ndarray or CSR of floats
    who : estimator or None
        Who was given it.
    name : str, default="X"
        Name of the argument.
    columns : list, optional
        Names of the columns.
    of_pairs : bool, default=False
        Whether entries are of pairs of samples, as distances are.
    """
    values = _entries(X)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    finite = np.isfinite(values)
    if finite.all():  # their sum overflows
        return
    at = int(np.argmin(finite))
    what = "NaN" if np.isnan(values.flat[at]) else "infinity"
    where = entry(where_in(name, who), _place(X, at), columns)
    cure = "leave such rows out, or fill them, as sklearn.impute.SimpleImputer does"
    if what == "infinity":  # which no imputer fills
        cure = "leave such rows out, or give the largest value that makes sense"
    if of_pairs:
        cure = "leave out one sample of each such pair"
    raise ValueError(f"{where} is {what}; expected finite numbers: {cure}")


def _entries(X: Any) -> npt.NDArray[Any]:
    """Give the numbers of an array, or those that CSR stores."""
    entries: npt.NDArray[Any] = X.data if scipy.sparse.issparse(X) else X
    return entries


def _place(X: Any, at: int) -> tuple[int, ...]:
    """Find row and column of one of `_entries`."""
    if scipy.sparse.issparse(X):
        return int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
    return tuple(map(int, np.unravel_index(at, X.shape)))


def check_magnitude(X: Any, name: str = "X") -> None:
    """Raise a ValueError if squared distances, summed over all samples, could overflow.

    X is dense or CSR.
    """
    limit = math.sqrt(sys.float_info.max / math.prod(X.shape)) / 2.0
    values = _entries(X)
    if not values.size:
        return
    at = int(np.argmax(np.abs(values)))
    value = values.flat[at]
    if abs(value) > limit:
        row, column = _place(X, at)
        raise ValueError(
            f"{name}[{row}, {column}] is {value:g}: expected at most {limit:.3g} in magnitude, beyond which "
            f"sums of squared distances overflow; rescale {name}"
        )


def check_seed(value: Any) -> None:
    """Raise a ValueError unless ``value`` is one that scikit-learn takes as ``random_state``."""
    from sklearn.utils import check_random_state  # late: most of what is checked here needs no scikit-learn

    try:
        check_random_state(value)
    except ValueError as error:
        raise ValueError(
            f"random_state={value!r}: expected None, an integer in 0..2^32 - 1, or a numpy.random.RandomState; "
            "a Generator will not do"
        ) from error


def check_int(name: str, value: Any, minimum: int) -> None:
    """Raise a ValueError unless ``value`` is an integer (no bool) in minimum..LARGEST_COUNT."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < minimum:
        raise ValueError(f"{name}={value!r}: expected an integer >= {minimum}")
    if int(value) > LARGEST_COUNT:
        raise ValueError(f"{name}={value!r}: expected an integer in {minimum}..{LARGEST_COUNT}")


def check_at_most_samples(who: object, name: str, value: int, n_samples: int) -> None:
    """Raise a ValueError if a parameter exceeds the number of samples."""
    if value > n_samples:
        raise ValueError(
            f"{type(who).__name__}: {name}={value} exceeds the number of samples, n_samples={n_samples}; "
            f"expected at most {n_samples}"
        )


def check_flag(name: str, value: Any) -> None:
    """Raise a ValueError unless ``value`` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r}: expected True or False")


def check_real(name: str, value: Any, minimum: float, *, open_minimum: bool = False) -> None:
    """Raise a ValueError unless ``value`` is finite and >= ``minimum``.

    > if the minimum is open.
    """
    inside = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if not inside or float(value) < minimum or (open_minimum and float(value) == minimum):
        least = f" {'>' if open_minimum else '>='} {minimum}" if minimum > -math.inf else ""
        raise ValueError(f"{name}={value!r}: expected a finite number{least}")


def check_scale(X: Any) -> None:
    """Raise a ValueError if sums of squares overflow or vanish.

    They vanish if all squared distances underflow to zero. X is dense or CSR.
    """
    check_magnitude(X)
    extents = X.max(axis=0) - X.min(axis=0) if scipy.sparse.issparse(X) else np.ptp(X, axis=0)
    extent, least = float(extents.max()), math.sqrt(sys.float_info.min)
    if 0.0 < extent < least:
        raise ValueError(
            f"the features of X extend over {extent:g} at most: expected at least {least:.3g}, below which squared "
            "distances vanish; rescale X"
        )


def check_choice(
    name: str, value: Any, choices: Collection[str], synonyms: Mapping[str, str] | None = None
) -> None:
    """Raise a ValueError unless ``value`` is one of the strings.

    `synonyms` are names of others that the message knows, and the strings that they mean.
    """
    if not (isinstance(value, str) and value in choices):
        meant = did_you_mean(value, choices, synonyms) if isinstance(value, str) else ""
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(sorted(choices))}{meant}")
