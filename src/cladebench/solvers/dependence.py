"""Measure dependence of structured partitions on data: objective and halves.

This is numerical taxonomy clustering. With a centred Gram matrix M (n x n), the n x k matrix P of a partition and a
structure Y (k x k) the objective is tr(M P Y P') / |H P Y P' H|, equation (1) of the paper [1]_: HSIC, normalised by
what the clusters alone contribute. For a partition the best Y is known (8); for a structure the partition is improved
point by point.

References
----------
.. [1] M. B. Blaschko, A. Gretton, Learning taxonomies by dependence maximization, NIPS 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import cladebench._core as _core
from cladebench.solvers.gram import CenteredGram
from cladebench.validation import LARGEST_COUNT, as_floats, as_index, check_integer

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Of a structure: largest asymmetry, and largest negative eigenvalue, relative to its largest entry and eigenvalue.
SYMMETRIC, SEMIDEFINITE = 1e-8, 1e-8
#: Means of clusters whose Gram matrix has a norm below this share of the points' trace are equal.
EQUAL_MEANS = 1e-12


@dataclass(frozen=True, eq=False)
class GreedyPartition:
    """What `greedy_partition` found.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        Cluster of each point, by the rows of the structure.
    objective : ndarray of shape (n_sweeps + 1,)
        Before the first sweep and after each.
    moves : ndarray of int64, shape (n_sweeps,)
        Points that each sweep moved.
    converged : bool
        Whether no single move would raise the objective.
    """

    labels: IntArray
    objective: FloatArray
    moves: IntArray
    converged: bool


def checked_structure(structure: npt.ArrayLike, *, semidefinite: bool = True) -> FloatArray:
    """Check a structure of clusters.

    Parameters
    ----------
    structure : array-like of shape (k, k)
        Finite, symmetric to 1e-8 of its largest entry.
    semidefinite : bool, default=True
        Whether its centred form has to be positive semidefinite, which is what the objective sees of it.

    Returns
    -------
    ndarray of shape (k, k)
        Symmetric to the last bit.

    Raises
    ------
    ValueError
        If it is not what it has to be.
    """
    Y = as_floats("structure", structure)
    if Y.ndim != 2 or Y.shape[0] != Y.shape[1] or not len(Y):
        raise ValueError(f"structure has shape {Y.shape}; expected (n_clusters, n_clusters)")
    if not np.isfinite(Y).all():
        raise ValueError("structure contains NaN or infinity; expected finite numbers")
    largest = float(np.abs(Y).max())
    if np.abs(Y - Y.T).max() > SYMMETRIC * largest:
        raise ValueError(
            f"structure is not symmetric: it differs from its transpose by {np.abs(Y - Y.T).max():g}"
        )
    Y = (Y + Y.T) / 2.0
    if semidefinite:
        values = np.linalg.eigvalsh(centered(Y))
        if values[0] < -SEMIDEFINITE * max(values[-1], largest):
            raise ValueError(
                f"structure is not positive semidefinite: centred, its least eigenvalue is {values[0]:g}, its largest "
                f"{values[-1]:g}"
            )
    return Y


def centered(Y: FloatArray) -> FloatArray:
    """Give H Y H, H = I - 1 1' / k."""
    means = Y.mean(axis=0)
    return Y - means - means[:, None] + means.mean()


def dependence(
    gram: CenteredGram, labels: npt.ArrayLike, structure: npt.ArrayLike, *, normalized: bool = True
) -> float:
    """Compute the objective (1), or its numerator alone.

    Parameters
    ----------
    gram : CenteredGram
    labels : array-like of int, shape (n,)
        Clusters 0..k-1; some may be empty.
    structure : array-like of shape (k, k)
    normalized : bool, default=True
        False: the objective of Song et al. [1]_, which has no denominator.

    Returns
    -------
    float
        0 where the structure puts all points in one place. O(n^2 + k^3).

    References
    ----------
    .. [1] L. Song, A. Smola, A. Gretton, K. M. Borgwardt, A dependence maximization view of clustering, ICML 2007.
    """
    Y = checked_structure(structure, semidefinite=False)
    labels = _checked_labels(labels, gram.n, len(Y))
    numerator = float((gram.cluster_sums(labels, len(Y)) * Y).sum())
    if not normalized:
        return numerator
    squared = squared_norm(np.bincount(labels, minlength=len(Y)), Y)
    return numerator / float(np.sqrt(squared)) if squared > 0.0 else 0.0


def squared_norm(sizes: npt.ArrayLike, structure: FloatArray) -> float:
    """Compute the squared norm of H P Y P' H.

    It is tr(A Y A Y) with A = diag(n_a) - n n' / n.

    Parameters
    ----------
    sizes : array-like of shape (k,)
        Points in each cluster.
    structure : ndarray of shape (k, k)

    Returns
    -------
    float
        Exactly 0 where only rounding is left.
    """
    n = np.asarray(sizes, dtype=np.float64)
    # A is the same for Y less what it has in common with the largest cluster; small clusters do not drown in that.
    base = int(np.argmax(n))
    Y = structure - structure[base] - structure[:, base, None] + structure[base, base]
    AY = n[:, None] * Y - np.outer(n, n @ Y) / n.sum()
    squared = float((AY * AY.T).sum())
    scale = float((np.outer(n, n) * structure**2).sum())
    return squared if squared > 1e-14 * scale else 0.0


