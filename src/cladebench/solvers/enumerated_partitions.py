"""Find the best of all partitions of few points, by enumeration.

The structure is Y = I, or the best of each. Objective (1) is that of `solvers.dependence`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cladebench.solvers.gram import CenteredGram

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Most labellings that are gone through.
LARGEST = 10**6
#: How long the columns of a partition are: as in (1), of 0 and 1; of unit length; of unit length once they are centred,
#: as the relaxation of section 3.1 has them.
COLUMNS = ("binary", "unit", "centred")
#: Values that differ by less, relative to the largest, are equal but for rounding.
TIE = 1e-10


class BestPartitions(NamedTuple):
    """The best partitions of a small set.

    Attributes
    ----------
    star : ndarray of int64, shape (n,)
        Largest (1) with Y = I, clusters numbered by their first points.
    unconstrained : ndarray of int64, shape (n,)
        Largest (1) with the best Y for each partition.
    star_value : float
        (1) of `star` with Y = I.
    unconstrained_value : float
        (1) of `unconstrained` with its best Y.
    star_with_best : float
        (1) of `star` with its best Y.
    """

    star: IntArray
    unconstrained: IntArray
    star_value: float
    unconstrained_value: float
    star_with_best: float

    @property
    def agree(self) -> bool:
        """Whether one partition is the best for both."""
        return bool(np.array_equal(self.star, self.unconstrained))

    @property
    def loss(self) -> float:
        """Give the relative loss of (1) with Y = I's partition.

        The best Y of that partition is taken.
        """
        return shortfall(self.star_with_best, self.unconstrained_value)


def best_partitions(gram: CenteredGram, n_clusters: int, columns: str = "binary") -> BestPartitions:
    """Find the best partitions for Y = I and the best Y.

    No cluster is empty.

    Parameters
    ----------
    gram : CenteredGram
        Of few points.
    n_clusters : int
        At least 2.
    columns : {"binary", "unit", "centred"}, default="binary"
        See `both_values`.

    Returns
    -------
    BestPartitions
        Where partitions tie, the first that is the best for both, if there is one, and else the first.

    Raises
    ------
    ValueError
        If there are fewer points than clusters, or more than a million labellings.
    """
    labels = all_partitions(gram.n, n_clusters)
    star, unconstrained = both_values(gram, labels, columns)
    of_star = star >= star.max() - TIE * abs(star.max())
    of_best = unconstrained >= unconstrained.max() * (1.0 - TIE)
    common = of_star & of_best
    i, j = (int(np.argmax(common if common.any() else alone)) for alone in (of_star, of_best))
    return BestPartitions(
        labels[i], labels[j], float(star[i]), float(unconstrained[j]), float(unconstrained[i])
    )


def both_values(
    gram: CenteredGram, labels: IntArray, columns: str = "binary"
) -> tuple[FloatArray, FloatArray]:
    """Compute objective (1) of many partitions for both structures.

    They are Y = I and the best Y of each.

    Parameters
    ----------
    gram : CenteredGram
    labels : ndarray of int64, shape (m, n)
        A partition in each row, clusters 0..k-1, none empty.
    columns : {"binary", "unit", "centred"}, default="binary"
        Columns of the partition matrix: of 0 and 1; of unit length; of unit length once they are centred. The best Y
        makes up for any length, so that only Y = I tells them apart.

    Returns
    -------
    star, unconstrained : ndarrays of shape (m,)

    Raises
    ------
    ValueError
        If there are no such columns.

    Notes
    -----
    With the sums S_ab of M over pairs of clusters and sizes n_a the objective with the best Y is the root of the sum of
    S_ab^2 / (n_a n_b): (10), in which no centring is left as M is centred.
    """
    if columns not in COLUMNS:
        raise ValueError(f"columns={columns!r}: expected one of {', '.join(COLUMNS)}")
    M = gram.values @ gram.values.T if gram.is_factor else gram.values
    P = (labels[:, :, None] == np.arange(int(labels.max()) + 1)).astype(np.float64)
    S = np.swapaxes(P, 1, 2) @ (M @ P)
    sizes = P.sum(axis=1)
    unconstrained = np.sqrt((S**2 / (sizes[:, :, None] * sizes[:, None, :])).sum(axis=(1, 2)))
    if columns != "binary":
        lengths = sizes if columns == "unit" else sizes * (1.0 - sizes / gram.n)
        # P'HP = diag(n_a) - n n' / n, its rows and columns over the lengths of the partition's columns.
        inner = sizes[:, :, None] * (np.eye(sizes.shape[1]) - sizes[:, None, :] / gram.n)
        norm = np.sqrt((inner**2 / (lengths[:, :, None] * lengths[:, None, :])).sum(axis=(1, 2)))
        return (np.diagonal(S, axis1=1, axis2=2) / lengths).sum(axis=1) / norm, unconstrained
    squares = np.square(sizes).sum(axis=1)
    # tr((P'HP)^2), P'HP = diag(n_a) - n n' / n.
    norm = np.sqrt(squares - 2.0 * (sizes**3).sum(axis=1) / gram.n + (squares / gram.n) ** 2)
    return np.trace(S, axis1=1, axis2=2) / norm, unconstrained


def all_partitions(n: int, n_clusters: int) -> IntArray:
    """List partitions of n points into clusters: (m, n), in ascending order.

    Clusters are numbered by their first points. It is a ValueError if there are fewer than 2
    clusters or points than clusters, or more than `LARGEST` labellings.
    """
    if not 2 <= n_clusters <= n:
        raise ValueError(f"n_clusters={n_clusters}: expected 2 to {n}, the number of points")
    if n_clusters**n > LARGEST:
        raise ValueError(
            f"{n} points have {n_clusters}^{n} labellings in {n_clusters} clusters; expected at most {LARGEST}"
        )
    labels = np.zeros((1, 1), dtype=np.int64)
    for _ in range(1, n):
        # A point goes to a cluster that is there, or founds the next one.
        room = np.minimum(labels.max(axis=1) + 2, n_clusters)
        rows = np.repeat(np.arange(len(labels)), room)
        last = np.arange(len(rows)) - np.repeat(np.cumsum(room) - room, room)
        labels = np.column_stack([labels[rows], last])
    return labels[labels.max(axis=1) == n_clusters - 1]


def shortfall(value: float, best: float) -> float:
    """Give what a value lacks of the best, relative to the best."""
    return max(0.0, 1.0 - value / best) if best > 0.0 else 0.0
