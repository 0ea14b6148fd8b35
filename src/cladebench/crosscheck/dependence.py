"""Check the best structure of partitions by a semidefinite programme.

The bound on all partitions is checked by subspaces that are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._dependence_instances import GramInstance, instances, labels_of, structures
from cladebench.crosscheck.certificate import (
    SOLVER,
    Certificate,
    Checks,
    Side,
    excess,
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


def _structure(given: GramInstance, n_clusters: int, seed: int) -> Iterator[Certificate]:
    """The best structure of a partition.

    A semidefinite programme, equations (8) and (9), structures that are drawn.
    """
    M, labels = given.gram.values, labels_of(given.gram.n, n_clusters, seed)
    checks = Checks(TOPICS[0], f"{given.name}-{n_clusters}")
    fast = timed("means over pairs of clusters", optimal_structure, given.gram, labels, n_clusters)
    Y = fast.result
    value = twin.dependence(M, labels, Y)
    words = "semidefinite programme (5) in cvxpy, Clarabel"
    programme = timed(words, structure_programme, M, labels, n_clusters)
    taxonomy = programme.result
    P = twin.indicator(labels, n_clusters)
    HP = twin.centring(len(M)) @ P
    norm = float(np.linalg.norm(HP @ Y @ HP.T))
    yield checks.certify(
        "programme",
        "the structure is positive semidefinite, of unit norm, and its objective is the programme's optimum",
        fast.giving(value),
        programme.giving(taxonomy.bound),
        SOLVER,
        residual=max(
            relative_difference(value, taxonomy.value),
            relative_difference(value, taxonomy.bound),
            taxonomy.residual,
            abs(norm - 1.0),
            max(0.0, -float(np.linalg.eigvalsh(Y)[0])) / float(np.abs(Y).max()),
        ),
        note=f"{taxonomy.status}; the solver's structure has {taxonomy.value:.12g}, "
        f"its multipliers give {taxonomy.bound:.12g}",
    )
    yield checks.certify(
        "programme-matrix",
        "the structure is that of the programme: they differ by little in the norm of (5)",
        fast.giving(norm),
        Side(words, float(np.linalg.norm(HP @ taxonomy.structure @ HP.T))),
        MATRIX,
        residual=float(np.linalg.norm(HP @ (Y - taxonomy.structure) @ HP.T)),
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
        yield checks.certify(
            name,
            f"the structure is {statement}, entry by entry",
            fast.giving(np.linalg.norm(Y)),
            Side("the equation, as it is written", float(np.linalg.norm(other))),
            residual=float(np.abs(Y - other).max() / np.abs(other).max()),
        )
    rng = np.random.default_rng([seed, n_clusters])
    drawn = [F @ F.T for F in rng.normal(size=(N_DRAWN, n_clusters, n_clusters))]
    near = [Y + 1e-3 * np.abs(Y).max() * Z for Z in drawn]
    most = max(twin.dependence(M, labels, Z) for Z in (*structures(n_clusters).values(), *drawn, *near))
    yield checks.certify(
        "no-better",
        "the objective is (10), and no structure that is drawn, near it or not, has more",
        fast.giving(value),
        Side(f"{2 * N_DRAWN} random structures, star and caterpillar; (10) by a pseudo-inverse", most),
        residual=max(shortfall(value, most), relative_difference(value, best_value(M, P))),
    )


def _relaxation(given: GramInstance, n_clusters: int, seed: int) -> Iterator[Certificate]:
    """Section 3.3: real matrices instead of partitions.

    Centring takes one dimension from a partition's k.
    """
    M, n = given.gram.values, given.gram.n
    rng = np.random.default_rng([seed, n, n_clusters])
    checks = Checks(TOPICS[1], f"{given.name}-{n_clusters}")
    fast = timed("leading eigenvalues", objective_bound, given.gram, n_clusters)
    bound = fast.result
    vectors = np.linalg.eigh(M)[1][:, ::-1]
    spanned = np.column_stack([np.ones(n), vectors[:, : n_clusters - 1]])
    mixed = spanned @ rng.normal(size=(n_clusters, n_clusters))
    words = "(10) by a pseudo-inverse, eigenvectors by LAPACK"
    yield checks.certify(
        "attained",
        "a real P spans the constant vector and k - 1 leading eigenvectors. Then (10) is the root of the "
        "sum of their squared eigenvalues",
        fast.giving(best_value(M, mixed)),
        Side(words, bound),
    )
    steps = 10.0 ** rng.uniform(-4, 1, size=N_DRAWN)
    tried = [
        np.column_stack([np.ones(n), spanned[:, 1:] + step * rng.normal(size=(n, n_clusters - 1))])
        for step in steps
    ]
    yield checks.certify(
        "no-better-subspace",
        "no P that is drawn, near that subspace or not, has more in (10); the constant vector is in its span",
        fast.giving(max(best_value(M, P) for P in tried)),
        Side(f"{N_DRAWN} random subspaces", bound),
        residual=excess,
    )
    free, larger = best_value(M, vectors[:, :n_clusters]), objective_bound(given.gram, n_clusters + 1)
    yield checks.certify(
        "without-constant",
        "without the constant vector in its span P reaches k eigenvalues: (10) as the paper relaxes it, which "
        "no partition can",
        fast.giving(free),
        Side(words, larger),
        residual=max(relative_difference(free, larger), shortfall(free, bound)),
    )
    start = start_labels(given.gram, n_clusters, "spectral", np.random.RandomState(seed))
    reached = []
    for structure in (*structures(n_clusters).values(), optimal_structure(given.gram, start, n_clusters)):
        swept = greedy_partition(given.gram, structure, start)
        best = optimal_structure(given.gram, swept.labels, n_clusters)
        reached += [float(swept.objective[-1]), twin.dependence(M, swept.labels, best)]
    yield checks.certify(
        "sweeps-below",
        "the objective that sweeps reach, with their structure and with the best, is not above that bound",
        Side("leading eigenvalues", max(reached)),
        Side("eigenvalues of M", bound),
        residual=excess,
    )
