"""Cluster and learn an additive tree of clusters (numerical taxonomy)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from cladebench.class_labels import by_first_member
from cladebench.hierarchy import Hierarchy
from cladebench.methods._dependence import DependenceClusterer, best_start
from cladebench.solvers.dependence import (
    checked_structure,
    dependence,
    distances_structure,
    greedy_partition,
    optimal_structure,
    squared_norm,
    structure_distances,
)
from cladebench.solvers.gram import CenteredGram
from cladebench.solvers.tree_metric import TreeMetric, fit_tree_metric
from cladebench.validation import check_choice, check_flag, check_int

TAXONOMIES = ("search", "neighbor-joining", "all", "star", "random", "none")
TREE_DISTANCES = ("distance", "square")
#: Starts of the search for a tree, which found the best of all trees of up to eight leaves in every trial; a search
#: takes milliseconds with twenty leaves, and most of a second with fifty.
TREE_STARTS, MANY_STARTS_UP_TO = 9, 20


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Hold a partition's distances, the fitted tree, and its structure.

    Attributes
    ----------
    distances : ndarray of shape (k, k)
        Between the clusters, as the best unconstrained structure has them.
    fit : TreeMetric or None
        The tree; None where there is no constraint.
    structure : ndarray of shape (k, k)
        Of unit norm in the sense of (5).
    least_eigenvalue : float
        Of the structure over its largest; negative where the tree metric has no Euclidean embedding.
    """

    distances: np.ndarray
    fit: TreeMetric | None
    structure: np.ndarray
    least_eigenvalue: float


