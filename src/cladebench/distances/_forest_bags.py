"""Count which rows each tree of a random forest was grown from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

#: How often each row was drawn for each tree, shape (n, n_trees).
Drawn = npt.NDArray[np.int32]


def times_drawn(forest: Any, n: int) -> Drawn:
    """Count how often each fitted row is in each tree's bag.

    scikit-learn's random forest draws its bags anew from their seeds.
    """
    samples = forest.estimators_samples_
    drawn = np.empty((len(samples), n), dtype=np.int32)
    for t, rows in enumerate(samples):
        drawn[t] = np.bincount(rows, minlength=n)
    return np.ascontiguousarray(drawn.T)


def out_of_bag(leaves: sparse.csr_array, drawn: Drawn | None) -> sparse.csr_array:
    """Keep the leaves of the trees that have not seen a row.

    Parameters
    ----------
    leaves : csr_array of shape (n, n_leaves)
        An entry for each tree in each row, in order.
    drawn : ndarray of shape (n, n_trees), or None
        None: no tree has seen any of the rows.

    Returns
    -------
    csr_array of shape (n, n_leaves)
        Entries of a row are 1 over their number.
    """
    kept = (
        np.ones((leaves.shape[0], leaves.nnz // leaves.shape[0]), dtype=bool) if drawn is None else drawn == 0
    )
    counts = kept.sum(axis=1)
    shares = np.repeat(1.0 / np.maximum(counts, 1), counts)
    return _some(leaves, kept, shares)


def shares_of_bags(leaves: sparse.csr_array, drawn: Drawn) -> sparse.csr_array:
    """Compute which share of the bag in its leaf each row is.

    Parameters
    ----------
    leaves : csr_array of shape (n, n_leaves)
        Of the fitted rows, as in `out_of_bag`.
    drawn : ndarray of shape (n, n_trees)

    Returns
    -------
    csr_array of shape (n, n_leaves)
        Columns sum to 1.
    """
    in_bag = np.bincount(leaves.indices, weights=drawn.ravel(), minlength=leaves.shape[1])
    kept = drawn > 0
    return _some(leaves, kept, drawn[kept] / in_bag[leaves.indices[kept.ravel()]])


def _some(leaves: sparse.csr_array, kept: npt.NDArray[np.bool_], data: np.ndarray) -> sparse.csr_array:
    ends = np.zeros(len(leaves.indptr), dtype=leaves.indptr.dtype)
    np.cumsum(kept.sum(axis=1), out=ends[1:])
    return sparse.csr_array((data, leaves.indices[kept.ravel()], ends), shape=leaves.shape)
