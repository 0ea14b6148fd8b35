"""Similarities of samples, from features: dense matrices of several kinds, and the linear kernel without a matrix."""

from __future__ import annotations

import math
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
    """Return X as a C-contiguous float64 matrix; ValueError unless it is finite, 2-d and not empty."""
    values = as_floats("X", X)
    if values.ndim != 2 or values.size == 0:
        raise ValueError(f"X has shape {values.shape}; expected (n_samples, n_features), neither 0")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"X[{row}, {column}] is {values[row, column]}; expected finite numbers")
    return values


class LinearKernel:
    """The similarity x . y of each pair of rows of X; never expanded into a matrix.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Finite numbers; used without a copy if float64 and C-contiguous.

    Raises
    ------
    ValueError
        If X is not two-dimensional, is empty, or holds NaN or infinity.
    """

    def __init__(self, X: npt.ArrayLike) -> None:
        self.X: FloatArray = checked_features(X)

    def __repr__(self) -> str:
        return f"LinearKernel(X of shape {self.X.shape})"


@dataclass(frozen=True)
class Similarity:
    """A similarity of samples; call it on X for the dense matrix.

    Parameters
    ----------
    kind : {"exp_sq", "exp", "inv", "inv_sq", "cosine"}, default "exp_sq"
        With d the Euclidean distance: exp(-gamma d^2), exp(-d), 1 / (1 + d), 1 / (1 + d^2), or the cosine of
        the angle (0 between a zero row and any other).
    gamma : "median", "1/d" or positive float, default "median"
        Read by "exp_sq" alone. "median": 1 / the median of d^2 over unordered pairs of distinct samples
        (Garreau et al. 2017, section 2); "1/d": 1 / n_features.
    features : {"raw", "zscore", "unit", "minmax"}, default "raw"
        What is done to X first: nothing; columns to mean 0 and (population) standard deviation 1; rows to
        norm 1; columns to [0, 1]. A constant column becomes 0, a zero row stays.

    Raises
    ------
    ValueError
        If a parameter is not one of the above.

    References
    ----------
    Garreau, Jitkrittum and Kanagawa (2017), Large sample analysis of the median heuristic, arXiv:1707.07269.
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
        """Return the features that distances are taken of, shape (n_samples, n_features)."""
        values = checked_features(X)
        check_magnitude(values)
        if self.features == "raw":
            return values
        if self.features == "unit":
            norms = np.linalg.norm(values, axis=1, keepdims=True)
            return values / np.where(norms > 0, norms, 1.0)
        shift, scale = values.min(axis=0), np.ptp(values, axis=0)
        constant = scale == 0
        if self.features == "zscore":
            shift, scale = values.mean(axis=0), values.std(axis=0)
        return np.where(constant, 0.0, (values - shift) / np.where(constant | (scale == 0), 1.0, scale))

    def resolved_gamma(self, X: npt.ArrayLike) -> float:
        """Return the number that `gamma` stands for on X; ValueError if the median distance is 0."""
        if self.gamma == "median":
            return self._median_gamma(pdist(self.transform(X), "sqeuclidean"))
        if self.gamma == "1/d":
            return 1.0 / checked_features(X).shape[1]
        return float(self.gamma)

    def __call__(self, X: npt.ArrayLike) -> FloatArray:
        """Return the similarities, shape (n_samples, n_samples): symmetric, 1 on the diagonal.

        O(n_samples^2 n_features) time, O(n_samples^2) memory. The diagonal of "cosine" is 0 at zero rows.
        """
        values = self.transform(X)
        if self.kind == "cosine":
            norms = np.linalg.norm(values, axis=1)
            directions = values / np.where(norms > 0, norms, 1.0)[:, None]
            cosine = np.clip(directions @ directions.T, -1.0, 1.0)
            np.fill_diagonal(cosine, norms > 0)
            return (cosine + cosine.T) / 2.0
        if self.kind in ("exp", "inv"):
            d = pdist(values, "euclidean")
            pairs = np.exp(-d) if self.kind == "exp" else 1.0 / (1.0 + d)
        else:
            d_sq = pdist(values, "sqeuclidean")
            if self.kind == "inv_sq":
                pairs = 1.0 / (1.0 + d_sq)
            elif self.gamma == "median":
                pairs = np.exp(-self._median_gamma(d_sq) * d_sq)
            else:
                pairs = np.exp(-self.resolved_gamma(X) * d_sq)
        matrix = squareform(pairs, checks=False)
        np.fill_diagonal(matrix, 1.0)
        return matrix

    @staticmethod
    def _median_gamma(squared_distances: FloatArray) -> float:
        median = float(np.median(squared_distances)) if squared_distances.size else 0.0
        if not 0.0 < median < np.inf:
            raise ValueError(
                f"gamma='median' needs a positive, finite median of the squared distances; it is {median} "
                f"over {squared_distances.size} pairs"
            )
        return 1.0 / median
