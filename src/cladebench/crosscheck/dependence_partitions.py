"""Partitions that are the best, or that sweeps find.

Checked against enumeration, integer programmes, bounds and a twin.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from cladebench.crosscheck._dependence_instances import Instance, instances, labels_of, structures
from cladebench.crosscheck._instances import FloatArray
from cladebench.crosscheck._pairs import IntArray
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    ROUNDING,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.reference import dependence as twin
from cladebench.reference.dependence_programmes import (
    partition_bound,
    partition_programme,
    partition_value,
)
from cladebench.reference.programmes import SOLVERS, SolverName
from cladebench.solvers.dependence import greedy_partition, objective_bound
from cladebench.solvers.enumerated_partitions import best_partitions
from cladebench.solvers.gram import center_factor

TOPICS = ("dependence-partition", "dependence-sweeps")

#: Rows of enumerated sets, of integer programmes, of sweeps; draws.
SIZES: dict[str, tuple[int, int, int, int]] = {
    "smoke": (6, 4, 25, 1),
    "quick": (7, 5, 60, 1),
    "full": (9, 7, 300, 2),
}
#: Clusters of integer programmes, of single moves, of sweeps.
N_CLUSTERS, N_SWEPT = 3, 4
KERNEL = "greedy sweeps of the core"


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of draws of real data and random points.

    Real data are standardised.
    """
    n_enumerated, n_programme, n_swept, n_draws = SIZES[scope]
    for k in range(n_draws):
        for given in instances(n_enumerated, seed + k):
            yield from _enumerated(given, seed + k)
            yield from _local(given, seed + k)
        for given in instances(n_programme, seed + k):
            yield from _programmes(given, ("HiGHS",) if scope == "smoke" else SOLVERS)  # CBC is slow to start
    for given in instances(n_swept, seed):
        yield from _sweeps(given, seed)


def best_move(value: Callable[[IntArray], float], labels: IntArray, n_clusters: int) -> float:
    """The largest value after a single move that empties no cluster."""
    sizes = np.bincount(labels, minlength=n_clusters)
    found = -np.inf
    for i, c in itertools.product(range(len(labels)), range(n_clusters)):
        if c != labels[i] and sizes[labels[i]] > 1:
            moved = labels.copy()
            moved[i] = c
            found = max(found, value(moved))
    return found


def _enumerated(given: Instance, seed: int) -> Iterator[Certificate]:
    """The best partitions for Y = I and for the best Y.

    The study's enumeration against the twin's.
    """
    M, n = given.gram.values, given.gram.n
    for n_clusters in (2, N_CLUSTERS):
        certificate = partial(
            Certificate,
            topic=TOPICS[0],
            instance=f"{given.name}-{n_clusters}",
            fast="enumeration by sums over pairs of clusters",
        )
        found, seconds_fast = timed(partial(best_partitions, given.gram, n_clusters))
        both, seconds = timed(partial(_values, M, n_clusters))
        star, best = both.max(axis=0)
        again = twin.dependence(M, found.star, np.eye(n_clusters))
        with_best, unconstrained = (
            twin.dependence(M, labels, twin.optimal_structure(M, labels, n_clusters))
            for labels in (found.star, found.unconstrained)
        )
        said = (
            "one partition is the best for both"
            if found.agree
            else f"they differ, by {found.loss:.2g} of (1)"
        )
        yield certificate(
            name="optimum",
            problem="the best partitions for Y = I and for the best Y have the largest objectives of all partitions",
            reference="the plain twin's enumeration",
            primal=unconstrained,
            dual_bound=float(best),
            residual=max(
                relative_difference(again, float(star)),
                relative_difference(unconstrained, float(best)),
                relative_difference(found.star_value, again),
                relative_difference(found.unconstrained_value, unconstrained),
                relative_difference(found.star_with_best, with_best),
            ),
            tolerance=ROUNDING,
            seconds_fast=seconds_fast,
            seconds_reference=seconds,
            note=said,
        )
        bound = objective_bound(given.gram, n_clusters)
        yield certificate(
            name="below-eigenvalues",
            problem="no partition has more, with any structure, than the root of the sum of the k - 1 largest squared "
            "eigenvalues",
            reference="eigenvalues of M",
            primal=float(both.max()),
            dual_bound=bound,
            residual=max(shortfall(bound, float(both.max())), shortfall(float(best), float(star))),
            tolerance=ROUNDING,
            note=f"{len(both)} partitions of {n} points",
        )
        if n_clusters == 2:
            apart = float(np.abs(both[:, 0] - both[:, 1]).max() / both.max())
            yield certificate(
                name="two-clusters",
                problem="with two clusters every partition has one objective for all structures, so that the best one "
                "is the same (section 3.3)",
                reference="the plain twin's enumeration",
                primal=float(star),
                dual_bound=float(best),
                residual=max(apart, 0.0 if found.agree else 1.0),
                tolerance=ROUNDING,
                note=said,
            )


