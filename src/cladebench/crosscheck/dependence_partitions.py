"""Check the best partitions and those that sweeps find.

The references are enumeration, integer programmes, bounds and a twin.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from cladebench.crosscheck._dependence_instances import GramInstance, instances, labels_of, structures
from cladebench.crosscheck._instances import FloatArray
from cladebench.crosscheck._pairs import IntArray
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    Certificate,
    Checks,
    Side,
    excess,
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
    best = -np.inf
    for i, c in itertools.product(range(len(labels)), range(n_clusters)):
        if c != labels[i] and sizes[labels[i]] > 1:
            moved = labels.copy()
            moved[i] = c
            best = max(best, value(moved))
    return best


def _enumerated(given: GramInstance, seed: int) -> Iterator[Certificate]:
    """Check the study's enumeration of best partitions by the twin's.

    The structures are Y = I and the best Y.
    """
    M, n = given.gram.values, given.gram.n
    for n_clusters in (2, N_CLUSTERS):
        checks = Checks(TOPICS[0], f"{given.name}-{n_clusters}")
        words = "enumeration by sums over pairs of clusters"
        fast = timed(words, best_partitions, given.gram, n_clusters)
        exact = timed("the plain twin's enumeration", _values, M, n_clusters)
        taxonomy, both = fast.result, exact.result
        star, best = both.max(axis=0)
        again = twin.dependence(M, taxonomy.star, np.eye(n_clusters))
        with_best, unconstrained = (
            twin.dependence(M, labels, twin.optimal_structure(M, labels, n_clusters))
            for labels in (taxonomy.star, taxonomy.unconstrained)
        )
        said = (
            "one partition is the best for both"
            if taxonomy.agree
            else f"they differ, by {taxonomy.loss:.2g} of (1)"
        )
        yield checks.certify(
            "optimum",
            "the best partitions for Y = I and for the best Y have the largest objectives of all partitions",
            fast.giving(unconstrained),
            exact.giving(best),
            residual=max(
                relative_difference(again, float(star)),
                relative_difference(unconstrained, float(best)),
                relative_difference(taxonomy.star_value, again),
                relative_difference(taxonomy.unconstrained_value, unconstrained),
                relative_difference(taxonomy.star_with_best, with_best),
            ),
            note=said,
        )
        most, bound = float(both.max()), objective_bound(given.gram, n_clusters)
        yield checks.certify(
            "below-eigenvalues",
            "no partition has more, with any structure, than the root of the sum of the k - 1 largest squared "
            "eigenvalues",
            Side(words, most),
            Side("eigenvalues of M", bound),
            residual=max(shortfall(bound, most), shortfall(float(best), float(star))),
            note=f"{len(both)} partitions of {n} points",
        )
        if n_clusters == 2:
            apart = float(np.abs(both[:, 0] - both[:, 1]).max() / both.max())
            yield checks.certify(
                "two-clusters",
                "with two clusters every partition has one objective for all structures, so that the best one "
                "is the same (section 3.3)",
                Side(words, float(star)),
                Side(exact.words, float(best)),
                residual=max(apart, 0.0 if taxonomy.agree else 1.0),
                note=said,
            )


def _values(M: FloatArray, n_clusters: int) -> FloatArray:
    """Compute all partitions' objective with Y = I and the best Y.

    Each has a column.
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


def _local(given: GramInstance, seed: int) -> Iterator[Certificate]:
    """Where sweeps end.

    Nowhere above the optimum, and where no single move helps.
    """
    M, n = given.gram.values, given.gram.n
    start = labels_of(n, N_CLUSTERS, seed)
    for (name, structure), normalized in itertools.product(structures(N_CLUSTERS).items(), (False, True)):
        fast = timed(KERNEL, greedy_partition, given.gram, structure, start, normalized=normalized)
        partition = fast.result
        value = partial(twin.dependence, M, structure=structure, normalized=normalized)
        words = "enumeration, and all moves of single points, by the n x n formula"
        optimum = timed(words, _optimum, value, n, structure)
        reached, moved = value(partition.labels), best_move(value, partition.labels, N_CLUSTERS)
        yield Checks(TOPICS[0], given.name).certify(
            f"{name}-{'normalized' if normalized else 'plain'}-local",
            "the partition is not above the best of all, no single move raises its objective, and that is the "
            "one reported",
            fast.giving(reached),
            optimum,
            residual=max(
                shortfall(optimum.result, reached),
                shortfall(reached, moved),
                relative_difference(reached, float(partition.objective[-1])),
                0.0 if partition.converged else 1.0,
            ),
            note=f"{partition.moves.sum()} moves in {len(partition.moves)} sweeps",
        )


