"""Four distances between histograms or other features, as matrices."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import additive_chi2_kernel

from cladebench.validation import as_floats, check_choice, check_number

HistogramDistance = Literal["chi2", "squared_l2", "l1", "rbf"]
KINDS: tuple[HistogramDistance, ...] = ("chi2", "squared_l2", "l1", "rbf")


def histogram_distances(
    X: npt.ArrayLike,
    Y: npt.ArrayLike | None = None,
    kind: HistogramDistance = "chi2",
    width: float | None = None,
) -> npt.NDArray[np.float64]:
    """Distances between the rows of `X` and those of `Y`.

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
        is not positive or given for another kind.

    Notes
    -----
    O(n m n_features) time and O(n m) memory, on one thread: no order of sums depends on threads.

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
        # It refuses arrays that cannot be written to. It is minus the sum; + 0.0 makes its -0.0 a 0.
        return additive_chi2_kernel(left.copy(), right.copy()) * -0.5 + 0.0
    if kind == "l1":
        return cdist(left, right, "cityblock")
    squares = cdist(left, right, "sqeuclidean")
    if kind == "squared_l2":
        return squares
    scale = mean_squared_distance(left) if width is None else float(width)
    if scale == 0:
        return np.sqrt(2.0) * (squares > 0)
    return np.sqrt(-2 * np.expm1(-squares / scale))


def mean_squared_distance(X: npt.ArrayLike) -> float:
    """Mean of the squared Euclidean distances of all pairs of different rows; 0 for one row.

    Twice the trace of the (unbiased) covariance matrix, so that no pair is looked at: O(n n_features).
    """
    rows = _rows("X", X)
    if len(rows) < 2 or (rows == rows[0]).all():  # exactly 0, not the rounding of a mean
        return 0.0
    return float(2 * rows.var(axis=0, ddof=1).sum())


def _rows(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Finite float64, with at least one row and one column."""
    rows = as_floats(name, values)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"{name} has shape {rows.shape}; expected rows of features, at least one of each")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} has NaN or infinity; expected finite values")
    return rows
