"""Spectral clustering of a kernel matrix (Ng, Jordan and Weiss)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from cladebench.methods._kernel import check_kernel_parameters, kernel_matrix
from cladebench.methods._kmeans import kmeans_labels
from cladebench.methods.base import Clusterer
from cladebench.solvers.gram import center, normalized_cut, top_eigenvectors
from cladebench.validation import check_flag, check_int, check_scale


class KernelSpectral(Clusterer):
    """Cluster leading eigenvectors of a scaled kernel by k-means [1]_.

    The matrix is D^-1/2 A D^-1/2; the rows of its eigenvectors have unit length.

    The baseline "spectral" of the taxonomy paper (section 5.1). `SpectralClustering` of this package is the same on a
    sparse graph of neighbours.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, and of eigenvectors.
    kernel : {"gaussian", "linear", "precomputed"}, default="gaussian"
        The similarity A; with "precomputed" X is A.
    width : float, default=1.0
        The Gaussian is exp(-d^2 / (width m)), m the median squared distance: the one kernel that the taxonomy paper
        names (section 5). In [1]_ the width is searched.
    matrix : {"normalized_cut", "kernel"}, default="normalized_cut"
        Whose eigenvectors are taken: D^-1/2 A D^-1/2, or A itself.
    centered : bool, default=False
        Whether the matrix is centred. Of the centred kernel without unit rows this is the relaxation with which
        numerical taxonomy clustering starts (section 3.1), with ``zero_diagonal=False``.
    zero_diagonal : bool, default=True
        Whether A_ii = 0 (step 1 of [1]_).
    unit_rows : bool, default=True
        Whether rows of eigenvectors are brought to unit length (step 4 of [1]_).
    n_init : int, default=10
        Starts of k-means; the papers do not say.
    random_state : int, RandomState instance or None, default=None
        Source of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by their first samples.
    n_clusters_ : int
        Clusters that have samples.
    n_features_in_ : int
        Number of features seen by `fit`.

    Notes
    -----
    O(n^2) memory, O(n^2 n_clusters) for each restart of Lanczos' method.

    References
    ----------
    .. [1] A. Y. Ng, M. I. Jordan, Y. Weiss, On spectral clustering: analysis and an algorithm, NIPS 2001.

    Examples
    --------
    >>> from cladebench.methods import KernelSpectral
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0]]
    >>> KernelSpectral(n_clusters=2, random_state=0).fit(X).labels_.tolist()
    [0, 0, 1, 1, 1]
    """

    takes_sparse = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "gaussian",
        width: float = 1.0,
        matrix: str = "normalized_cut",
        centered: bool = False,
        zero_diagonal: bool = True,
        unit_rows: bool = True,
        n_init: int = 10,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.width = width
        self.matrix = matrix
        self.centered = centered
        self.zero_diagonal = zero_diagonal
        self.unit_rows = unit_rows
        self.n_init = n_init
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_kernel_parameters(self.kernel, self.width, self.matrix, None)
        check_flag("centered", self.centered)
        check_flag("zero_diagonal", self.zero_diagonal)
        check_flag("unit_rows", self.unit_rows)
        check_int("n_init", self.n_init, 1)

    def _cluster(self, X: np.ndarray, y: np.ndarray | None) -> np.ndarray:
        if self.kernel != "precomputed":
            check_scale(X)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        A = kernel_matrix(X, self.kernel, self.width)
        if self.n_clusters == 1 or np.ptp(A) == 0.0:  # all samples are equal
            return np.zeros(len(A), dtype=np.int64)
        if self.zero_diagonal:
            np.fill_diagonal(A, 0.0)
        M = normalized_cut(A) if self.matrix == "normalized_cut" else A
        _, rows = (
            center(M).top_eigenvectors(self.n_clusters)
            if self.centered
            else top_eigenvectors(M, self.n_clusters)
        )
        if self.unit_rows:
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            rows = rows / np.where(lengths > 0, lengths, 1.0)
        return kmeans_labels(rows, self.n_clusters, n_init=self.n_init, seed=seed)[0]

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that X may be a matrix of pairs."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
