"""Check the spectral sparsest cut between exact value and theory.

Also the exact ones and their bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from cladebench.crosscheck._instances import random_graph, similarity_instances
from cladebench.crosscheck.certificate import (
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.reference.sparsest_cut import cut_ratio
from cladebench.reference.sparsest_cut_exact import (
    ExactCut,
    relaxation_bound,
    sparsest_cut_enumeration,
    sparsest_cut_ilp,
    spectral_bound,
)
from cladebench.solvers.sparsest_cut import TIE, sparsest_cut

TOPICS = ("sparsest-cut",)

#: scope -> points, draws of each data set, similarities, points of the integer programme.
SIZES: dict[str, tuple[int, int, tuple[str, ...], int]] = {
    "smoke": (8, 1, ("exp",), 6),
    "quick": (12, 1, ("exp", "inv_sq"), 8),
    "full": (18, 2, ("exp", "inv_sq", "exp_sq"), 12),
}
RELAXATIONS: tuple[tuple[Literal["metric", "negative_type"], str], ...] = (
    ("metric", "linear relaxation over metrics (cvxpy, HiGHS)"),
    ("negative_type", "semidefinite relaxation with triangle inequalities (cvxpy, Clarabel)"),
)


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield the certificates of each instance: sweep, guarantee, exact solvers, lower bounds."""
    n_samples, n_draws, kinds, n_ilp = SIZES[scope]
    for instance, S in _graphs(n_samples, n_draws, seed, kinds):
        best, seconds = timed(lambda S=S: sparsest_cut_enumeration(S))  # type: ignore[misc]
        yield from _sweep(instance, S, best, seconds)
        yield _solver_exact(instance, S, best, seconds)
        yield _ilp(instance, S[:n_ilp, :n_ilp])
        yield from _bounds(instance, S, best, seconds)


def _graphs(
    n_samples: int, n_draws: int, seed: int, kinds: tuple[str, ...]
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield real similarities and random graphs.

    On the former the sweep is easily exact, on the latter it is not.
    """
    for instance, X, similarity in similarity_instances(n_samples, n_draws, seed, kinds):
        yield instance, similarity(X)
    for k in range(2 * n_draws):
        yield f"random-{n_samples}-{k}", random_graph(n_samples, seed + k)


def _sweep(instance: str, S: np.ndarray, best: ExactCut, seconds: float) -> Iterator[Certificate]:
    mask, seconds_fast = timed(lambda: sparsest_cut(S, exact_below=0))
    ratio, n = cut_ratio(S, mask), len(S)
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="sweep",
        problem="the spectral sweep's cut is no sparser than the sparsest",
        fast="spectral sweep",
        reference=best.evidence,
        primal=ratio,
        dual_bound=best.ratio,
        residual=shortfall(ratio, best.ratio),
        tolerance=ROUNDING,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
        note=f"{ratio / best.ratio:.4f} times the sparsest" if best.ratio > 0 else "",
    )
    eigenvalue, seconds_bound = timed(lambda: n * spectral_bound(S))
    largest_degree = float((S.sum(axis=1) - S.diagonal()).max())
    promised = 2.0 / n * np.sqrt(max(2.0 * largest_degree * eigenvalue, 0.0))
    yield Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="guarantee",
        problem="the sweep's cut is within Mohar's bound, (2 / n) sqrt(2 max degree lambda_2)",
        fast="spectral sweep",
        reference="eigenvalues of the Laplacian (LAPACK)",
        primal=ratio,
        dual_bound=promised,
        residual=shortfall(promised, ratio),
        tolerance=ROUNDING,
        seconds_fast=seconds_fast,
        seconds_reference=seconds_bound,
        note="an upper bound: the gap is how far below it the cut lies, and negative",
    )


def _solver_exact(instance: str, S: np.ndarray, best: ExactCut, seconds: float) -> Certificate:
    mask, seconds_fast = timed(lambda: sparsest_cut(S, exact_below=len(S) + 1))
    ratio = cut_ratio(S, mask)
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="solver-enumeration",
        problem="the solver's exact cut, for small nodes, is as sparse as the sparsest",
        fast="enumeration in the solver",
        reference=best.evidence,
        primal=ratio,
        dual_bound=best.ratio,
        residual=relative_difference(ratio, best.ratio),
        tolerance=2.0 * TIE,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
        note="ratios that differ by 1e-9 are ties to the solver, which takes the most balanced",
    )


def _ilp(instance: str, S: np.ndarray) -> Certificate:
    best, seconds = timed(lambda: sparsest_cut_enumeration(S))
    cut, seconds_ilp = timed(lambda: sparsest_cut_ilp(S, "HiGHS"))
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name=f"ilp-HiGHS-{len(S)}",
        problem="the integer programmes' cut is as sparse as the sparsest",
        fast="integer programmes over the size of a side (HiGHS)",
        reference=best.evidence,
        primal=cut.ratio,
        dual_bound=best.ratio,
        residual=relative_difference(cut.ratio, best.ratio),
        tolerance=SOLVER,
        seconds_fast=seconds_ilp,
        seconds_reference=seconds,
        note=f"{cut.evidence}; the first {len(S)} points of the instance",
    )


def _bounds(instance: str, S: np.ndarray, best: ExactCut, seconds: float) -> Iterator[Certificate]:
    value, seconds_bound = timed(lambda: spectral_bound(S))
    yield _bound(instance, "spectral-bound", "lambda_2 / n (LAPACK)", value, seconds_bound, best, seconds, "")
    for kind, reference in RELAXATIONS:
        bound, seconds_bound = timed(lambda kind=kind: relaxation_bound(S, kind))  # type: ignore[misc]
        note = (
            f"{bound.status}; solver's own value {bound.solver_value:.10g},"
            f" multipliers clipped by {bound.dual_infeasibility:.1g}"
        )
        name = f"{kind.replace('_', '-')}-bound"
        yield _bound(instance, name, reference, bound.value, seconds_bound, best, seconds, note)


def _bound(
    instance: str,
    name: str,
    reference: str,
    value: float,
    seconds_bound: float,
    best: ExactCut,
    seconds: float,
    note: str,
) -> Certificate:
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name=name,
        problem="the lower bound, rebuilt from its multipliers, is not above the sparsest cut",
        fast=best.evidence,
        reference=reference,
        primal=best.ratio,
        dual_bound=value,
        residual=shortfall(best.ratio, value),
        tolerance=ROUNDING,
        seconds_fast=seconds,
        seconds_reference=seconds_bound,
        note=note,
    )
