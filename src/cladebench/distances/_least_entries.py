"""The least entries of the rows of a table: neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench.validation import check_int

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def check_n_neighbors(n_neighbors: Any, n_fitted: int, *, of_fitted: bool) -> None:
    """Refuse more neighbours than there are, the row itself left out."""
    check_int("n_neighbors", n_neighbors, minimum=1)
    if n_neighbors > n_fitted:
        raise ValueError(
            f"n_neighbors={n_neighbors} exceeds the number of fitted rows, n_samples={n_fitted}; "
            f"expected at most {n_fitted}"
        )
    if of_fitted and n_neighbors == n_fitted:
        raise ValueError(
            f"n_neighbors={n_neighbors} exceeds the number of other fitted rows, n_samples - 1 = {n_fitted - 1}; "
            f"expected at most {n_fitted - 1}"
        )


def least_of_rows(block: FloatArray, k: int, names: IntArray | None = None) -> tuple[FloatArray, IntArray]:
    """Find the k least entries of each row.

    Parameters
    ----------
    block : ndarray of shape (n, m)
    k : int
        At most m.
    names : ndarray of int64, shape (n, m), optional
        Names of the entries; their columns by default.

    Returns
    -------
    value : ndarray of float64, shape (n, k)
        Ascending.
    name : ndarray of int64, shape (n, k)
        The lowest names are taken among equal entries, and come first.
    """
    # All that are no larger than the k-th: more than k where there are ties.
    largest = np.partition(block, k - 1, axis=1)[:, k - 1 : k]
    row, column = np.nonzero(block <= largest)
    values, named = block[row, column], column if names is None else names[row, column]
    order = np.lexsort((named, values, row))
    first = np.searchsorted(row, np.arange(len(block)))
    best = order[first[:, None] + np.arange(k)]
    return values[best], named[best]
