"""Greedy hierarchical spectral clustering (HSC, HSC-D)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.methods._greedy import Node
from cladebench.methods._greedy_distance import GreedyByDistance
from cladebench.methods._neighbors import NeighborLists
from cladebench.methods._spectral import EDGES, spectral_labels
from cladebench.validation import check_choice, check_int, check_real

# Lists of this many times n_neighbors spare nearly all searches below the root.
LIST_FACTOR = 6


class GreedySpectral(GreedyByDistance):
    """Grow a tree top-down by spectral clustering, one leaf at a time.

    These are the baselines HSC and HSC-D of the hmmc paper (section 5).

    Every leaf is clustered when it is made, by the method of Ng, Jordan and Weiss [1]_ on the graph of nearest
    neighbours among the samples of the leaf (see `cladebench.methods.FlatSpectral`). Which leaf is split next is up to
    ``grow``.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    n_leaves : int, optional
        Number of leaves at which growth ends, at least ``n_clusters``, which is the default. The last split may exceed
        it, by up to ``n_splits - 2``.
    n_splits : int, default=2
        Clusters into which a node is split, and eigenvectors. The hmmc paper takes 2 to 5.
    grow : {"compact", "scattered"}, default="compact"
        "compact" (HSC): split the leaf whose clusters are the most compact, by the average Euclidean distance of a
        sample to the mean of its cluster. "scattered" (HSC-D): split the leaf with the largest total Euclidean distance
        of its samples to their mean. Distances are those of the features (the hmmc paper does not say whether it
        measures these or the eigenvectors' rows, which no two nodes share).
    average_over : {"samples", "clusters", "pairs"}, default="samples"
        What the average of "compact" is over: samples; clusters, small ones as much as large ones; pairs of samples of
        one cluster, instead of distances to the mean (see
        `cladebench.methods._greedy_distance.within_cluster_distance`). The hmmc paper says "the average within-cluster
        distance". The rule "scattered" is a total, and has no part in it.
    min_leaf_size : int, default=1
        Nodes of at most this many samples are not split.
    max_depth : int, optional
        Nodes at this distance from the root are not split. No limit by default.
    n_neighbors : int, default=5
        Nearest neighbours of each sample within the node (all others, if there are fewer); five in the hmmc paper. The
        width of the Gaussian is their mean distance in the node.
    edges : {"either", "mutual", "averaged"}, default="either"
        There is an edge where either end has the other among its neighbours, or only where both have; or an edge of one
        direction counts half. The paper is silent.
    exponent : float, default=0.5
        Of the Gaussian, see `cladebench.methods.FlatSpectral`. Above 0.
    n_init : int, default=10
        Starts of k-means. The hmmc paper is silent; the default of scikit-learn's `SpectralClustering`.
    random_state : int, RandomState instance or None, default=None
        Source of the starts of k-means. Nothing else is random.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        Heights replay the growth: T at the root for T splits, 0 at the leaves. ``node_data`` has the "score" of each
        split (minus the average distance where ``grow="compact"``, the total distance where it is "scattered") and
        its place in the "order" of splits.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree: the leaves that stood when there were at most ``n_clusters``. Where a split into three or
        more passes over ``n_clusters`` there are fewer clusters, and a UserWarning that says which numbers can be met.
    n_leaves_grown_ : int
        Number of leaves. Fewer than ``n_leaves`` where no leaf could be split any more.
    trace_ : dict of ndarray
        After each split: "n_leaves", "seconds", "score".

    Notes
    -----
    Nodes with fewer than ``n_splits`` samples, and nodes of equal samples, are not split. Where the graph of a node has
    more components than ``n_splits``, the largest components are children of their own and the others make up the
    last: with few neighbours, outliers that are each other's neighbours are often split off first. Equal samples may
    come apart in a node that has others.

    The average distance within a small node is small: "compact" tends to split small nodes down to single samples
    before it turns to large ones.

    Neighbours are searched for once, in O(n_samples^2 n_features) time; those within a node are read off the root's
    lists, and searched for again only where a list is left with too few. They are exact. Memory is linear in
    ``n_samples``, but for a few blocks of 64 MB.

    References
    ----------
    .. [1] A. Y. Ng, M. I. Jordan, Y. Weiss, On spectral clustering: analysis and an algorithm, NIPS 2001.

    Examples
    --------
    >>> from cladebench.methods import GreedySpectral
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> GreedySpectral(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1, 1]
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
        n_neighbors: int = 5,
        edges: str = "either",
        exponent: float = 0.5,
        n_init: int = 10,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_leaves = n_leaves
        self.n_splits = n_splits
        self.grow = grow
        self.average_over = average_over
        self.min_leaf_size = min_leaf_size
        self.max_depth = max_depth
        self.n_neighbors = n_neighbors
        self.edges = edges
        self.exponent = exponent
        self.n_init = n_init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_int("n_neighbors", self.n_neighbors, 1)
        check_choice("edges", self.edges, EDGES)
        check_real("exponent", self.exponent, 0.0, open_minimum=True)
        check_int("n_init", self.n_init, 1)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        self._lists: NeighborLists | None = None
        try:
            return super()._build(X, y)
        finally:
            del self._lists

    def _cluster(self, node: Node) -> tuple[np.ndarray, None]:
        if self._lists is None:  # at the root
            self._lists = NeighborLists(self._X, LIST_FACTOR * self.n_neighbors)
        index, distance = self._lists.within(node.samples, min(self.n_neighbors, len(node.samples) - 1))
        labels = spectral_labels(
            index,
            distance,
            self.n_splits,
            n_init=self.n_init,
            seed=node.seed,
            edges=self.edges,
            exponent=self.exponent,
        )
        return labels, None
