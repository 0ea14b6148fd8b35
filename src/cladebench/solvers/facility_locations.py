r"""Cluster by exemplars: uncapacitated facility location whose facilities are points.

This is the clustering model of max-margin learning with exemplars, equations (1) to (5) of the paper. The number of
clusters comes out, and a lower bound with every solution.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cladebench import _core
from cladebench.validation import as_floats, as_index, check_flag, check_int, check_real

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Evaluations times points, where `max_iter` is not given; and the least number of evaluations then.
WORK, LEAST_ITER = 2_000_000, 400


@dataclass(frozen=True, eq=False)
class FacilityLocation:
    """Hold exemplars, their clustering, and a bound on the best.

    Attributes
    ----------
    exemplars : ndarray of int64, shape (n_exemplars,)
        Ascending; at least one.
    assignment : ndarray of int64, shape (n,)
        The exemplar that serves each point: an exemplar itself, any other point the nearest exemplar, the lowest index
        among equals.
    value : float
        E(Q): prices of the exemplars and costs of the other points, recomputed from the exemplars.
    bound : float
        No set of exemplars is below; at most `value`. Minus infinity if none was asked for.
    n_iter : int
        Evaluations of the Lagrangian dual function; 0 without a bound.
    converged : bool
        Whether `gap` is within the tolerance, or ``value - bound`` no more than rounding; False without a bound.

    Examples
    --------
    >>> from cladebench.solvers import facility_location
    >>> found = facility_location([[2, 1, 9], [1, 3, 9], [9, 9, 2]])
    >>> found.exemplars.tolist(), found.assignment.tolist(), found.converged
    ([0, 2], [0, 0, 2], True)
    """

    exemplars: IntArray
    assignment: IntArray
    value: float
    bound: float
    n_iter: int
    converged: bool

    @property
    def gap(self) -> float:
        """Compute ``value - bound`` relative to the larger magnitude of the two.

        0 where they are equal, infinite without a bound.
        """
        if self.value == self.bound:
            return 0.0
        if self.bound == -math.inf:
            return math.inf
        return (self.value - self.bound) / max(abs(self.value), abs(self.bound))


def facility_location(
    d: npt.ArrayLike,
    *,
    initial: npt.ArrayLike | None = None,
    bound: bool = True,
    tol: float = 1e-4,
    max_iter: int | None = None,
) -> FacilityLocation:
    r"""Choose the exemplars of least total cost among the points.

    The cost is that of the exemplars and of the way from each point to its own.

    .. math::

        \min_Q E(Q) = \sum_{q \in Q} d_{qq} + \sum_{p \notin Q} \min_{q \in Q} d_{pq}

    over the non-empty sets Q of points ([1]_, equation (1); as the integer programme (2) to (5) an exemplar serves
    itself, for :math:`d_{qq}`, which the sum over p in (1) leaves open).

    Parameters
    ----------
    d : array-like of shape (n, n)
        Off the diagonal ``d[p, q]`` is the cost of point p in the cluster of exemplar q: finite, at least 0, neither
        symmetric nor a metric of necessity. On the diagonal are the prices of exemplars, any finite numbers.
        n >= 1.
    initial : array-like of int, optional
        Exemplars that the search starts from; by default points are added one by one while that pays.
    bound : bool, default=True
        Whether a lower bound is computed, which also leads to better sets. Without it a local search alone gives the
        answer, some 10 times sooner; `tol` and `max_iter` then have no effect.
    tol : float, default=1e-4
        The search ends once ``value - bound`` is within this share of the value; a share below 1e-10 counts as 1e-10.
    max_iter : int, optional
        Evaluations of the dual function, at least 1 (a branch that was begun is ended); by default 2,000,000 / n, but
        at least 400. More of them may close a gap that is left.

    Returns
    -------
    FacilityLocation
        The same on any number of threads; nothing is drawn.

    Raises
    ------
    ValueError
        If `d` is not as described or so large that sums overflow, `initial` is empty or names a point twice or one
        that there is not, `tol` is negative or not finite, `max_iter` is below 1, or `bound` is no boolean.

    Notes
    -----
    The problem is NP-hard. Sets come from a local search (add, drop, swap; the best move each time), the bound from
    the Lagrangian relaxation of "each point is served", the linear relaxation of (2) to (5) in its dual form:

    .. math::

        L(v) = \sum_p v_p + \sum_q \min\Bigl(0, d_{qq} - \sum_p \max(0, v_p - c_{pq})\Bigr), \quad
        c_{pp} = 0, \; c_{pq} = d_{pq}, \; v \ge 0,

    raised by the volume algorithm ([2]_), after negative prices, whose points are always exemplars, were set aside. The
    paper names LP-based stabilities instead, another ascent of the same dual. A point that no better set can have,
    by its reduced price, is left out; where the relaxation has a gap, the search branches, the lowest bound first. The
    bound is lowered by what rounding may have added; it equals `value` where all other sets are ruled out, which sets
    that tie with the best never are.

    :math:`O(n^2 \log n)` to sort the rows; an evaluation reads the points nearer than :math:`v_p`, of the order of
    n / k for each of n points with k exemplars. 12 bytes for each entry of `d` beside it.

    Without the bound each point in turn is added, or swapped for an exemplar, as soon as that improves, and exemplars
    that do not pay are dropped ([3]_, there with a fixed number of exemplars). No such move improves the answer, but
    by rounding. A turn of all points takes :math:`O(n^2)`; nothing is sorted; 8 bytes for each entry of `d` beside it.
    On 2,000 points the value was 0 to 0.6 % above that with a bound.

    References
    ----------
    .. [1] N. Komodakis, Learning to cluster using high order graphical models with latent variables, 2011.
    .. [2] F. Barahona, R. Anbil, The volume algorithm: producing primal solutions with a subgradient method, 2000.
    .. [3] E. Schubert, P. J. Rousseeuw, Fast and eager k-medoids clustering, 2021.

    Examples
    --------
    >>> found = facility_location([[2, 1, 9, 9], [1, 3, 9, 9], [9, 9, 2, 1], [9, 9, 1, 3]])
    >>> found.exemplars.tolist(), found.assignment.tolist(), found.value, found.gap < 1e-9
    ([0, 2], [0, 0, 2, 2], 6.0, True)
    """
    costs = _costs(d)
    check_real("tol", tol, 0.0)
    if max_iter is None:
        max_iter = max(LEAST_ITER, WORK // len(costs))
    check_int("max_iter", max_iter, 1)
    check_flag("bound", bound)
    start = _start(initial, len(costs))
    if not bound:
        exemplars, assignment = _core.exchanged_exemplars(costs, start)
        return FacilityLocation(exemplars, assignment, _value(costs, assignment), -math.inf, 0, False)
    exemplars, assignment, below, optimal, n_iter, converged = _core.facility_location(
        costs, start, float(tol), min(int(max_iter), 2**62)
    )
    value = _value(costs, assignment)
    return FacilityLocation(
        exemplars, assignment, value, value if optimal else min(value, below), n_iter, converged
    )


def _value(costs: FloatArray, assignment: IntArray) -> float:
    """Add up the terms of the definition; their sum is rounded once."""
    return math.fsum(costs[np.arange(len(costs)), assignment])


def _costs(d: Any) -> FloatArray:
    """Return costs for the core, or raise a ValueError."""
    array = as_floats("d", d)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"d has shape {array.shape}; expected (n, n) with n >= 1")
    _refuse(array, ~np.isfinite(array), "expected finite numbers")
    negative = array < 0
    np.fill_diagonal(negative, False)
    _refuse(
        array,
        negative,
        "expected costs of at least 0 off the diagonal; similarities have to be handed over negated and shifted",
    )
    limit = sys.float_info.max / (4.0 * len(array))
    _refuse(
        array,
        (array > limit) | (array < -limit),
        f"expected at most {limit:.3g} in magnitude, beyond which sums overflow; rescale d",
    )
    return array


def _refuse(array: FloatArray, wrong: npt.NDArray[np.bool_], expected: str) -> None:
    if wrong.any():
        p, q = np.unravel_index(int(np.argmax(wrong)), array.shape)
        raise ValueError(f"d[{p}, {q}] is {array[p, q]:g}; {expected}")


def _start(initial: npt.ArrayLike | None, n: int) -> IntArray:
    """Return the exemplars to start from, none for the solver's own start."""
    if initial is None:
        return np.zeros(0, dtype=np.int64)
    points = as_index("initial", initial)
    if not points.size:
        raise ValueError("initial is empty; expected at least one exemplar, or None")
    outside = (points < 0) | (points >= n)
    if outside.any():
        raise ValueError(f"initial has the point {points[int(np.argmax(outside))]}; expected 0..{n - 1}")
    values, counts = np.unique(points, return_counts=True)
    if (counts > 1).any():
        raise ValueError(
            f"initial has the point {values[int(np.argmax(counts > 1))]} twice; expected distinct ones"
        )
    return points
