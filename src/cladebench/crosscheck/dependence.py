"""The dependence of partitions on data against programmes, enumeration and bounds.

Structures, partitions, sweeps.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from cladebench.crosscheck._instances import FloatArray, draw, real_data
from cladebench.crosscheck._pairs import IntArray
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.methods._kernel import kernel_matrix, start_labels
from cladebench.reference import dependence as twin
from cladebench.reference.dependence_programmes import (
    best_structure,
    best_value,
    partition_bound,
    partition_programme,
    partition_value,
    structure_programme,
)
from cladebench.reference.programmes import SOLVERS, SolverName
from cladebench.solvers.dependence import centered, greedy_partition, objective_bound, optimal_structure
from cladebench.solvers.enumerated_partitions import best_partitions
from cladebench.solvers.gram import CenteredGram, center, center_factor

TOPICS = ("dependence-structure", "dependence-relaxation", "dependence-partition", "dependence-sweeps")

#: Rows of structures, of enumerated sets, of integer programmes, of sweeps; numbers of clusters; draws.
Sizes = tuple[int, int, int, int, tuple[int, ...], int]
SIZES: dict[str, Sizes] = {
    "smoke": (12, 6, 4, 25, (2, 3), 1),
    "quick": (20, 7, 5, 60, (2, 3, 5), 1),
    "full": (40, 9, 7, 300, (2, 3, 5, 8), 2),
}
#: Clusters of integer programmes, of single moves, of sweeps.
N_CLUSTERS, N_SWEPT = 3, 4
#: Structures and subspaces that are drawn.
N_DRAWN = 100
#: Structures of unit norm are as far apart as the root of twice what one lacks of the largest objective.
MATRIX = float(np.sqrt(2.0 * SOLVER))
KERNEL = "greedy sweeps of the core"


class Instance(NamedTuple):
    """Points, and their centred kernel matrix."""

    name: str
    X: FloatArray
    gram: CenteredGram


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of draws of real data and random points.

    Real data are standardised.
    """
    n_structure, n_enumerated, n_programme, n_swept, numbers, n_draws = SIZES[scope]
    for k in range(n_draws):
        for given in _instances(n_structure, seed + k):
            for n_clusters in numbers:
                yield from _structure(given, n_clusters, seed + k)
                yield from _relaxation(given, n_clusters, seed + k)
        for given in _instances(n_enumerated, seed + k):
            yield from _enumerated(given, seed + k)
            yield from _local(given, seed + k)
        for given in _instances(n_programme, seed + k):
            yield from _programmes(given, ("HiGHS",) if scope == "smoke" else SOLVERS)  # CBC is slow to start
    for given in _instances(n_swept, seed):
        yield from _sweeps(given, seed)


def structures(n_clusters: int) -> dict[str, FloatArray]:
    """Y = I, the star.

    And a caterpillar: clusters share the spine up to where the first of them leaves it.
    """
    places = np.arange(n_clusters, dtype=np.float64)
    return {"star": np.eye(n_clusters), "caterpillar": np.minimum.outer(places, places) + np.eye(n_clusters)}


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


def _instances(n: int, seed: int) -> Iterator[Instance]:
    drawn = {name: draw(X, min(n, len(np.unique(X, axis=0))), seed) for name, (X, _) in real_data().items()}
    drawn["random"] = np.random.default_rng([seed, n]).normal(size=(n, 3))
    for name, X in drawn.items():
        spread = X.std(axis=0)
        Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        yield Instance(f"{name}-{len(Z)}-{seed}", Z, center(kernel_matrix(Z, "gaussian", 1.0)))


def _labels(n: int, n_clusters: int, seed: int) -> IntArray:
    """Clusters of unequal sizes, none empty."""
    rng = np.random.default_rng([seed, n, n_clusters])
    share = rng.dirichlet(np.ones(n_clusters))
    return np.concatenate([np.arange(n_clusters), rng.choice(n_clusters, size=n - n_clusters, p=share)])


