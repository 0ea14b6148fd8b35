"""Greedy hierarchical k-means (HKM, HKM-D)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.methods._greedy import Node
from cladebench.methods._greedy_distance import GreedyByDistance
from cladebench.methods._kmeans import kmeans
from cladebench.methods._placing import PlacingByCentres
from cladebench.validation import check_int


class GreedyKMeans(PlacingByCentres, GreedyByDistance):
    """Grow a tree top-down by k-means, one leaf at a time.

    These are the baselines HKM and HKM-D of the hmmc paper (section 5).

    Every leaf is clustered when it is made. Which leaf is split next is up to ``grow``.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    n_leaves : int, optional
        Number of leaves at which growth ends, at least ``n_clusters``, which is the default. The last split may exceed
        it, by up to ``n_splits - 2``.
    n_splits : int, default=2
        Clusters into which a node is split. The hmmc paper takes 2 to 5.
    grow : {"compact", "scattered"}, default="compact"
        "compact" (HKM): split the leaf whose clusters are the most compact, by the average Euclidean distance of a
        sample to the mean of its cluster. "scattered" (HKM-D): split the leaf with the largest total Euclidean distance
        of its samples to their mean.
    average_over : {"samples", "clusters", "pairs"}, default="samples"
        What the average of "compact" is over: samples; clusters, small ones as much as large ones; pairs of samples of
        one cluster, instead of distances to the mean (see
        `cladebench.methods._greedy_distance.within_cluster_distance`). The hmmc paper says "the average within-cluster
        distance". The rule "scattered" is a total, and has no part in it.
    min_leaf_size : int, default=1
        Nodes of at most this many samples are not split.
    max_depth : int, optional
        Nodes at this distance from the root are not split. No limit by default.
    n_init : int, default=1
        Starts of k-means at each node; the one with the least inertia is kept. The hmmc paper is silent on this and on
        the kind of starts; one is scikit-learn's default for k-means++ starts (``n_init="auto"``), which are the ones
        used here.
    max_iter : int, default=300
        Largest number of Lloyd iterations of a start. The paper is silent; scikit-learn's default.
    random_state : int, RandomState instance or None, default=None
        Source of the starts.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        Heights replay the growth: T at the root for T splits, 0 at the leaves. ``node_data`` has the "score" of each
        split (minus the average distance where ``grow="compact"``, the total distance where it is "scattered"),
        its place in the "order" of splits, and as "models" the centres of its children, by which `predict` goes.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree: the leaves that stood when there were at most ``n_clusters``. Where a split into three or
        more passes over ``n_clusters`` there are fewer clusters, and a UserWarning that says which numbers can be met.
    n_leaves_grown_ : int
        Number of leaves. Fewer than ``n_leaves`` where no leaf could be split any more.
    trace_ : dict of ndarray
        After each split: "n_leaves", "seconds", "score".
    n_iter_ : int
        The most Lloyd iterations of a node (of the start that was kept).

    Notes
    -----
    Nodes with fewer than ``n_splits`` samples, and nodes of equal samples, are not split. A node with fewer distinct
    samples than ``n_splits`` gets fewer children.

    The average distance within a small node is small: "compact" tends to split small nodes down to single samples
    before it turns to large ones.

    scikit-learn's `KMeans`, on one thread. O(iterations * n_init * n_splits * n_features * n_node) time for each of the
    at most ``2 * n_leaves`` nodes.

    Examples
    --------
    >>> from cladebench.methods import GreedyKMeans
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> GreedyKMeans(n_clusters=3, grow="scattered", random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1, 2]
    """

    contract_params: ClassVar[Mapping[str, Any]] = {"n_init": 2}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_leaves: int | None = None,
        n_splits: int = 2,
        grow: str = "compact",
        average_over: str = "samples",
        min_leaf_size: int = 1,
        max_depth: int | None = None,
        n_init: int = 1,
        max_iter: int = 300,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_leaves = n_leaves
        self.n_splits = n_splits
        self.grow = grow
        self.average_over = average_over
        self.min_leaf_size = min_leaf_size
        self.max_depth = max_depth
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int("n_init", self.n_init, 1)
        check_int("max_iter", self.max_iter, 1)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        self.n_iter_ = 0
        return super()._build(X, y)

    def _cluster(self, node: Node) -> tuple[np.ndarray, np.ndarray]:
        best = kmeans(
            self._X[node.samples],
            self.n_splits,
            n_init=self.n_init,
            seed=node.seed,
            max_iter=self.max_iter,
        )
        self.n_iter_ = max(self.n_iter_, best.n_iter)
        return best.labels, best.centers
