"""Checks of arguments. `check_int`, `check_real` and `check_choice` are for the parameters of estimators."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

_LARGEST_INDEX = np.uint64(2**63 - 1)


def check_integer(name: str, value: Any, minimum: int | None = None) -> None:
    """Raise a TypeError unless ``value`` is an integer (no bool), a ValueError if it is below ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} is {value!r}; expected an integer")
    if minimum is not None and value < minimum:
        raise ValueError(f"{name} is {value}; expected at least {minimum}")


def check_number(name: str, value: Any) -> None:
    """Raise a TypeError unless ``value`` is a real number (no bool); NaN and infinity pass."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; expected a real number")


def as_index(name: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return a vector as the int64 that the core reads; ValueError unless it is one of integers that fit."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; expected one dimension")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        _check_fits(name, values)
        raise ValueError(f"{name} has dtype {array.dtype}; expected integers")
    if array.dtype == np.uint64 and (array > _LARGEST_INDEX).any():  # these would come out negative
        at = int(np.argmax(array > _LARGEST_INDEX))
        raise ValueError(f"{name}[{at}] is {array[at]}; expected at most 2^63 - 1")
    return np.ascontiguousarray(array, dtype=np.int64)


def _check_fits(name: str, values: npt.ArrayLike) -> None:
    """Raise a ValueError if integers made an array of another type because one of them is too large."""
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
        would be lost; so are text, even if it can be read as numbers, and sparse matrices.
    """
    if scipy.sparse.issparse(values):
        raise ValueError(f"{name} is sparse; expected a dense array")
    try:
        array = np.asarray(values)
        kind = array.dtype.kind
        if kind not in "biufO" or (kind == "O" and any(isinstance(v, str | bytes) for v in array.flat)):
            raise ValueError(f"it has dtype {array.dtype}; expected real numbers")
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from error


def check_columns(X: Any, name: str = "X") -> None:
    """Raise a ValueError if a CSR or CSC matrix points outside of itself; all else passes.

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
            f"{name}.indptr is not a list of {n_lines + 1} numbers that never fall, from 0 to at most {n_stored}"
        )
    places = X.indices[: ends[-1]]  # what lies beyond is not read
    outside = (places < 0) | (places >= n_places)
    if outside.any():
        raise ValueError(
            f"{name} has the {place} {places[int(np.argmax(outside))]}; expected 0..{n_places - 1}"
        )


def check_magnitude(X: Any, name: str = "X") -> None:
    """Raise a ValueError if squared distances, summed over all samples, could overflow; X is dense or CSR."""
    limit = math.sqrt(sys.float_info.max / math.prod(X.shape)) / 2.0
    if scipy.sparse.issparse(X):
        if not X.nnz:
            return
        entry = int(np.argmax(np.abs(X.data)))
        row, column = int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry])
        value = X.data[entry]
    else:
        row, column = map(int, np.unravel_index(np.argmax(np.abs(X)), X.shape))
        value = X[row, column]
    if abs(value) > limit:
        raise ValueError(
            f"{name}[{row}, {column}] is {value:g}: expected at most {limit:.3g} in magnitude, beyond which "
            f"sums of squared distances overflow; rescale {name}"
        )


def class_codes(
    labels: npt.ArrayLike, n_samples: int, name: str = "labels"
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Return the sorted distinct classes, and the place of each sample's class among them.

    Parameters
    ----------
    labels : array-like, shape (n_samples,)
        All strings or all numbers; pandas Series and Categorical will do.
    n_samples : int
        Length to expect.
    name : str, default="labels"
        Name of the argument, for the messages.

    Raises
    ------
    ValueError
        If the length is wrong, a label is missing (None, NaN, NaT, pandas.NA), or labels are of several kinds.
    """
    values = np.asarray(labels)
    if values.shape != (n_samples,):
        raise ValueError(f"{name} has shape {values.shape}; expected ({n_samples},)")
    given = values
    if values.dtype.kind in "US" and not hasattr(labels, "dtype"):
        given = np.array(labels, dtype=object)  # beside a string, NumPy turns 1 into "1"
    if given.dtype == object:  # what pandas gives for strings, and for anything with missing values
        kind = next((kind for kind in (str, bytes) if n_samples and isinstance(given[0], kind)), Real)
        bad = next((i for i, value in enumerate(given) if not _is_label(value, kind)), None)
    else:
        missing = values != values if values.dtype.kind in "fcmM" else np.zeros(0, dtype=bool)
        bad = int(np.argmax(missing)) if missing.any() else None
    if bad is not None:
        raise ValueError(
            f"{name}[{bad}] is {given[bad]!r}; expected a class for each sample, all strings or all numbers"
        )
    classes, codes = np.unique(values, return_inverse=True)
    return classes, codes


def _is_label(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and value == value  # NaN is not itself


def check_y(given: Any, checked: np.ndarray) -> None:
    """Raise a ValueError if class labels that scikit-learn let pass are of several kinds, or not whole numbers.

    Parameters
    ----------
    given : array-like
        As the user gave them: a list of numbers and strings is an array of strings in ``checked`` already.
    checked : ndarray of shape (n_samples,)
    """
    classes, codes = class_codes(given if np.ndim(given) == 1 else checked, len(checked), "y")
    if classes.dtype.kind in "fO" and not isinstance(classes[0], str | bytes):
        broken = classes % 1 != 0  # as of a target of regression
        if broken.any():
            at = int(np.argmax(broken[codes]))
            raise ValueError(
                f"y[{at}] is {classes[codes[at]]}; expected class labels: strings or whole numbers"
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
    """Raise a ValueError unless ``value`` is an integer (no bool) of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < minimum:
        raise ValueError(f"{name}={value!r}: expected an integer >= {minimum}")


def check_flag(name: str, value: Any) -> None:
    """Raise a ValueError unless ``value`` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r}: expected True or False")


def check_real(name: str, value: Any, minimum: float, *, open_minimum: bool = False) -> None:
    """Raise a ValueError unless ``value`` is finite and >= ``minimum`` (> if the minimum is open)."""
    inside = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if not inside or float(value) < minimum or (open_minimum and float(value) == minimum):
        raise ValueError(
            f"{name}={value!r}: expected a finite number {'>' if open_minimum else '>='} {minimum}"
        )


def check_scale(X: Any) -> None:
    """Raise a ValueError if sums of squared distances would overflow, or all underflow to zero; X is dense or CSR."""
    check_magnitude(X)
    extents = X.max(axis=0) - X.min(axis=0) if scipy.sparse.issparse(X) else np.ptp(X, axis=0)
    extent, least = float(extents.max()), math.sqrt(sys.float_info.min)
    if 0.0 < extent < least:
        raise ValueError(
            f"the features of X extend over {extent:g} at most: expected at least {least:.3g}, below which squared "
            "distances vanish; rescale X"
        )


def check_choice(name: str, value: Any, choices: Collection[str]) -> None:
    """Raise a ValueError unless ``value`` is one of the strings."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(sorted(choices))}")
