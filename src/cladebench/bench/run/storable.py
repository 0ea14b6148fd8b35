"""What a protocol may put into a record.

Each check names the metric, detail or array that it refuses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cladebench.bench.plan.cell_spec import canonical_json

INT64 = np.iinfo(np.int64)  # columns of cells.parquet hold no larger whole numbers
MAX_DEPTH = 20
MAX_DETAILS = 2**20  # characters of JSON; what is larger belongs into arrays
MAX_NAME = 200


def storable_metric(name: Any, value: Any) -> float:
    """Give a metric as a float.

    Raises
    ------
    TypeError, ValueError
        If the name is no text, or the value no finite number.
    """
    check_text(name, "the name of a metric")
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"metric {name!r} must be a number, got {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"metric {name!r} is {number}, not a finite number")
    return number


def storable_point(at: Mapping[Any, Any]) -> dict[str, Any]:
    """Give an evaluation point as plain values.

    Raises
    ------
    TypeError, ValueError
        If a value is neither a finite number nor text nor true or false.
    """
    point = {}
    for name, value in at.items():
        check_text(name, "the name of an evaluation point")
        point[name] = plain(value)
        if not isinstance(point[name], (str, bool, int, float)):
            raise TypeError(f"evaluation point {name!r}: {value!r}; expected a number, a text, true or false")
    return point


def storable_details(details: Mapping[Any, Any]) -> dict[str, Any]:
    """Give details as plain JSON values.

    NaN and infinity become None, NumPy's values plain numbers and lists.

    Raises
    ------
    TypeError, ValueError
        If one has no JSON form, holds a whole number beyond 64 bits, text that is not valid Unicode or more than
        `MAX_DEPTH` levels, if ``converged``, ``iterations`` or ``tolerance`` is of a wrong type, or if all together
        are longer than `MAX_DETAILS`.
    """
    plain_details, sizes = {}, {}
    for name, value in details.items():
        check_text(name, "the name of a detail")
        try:
            plain_details[name] = plain(value)
            sizes[name] = len(canonical_json(plain_details[name]))
        except TypeError as error:
            raise TypeError(f"detail {name!r} has no JSON form: {error}") from None
        except ValueError as error:
            raise ValueError(f"detail {name!r}: {error}") from None
    _check_columns(plain_details)
    if sum(sizes.values()) > MAX_DETAILS:
        name = max(sizes, key=sizes.__getitem__)
        raise ValueError(
            f"details: {sum(sizes.values())} characters; expected at most {MAX_DETAILS}: "
            f"store the longest, {name!r}, as an array"
        )
    return plain_details


def _check_columns(details: Mapping[str, Any]) -> None:
    """Check the details that become columns."""
    for name, kind, what in (
        ("converged", bool, "true or false"),
        ("iterations", int, "a whole number"),
        ("tolerance", (int, float), "a number"),
    ):
        value: Any = details.get(name)
        fits = isinstance(value, kind) and (name == "converged" or not isinstance(value, bool))  # type: ignore[arg-type]
        if value is not None and not fits:
            raise TypeError(f"detail {name!r} must be {what}, got {value!r}"[:MAX_NAME])


def storable_array(name: Any, value: Any) -> np.ndarray:
    """Give an array that can be stored without pickle.

    Raises
    ------
    TypeError, ValueError
        If it holds objects, or its name cannot be that of a file.
    """
    check_text(name, "the name of an array")
    if not name or set(name) & set("/\\\0"):
        raise ValueError(
            f"array {name!r}: name not allowed; expected one without slash, backslash or NUL, not empty"
        )
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(f"array {name!r}: dtype {array.dtype} needs pickle; expected numbers or texts")
    return array


def check_text(value: Any, what: str) -> None:
    """Check a name.

    Text of at most `MAX_NAME` characters that UTF-8 can express.
    """
    if not isinstance(value, str):
        raise TypeError(f"{what} must be text, got {type(value).__name__}")
    if len(value) > MAX_NAME:
        raise ValueError(f"{what} must have at most {MAX_NAME} characters, got {len(value)}")
    _check_unicode(value, what)


def _check_unicode(text: str, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} is not valid Unicode at character {error.start}") from None


def plain(value: Any, depth: int = 0) -> Any:
    """Copy nested Python and NumPy values as what JSON can hold."""
    if depth > MAX_DEPTH:
        raise ValueError(f"more than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        entries = {str(key): plain(item, depth + 1) for key, item in value.items()}
        for key in entries:
            _check_unicode(key, "a key")
        return entries
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return plain(value.tolist(), depth)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and not INT64.min <= value <= INT64.max:
        raise ValueError("a whole number beyond 64 bits")
    if isinstance(value, str):
        _check_unicode(value, "a text")
    return value