def optimal_structure(gram: CenteredGram, labels: npt.ArrayLike, n_clusters: int) -> FloatArray:
    """Compute the unit-norm structure (8) that maximises (1) for a partition.

    Parameters
    ----------
    gram : CenteredGram
    labels : array-like of int, shape (n,)
        Clusters 0..n_clusters-1, none empty.
    n_clusters : int

    Returns
    -------
    ndarray of shape (n_clusters, n_clusters)
        Centred, positive semidefinite, with |H P Y P' H| = 1; zeros where all clusters have one mean. It is the set
        kernel (9), centred and scaled.

    Raises
    ------
    ValueError
        If a cluster is empty.

    Notes
    -----
    As A (diag(1 / n_a) centred) = H, the pseudo-inverse in (8) is H diag(1 / n_a) H: no matrix is inverted. O(n^2).
    """
    labels = _checked_labels(labels, gram.n, n_clusters)
    sizes = np.bincount(labels, minlength=n_clusters)
    if not sizes.all():
        raise ValueError(
            f"cluster {int(np.argmin(sizes))} is empty; expected a point in each of {n_clusters}"
        )
    Y = centered(gram.cluster_sums(labels, n_clusters) / np.outer(sizes, sizes))
    norm = float(np.sqrt(squared_norm(sizes, Y)))
    # What is left of equal means is rounding of numbers as large as the trace.
    return Y / norm if norm > EQUAL_MEANS * gram.trace else np.zeros_like(Y)


def structure_distances(structure: FloatArray) -> FloatArray:
    """Compute the distances that a structure implies.

    It is D_ij = sqrt(Y_ii + Y_jj - 2 Y_ij) (section 4), and 0 where rounding goes below.
    """
    squares = np.diag(structure)[:, None] + np.diag(structure) - 2.0 * structure
    squares[squares <= 1e-14 * np.abs(structure).max(initial=0.0)] = 0.0
    np.fill_diagonal(squares, 0.0)
    return np.sqrt(np.maximum(squares, 0.0))


def distances_structure(distances: FloatArray, *, squared: bool = True) -> FloatArray:
    """Compute the structure of distances between clusters.

    It is Y = -1/2 H (D o D) H (section 4).

    Parameters
    ----------
    distances : ndarray of shape (k, k)
    squared : bool, default=True
        False: -1/2 H D H, in which distances count as squared ones. Of a tree it is then how much of their paths from a
        common point two leaves share, and always positive semidefinite; with squares it need not be.

    Returns
    -------
    ndarray of shape (k, k)
    """
    return -0.5 * centered(distances * distances if squared else distances)


def greedy_partition(
    gram: CenteredGram,
    structure: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    normalized: bool = True,
    order: npt.ArrayLike | None = None,
    max_sweeps: int = 100,
) -> GreedyPartition:
    """Raise the objective by moving one point at a time (CLUHSIC).

    It goes sweep by sweep [1]_.

    Parameters
    ----------
    gram : CenteredGram
    structure : array-like of shape (k, k)
        Symmetric; it need not be positive semidefinite.
    labels : array-like of int, shape (n,)
        Where the sweeps start: clusters 0..k-1. Empty ones may be entered.
    normalized : bool, default=True
        Raise (1); False: its numerator.
    order : array-like of int, shape (n,), optional
        In which points are visited; by default that of their indices.
    max_sweeps : int, default=100

    Returns
    -------
    GreedyPartition

    Raises
    ------
    ValueError
        If shapes do not fit or an index is out of range.

    Notes
    -----
    A point goes to the cluster with the largest objective, of least index among equals; gains that rounding could make
    are none. The last point of a cluster stays. A sweep takes O(n k^2 + m n) time for m moves, after O(n^2) for the
    first sums; from a factor O(n k (rank + k) + m rank).

    References
    ----------
    .. [1] L. Song, A. Smola, A. Gretton, K. M. Borgwardt, A dependence maximization view of clustering, ICML 2007.
    """
    Y = checked_structure(structure, semidefinite=False)
    check_integer("max_sweeps", max_sweeps, minimum=1)
    start = _checked_labels(labels, gram.n, len(Y))
    visited = np.arange(gram.n) if order is None else as_index("order", order)
    most = min(int(max_sweeps), LARGEST_COUNT)
    swept = _core.greedy_sweeps(gram.values, gram.is_factor, Y, start, visited, normalized, most)
    return GreedyPartition(*swept)


def _checked_labels(labels: npt.ArrayLike, n: int, n_clusters: int) -> IntArray:
    index = as_index("labels", labels)
    if len(index) != n:
        raise ValueError(f"labels has length {len(index)}; expected {n}, one for each point")
    if len(index) and not 0 <= index.min() <= index.max() < n_clusters:
        bad = index[(index < 0) | (index >= n_clusters)][0]
        raise ValueError(f"labels contains {bad}; expected clusters 0..{n_clusters - 1}")
    return index


def objective_bound(gram: CenteredGram, n_clusters: int) -> float:
    """Bound (1) over all partitions and structures from above.

    The bound is the norm of the k - 1 largest eigenvalues.

    Notes
    -----
    H P Y P' H has unit norm and rank k - 1 at most; of such matrices none has a larger product with M (von Neumann).
    """
    values, _ = gram.top_eigenvectors(max(1, n_clusters - 1))
    return float(np.sqrt(np.square(values).sum()))
