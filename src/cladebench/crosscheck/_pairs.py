"""Labelled rows and pair constraints for checks of learned distances.

The rows are of real data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cladebench.distances.hierarchy_forest import HierarchyForest
from cladebench.reference import hierarchy_forest as walk

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class PairedNode(NamedTuple):
    """What a split of a node sees.

    Rows by the features drawn there, and the constraints that have come down to it.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n, n_split_features)
    must, cannot : ndarray of int64, shape (n_pairs, 2)
        Rows of X.
    """

    name: str
    X: FloatArray
    must: IntArray
    cannot: IntArray


def draw_labelled(
    X: FloatArray, labels: IntArray, n_samples: int, seed: int, n_features: int | None = None
) -> tuple[FloatArray, IntArray]:
    """Draw rows of distinct values with their labels, and standardise their features.

    Parameters
    ----------
    X : ndarray of shape (n, n_all)
    labels : ndarray of shape (n,)
    n_samples : int
        Rows to draw, or all if there are fewer.
    seed : int
    n_features : int, optional
        Features to keep, those in which the drawn rows have most different values (the lowest index first among
        equals); by default all that are not constant.

    Returns
    -------
    rows : ndarray of shape (n_samples, n_features)
    labels : ndarray of shape (n_samples,)
    """
    _, distinct = np.unique(X, axis=0, return_index=True)
    chosen = np.random.default_rng(seed).permutation(distinct)[:n_samples]
    rows = X[chosen]
    values = np.array([len(np.unique(column)) for column in rows.T])
    kept = np.sort(np.argsort(-values, kind="stable")[:n_features])
    kept = kept[values[kept] > 1]
    rows = rows[:, kept]
    return np.ascontiguousarray((rows - rows.mean(axis=0)) / rows.std(axis=0)), labels[chosen]


def draw_pairs(labels: IntArray, n_pairs: int, seed: int) -> tuple[IntArray, IntArray]:
    """Draw must-links and cannot-links without replacement: `n_pairs` each, or all.

    Returns
    -------
    must, cannot : ndarray of int64, shape (n_pairs, 2)
    """
    pairs = np.column_stack(np.triu_indices(len(labels), 1))
    same = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    rng = np.random.default_rng(seed)
    must, cannot = (rng.permutation(pairs[which])[:n_pairs] for which in (same, ~same))
    return must, cannot


def nodes_of_a_tree(X: FloatArray, must: IntArray, cannot: IntArray, seed: int) -> Iterator[PairedNode]:
    """Grow a hierarchy and yield three of its nodes.

    They are its root, its largest other node with a cannot-link, and its largest without one. Nodes that
    there are not are left out.
    """
    tree: Any = HierarchyForest(1, random_state=seed).fit(X, must_link=must, cannot_link=cannot).tree(0)
    rows: list[list[int]] = [[] for _ in tree.right]
    for i, x in enumerate(X):
        for place in walk.path(tree, x):
            rows[place].append(i)
    wanted = {"root": None, "constrained": True, "free": False}
    inner = np.flatnonzero(tree.right != 0)
    for place in inner[np.argsort(-tree.size[inner], kind="stable")]:
        inside = [_inside(pairs, rows[place]) for pairs in (must, cannot)]
        name = "root" if place == 0 else "constrained" if len(inside[1]) else "free"
        if name in wanted:
            del wanted[name]
            features = tree.features[int(np.count_nonzero(tree.right[:place]))]
            yield PairedNode(name, np.ascontiguousarray(X[np.ix_(rows[place], features)]), *inside)


def _inside(pairs: IntArray, rows: list[int]) -> IntArray:
    """Pairs with both ends among the rows, numbered as these."""
    kept = pairs[np.isin(pairs, rows).all(axis=1)]
    return np.searchsorted(rows, kept).astype(np.int64)
