"""Agglomerative clustering: the closest two clusters are merged until one is left."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.spatial.distance import squareform

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
        "precomputed" X has the distances: symmetric, at least 0, and 0 from each sample to itself.
    connectivity : int or sparse matrix of shape (n_samples, n_samples), optional
        None: any two clusters may merge. An int: clusters merge along the graph of as many nearest neighbours. A
        matrix: along the graph of its non-zeros. For all linkages under "euclidean", and for "complete", "single",
        "average" and "weighted" under "sqeuclidean" and "cosine".

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
        check_choice("metric", self.metric, (*linkages.METRICS, "precomputed"))
        if self.metric != "precomputed":
            linkages.check_together("linkage", self.linkage, self.metric)
        check_connectivity(self.connectivity)
        if self.connectivity is not None:
            check_graph_method("linkage", self.linkage, self.metric)

    def _check_input(self, X: Any) -> list[Any] | None:
        return linkages.check_rows(X, self)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        if self.metric == "precomputed":
            distances = _condensed(X)
            Z = linkages.linkage(distances, self.linkage) if len(distances) else np.empty((0, 4))
            self.merge_bounds_ = np.ones(len(Z))
        else:
            Z, self.merge_bounds_ = linkages.linkage_and_bounds(
                X, self.linkage, self.metric, self.connectivity
            )
        if self.connectivity is None:
            return Hierarchy.from_linkage(Z)
        marks = np.full(2 * len(Z) + 1, np.nan)
        if self.merge_bounds_ is not None:
            marks[len(Z) + 1 :] = self.merge_bounds_
        return Hierarchy(*read_linkage(Z), {"merge_bound": marks})

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn whether X has distances."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _condensed(D: np.ndarray) -> np.ndarray:
    if D.shape[0] != D.shape[1]:
        raise ValueError(f"X: shape {D.shape}; expected as many columns as rows under metric='precomputed'")
    wrong = D != D.T
    np.fill_diagonal(wrong, D.diagonal() != 0.0)
    if wrong.any():
        i, j = np.unravel_index(int(np.argmax(wrong)), D.shape)
        fault = f"X[{i}, {j}] is {D[i, j]:g}" + (f", X[{j}, {i}] is {D[j, i]:g}" if i != j else "")
        raise ValueError(f"{fault}; expected symmetric distances, 0 from each sample to itself")
    return np.asarray(squareform(D, checks=False))