class NumericalTaxonomy(DependenceClusterer):
    """Cluster together with a taxonomy of the clusters (NTC) [1]_.

    This is numerical taxonomy clustering.

    Two steps in turn, until the partition stays (section 4): the best structure for the partition (8) gives distances
    between clusters, to which an additive tree is fitted (12); the structure of this tree stands in (1) while points
    move one at a time to where that rises most.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, the leaves of the tree; the paper has 9 for faces and 8 for texts.
    taxonomy : {"search", "neighbor-joining", "all", "star", "random", "none"}, default="search"
        Which trees are fitted, see `cladebench.solvers.fit_tree_metric` (the paper says which problem is solved, and
        not how). "none": no tree, the best structure itself.
    tree_distance : {"distance", "square"}, default="distance"
        What a path in the tree stands for: the distance of two clusters (section 4), or its square. The paths of a tree
        as distances need have no Euclidean embedding, as squares of distances they always have one.
    clip : bool, default=False
        Whether negative eigenvalues of the tree's structure are set to zero: (1) asks for a positive semidefinite one,
        the algorithm of section 4 does not see to it.
    kernel : {"gaussian", "linear", "precomputed"}, default="gaussian"
        Section 5. With "precomputed" X is the kernel matrix.
    width : float, default=1.0
        The Gaussian is exp(-d^2 / (width m)), m the median squared distance ("normalization parameter set to the median
        squared distance", section 5).
    matrix : {"kernel", "normalized_cut"}, default="kernel"
        M of section 3: the kernel matrix ("where M = H K H", section 5.1) or D^-1/2 A D^-1/2 of it; both centred.
    rank : int, optional
        Columns of an incomplete Cholesky factor instead of the whole matrix, for many samples.
    start : {"spectral", "unit_rows", "random"} or array-like of shape (n_samples,), default="spectral"
        Section 3.1: k-means of the leading eigenvectors of M. An array gives clusters 0..n_clusters-1, each of which
        has a sample.
    n_starts : int, default=1
        Starts with other seeds; the one with the largest objective is kept.
    visit : {"index", "random"}, default="index"
        Order in which points are visited; the paper does not say.
    max_sweeps : int, default=100
        Largest number of passes over the points in one step; 1 moves each point once for each tree.
    max_iter : int, default=100
        Largest number of trees by which points are moved; where it ends the steps, one more is fitted to the result.
    random_state : int, RandomState instance or None, default=None
        Source of k-means' starts, random starts, orders and random trees.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples.
    n_clusters_ : int
        Clusters; fewer than ``n_clusters`` where the start has fewer, as where fewer samples are distinct.
    structure_ : ndarray of shape (`n_clusters_`, `n_clusters_`)
        Y, of unit norm in the sense of (5).
    distances_ : ndarray of shape (`n_clusters_`, `n_clusters_`)
        Between clusters, before a tree is fitted to them; their squares with ``tree_distance="square"``.
    tree_ : Hierarchy or None
        The tree of the clusters (its samples), with edge lengths; where its root is has no meaning.
    hierarchy_ : Hierarchy or None
        The same tree over the samples.
    tree_distances_ : ndarray of shape (`n_clusters_`, `n_clusters_`)
        Path lengths in the tree.
    residual_ : float
        Root of the sum of squared differences of the two, over pairs of clusters.
    least_eigenvalue_ : float
        Of the structure over its largest.
    objective_ : float
        (1) at the end.
    objective_path_ : ndarray
        (1) for the start with Y = I, then after each new structure and each new partition in turn: 1 + 2 ``n_iter_``
        entries, and one more for the last structure where ``max_iter`` ended the steps.
    trace_ : dict of str to ndarray
        ``seconds``, ``iterations`` and ``objective`` after each new partition.
    n_iter_ : int
        Trees by which points were moved.
    converged_ : bool
        Whether the last partition came back as it was. A partition that was there before, but not just before, would
        come back for ever; of that circle the one with the largest objective is kept.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    O(n^2) for the matrix, O(n k^2) a sweep and O(n) a move, beside the fits of trees to k x k distances. With ``rank``
    O(n rank^2) once and O(n k (rank + k)) a sweep; nothing of n x n is then formed. Without it, memory is that of one
    n x n matrix, beside X.

    A step that changes the structure does not raise (1) as a rule: the best structure is replaced by that of a tree
    near it.

    References
    ----------
    .. [1] M. B. Blaschko, A. Gretton, Learning taxonomies by dependence maximization, NIPS 2008.

    Examples
    --------
    >>> from cladebench.methods import NumericalTaxonomy
    >>> X = [[0, 0], [0, 1], [1, 9], [0, 9], [9, 0], [9, 1]]
    >>> method = NumericalTaxonomy(n_clusters=3, random_state=0).fit(X)
    >>> method.labels_.tolist(), method.converged_
    ([0, 0, 1, 1, 2, 2], True)
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        taxonomy: str = "search",
        tree_distance: str = "distance",
        clip: bool = False,
        kernel: str = "gaussian",
        width: float = 1.0,
        matrix: str = "kernel",
        rank: int | None = None,
        start: Any = "spectral",
        n_starts: int = 1,
        visit: str = "index",
        max_sweeps: int = 100,
        max_iter: int = 100,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.taxonomy = taxonomy
        self.tree_distance = tree_distance
        self.clip = clip
        self.kernel = kernel
        self.width = width
        self.matrix = matrix
        self.rank = rank
        self.start = start
        self.n_starts = n_starts
        self.visit = visit
        self.max_sweeps = max_sweeps
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("taxonomy", self.taxonomy, TAXONOMIES)
        check_choice("tree_distance", self.tree_distance, TREE_DISTANCES)
        check_flag("clip", self.clip)
        check_int("max_iter", self.max_iter, 1)

    def _raise(self, gram: CenteredGram, random: np.random.RandomState) -> np.ndarray:
        seed = int(random.randint(np.iinfo(np.int32).max))
        best = best_start(
            self, gram, random, lambda labels, order: self._alternate(gram, labels, order, seed)
        )
        labels, taxonomy, path, trace, converged = best
        self.structure_, self.distances_ = taxonomy.structure, taxonomy.distances
        self.least_eigenvalue_ = taxonomy.least_eigenvalue
        self.tree_ = self.hierarchy_ = None
        self.tree_distances_, self.residual_ = taxonomy.distances, 0.0
        if taxonomy.fit is not None:
            tree = taxonomy.fit.tree
            self.tree_, self.tree_distances_ = tree, taxonomy.fit.distances
            self.residual_ = taxonomy.fit.residual
            self.hierarchy_ = Hierarchy(tree.parents, tree.leaf_of[labels], edge_lengths=tree.edge_lengths)
        self.objective_ = dependence(gram, labels, self.structure_)
        self.objective_path_ = np.array(path)
        self.trace_ = {name: np.array([step[name] for step in trace]) for name in trace[0]}
        self.n_iter_, self.converged_ = len(trace), converged
        return labels

    def _alternate(
        self, gram: CenteredGram, start: np.ndarray, order: np.ndarray, seed: int
    ) -> tuple[float, tuple[np.ndarray, Taxonomy, list[float], list[dict[str, float]], bool]]:
        """Fit trees and move points in turn, from one start."""
        began = time.perf_counter()
        labels = by_first_member(start)
        k = int(labels.max()) + 1
        if not isinstance(self.start, str) and k < self.n_clusters:
            missing = np.setdiff1d(np.arange(self.n_clusters), start)
            raise ValueError(
                f"start has no sample in cluster {missing[0]}; expected one in each of {self.n_clusters}"
            )
        path = [dependence(gram, labels, np.eye(k))]
        trace: list[dict[str, float]] = []
        seen: dict[bytes, int] = {}  # partition -> its place in those met
        met: list[tuple[float, np.ndarray, Taxonomy]] = []
        converged = False
        while True:
            labels = by_first_member(labels)
            key = labels.tobytes()
            if key in seen:
                converged = seen[key] == len(met) - 1
                break
            taxonomy = self.taxonomy_of(gram, labels, seed)
            seen[key] = len(met)
            path.append(dependence(gram, labels, taxonomy.structure))
            met.append((path[-1], labels, taxonomy))
            if len(trace) == self.max_iter:
                break
            moved = greedy_partition(
                gram, taxonomy.structure, labels, order=order, max_sweeps=self.max_sweeps
            )
            path.append(float(moved.objective[-1]))
            trace.append(
                {
                    "seconds": time.perf_counter() - began,
                    "iterations": float(len(met)),
                    "objective": path[-1],
                }
            )
            labels = moved.labels
        circle = met[seen[key] :] if key in seen and not converged else met[-1:]
        value, labels, taxonomy = max(circle, key=lambda entry: entry[0])
        return value, (labels, taxonomy, path, trace, converged)

    def taxonomy_of(self, gram: CenteredGram, labels: np.ndarray, seed: int = 0) -> Taxonomy:
        """Fit the structure to a partition: one half of the algorithm.

        Parameters
        ----------
        gram : CenteredGram
        labels : ndarray of int64, shape (n,)
            Clusters 0..k-1, none empty.
        seed : int, default=0
            Draws the tree where ``taxonomy="random"``.
        """
        k = int(labels.max()) + 1
        best = optimal_structure(gram, labels, k)
        distances = structure_distances(best)
        if self.taxonomy == "none":
            return Taxonomy(distances, None, best, _least_eigenvalue(best))
        as_squares = self.tree_distance == "square"
        wanted = distances**2 if as_squares else distances
        n_starts = TREE_STARTS if k <= MANY_STARTS_UP_TO and self.taxonomy == "search" else 1
        fit = fit_tree_metric(wanted, topologies=self.taxonomy, n_starts=n_starts, random_state=seed)
        Y = distances_structure(fit.distances, squared=not as_squares)
        least = _least_eigenvalue(Y)
        if self.clip and least < 0.0:
            values, vectors = np.linalg.eigh(Y)
            Y = (vectors * np.maximum(values, 0.0)) @ vectors.T
        squared = squared_norm(np.bincount(labels, minlength=k), Y)
        Y = checked_structure(Y / np.sqrt(squared) if squared > 0.0 else np.zeros_like(Y), semidefinite=False)
        return Taxonomy(wanted, fit, Y, least)


def _least_eigenvalue(Y: np.ndarray) -> float:
    """Least eigenvalue over the largest.

    0 for a structure of zeros, and where rounding alone makes it negative.
    """
    values = np.linalg.eigvalsh(Y)
    if values[-1] <= 0.0:
        return 0.0
    share = float(values[0] / values[-1])
    return share if abs(share) > 1e-12 else 0.0
