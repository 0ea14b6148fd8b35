"""Learning with exemplars.

Slaves against plain loops, bounds and learned weights against cvxpy and PuLP.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cladebench.crosscheck._instances import FloatArray, real_data
from cladebench.crosscheck.certificate import (
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.reference import exemplar_learning as reference
from cladebench.solvers.dual_decomposition import Slave, SlaveProblem, learn
from cladebench.solvers.exemplar_learning import ClusteringProblem
from cladebench.solvers.given_distances import StackedDistances

IntArray = npt.NDArray[np.int64]

TOPICS = ("exemplar-learning",)

#: scope -> points of a set, and draws of each kind.
SIZES = {"smoke": (8, 1), "quick": (12, 1), "full": (20, 2)}
#: Rounds of steps before slaves are compared, and for a bound and weights that are near the best.
FEW, MANY = 5, 4000
PRICE = 2.0
TAU = 1.0
#: How far above the least objective steps may end, relative to it: they come near slowly.
NEAR = 0.05


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield the certificates of each instance."""
    n, n_draws = SIZES[scope]
    for name, F, labels in _instances(n, n_draws, seed):
        yield _slaves(name, F, labels)
        yield from _bounds(name, F, labels)
        yield _weights(name, F, labels)


def _instances(n: int, n_draws: int, seed: int) -> Iterator[tuple[str, FloatArray, IntArray]]:
    """Yield random numbers and squared differences of real data.

    Random numbers are no metric; differences are in four features.
    """
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, n, draw])
        labels = rng.permutation(np.arange(n) % 3)
        yield f"random-{n}-{draw}", rng.uniform(0.1, 2.0, (3, n, n)), labels
        for name, (X, classes) in real_data().items():
            rows = rng.choice(len(X), n, replace=False)
            spread = X.std(axis=0)
            Z = (X / np.where(spread > 0, spread, 1.0))[rows][:, :4]
            stack = np.square(Z[:, None] - Z[None]).transpose(2, 0, 1)
            yield (
                f"{name}-{n}-{draw}",
                np.ascontiguousarray(stack),
                np.unique(classes[rows], return_inverse=True)[1],
            )


def _plain(F: FloatArray, labels: IntArray, fast: ClusteringProblem) -> SlaveProblem:
    n, clusters = F.shape[1], np.unique(labels)
    slaves: list[Slave] = [
        *(reference.PointSlave(p, F, PRICE, labels, 1.0) for p in range(n)),
        *(reference.ClusterSlave(np.flatnonzero(labels == c), n, PRICE, 1.0, 1.0, len(F)) for c in clusters),
    ]
    return SlaveProblem(slaves, n, fast.complete)


def _slaves(instance: str, F: FloatArray, labels: IntArray) -> Certificate:
    """Bounds of both over some rounds, from the same multipliers."""
    fast = ClusteringProblem(StackedDistances(F), labels, PRICE)
    plain = _plain(F, labels, fast)
    w = np.linspace(0.5, 1.5, len(F))
    worst, seconds_fast, seconds_plain, one, other = 0.0, 0.0, 0.0, 0.0, 0.0
    n = len(labels)
    for round_ in range(FEW):
        bound, seconds = timed(lambda: fast.relax(w).at(w))
        seconds_fast += seconds
        # Whatever way ties were broken before, both are asked at the same multipliers.
        theta = fast.raw - fast.offset
        of_clusters = fast.of_clusters - fast.offset
        plain.multipliers = [*theta, *(of_clusters[slave.variables] for slave in plain.slaves[n:])]
        reference_bound, seconds = timed(lambda: plain.relax(w).at(w))
        seconds_plain += seconds
        one, other = bound, reference_bound
        worst = max(worst, relative_difference(bound, reference_bound))
        fast.move(0.7 / (round_ + 1))
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="slaves",
        problem="the sum of the slaves' minima, Lemma 2, is that of plain loops",
        fast="all slaves in one pass",
        reference="one slave after the other",
        primal=one,
        dual_bound=other,
        residual=worst,
        tolerance=ROUNDING,
        seconds_fast=seconds_fast,
        seconds_reference=seconds_plain,
    )


def _bounds(instance: str, F: FloatArray, labels: IntArray) -> Iterator[Certificate]:
    """Check the bound at multipliers found, at best ones, and optimum."""
    w = np.linspace(0.5, 1.5, len(F))
    d = np.tensordot(w, F, axes=1)
    np.fill_diagonal(d, PRICE)
    problem = ClusteringProblem(StackedDistances(F), labels, PRICE)

    def ascend() -> float:
        best = -np.inf
        for t in range(MANY):
            best = max(best, problem.relax(w).at(w))
            problem.move(0.5 / np.sqrt(t + 1))
        return float(best)

    bound, seconds = timed(ascend)
    relaxed, seconds_relaxed = timed(lambda: reference.relaxation(d, labels))
    least, seconds_least = timed(lambda: reference.least_augmented_energy_programme(d, labels))
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="bound",
        problem="no multipliers give a bound, (26), above that of the linear programme",
        fast=f"{MANY} rounds of steps",
        reference="cvxpy (Clarabel)",
        primal=relaxed,
        dual_bound=bound,
        residual=shortfall(relaxed, bound),
        tolerance=SOLVER,
        seconds_fast=seconds,
        seconds_reference=seconds_relaxed,
        note=f"the bound reached is {relaxed - bound:.2g} below",
    )
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="optimum",
        problem="the bound is never above the least energy less margin of any solution",
        fast=f"{MANY} rounds of steps",
        reference="integer programme, PuLP (CBC)",
        primal=least,
        dual_bound=bound,
        residual=shortfall(least, bound),
        tolerance=SOLVER,
        seconds_fast=seconds,
        seconds_reference=seconds_least,
        note=f"the relaxation is {least - relaxed:.2g} below the optimum",
    )


def _weights(instance: str, F: FloatArray, labels: IntArray) -> Certificate:
    """Weights for fixed exemplars, by steps and by one convex programme."""
    problem = ClusteringProblem(StackedDistances(F), labels, PRICE)
    start = np.ones(len(F))
    completed = problem.complete(start)
    found, seconds = timed(
        lambda: learn(
            [problem],
            start,
            tau=TAU,
            step=0.5,
            weight_step=0.2 / len(labels),
            rounds=MANY,
            max_iter=MANY,
            tol=0.0,
        )
    )
    (_, exact), seconds_reference = timed(
        lambda: reference.learning_programme([F], [labels], [completed], PRICE, TAU)
    )
    above = (found.objective - exact) / max(abs(exact), 1.0)
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="weights",
        problem="for fixed exemplars no weights have a lower objective, (28), than the convex programme's",
        fast=f"{MANY} rounds of steps",
        reference="cvxpy (Clarabel) on all slaves at once",
        primal=found.objective,
        dual_bound=exact,
        residual=max(shortfall(found.objective, exact), max(0.0, above - NEAR)),
        tolerance=SOLVER,
        seconds_fast=seconds,
        seconds_reference=seconds_reference,
        note=f"steps end {100 * above:.2g}% above",
    )
