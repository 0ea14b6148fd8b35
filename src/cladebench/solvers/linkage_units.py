"""Units in which what a linkage computes neither vanishes nor overflows.

All are powers of 2, which change no digit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.validation import check_scale

FloatArray = npt.NDArray[np.float64]

#: The largest number becomes 2^450: its square, summed over all rows, is finite, and 1e-270 of it has a square.
_LARGEST = 450
#: Numbers from 2^-400 to 2^400 stay as they are where each line has a unit of its own.
_USUAL = 400
#: Of larger numbers a sum of two features may overflow; a unit of 2^-24 leaves room for 8 million.
_SUMS = 1000
_ROOM = 24


def rows_in_unit(rows: FloatArray, metric: str) -> tuple[FloatArray, int]:
    """Bring rows to a unit that suits a metric.

    Rows that need none pass as they are.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Finite; directions under "cosine".
    metric : str

    Returns
    -------
    rows : ndarray of shape (n_samples, n_features)
    shift : int
        Distances are 2^shift times as large.

    Raises
    ------
    ValueError
        If squares overflow or vanish under "sqeuclidean", whose distances are squares themselves.
    """
    if metric == "sqeuclidean":
        check_scale(rows)
    elif metric in ("euclidean", "minkowski"):
        return _of_all(rows)
    elif metric in ("seuclidean", "correlation"):  # each feature, or row, counts by its own scale
        exponents = np.frexp(np.abs(rows).max(axis=0 if metric == "seuclidean" else 1, keepdims=True))[1]
        if (np.abs(exponents) > _USUAL).any():
            return np.ldexp(rows, np.where(np.abs(exponents) > _USUAL, -exponents, 0)), 0
    elif metric in ("braycurtis", "canberra", "jensenshannon") and np.abs(rows).max() > 2.0**_SUMS:
        return np.ldexp(rows, -_ROOM), 0
    return rows, 0


def _of_all(rows: FloatArray) -> tuple[FloatArray, int]:
    try:
        check_scale(rows)
    except ValueError:
        varying = rows.min(axis=0) < rows.max(axis=0)  # others could be so large that these vanish
        rows = np.where(varying, rows, 0.0)
        shift = _LARGEST - int(np.frexp(np.abs(rows).max())[1])
        return np.ldexp(rows, shift), shift
    return rows, 0


def shift_of(distances: FloatArray) -> int:
    """Find the power of 2 by which distances are to be multiplied.

    0 where squares neither vanish nor overflow.
    """
    largest = int(np.frexp(distances.max())[1])
    least = int(np.frexp(distances.min(where=distances > 0.0, initial=1.0))[1])
    return 0 if largest <= _LARGEST and least >= -_USUAL else _LARGEST - largest


def shift_heights(Z: FloatArray, shift: int) -> None:
    """Multiply the heights of a linkage matrix by a power of 2.

    Raises
    ------
    ValueError
        If one is too high for a number.
    """
    with np.errstate(over="ignore"):
        Z[:, 2] = np.ldexp(Z[:, 2], shift)
    if not np.isfinite(Z[:, 2]).all():
        raise ValueError("X: a merge is higher than 1.8e308; expected smaller numbers: rescale X")
