"""Check correlation clustering by exact values and bounds, its SVM by programmes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._instances import draw, real_data
from cladebench.crosscheck.certificate import (
    SOLVER,
    Certificate,
    Checks,
    Side,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.distances.svm_cluster import SVMCluster
from cladebench.reference import correlation_clusterings as reference
from cladebench.solvers.correlation_clusterings import CorrelationClustering, correlation_clustering

TOPICS = ("correlation-clustering",)

#: scope -> points of the exact partition, of the relaxation, draws of each data set.
SIZES = {"smoke": (8, 10, 1), "quick": (11, 16, 1), "full": (13, 24, 3)}
#: Gap of the relaxation, relative to the sum of positive similarities; and of the SVM.
TOLERANCE, SVM_TOLERANCE = 1e-4, 1e-3


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield instances' checks: partition, bound, relaxation, and learned weights."""
    n_exact, n_relaxed, n_draws = SIZES[scope]
    for name, X in _points(n_relaxed, n_draws, seed):
        yield from against_exact(f"{name}-{n_exact}", _similarity(X[:n_exact]))
        yield from against_relaxation(f"{name}-{n_relaxed}", _similarity(X))
    for name in real_data():
        yield _svm(name, seed)


def _points(n: int, n_draws: int, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    """Draw real data, and points in many dimensions.

    The relaxation is nearly tight on the former, and not on the latter.
    """
    for name, (X, _) in real_data().items():
        for k in range(n_draws):
            yield f"{name}-{k}", draw(X, n, seed + k)
    for k in range(2 * n_draws):
        yield f"random-{k}", np.random.default_rng([seed, k]).normal(size=(n, 40))


def _similarity(X: np.ndarray) -> np.ndarray:
    """Subtract distances from their median: half of the pairs attract."""
    D = np.linalg.norm((X[:, None] - X) / np.maximum(X.std(axis=0), 1e-12), axis=2)
    return np.median(D[np.triu_indices(len(D), 1)]) - D


def _solve(S: np.ndarray) -> Side[CorrelationClustering]:
    return timed("primal-dual method", correlation_clustering, S, tol=TOLERANCE, random_state=0)


def against_exact(instance: str, S: np.ndarray) -> Iterator[Certificate]:
    """Check that the best value lies between a clustering's and the bound.

    All are sums to be maximised.
    """
    checks = Checks(TOPICS[0], instance)
    fast = _solve(S)
    clustering = fast.result
    programme = timed("integer programme (PuLP, CBC)", reference.partition_programme, S)
    best = programme.giving(programme.result[1])
    value = reference.partition_value(S, clustering.labels)
    yield checks.certify(
        "value",
        "the partition is no better than the best, and its value is what it says",
        fast.giving(value, "relaxation, rounding, local search"),
        best,
        residual=max(shortfall(best.result, value), relative_difference(value, clustering.value)),
    )
    yield checks.certify(
        "bound",
        "the bound, rebuilt from its multipliers, is not below the best partition",
        fast.giving(reference.bound_of_multipliers(S, clustering.triangles, clustering.multipliers)),
        best,
        residual=shortfall(clustering.bound, best.result),
    )


def against_relaxation(instance: str, S: np.ndarray) -> Iterator[Certificate]:
    """Check the bound of the relaxation and its solution."""
    checks = Checks(TOPICS[0], instance)
    fast = _solve(S)
    clustering = fast.result
    bound = fast.giving(clustering.bound)
    words = "linear programme with all triangles (HiGHS)"
    programme = timed(words, reference.relaxation, S)
    optimum = -programme.result[1].solver_value
    positive = float(np.maximum(S, 0.0)[np.triu_indices(len(S), 1)].sum())
    yield checks.certify(
        "multipliers",
        "the bound is that of its multipliers",
        bound,
        programme.giving(
            reference.bound_of_multipliers(S, clustering.triangles, clustering.multipliers), "sums in Python"
        ),
    )
    yield checks.certify(
        "relaxation",
        "the bound is the optimum of the relaxation, or stopped above it where the partition attains the bound",
        bound,
        programme.giving(optimum),
        TOLERANCE + SOLVER,
        residual=max(optimum - clustering.bound, clustering.bound - max(optimum, clustering.value))
        / positive,
    )
    assert clustering.relaxed is not None
    x = clustering.relaxed
    yield checks.certify(
        "feasible",
        "the relaxed solution is within [0, 1] and violates no triangle",
        fast.giving((np.sum(S * x) - np.trace(S * x)) / 2.0, "primal-dual method, closed by shortest paths"),
        programme.giving(optimum, "all triangles"),
        residual=max(float(-x.min()), float(x.max()) - 1.0, _most_violated(x)),
    )


def _most_violated(x: np.ndarray) -> float:
    return max((x[p, q] + x[q, r] - x[p, r] - 1.0 for p, q, r in reference.triangles_of(len(x))), default=0.0)


def _svm(name: str, seed: int) -> Certificate:
    """Two training sets of ten objects.

    Distances are squared differences of the first features.
    """
    X, y = real_data()[name]
    rng = np.random.default_rng(seed)
    classes = np.unique(y)[:3]
    stacks, labels = [], []
    for _ in range(2):
        rows = np.concatenate(
            [rng.choice(np.flatnonzero(y == c), 10 // len(classes), replace=False) for c in classes]
        )
        points = X[rows][:, np.argsort(-X.var(axis=0), kind="stable")[:3]]
        stacks.append(np.square(points[:, None] - points).transpose(2, 0, 1))
        labels.append(y[rows])
    fast = timed("cutting planes", SVMCluster(C=10.0, tol=SVM_TOLERANCE).fit, stacks, labels)
    scaled = [stack / fast.result.scales_[:, None, None] for stack in stacks]
    words = "quadratic programme (cvxpy, Clarabel)"
    exact = timed(words, reference.structural_svm, scaled, labels, 10.0, relaxed=True)
    return Checks(TOPICS[0], f"svm-{name}").certify(
        "objective",
        "one programme over all relaxed partitions has the SVM's objective",
        fast.giving(fast.result.objective_),
        exact.giving(exact.result.objective),
        SVM_TOLERANCE + SOLVER,
    )
