"""Forests of random splits, which are grown at once."""

import numpy as np

from cladebench.distances import HierarchyForest


def forest_of(X: np.ndarray, n_trees: int = 6, **params: object) -> HierarchyForest:
    given = {"splits": "random", "min_node_size": 2, "certainty": 1.5, "random_state": 3, **params}
    constraints = {name: given.pop(name, None) for name in ("must_link", "cannot_link")}
    return HierarchyForest(n_trees, **given).fit(X, **constraints)
