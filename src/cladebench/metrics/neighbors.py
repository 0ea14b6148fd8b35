"""Measures of neighbours.

The class that they vote for, how many are of one class, how well others find them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.class_labels import class_codes
from cladebench.validation import as_array, as_floats, as_index, check_integer


def vote(neighbors: npt.ArrayLike, labels: npt.ArrayLike) -> np.ndarray:
    """Give each query the class that most of its neighbours have.

    Parameters
    ----------
    neighbors : array-like of int, shape (n_queries, k)
        Training rows, the nearest first, each at most once; -1 for none, which has no vote.
    labels : array-like, shape (n_training,)

    Returns
    -------
    ndarray of shape (n_queries,)
        Of the classes of `labels`. Of classes with as many votes the one that has the nearest neighbour wins.

    Raises
    ------
    ValueError
        If there is no query, a query has no neighbour, or a neighbour is no training row or comes twice.

    Notes
    -----
    O(n_queries k n_classes) time, O(n_queries n_classes) memory.

    Examples
    --------
    >>> from cladebench.metrics import vote
    >>> vote([[0, 1, 2], [2, 1, 0]], ["cat", "dog", "dog"]).tolist()
    ['dog', 'dog']
    """
    classes, codes = class_codes(labels)
    if not len(codes):
        raise ValueError("labels is empty; expected a class for each training row")
    near = neighbor_lists("neighbors", neighbors, len(codes))
    voting = near >= 0
    if not voting.any(axis=1).all():
        raise ValueError(
            f"neighbors[{int(np.argmin(voting.any(axis=1)))}] names no row; expected at least one neighbour"
        )
    votes = codes[np.where(voting, near, 0)]
    counts = np.zeros((len(near), len(classes)), dtype=np.int64)
    np.add.at(counts, (np.nonzero(voting)[0], votes[voting]), 1)
    most = voting & (np.take_along_axis(counts, votes, axis=1) == counts.max(axis=1, keepdims=True))
    # The first neighbour whose class nobody outvotes.
    winner = np.take_along_axis(votes, most.argmax(axis=1)[:, None], axis=1)[:, 0]
    return classes[winner]


def precision_at(relevant: npt.ArrayLike) -> np.ndarray:
    """Average the precision at every k over queries.

    Precision at k is the share of the first k that are relevant.

    Parameters
    ----------
    relevant : array-like of bool, shape (n_queries, k)
        Whether what was retrieved for a query, the nearest first, is relevant; False where nothing was.

    Returns
    -------
    ndarray of shape (k,)
        Entry j is the mean precision of the first j + 1.

    Raises
    ------
    ValueError
        If there is no query, k is 0, or an entry is neither true (1) nor false (0).

    Examples
    --------
    >>> from cladebench.metrics import precision_at
    >>> precision_at([[True, False], [True, True]]).tolist()
    [1.0, 0.75]
    """
    relevance = as_floats("relevant", relevant)
    if relevance.ndim != 2 or not relevance.size:
        raise ValueError(f"relevant has shape {relevance.shape}; expected (n_queries, k), neither 0")
    wrong = (relevance != 0) & (relevance != 1)
    if wrong.any():
        query, place = np.argwhere(wrong)[0]
        raise ValueError(f"relevant[{query}, {place}] is {relevance[query, place]:g}; expected true or false")
    return relevance.cumsum(axis=1).mean(axis=0) / np.arange(1, relevance.shape[1] + 1)


def average_precision(
    found: npt.ArrayLike, true: npt.ArrayLike, k: int, n_relevant: int | None = None
) -> np.ndarray:
    """Score lists of neighbours by their average precision.

    Parameters
    ----------
    found : array-like of int, shape (n_queries, at least k)
        What was returned for each query, the nearest first, each at most once; -1 for nothing.
    true : array-like of int, shape (n_queries, at least n_relevant)
        The exact neighbours, the nearest first, each once.
    k : int
        How many are asked for; at least 1.
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
        If k is below 1, a list is too short or has a neighbour twice, a negative one other than -1, or in `true` any
        negative one, there are not as many queries in both, or n_relevant is less than k.
    TypeError
        If k or n_relevant is no integer.

    References
    ----------
    C. D. Manning, P. Raghavan, H. Schuetze (2008), Introduction to Information Retrieval, section 8.4.

    Examples
    --------
    >>> from cladebench.metrics import average_precision
    >>> average_precision([[3, 7]], [[3, 5]], k=2).tolist()
    [0.5]
    """
    check_integer("k", k, minimum=1)
    wanted = k if n_relevant is None else n_relevant
    check_integer("n_relevant", wanted)
    if wanted < k:
        raise ValueError(f"n_relevant={wanted} with k={k}; expected k or more")
    returned, relevant = neighbor_lists("found", found), neighbor_lists("true", true, may_lack=False)
    if len(returned) != len(relevant):
        raise ValueError(f"found has {len(returned)} queries; expected {len(relevant)}, as many as true")
    for name, values, length in (("found", returned, k), ("true", relevant, wanted)):
        if values.shape[1] < length:
            raise ValueError(
                f"{name} has {values.shape[1]} neighbours of each query; expected at least {length}"
            )
    # What is -1 is none of `true`.
    hit = (returned[:, :k, None] == relevant[:, None, :wanted]).any(axis=2)
    precision = hit.cumsum(axis=1) / np.arange(1, k + 1)
    return np.asarray((precision * hit).sum(axis=1) / k)


def neighbor_lists(
    name: str, values: npt.ArrayLike, n_rows: int | None = None, *, may_lack: bool = True
) -> npt.NDArray[np.int64]:
    """Return lists of neighbours.

    Parameters
    ----------
    name : str
        Name of the argument, for the messages.
    values : array-like of int, shape (n_queries, k)
        Rows, each at most once in a list; -1 for none.
    n_rows : int, optional
        Number of rows that there are; not checked by default.
    may_lack : bool, default=True
        Whether -1 is allowed.

    Returns
    -------
    ndarray of int64, shape (n_queries, k)

    Raises
    ------
    ValueError
        If there is no list, a list is empty, or an entry is no row or comes twice in its list.
    """
    array = as_array(name, values, "integers")
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; expected (n_queries, k), neither 0")
    flat = [v for row in values for v in row] if isinstance(values, list | tuple) else array.ravel()
    lists = as_index(name, flat).reshape(array.shape)
    outside = lists < (-1 if may_lack else 0)
    if n_rows is not None:
        outside |= lists >= n_rows
    if outside.any():
        query, place = np.argwhere(outside)[0]
        last = "" if n_rows is None else n_rows - 1
        raise ValueError(
            f"{name}[{query}, {place}] is {lists[query, place]}; expected a row, 0..{last}"
            + (", or -1 for none" if may_lack else "")
        )
    ordered = np.sort(lists, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if twice.any():
        query, place = np.argwhere(twice)[0]
        raise ValueError(f"{name}[{query}] has row {ordered[query, place]} twice; expected different rows")
    return lists
