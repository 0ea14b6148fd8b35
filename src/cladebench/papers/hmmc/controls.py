"""A control: the tree of the classes itself."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from cladebench.hierarchy import Hierarchy


class ClassTree(BaseEstimator):
    """Every sample at the node of its class in the true tree.

    Both semantic measures and the Rand index give 1.

    Parameters
    ----------
    class_tree : Hierarchy
        Its samples are the classes.
    """

    def __init__(self, class_tree: Hierarchy | None = None) -> None:
        self.class_tree = class_tree

    def fit(self, X: np.ndarray, y: Any) -> Self:
        """Put the samples at the nodes of their classes ``y``."""
        if self.class_tree is None:
            raise ValueError("class_tree=None: expected the tree of the classes")
        tree = self.class_tree
        self.hierarchy_ = Hierarchy(tree.parents, tree.leaf_of[np.asarray(y)])
        return self
