"""Give kernel matrices and starts of numerical taxonomy clustering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.spatial.distance import cdist

from cladebench.class_labels import by_first_member
from cladebench.methods._kmeans import kmeans_labels
from cladebench.methods._median import median_square
from cladebench.solvers.gram import (
    CenteredGram,
    center,
    center_factor,
    checked_kernel,
    incomplete_cholesky,
    normalized_cut,
    normalized_cut_factor,
)
from cladebench.validation import check_choice, check_int, check_real, check_scale

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

KERNELS = ("gaussian", "linear", "precomputed")
MATRICES = ("kernel", "normalized_cut")
STARTS = ("spectral", "unit_rows", "random")
#: With a low rank the median distance is that of so many rows at most.
MEDIAN_ROWS = 2_000
#: Similarities below exp of this are raised to it: a sample far from all others keeps a positive degree.
LEAST_EXPONENT = -300.0
#: Squared distances below this share of the squared norms that they are the difference of are rounding.
ROUNDING = 1e-13
#: Rows of a sparse X that are dense at a time.
BLOCK = 256
#: Rows of their products that become squared distances at a time.
STRIP = 32


def check_kernel_parameters(kernel: Any, width: Any, matrix: Any, rank: Any) -> None:
    """Raise a ValueError unless they are what `gram_matrix` takes."""
    check_choice("kernel", kernel, KERNELS)
    check_choice("matrix", matrix, MATRICES)
    check_real("width", width, 0.0, open_minimum=True)
    if rank is not None:
        check_int("rank", rank, 1)
        if kernel == "precomputed":
            raise ValueError(f"rank={rank!r}; expected None for a precomputed kernel")


def gram_matrix(
    X: Any, *, kernel: str, width: float, matrix: str, rank: int | None, random: np.random.RandomState
) -> CenteredGram:
    """Make the centred matrix H M H (section 3).

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        With ``kernel="precomputed"`` the kernel matrix.
    kernel : {"gaussian", "linear", "precomputed"}
        "gaussian": exp(-d^2 / (width m)) with m the median squared distance of two rows (section 5).
    width : float
    matrix : {"kernel", "normalized_cut"}
        M is the kernel matrix, or D^-1/2 A D^-1/2 with that matrix as A.
    rank : int or None
        Columns of an incomplete Cholesky factor; None for the whole matrix.
    random : RandomState
        Draws the rows of which the median is taken, where there is a rank.

    Raises
    ------
    ValueError
        If a precomputed kernel is not finite, symmetric and positive semidefinite, distances would overflow, or a
        degree is not positive.
    """
    if kernel != "precomputed":
        check_scale(X)
    most = X.shape[0] - 1 if rank is None else rank
    if kernel == "linear" and not sparse.issparse(X) and X.shape[1] <= most:  # X is a factor itself
        factor = X if matrix == "kernel" else normalized_cut_factor(X)
        return center_factor(factor)
    if rank is not None:
        factor = incomplete_cholesky(*_columns(X, kernel, width, random), rank)
        return center_factor(factor if matrix == "kernel" else normalized_cut_factor(factor))
    K = kernel_matrix(X, kernel, width)
    is_ours = kernel != "precomputed"  # else it may be the user's
    return center(
        K if matrix == "kernel" else normalized_cut(K, overwrite=is_ours), overwrite=is_ours or K is not X
    )


def kernel_matrix(X: Any, kernel: str, width: float) -> FloatArray:
    """Compute the kernel matrix; parameters as in `gram_matrix`."""
    if kernel == "precomputed":
        return checked_kernel(X)
    if kernel == "linear":
        return _products(X) if sparse.issparse(X) else X @ X.T
    squares = squared_distances(X)
    return _gaussian(squares, width * median_square(squares))


def _gaussian(squares: FloatArray, scale: float) -> FloatArray:
    """Compute exp(-squares / scale) in the place of the squares."""
    np.divide(squares, -scale, out=squares)
    np.maximum(squares, LEAST_EXPONENT, out=squares)
    return np.exp(squares, out=squares)


def squared_distances(X: Any) -> FloatArray:
    """Compute squared Euclidean distances of all pairs of rows.

    O(n^2) memory, a sparse X stays sparse.
    """
    if not sparse.issparse(X):
        return np.asarray(cdist(X, X, "sqeuclidean"))
    squares = _products(X)
    norms = np.diag(squares).copy()
    for start in range(0, len(squares), STRIP):
        rows = slice(start, start + STRIP)
        squares[rows] = _expanded_squares(norms[rows, None] + norms, squares[rows])
    np.fill_diagonal(squares, 0.0)
    return squares


def _expanded_squares(norms: FloatArray, products: FloatArray) -> FloatArray:
    """Compute |x|^2 + |z|^2 - 2 x'z, exactly 0 for equal rows.

    A median would take rounding for a distance.
    """
    squares = norms - 2.0 * products
    squares[squares <= ROUNDING * norms] = 0.0
    return squares


def _products(X: Any) -> FloatArray:
    products = np.empty((X.shape[0], X.shape[0]))
    for start in range(0, X.shape[0], BLOCK):
        rows = slice(start, start + BLOCK)
        products[:, rows] = X @ X[rows].toarray().T
    return products


def _columns(
    X: Any, kernel: str, width: float, random: np.random.RandomState
) -> tuple[Callable[[int], FloatArray], FloatArray]:
    """The columns of the kernel matrix as a function, and its diagonal."""
    n = X.shape[0]
    norms = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else np.square(X).sum(axis=1)
    if kernel == "linear":
        return (lambda i: _product(X, i)), norms
    rows = random.permutation(n)[:MEDIAN_ROWS] if n > MEDIAN_ROWS else np.arange(n)
    scale = width * median_square(squared_distances(X[np.sort(rows)]))

    def column(i: int) -> FloatArray:
        if sparse.issparse(X):
            squares = _expanded_squares(norms + norms[i], _product(X, i))
            squares[i] = 0.0
        else:
            squares = np.square(X - X[i]).sum(axis=1)
        return _gaussian(squares, scale)

    return column, np.ones(n)


def _product(X: Any, i: int) -> FloatArray:
    return np.asarray(X @ (X[[i]].toarray().ravel() if sparse.issparse(X) else X[i])).ravel()


def start_labels(gram: CenteredGram, n_clusters: int, start: str, random: np.random.RandomState) -> IntArray:
    """Give the partition that greedy sweeps begin with.

    Parameters
    ----------
    gram : CenteredGram
    n_clusters : int
    start : {"spectral", "unit_rows", "random"}
        "spectral": k-means (10 starts) of the rows of the leading eigenvectors (section 3.1); "unit_rows": of these
        rows at unit length; "random": clusters of nearly equal size.
    random : RandomState

    Returns
    -------
    ndarray of int64, shape (n,)
        Clusters numbered by their first points, none empty; fewer than asked for where fewer rows are distinct.
    """
    seed = int(random.randint(np.iinfo(np.int32).max))
    if start == "random":
        return by_first_member(np.random.RandomState(seed).permutation(gram.n) % n_clusters)
    _, rows = gram.top_eigenvectors(n_clusters)
    if not rows.shape[1]:  # all points are equal
        return np.zeros(gram.n, dtype=np.int64)
    if start == "unit_rows":
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / np.where(lengths > 0, lengths, 1.0)
    return kmeans_labels(rows, n_clusters, n_init=10, seed=seed)[0]
