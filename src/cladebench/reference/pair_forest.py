"""Compute the random forest distance as its papers say.

It is the twin of the kernels in the core. Trees are arrays of nodes in preorder, those of all trees one after another,
as in `RandomForestDistance.trees_`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cladebench.reference.random_numbers import below, random_numbers, seed_of

Trees = Mapping[str, np.ndarray]


class PairNode(NamedTuple):
    """A node of a tree.

    A leaf has feature -1 and no children.
    """

    feature: int
    threshold: float
    left: int
    right: int
    value: float


def pair_features(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Features of pairs of rows.

    `[|x1 - x2|, (x1 + x2) / 2]`, in single precision as scikit-learn's trees have them.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, n_features)

    Returns
    -------
    ndarray of float32, shape (n_pairs, 2 * n_features)
    """
    a, b = first.astype(np.float32), second.astype(np.float32)
    return np.hstack([np.abs(a - b), np.float32(0.5) * (a + b)])


def training_pairs(X: np.ndarray, must_link: Any, cannot_link: Any) -> tuple[np.ndarray, np.ndarray]:
    """Features of constrained pairs, and their classes.

    0 if they belong together, 1 if they do not.
    """
    pairs = np.vstack([must_link, cannot_link])
    different = np.repeat([0, 1], [len(must_link), len(cannot_link)])
    return pair_features(X[pairs[:, 0]], X[pairs[:, 1]]), different


def grow_forest(
    X: np.ndarray,
    must_link: Any,
    cannot_link: Any,
    *,
    n_estimators: int,
    max_features: int,
    min_samples_leaf: int = 1,
    seed: int,
    bootstrap: bool = True,
) -> Trees:
    """Grow a random forest on constrained pairs.

    Each tree has a bootstrap sample of the pairs, and is grown until its nodes are pure or no split leaves
    `min_samples_leaf` different pairs on either side.

    Returns
    -------
    dict of str to ndarray
        As in `RandomForestDistance.trees_`.
    """
    features, different = training_pairs(X, must_link, cannot_link)
    features = features.astype(
        np.float64
    )  # in single precision a threshold between two neighbours is one of them
    trees = []
    for t in range(n_estimators):
        draws = random_numbers(seed_of(seed, t))
        weights = np.ones(len(different), dtype=int)
        if bootstrap:
            weights = np.bincount([below(draws, len(different)) for _ in different], minlength=len(different))
        kept = weights > 0
        trees.append(
            _grow(features[kept], different[kept], weights[kept], max_features, min_samples_leaf, draws)
        )
    nodes = [node for tree in trees for node in tree]
    kinds = {name: np.int32 for name in ("feature", "left", "right")} | {"threshold": float, "value": float}
    return {"first_node": np.cumsum([0] + [len(tree) for tree in trees])} | {
        name: np.array([getattr(node, name) for node in nodes], dtype=kind) for name, kind in kinds.items()
    }


def _grow(
    features: np.ndarray,
    different: np.ndarray,
    weights: np.ndarray,
    max_features: int,
    min_samples_leaf: int,
    draws: Iterator[int],
) -> list[PairNode]:
    order = list(range(features.shape[1]))
    nodes: list[PairNode] = []

    def grow(pairs: np.ndarray) -> int:
        here = len(nodes)
        w, y = weights[pairs], different[pairs]
        nodes.append(PairNode(-1, 0.0, -1, -1, w[y == 1].sum() / w.sum()))
        if y.min() == y.max() or len(pairs) < 2 * min_samples_leaf:
            return here
        best: tuple[Fraction, int, float] | None = None
        varies = False
        for k in range(len(order)):
            if k >= max_features and varies:
                break
            drawn = k + below(draws, len(order) - k)
            order[k], order[drawn] = order[drawn], order[k]
            values = features[pairs, order[k]]
            varies = varies or bool(values.min() < values.max())
            for impurity, threshold in cuts(values, y, w, min_samples_leaf):
                if best is None or impurity < best[0]:
                    best = impurity, order[k], threshold
        if best is not None:
            _, feature, threshold = best
            goes_left = features[pairs, feature] <= threshold
            left, right = grow(pairs[goes_left]), grow(pairs[~goes_left])
            nodes[here] = PairNode(feature, threshold, left, right, nodes[here].value)
        return here

    grow(np.arange(len(different)))
    return nodes


def cuts(
    values: np.ndarray, different: np.ndarray, weights: np.ndarray, min_samples_leaf: int
) -> Iterator[tuple[Fraction, float]]:
    """List Gini impurities and thresholds of cuts between values, ascending.

    The impurity is s d / (s + d) of either side, added up, where s and d are the weights of must-links and of
    cannot-links: half of what the sides' weights times their Gini indices add up to.
    """
    thresholds = np.unique(values)  # sorted; -0 and 0 are one
    for low, high in pairwise(thresholds):
        impurity, fits = Fraction(0), True
        for side in (values <= low, values > low):
            s, d = (int(weights[side & (different == which)].sum()) for which in (0, 1))
            impurity += Fraction(s * d, s + d)
            fits = fits and side.sum() >= min_samples_leaf
        if fits:
            yield impurity, float(low / 2 + high / 2)


def leaf_reached(trees: Trees, t: int, features: np.ndarray) -> int:
    """Find where a pair rests in tree t, among all nodes."""
    root = node = int(trees["first_node"][t])
    while trees["feature"][node] >= 0:
        goes_left = float(features[trees["feature"][node]]) <= trees["threshold"][node]
        node = root + int(trees["left" if goes_left else "right"][node])
    return node


def random_forest_distance(trees: Trees, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Average the share of different pairs over the leaves reached.

    Each pair of A x B reaches one in each tree.

    Returns
    -------
    ndarray of float64, shape (len(A), len(B))
    """
    distances = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            features = pair_features(a[None], b[None])[0]
            n_trees = len(trees["first_node"]) - 1
            shares = [trees["value"][leaf_reached(trees, t, features)] for t in range(n_trees)]
            distances[i, j] = np.mean(shares)
    return distances