def _structure(given: Instance, n_clusters: int, seed: int) -> Iterator[Certificate]:
    """The best structure of a partition.

    A semidefinite programme, equations (8) and (9), structures that are drawn.
    """
    M, labels = given.gram.values, _labels(given.gram.n, n_clusters, seed)
    Y, seconds_fast = timed(lambda: optimal_structure(given.gram, labels, n_clusters))
    value = twin.dependence(M, labels, Y)
    found, seconds = timed(lambda: structure_programme(M, labels, n_clusters))
    P = twin.indicator(labels, n_clusters)
    HP = twin.centring(len(M)) @ P
    norm = float(np.linalg.norm(HP @ Y @ HP.T))
    certificate = partial(
        Certificate,
        topic=TOPICS[0],
        instance=f"{given.name}-{n_clusters}",
        fast="means over pairs of clusters",
        seconds_fast=seconds_fast,
    )
    yield certificate(
        name="programme",
        problem="the structure is positive semidefinite, of unit norm, and its objective is the programme's optimum",
        reference="semidefinite programme (5) in cvxpy, Clarabel",
        primal=value,
        dual_bound=found.bound,
        residual=max(
            relative_difference(value, found.value),
            relative_difference(value, found.bound),
            found.residual,
            abs(norm - 1.0),
            max(0.0, -float(np.linalg.eigvalsh(Y)[0])) / float(np.abs(Y).max()),
        ),
        tolerance=SOLVER,
        seconds_reference=seconds,
        note=f"{found.status}; the solver's structure has {found.value:.12g}, its multipliers give {found.bound:.12g}",
    )
    apart = float(np.linalg.norm(HP @ (Y - found.structure) @ HP.T))
    yield certificate(
        name="programme-matrix",
        problem="the structure is that of the programme: they differ by little in the norm of (5)",
        reference="semidefinite programme (5) in cvxpy, Clarabel",
        primal=norm,
        dual_bound=float(np.linalg.norm(HP @ found.structure @ HP.T)),
        residual=apart,
        tolerance=MATRIX,
    )
    set_kernel = centered(twin.set_kernel(M, labels, n_clusters))
    others = {
        "pseudo-inverse": ("(8) by a pseudo-inverse", best_structure(M, P)),
        "set-kernel": (
            "the set kernel (9), centred and scaled",
            set_kernel / np.linalg.norm(HP @ set_kernel @ HP.T),
        ),
    }
    for name, (statement, other) in others.items():
        yield certificate(
            name=name,
            problem=f"the structure is {statement}, entry by entry",
            reference="the equation, as it is written",
            primal=float(np.linalg.norm(Y)),
            dual_bound=float(np.linalg.norm(other)),
            residual=float(np.abs(Y - other).max() / np.abs(other).max()),
            tolerance=ROUNDING,
        )
    rng = np.random.default_rng([seed, n_clusters])
    drawn = [F @ F.T for F in rng.normal(size=(N_DRAWN, n_clusters, n_clusters))]
    near = [Y + 1e-3 * np.abs(Y).max() * Z for Z in drawn]
    most = max(twin.dependence(M, labels, Z) for Z in (*structures(n_clusters).values(), *drawn, *near))
    plugged = best_value(M, P)
    yield certificate(
        name="no-better",
        problem="the objective is (10), and no structure that is drawn, near it or not, has more",
        reference=f"{2 * N_DRAWN} random structures, star and caterpillar; (10) by a pseudo-inverse",
        primal=value,
        dual_bound=most,
        residual=max(shortfall(value, most), relative_difference(value, plugged)),
        tolerance=ROUNDING,
    )


