"""Cluster by exemplars under weighted sums of distances: scales, price, labels."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cladebench import _core
from cladebench.distances.base import StackDistance
from cladebench.solvers.facility_locations import FacilityLocation, facility_location
from cladebench.solvers.given_distances import GivenDistances
from cladebench.threads import one_thread
from cladebench.validation import check_choice, check_real

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class ExemplarClusters(StackDistance):
    """A `StackDistance` that clusters with exemplars at the price ``price_``."""

    price_: float

    def exemplars(self, stack: Any) -> IntArray:
        """Find the exemplars of a new set.

        The exemplar of cluster c, as `predict` numbers them, comes at place c.

        Parameters
        ----------
        stack : array-like of shape (n_distances, n, n)

        Returns
        -------
        ndarray of int64, shape (n_clusters,)
        """
        return self._find(self._new_set(stack)).exemplars

    def _cluster(self, distances: GivenDistances) -> IntArray:
        return labels_of(self._find(distances))

    def _find(self, distances: GivenDistances) -> FacilityLocation:
        with one_thread("blas"):
            return exemplar_clustering(distances.at(self.weights_), self.price_)


class RuleOfWeights(ExemplarClusters):
    """Exemplar clusters with weights by a rule without clusterings.

    An `ExemplarClusters` whose price may be matched.
    """

    price: Literal["matched"] | float

    def _check_parameters(self) -> None:
        if isinstance(self.price, str):
            check_choice("price", self.price, ("matched",))
        else:
            check_real("price", self.price, 0.0)

    def _learn(self, sets: list[GivenDistances], labels: list[IntArray]) -> None:
        self.scales_ = mean_scales(sets)
        scaled = [given.scaled(self.scales_) for given in sets]
        w = self._scaled_weights(scaled, labels)
        self.price_ = matched_price(scaled, labels, w) if isinstance(self.price, str) else float(self.price)
        self.weights_ = w / self.scales_

    @abstractmethod
    def _scaled_weights(self, sets: list[GivenDistances], labels: list[IntArray]) -> FloatArray:
        """Weights of distances that are scaled to mean 1."""


def mean_scales(sets: Sequence[GivenDistances]) -> FloatArray:
    """Average each distance over pairs, then over sets.

    1 where it is 0; ValueError where a float cannot hold it or its inverse.
    """
    means = np.mean([given.means() for given in sets], axis=0)
    tells = np.any([given.tell() for given in sets], axis=0)
    lost = (tells & (means < sys.float_info.min)) | np.isinf(means)
    if lost.any():
        i = int(np.argmax(lost))
        raise ValueError(
            f"distance {i} has the mean {means[i]:g}, which tells nothing: its numbers overflow or vanish; rescale it"
        )
    return np.asarray(np.where(means > 0, means, 1.0))


def exemplar_clustering(
    d: FloatArray, price: float, tol: float = 1e-4, max_iter: int | None = None
) -> FacilityLocation:
    """Cluster with exemplars at a price.

    Parameters
    ----------
    d : ndarray of shape (n, n)
        The diagonal is not read. Distances below 0 are allowed: a constant added to all that a row may choose from, the
        price included, changes no clustering. They come from weights below 0, and from rounding.
    price : float
    tol, max_iter
        Of `facility_location`.
    """
    cost = d.copy()
    np.fill_diagonal(cost, 0.0)
    shift = np.minimum(cost.min(axis=1), 0.0)
    np.fill_diagonal(cost, price)
    return facility_location(cost - shift[:, None], tol=tol, max_iter=max_iter)


def labels_of(location: FacilityLocation) -> IntArray:
    """Number the clusters in the order of their exemplars."""
    return np.searchsorted(location.exemplars, location.assignment).astype(np.int64)


def matched_price(sets: Sequence[GivenDistances], labels: Sequence[IntArray], w: FloatArray) -> float:
    """Find the price that gives the right number of clusters.

    It counts in all sets together, for distances with weights w. Bisection on the price's logarithm goes from a price
    that makes each object its own exemplar to one that makes one of all, to one in a thousand. Where no price gives the
    number, it is the largest that gives more, or the smallest of all if none does. Numbers are those of
    the local search: what a proof of the optimum costs is not spent on a price.
    """
    tables = [given.at(w) for given in sets]
    for table in tables:
        np.fill_diagonal(table, 0.0)
    wanted = sum(int(codes.max()) + 1 for codes in labels)
    largest = max(float(np.ptp(table)) for table in tables) * max(map(len, tables))
    if not largest > 0:
        return 1.0
    low, high, least = 1e-6 * largest, largest, 1e-18 * largest
    gives_more = False  # whether the lower price does
    while high / low > 1.001:
        middle = float(np.sqrt(low * high))
        n_exemplars = sum(
            len(exemplar_clustering(table, middle, tol=1e-2, max_iter=20).exemplars) for table in tables
        )
        if n_exemplars == wanted:
            return middle
        if n_exemplars > wanted:
            low, gives_more = middle, True
        else:
            high = middle
        if high / low <= 1.001 and not gives_more:
            low = max(1e-6 * low, least)
    return low


#: Prices that are tried to recover clusters, as factors of the one that weights were learned for.
PRICE_FACTORS = 2.0 ** np.arange(-4.0, 4.5, 0.5)


def accurate_price(
    sets: Sequence[GivenDistances], labels: Sequence[IntArray], w: FloatArray, price: float
) -> float:
    """Find the price that recovers the clusters best.

    It is one of `PRICE_FACTORS` times a price; a price of 0 stays.

    Clusters are recovered so far as objects are in the cluster that is matched to theirs, one to one. Of prices that
    are as good the nearest to the given one is taken.
    """
    tables = [given.at(w) for given in sets]
    accuracy_at = {
        factor: np.mean([
            _matched_share(codes, labels_of(exemplar_clustering(table, factor * price)))
            for codes, table in zip(labels, tables, strict=True)
        ])
        for factor in PRICE_FACTORS
    }  # fmt: skip
    best = max(accuracy_at.values())
    return float(
        price * min((f for f in accuracy_at if accuracy_at[f] == best), key=lambda f: (abs(np.log(f)), f))
    )


def _matched_share(true: IntArray, clusters: IntArray) -> float:
    """Share of objects in matched clusters, in the best matching."""
    return _core.most_matched(true, clusters) / len(true)