def _values(M: FloatArray, n_clusters: int) -> FloatArray:
    """Compute the objective of all partitions.

    With Y = I and with the best Y, in two columns.
    """
    return np.array(
        [
            [
                twin.dependence(M, labels, np.eye(n_clusters)),
                twin.dependence(M, labels, twin.optimal_structure(M, labels, n_clusters)),
            ]
            for labels in twin.partitions(len(M), n_clusters)
        ]
    )


def _optimum(value: Callable[[IntArray], float], n: int, structure: FloatArray) -> float:
    """The largest value of all partitions with no cluster empty.

    Clusters in all orders, unless that is the same.
    """
    k = len(structure)
    alike = np.array_equal(structure, np.eye(k))
    orders = [tuple(range(k))] if alike else list(itertools.permutations(range(k)))
    return max(value(np.array(order)[labels]) for labels in twin.partitions(n, k) for order in orders)


def _local(given: Instance, seed: int) -> Iterator[Certificate]:
    """Where sweeps end.

    Nowhere above the optimum, and where no single move helps.
    """
    M, n = given.gram.values, given.gram.n
    start = labels_of(n, N_CLUSTERS, seed)
    for (name, structure), normalized in itertools.product(structures(N_CLUSTERS).items(), (False, True)):
        found, seconds_fast = timed(
            partial(greedy_partition, given.gram, structure, start, normalized=normalized)
        )
        value = partial(twin.dependence, M, structure=structure, normalized=normalized)
        optimum, seconds = timed(partial(_optimum, value, n, structure))
        reached, moved = value(found.labels), best_move(value, found.labels, N_CLUSTERS)
        yield Certificate(
            topic=TOPICS[0],
            instance=given.name,
            name=f"{name}-{'normalized' if normalized else 'plain'}-local",
            problem="the partition is not above the best of all, no single move raises its objective, and that is the "
            "one reported",
            fast=KERNEL,
            reference="enumeration, and all moves of single points, by the n x n formula",
            primal=reached,
            dual_bound=optimum,
            residual=max(
                shortfall(optimum, reached),
                shortfall(reached, moved),
                relative_difference(reached, float(found.objective[-1])),
                0.0 if found.converged else 1.0,
            ),
            tolerance=ROUNDING,
            seconds_fast=seconds_fast,
            seconds_reference=seconds,
            note=f"{found.moves.sum()} moves in {len(found.moves)} sweeps",
        )


