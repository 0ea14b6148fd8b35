"""Convert features to single precision, as forests compare them.

Zeros and units are chosen so that little is lost.
"""

from __future__ import annotations

import warnings

import numpy as np

from cladebench.distances.base import FloatArray

#: Beyond this multiple of the unit of a feature, sums of single precision might overflow.
LARGEST = 2.0**100
#: A feature whose magnitude is a larger multiple of its extent is taken from its least value.
FAR = 16.0
#: `fit` warns where a feature keeps a smaller share of its different values.
LEAST_KEPT = 0.9


def zeros_and_units(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Choose zero and unit of each feature for single precision.

    It tells the feature's values apart in these units.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)

    Returns
    -------
    zeros : ndarray of shape (n_features,)
        The least value of a feature that lies far from 0, such as a time in seconds, else 0: most features are not
        moved, nor rounded otherwise.
    units : ndarray of shape (n_features,)
        Powers of two, so that the largest magnitude becomes at most 1.
    """
    least = X.min(axis=0)
    extent = X.max(axis=0) - least
    far = (extent > 0) & (np.abs(X).max(axis=0) > FAR * extent)
    zeros = np.where(far, least, 0.0)
    return zeros, np.ldexp(1.0, np.frexp(np.abs(X - zeros).max(axis=0))[1])


def in_single(name: str, rows: FloatArray, zeros: FloatArray, units: FloatArray) -> np.ndarray:
    """Scale rows to these zeros and units, as float32.

    A ValueError names a value that is too large.
    """
    scaled = (rows - zeros) / units
    if np.abs(scaled).max() > LARGEST:
        row, column = map(int, np.unravel_index(np.argmax(np.abs(scaled)), rows.shape))
        raise ValueError(
            f"{name}[{row}, {column}] is {rows[row, column]:g}: expected at most {LARGEST * units[column]:.3g} in "
            f"magnitude, which trees can hold; rescale {name}"
        )
    return scaled.astype(np.float32)


def warn_of_loss(X: FloatArray, single: np.ndarray) -> None:
    """Warn if single precision merges too many values of a feature."""
    for column in range(X.shape[1]):
        n_given, n_left = (len(np.unique(values[:, column])) for values in (X, single))
        if n_left < LEAST_KEPT * n_given:
            warnings.warn(
                f"feature {column}: single precision leaves {n_left} of {n_given} different values; "
                "expected a standardised one, or two: coarse and fine",
                stacklevel=4,
            )
            return
