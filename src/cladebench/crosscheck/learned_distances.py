"""Check learned distances by the programmes that they solve.

They are those of ITML, LMNN, BoostMetric, DCA and a forest of pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np

from cladebench.crosscheck._instances import real_data
from cladebench.crosscheck._pairs import FloatArray, IntArray, draw_labelled, draw_pairs
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    SOLVER,
    Certificate,
    Checks,
    Side,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.distances import DCA, ITML, LMNN, BoostMetric, RandomForestDistance
from cladebench.distances._triplets import find_targets
from cladebench.reference import boost_metric, dca, itml, lmnn, pair_forest

TOPICS = ("itml", "lmnn", "boost-metric", "dca", "pair-forest")

#: scope -> rows of semidefinite programmes, of the other problems, constraints of either sort in the latter; draws.
SIZES = {"smoke": (18, 60, 60, 1), "quick": (30, 150, 150, 2), "full": (45, 150, 400, 4)}
#: Features of programmes over matrices.
N_FEATURES = 4
#: Weights of ITML's slack.
GAMMAS = (0.1, 1.0, 10.0)
#: Trace penalty of BoostMetric, as a share of the least one with which nothing is learned. With next to none there is
#: no minimum where a metric separates the classes.
PENALTY = 0.5
#: Shares of the loss that LMNN may leave, and what the cone solvers of programmes over matrices reach.
LEFT, CONE = 0.01, 1e-5
CONE_SOLVER = "cvxpy, Clarabel"


class PairsInstance(NamedTuple):
    """Rows with labels, and constraints on pairs of them."""

    name: str
    X: FloatArray
    labels: IntArray
    must: IntArray
    cannot: IntArray

    @property
    def links(self) -> dict[str, IntArray]:
        """The constraints, as `fit` takes them."""
        return {"must_link": self.must, "cannot_link": self.cannot}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield certificates of real data, standardised, with constraints drawn from the labels."""
    n_few, n_samples, n_pairs, n_draws = SIZES[scope]
    for name, (X, y) in real_data().items():
        for k in range(n_draws):
            few = _instance(name, X, y, n_few, n_few // 2, seed + k, N_FEATURES)
            many = _instance(name, X, y, n_samples, n_pairs, seed + k, None)
            for gamma in GAMMAS:
                yield from _itml(few, gamma)
            yield from lmnn_minimum(few.name, few.X, few.labels)
            yield from _boost_metric(few)
            yield from _dca(_instance(name, X, y, n_samples, n_pairs, seed + k, N_FEATURES))
            yield from pair_trees(many.name, many.X, many.must, many.cannot, seed + k)


def _instance(
    name: str, X: FloatArray, y: IntArray, n: int, n_pairs: int, seed: int, n_features: int | None
) -> PairsInstance:
    rows, labels = draw_labelled(X, y, n, seed, n_features)
    return PairsInstance(f"{name}-{len(rows)}-{seed}", rows, labels, *draw_pairs(labels, n_pairs, seed))


def _itml(given: PairsInstance, gamma: float) -> Iterator[Certificate]:
    """Check ITML's optimality, its gap, and the cone programme.

    The gap is to the dual problem.
    """
    checks = Checks("itml", given.name)
    method = ITML(gamma, tol=1e-8, max_iter=20_000)
    fast = timed("cyclic projections of the core", method.fit, given.X, **given.links)
    learned = fast.result
    A = learned.components_.T @ learned.components_
    pairs = np.concatenate([given.must, given.cannot])
    signs = np.repeat([1.0, -1.0], [len(given.must), len(given.cannot)])
    start = np.where(signs > 0, learned.upper_, learned.lower_)
    moved = 1.0 / (1.0 / start - signs * learned.dual_ / gamma)
    V = given.X[pairs[:, 0]] - given.X[pairs[:, 1]]
    p = np.einsum("ij,jk,ik->i", V, A, V)
    stationary = np.eye(len(A)) + (V.T * (signs * learned.dual_)) @ V
    broken = {
        "inverse": float(np.abs(A @ stationary - np.eye(len(A))).max()),
        "multipliers": float(max(0.0, -learned.dual_.min())),
        "bounds": float(max(0.0, (signs * (p / moved - 1.0)).max())),
        "slackness": float(np.abs(learned.dual_ * (p - moved)).max() / max(1.0, (learned.dual_ * p).max())),
    }
    allowed = np.where(signs > 0, np.maximum(start, p), np.minimum(start, p))
    value = fast.giving(itml.objective(A, allowed, signs, learned.upper_, learned.lower_, gamma))
    # The Lagrangian at the multipliers, at its least: A is the inverse of that sum, the bounds are moved.
    bound = float(np.linalg.slogdet(stationary)[1] - gamma * np.log(moved / start).sum())
    most = max(*broken.values(), relative_difference(value.result, bound))
    yield checks.certify(
        f"gamma-{gamma:g}-conditions",
        "A is the inverse of I plus the sum of sign * multiplier * v v'. Bounds are kept, exactly where a "
        "multiplier is not 0. The dual problem has the same objective",
        value,
        Side("conditions and weak duality, in NumPy", bound),
        1e-6,
        residual=most if learned.converged_ else np.inf,
        note=f"{learned.n_iter_} sweeps; " + ", ".join(f"{key} {part:.1e}" for key, part in broken.items()),
    )
    try:
        programme = timed(
            CONE_SOLVER, itml.programme, given.X, pairs, signs, learned.upper_, learned.lower_, gamma
        )
    except cp.error.SolverError:  # it gives up on some problems; the dual problem has proved the objective
        return
    yield checks.certify(
        f"gamma-{gamma:g}-cone-programme",
        "the objective is the cone solver's",
        value,
        programme.giving(programme.result[2]),
        CONE,
    )


def lmnn_minimum(instance: str, X: FloatArray, labels: IntArray) -> Iterator[Certificate]:
    """Check the loss and its bound against the semidefinite programme."""
    checks, method = Checks("lmnn", instance), LMNN(tol=LEFT)
    fast = timed("L-BFGS over the map", method.fit, X, labels)
    learned = fast.result
    targets = find_targets(X, labels, method.n_neighbors)
    loss, *_ = lmnn.triplet_loss(X @ learned.components_.T, labels, targets, method.mu)
    programme = timed(CONE_SOLVER, lmnn.least_loss, X, labels, targets, method.mu)
    least, bound = programme.result[0], learned.loss_ * (1.0 - learned.gap_)
    yield checks.certify(
        "semidefinite-programme",
        "the loss is not below the least one over all linear maps, and above it by no more than the gap says",
        fast.giving(loss),
        programme.giving(least),
        CONE,
        residual=max(shortfall(loss, least), shortfall(least, loss * (1.0 - max(learned.gap_, 0.0)))),
        note=f"{learned.n_iter_} steps; the loss is recomputed triplet by triplet",
    )
    yield checks.certify(
        "dual-bound",
        "the bound by duality lies below the least loss",
        fast.giving(least),
        Side(CONE_SOLVER, bound),
        CONE,
        residual=max(shortfall(least, bound), relative_difference(learned.loss_, loss)),
        note="and the loss that the fit gives is that of the plain twin",
    )


def _boost_metric(given: PairsInstance) -> Iterator[Certificate]:
    """Totally corrective and stage-wise boosting, and the semidefinite programme."""
    A, unit = boost_metric.matrices(given.X, boost_metric.triplets(given.X, given.labels, 3, 3))
    penalty = PENALTY * max(0.0, float(np.linalg.eigvalsh(A.mean(axis=0))[-1]))
    programme = timed(CONE_SOLVER, boost_metric.programme, A, penalty)
    least = programme.result[1]
    for name, corrective in (("corrective", True), ("stage-wise", False)):
        method = BoostMetric(trace_penalty=penalty, tol=1e-7, max_iter=300, corrective=corrective)
        fast = timed("boosting of rank-one matrices", method.fit, given.X, given.labels)
        learned = fast.result
        # Where no step is taken the matrix is 0, and the distance the Euclidean one for want of a better.
        M = learned.components_.T @ learned.components_ * (unit if learned.n_iter_ else 0.0)
        value = boost_metric.objective(A, M, penalty)
        allowed = 0.0 if corrective else max(learned.gap_, 0.0)
        yield Checks("boost-metric", given.name).certify(
            name,
            "the objective is the cone solver's"
            if corrective
            else "the objective is not below the cone solver's, and above it by no more than the gap says",
            fast.giving(value),
            programme.giving(least),
            CONE,
            residual=max(least - value, value - least - allowed, 0.0) / max(1.0, abs(least)),
            note=f"{learned.n_iter_} steps, {'converged' if learned.converged_ else 'not converged'}; "
            f"its own gap is {learned.gap_:.1e}",
        )


def _dca(given: PairsInstance) -> Iterator[Certificate]:
    """Generalised eigenvectors, for one component and for all."""
    words = "covariances by sums, generalised eigenproblem of SciPy"
    covariances = timed(words, dca.covariances, given.X, given.must, given.cannot)
    between, within = covariances.result
    rank = int(np.linalg.matrix_rank(between))
    for n_components in sorted({1, rank}):
        method = DCA(n_components, first="within", weighting="chunklets", shrinkage=0.0)
        fast = timed("covariances by products, two eigenproblems", method.fit, given.X, **given.links)
        learned = fast.result
        exact = timed(words, dca.components, between, within, n_components)
        product, expected = float(np.prod(exact.result[0])), exact.result[1]
        M, wanted = (each.T @ each for each in (learned.components_, expected))
        ratio = np.linalg.det(learned.components_ @ between @ learned.components_.T) / np.linalg.det(
            learned.components_ @ within @ learned.components_.T
        )
        yield Checks("dca", given.name).certify(
            f"{n_components}-components",
            "the map is that of the generalised eigenvectors, and has the ratio of their eigenvalues' product",
            fast.giving(ratio),
            Side(words, product, covariances.seconds + exact.seconds),
            SOLVER,
            residual=max(
                relative_difference(float(ratio), product),
                float(np.abs(M - wanted).max() / np.abs(wanted).max()),
            ),
            note=f"{learned.n_chunklets_} chunklets",
        )


def pair_trees(
    instance: str,
    X: FloatArray,
    must: IntArray,
    cannot: IntArray,
    seed: int,
    max_features: int | str | None = 2,
    n_drawn: int = 2,
    **settings: Any,
) -> Iterator[Certificate]:
    """Check trees by every cut in fractions, and pairs one by one.

    `n_drawn` is `max_features` as a number.
    """
    checks = Checks("pair-forest", instance)
    settings = {"n_estimators": 3} | settings
    method = RandomForestDistance(**settings, max_features=max_features, random_state=seed)
    words = "counts in bins; few bins are looked into"
    fast = timed(words, method.fit, X, must_link=must, cannot_link=cannot)
    forest = fast.result
    rows = (X - forest.zero_) / forest.scale_
    settings |= {"max_features": n_drawn, "seed": forest.seed_}
    words = "every cut, in exact fractions"
    exact = timed(words, pair_forest.grow_forest, rows, must, cannot, **settings)
    trees = exact.result
    apart = [name for name in trees if not np.array_equal(trees[name], forest.trees_[name])]
    yield checks.certify(
        "trees",
        "the best cut of the features drawn at a node is taken: all nodes are the same to the last bit",
        fast.giving(len(forest.trees_["value"])),
        exact.giving(len(trees["value"])),
        IDENTICAL,
        residual=len(apart),
        note=f"{len(must) + len(cannot)} pairs, {settings['n_estimators']} trees"
        + (f"; not the same: {', '.join(apart)}" if apart else ""),
    )
    kernel, some = timed("kernel", forest.pairwise, X), rows[:20]
    pairs = timed("one pair after another", pair_forest.random_forest_distance, trees, some, rows)
    D, expected = kernel.result, pairs.result
    yield checks.certify(
        "probabilities",
        "distances are means over trees of the share in the leaf reached, in [0, 1] and the same both ways",
        kernel.giving(D[: len(some)].mean()),
        pairs.giving(expected.mean()),
        residual=max(
            float(np.abs(D[: len(some)] - expected).max()),
            float(np.abs(D - D.T).max()),
            float(max(0.0, -D.min(), D.max() - 1.0)),
        ),
        note=f"{expected.size} of {D.size} pairs, {settings['n_estimators']} trees",
    )
