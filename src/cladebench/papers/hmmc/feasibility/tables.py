"""Tables of counts with given sums.

They are instances that show what a measure can be.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Sizes = tuple[int, ...]


def even_table(classes: Sizes, clusters: Sizes) -> IntArray:
    """Spread every class over all clusters as evenly as the sums allow.

    Parameters
    ----------
    classes, clusters : tuple of int
        Sums of rows and of columns, with one total.

    Returns
    -------
    ndarray of int64, shape (n_classes, n_clusters)

    Raises
    ------
    ValueError
        If the totals differ.

    Notes
    -----
    The table of least squares where it has no negative entry, else that of independence; then each entry is rounded
    so that the sums stay. What is left of a row goes to the columns with most left, which is always possible where
    the table before rounding is (Gale and Ryser).
    """
    c, s = np.array(classes, dtype=np.int64), np.array(clusters, dtype=np.int64)
    n = int(c.sum())
    if n != s.sum():
        raise ValueError(f"classes have {n} rows and clusters {s.sum()}; expected as many")
    # In whole numbers: numerators over n_classes * n_clusters, or over n.
    numerators, denominator = c[:, None] * len(c) + s * len(s) - n, len(c) * len(s)
    if (numerators < 0).any():
        numerators, denominator = c[:, None] * s, n
    table = numerators // denominator
    of_columns = s - table.sum(axis=0)
    for row, left in zip(table, (c - table.sum(axis=1)).tolist(), strict=True):
        most = np.argsort(-of_columns, kind="stable")[:left]
        row[most] += 1
        of_columns[most] -= 1
    return table


def blocks_table(classes: Sizes, clusters: Sizes) -> IntArray:
    """Put rows, sorted by class, into one cluster after the other.

    Few clusters share a class.
    """
    ends_c, ends_s = (np.concatenate([[0], np.cumsum(sizes)]) for sizes in (classes, clusters))
    upper = np.minimum.outer(ends_c[1:], ends_s[1:])
    lower = np.maximum.outer(ends_c[:-1], ends_s[:-1])
    return np.maximum(upper - lower, 0).astype(np.int64)
