"""Centred Gram matrices: dense, or as a factor of low rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator, eigsh

from cladebench.distance_matrix import unlike
from cladebench.validation import as_floats, check_int

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Largest difference of a kernel matrix and its transpose, and largest negative eigenvalue, relative to the largest
#: entry and eigenvalue.
SYMMETRIC, SEMIDEFINITE = 1e-8, 1e-8
#: Rows of a matrix that are compared with its columns at a time.
STRIP = 512
#: Eigenvalues below this share of the largest are rounding.
RANK = 1e-10
#: So are centred numbers that are all below this share of the largest before: the points are equal.
EQUAL = 16.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class CenteredGram:
    """Hold H M H for a positive semidefinite M.

    H is I - 1 1' / n.

    Parameters
    ----------
    values : ndarray of shape (n, n) or (n, rank)
        The centred matrix, or a factor F of centred columns: the matrix is then F F'.
    is_factor : bool
        Which of the two.
    """

    values: FloatArray
    is_factor: bool

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.values)

    @property
    def trace(self) -> float:
        """Sum eigenvalues: n times the points' variance in the feature space."""
        return float(np.square(self.values).sum() if self.is_factor else np.trace(self.values))

    def rows(self, index: IntArray) -> CenteredGram:
        """Give the matrix of some of the points, centred among them."""
        if self.is_factor:
            return center_factor(self.values[index])
        return center(self.values[np.ix_(index, index)])

    def cluster_sums(self, labels: IntArray, n_clusters: int) -> FloatArray:
        """Sum the entries over pairs of clusters.

        Parameters
        ----------
        labels : ndarray of int64, shape (n,)
        n_clusters : int
            More than the largest label.

        Returns
        -------
        ndarray of shape (n_clusters, n_clusters)
            S_ab = sum of the matrix over C_a x C_b. O(n^2) from the matrix, O(n rank + n_clusters^2 rank) from a
            factor.
        """
        sums = np.zeros((n_clusters, self.values.shape[1]))
        if self.is_factor:
            for c in range(n_clusters):
                sums[c] = self.values[labels == c].sum(axis=0)
            return sums @ sums.T
        # One by one: a copy of a cluster's rows may be one of the whole matrix.
        for c, row in zip(labels, self.values, strict=True):
            sums[c] += row
        S = np.stack([sums[:, labels == c].sum(axis=1) for c in range(n_clusters)], axis=1)
        return (S + S.T) / 2.0

    def top_eigenvectors(self, n_vectors: int) -> tuple[FloatArray, FloatArray]:
        """Compute eigenvectors of the largest eigenvalues.

        Parameters
        ----------
        n_vectors : int
            At least 1. At most n - 1 are given, as the constant vector belongs to the eigenvalue 0.

        Returns
        -------
        values : ndarray of shape (m,)
            Descending; those that are 0 but for rounding are left out, with their vectors.
        vectors : ndarray of shape (n, m)
            Orthonormal.

        Notes
        -----
        By Lanczos' method (ARPACK) from a fixed start, O(n^2 n_vectors) a restart; from a factor by its singular
        values, O(n rank^2). LAPACK where nearly all vectors are asked for.
        """
        wanted = min(n_vectors, self.n - 1)
        if wanted < 1:
            return np.empty(0), np.empty((self.n, 0))
        if self.is_factor:
            squares, right = np.linalg.eigh(self.values.T @ self.values)
            values, right = squares[::-1][:wanted], right[:, ::-1][:, :wanted]
            kept = values > RANK * values.max(initial=0.0)  # a factor of zeros may have no column
            return values[kept], (self.values @ right[:, kept]) / np.sqrt(values[kept])
        values, vectors = top_eigenvectors(self.values, wanted)
        kept = values > RANK * values.max(initial=0.0)
        return values[kept], vectors[:, kept]


