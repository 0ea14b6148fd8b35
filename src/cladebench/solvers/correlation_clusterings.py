r"""Correlation clustering: the partition that keeps most similarity together.

The number of clusters comes out.

With similarities of either sign, a partition's value is the sum of s_pq over the unordered pairs {p, q} in one cluster.
Each point on its own has the value 0. In the linear relaxation each pair has a share x_pq of being together [1]_:

.. math::
    \max_{x} \sum_{p < q} s_{pq} x_{pq}, \quad 0 \le x_{pq} \le 1, \quad x_{pq} + x_{qr} - x_{pr} \le 1 .

Any multipliers m >= 0 of the triangle inequalities prove a bound of all partitions:

.. math:: \sum_t m_t + \sum_{p < q} \max\Bigl(0, s_{pq} - \sum_{t \ni pq} \pm m_t\Bigr),

plus for the two sides of a triangle, minus for the pair across.

References
----------
.. [1] M. Charikar, V. Guruswami, A. Wirth, Clustering with qualitative information, FOCS 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from cladebench import _core
from cladebench.class_labels import by_first_member
from cladebench.distance_matrix import unlike
from cladebench.validation import as_floats, check_choice, check_int, check_real, check_seed

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

METHODS = ("relaxation", "greedy")
#: Largest difference between the similarity and its transpose, relative to the largest entry.
ASYMMETRY = 1e-8


@dataclass(frozen=True, eq=False)
class CorrelationClustering:
    """Hold a partition, and a bound on the best one.

    Attributes
    ----------
    labels : ndarray of int64, shape (n,)
        Clusters 0..k-1 in the order of their first points.
    value : float
        Sum of similarities over the unordered pairs within clusters; at least 0, as of points that stay alone.
    bound : float
        No partition has a larger value (to rounding); infinity for ``method="greedy"``.
    relaxed : ndarray of shape (n, n) or None
        Shares x_pq of the relaxation, in [0, 1] and without a violated triangle, 1 on the diagonal. None for
        ``method="greedy"``.
    triangles : ndarray of int32, shape (m, 3)
        Points p, q, r of the inequalities x_pq + x_qr - x_pr <= 1, p < r, that prove the bound.
    multipliers : ndarray of shape (m,)
        Of these inequalities, positive.
    n_iter : int
        Steps of the first-order method; 0 for ``method="greedy"``.
    converged : bool
        Whether the bound is within the tolerance of the relaxation's value, or of the partition's own.

    Examples
    --------
    >>> from cladebench.solvers import correlation_clustering
    >>> found = correlation_clustering([[0, 2, -1], [2, 0, -1], [-1, -1, 0]])
    >>> found.value, bool(found.value <= found.bound)
    (2.0, True)
    """

    labels: IntArray
    value: float
    bound: float
    relaxed: FloatArray | None
    triangles: npt.NDArray[np.int32]
    multipliers: FloatArray
    n_iter: int
    converged: bool


def correlation_clustering(
    similarity: npt.ArrayLike,
    *,
    method: str = "relaxation",
    tol: float = 1e-3,
    max_iter: int = 20_000,
    n_orders: int = 4,
    random_state: int | np.random.RandomState | None = None,
    start: CorrelationClustering | None = None,
) -> CorrelationClustering:
    """Cluster by similarities of either sign.

    Parameters
    ----------
    similarity : array-like of shape (n, n)
        Finite, symmetric to 1e-8 of its largest entry. The diagonal is not read: it may hold anything.
    method : {"relaxation", "greedy"}, default="relaxation"
        "greedy": clusters are merged, those that gain most first, and single points moved, until neither gains.
        "relaxation": the linear relaxation as well. Its solution is rounded: each point in some order that has no
        cluster yet takes with it all others of which it has a share of at least 1/2; then points are moved and
        clusters merged as before. The best of several orders, of those on the way (by index), and of "greedy", is
        returned.
    tol : float, default=1e-3
        Largest gap of the relaxation, between its bound and its value or that of a partition, relative to the sum
        of the positive similarities (which is the bound without any triangle).
    max_iter : int, default=20,000
        Steps of the first-order method. The bound holds wherever it stops.
    n_orders : int, default=4
        Orders of the rounding: the first by falling sums of shares, the others random.
    random_state : int, RandomState or None, default=None
        Draws the orders after the first.
    start : CorrelationClustering, optional
        Result of a problem with as many points whose relaxation this one may resemble; changes the way, not the
        problem.

    Returns
    -------
    CorrelationClustering

    Raises
    ------
    ValueError
        If the similarity is not square, finite and symmetric, or a parameter makes no sense.

    Notes
    -----
    Triangles are added as they are violated, in C++; O(n^3) a search, of which there is one in 20 to 200 steps, and
    O(n^2 + triangles) a step. Points and clusters that tie are taken by lowest index, and no move is made for a gain of
    0: points without any similarity stay alone. Threads do not change the result.

    Examples
    --------
    >>> from cladebench.solvers import correlation_clustering
    >>> found = correlation_clustering([[0, 2, -1], [2, 0, -1], [-1, -1, 0]])
    >>> found.labels.tolist(), found.converged
    ([0, 0, 1], True)
    """
    S = checked_similarity(similarity)
    check_choice("method", method, METHODS)
    check_real("tol", tol, 0.0)
    check_int("max_iter", max_iter, minimum=1)
    check_int("n_orders", n_orders, minimum=1)
    check_seed(random_state)
    n = len(S)
    labels = _core.improve_partition(S, np.arange(n))
    value = partition_value(S, labels)
    none = np.empty((0, 3), dtype=np.int32), np.empty(0)
    if method == "greedy":
        return CorrelationClustering(by_first_member(labels), value, np.inf, None, *none, 0, True)
    triangles, multipliers = none
    first = np.empty((0, 0))
    if start is not None:
        if len(start.labels) != n:
            raise ValueError(f"start has {len(start.labels)} points; expected {n}, as similarity has")
        triangles, multipliers = start.triangles, start.multipliers
        first = first if start.relaxed is None else start.relaxed
    positive = float(np.maximum(S, 0.0).sum()) / 2.0
    flat, _, bound, points, multipliers, better, n_iter, converged = _core.relax_clustering(
        S, triangles, multipliers, first, tol * positive, int(max_iter), value
    )
    relaxed = flat.reshape(n, n)
    if len(better):
        labels, value = better, partition_value(S, better)
    for order in _orders(relaxed, n_orders, random_state):
        rounded = _core.improve_partition(S, round_in_order(relaxed, order))
        if (rounded_value := partition_value(S, rounded)) > value:
            labels, value = rounded, rounded_value
    converged = converged or bound - value <= tol * positive
    return CorrelationClustering(
        by_first_member(labels), value, bound, relaxed, points.reshape(-1, 3), multipliers, n_iter, converged
    )


def checked_similarity(similarity: npt.ArrayLike) -> FloatArray:
    """Check similarities.

    Parameters
    ----------
    similarity : array-like of shape (n, n)

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric to the last bit, 0 on the diagonal.

    Raises
    ------
    ValueError
        If it is not square, not finite beside the diagonal, or not symmetric.
    """
    S = as_floats("similarity", similarity).copy()
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not len(S):
        raise ValueError(f"similarity has shape {S.shape}; expected (n, n) with n >= 1")
    np.fill_diagonal(S, 0.0)
    limit = np.finfo(np.float64).max / (4.0 * S.size)
    if not (np.abs(S) <= limit).all():  # NaN fails the comparison
        p, q = (int(place) for place in np.argwhere(~(np.abs(S) <= limit))[0])
        raise ValueError(
            f"similarity[{p}, {q}] is {S[p, q]}; expected a finite number whose sums do not overflow, "
            f"at most {limit:.3g} in magnitude"
        )
    difference = np.abs(S - S.T)
    if difference.max() > ASYMMETRY * np.abs(S).max():
        raise ValueError(
            f"{unlike('similarity', S, difference)}; expected a symmetric matrix: the mean of both sides, "
            "if either will do"
        )
    return (S + S.T) / 2.0


def partition_value(S: FloatArray, labels: IntArray) -> float:
    """Sum of similarities over the unordered pairs in one cluster.

    S as `checked_similarity` gives it.
    """
    return float(S[labels[:, None] == labels].sum()) / 2.0


def round_in_order(relaxed: FloatArray, order: IntArray) -> IntArray:
    """Partition of a relaxed solution.

    Parameters
    ----------
    relaxed : ndarray of shape (n, n)
        Shares, 1 on the diagonal.
    order : ndarray of int, shape (n,)
        In which points come up: one that has no cluster begins one, of all those without whose shares with it
        are at least 1/2.

    Returns
    -------
    ndarray of int64, shape (n,)
        Clusters, in the order in which they begin.
    """
    labels = np.full(len(relaxed), -1, dtype=np.int64)
    n_clusters = 0
    for p in order:
        if labels[p] < 0:
            labels[(labels < 0) & (relaxed[p] >= 0.5)] = n_clusters
            labels[p] = n_clusters
            n_clusters += 1
    return labels


def _orders(
    relaxed: FloatArray, n_orders: int, random_state: int | np.random.RandomState | None
) -> list[IntArray]:
    rng = check_random_state(random_state)
    by_sum = np.argsort(-relaxed.sum(axis=1), kind="stable")
    return [by_sum, *(rng.permutation(len(relaxed)) for _ in range(n_orders - 1))]
