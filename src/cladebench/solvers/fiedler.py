"""Compute Fiedler vectors, the Laplacian's next to the constant one."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy import sparse

# Up to this size LAPACK is faster than the iteration.
DENSE_SIZE = 200


def fiedler_vectors(
    S: Any,
    n_vectors: int = 1,
    *,
    start: np.ndarray | None = None,
    degrees: np.ndarray | None = None,
    tol: float = 1e-4,
    max_iter: int = 40,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the Laplacian's eigenvectors next to the constant one.

    They are those of its smallest eigenvalues but the first.

    Parameters
    ----------
    S : ndarray or sparse matrix of shape (n, n)
        Symmetric weights, not negative, n >= 2; the diagonal must be zero (beside a diagonal of ones, small
        weights would lose their digits).
    n_vectors : int, default=1
        Vectors wanted, at most n - 1. Only the first is iterated to the tolerance.
    start : ndarray of shape (n, k), optional
        Guesses, such as the vectors of a graph that was slightly larger.
    degrees : ndarray of shape (n,), optional
        Row sums of S, where they are known already.
    tol : float, default=1e-4
        Stops when the first vector's residual is below ``tol`` times its eigenvalue (or below rounding).
    max_iter : int, default=40
        Largest number of products with S. A graph that is almost disconnected (some similarities 1e-10 times
        others) may reach it; the sweep makes up for it, as its cuts then cost next to nothing.

    Returns
    -------
    values : ndarray of shape (n_vectors,)
        Ascending. Ritz values: upper bounds of the eigenvalues.
    vectors : ndarray of shape (n, n_vectors)
        Orthonormal, orthogonal to the constant vector. The sign is such that the entry largest in magnitude
        (the first among equals) is positive.

    Notes
    -----
    Up to 200 vertices by LAPACK. Beyond, by a block Davidson iteration: Rayleigh-Ritz on a growing basis of
    residuals, each divided by (degree - eigenvalue), which finds weakly attached vertices (the usual reason
    for a small eigenvalue in a dense similarity graph) in few steps. Deterministic: the start vectors are
    fixed.
    """
    n = S.shape[0]
    n_vectors = min(n_vectors, n - 1)
    if n <= DENSE_SIZE:
        values, vectors = _lapack(S.toarray() if sparse.issparse(S) else S, n_vectors)
    else:
        if degrees is None:
            degrees = np.asarray(S.sum(axis=1)).ravel()
        values, vectors = _davidson(S, degrees, n_vectors, start, tol, max_iter)
    largest = np.abs(vectors).argmax(axis=0)
    return values, vectors * np.where(vectors[largest, np.arange(n_vectors)] < 0, -1.0, 1.0)


def _lapack(S: np.ndarray, n_vectors: int) -> tuple[np.ndarray, np.ndarray]:
    n = len(S)
    degrees = S.sum(axis=1)
    # The constant vector is moved from the eigenvalue 0 to one above all others (these are <= 2 max degree).
    shift = 4.0 * degrees.max() if degrees.max() > 0 else 1.0
    matrix = shift / n - S
    np.fill_diagonal(matrix, degrees + shift / n)
    values, vectors = scipy.linalg.eigh(matrix, subset_by_index=(0, n_vectors - 1))
    return np.maximum(values, 0.0), vectors


def _davidson(
    S: Any, degrees: np.ndarray, n_vectors: int, start: np.ndarray | None, tol: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    n = S.shape[0]
    rounding = 1e-12 * float(degrees.max())

    def laplacian(X: np.ndarray) -> np.ndarray:
        return degrees[:, None] * X - S @ X

    # Weakly attached vertices, and fixed vectors that no symmetry of the data is likely to share.
    weak = np.argsort(degrees, kind="stable")[:n_vectors]
    guess = np.zeros((n, 2 * n_vectors))
    guess[weak, np.arange(n_vectors)] = 1.0
    guess[:, n_vectors:] = np.random.default_rng(0).standard_normal((n, n_vectors))
    new = guess if start is None else np.column_stack([start, guess[:, :n_vectors]])
    basis = np.empty((n, 0))
    products = np.empty((n, 0))
    widest = max(10 * n_vectors, new.shape[1] + 4 * n_vectors)
    values, vectors = np.zeros(n_vectors), np.zeros((n, n_vectors))
    for _ in range(max_iter):
        new = _orthonormal(new, basis)
        if new.shape[1] == 0:
            break
        basis = np.column_stack([basis, new])
        products = np.column_stack([products, laplacian(new)])
        ritz, mixing = np.linalg.eigh(basis.T @ products)
        values, vectors = ritz[:n_vectors], basis @ mixing[:, :n_vectors]
        residuals = products @ mixing[:, :n_vectors] - vectors * values
        sizes = np.linalg.norm(residuals, axis=0)
        if sizes[0] <= max(tol * values[0], rounding):
            break
        if basis.shape[1] + n_vectors > widest:
            keep = mixing[:, : 3 * n_vectors]
            basis, products = basis @ keep, products @ keep
        gaps = degrees[:, None] - values
        gaps[np.abs(gaps) < rounding] = rounding
        new = residuals[:, sizes > rounding] / gaps[:, sizes > rounding]
    return np.maximum(values, 0.0), vectors


def _orthonormal(X: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Make an orthonormal basis of what X adds to basis and constant."""
    norms = np.linalg.norm(X, axis=0)
    X = X[:, norms > 0] / norms[norms > 0]
    for _ in range(2):  # twice is enough
        X = X - X.mean(axis=0)
        X = X - basis @ (basis.T @ X)
        norms = np.linalg.norm(X, axis=0)
        X = X[:, norms > 1e-10] / norms[norms > 1e-10]
        Q, R, _ = scipy.linalg.qr(X, mode="economic", pivoting=True)
        X = Q[:, : int((np.abs(np.diag(R)) > 1e-10).sum())]
    return X
