"""Check exemplars by the integer programme and its linear relaxation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._instances import FloatArray, between, draw, real_data, standardized
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
from cladebench.reference import facility_locations as reference
from cladebench.solvers.facility_locations import facility_location

TOPICS = ("facility-location",)

#: scope -> points of each instance, and draws of each kind.
SIZES = {"smoke": (12, 1), "quick": (25, 1), "full": (40, 2)}
#: Gap at which the search may end.
TOLERANCE = 1e-4


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield the certificates of each instance."""
    n, n_draws = SIZES[scope]
    for name, d in _instances(n, n_draws, seed):
        yield from against_programmes(name, d)


def with_prices(d: FloatArray, n_exemplars: float) -> FloatArray:
    """Put prices on the diagonal that allow about so many exemplars.

    A point is about the k-th part of the way to all others from its exemplar, with k exemplars. So the price
    is the median cost, times n / k^2.
    """
    priced = np.array(d)
    typical = float(np.median(d[~np.eye(len(d), dtype=bool)]))
    np.fill_diagonal(priced, typical * len(d) / n_exemplars**2)
    return priced


def _instances(n: int, n_draws: int, seed: int) -> Iterator[tuple[str, FloatArray]]:
    """Yield instances of many kinds.

    Uniform numbers, clusters, costs that are not symmetric, prices of both signs, and real data.
    """
    for k in range(n_draws):
        rng = np.random.default_rng([seed, n, k])
        yield f"uniform-{n}-{k}", with_prices(rng.uniform(size=(n, n)), 4.0)
        centers = rng.normal(size=(4, 3)) * 4.0
        yield (
            f"clusters-{n}-{k}",
            with_prices(between(centers[rng.integers(0, 4, n)] + rng.normal(size=(n, 3))), 4.0),
        )
        points = between(rng.normal(size=(n, 2)))
        yield f"asymmetric-{n}-{k}", with_prices(points * rng.uniform(0.3, 3.0, (n, n)), 4.0)
        signed = with_prices(points, 4.0)
        np.fill_diagonal(signed, np.diag(signed) * rng.normal(1.0, 1.0, n))
        yield f"signed-prices-{n}-{k}", signed
        for name, (X, _) in real_data().items():
            rows = draw(standardized(X), n, seed + k)
            yield f"{name}-{n}-{k}", with_prices(between(rows) ** 2, 4.0)


def against_programmes(instance: str, d: FloatArray) -> Iterator[Certificate]:
    """Check value, optimum and bound."""
    checks = Checks(TOPICS[0], instance)
    search = timed("dual ascent and local search", facility_location, d, tol=TOLERANCE)
    location = search.result
    value, bound = search.giving(location.value), search.giving(location.bound, "dual ascent")
    recomputed = reference.value_of(d, location.exemplars)
    yield checks.certify(
        "value",
        "the value is that of the exemplars, equation (1), and each point has its nearest",
        value,
        Side("the sum written out", recomputed),
        residual=max(
            relative_difference(location.value, recomputed),
            float((location.assignment != reference.assignment_of(d, location.exemplars)).sum()),
        ),
    )
    programme = timed("integer programme (CBC)", reference.exemplars_ilp, d)
    exact = programme.result
    yield checks.certify(
        "optimum",
        "the value is not below the optimum of (2) to (5), nor above it by more than the tolerance",
        value,
        programme.giving(exact.value),
        SOLVER,
        residual=max(
            shortfall(location.value, exact.value),
            relative_difference(location.value, exact.value) - TOLERANCE,
        ),
        note=f"{exact.status}; {len(location.exemplars)} exemplars",
    )
    yield checks.certify(
        "bound",
        "the bound is not above the optimum of (2) to (5)",
        search.giving(exact.value, "dual ascent"),
        programme.giving(location.bound),
        residual=shortfall,
    )
    relaxed = timed("linear programme (HiGHS), its multipliers' bound", reference.relaxation_bound, d)
    yield checks.certify(
        "relaxation",
        "the bound is not below that of the linear relaxation by more than the tolerance",
        bound,
        relaxed.giving(relaxed.result.value),
        IDENTICAL,
        residual=shortfall(location.bound, relaxed.result.value) - TOLERANCE,
        note=f"HiGHS has {relaxed.result.solver_value:.12g}",
    )
