"""In how many splits of a forest constraints have a say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cladebench.distances import HierarchyForest


def supervised_splits(forest: HierarchyForest, X: np.ndarray, cannot_link: npt.ArrayLike) -> float:
    """Share of the splits that a cannot-link reaches: they are learned semi-supervised, the others without constraints.

    A constraint goes down a tree as long as both of its rows do (Section 3.2).

    Parameters
    ----------
    forest : HierarchyForest
        Fitted, with max-margin splits.
    X : ndarray of shape (n, n_features)
        The rows that it was fitted to.
    cannot_link : array-like of int, shape (n_cannot_link, 2)

    Returns
    -------
    float
        NaN where no tree has a split.

    Notes
    -----
    Nodes without a cannot-link are not looked into: O(n depth n_split_features + n_cannot_link depth) for each tree.
    """
    pairs = np.asarray(cannot_link, dtype=np.intp).reshape(-1, 2)
    if forest.constraints == "ignored":
        pairs = pairs[:0]
    right = np.empty(len(X), dtype=bool)
    reached = 0
    for t in range(len(forest.n_nodes_)):
        tree = forest.tree(t)
        split = np.cumsum(tree.right > 0) - 1
        stack = [(0, np.unique(pairs), pairs)]
        while stack:
            node, rows, linked = stack.pop()
            if not len(linked) or tree.right[node] == 0:
                continue
            reached += 1
            weights = tree.weights[split[node]]
            right[rows] = X[np.ix_(rows, tree.features[split[node]])] @ weights[:-1] + weights[-1] > 0
            side, of_pairs = right[rows], right[linked]
            stack.append((node + 1, rows[~side], linked[~of_pairs.any(axis=1)]))
            stack.append((int(tree.right[node]), rows[side], linked[of_pairs.all(axis=1)]))
    splits = len(forest.weights_)
    return reached / splits if splits else float("nan")
