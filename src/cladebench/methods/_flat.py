"""Flat clusterings as trees: a root with one leaf for each cluster."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.subclass_results import clusters_from
from cladebench.validation import check_scale


class FlatClusterer(HierarchicalClusterer):
    """A flat clustering that stands beside trees.

    ``hierarchy_`` is a root (height 1) over its clusters (height 0).

    A subclass defines `_cluster`. One cluster makes a tree of one node.
    """

    @abstractmethod
    def _cluster(self, X: np.ndarray) -> np.ndarray:
        """Return samples' clusters 0, 1, ..., at most ``n_clusters``, none left out."""

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        check_scale(X)
        return flat_hierarchy(clusters_from(self, self._cluster(X), X.shape[0]))


def flat_hierarchy(labels: np.ndarray) -> Hierarchy:
    """Make the tree of a flat clustering.

    Parameters
    ----------
    labels : ndarray of int, shape (n_samples,)
        Clusters 0, 1, ..., none of them empty.

    Returns
    -------
    Hierarchy
        Node 0 is the root, at height 1; node 1 + k, at height 0, holds cluster k. A single cluster makes one
        node, at height 0.
    """
    n_clusters = int(labels.max()) + 1
    if n_clusters == 1:
        return Hierarchy([-1], np.zeros_like(labels), heights=[0.0])
    return Hierarchy([-1] + [0] * n_clusters, labels + 1, heights=[1.0] + [0.0] * n_clusters)
