r"""The clustering that violates the margin most.

Exemplars by energy less what is wrong with them.

.. math::
    \min_x E(x) - \Delta(x; C), \quad
    \Delta(x; C) = \alpha \sum_C |1 - \sum_{q \in C} x_{qq}| + \beta \sum_C \sum_{p \in C} (1 - \sum_{q \in C} x_{pq})

([1]_, (14) and (15)). The term of a cluster is :math:`-\alpha` times its exemplars, plus a charge of :math:`2 \alpha`
if it has one, less :math:`\alpha`. Without charges this is facility location.

References
----------
.. [1] N. Komodakis, Learning to cluster using high order graphical models with latent variables, ICCV 2011.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from cladebench.solvers.facility_locations import facility_location

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Problems of facility location for one answer, times objects squared, at most; and the least number of problems.
WORK, LEAST_NODES = 40_000_000, 100
#: Share of a value that facility location may leave open where no more is asked.
ROUGH = 1e-3


@dataclass(frozen=True, eq=False)
class AugmentedClustering:
    """A clustering of little energy less error.

    Attributes
    ----------
    exemplars : ndarray of int64, shape (n_exemplars,)
    assignment : ndarray of int64, shape (n,)
        The exemplar that serves each object.
    value : float
        Its energy less its error.
    bound : float
        No clustering is below.
    """

    exemplars: IntArray
    assignment: IntArray
    value: float
    bound: float


def least_augmented(
    d: FloatArray, labels: IntArray, price: float, alpha: float, beta: float, tol: float
) -> AugmentedClustering:
    """Find the clustering of least energy less error.

    Parameters
    ----------
    d : ndarray of shape (n, n)
        Distances; the diagonal is not read.
    labels : ndarray of int64, shape (n,)
        True clusters 0..k-1, all of which occur.
    price : float
        Of an exemplar.
    alpha, beta : float
        Weights of the error; not negative.
    tol : float
        What ``value - bound`` may be; infinite: one problem of facility location is solved.

    Returns
    -------
    AugmentedClustering
        Its gap is above `tol` where 40,000,000 / n^2 problems of facility location, but at least 100, did not close it.

    Notes
    -----
    Branch and bound. In a node some clusters are known to have exemplars, which pay their charge, and some to have
    none, whose objects no one may choose. Of any other cluster each exemplar pays its share of the charge, as if all
    objects had one: that bounds the charge from below. Branches are made at the cluster whose charge is paid least.
    """
    n, sizes = len(labels), np.bincount(labels)
    cost = d + beta * (labels[:, None] == labels)
    np.fill_diagonal(cost, 0.0)
    shift = np.minimum(cost.min(axis=1), 0.0)
    cost -= shift[:, None]
    constant = float(shift.sum()) - beta * n - alpha * len(sizes)
    base = np.full(n, price + beta - alpha) - shift
    best: AugmentedClustering | None = None
    forbidden = 0.0  # price of exemplars in clusters that are to have none

    def solve(open_: frozenset[int], closed: frozenset[int], share: float) -> tuple[float, IntArray]:
        """Bound a node, and count found exemplars of each cluster."""
        nonlocal best, forbidden
        charge = 2.0 * alpha / sizes
        charge[list(open_)] = 0.0
        prices = base + charge[labels]
        if closed:
            prices[np.isin(labels, list(closed))] = forbidden
        np.fill_diagonal(cost, prices)
        location = facility_location(cost, tol=share)
        if not closed and not open_:
            # Whoever chooses a forbidden exemplar is above this value, and so above the best.
            forbidden = 2.0 * abs(location.value) + float(np.abs(prices).sum()) + 1.0
        value = energy_less_error(d, labels, price, alpha, beta, location.exemplars, location.assignment)
        if best is None or value < best.value:
            best = AugmentedClustering(location.exemplars, location.assignment, value, -np.inf)
        exemplars = np.bincount(labels[location.exemplars], minlength=len(sizes))
        return location.bound + constant + 2.0 * alpha * len(open_), exemplars

    none: frozenset[int] = frozenset()
    lower, exemplars = solve(none, none, ROUGH)
    assert best is not None
    # A quarter of the tolerance for facility location, the rest for charges.
    fine = min(ROUGH, 0.25 * tol / max(abs(best.value - constant), abs(lower - constant), 1e-300))
    order = count()
    nodes = [(lower, next(order), none, none, ROUGH, exemplars)]
    solved, most, settled = 1, max(LEAST_NODES, WORK // n**2), np.inf
    while nodes and solved < most and best.value - min(nodes[0][0], settled) > tol:
        lower, _, open_, closed, share, exemplars = heapq.heappop(nodes)
        # Most branches are above the best by far. The others are looked at closely before they branch again.
        if share > fine:
            below, exemplars = solve(open_, closed, fine)
            solved += 1
            heapq.heappush(nodes, (max(below, lower), next(order), open_, closed, fine, exemplars))
            continue
        unpaid = np.where(exemplars > 0, 2.0 * alpha * (1.0 - exemplars / sizes), 0.0)
        unpaid[list(open_)] = 0.0
        cluster = int(unpaid.argmax())
        if unpaid[cluster] <= 0.0:  # all charges are paid: what is left is the gap of facility location
            settled = min(settled, lower)
            continue
        for more_open, more_closed in ((open_ | {cluster}, closed), (open_, closed | {cluster})):
            if len(more_closed) == len(sizes):
                continue
            below, exemplars = solve(more_open, more_closed, ROUGH)
            solved += 1
            if below < best.value:
                heapq.heappush(
                    nodes, (max(below, lower), next(order), more_open, more_closed, ROUGH, exemplars)
                )
    bound = min([settled, best.value, *(node[0] for node in nodes)])
    return AugmentedClustering(best.exemplars, best.assignment, best.value, bound)


def energy_less_error(
    d: FloatArray,
    labels: IntArray,
    price: float,
    alpha: float,
    beta: float,
    exemplars: IntArray,
    assignment: IntArray,
) -> float:
    """Compute the energy of a clustering less its error."""
    served = np.flatnonzero(assignment != np.arange(len(labels)))
    energy = float(d[served, assignment[served]].sum()) + price * len(exemplars)
    of_clusters = np.bincount(labels[exemplars], minlength=int(labels.max()) + 1)
    error = alpha * np.abs(1 - of_clusters).sum() + beta * (labels[assignment] != labels).sum()
    return energy - float(error)
