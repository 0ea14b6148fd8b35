"""Means and ratios of means, with their t intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval.

    A point when the sample does not vary, infinite for one random value.

    Attributes
    ----------
    mean, low, high : float
    n : int
    sd : float
    per_mean : float
        Variance of the mean over that of one value: 1 / n, and more where repetitions share their training rows.
    """

    mean: float
    low: float
    high: float
    n: int
    sd: float
    per_mean: float


def spread_of(values: np.ndarray) -> float:
    """Compute the sample standard deviation (n - 1).

    Exactly zero when all values are equal, NaN for a single value.
    """
    if values.size < 2:
        return math.nan
    # Rounding in the mean of equal numbers would leave a spread of 1e-17, and any difference would be significant.
    return 0.0 if np.ptp(values) == 0 else float(values.std(ddof=1))


def mean_interval(
    values: np.ndarray, *, point: bool = False, level: float = 0.95, overlap: float = 0.0
) -> Interval:
    """Mean and its t interval.

    Parameters
    ----------
    values : ndarray of shape (n,)
        At least one value.
    point : bool, default=False
        The value is known exactly (a deterministic method), so that one value is enough.
    level : float, default=0.95
        Confidence level.
    overlap : float, default=0
        Test rows over training rows, where the values are of folds or other splits of the same rows: their training
        rows overlap, so that the mean varies more than 1 / n of one value does.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52: the variance of the mean of n
    resampled results is estimated by (1 / n + n_test / n_train) times that of one.
    """
    values = np.asarray(values, dtype=float)
    mean, sd = float(values.mean()), spread_of(values)
    if point or sd == 0:
        exact = float(values[0]) if sd == 0 else mean
        return Interval(exact, exact, exact, values.size, 0.0, 1 / values.size)
    if values.size < 2:
        return Interval(mean, -math.inf, math.inf, 1, math.nan, 1.0)
    per_mean = 1 / values.size + overlap
    half = float(special.stdtrit(values.size - 1, 0.5 + level / 2)) * sd * math.sqrt(per_mean)
    return Interval(mean, mean - half, mean + half, values.size, sd, per_mean)


def ratio_of_means(
    left: np.ndarray, right: np.ndarray, *, point: bool = False, level: float = 0.95, overlap: float = 0.0
) -> Interval:
    """Ratio of the means of paired values, with Fieller's interval.

    A value may be 0, unlike in the mean of ratios. Where the mean of `right` could be 0, the interval is infinite.

    Parameters
    ----------
    left, right : ndarray of shape (n,)
        Paired; the mean of `right` is not 0.
    point, level, overlap
        As in `mean_interval`.

    References
    ----------
    Fieller (1954), Some problems in interval estimation, Journal of the Royal Statistical Society B 16: the interval
    has each ratio r for which the t test leaves the mean of left - r right at 0.
    """
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    n, a, b = left.size, float(left.mean()), float(right.mean())
    ratio, per_mean = a / b, 1 / n + overlap
    if point or (spread_of(left) == 0 and spread_of(right) == 0):
        return Interval(ratio, ratio, ratio, n, 0.0, 1 / n)
    if n < 2:
        return Interval(ratio, -math.inf, math.inf, 1, math.nan, 1.0)
    sd = spread_of(left - ratio * right)
    (aa, ab), (_, bb) = np.cov(left, right) * per_mean * special.stdtrit(n - 1, 0.5 + level / 2) ** 2
    square, middle, rest = b * b - bb, a * b - ab, a * a - aa
    if square <= 0:
        return Interval(ratio, -math.inf, math.inf, n, sd, per_mean)
    half = math.sqrt(max(0.0, middle * middle - square * rest))
    return Interval(ratio, (middle - half) / square, (middle + half) / square, n, sd, per_mean)
