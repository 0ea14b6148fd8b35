"""BIRCH: grow a height-balanced tree of clustering features by samples."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy.spatial import cKDTree
from sklearn.cluster import Birch
from sklearn.utils import check_random_state

from cladebench.hierarchy import Hierarchy
from cladebench.methods._placing import checked_rows
from cladebench.methods.base import HierarchicalClusterer
from cladebench.validation import check_int, check_real, check_scale


class BirchTree(HierarchicalClusterer):
    """Build the clustering-feature tree of scikit-learn's Birch, as a hierarchy.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``: a cut of the tree, not BIRCH's global clustering of its subclusters.
    threshold : float, default=0.0
        Radius (in the units of X) up to which samples are merged into one subcluster. Zero, the starting
        value of the original algorithm [1]_, makes every distinct sample a subcluster. The ghc paper is
        silent.
    branching_factor : int, default=50
        Largest number of entries in a node, at least 2. The default is scikit-learn's; the ghc paper is
        silent. A node is split only when it overflows, so with at most this many distinct samples the tree is
        a star: one node with all of them below.
    random_state : int, RandomState instance or None, default=None
        Source of the order in which the samples are inserted.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        One node for each node of the tree and one leaf for each subcluster that is the nearest of some
        sample; nodes with a single entry are left out. No heights.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree. Nodes of many entries skip small numbers of clusters, with a UserWarning: a star has
        cuts of 1 and n clusters alone. With ``branching_factor=2`` every number can be met.
    subcluster_centers_ : ndarray of shape (n_leaves, n_features)
        Centroids of the subclusters at which samples sit. `predict` goes by the nearest one.

    Notes
    -----
    A sample sits at the subcluster whose centroid is nearest (as in scikit-learn's labels and in the last
    phase of [1]_), which with a large threshold need not be the one that absorbed it.

    scikit-learn computes radii from sums of squares, so with ``threshold=0`` samples closer to each other
    than about 1e-8 of their distance from the mean may share a leaf. The data are centred first to keep
    this small.

    Time O(n log n) node visits in Python, of O(branching_factor * n_features) each.

    References
    ----------
    .. [1] T. Zhang, R. Ramakrishnan, M. Livny, BIRCH: an efficient data clustering method for very large
       databases, SIGMOD 1996.

    Examples
    --------
    >>> from cladebench.methods import BirchTree
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> BirchTree(branching_factor=2, random_state=0).fit(X).hierarchy_.to_newick()
    '((4,(2,3)),(0,1));'
    >>> BirchTree(branching_factor=2, random_state=0).fit(X).predict([[5.2], [0.2]]).tolist()
    [0, 1]
    """

    # Nodes of 50 entries would make stars of the small data of the tests.
    contract_params: ClassVar[Mapping[str, Any]] = {"branching_factor": 3}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        threshold: float = 0.0,
        branching_factor: int = 50,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.branching_factor = branching_factor
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_real("threshold", self.threshold, 0.0)
        check_int("branching_factor", self.branching_factor, 2)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        check_scale(X)
        order = check_random_state(self.random_state).permutation(len(X))
        self._mean = X.mean(axis=0)
        centred = X - self._mean
        # scikit-learn wants a positive threshold (the square of the smallest one is zero) whose square is finite (no
        # radius of data that pass check_scale is as large).
        threshold = min(max(float(self.threshold), sys.float_info.min), math.sqrt(sys.float_info.max))
        tree = Birch(
            threshold=threshold,
            branching_factor=max(2, min(int(self.branching_factor), len(X))),  # it makes room for as many
            n_clusters=None,
            compute_labels=False,
        ).fit(centred[order])
        hierarchy, self._centroids, self._members = _hierarchy_of(tree.root_, centred)
        self.subcluster_centers_ = self._centroids + self._mean
        return hierarchy

    def predict(self, X: Any) -> np.ndarray:
        """Place new samples in the clusters of their nearest subclusters.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        ndarray of intp, shape (n,)
            Numbers of ``labels_``. Fitted samples get their own, unless two subclusters are equally near.

        Raises
        ------
        ValueError
            If X has another number of features, or is not finite.
        """
        rows = checked_rows(self, X)
        _, nearest = cKDTree(self._centroids).query(rows - self._mean)
        return self.labels_[self._members[nearest]]


def _hierarchy_of(root: Any, X: np.ndarray) -> tuple[Hierarchy, np.ndarray, np.ndarray]:
    """Put every sample at the nearest subcluster of scikit-learn's tree.

    It is a tree of ``_CFNode``. Also gives the centroids of the subclusters that have samples, and a sample of each.
    """
    parents: list[int] = []
    leaves: list[int] = []
    centroids: list[np.ndarray] = []
    stack = [(root, -1)]
    while stack:
        cf_node, parent = stack.pop()
        node = len(parents)
        parents.append(parent)
        for subcluster in cf_node.subclusters_:
            if subcluster.child_ is None:
                leaves.append(len(parents))
                centroids.append(subcluster.centroid_)
                parents.append(node)
            else:
                stack.append((subcluster.child_, node))
    centers = np.array(centroids)
    _, nearest = cKDTree(centers).query(X)
    used, members = np.unique(nearest, return_index=True)
    return Hierarchy(parents, np.array(leaves)[nearest]).pruned(), centers[used], members
