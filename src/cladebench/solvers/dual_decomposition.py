r"""Max-margin learning of models with latent variables, by dual decomposition.

A sample's energy is linear in the weights, :math:`E(x; w) = w \cdot f(x) + c(x)`, and part of its right solution is
known. Weights are sought under which the best solution that agrees with what is known, :math:`x^k`, has less energy
than any other by a margin :math:`\Delta` ([1]_, (12)). What stands in the way is the least of :math:`E - \Delta` over
all solutions: it is bounded from below by the sum of the minima of *slaves*, each over some of the variables, with
multipliers that make their copies agree ((26)). Completing :math:`x^k` and steps on weights and multipliers alternate
(Fig. 1, Section 5).

References
----------
.. [1] N. Komodakis, Learning to cluster using high order graphical models with latent variables, ICCV 2011.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: A convex function of the weights: its value and a subgradient.
Regularizer = Callable[[FloatArray], tuple[float, FloatArray]]
#: Rounds over which the objective must fall.
WINDOW = 50

#: Gives the nearest point of a convex set.
Projection = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Energy:
    """A solution's energy as a function of the weights.

    ``w @ features + rest``.

    Parameters
    ----------
    features : ndarray of shape (n_weights,)
    rest : float
    """

    features: FloatArray
    rest: float

    def at(self, w: FloatArray) -> float:
        """The energy at weights w."""
        return float(w @ self.features) + self.rest


class LatentProblem(ABC):
    """Hold a training sample's energy, known solution, and relaxation with multipliers."""

    @abstractmethod
    def complete(self, w: FloatArray) -> Energy:
        """Give a least-energy solution at w that agrees with what is known."""

    @abstractmethod
    def relax(self, w: FloatArray) -> Energy:
        """Minimise all slaves.

        The sum of their minima is never above the least of energy less margin.
        """

    @abstractmethod
    def squared_slope(self) -> float:
        """Give the multipliers' unit step's squared length, by the last `relax`."""

    @abstractmethod
    def move(self, step: float) -> None:
        """Move multipliers along the last `relax`'s supergradient, summing to 0."""


class Slave(Protocol):
    """Minimise part of a problem over variables of 0 and 1.

    Attributes
    ----------
    variables : ndarray of int64
        Numbers of the shared variables that it has copies of, each once.
    """

    variables: IntArray

    def minimize(self, w: FloatArray, multipliers: FloatArray) -> tuple[FloatArray, Energy]:
        """Minimise its energy plus ``multipliers @ copies``.

        Returns
        -------
        copies : ndarray of shape (n_variables,)
            Values of its shared variables, each 0 or 1.
        energy : Energy
            Of the minimiser, without the multipliers.
        """
        ...


class SlaveProblem(LatentProblem):
    """Hold a problem by its slaves, one object each.

    Any model will do, at the speed of Python.

    Parameters
    ----------
    slaves : sequence of Slave
    n_shared : int
        Number of shared variables; each has a copy in at least one slave.
    completion : callable
        ``completion(w) -> Energy``, as `complete` has it.
    """

    def __init__(
        self, slaves: Sequence[Slave], n_shared: int, completion: Callable[[FloatArray], Energy]
    ) -> None:
        self.slaves, self.completion = slaves, completion
        self.n_copies = np.zeros(n_shared)
        for slave in slaves:
            self.n_copies[slave.variables] += 1
        self.multipliers = [np.zeros(len(slave.variables)) for slave in slaves]
        self._deviations = [np.zeros(len(slave.variables)) for slave in slaves]

    def complete(self, w: FloatArray) -> Energy:
        """Give what the completion gives."""
        return self.completion(w)

    def relax(self, w: FloatArray) -> Energy:
        """Minimise one slave after the other."""
        features, rest, mean, all_copies = np.zeros(len(w)), 0.0, np.zeros(len(self.n_copies)), []
        for slave, multiplier in zip(self.slaves, self.multipliers, strict=True):
            copies, energy = slave.minimize(w, multiplier)
            features = features + energy.features
            rest += energy.rest + float(multiplier @ copies)
            mean[slave.variables] += copies
            all_copies.append(copies)
        mean /= self.n_copies
        self._deviations = [
            copies - mean[slave.variables] for slave, copies in zip(self.slaves, all_copies, strict=True)
        ]
        return Energy(features, rest)

    def squared_slope(self) -> float:
        """Sum the squared differences of copies from their variable's mean."""
        return float(sum(np.square(deviation).sum() for deviation in self._deviations))

    def move(self, step: float) -> None:
        """Raise multipliers of copies above their mean; lower the others.

        The mean of their variable.
        """
        for multiplier, deviation in zip(self.multipliers, self._deviations, strict=True):
            multiplier += step * deviation


@dataclass(frozen=True)
class Learned:
    """What `learn` found.

    Attributes
    ----------
    weights : ndarray of shape (n_weights,)
        Those of the lowest objective that was met.
    objective : float
        Their objective, of (27).
    path : ndarray of shape (n_rounds,)
        Objective before each round of steps.
    completions : int
        How often latent variables were completed.
    converged : bool
        Whether the objective had ceased to fall.
    """

    weights: FloatArray
    objective: float
    path: FloatArray
    completions: int
    converged: bool


