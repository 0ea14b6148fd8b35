"""Agglomerative clustering: the closest two clusters are merged until one is left."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.spatial.distance import squareform

from cladebench.distance_matrix import mended_distances
from cladebench.hierarchy import Hierarchy
from cladebench.methods.base import HierarchicalClusterer
from cladebench.solvers import linkages
from cladebench.solvers.graph_linkages import Connectivity, check_connectivity, check_graph_method
from cladebench.tree_formats import read_linkage
from cladebench.validation import check_choice


class Agglomerative(HierarchicalClusterer):
    """Merge the two nearest clusters, bottom-up.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    linkage : {"complete", "single", "average", "weighted", "ward", "centroid", "median"}, default="complete"
        Distance between clusters. The default is the ghc paper's HAC-C; that of `cladebench.linkage` is "ward".
    metric : str, default="euclidean"
        Distance between samples, by SciPy's name; "ward", "centroid" and "median" take "euclidean" alone. With
        "precomputed" X has the distances: symmetric, at least 0, and 0 from each sample to itself. Rounding is
        mended: up to 1e-8 of the largest, and 1e-5 in single precision.
    connectivity : int or sparse matrix or ndarray of shape (n_samples, n_samples), optional
        None: any two clusters may merge. An int: clusters merge along the graph of as many nearest neighbours. A sparse
        matrix: along the graph of the entries that it stores, be they 0 or False. An ndarray: along that of its
        non-zeros. For all linkages under "euclidean", and for "complete", "single", "average" and "weighted" under
        "sqeuclidean" and "cosine".

    Attributes
    ----------
    hierarchy_ : Hierarchy
        A binary tree with one leaf a sample; heights are the distances of the merges. Along a graph
        ``node_data["merge_bound"]`` has ``merge_bounds_`` by node, NaN at leaves. It is NaN at all nodes if
        ``merge_bounds_`` is None.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree.
    merge_bounds_ : ndarray of shape (n_samples - 1,) or None
        Entry i is of the merge that made node n_samples + i. No other cluster was nearer to either of the merged two
        than this share of their distance, in 0..1. Where it is 1, the merge is proven: without the graph, the same two
        clusters would merge. None if ``connectivity`` is a matrix, and along a graph for "centroid" and "median".

    See Also
    --------
    cladebench.linkage : The same as SciPy's matrix; it says what takes how much memory and time, and shows progress.

    Notes
    -----
    Deterministic. Equal samples merge first. Where several pairs of clusters are equally close, the order of the
    samples decides, as `cladebench.linkage` says. On tied data, such as integer features, a permutation of the rows may
    give another tree.

    "centroid" and "median" may invert: a merge may be lower than the one before it. Along a graph so may "ward", and
    "average" and "weighted" of squared and cosine distances. "complete", and Euclidean "average" and "weighted" are
    there of linked samples alone, as `cladebench.linkage` says. Then bounds are of the distance between all samples of
    two clusters, which can be more than the height.

    Rows without an edge are at least as far as the last neighbour of both. Bounds follow from these distances. They
    are sharp for low merges and weak for high ones. A merge that is proven, as all before it are, is one of the tree
    without a graph. ``numpy.mean(merge_bounds_ == 1)`` is the share of proven merges. Of "centroid" and "median"
    nothing is proven: what merges elsewhere can come nearer to two clusters than they are to each other.

    References
    ----------
    D. Müllner, Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378, 2011.

    Examples
    --------
    >>> from cladebench.methods import Agglomerative
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> Agglomerative(n_clusters=3, linkage="average").fit(X).labels_.tolist()
    [0, 0, 2, 2, 1]
    >>> along = Agglomerative(n_clusters=3, linkage="ward", connectivity=2).fit(X)
    >>> along.labels_.tolist(), along.merge_bounds_[:2].tolist()
    ([0, 0, 2, 2, 1], [1.0, 1.0])
    >>> along.hierarchy_.node_data["merge_bound"][4:7].tolist()
    [nan, 1.0, 1.0]
    """

    order_invariant = True
    _dtypes: ClassVar[list[type]] = [np.float64, np.float32]
    merge_bounds_: np.ndarray | None

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: Literal[
            "complete", "single", "average", "weighted", "ward", "centroid", "median"
        ] = "complete",
        metric: str = "euclidean",
        connectivity: Connectivity = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.metric = metric
        self.connectivity = connectivity

    def _check_parameters(self) -> None:
        check_choice("linkage", self.linkage, linkages.METHODS)
        check_choice("metric", self.metric, (*linkages.METRICS, "precomputed"), linkages.SYNONYMS)
        if self.metric != "precomputed":
            linkages.check_together("linkage", self.linkage, self.metric)
        check_connectivity(self.connectivity)
        if self.connectivity is not None:
            check_graph_method("linkage", self.linkage, self.metric)

    def _check_input(self, X: Any) -> list[Any] | None:
        return linkages.check_rows(X, self)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        try:
            Z, self.merge_bounds_ = self._linked(X)
        except ValueError as error:
            raise ValueError(f"{type(self).__name__}: {error}") from error
        if self.connectivity is None:
            return Hierarchy.from_linkage(Z)
        marks = np.full(2 * len(Z) + 1, np.nan)
        if self.merge_bounds_ is not None:
            marks[len(Z) + 1 :] = self.merge_bounds_
        return Hierarchy(*read_linkage(Z), {"merge_bound": marks})

    def _linked(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Give the linkage matrix and the bounds."""
        if self.metric != "precomputed":
            return linkages.linkage_and_bounds(X, self.linkage, self.metric, self.connectivity)
        n = len(X)
        if X.shape[1] != n:
            raise ValueError(
                f"X: shape {X.shape}; expected as many columns as rows under metric='precomputed'"
            )
        distances = squareform(mended_distances("X", X), checks=False)
        Z = linkages.linkage(distances, self.linkage) if n > 1 else np.empty((0, 4))
        return Z, np.ones(n - 1)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn whether X has distances."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
