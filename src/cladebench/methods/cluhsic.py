"""Clustering by dependence on a given structure (CLUHSIC)."""

from __future__ import annotations

from typing import Any

import numpy as np

from cladebench.methods._dependence import DependenceClusterer, best_start
from cladebench.methods._structures import TRUNCATIONS, structure_matrix
from cladebench.solvers.dependence import greedy_partition
from cladebench.solvers.gram import CenteredGram
from cladebench.validation import check_choice, check_flag


class CLUHSIC(DependenceClusterer):
    """Find clusters that depend on the data most, given a structure.

    It is the baseline of the taxonomy paper (section 5.1). Greedy moves of single points raise tr(H K H P Y P') over
    the partition P [1]_.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    structure : str, Hierarchy or array-like of shape (n_clusters, n_clusters), default="star"
        "star" (Y = I but for what no objective sees), "caterpillar", "2-ary", "3-ary", ...; a tree whose samples are
        the clusters, with edges of length 1 where it has no lengths; or Y itself.
    truncation : {"pruned", "filled"}, default="pruned"
        How an n-ary tree is cut to ``n_clusters`` leaves; the paper does not say.
    squared : bool, default=True
        Y = -1/2 H (D o D) H of the path lengths D, as in the paper's algorithm; False: -1/2 H D H. The paper does not
        say which it takes for the given structures.
    normalized : bool, default=False
        Divide by the norm of what the clusters alone contribute, as equation (1) does and CLUHSIC does not.
    kernel : {"gaussian", "linear", "precomputed"}, default="gaussian"
        Section 5. With "precomputed" X is the kernel matrix.
    width : float, default=1.0
        The Gaussian is exp(-d^2 / (width m)), m the median squared distance ("normalization parameter set to the median
        squared distance", section 5).
    matrix : {"kernel", "normalized_cut"}, default="kernel"
        M of section 3: the kernel matrix or D^-1/2 A D^-1/2 of it; both centred.
    rank : int, optional
        Columns of an incomplete Cholesky factor instead of the whole matrix, for many samples.
    start : {"spectral", "unit_rows", "random"} or array-like of shape (n_samples,), default="spectral"
        Section 3.1: k-means of the leading eigenvectors of M. An array gives clusters 0..n_clusters-1; empty ones may
        be entered.
    n_starts : int, default=1
        Starts with other seeds; the one with the largest objective is kept.
    visit : {"index", "random"}, default="index"
        Order in which points are visited; the papers do not say.
    max_sweeps : int, default=100
        Largest number of passes over the points.
    random_state : int, RandomState instance or None, default=None
        Source of k-means' starts, random starts and orders.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples.
    n_clusters_ : int
        Clusters that have samples.
    structure_ : ndarray of shape (n_clusters, n_clusters)
        Y, for the clusters as ``places_`` numbers them.
    places_ : ndarray of shape (n_samples,)
        Row of the structure of each sample: clusters have places in it, which ``labels_`` does not say.
    objective_ : float
        What was raised, at the end.
    objective_path_ : ndarray
        Before the first sweep and after each.
    n_iter_ : int
        Sweeps.
    converged_ : bool
        Whether no single move raises the objective.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    O(n^2) for the matrix and the first sums, O(n k^2) a sweep and O(n) a move; with ``rank`` O(n rank^2),
    O(n k (rank + k)) and O(rank).

    References
    ----------
    .. [1] L. Song, A. Smola, A. Gretton, K. M. Borgwardt, A dependence maximization view of clustering, ICML 2007.

    Examples
    --------
    >>> from cladebench.methods import CLUHSIC
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> CLUHSIC(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        structure: Any = "star",
        truncation: str = "pruned",
        squared: bool = True,
        normalized: bool = False,
        kernel: str = "gaussian",
        width: float = 1.0,
        matrix: str = "kernel",
        rank: int | None = None,
        start: Any = "spectral",
        n_starts: int = 1,
        visit: str = "index",
        max_sweeps: int = 100,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.structure = structure
        self.truncation = truncation
        self.squared = squared
        self.normalized = normalized
        self.kernel = kernel
        self.width = width
        self.matrix = matrix
        self.rank = rank
        self.start = start
        self.n_starts = n_starts
        self.visit = visit
        self.max_sweeps = max_sweeps
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("truncation", self.truncation, TRUNCATIONS)
        check_flag("squared", self.squared)
        check_flag("normalized", self.normalized)
        structure_matrix(self.structure, self.n_clusters, truncation=self.truncation)

    def _raise(self, gram: CenteredGram, random: np.random.RandomState) -> np.ndarray:
        Y = structure_matrix(
            self.structure, self.n_clusters, truncation=self.truncation, squared=self.squared
        )

        def run(labels: np.ndarray, order: np.ndarray) -> tuple[float, Any]:
            partition = greedy_partition(
                gram, Y, labels, normalized=self.normalized, order=order, max_sweeps=self.max_sweeps
            )
            return float(partition.objective[-1]), partition

        best = best_start(self, gram, random, run)
        self.structure_, self.places_ = Y, best.labels
        self.objective_path_ = best.objective
        self.objective_ = float(best.objective[-1])
        self.n_iter_, self.converged_ = len(best.moves), best.converged
        return np.asarray(best.labels)
