"""What subclasses of our base classes give, checked before it is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from cladebench.validation import as_array


def array_from(who: object, method: str, given: Any, shape: tuple[int | None, ...]) -> Any:
    """Return what a subclass gave as an array.

    Sparse matrices pass as they are.

    Parameters
    ----------
    who : object
        Of the subclass.
    method : str
        Which of its methods, or attributes.
    given : array-like of numbers
    shape : tuple of int or None
        What is expected; None is any number.

    Raises
    ------
    TypeError
        If it is not made of numbers.
    ValueError
        If it has another shape.
    """
    where = f"{type(who).__name__}: {method} gave"
    expected = "(" + ", ".join("any" if n is None else str(n) for n in shape) + "," * (len(shape) == 1) + ")"
    sparse = scipy.sparse.issparse(given)
    array = given if sparse else as_array(f"what {method} of {type(who).__name__} gave", given, "numbers")
    if not sparse and array.dtype.kind not in "biuf":
        what = "text" if array.ndim and array.dtype.kind in "US" else type(given).__name__
        raise TypeError(f"{where} {what}; expected numbers of shape {expected}")
    fits = len(array.shape) == len(shape)
    if not fits or any(n not in (None, size) for n, size in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{where} shape {array.shape}; expected shape {expected}")
    return array


def clusters_from(who: object, given: Any, n_samples: int) -> Any:
    """Return the clusters that a subclass gave as an array.

    Parameters
    ----------
    who : object
        Of the subclass.
    given : array-like of shape (n_samples,)
        Of its method ``_cluster``.
    n_samples : int

    Raises
    ------
    TypeError
        If it is not made of numbers.
    ValueError
        If it has another shape, or a number that is not whole.
    """
    clusters = array_from(who, "_cluster", given, (n_samples,))
    if clusters.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            broken = clusters % 1 != 0  # NaN and infinity too
        if broken.any():
            value = clusters[int(np.argmax(broken))]
            raise ValueError(f"{type(who).__name__}: _cluster gave {value:g}; expected whole numbers")
    return clusters
