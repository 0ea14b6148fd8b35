"""Learn exemplars as a `dual_decomposition` problem with slaves in the core."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from cladebench import _core
from cladebench.solvers.augmented_clustering import least_augmented
from cladebench.solvers.cutting_planes import AugmentedProblem
from cladebench.solvers.dual_decomposition import Energy
from cladebench.solvers.given_distances import GivenDistances

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class ClusteringProblem(AugmentedProblem):
    r"""Hold a training set's distances, true clusters and Section 4's relaxation.

    The energy is that of (1), the margin that of (15):

    .. math:: \Delta(x; C) = \alpha \sum_C |1 - \sum_{q \in C} x_{qq}|
              + \beta \sum_C \sum_{p \in C} (1 - \sum_{q \in C} x_{pq})

    Parameters
    ----------
    distances : GivenDistances
        Between n objects.
    labels : ndarray of int64, shape (n,)
        True clusters 0..k-1.
    price : float
        Cost of an exemplar, d_qq, which is fixed ("the penalties are set to a fixed value", Section 6).
    alpha, beta : float, default=1
        As in Section 6.
    completion : {"own", "nearest"}, default="own"
        Exemplar of a point at the true clustering: that of its own cluster, or the nearest of all as Fig. 1 has it,
        which may not be consistent with the clusters.

    Notes
    -----
    A round reads the given distances once and the (n, n) multipliers once. Memory beside the distances: 17 n^2 bytes,
    8 more while a round lasts.
    """

    def __init__(
        self,
        distances: GivenDistances,
        labels: IntArray,
        price: float,
        alpha: float = 1.0,
        beta: float = 1.0,
        completion: Literal["own", "nearest"] = "own",
    ) -> None:
        self.distances, self.labels = distances, np.ascontiguousarray(labels, dtype=np.int64)
        self.price, self.alpha, self.beta, self.completion = (
            float(price),
            float(alpha),
            float(beta),
            completion,
        )
        n = len(self.labels)
        self.members = [np.flatnonzero(self.labels == c) for c in range(int(self.labels.max()) + 1)]
        #: Cost of opening q, shared by the n + 1 slaves that have a copy of it.
        self.own = np.full(n, self.price + self.beta)
        # Multipliers: raw[p, q] - offset[q] of q in the slave of p, of_clusters[q] - offset[q] in that of its cluster.
        self.raw, self.of_clusters, self.offset = np.zeros((n, n)), np.zeros(n), np.zeros(n)
        self._copies = np.zeros((n, n), dtype=np.uint8)
        self._cluster_copies, self._counts = np.zeros(n, dtype=bool), np.zeros(n)
        self._at: tuple[FloatArray, FloatArray] | None = None

    def complete(self, w: FloatArray) -> Energy:
        """Fill in each true cluster's exemplar of least sum of distances (29)."""
        d = self._distances_at(w)
        exemplars = np.array(
            [members[d[np.ix_(members, members)].sum(axis=0).argmin()] for members in self.members]
        )
        if self.completion == "own":
            served_by = exemplars[self.labels]
        else:
            served_by = exemplars[d[:, exemplars].argmin(axis=1)]
            served_by[exemplars] = exemplars
        others = np.flatnonzero(served_by != np.arange(len(served_by)))
        return Energy(self.distances.total(others, served_by[others]), self.price * len(exemplars))

    def relax(self, w: FloatArray) -> Energy:
        """Minimise all points' slaves, in one pass, and clusters' once."""
        d, n = self._distances_at(w), len(self.labels)
        values, nearest, counts = _core.point_slaves(
            d, self.own, self.raw, self.offset, self.labels, self.beta, self._copies
        )
        of_clusters = self._minimize_clusters()
        self._counts = counts + self._cluster_copies
        others = np.flatnonzero(nearest != np.arange(n))
        features = self.distances.total(others, nearest[others])
        bound = float(values.sum()) - self.beta * n + of_clusters
        return Energy(features, bound - float(w @ features))

    def _minimize_clusters(self) -> float:
        """Minimise the slaves of the clusters, (34); sum their values."""
        theta = self.own / (len(self.own) + 1) + self.of_clusters - self.offset
        gains = np.bincount(self.labels, np.minimum(theta - self.alpha, 0.0), len(self.members))
        several = 2.0 * self.alpha + gains <= 0.0
        self._cluster_copies = (theta < self.alpha) & several[self.labels]
        return float(np.where(several, gains + self.alpha, -self.alpha).sum())

    def squared_slope(self) -> float:
        """Sum the squared differences of copies from their exemplar's mean.

        Each exemplar has n + 1 copies.
        """
        counts = self._counts
        return float((counts - counts**2 / (len(counts) + 1)).sum())

    def move(self, step: float) -> None:
        """Raise the multipliers of copies that are 1.

        What is lowered for all is kept once for each exemplar.
        """
        _core.move_multipliers(self._copies, step, self.raw)
        self.of_clusters += step * self._cluster_copies
        self.offset += step * self._counts / (len(self._counts) + 1)

    def augment(self, w: FloatArray, tol: float) -> tuple[Energy, float]:
        """Find the clustering that violates the margin most, by branch and bound."""
        d = self._distances_at(w)
        least = least_augmented(d, self.labels, self.price, self.alpha, self.beta, tol)
        others = np.flatnonzero(least.assignment != np.arange(len(d)))
        features = self.distances.total(others, least.assignment[others])
        return Energy(features, least.value - float(w @ features)), least.bound

    def _distances_at(self, w: FloatArray) -> FloatArray:
        """Give the distances at w, kept for calls with equal w."""
        if self._at is None or not np.array_equal(self._at[0], w):
            d = self.distances.at(w)
            np.fill_diagonal(d, 0.0)
            self._at = (w.copy(), d)
        return self._at[1]