def l1(w: FloatArray) -> tuple[float, FloatArray]:
    """Sum of magnitudes, and a subgradient: 0 where a weight is 0."""
    return float(np.abs(w).sum()), np.sign(w)


def l2(w: FloatArray) -> tuple[float, FloatArray]:
    """Sum of squares, and its gradient."""
    return float(w @ w), 2.0 * w


def nonnegative(w: FloatArray) -> FloatArray:
    """Nearest weights that are not negative."""
    return np.maximum(w, 0.0)


def learn(
    problems: Sequence[LatentProblem],
    start: FloatArray,
    *,
    regularizer: Regularizer = l1,
    tau: float = 1.0,
    constraint: Projection = nonnegative,
    step: float = 1.0,
    weight_step: float = 1.0,
    polyak: bool = False,
    rounds: int = 1,
    max_iter: int = 500,
    tol: float = 1e-3,
    stochastic: bool = False,
    random: np.random.RandomState | None = None,
    keep_on: Callable[[], None] = lambda: None,
) -> Learned:
    r"""Minimise the objective (27) over weights, multipliers and what is latent.

    .. math:: \tau J(w) + \sum_k \left[ E^k(x^k; w) - R^k(w, \lambda^k) \right]

    Parameters
    ----------
    problems : sequence of LatentProblem
        Their multipliers are moved in place.
    start : ndarray of shape (n_weights,)
    regularizer : callable, default=l1
        J ("sparsity-inducing", Section 6).
    tau : float, default=1
    constraint : callable, default=nonnegative
        Projection on the set of weights that are allowed ("we required w >= 0", Section 6).
    step : float, default=1
        s in the steps ``s / sqrt(t)`` of round t; the paper gives none.
    weight_step : float, default=1
        How much longer a step is for the weights than for the multipliers.
    polyak : bool, default=False
        Instead: steps by Polyak's rule, with 0 for the optimum: no sum of hinge losses is lower. Where the optimum is
        far from 0 steps are too long: with all problems in a step and fixed completions the lowest objective that is
        met falls to twice the optimum in the end, if not lower.
    rounds : int, default=1
        T of Fig. 1: rounds of steps for each completion of the latent variables.
    max_iter : int, default=500
        Rounds at most.
    tol : float, default=1e-3
        Ends when the lowest objective has fallen by no more than this share of it over 50 rounds; with 0 never.
    stochastic : bool, default=False
        In a round take a step for one problem after the other, in an order that is drawn ("a stochastic subgradient
        algorithm", Section 4.2.1). As there, a step has the loss of one problem and the whole of the regulariser, which
        weighs as much as tau times the number of problems does without it; the objective stays that of all.
    random : RandomState, optional
        Draws the order.
    keep_on : callable, optional
        Called before each round; what it throws ends the work.

    Returns
    -------
    Learned

    Raises
    ------
    ValueError
        If the objective is no longer finite: steps are too long.

    Notes
    -----
    A step need not lower the objective: the weights that are returned are the best that were met. For fixed completions
    the objective is convex, and whatever the multipliers an upper bound on the hinge loss (14).
    """
    w = constraint(np.array(start, dtype=np.float64))
    path: list[float] = []
    best, best_w, completed, completions, converged = math.inf, w, list[Energy](), 0, False
    for t in range(max_iter):
        keep_on()
        if anew := t % rounds == 0:
            completed = [problem.complete(w) for problem in problems]
            completions += 1
        relaxed = [problem.relax(w) for problem in problems]
        value = tau * regularizer(w)[0] + _loss(completed, relaxed, w)
        if not math.isfinite(value):
            raise ValueError(
                f"the objective is {value} in round {t + 1}: steps are too long;"
                f" expected less than step={step:g}, weight_step={weight_step:g}"
            )
        path.append(value)
        if value < best:
            best, best_w = value, w
        if tol > 0 and t >= WINDOW and min(path[:-WINDOW]) - best <= tol * abs(best):
            converged = True
            break
        batches = [[k] for k in _order(random, len(problems))] if stochastic else [list(range(len(problems)))]
        for batch in batches:
            if stochastic:
                (k,) = batch
                completed[k] = problems[k].complete(w) if anew else completed[k]
                relaxed[k] = problems[k].relax(w)
            downhill = tau * regularizer(w)[1]
            for k in batch:
                downhill = downhill + completed[k].features - relaxed[k].features
            length = step / math.sqrt(t + 1)
            if polyak:
                loss = _loss([completed[k] for k in batch], [relaxed[k] for k in batch], w)
                above = max(tau * regularizer(w)[0] + loss, 0.0)
                slopes = sum(problems[k].squared_slope() for k in batch)
                squared = slopes + weight_step * float(downhill @ downhill)
                length = above / squared if squared > 0 else 0.0
            w = constraint(w - length * weight_step * downhill)
            for k in batch:
                problems[k].move(length)
    return Learned(best_w, best, np.array(path), completions, converged)


def _loss(completed: Sequence[Energy], relaxed: Sequence[Energy], w: FloatArray) -> float:
    losses = [c.at(w) - r.at(w) for c, r in zip(completed, relaxed, strict=True)]
    return math.fsum(losses) if all(map(math.isfinite, losses)) else math.nan


def _order(random: np.random.RandomState | None, n: int) -> list[int]:
    return (random or np.random.RandomState(0)).permutation(n).tolist()
