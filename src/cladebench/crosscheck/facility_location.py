"""Exemplars by facility location.

Values and bounds against the integer programme and its linear relaxation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._instances import FloatArray, draw, real_data
from cladebench.crosscheck.certificate import (
    IDENTICAL,
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.reference import facility_location as reference
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
        yield from _against_programmes(name, d)


def with_prices(d: FloatArray, n_exemplars: float) -> FloatArray:
    """Put prices on the diagonal that allow about so many exemplars.

    With k exemplars a point is about the k-th part of the way to all others from its own: the price is the median
    cost, times n / k^2.
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
            with_prices(_between(centers[rng.integers(0, 4, n)] + rng.normal(size=(n, 3))), 4.0),
        )
        points = _between(rng.normal(size=(n, 2)))
        yield f"asymmetric-{n}-{k}", with_prices(points * rng.uniform(0.3, 3.0, (n, n)), 4.0)
        signed = with_prices(points, 4.0)
        np.fill_diagonal(signed, np.diag(signed) * rng.normal(1.0, 1.0, n))
        yield f"signed-prices-{n}-{k}", signed
        for name, (X, _) in real_data().items():
            spread = X.std(axis=0)
            rows = draw((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), n, seed + k)
            yield f"{name}-{n}-{k}", with_prices(_between(rows) ** 2, 4.0)


def _between(points: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2)))


def _against_programmes(instance: str, d: FloatArray) -> Iterator[Certificate]:
    found, seconds = timed(lambda: facility_location(d, tol=TOLERANCE))
    recomputed = reference.value_of(d, found.exemplars)
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="value",
        problem="the value is that of the exemplars, equation (1), and each point has its nearest",
        fast="dual ascent and local search",
        reference="the sum written out",
        primal=found.value,
        dual_bound=recomputed,
        residual=max(
            relative_difference(found.value, recomputed),
            float((found.assignment != reference.assignment_of(d, found.exemplars)).sum()),
        ),
        tolerance=ROUNDING,
        seconds_fast=seconds,
    )
    exact, seconds_reference = timed(lambda: reference.exemplars_ilp(d))
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="optimum",
        problem="the value is not below the optimum of (2) to (5), nor above it by more than the tolerance",
        fast="dual ascent and local search",
        reference="integer programme (CBC)",
        primal=found.value,
        dual_bound=exact.value,
        residual=max(
            shortfall(found.value, exact.value),
            relative_difference(found.value, exact.value) - TOLERANCE,
        ),
        tolerance=SOLVER,
        seconds_fast=seconds,
        seconds_reference=seconds_reference,
        note=f"{exact.status}; {len(found.exemplars)} exemplars",
    )
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="bound",
        problem="the bound is not above the optimum of (2) to (5)",
        fast="dual ascent",
        reference="integer programme (CBC)",
        primal=exact.value,
        dual_bound=found.bound,
        residual=shortfall(exact.value, found.bound),
        tolerance=ROUNDING,
        seconds_fast=seconds,
        seconds_reference=seconds_reference,
    )
    relaxed, seconds_reference = timed(lambda: reference.relaxation_bound(d))
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="relaxation",
        problem="the bound is not below that of the linear relaxation by more than the tolerance",
        fast="dual ascent",
        reference="linear programme (HiGHS), its multipliers' bound",
        primal=found.bound,
        dual_bound=relaxed.value,
        residual=shortfall(found.bound, relaxed.value) - TOLERANCE,
        tolerance=IDENTICAL,
        seconds_fast=seconds,
        seconds_reference=seconds_reference,
        note=f"HiGHS has {relaxed.solver_value:.12g}",
    )