def _programmes(given: Instance, solvers: tuple[SolverName, ...]) -> Iterator[Certificate]:
    """The best partition for a structure, without the norm.

    Integer programmes, and a bound by relaxation.
    """
    M = given.gram.values
    for name, structure in structures(N_CLUSTERS).items():
        certificate = partial(Certificate, topic=TOPICS[0], instance=given.name, fast="enumeration")
        value = partial(twin.dependence, M, structure=structure, normalized=False)
        optimum, seconds_fast = timed(partial(_optimum, value, len(M), structure))
        swept = greedy_partition(
            given.gram, structure, labels_of(len(M), N_CLUSTERS, 0), normalized=False
        ).objective[-1]
        for solver in solvers:
            labels, seconds = timed(partial(partition_programme, M, structure, solver))
            found = partition_value(M, structure, labels)
            yield certificate(
                name=f"{name}-ilp-{solver}",
                problem="the integer programme finds the optimum of enumeration, which sweeps do not pass",
                reference=f"integer programme with products as variables (PuLP, {solver})",
                primal=optimum,
                dual_bound=found,
                residual=max(relative_difference(optimum, found), shortfall(found, float(swept))),
                tolerance=ROUNDING,
                seconds_fast=seconds_fast,
                seconds_reference=seconds,
            )
        bound, seconds = timed(partial(partition_bound, M, structure))
        yield certificate(
            name=f"{name}-semidefinite",
            problem="neither enumeration nor sweeps pass the bound by semidefinite relaxation",
            reference="dual of the lifted programme, bound recomputed from its multipliers (cvxpy, Clarabel)",
            primal=max(optimum, float(swept)),
            dual_bound=bound,
            residual=shortfall(bound, max(optimum, float(swept))),
            tolerance=ROUNDING,
            seconds_fast=seconds_fast,
            seconds_reference=seconds,
        )


def _sweeps(given: Instance, seed: int) -> Iterator[Certificate]:
    """Check sweeps of the core against the twin.

    From the whole matrix and from a factor of the linear kernel.
    """
    grams = {"dense": given.gram, "factor": center_factor(given.X)}
    for (form, gram), (name, structure) in itertools.product(grams.items(), structures(N_SWEPT).items()):
        M = gram.values @ gram.values.T if gram.is_factor else gram.values
        start = labels_of(gram.n, N_SWEPT, seed)
        order = np.random.default_rng([seed, gram.n]).permutation(gram.n)
        for normalized in (False, True):
            found, seconds_fast = timed(
                partial(greedy_partition, gram, structure, start, normalized=normalized, order=order)
            )
            (labels, path, moves), seconds = timed(
                partial(twin.greedy_partition, M, structure, start, normalized=normalized, order=order)
            )
            certificate = partial(
                Certificate,
                topic=TOPICS[1],
                instance=given.name,
                fast=KERNEL,
                seconds_fast=seconds_fast,
                seconds_reference=seconds,
            )
            what = f"{form}-{name}-{'normalized' if normalized else 'plain'}"
            different = int((labels != found.labels).sum()) + (moves != found.moves.tolist()[: len(moves)])
            value = twin.dependence(M, labels, structure, normalized)
            own = twin.dependence(M, found.labels, structure, normalized)
            yield certificate(
                name=f"{what}-labels",
                problem="each point ends in the same cluster, after as many moves in each sweep",
                reference="the plain twin, which takes both traces anew for each move",
                primal=own,
                dual_bound=value,
                residual=float(different),
                tolerance=IDENTICAL,
                note=f"{sum(moves)} moves in {len(moves)} sweeps",
            )
            first = twin.dependence(M, start, structure, normalized)
            yield certificate(
                name=f"{what}-objective",
                problem="the objective at the start, after each sweep and at the end is that of the n x n matrices, "
                "and never falls",
                reference="the twin's path, and the n x n formula at both ends",
                primal=float(found.objective[-1]),
                dual_bound=own,
                residual=max(
                    relative_difference(float(found.objective[-1]), own),
                    relative_difference(float(found.objective[0]), first),
                    *(relative_difference(float(a), b) for a, b in zip(found.objective, path, strict=False)),
                    *(shortfall(float(b), float(a)) for a, b in itertools.pairwise(found.objective)),
                ),
                tolerance=ROUNDING,
            )
