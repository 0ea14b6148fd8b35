"""Measures of neighbours: the class that they vote for, how many are of one class, how well others find them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.validation import class_codes

IntArray = npt.NDArray[np.int64]


def vote(neighbors: npt.ArrayLike, labels: npt.ArrayLike) -> np.ndarray:
    """Give each query the class that most of its neighbours have.

    Parameters
    ----------
    neighbors : array-like of int, shape (n_queries, k)
        Training rows, the nearest first.
    labels : array-like, shape (n_training,)

    Returns
    -------
    ndarray of shape (n_queries,)
        Of the classes of `labels`. Of classes with as many votes the one that has the nearest neighbour wins.

    Notes
    -----
    O(n_queries k n_classes) time, O(n_queries n_classes) memory.
    """
    neighbors, labels = np.asarray(neighbors), np.asarray(labels)
    classes, codes = class_codes(labels, len(labels))
    votes = codes[neighbors]
    n, k = votes.shape
    counts = np.zeros((n, len(classes)), dtype=np.int64)
    np.add.at(counts, (np.repeat(np.arange(n), k), votes.ravel()), 1)
    most = np.take_along_axis(counts, votes, axis=1) == counts.max(axis=1, keepdims=True)
    # The first neighbour whose class nobody outvotes.
    winner = np.take_along_axis(votes, most.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.asarray(classes)[winner]


def precision_at(relevant: npt.ArrayLike) -> np.ndarray:
    """Share of the first k that are relevant, for every k, averaged over queries.

    Parameters
    ----------
    relevant : array-like of bool, shape (n_queries, k)
        Whether what was retrieved for a query, the nearest first, is relevant.

    Returns
    -------
    ndarray of shape (k,)
        Entry j is the mean precision of the first j + 1.
    """
    found = np.asarray(relevant, dtype=np.float64)
    return found.cumsum(axis=1).mean(axis=0) / np.arange(1, found.shape[1] + 1)


def average_precision(
    found: npt.ArrayLike, true: npt.ArrayLike, k: int, n_relevant: int | None = None
) -> np.ndarray:
    """Average precision of lists of neighbours against the true ones.

    Parameters
    ----------
    found : array-like of int, shape (n_queries, at least k)
        What was returned for each query, the nearest first; -1 for nothing.
    true : array-like of int, shape (n_queries, at least n_relevant)
        The exact neighbours, the nearest first.
    k : int
        How many are asked for.
    n_relevant : int, default=k
        So many of the exact neighbours are the relevant ones; k or more.

    Returns
    -------
    ndarray of shape (n_queries,)
        Of each query: the sum of the precision at the places, among the first k, where a relevant one was returned,
        over k, which is as many as there can be. In [0, 1]; 1 where the first k are all relevant, in any order.

    Raises
    ------
    ValueError
        If a list is too short, or n_relevant less than k.

    References
    ----------
    C. D. Manning, P. Raghavan, H. Schuetze (2008), Introduction to Information Retrieval, section 8.4.
    """
    wanted = k if n_relevant is None else n_relevant
    if wanted < k:
        raise ValueError(f"n_relevant={wanted} with k={k}; expected k or more")
    lists = {"found": (np.asarray(found), k), "true": (np.asarray(true), wanted)}
    for name, (values, length) in lists.items():
        if values.shape[1] < length:
            raise ValueError(
                f"{name} has {values.shape[1]} neighbours of each query; expected at least {length}"
            )
    returned, relevant = (values[:, :length] for values, length in lists.values())
    hit = (returned[:, :, None] == relevant[:, None, :]).any(axis=2) & (returned >= 0)
    precision = hit.cumsum(axis=1) / np.arange(1, k + 1)
    return np.asarray((precision * hit).sum(axis=1) / k)