def _programmes(given: GramInstance, solvers: tuple[SolverName, ...]) -> Iterator[Certificate]:
    """Check the best partition for a structure, without the norm.

    Integer programmes find it, and a relaxation bounds it.
    """
    M, checks = given.gram.values, Checks(TOPICS[0], given.name)
    for name, structure in structures(N_CLUSTERS).items():
        value = partial(twin.dependence, M, structure=structure, normalized=False)
        optimum = timed("enumeration", _optimum, value, len(M), structure)
        swept = greedy_partition(
            given.gram, structure, labels_of(len(M), N_CLUSTERS, 0), normalized=False
        ).objective[-1]
        for solver in solvers:
            words = f"integer programme with products as variables (PuLP, {solver})"
            programme = timed(words, partition_programme, M, structure, solver)
            reached = partition_value(M, structure, programme.result)
            yield checks.certify(
                f"{name}-ilp-{solver}",
                "the integer programme finds the optimum of enumeration, which sweeps do not pass",
                optimum,
                programme.giving(reached),
                residual=max(relative_difference(optimum.result, reached), shortfall(reached, float(swept))),
            )
        words = "dual of the lifted programme, bound recomputed from its multipliers (cvxpy, Clarabel)"
        yield checks.certify(
            f"{name}-semidefinite",
            "neither enumeration nor sweeps pass the bound by semidefinite relaxation",
            optimum.giving(max(optimum.result, float(swept))),
            timed(words, partition_bound, M, structure),
            residual=excess,
        )


def _sweeps(given: GramInstance, seed: int) -> Iterator[Certificate]:
    """Check the core's sweeps by the twin, from matrix and factor.

    The factor is that of the linear kernel.
    """
    grams = {"dense": given.gram, "factor": center_factor(given.X)}
    for (form, gram), (name, structure) in itertools.product(grams.items(), structures(N_SWEPT).items()):
        M = gram.values @ gram.values.T if gram.is_factor else gram.values
        start = labels_of(gram.n, N_SWEPT, seed)
        order = np.random.default_rng([seed, gram.n]).permutation(gram.n)
        checks = Checks(TOPICS[1], given.name)
        for normalized in (False, True):
            options = {"normalized": normalized, "order": order}
            fast = timed(KERNEL, greedy_partition, gram, structure, start, **options)  # type: ignore[arg-type]
            words = "the plain twin, which takes both traces anew for each move"
            exact = timed(words, twin.greedy_partition, M, structure, start, **options)  # type: ignore[arg-type]
            partition, (labels, path, moves) = fast.result, exact.result
            what = f"{form}-{name}-{'normalized' if normalized else 'plain'}"
            different = int((labels != partition.labels).sum()) + (
                moves != partition.moves.tolist()[: len(moves)]
            )
            value = twin.dependence(M, partition.labels, structure, normalized)
            yield checks.certify(
                f"{what}-labels",
                "each point ends in the same cluster, after as many moves in each sweep",
                fast.giving(value),
                exact.giving(twin.dependence(M, labels, structure, normalized)),
                IDENTICAL,
                residual=different,
                note=f"{sum(moves)} moves in {len(moves)} sweeps",
            )
            first = twin.dependence(M, start, structure, normalized)
            yield checks.certify(
                f"{what}-objective",
                "the objective at the start, after each sweep and at the end is that of the n x n matrices, "
                "and never falls",
                fast.giving(partition.objective[-1]),
                exact.giving(value, "the twin's path, and the n x n formula at both ends"),
                residual=max(
                    relative_difference(float(partition.objective[-1]), value),
                    relative_difference(float(partition.objective[0]), first),
                    *(
                        relative_difference(float(a), b)
                        for a, b in zip(partition.objective, path, strict=False)
                    ),
                    *(shortfall(float(b), float(a)) for a, b in itertools.pairwise(partition.objective)),
                ),
            )
