"""Agglomerative clustering: the closest two clusters are merged until one is left."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.validation import check_choice, check_scale

LINKAGES = ("single", "complete", "average", "weighted", "ward", "centroid", "median")


class Agglomerative(HierarchicalClusterer):
    """Merge clusters bottom-up by their Euclidean distance.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    linkage : {"complete", "single", "average", "weighted", "ward", "centroid", "median"}, default="complete"
        Distance between clusters. The default is the ghc paper's HAC-C.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A binary tree with one leaf a sample; heights are the distances of the merges.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.

    Notes
    -----
    Deterministic. Where two pairs of clusters are equally close, SciPy's order of merging decides, which
    depends on the order of the samples: on tied data (duplicates, integer features) a permutation of the rows
    may give another tree.

    "centroid" and "median" may invert: a merge may be lower than the one before it.

    Time O(n^2) ("centroid" and "median" O(n^3) at worst), memory 4 n^2 bytes for the condensed distances.

    References
    ----------
    D. Müllner, Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378, 2011.
    """

    order_invariant = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: Literal[
            "complete", "single", "average", "weighted", "ward", "centroid", "median"
        ] = "complete",
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage

    def _check_parameters(self) -> None:
        check_choice("linkage", self.linkage, LINKAGES)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        if len(X) == 1:
            return Hierarchy([-1], [0])
        check_scale(X)
        return Hierarchy.from_linkage(linkage(pdist(X), method=self.linkage))
