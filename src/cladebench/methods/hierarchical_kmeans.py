"""Hierarchical k-means: samples are split by k-means, again and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from cladebench.hierarchy import Hierarchy
from cladebench.methods._placing import PlacingByCentres
from cladebench.methods._top_down import divide
from cladebench.validation import check_int, check_scale


class HierarchicalKMeans(PlacingByCentres):
    """Split by k-means from all samples down to single ones.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of ``labels_``.
    branching : int, default=2
        Clusters into which each node is split (k). The ghc paper is silent; its trees are binary.
    n_init : int, default=1
        Starts of k-means at each node; the one with the least inertia is kept (the first among equals). The
        ghc paper is silent; one is scikit-learn's default for k-means++ starts (``n_init="auto"``), which are
        the ones used here. The ghc register of unstated choices measures what ten do.
    max_iter : int, default=300
        Largest number of Lloyd iterations of a start.
    leaf_size : int, default=1
        Nodes of at most this many samples are not split.
    random_state : int, RandomState instance or None, default=None
        Source of the starts.

    Attributes
    ----------
    hierarchy_ : Hierarchy
        Heights are inertias (sum of squared distances to the node's mean). Equal samples share a leaf.
    labels_ : ndarray of shape (n_samples,)
        The cut of the tree: the part with the largest inertia is split next.
    split_centers_ : dict of int to ndarray, shape (n_children, n_features)
        Of each node that the cut splits the centres of its children, by which `predict` goes.
    n_iter_ : int
        The most Lloyd iterations that the starts of a node took.

    Notes
    -----
    Centres start by k-means++ [1]_ (one candidate a centre, where scikit-learn tries several) and move by
    Lloyd's algorithm until no sample changes its cluster. A sample equally far from two centres goes to the
    first. With ``branching`` > 2 a cluster can become empty; it is left out.

    All starts of a node run at once, as one matrix product an iteration: most nodes are tiny, and
    scikit-learn's `KMeans` needs a millisecond for any of them.

    Time O(iterations * n_init * branching * n_features * n_samples) for each level of the tree.

    References
    ----------
    .. [1] D. Arthur, S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007.

    Examples
    --------
    >>> from cladebench.methods import HierarchicalKMeans
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> found = HierarchicalKMeans(n_clusters=3, random_state=0).fit(X)
    >>> found.labels_.tolist()
    [2, 2, 0, 0, 1]
    >>> found.predict([[4.0], [100.0]]).tolist()
    [0, 1]
    """

    contract_params: ClassVar[Mapping[str, Any]] = {"n_init": 2}

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        branching: int = 2,
        n_init: int = 1,
        max_iter: int = 300,
        leaf_size: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.branching = branching
        self.n_init = n_init
        self.max_iter = max_iter
        self.leaf_size = leaf_size
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("branching", self.branching, 2)
        check_int("n_init", self.n_init, 1)
        check_int("max_iter", self.max_iter, 1)
        check_int("leaf_size", self.leaf_size, 1)

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Hierarchy:
        check_scale(X)
        random = check_random_state(self.random_state)
        inertias: list[float] = []
        centers_of: dict[int, np.ndarray] = {}
        self.n_iter_ = 0

        def split(samples: np.ndarray) -> list[np.ndarray]:
            # Centred, so that rounding is relative to the extent of the node, not to its place.
            mean = X[samples].mean(axis=0)
            points = X[samples] - mean
            node = len(inertias)
            inertias.append(float((points * points).sum()))
            if len(samples) <= self.leaf_size or (X[samples] == X[samples[0]]).all():
                return []
            if len(samples) == 2:
                centers_of[node] = X[samples]
                return [samples[:1], samples[1:]]
            starts = plus_plus(points, self.branching, self.n_init, random)
            labels, n_iter, centers = lloyd(points, starts, self.max_iter)
            self.n_iter_ = max(self.n_iter_, n_iter)
            full = np.unique(labels)
            if len(full) == 1:  # the samples differ by no more than rounding
                return []
            centers_of[node] = centers[full] + mean
            return [samples[labels == j] for j in full]

        parents, leaf_of = divide(len(X), np.arange(len(X)), split, lambda samples: samples)
        tree = Hierarchy(parents, leaf_of, heights=inertias)
        self.split_centers_ = {node: centers_of[node] for node in tree.splits(self.n_clusters)}
        return tree

    def _centres(self, node: int) -> np.ndarray | None:
        return self.split_centers_.get(node)


def plus_plus(X: np.ndarray, n_clusters: int, n_init: int, random: np.random.RandomState) -> np.ndarray:
    """Draw the starting centres of several runs by k-means++.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_clusters, n_init : int
        Centres of a run; runs.
    random : RandomState

    Returns
    -------
    ndarray of shape (n_init, n_clusters, n_features)
        Rows of X. Distinct, unless X has fewer distinct rows than ``n_clusters``.
    """
    centers = np.empty((n_init, n_clusters, X.shape[1]))
    centers[:, 0] = X[random.randint(len(X), size=n_init)]
    nearest = np.full((n_init, len(X)), np.inf)
    for j in range(1, n_clusters):
        for run in range(n_init):
            offsets = X - centers[run, j - 1]
            np.minimum(nearest[run], np.einsum("ij,ij->i", offsets, offsets), out=nearest[run])
        # The first row at which the running sum of squared distances exceeds a uniform share of the whole.
        sums = np.cumsum(nearest, axis=1)
        shares = random.uniform(size=n_init) * sums[:, -1]
        chosen = np.minimum((sums <= shares[:, None]).sum(axis=1), len(X) - 1)
        centers[:, j] = X[chosen]
    return centers


def lloyd(X: np.ndarray, centers: np.ndarray, max_iter: int) -> tuple[np.ndarray, int, np.ndarray]:
    """Run Lloyd's algorithm from several starts at once.

    Keep the run with the least inertia.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centred, or nearly so: squared distances are computed from products.
    centers : ndarray of shape (n_init, n_clusters, n_features)
        Starting centres of each run.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    labels : ndarray of int64, shape (n_samples,)
        Cluster of each sample in the best run. A cluster can be empty.
    n_iter : int
        Iterations until no run changed, at most ``max_iter``.
    centers : ndarray of shape (n_clusters, n_features)
        Those to which the samples are nearest. The means of their clusters, unless ``max_iter`` ended it.
    """
    n_init, n_clusters, n_features = centers.shape
    flat = centers.reshape(n_init * n_clusters, n_features)
    labels = np.full((len(X), n_init), -1)
    members = np.zeros((len(X), n_init, n_clusters))
    for n_iter in range(1, max_iter + 1):  # noqa: B007 - read after the loop
        nearest = flat
        scores = np.einsum("ij,ij->i", flat, flat) - 2.0 * (X @ flat.T)
        assigned = scores.reshape(len(X), n_init, n_clusters).argmin(axis=2)
        if (assigned == labels).all():
            break
        labels = assigned
        members = (labels[:, :, None] == np.arange(n_clusters)).astype(np.float64)
        sums = members.reshape(len(X), -1).T @ X
        counts = members.sum(axis=0).ravel()
        # An empty cluster keeps its centre.
        flat = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1.0)[:, None], flat)
    sums = members.reshape(len(X), -1).T @ X
    counts = np.maximum(members.sum(axis=0).ravel(), 1.0)
    # Inertia is the total sum of squares less this.
    explained = (np.einsum("ij,ij->i", sums, sums) / counts).reshape(n_init, n_clusters).sum(axis=1)
    best = int(np.argmax(explained))
    return labels[:, best], n_iter, nearest.reshape(centers.shape)[best]
