"""Correlation clustering between its exact value and its bounds.

Its structural SVM against one programme.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._instances import draw, real_data
from cladebench.crosscheck.certificate import (
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.distances.svm_cluster import SVMCluster
from cladebench.reference import correlation_clustering as reference
from cladebench.solvers.correlation_clusterings import CorrelationClustering, correlation_clustering

TOPICS = ("correlation-clustering",)

#: scope -> points of the exact partition, of the relaxation, draws of each data set.
SIZES = {"smoke": (8, 10, 1), "quick": (11, 16, 1), "full": (13, 24, 3)}
#: Gap of the relaxation, relative to the sum of positive similarities; and of the SVM.
TOLERANCE, SVM_TOLERANCE = 1e-4, 1e-3


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield the certificates of each instance.

    Partition, bound, relaxation; and the learned weights.
    """
    n_exact, n_relaxed, n_draws = SIZES[scope]
    for name, X in _points(n_relaxed, n_draws, seed):
        yield from _against_exact(f"{name}-{n_exact}", _similarity(X[:n_exact]))
        yield from _against_relaxation(f"{name}-{n_relaxed}", _similarity(X))
    for name in real_data():
        yield _svm(name, seed)


def _points(n: int, n_draws: int, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    """Draw real data, and points in many dimensions.

    On the former the relaxation is nearly tight, on the latter it is not.
    """
    for name, (X, _) in real_data().items():
        for k in range(n_draws):
            yield f"{name}-{k}", draw(X, n, seed + k)
    for k in range(2 * n_draws):
        yield f"random-{k}", np.random.default_rng([seed, k]).normal(size=(n, 40))


def _similarity(X: np.ndarray) -> np.ndarray:
    """Median distance minus distance.

    As many pairs attract each other as do not.
    """
    D = np.linalg.norm((X[:, None] - X) / np.maximum(X.std(axis=0), 1e-12), axis=2)
    return np.median(D[np.triu_indices(len(D), 1)]) - D


def _certificate(
    instance: str, name: str, problem: str, fast: str, twin: str, **numbers: float
) -> Certificate:
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name=name,
        problem=problem,
        fast=fast,
        reference=twin,
        **numbers,  # type: ignore[arg-type]
    )


def _solve(S: np.ndarray) -> tuple[CorrelationClustering, float]:
    return timed(lambda: correlation_clustering(S, tol=TOLERANCE, random_state=0))


def _against_exact(instance: str, S: np.ndarray) -> Iterator[Certificate]:
    found, seconds_fast = _solve(S)
    (_, best), seconds_reference = timed(lambda: reference.partition_programme(S))
    seconds = {"seconds_fast": seconds_fast, "seconds_reference": seconds_reference}
    value = reference.partition_value(S, found.labels)
    programme = "integer programme (PuLP, CBC)"
    # All are sums to be maximised: a value above the best, or a bound below it, is what fails.
    yield _certificate(
        instance,
        "value",
        "the partition is no better than the best, and its value is what it says",
        "relaxation, rounding, local search",
        programme,
        primal=value,
        dual_bound=best,
        residual=max(shortfall(best, value), relative_difference(value, found.value)),
        tolerance=ROUNDING,
        **seconds,
    )
    yield _certificate(
        instance,
        "bound",
        "the bound, rebuilt from its multipliers, is not below the best partition",
        "primal-dual method",
        programme,
        primal=reference.bound_of_multipliers(S, found.triangles, found.multipliers),
        dual_bound=best,
        residual=shortfall(found.bound, best),
        tolerance=ROUNDING,
        **seconds,
    )


def _against_relaxation(instance: str, S: np.ndarray) -> Iterator[Certificate]:
    found, seconds_fast = _solve(S)
    (_, exact), seconds_reference = timed(lambda: reference.relaxation(S))
    seconds = {"seconds_fast": seconds_fast, "seconds_reference": seconds_reference}
    positive = float(np.maximum(S, 0.0)[np.triu_indices(len(S), 1)].sum())
    rebuilt = reference.bound_of_multipliers(S, found.triangles, found.multipliers)
    optimum = -exact.solver_value
    yield _certificate(
        instance,
        "multipliers",
        "the bound is that of its multipliers",
        "primal-dual method",
        "sums in Python",
        primal=found.bound,
        dual_bound=rebuilt,
        residual=relative_difference(found.bound, rebuilt),
        tolerance=ROUNDING,
        **seconds,
    )
    yield _certificate(
        instance,
        "relaxation",
        "the bound is the optimum of the relaxation, or stopped above it where the partition attains the bound",
        "primal-dual method",
        "linear programme with all triangles (HiGHS)",
        primal=found.bound,
        dual_bound=optimum,
        residual=max(optimum - found.bound, found.bound - max(optimum, found.value)) / positive,
        tolerance=TOLERANCE + SOLVER,
        **seconds,
    )
    assert found.relaxed is not None
    x = found.relaxed
    yield _certificate(
        instance,
        "feasible",
        "the relaxed solution is within [0, 1] and violates no triangle",
        "primal-dual method, closed by shortest paths",
        "all triangles",
        primal=float(np.sum(S * x) - np.trace(S * x)) / 2.0,
        dual_bound=optimum,
        residual=max(float(-x.min()), float(x.max()) - 1.0, _most_violated(x)),
        tolerance=ROUNDING,
        **seconds,
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
    fitted, seconds_fast = timed(lambda: SVMCluster(C=10.0, tol=SVM_TOLERANCE).fit(stacks, labels))
    scaled = [stack / fitted.scales_[:, None, None] for stack in stacks]
    exact, seconds_reference = timed(lambda: reference.structural_svm(scaled, labels, 10.0, relaxed=True))
    return _certificate(
        f"svm-{name}",
        "objective",
        "one programme over all relaxed partitions has the SVM's objective",
        "cutting planes",
        "quadratic programme (cvxpy, Clarabel)",
        primal=fitted.objective_,
        dual_bound=exact.objective,
        residual=relative_difference(fitted.objective_, exact.objective),
        tolerance=SVM_TOLERANCE + SOLVER,
        seconds_fast=seconds_fast,
        seconds_reference=seconds_reference,
    )
