"""Exact measures of flat partitions, from the table of counts."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cladebench.class_labels import class_codes


def rand_index(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Compute the Rand index of two partitions.

    It is the share of pairs of samples that both keep together or both separate.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n_samples,)
        Class and cluster of each sample: all strings or all numbers, none missing; names do not matter. The
        clusters of a hierarchy are its leaves: ``hierarchy.leaf_of``.

    Returns
    -------
    float
        In [0, 1], not adjusted for chance; 1 if the partitions are the same. The exact quotient of two integers,
        rounded once.

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or of another kind than the rest, or there are fewer than two
        samples (a share of nothing).

    Notes
    -----
    O(n log n) time, O(n) memory, however many classes and clusters there are. Symmetric.

    References
    ----------
    Rand (1971), Objective criteria for the evaluation of clustering methods, JASA 66(336).

    Examples
    --------
    >>> from cladebench.metrics import rand_index
    >>> rand_index([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    true, predicted, both, pairs = pairs_together(labels_true, labels_pred)
    return (pairs + 2 * both - true - predicted) / pairs


def pairs_together(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> tuple[int, int, int, int]:
    """Count pairs together in each partition, in both, and all.

    Parameters
    ----------
    labels_true, labels_pred
        As for `rand_index`, whose errors are those of this function.

    Returns
    -------
    true, predicted, both, pairs : int
    """
    _, true = class_codes(labels_true, name="labels_true")
    n = len(true)
    clusters, predicted = class_codes(labels_pred, n, "labels_pred")
    if n < 2:
        raise ValueError(
            f"labels_true has length {n}; expected at least 2: the Rand index is a share of pairs"
        )
    cells = np.unique(true * len(clusters) + predicted, return_counts=True)[1]
    return _pairs(np.bincount(true)), _pairs(np.bincount(predicted)), _pairs(cells), math.comb(n, 2)


def _pairs(sizes: npt.NDArray[np.int64]) -> int:
    """Count pairs within groups of these sizes, up to 4e9 samples.

    The limit is that of 64 bits.
    """
    return int((sizes * (sizes - 1) // 2).sum())
