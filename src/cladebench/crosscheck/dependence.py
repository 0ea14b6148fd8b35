"""The best structure of a partition against a semidefinite programme.

Also the bound on all partitions, against subspaces that are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from cladebench.crosscheck._dependence_instances import Instance, instances, labels_of, structures
from cladebench.crosscheck.certificate import (
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.methods._kernel import start_labels
from cladebench.reference import dependence as twin
from cladebench.reference.dependence_programmes import (
    best_structure,
    best_value,
    structure_programme,
)
from cladebench.solvers.dependence import centered, greedy_partition, objective_bound, optimal_structure

TOPICS = ("dependence-structure", "dependence-relaxation")

#: Rows, numbers of clusters, draws.
SIZES: dict[str, tuple[int, tuple[int, ...], int]] = {
    "smoke": (12, (2, 3), 1),
    "quick": (20, (2, 3, 5), 1),
    "full": (40, (2, 3, 5, 8), 2),
}
#: Structures and subspaces that are drawn.
N_DRAWN = 100
#: Structures of unit norm are as far apart as the root of twice what one lacks of the largest objective.
MATRIX = float(np.sqrt(2.0 * SOLVER))


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of draws of real data and random points.

    Real data are standardised.
    """
    n_rows, numbers, n_draws = SIZES[scope]
    for k in range(n_draws):
        for given in instances(n_rows, seed + k):
            for n_clusters in numbers:
                yield from _structure(given, n_clusters, seed + k)
                yield from _relaxation(given, n_clusters, seed + k)


def _structure(given: Instance, n_clusters: int, seed: int) -> Iterator[Certificate]:
    """The best structure of a partition.

    A semidefinite programme, equations (8) and (9), structures that are drawn.
    """
    M, labels = given.gram.values, labels_of(given.gram.n, n_clusters, seed)
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
        problem="a real P spans the constant vector and k - 1 leading eigenvectors. Then (10) is the root of the "
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
