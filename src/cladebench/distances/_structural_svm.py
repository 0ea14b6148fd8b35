r"""A structural support vector machine whose outputs are partitions, by cutting planes.

For training set k with N_k pairs, true partition y and similarities s = phi v, the loss of weights v is [1]_

.. math::
    H_k(v) = \max_x \frac{1}{N_k} \sum_{p < q} \bigl[\, c_{pq} |x_{pq} - y_{pq}| + s_{pq} (x_{pq} - y_{pq}) \,\bigr],

over partitions x (margin rescaling; with costs c = 1 the loss of a partition is its share of wrong pairs), or over the
relaxation of correlation clustering, where :math:`|x - y| = x (1 - y) + (1 - x) y`. Each x gives a plane below H_k. The
objective is :math:`|v|^2 / 2 + C / K \sum_k H_k(v)`.

References
----------
.. [1] T. Finley, T. Joachims, Supervised clustering with support vector machines, ICML 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cladebench.solvers.plane_programme import minimise_planes

FloatArray = npt.NDArray[np.float64]

#: Called with the number of a set, objectives of its pairs and a tolerance (in the sum of the objectives): x, with
#: shares in [0, 1], and a bound of what any x attains.
Oracle: TypeAlias = Callable[[int, FloatArray, float], tuple[FloatArray, float]]

#: Share of the gap that the oracle may leave: the rest is for planes to close.
ORACLE_SHARE = 0.2


@dataclass(frozen=True)
class PairSet:
    """Pairs of a training set.

    Attributes
    ----------
    features : list of ndarray of shape (n_pairs,)
        Values of each feature.
    units : ndarray of shape (n_features,)
        Features count times these: similarities are the sums of v, units and features multiplied.
    together : ndarray of bool, shape (n_pairs,)
        Whether the pair is in one true cluster.
    balanced : bool
        Whether pairs in clusters and pairs between them cost the same in all; else all pairs cost the same.
    """

    features: Sequence[npt.NDArray[np.floating[Any]]]
    units: FloatArray
    together: npt.NDArray[np.bool_]
    balanced: bool = False

    @cached_property
    def costs(self) -> FloatArray:
        """What each pair costs that is wrong, 1 on average; shape (n_pairs,)."""
        n, inside = len(self.together), int(self.together.sum())
        if not self.balanced or inside in (0, n):
            return np.ones(n)
        return np.where(self.together, n / (2.0 * inside), n / (2.0 * (n - inside)))

    def similarity(self, v: FloatArray) -> FloatArray:
        """Similarities of all pairs, shape (n_pairs,)."""
        total = np.zeros(len(self.together))
        for weight, values in zip(v * self.units, self.features, strict=True):
            if weight != 0.0:
                total += weight * values
        return total

    def plane(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Intercept and slope, shape (n_features,), of the plane that x gives."""
        n, by = len(self.together), x - self.together
        slope = np.array([float(by @ values) for values in self.features]) / n
        return float((self.costs * np.abs(by)).sum()) / n, self.units * slope

    def objectives(self, v: FloatArray) -> FloatArray:
        """Give each pair's addition to the loss at v, if together.

        The shape is (n_pairs,).
        """
        return self.similarity(v) + self.costs - 2.0 * self.costs * self.together

    def loss(self, v: FloatArray, gained: float) -> float:
        """Compute a partition's loss at v, whose pairs gain `gained`.

        `objectives` says what a pair gains.
        """
        apart = (self.costs - self.similarity(v))[self.together].sum()
        return (gained + float(apart)) / len(self.together)


@dataclass
class LearnedWeights:
    """What `learn` found.

    Attributes
    ----------
    v : ndarray of shape (n_features,)
        The weights of least objective among those that were looked at.
    objective : float
        Theirs, by the oracle's bounds.
    path : list of float
        Objective of each weights looked at, in turn.
    bound : float
        Below the objective of any weights, by the planes.
    n_iter : int
        Weights looked at.
    converged : bool
        Whether the gap is within the tolerance.
    """

    v: FloatArray
    objective: float = np.inf
    path: list[float] = field(default_factory=list)
    bound: float = 0.0
    n_iter: int = 0
    converged: bool = False

    @property
    def gap(self) -> float:
        """``objective - bound`` relative to the objective."""
        return (self.objective - self.bound) / self.objective if self.objective > 0.0 else 0.0


def learn(
    sets: Sequence[PairSet],
    oracle: Oracle,
    *,
    C: float,
    nonnegative: npt.NDArray[np.bool_],
    tol: float,
    max_iter: int,
) -> LearnedWeights:
    """Minimise the objective by cutting planes.

    A round adds a plane for each training set (n slacks).

    Parameters
    ----------
    sets : sequence of PairSet
        Each with a pair at least.
    oracle : Oracle
    C : float
        Weight of the mean loss of the sets.
    nonnegative : ndarray of bool, shape (n_features,)
        Which weights may not be negative.
    tol : float
        Largest gap, relative to the objective.
    max_iter : int
        Rounds.

    Returns
    -------
    LearnedWeights

    Notes
    -----
    One plane for all sets together (one slack) [1]_ keeps the quadratic programme small where there are many sets.
    Here there are few, the oracle takes nearly all the time, and a plane for each set needs fewer rounds.

    References
    ----------
    .. [1] T. Joachims, T. Finley, C.-N. Yu, Cutting-plane training of structural SVMs, Machine Learning 77, 2009.
    """
    d, K = len(nonnegative), len(sets)
    learned = LearnedWeights(np.zeros(d))
    if not sets:
        return LearnedWeights(np.zeros(d), objective=0.0, converged=True)
    # The true partition itself gives the plane 0.
    slopes, intercepts, groups = [np.zeros(d)] * K, [0.0] * K, list(range(K))
    v, costs = np.zeros(d), np.full(K, C / K)
    allowed = ORACLE_SHARE
    for _ in range(max_iter):
        losses = np.empty(K)
        for k, labelled in enumerate(sets):
            x, bound = oracle(k, labelled.objectives(v), allowed * len(labelled.together))
            losses[k] = labelled.loss(v, bound)
            intercept, slope = labelled.plane(x)
            slopes.append(slope)
            intercepts.append(intercept)
            groups.append(k)
        # An oracle that proves nothing may find less than the planes know.
        np.maximum.at(losses, groups, np.array(intercepts) + np.array(slopes) @ v)
        objective = 0.5 * float(v @ v) + float(costs @ losses)
        learned.path.append(objective)
        learned.n_iter += 1
        if objective < learned.objective:
            learned.v, learned.objective = v, objective
        if learned.gap <= tol:
            learned.converged = True
            break
        planes = minimise_planes(np.array(slopes), np.array(intercepts), np.array(groups), costs, nonnegative)
        v, learned.bound = planes.v, max(learned.bound, planes.bound)
        if learned.gap <= tol:
            learned.converged = True
            break
        allowed = ORACLE_SHARE * (learned.objective - learned.bound) / C
    return learned
