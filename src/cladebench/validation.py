"""Checks of what users hand over, shared by trees, their drawing and their measures."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt


def check_integer(name: str, value: Any) -> None:
    """Raise a TypeError unless ``value`` is an integer (no bool)."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} is {value!r}; expected an integer")


def check_count(name: str, value: Any) -> None:
    """Raise a TypeError or ValueError unless ``value`` is an integer of at least 1."""
    check_integer(name, value)
    if value < 1:
        raise ValueError(f"{name} is {value}; expected at least 1")


def check_number(name: str, value: Any) -> None:
    """Raise a TypeError unless ``value`` is a real number (no bool); NaN and infinity pass."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; expected a real number")


def as_index(name: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return a vector of integers as the core wants it; ValueError if it is none."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}; expected one dimension")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} has dtype {array.dtype}; expected integers")
    return np.ascontiguousarray(array, dtype=np.int64)


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
        If the values make no array or are no real numbers. Complex ones are refused, for their imaginary parts would
        be lost; so is text, even where it reads as numbers.
    """
    try:
        array = np.asarray(values)
        kind = array.dtype.kind
        if kind not in "biufO" or (kind == "O" and any(isinstance(v, str | bytes) for v in array.flat)):
            raise ValueError(f"it has dtype {array.dtype}; expected real numbers")
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is no array of numbers: {error}") from error


def check_magnitude(X: npt.NDArray[np.float64]) -> None:
    """Raise a ValueError if squared distances, summed over all samples, could overflow."""
    limit = math.sqrt(sys.float_info.max / X.size) / 2.0
    row, column = map(int, np.unravel_index(np.argmax(np.abs(X)), X.shape))
    if abs(X[row, column]) > limit:
        raise ValueError(
            f"X[{row}, {column}] is {X[row, column]:g}: expected at most {limit:.3g} in magnitude, beyond which sums "
            "of squared distances overflow; rescale X"
        )


def class_codes(labels: npt.ArrayLike, n_samples: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Return the sorted distinct classes, and the place of each sample's class among them.

    Parameters
    ----------
    labels : array-like, shape (n_samples,)
        All strings or all numbers; pandas Series and Categorical will do.
    n_samples : int
        Length to expect.

    Raises
    ------
    ValueError
        If the length is wrong, a label is missing (None, NaN, NaT, pandas.NA), or labels are of several kinds.
    """
    values = np.asarray(labels)
    if values.shape != (n_samples,):
        raise ValueError(f"labels has shape {values.shape}; expected ({n_samples},)")
    if values.dtype == object:  # what pandas gives for strings, and for anything with missing values
        kind = str if n_samples and isinstance(values[0], str) else Real
        bad = next((i for i, value in enumerate(values) if not _is_label(value, kind)), None)
    else:
        missing = values != values if values.dtype.kind in "fcmM" else np.zeros(0, dtype=bool)
        bad = int(np.argmax(missing)) if missing.any() else None
    if bad is not None:
        raise ValueError(
            f"labels[{bad}] is {values[bad]!r}; expected a class for each sample, all strings or all numbers"
        )
    classes, codes = np.unique(values, return_inverse=True)
    return classes, codes


def _is_label(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and value == value  # NaN is not itself


def check_int(name: str, value: Any, minimum: int) -> None:
    """Raise a ValueError unless ``value`` is an integer (no bool) of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < minimum:
        raise ValueError(f"{name}={value!r}: expected an integer >= {minimum}")


def check_real(name: str, value: Any, minimum: float, *, open_minimum: bool = False) -> None:
    """Raise a ValueError unless ``value`` is finite and >= ``minimum`` (> if the minimum is open)."""
    inside = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if not inside or float(value) < minimum or (open_minimum and float(value) == minimum):
        raise ValueError(
            f"{name}={value!r}: expected a finite number {'>' if open_minimum else '>='} {minimum}"
        )


def check_scale(X: np.ndarray) -> None:
    """Raise a ValueError if sums of squared distances would overflow, or all of them underflow to zero."""
    check_magnitude(X)
    extent, least = float(np.ptp(X, axis=0).max()), math.sqrt(sys.float_info.min)
    if 0.0 < extent < least:
        raise ValueError(
            f"the features of X extend over {extent:g} at most: expected at least {least:.3g}, below which squared "
            "distances vanish; rescale X"
        )


def check_choice(name: str, value: Any, choices: Collection[str]) -> None:
    """Raise a ValueError unless ``value`` is one of the strings."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(sorted(choices))}")
