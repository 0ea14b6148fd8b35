"""Check the balanced assignment by public exact solvers.

They are integer programmes, a min-cost flow, and the bound that its prices give.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._instances import FloatArray, real_data, standardized
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    SOLVER,
    Certificate,
    Checks,
    Side,
    timed,
)
from cladebench.reference.assignment import balanced_assignment_ilp, dual_value
from cladebench.solvers.assignment import balanced_assignment
from cladebench.solvers.assignment_flow import ExactAssignment, assignment_value, balanced_assignment_flow
from cladebench.solvers.assignment_programme import SOLVERS, timed_assignment_ilp

TOPICS = ("balanced-assignment",)

#: scope -> rows of each instance, numbers of clusters.
SIZES: dict[str, tuple[int, tuple[int, ...]]] = {
    "smoke": (25, (2, 3)),
    "quick": (60, (2, 3, 5, 10)),
    "full": (150, (2, 3, 5, 10)),
}
#: Rows and clusters of the instances on which times are taken, in scope full.
TIMED = tuple((n, n_clusters) for n in (2_000, 10_000, 30_000) for n_clusters in (2, 5))
TIME_LIMIT = 1800.0
FAST = "successive shortest paths in the kernel"


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield instances' checks: sizes, dual bound, programmes; in full, times."""
    n, numbers = SIZES[scope]
    for n_clusters in numbers:
        for instance, cost in _instances(n, n_clusters, seed):
            yield from exact(f"{instance}-{n_clusters}", cost, *bounds(*cost.shape))
    if scope == "full":
        for n, n_clusters in TIMED:
            rng = np.random.default_rng([seed, n, n_clusters])
            X = (
                rng.normal(size=(n, 20))
                + 2.0 * rng.normal(size=(n_clusters, 20))[rng.integers(n_clusters, size=n)]
            )
            yield from _times(f"margin-{n}-{n_clusters}", margin_costs(X, n_clusters, rng))


def margin_costs(X: FloatArray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Costs as maximum-margin clustering has them early on.

    The models are rows of X, at unit length.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        Brought to unit variance.
    n_clusters : int
    rng : numpy.random.Generator
        Draws the rows.

    Returns
    -------
    ndarray of shape (n, n_clusters)
        Sums of squared hinges over the other clusters.
    """
    Z = standardized(X)
    W = Z[rng.choice(len(Z), size=n_clusters, replace=False)]
    scores = Z @ (W / np.linalg.norm(W, axis=1, keepdims=True)).T
    hinges = np.maximum(0.0, 1.0 - scores[:, :, None] + scores[:, None, :])
    return np.square(hinges).sum(axis=2) - 1.0  # less the cluster itself, whose hinge is 1


def bounds(n: int, n_clusters: int) -> tuple[int, int]:
    """Give the paper's bounds: 0.9 to 1.1 shares, rounded outwards."""
    return 9 * n // (10 * n_clusters), -(-11 * n // (10 * n_clusters))


def _instances(n: int, n_clusters: int, seed: int) -> Iterator[tuple[str, FloatArray]]:
    """Yield random costs, tied costs, and margins on rows of real data."""
    rng = np.random.default_rng([seed, n_clusters])
    yield f"random-{n}", rng.normal(size=(n, n_clusters)) + rng.normal(size=n_clusters)
    yield f"tied-{n}", rng.integers(0, 4, (n, n_clusters)).astype(np.float64)
    for name, (X, _) in real_data().items():
        rows = X[rng.choice(len(X), size=min(n, len(X)), replace=False)]
        yield f"{name}-{len(rows)}", margin_costs(rows, n_clusters, rng)


def exact(instance: str, cost: FloatArray, lower: int, upper: int) -> Iterator[Certificate]:
    """Check sizes, the bound by prices, and optima of integer programmes."""
    checks = Checks(TOPICS[0], instance)
    fast = timed(FAST, balanced_assignment, cost, lower, upper, return_prices=True)
    labels, prices = fast.result
    counts = np.bincount(labels, minlength=cost.shape[1])
    outside = np.maximum(lower - counts, 0).sum() + np.maximum(counts - upper, 0).sum()
    yield checks.certify(
        "sizes",
        "every cluster's size is within its bounds",
        fast.giving(outside),
        Side("count of the labels", 0.0),
        IDENTICAL,
        residual=float(outside),
        note=f"values are rows too many or too few; {counts.min()} to {counts.max()} rows, {lower} to {upper} allowed",
    )
    value = fast.giving(assignment_value(cost, labels))
    yield checks.certify(
        "dual-bound",
        "the total cost is the lower bound that the prices give",
        value,
        Side("dual value recomputed from the prices", dual_value(cost, prices, lower, upper)),
    )
    for solver in SOLVERS:
        words = f"integer programme (PuLP, {solver})"
        programme = timed(words, balanced_assignment_ilp, cost, lower, upper, solver)
        yield _least(checks, f"ilp-{solver}", value, programme)


def _times(instance: str, cost: FloatArray) -> Iterator[Certificate]:
    """Yield the comparisons of speed with the kernel, on one instance.

    The models of the others are built before.
    """
    checks = Checks(TOPICS[0], instance)
    lower, upper = bounds(*cost.shape)
    # The shortest of several: a first call finds cold caches.
    fast = min(
        (timed(FAST, balanced_assignment, cost, lower, upper) for _ in range(5)),
        key=lambda side: side.seconds,
    )
    value = fast.giving(assignment_value(cost, fast.result))
    ilp = timed_assignment_ilp(cost, lower, upper, "CBC", time_limit=TIME_LIMIT)
    yield _least(checks, "time-ilp", value, Side("integer programme (CBC)", ilp, ilp.seconds_solve))
    if importlib.util.find_spec("ortools") is not None:
        flow = balanced_assignment_flow(cost, lower, upper)
        yield _least(checks, "time-flow", value, Side("min-cost flow (OR-tools)", flow, flow.seconds_solve))


def _least(checks: Checks, name: str, value: Side[float], other: Side[ExactAssignment]) -> Certificate:
    return checks.certify(
        name,
        "the total cost is the least that another solver finds",
        value,
        other.giving(other.result.value),
        SOLVER,
        note=f"{other.result.evidence}; {other.seconds / value.seconds:.3g} times the kernel's time",
    )