def _relaxation(given: Instance, n_clusters: int, seed: int) -> Iterator[Certificate]:
    """Section 3.3: real matrices instead of partitions.

    Centring takes one dimension from a partition's k.
    """
    M, n = given.gram.values, given.gram.n
    rng = np.random.default_rng([seed, n, n_clusters])
    certificate = partial(
        Certificate, topic=TOPICS[1], instance=f"{given.name}-{n_clusters}", fast="leading eigenvalues"
    )
    bound, seconds_fast = timed(lambda: objective_bound(given.gram, n_clusters))
    vectors = np.linalg.eigh(M)[1][:, ::-1]
    spanned = np.column_stack([np.ones(n), vectors[:, : n_clusters - 1]])
    mixed = spanned @ rng.normal(size=(n_clusters, n_clusters))
    value = best_value(M, mixed)
    yield certificate(
        name="attained",
        problem="a real P that spans the constant vector and k - 1 leading eigenvectors has in (10) the root of the "
        "sum of their squared eigenvalues",
        reference="(10) by a pseudo-inverse, eigenvectors by LAPACK",
        primal=value,
        dual_bound=bound,
        residual=relative_difference(value, bound),
        tolerance=ROUNDING,
        seconds_fast=seconds_fast,
    )
    steps = 10.0 ** rng.uniform(-4, 1, size=N_DRAWN)
    tried = [
        np.column_stack([np.ones(n), spanned[:, 1:] + step * rng.normal(size=(n, n_clusters - 1))])
        for step in steps
    ]
    most = max(best_value(M, P) for P in tried)
    yield certificate(
        name="no-better-subspace",
        problem="no P that is drawn, near that subspace or not, has more in (10); the constant vector is in its span",
        reference=f"{N_DRAWN} random subspaces",
        primal=most,
        dual_bound=bound,
        residual=shortfall(bound, most),
        tolerance=ROUNDING,
        seconds_fast=seconds_fast,
    )
    free, larger = best_value(M, vectors[:, :n_clusters]), objective_bound(given.gram, n_clusters + 1)
    yield certificate(
        name="without-constant",
        problem="without the constant vector in its span P reaches k eigenvalues: (10) as the paper relaxes it, which "
        "no partition can",
        reference="(10) by a pseudo-inverse, eigenvectors by LAPACK",
        primal=free,
        dual_bound=larger,
        residual=max(relative_difference(free, larger), shortfall(free, bound)),
        tolerance=ROUNDING,
        seconds_fast=seconds_fast,
    )
    start = start_labels(given.gram, n_clusters, "spectral", np.random.RandomState(seed))
    reached = []
    for structure in (*structures(n_clusters).values(), optimal_structure(given.gram, start, n_clusters)):
        swept = greedy_partition(given.gram, structure, start)
        best = optimal_structure(given.gram, swept.labels, n_clusters)
        reached += [float(swept.objective[-1]), twin.dependence(M, swept.labels, best)]
    yield certificate(
        name="sweeps-below",
        problem="the objective that sweeps reach, with their structure and with the best, is not above that bound",
        reference="eigenvalues of M",
        primal=max(reached),
        dual_bound=bound,
        residual=shortfall(bound, max(reached)),
        tolerance=ROUNDING,
    )


def _enumerated(given: Instance, seed: int) -> Iterator[Certificate]:
    """The best partitions for Y = I and for the best Y.

    The study's enumeration against the twin's.
    """
    M, n = given.gram.values, given.gram.n
    for n_clusters in (2, N_CLUSTERS):
        certificate = partial(
            Certificate,
            topic=TOPICS[2],
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
    start = _labels(n, N_CLUSTERS, seed)
    for (name, structure), normalized in itertools.product(structures(N_CLUSTERS).items(), (False, True)):
        found, seconds_fast = timed(
            partial(greedy_partition, given.gram, structure, start, normalized=normalized)
        )
        value = partial(twin.dependence, M, structure=structure, normalized=normalized)
        optimum, seconds = timed(partial(_optimum, value, n, structure))
        reached, moved = value(found.labels), best_move(value, found.labels, N_CLUSTERS)
        yield Certificate(
            topic=TOPICS[2],
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
        certificate = partial(Certificate, topic=TOPICS[2], instance=given.name, fast="enumeration")
        value = partial(twin.dependence, M, structure=structure, normalized=False)
        optimum, seconds_fast = timed(partial(_optimum, value, len(M), structure))
        swept = greedy_partition(
            given.gram, structure, _labels(len(M), N_CLUSTERS, 0), normalized=False
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
        start = _labels(gram.n, N_SWEPT, seed)
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
                topic=TOPICS[3],
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
