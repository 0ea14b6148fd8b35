r"""Learn latent variables' max-margin models by cutting planes, beside `dual_decomposition.learn`.

What dual decomposition minimises is above the objective of the model ([1]_, (13) with the hinge loss (14)), by what its
relaxation leaves open and its steps have not reached. Cutting planes take the hinge loss itself: each solution x of a
sample gives a plane below its loss, :math:`E(x^k; w) - E(x; w) + \Delta(x)`, and the least of all planes is a bound
that no weights are below. So the end is a gap, and not a number of rounds.

What is latent is completed as in [1]_, Fig. 1; a plane's solution stays good, since only :math:`x^k` changes. The bound
is for the completions of the weights that were found: in these the objective is not convex.

References
----------
.. [1] N. Komodakis, Learning to cluster using high order graphical models with latent variables, ICCV 2011.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from cladebench.solvers.dual_decomposition import Energy, LatentProblem
from cladebench.solvers.plane_programme import minimise_planes

FloatArray = npt.NDArray[np.float64]

#: Share of the gap that inexact minima may leave: the rest is for planes to close.
ORACLE_SHARE = 0.3
#: Share of the promised fall from which a step is taken; share of the gap below which a promise is little.
WORTH = 0.1
#: Share of the energies that counts as rounding of their differences.
ROUNDING = 1e-12


class AugmentedProblem(LatentProblem):
    """A training sample whose augmented energy can be minimised.

    Its least energy less margin can be found, or bounded.
    """

    @abstractmethod
    def augment(self, w: FloatArray, tol: float) -> tuple[Energy, float]:
        """Find a solution of little energy less margin.

        Parameters
        ----------
        w : ndarray of shape (n_weights,)
        tol : float
            How far it may be above the least; infinite: as is quick.

        Returns
        -------
        energy : Energy
            The solution's energy less its margin.
        bound : float
            No solution is below at w.
        """


@dataclass(frozen=True)
class PlanesLearned:
    """What `learn_by_planes` found.

    Attributes
    ----------
    weights : ndarray of shape (n_weights,)
    objective : float
        At least that of the weights: minima are replaced by their bounds.
    bound : float
        No weights are below, for the completions of these.
    gap : float
        ``objective - bound`` relative to the objective; 0 where that is rounding.
    path : ndarray of shape (n_iter,)
        Objective of each weights that were looked at, in turn.
    completions : int
        How often latent variables were completed.
    converged : bool
        Whether the gap is within the tolerance, and other completions lower the objective by no more.
    """

    weights: FloatArray
    objective: float
    bound: float
    gap: float
    path: FloatArray
    completions: int
    converged: bool


class _Planes(NamedTuple):
    slopes: FloatArray
    intercepts: FloatArray
    groups: npt.NDArray[np.int64]


def learn_by_planes(
    problems: Sequence[AugmentedProblem],
    start: FloatArray,
    *,
    regularizer: Literal["l1", "l2"] = "l1",
    tau: float = 1.0,
    nonnegative: bool = True,
    tol: float = 0.01,
    max_iter: int = 500,
) -> PlanesLearned:
    r"""Minimise the objective (13) over weights and what is latent.

    .. math:: \tau J(w) + \sum_k \max_x \left[ E^k(x^k; w) - E^k(x; w) + \Delta(x, x^k) \right]

    Parameters
    ----------
    problems : sequence of AugmentedProblem
    start : ndarray of shape (n_weights,)
    regularizer : {"l1", "l2"}, default="l1"
        J: sum of magnitudes, or of squares.
    tau : float, default=1
    nonnegative : bool, default=True
        Whether weights may not be below 0.
    tol : float, default=0.01
        Largest gap, relative to the objective.
    max_iter : int, default=500
        Weights to look at, at most.

    Returns
    -------
    PlanesLearned

    Notes
    -----
    A proximal bundle method: the next weights minimise all planes plus a squared distance to the best ones so far. The
    bound is the least of all planes alone, a linear programme with the l1 norm. For each weights every sample is asked
    for one solution; how exact it must be follows from the gap.
    """
    learner = _Learner(problems, regularizer, tau, nonnegative)
    centre = np.maximum(start, 0.0) if nonnegative else np.array(start, dtype=np.float64)
    learner.complete(centre)
    objective, completions, converged = learner.look(centre, math.inf), 1, False
    while True:
        centre, objective, bound, closed = learner.descend(centre, objective, tol, max_iter)
        if not closed:
            break
        if learner.complete(centre) <= tol * objective:  # no other completion lowers the objective by more
            converged = True
            break
        completions += 1
        if len(learner.path) >= max_iter:
            break
        objective = learner.look(centre, ORACLE_SHARE * tol * objective)
    gap = learner.gap(centre, objective, bound)
    return PlanesLearned(centre, objective, bound, gap, np.array(learner.path), completions, converged)


class _Learner:
    """Hold the planes of a completion, and search among weights."""

    def __init__(
        self,
        problems: Sequence[AugmentedProblem],
        regularizer: str,
        tau: float,
        nonnegative: bool,
    ) -> None:
        self.problems, self.regularizer, self.tau, self.nonnegative = problems, regularizer, tau, nonnegative
        self.completed: list[Energy] = []
        self.solutions: list[list[Energy]] = [[] for _ in problems]
        self.path: list[float] = []
        self.radius = 0.0

    def complete(self, w: FloatArray) -> float:
        """Complete all samples at w; give the fall of energies."""
        before = self.completed
        self.completed = [problem.complete(w) for problem in self.problems]
        return (
            math.fsum(old.at(w) - new.at(w) for old, new in zip(before, self.completed, strict=True))
            if before
            else math.inf
        )

    def regular(self, w: FloatArray) -> float:
        """The regulariser, weighed."""
        return self.tau * float(np.abs(w).sum() if self.regularizer == "l1" else w @ w)

    def look(self, w: FloatArray, tol: float) -> float:
        """Ask samples for solutions at w, and bound the objective."""
        losses = []
        for k, problem in enumerate(self.problems):
            energy, bound = problem.augment(w, tol / len(self.problems))
            self.solutions[k].append(energy)
            losses.append(max(0.0, self.completed[k].at(w) - bound))
        value = self.regular(w) + math.fsum(losses)
        if not math.isfinite(value):
            raise ValueError(f"the objective is {value}; expected smaller distances, price or start")
        self.path.append(value)
        return value

    def gap(self, w: FloatArray, objective: float, bound: float) -> float:
        """The gap, relative to the objective.

        0 where it is rounding of the energies.
        """
        rounding = ROUNDING * math.fsum(abs(truth.at(w)) + abs(truth.rest) for truth in self.completed)
        return 0.0 if objective - bound <= rounding else (objective - bound) / objective

    def planes(self) -> _Planes:
        """Give all planes.

        A sample has 0, which the completion itself gives, and one for each solution.
        """
        slopes, intercepts, groups = [], [], []
        for k, (truth, solutions) in enumerate(zip(self.completed, self.solutions, strict=True)):
            slopes += [np.zeros(len(truth.features)), *(truth.features - each.features for each in solutions)]
            intercepts += [0.0, *(truth.rest - each.rest for each in solutions)]
            groups += [k] * (len(solutions) + 1)
        return _Planes(np.array(slopes), np.array(intercepts), np.array(groups))

    def model(self, planes: _Planes, w: FloatArray) -> float:
        """The objective at w as the planes know it.

        No more than it is.
        """
        heights = np.zeros(len(self.problems))
        np.maximum.at(heights, planes.groups, planes.intercepts + planes.slopes @ w)
        return self.regular(w) + float(heights.sum())

    def descend(
        self, centre: FloatArray, objective: float, tol: float, max_iter: int
    ) -> tuple[FloatArray, float, float, bool]:
        """Lower the objective until the gap is within the tolerance.

        Give weights, objective, bound, whether it is.
        """
        bound, exhausted = -math.inf, False
        if self.radius == 0.0:
            self.radius = float(centre @ centre) / objective if objective > 0.0 and centre.any() else 1.0
        while True:
            planes = self.planes()
            bound = max(bound, self.least(planes))
            if self.gap(centre, objective, bound) <= tol:
                return centre, objective, bound, True
            if len(self.path) >= max_iter:
                return centre, objective, bound, False
            trial = self.proximal(planes, centre)
            promised = objective - self.model(planes, trial)
            allowed = ORACLE_SHARE * min(objective - bound, max(promised, tol * objective))
            known = self.model(planes, centre)
            if not exhausted and objective - known > 2.0 * allowed:
                # What is not known of the centre itself outweighs what a step promises.
                closer = self.look(centre, allowed)
                objective, exhausted = min(objective, closer), closer >= objective
                continue
            if exhausted and known - bound <= tol * objective:
                return (
                    centre,
                    objective,
                    bound,
                    False,
                )  # what is left is that minima cannot be bounded more closely
            value = self.look(trial, allowed)
            if promised < WORTH * (objective - bound):  # the bound, too, needs planes farther away
                self.radius *= 2.0
            elif self.model(self.planes(), trial) - objective > promised:
                self.radius /= 2.0
            if objective - value >= WORTH * promised:
                centre, objective, exhausted = trial, value, False

    def proximal(self, planes: _Planes, centre: FloatArray) -> FloatArray:
        """Find the weights of the proximal step.

        There the planes and half the squared distance to the centre over the radius are least.
        """
        d, K, t = len(centre), len(self.problems), self.radius
        slopes, intercepts, groups = [planes.slopes], [planes.intercepts], [planes.groups]
        costs = np.full(K + 1, t)
        costs[K] = 1.0
        scale = 1.0
        pull = -centre
        if self.regularizer == "l2":
            # All is divided by what squares of weights have as their factor.
            scale = 1.0 + 2.0 * t * self.tau
        elif self.nonnegative:
            pull = pull + t * self.tau
        else:
            slopes += [np.eye(d), -np.eye(d)]
            intercepts += [np.zeros(2 * d)]
            groups += [np.tile(np.arange(K + 1, K + 1 + d), 2)]
            costs = np.concatenate([costs, np.full(d, t * self.tau)])
        slopes.append(pull[None])
        intercepts.append(np.zeros(1))
        groups.append(np.array([K]))
        return minimise_planes(
            np.concatenate(slopes),
            np.concatenate(intercepts),
            np.concatenate(groups),
            costs / scale,
            np.full(d, self.nonnegative),
        ).v

    def least(self, planes: _Planes) -> float:
        """The least that the planes and the regulariser have together."""
        m, d = planes.slopes.shape
        K = len(self.problems)
        if self.regularizer == "l2" and self.tau > 0.0:
            minimum = minimise_planes(*planes, np.full(K, 0.5 / self.tau), np.full(d, self.nonnegative))
            return 2.0 * self.tau * minimum.bound
        parts = [planes.slopes] if self.nonnegative else [planes.slopes, -planes.slopes]
        above = np.zeros((m, K))
        above[np.arange(m), planes.groups] = -1.0
        costs = np.concatenate([np.full(d * len(parts), self.tau), np.ones(K)])
        solved = linprog(
            costs, A_ub=np.hstack([*parts, above]), b_ub=-planes.intercepts, bounds=(0, None), method="highs"
        )
        # The dual's value, so that what the solver leaves open does not raise the bound.
        return float(planes.intercepts @ -solved.ineqlin.marginals) if solved.status == 0 else 0.0