def top_eigenvectors(M: FloatArray, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Compute descending eigenpairs by Lanczos, or LAPACK where M is small."""
    if len(M) <= max(64, 3 * n_vectors):
        values, vectors = np.linalg.eigh(M)
    else:
        values, vectors = _lanczos(M, n_vectors)
    return values[::-1][:n_vectors], vectors[:, ::-1][:, :n_vectors]


def _lanczos(M: FloatArray, n_vectors: int, which: str = "LA") -> tuple[FloatArray, FloatArray]:
    """Eigenpairs at one end of the spectrum, ascending."""
    n = len(M)
    if not M.any():  # of equal points; ARPACK raises an error
        return np.zeros(n_vectors), np.eye(n)[:, :n_vectors]
    values, vectors = eigsh(
        LinearOperator((n, n), matvec=lambda x: M @ x, dtype=np.float64),
        n_vectors,
        which=which,
        v0=np.random.default_rng(0).standard_normal(n),
        ncv=min(n, max(2 * n_vectors + 1, 40)),
    )
    order = np.argsort(values)
    return values[order], vectors[:, order]


def center(M: FloatArray, *, overwrite: bool = False) -> CenteredGram:
    """Centre a symmetric matrix to H M H, 0 for equal points.

    Parameters
    ----------
    M : ndarray of shape (n, n)
    overwrite : bool, default=False
        Whether M may be written over; then nothing else of its size is needed.
    """
    largest = _largest(M)
    centred = M if overwrite else M.copy()
    centred -= M[0, 0]  # of equal numbers nothing is left, which their mean may miss by its last bit
    means = centred.mean(axis=0)
    centred -= means
    centred -= means[:, None]
    centred += means.mean()
    if _largest(centred) <= EQUAL * largest:
        centred[:] = 0.0
    _symmetrise(centred)
    return CenteredGram(centred, False)


def _largest(M: FloatArray) -> float:
    """Give the largest absolute value, without a second matrix."""
    return max(float(M.max()), -float(M.min()))


def _symmetrise(M: FloatArray, block: int = 512) -> None:
    """Average a matrix and its transpose in place, block by block."""
    for i in range(0, len(M), block):
        for j in range(0, i + 1, block):
            rows, columns = slice(i, i + block), slice(j, j + block)
            mean = (M[rows, columns] + M[columns, rows].T) / 2.0
            M[rows, columns], M[columns, rows] = mean, mean.T


def center_factor(factor: FloatArray) -> CenteredGram:
    """Centre F F' by the columns of F.

    A column of equal numbers is exactly 0.
    """
    shifted = factor - factor[0]
    centred = shifted - shifted.mean(axis=0)
    centred[:, np.abs(centred).max(axis=0) <= EQUAL * np.abs(factor).max(axis=0)] = 0.0
    return CenteredGram(np.ascontiguousarray(centred), True)


def checked_kernel(K: Any, *, semidefinite: bool = True) -> FloatArray:
    """Check a kernel matrix that a user hands over.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Finite, symmetric to 1e-8 of its largest entry.
    semidefinite : bool, default=True
        Whether its eigenvalues have to be above -1e-8 times the largest.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric to the last bit.

    Raises
    ------
    ValueError
        If K is not what it has to be; it names the entry or the eigenvalue.
    """
    K = as_floats("kernel", K)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not len(K):
        raise ValueError(f"kernel has shape {K.shape}; expected (n_samples, n_samples)")
    if not np.isfinite(K).all():
        at = tuple(map(int, np.argwhere(~np.isfinite(K))[0]))
        raise ValueError(f"kernel{list(at)} is {K[at]}; expected finite numbers")
    largest = float(np.abs(K).max())
    for start in range(0, len(K), STRIP):
        strip = slice(start, start + STRIP)
        gap = np.abs(K[strip] - K[:, strip].T)
        if gap.max() > SYMMETRIC * largest:
            raise ValueError(f"{unlike('kernel', K, np.abs(K - K.T))}; expected a symmetric matrix")
    K = (K + K.T) / 2.0
    if semidefinite:
        least, most = _extreme_eigenvalues(K)
        if least < -SEMIDEFINITE * max(most, 0.0) or most < 0.0:
            raise ValueError(
                f"kernel is not positive semidefinite: its least eigenvalue is {least:g}, its largest {most:g}"
            )
    return K


def _extreme_eigenvalues(K: FloatArray) -> tuple[float, float]:
    if len(K) <= 64:
        values = np.linalg.eigvalsh(K)
        return float(values[0]), float(values[-1])
    return float(_lanczos(K, 1, "SA")[0][0]), float(_lanczos(K, 1)[0][0])


def normalized_cut(A: FloatArray, *, overwrite: bool = False) -> FloatArray:
    """Scale similarities by degrees: D^-1/2 A D^-1/2 (taxonomy paper, section 3.1).

    Parameters
    ----------
    A : ndarray of shape (n, n)
        Symmetric.
    overwrite : bool, default=False
        Whether the result may take the place of A.

    Raises
    ------
    ValueError
        If a degree is not positive.
    """
    scale = 1.0 / np.sqrt(checked_degrees(A.sum(axis=1)))
    scaled = np.multiply(A, scale, out=A if overwrite else None)
    return np.multiply(scaled, scale[:, None], out=scaled)


def normalized_cut_factor(factor: FloatArray) -> FloatArray:
    """Scale the rows of F as normalized cuts do.

    F F' becomes D^-1/2 F F' D^-1/2; ValueError if a degree is not positive.
    """
    degrees = checked_degrees(factor @ factor.sum(axis=0))
    return factor / np.sqrt(degrees)[:, None]


def checked_degrees(degrees: FloatArray) -> FloatArray:
    """Give the degrees; ValueError unless all are positive."""
    if not (degrees > 0).all():
        i = int(np.argmax(~(degrees > 0)))
        raise ValueError(
            f"similarities of sample {i}: their sum is {degrees[i]:g}; expected a positive one, the divisor of the cut"
        )
    return degrees


def incomplete_cholesky(column: Any, diagonal: FloatArray, rank: int, *, tol: float = 1e-12) -> FloatArray:
    """Approximate a positive semidefinite matrix by F F', pivot by pivot.

    Parameters
    ----------
    column : callable
        ``column(i)`` gives column i of the matrix, shape (n,).
    diagonal : ndarray of shape (n,)
    rank : int
        Largest number of columns of F.
    tol : float, default=1e-12
        Ends when what is left of the trace is below this share of it.

    Returns
    -------
    ndarray of shape (n, r), r <= rank
        The matrix less F F' is positive semidefinite, and 0 in the rows of the pivots.

    Notes
    -----
    The pivot is the point with most of its diagonal left, the first among equals [1]_. O(n rank^2) time, O(n rank)
    memory, and ``rank`` columns of the matrix are computed.

    References
    ----------
    .. [1] S. Fine, K. Scheinberg, Efficient SVM training using low-rank kernel representations, JMLR 2 (2001).
    """
    check_int("rank", rank, 1)
    left = diagonal.astype(np.float64).copy()
    total = float(left.sum())
    rows = np.zeros((min(rank, len(left)), len(left)))  # F': a pivot adds a row, which is contiguous
    for r in range(len(rows)):
        pivot = int(np.argmax(left))
        if left[pivot] <= 0.0 or left.sum() <= tol * total:
            return np.ascontiguousarray(rows[:r].T)
        row = (column(pivot) - rows[:r, pivot] @ rows[:r]) / np.sqrt(left[pivot])
        rows[r] = row
        left = np.maximum(left - row * row, 0.0)
        left[pivot] = 0.0
    return np.ascontiguousarray(rows.T)
