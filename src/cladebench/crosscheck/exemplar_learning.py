"""Check learning with exemplars by loops, bounds, cvxpy and PuLP."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cladebench.crosscheck._instances import FloatArray, real_data
from cladebench.crosscheck.certificate import (
    SOLVER,
    Certificate,
    Checks,
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
        checks = Checks(TOPICS[0], name)
        yield _slaves(checks, F, labels)
        yield from _bounds(checks, F, labels)
        yield _weights(checks, F, labels)


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


def problems(
    F: FloatArray, labels: IntArray, price: float = PRICE, alpha: float = 1.0, beta: float = 1.0
) -> tuple[ClusteringProblem, SlaveProblem]:
    """Make a training set's problem twice, with the core's and plain slaves."""
    n, clusters = F.shape[1], np.unique(labels)
    fast = ClusteringProblem(StackedDistances(F), labels, price, alpha, beta)
    slaves: list[Slave] = [
        *(reference.PointSlave(p, F, price, labels, beta) for p in range(n)),
        *(
            reference.ClusterSlave(np.flatnonzero(labels == c), n, price, alpha, beta, len(F))
            for c in clusters
        ),
    ]
    return fast, SlaveProblem(slaves, n, fast.complete)


def _slaves(checks: Checks, F: FloatArray, labels: IntArray) -> Certificate:
    """Bounds of both over some rounds, from the same multipliers."""
    fast, plain = problems(F, labels)
    w = np.linspace(0.5, 1.5, len(F))
    n, pairs = len(labels), []
    for round_ in range(FEW):
        bound = timed("all slaves in one pass", lambda: fast.relax(w).at(w))
        # Whatever way ties were broken before, both are asked at the same multipliers.
        theta = fast.raw - fast.offset
        of_clusters = fast.of_clusters - fast.offset
        plain.multipliers = [*theta, *(of_clusters[slave.variables] for slave in plain.slaves[n:])]
        pairs.append((bound, timed("one slave after the other", lambda: plain.relax(w).at(w))))
        fast.move(0.7 / (round_ + 1))
    one, other = (
        side[-1]._replace(seconds=sum(s.seconds for s in side)) for side in zip(*pairs, strict=True)
    )
    return checks.certify(
        "slaves",
        "the sum of the slaves' minima, Lemma 2, is that of plain loops",
        one,
        other,
        residual=max(relative_difference(a.result, b.result) for a, b in pairs),
    )


def _bounds(checks: Checks, F: FloatArray, labels: IntArray) -> Iterator[Certificate]:
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

    fast = timed(f"{MANY} rounds of steps", ascend)
    relaxed = timed("cvxpy (Clarabel)", reference.relaxation, d, labels)
    words = "integer programme, PuLP (CBC)"
    least = timed(words, reference.least_augmented_energy_programme, d, labels)
    for name, problem_, exact, note in (
        (
            "bound",
            "no multipliers give a bound, (26), above that of the linear programme",
            relaxed,
            f"the bound reached is {relaxed.result - fast.result:.2g} below",
        ),
        (
            "optimum",
            "the bound is never above the least energy less margin of any solution",
            least,
            f"the relaxation is {least.result - relaxed.result:.2g} below the optimum",
        ),
    ):
        yield checks.certify(
            name,
            problem_,
            fast.giving(exact.result),
            exact.giving(fast.result),
            SOLVER,
            residual=shortfall,
            note=note,
        )


def _weights(checks: Checks, F: FloatArray, labels: IntArray) -> Certificate:
    """Weights for fixed exemplars, by steps and by one convex programme."""
    problem = ClusteringProblem(StackedDistances(F), labels, PRICE)
    start = np.ones(len(F))
    completed = problem.complete(start)
    fast = timed(
        f"{MANY} rounds of steps",
        learn,
        [problem],
        start,
        tau=TAU,
        step=0.5,
        weight_step=0.2 / len(labels),
        rounds=MANY,
        max_iter=MANY,
        tol=0.0,
    )
    words = "cvxpy (Clarabel) on all slaves at once"
    programme = timed(words, reference.learning_programme, [F], [labels], [completed], PRICE, TAU)
    objective, exact = fast.result.objective, programme.result[1]
    above = (objective - exact) / max(abs(exact), 1.0)
    return checks.certify(
        "weights",
        "for fixed exemplars no weights have a lower objective, (28), than the convex programme's",
        fast.giving(objective),
        programme.giving(exact),
        SOLVER,
        residual=max(shortfall(objective, exact), max(0.0, above - NEAR)),
        note=f"steps end {100 * above:.2g}% above",
    )
