"""Four distances between histograms or other features, as matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import additive_chi2_kernel

from cladebench.metrics.similarity import FloatArray, exponents
from cladebench.validation import as_floats, check_choice, check_number

HistogramDistance = Literal["chi2", "squared_l2", "l1", "rbf"]
KINDS: tuple[HistogramDistance, ...] = ("chi2", "squared_l2", "l1", "rbf")
#: In units of the largest value; squares that vanish beside larger distances are less than their rounding.
_LEAST_CHI2, _LEAST_SQUARE = 2.0**-400, 2.0**-900


def histogram_distances(
    X: npt.ArrayLike,
    Y: npt.ArrayLike | None = None,
    kind: HistogramDistance = "chi2",
    width: float | None = None,
) -> npt.NDArray[np.float64]:
    """Compute distances between the rows of `X` and `Y`.

    - "chi2": half the sum of (x - y)^2 / (x + y), where 0 / 0 counts as 0;
    - "squared_l2": sum of (x - y)^2;
    - "l1": sum of absolute differences;
    - "rbf": sqrt(k(x, x) + k(y, y) - 2 k(x, y)) of the kernel k(x, y) = exp(-||x - y||^2 / width).

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    Y : array-like of shape (m, n_features), optional
        `X` itself by default.
    kind : {"chi2", "squared_l2", "l1", "rbf"}, default "chi2"
    width : float, optional
        Of the kernel, positive; for "rbf" alone. By default :func:`mean_squared_distance` of `X`: give that of the
        training set where test sets are to have the same kernel. If it is 0, as all rows of `X` are equal, rows that
        differ have the distance sqrt(2), the limit of a narrow kernel.

    Returns
    -------
    ndarray of shape (n, m)
        Not negative; 0 exactly between equal rows; exactly symmetric where `Y` is `X`.

    Raises
    ------
    ValueError
        An unknown kind, arrays of other shapes or with NaN or infinity, negative values for "chi2", or a width that
        is not positive or given for another kind. Distances too large for a float.

    Notes
    -----
    O(n m n_features) time and O(n m) memory, on one thread: no order of sums depends on threads. For "chi2" and "rbf"
    squares are taken in a unit in which those of the largest values neither overflow nor vanish; pairs that are nearest
    beside it are computed once more without squares. Of "squared_l2" what is below the smallest float is 0.

    The paper (Komodakis 2011, section 6, figures 5 to 7) names the four and gives neither the factor of chi-squared nor
    the kernel's width. The mean is what J. Zhang, M. Marszalek, S. Lazebnik, C. Schmid (2007), Local features and
    kernels for classification of texture and object categories, IJCV 73, scale their kernels by.
    """
    check_choice("kind", kind, KINDS)
    left = _rows("X", X)
    right = left if Y is None else _rows("Y", Y)
    if left.shape[1] != right.shape[1]:
        raise ValueError(f"Y has {right.shape[1]} columns; expected {left.shape[1]}, as X has")
    if width is not None:
        check_number("width", width)
        if kind != "rbf":
            raise ValueError(f"width is {width}, but kind is {kind!r}; expected a width for 'rbf' alone")
        if not 0 < width < np.inf:
            raise ValueError(f"width is {width}; expected a positive number")
    if kind == "chi2":
        for name, rows in (("X", left), ("Y", right)):
            if (rows < 0).any():
                raise ValueError(f"{name} has {rows.min()}; expected no negative value for kind 'chi2'")
    unit = int(np.frexp(max(np.abs(left).max(), np.abs(right).max()))[1])
    # Exact; and copies, as scikit-learn refuses arrays that cannot be written to.
    x, y = np.ldexp(left, -unit), np.ldexp(right, -unit)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        if kind == "rbf":
            return _kernel_distances(cdist(x, y, "sqeuclidean"), unit, left, right, width)
        if kind == "chi2":
            # It is minus the sum; + 0.0 makes its -0.0 a 0.
            halves = additive_chi2_kernel(x, y) * -0.5 + 0.0
            distances = np.ldexp(halves, unit)
            _compute_again(halves < _LEAST_CHI2, distances, left, right, _chi_squared)
        else:
            distances = cdist(left, right, "cityblock" if kind == "l1" else "sqeuclidean")
    if not np.isfinite(distances).all():
        raise ValueError(f"{kind} distances of values up to 2^{unit} overflow; rescale X and Y")
    return distances


def mean_squared_distance(X: npt.ArrayLike) -> float:
    """Compute the mean squared Euclidean distance of rows, 0 for one.

    It is twice the trace of the (unbiased) covariance matrix, so that no pair is looked at: O(n n_features). A mean
    that is too large for a float is a ValueError.
    """
    mean, unit = _mean_squares(_rows("X", X))
    with np.errstate(over="ignore", under="ignore"):
        mean = float(np.ldexp(mean, 2 * unit))
    if mean == np.inf:
        raise ValueError(f"the mean squared distance of values up to 2^{unit} overflows; rescale X")
    return mean


def _mean_squares(rows: FloatArray) -> tuple[float, int]:
    """Compute the mean squared distance of pairs of rows, over 2^e.

    The exponent e of the unit is returned too.
    """
    if len(rows) < 2:
        return 0.0, 0
    rows = np.where((rows != rows[0]).any(axis=0), rows, 0.0)  # exactly 0, not the rounding of a mean
    unit = int(exponents(rows).item())
    return float(2 * np.ldexp(rows, -unit).var(axis=0, ddof=1).sum()), unit


def _kernel_distances(
    squares: FloatArray, unit: int, left: FloatArray, right: FloatArray, width: float | None
) -> FloatArray:
    """Distances "rbf" from squared distances in the unit 2^unit."""
    mean, exponent = (float(width), 0) if width is not None else _mean_squares(left)
    root = np.ldexp(np.sqrt(mean), exponent)
    relative = squares / np.ldexp(mean, 2 * (exponent - unit))
    distances = np.sqrt(-2 * np.expm1(-relative))

    def again(row: FloatArray, rows: FloatArray) -> FloatArray:
        differences = row - rows
        units = exponents(differences, axis=1)
        lengths = np.ldexp(np.linalg.norm(np.ldexp(differences, -units), axis=1), units[:, 0])
        ratio = np.where(lengths > 0, lengths / root, 0.0)
        return np.where(ratio < 1e-8, np.sqrt(2.0) * ratio, np.sqrt(-2 * np.expm1(-ratio * ratio)))

    # Of equal rows, and a width of 0 or beyond the floats, they may be NaN.
    _compute_again(~(np.minimum(squares, relative) >= _LEAST_SQUARE), distances, left, right, again)
    return distances


def _chi_squared(row: FloatArray, rows: FloatArray) -> FloatArray:
    differences, sums = np.abs(row - rows), row + rows
    return 0.5 * (differences * (differences / np.where(sums > 0, sums, 1.0))).sum(axis=1)


def _compute_again(
    which: npt.NDArray[np.bool_],
    distances: FloatArray,
    left: FloatArray,
    right: FloatArray,
    again: Callable[[FloatArray, FloatArray], FloatArray],
) -> None:
    """Overwrite some of the distances.

    ``again(row, rows)`` gives those of a row of left to rows of right.
    """
    for i in np.flatnonzero(which.any(axis=1)):
        distances[i, which[i]] = again(left[i], right[which[i]])


def _rows(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Finite float64, with at least one row and one column."""
    rows = as_floats(name, values)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"{name} has shape {rows.shape}; expected rows of features, at least one of each")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} has NaN or infinity; expected finite values")
    return rows
