"""Labels of classes, read without loss, and numbers of clusters."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench.validation import as_array, check_unmasked


def class_codes(
    labels: npt.ArrayLike, n_samples: int | None = None, name: str = "labels"
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Return the sorted distinct classes and each sample's place among them.

    Labels are the same if Python finds them equal. No digit of a large integer is lost, nor a NUL at the end of a
    string. In arrays that NumPy made before, it is too late.

    Parameters
    ----------
    labels : array-like, shape (n_samples,)
        All strings, all numbers or all dates; pandas Series and Categorical will do.
    n_samples : int, optional
        Length to expect; any by default.
    name : str, default="labels"
        Name of the argument, for the messages.

    Raises
    ------
    ValueError
        If the length is wrong, a label is missing (None, NaN, NaT, pandas.NA, masked), or labels are of several kinds.
    """
    values = as_array(name, labels)
    if values.ndim != 1 or (n_samples is not None and len(values) != n_samples):
        expected = "one dimension" if n_samples is None else f"({n_samples},)"
        raise ValueError(f"{name} has shape {values.shape}; expected {expected}")
    if not _is_faithful(values, labels):
        return _codes_of_objects(np.array(labels, dtype=object), values.dtype, name)
    missing = values != values if values.dtype.kind in "fcmM" else np.zeros(0, dtype=bool)
    if missing.any():
        _refuse_label(name, values, int(np.argmax(missing)))
    if values.dtype.kind in "bi" and len(values):
        low = int(values.min())
        if int(values.max()) - low < 2 * len(values):  # counted, for sorting takes ten times as long
            codes = values.astype(np.int64) - low
            occurs = np.bincount(codes) > 0
            return (np.flatnonzero(occurs) + low).astype(values.dtype), (np.cumsum(occurs) - 1)[codes]
    return np.unique(values, return_inverse=True)


def _is_faithful(values: npt.NDArray[Any], labels: Any) -> bool:
    """Tell whether NumPy's array has all that the given labels have."""
    kind = values.dtype.kind
    if hasattr(labels, "dtype"):
        return kind in "biufcmMUS"
    if kind in "fc":  # beside a float, an integer loses digits
        return all(isinstance(label, float | complex | np.inexact) for label in labels)
    return kind in "biu"


def _codes_of_objects(
    given: npt.NDArray[Any], dtype: np.dtype[Any], name: str
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Read labels one by one.

    Classes come as `dtype` if that loses nothing, else as objects.
    """
    kind = _label_kind(given[0]) if len(given) else None
    for at, label in enumerate(given):
        if kind is None or _label_kind(label) != kind or label != label:  # NaN is not itself
            _refuse_label(name, given, at)
    if isinstance(kind, np.dtype):  # datetime64 or timedelta64, all of one unit
        return class_codes(given.astype(kind), None, name)
    keys = [_exact(label) for label in given] if kind is Real else given.tolist()
    try:
        distinct = sorted(set(keys))
    except TypeError as error:  # as of times with and without a zone
        raise ValueError(f"{name} cannot be put in order: {error}") from error
    classes = np.array(distinct, dtype=object)
    if dtype.kind in "fcUS" and classes.astype(dtype).tolist() == distinct:
        classes = classes.astype(dtype)
    place = {label: code for code, label in enumerate(distinct)}
    return classes, np.array([place[key] for key in keys], dtype=np.int64)


def _label_kind(label: Any) -> Any:
    """Return what all labels must share; None if it is no label."""
    if isinstance(label, np.datetime64 | np.timedelta64):
        return label.dtype
    kinds = (str, bytes, datetime, date, timedelta)
    number = isinstance(label, Real | np.bool_)
    return Real if number else next((kind for kind in kinds if isinstance(label, kind)), None)


def _exact(number: Any) -> Any:
    """Return an equal Python number, which compares exactly, unlike NumPy's."""
    plain = number.item() if isinstance(number, np.generic) else number
    if isinstance(plain, np.longdouble):
        return Fraction(*plain.as_integer_ratio()) if np.isfinite(plain) else float(plain)
    return plain


def _refuse_label(name: str, labels: npt.NDArray[Any], at: int) -> None:
    label = labels[at].item() if isinstance(labels[at], np.number) else labels[at]
    raise ValueError(
        f"{name}[{at}] is {label!r}; expected a class for each sample, all strings or all numbers, or all dates"
    )


def by_first_member(labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Number clusters in the order of their first members."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


def codes_of_y(given: Any, checked: np.ndarray) -> npt.NDArray[np.int64]:
    """Return each sample's class as 0, 1, ... in the labels' order.

    Parameters
    ----------
    given : array-like of shape (n_samples,) or (n_samples, 1)
        As the user gave them: in ``checked`` scikit-learn may have lost digits, or turned numbers to strings.
    checked : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If labels are of several kinds, or numbers that are not whole.
    """
    if np.asarray(given).ndim != 1:  # a column
        lists = isinstance(given, list | tuple)
        given = [label for row in given for label in row] if lists else np.asarray(given).ravel()
    classes, codes = class_codes(given, len(checked), "y")
    if classes.dtype.kind == "f" or isinstance(classes[0], Real):
        with np.errstate(invalid="ignore"):
            broken = classes % 1 != 0  # as of a target of regression, or infinity
        if broken.any():
            at = int(np.argmax(broken[codes]))
            raise ValueError(
                f"y[{at}] is {classes[codes[at]]}; expected class labels: strings or whole numbers"
            )
    return codes


def check_classes(y: Any, X: Any) -> None:
    """Raise a ValueError if a row has no class, and say which.

    scikit-learn refuses such labels too, but names neither place nor lengths.

    Parameters
    ----------
    y : array-like, or None
        Of more than one dimension it is left to scikit-learn.
    X : array-like, or sparse
    """
    check_unmasked("y", y)
    shape = () if y is None else as_array("y", y).shape
    if len(shape) != 1:
        return
    n_rows = X.shape[0] if getattr(X, "shape", ()) else len(X) if isinstance(X, list | tuple) else shape[0]
    if shape[0] != n_rows:
        raise ValueError(f"y has {shape[0]} labels; expected {n_rows}, one for each row of X")
    class_codes(y, None, "y")


def check_faithful(y: Any) -> None:
    """Raise a ValueError if NumPy, hence scikit-learn, merges labels that differ."""
    if np.asarray(y).ndim == 1 and len(class_codes(y, None, "y")[0]) > len(np.unique(np.asarray(y))):
        raise ValueError(
            "y has labels that NumPy cannot distinguish; expected shorter ones, such as 0, 1, ..."
        )
