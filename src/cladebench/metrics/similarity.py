"""Compute similarities from features: dense kinds, or an implicit linear kernel."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from numbers import Real
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import pdist, squareform

from cladebench.validation import as_floats, check_magnitude

FloatArray = npt.NDArray[np.float64]
Kind = Literal["exp_sq", "exp", "inv", "inv_sq", "cosine"]
Features = Literal["raw", "zscore", "unit", "minmax"]


def checked_features(X: npt.ArrayLike) -> FloatArray:
    """Return X as a C-contiguous float64 matrix.

    ValueError unless it is finite, 2-d and not empty.
    """
    values = as_floats("X", X)
    if values.ndim != 2 or values.size == 0:
        raise ValueError(f"X has shape {values.shape}; expected (n_samples, n_features), neither 0")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"X[{row}, {column}] is {values[row, column]}; expected finite numbers")
    return values


def exponents(values: FloatArray, axis: int | None = None) -> npt.NDArray[np.int32]:
    """Return the exponents of the largest magnitudes along an axis.

    The largest lies in [2^(e-1), 2^e) of an exponent e, which is 0 where all is 0. Axes are kept.
    """
    return np.frexp(np.abs(values).max(axis=axis, keepdims=True))[1]


def in_own_unit(values: FloatArray, axis: int | None = None) -> FloatArray:
    """Divide by a power of two that brings values near 1.

    The largest magnitude along the axis comes to [1/2, 1).

    Squares and their sums then neither overflow nor vanish. To scale by a power of two rounds nothing: a result that
    does not depend on the unit keeps its bits.
    """
    return np.ldexp(values, -exponents(values, axis))


def unit_rows(values: FloatArray) -> FloatArray:
    """Bring each row to Euclidean length 1; a row of zeros stays."""
    values = in_own_unit(values, axis=1)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return values / np.where(lengths > 0, lengths, 1.0)


class LinearKernel:
    """Compute similarities `x · y` of rows of X, without a matrix.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Finite numbers; used without a copy if float64 and C-contiguous.

    Raises
    ------
    ValueError
        If X is not two-dimensional, is empty, or holds NaN or infinity.

    Examples
    --------
    >>> from cladebench import Hierarchy
    >>> from cladebench.metrics import LinearKernel, dasgupta_cost
    >>> dasgupta_cost(Hierarchy.from_nested([[0, 1], 2]), LinearKernel([[1.0], [2.0], [3.0]]))
    31.0
    """

    def __init__(self, X: npt.ArrayLike) -> None:
        self.X: FloatArray = checked_features(X)

    def __repr__(self) -> str:
        return f"LinearKernel(X of shape {self.X.shape})"


@dataclass(frozen=True)
class Similarity:
    """Compute samples' similarities, as a dense matrix when called on X.

    Parameters
    ----------
    kind : {"exp_sq", "exp", "inv", "inv_sq", "cosine"}, default "exp_sq"
        With d the Euclidean distance: exp(-gamma d^2), exp(-d), 1 / (1 + d), 1 / (1 + d^2), or the cosine of
        the angle (0 between a zero row and any other).
    gamma : "median", "1/d" or positive float, default "median"
        Read by "exp_sq" alone. "median": 1 / the median of d^2 over unordered pairs of distinct samples
        (Garreau et al. 2017, section 2). Where more than half of the pairs are equal, the median is of the others;
        where all are, gamma is 1, and all similarities are 1 anyway. "1/d": 1 / n_features.
    features : {"raw", "zscore", "unit", "minmax"}, default "raw"
        What is done to X first: nothing; columns to mean 0 and (population) standard deviation 1; rows to
        norm 1; columns to [0, 1]. A constant column becomes 0, a zero row stays.

    Raises
    ------
    ValueError
        If a parameter is not one of the above.

    Notes
    -----
    What does not depend on the unit of X is computed in a unit in which squares neither overflow nor vanish. Of raw
    features that leaves the kinds that read distances: magnitudes whose squares overflow are refused.

    References
    ----------
    Garreau, Jitkrittum and Kanagawa (2017), Large sample analysis of the median heuristic, arXiv:1707.07269.

    Examples
    --------
    >>> from cladebench.metrics import Similarity
    >>> Similarity("inv")([[0.0], [1.0], [3.0]]).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.3333333333333333], [0.25, 0.3333333333333333, 1.0]]
    """

    kind: Kind = "exp_sq"
    gamma: Literal["median", "1/d"] | float = "median"
    features: Features = "raw"

    def __post_init__(self) -> None:
        for name, allowed in (("kind", get_args(Kind)), ("features", get_args(Features))):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise ValueError(f"{name} is {value!r}; expected one of {', '.join(allowed)}")
        gamma: object = self.gamma
        if isinstance(gamma, Real) and not isinstance(gamma, bool):
            valid = 0.0 < float(gamma) < math.inf
        else:
            valid = isinstance(gamma, str) and gamma in ("median", "1/d")
        if not valid:
            raise ValueError(f"gamma is {self.gamma!r}; expected 'median', '1/d' or a positive number")

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Return the features behind the distances, shape (n_samples, n_features)."""
        values = checked_features(X)
        if self.features == "raw":
            if self.kind != "cosine":
                check_magnitude(values)
            return values
        if self.features == "unit":
            return unit_rows(values)
        values = in_own_unit(values, axis=0)
        shift, scale = values.min(axis=0), np.ptp(values, axis=0)
        constant = scale == 0
        if self.features == "zscore":
            shift, scale = values.mean(axis=0), values.std(axis=0)
        return np.where(constant, 0.0, (values - shift) / np.where(constant, 1.0, scale))

    def resolved_gamma(self, X: npt.ArrayLike) -> float:
        """Return the number that `gamma` means on X.

        ValueError if a float cannot hold it.
        """
        if self.gamma == "median":
            values = self.transform(X)
            if (values == values[0]).all():
                return 1.0
            unit = in_own_unit(values)
            gamma = self._median_gamma(unit, pdist(unit, "sqeuclidean"))
            with np.errstate(over="ignore", under="ignore"):
                gamma = float(np.ldexp(gamma, -2 * exponents(values).item()))
            if not 0.0 < gamma < np.inf:
                raise ValueError(
                    f"gamma='median' is {gamma}: squared distances overflow or vanish; rescale X"
                )
            return gamma
        if self.gamma == "1/d":
            return 1.0 / checked_features(X).shape[1]
        return float(self.gamma)

    def __call__(self, X: npt.ArrayLike) -> FloatArray:
        """Return the similarities of samples: symmetric, 1 on the diagonal.

        The shape is (n_samples, n_samples). It takes O(n_samples^2 n_features) time and O(n_samples^2) memory. The
        diagonal of "cosine" is 0 at zero rows.
        """
        values = self.transform(X)
        if self.kind == "cosine":
            directions = unit_rows(values)
            cosine = np.clip(directions @ directions.T, -1.0, 1.0)
            np.fill_diagonal(cosine, values.any(axis=1))
            return (cosine + cosine.T) / 2.0
        if self.kind in ("exp", "inv"):
            d = pdist(values, "euclidean")
            pairs = np.exp(-d) if self.kind == "exp" else 1.0 / (1.0 + d)
        elif self.kind == "exp_sq" and self.gamma == "median":
            values = in_own_unit(values)
            d_sq = pdist(values, "sqeuclidean")
            pairs = np.exp(-self._median_gamma(values, d_sq) * d_sq)
        else:
            d_sq = pdist(values, "sqeuclidean")
            pairs = 1.0 / (1.0 + d_sq) if self.kind == "inv_sq" else np.exp(-self.resolved_gamma(X) * d_sq)
        matrix = squareform(pairs, checks=False)
        np.fill_diagonal(matrix, 1.0)
        return matrix

    @staticmethod
    def _median_gamma(values: FloatArray, squared_distances: FloatArray) -> float:
        """Compute gamma from the median squared distance, in features' own unit."""
        median = float(np.median(squared_distances)) if squared_distances.size else 0.0
        if median < sys.float_info.min:  # of equal rows
            apart = pdist(values, "chebyshev") > 0.0
            if (squared_distances[apart] < sys.float_info.min).any():
                raise ValueError(
                    "X has rows whose squared distance vanishes beside the largest value; shift or rescale its features"
                )
            median = float(np.median(squared_distances[apart])) if apart.any() else 1.0
        return 1.0 / median
