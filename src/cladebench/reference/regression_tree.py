"""Plain twin of the core's regression trees of several outputs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def fit_tree(
    X: npt.ArrayLike, outputs: npt.ArrayLike, depth: int
) -> tuple[npt.NDArray[np.int64], FloatArray, FloatArray, npt.NDArray[np.int64]]:
    """Grow a least-squares tree over all features and places between values.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    outputs : array-like of shape (n_samples, n_outputs)
    depth : int
        Splits from the root to a leaf.

    Returns
    -------
    feature, threshold : ndarray of shape (2 ** depth - 1,)
        Node k has the children 2k + 1 (``x[feature] <= threshold``) and 2k + 2; one that no split improves sends all
        left: feature 0, threshold infinity.
    values : ndarray of shape (2 ** depth, n_outputs)
        Means of the leaves' outputs; zero of an empty leaf.
    leaf : ndarray of shape (n_samples,)
        Leaves of the rows.
    """
    X, outputs = np.asarray(X, dtype=float), np.asarray(outputs, dtype=float)
    n_inner = 2**depth - 1
    feature, threshold = np.zeros(n_inner, dtype=np.int64), np.full(n_inner, np.inf)
    values, leaf = np.zeros((n_inner + 1, outputs.shape[1])), np.zeros(len(X), dtype=np.int64)
    rows_of = {0: np.arange(len(X))}
    for node in range(n_inner):
        rows = rows_of.pop(node, np.arange(0))
        left = np.ones(len(rows), dtype=bool)
        split = best_split(X[rows], outputs[rows]) if len(rows) else None
        if split is not None:
            feature[node], threshold[node] = split
            left = X[rows, feature[node]] <= threshold[node]
        rows_of[2 * node + 1], rows_of[2 * node + 2] = rows[left], rows[~left]
    for node, rows in rows_of.items():
        leaf[rows] = node - n_inner
        if len(rows):
            values[node - n_inner] = outputs[rows].mean(axis=0)
    return feature, threshold, values, leaf


def best_split(X: FloatArray, outputs: FloatArray) -> tuple[int, float] | None:
    """Find the best feature and threshold.

    It has most `|sum left|^2 / n_left + |sum right|^2 / n_right`. Equally good ones go to the lowest
    feature's lowest threshold. There is none if nothing is gained beyond rounding.
    """
    n, total = len(X), outputs.sum(axis=0)
    best, split = float(total @ total) / n * (1.0 + 1e-12), None
    for f in range(X.shape[1]):
        order = np.argsort(X[:, f], kind="stable")
        column, sums = X[order, f], outputs[order].cumsum(axis=0)
        for k in range(1, n):
            if column[k] == column[k - 1]:
                continue
            left, right = sums[k - 1], total - sums[k - 1]
            score = float(left @ left) / k + float(right @ right) / (n - k)
            if score > best:
                middle = column[k - 1] + 0.5 * (column[k] - column[k - 1])
                best, split = score, (f, float(middle if middle < column[k] else column[k - 1]))
    return split
