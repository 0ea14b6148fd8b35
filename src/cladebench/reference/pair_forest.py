"""The random forest distance, written to be read beside its paper; the twin of the kernel in the core."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier


def pair_features(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Features of pairs of rows: [|x1 - x2|, (x1 + x2) / 2], in the single precision of scikit-learn's trees.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, n_features)

    Returns
    -------
    ndarray of float32, shape (n_pairs, 2 * n_features)
    """
    a, b = first.astype(np.float32), second.astype(np.float32)
    return np.hstack([np.abs(a - b), np.float32(0.5) * (a + b)])


def fit_pairs(
    X: np.ndarray, must_link: np.ndarray, cannot_link: np.ndarray, **settings: Any
) -> RandomForestClassifier:
    """Fit a forest to constrained pairs: 0 for pairs that belong together, 1 for pairs that do not."""
    pairs = np.vstack([must_link, cannot_link])
    different = np.repeat([0, 1], [len(must_link), len(cannot_link)])
    return RandomForestClassifier(**settings).fit(pair_features(X[pairs[:, 0]], X[pairs[:, 1]]), different)


def leaf_reached(tree: Any, features: np.ndarray) -> int:
    """Node at which a pair comes to rest in a tree of scikit-learn (``estimator.tree_``)."""
    node = 0
    while tree.children_left[node] >= 0:
        goes_left = float(features[tree.feature[node]]) <= tree.threshold[node]
        node = int(tree.children_left[node] if goes_left else tree.children_right[node])
    return node


def random_forest_distance(forest: RandomForestClassifier, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Mean over trees of the share of different pairs in the leaf that each pair of A x B reaches.

    Returns
    -------
    ndarray of float64, shape (len(A), len(B))
    """
    distances = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            features = pair_features(a[None], b[None])[0]
            shares = []
            for estimator in forest.estimators_:
                of_classes = estimator.tree_.value[leaf_reached(estimator.tree_, features), 0]
                shares.append(sum(of_classes[forest.classes_ == 1]) / sum(of_classes))
            distances[i, j] = np.mean(shares)
    return distances
