"""Check spectral and exact sparsest cuts by values, bounds and theory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from cladebench.crosscheck._instances import random_graph, similarity_instances
from cladebench.crosscheck.certificate import (
    SOLVER,
    Certificate,
    Checks,
    Side,
    excess,
    shortfall,
    timed,
)
from cladebench.reference.sparsest_cut import cut_ratio
from cladebench.reference.sparsest_cut_exact import (
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
        checks, best = Checks(TOPICS[0], instance), _sparsest(S)
        yield from _sweep(checks, S, best)
        yield _solver_exact(checks, S, best)
        yield _ilp(checks, S[:n_ilp, :n_ilp])
        yield from _bounds(checks, S, best)


def _graphs(
    n_samples: int, n_draws: int, seed: int, kinds: tuple[str, ...]
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield real similarities and random graphs.

    The sweep is easily exact on the former, and not on the latter.
    """
    for instance, X, similarity in similarity_instances(n_samples, n_draws, seed, kinds):
        yield instance, similarity(X)
    for k in range(2 * n_draws):
        yield f"random-{n_samples}-{k}", random_graph(n_samples, seed + k)


def _sparsest(S: np.ndarray) -> Side[float]:
    """The least ratio of a cut, by enumeration."""
    side = timed("", sparsest_cut_enumeration, S)
    return side.giving(side.result.ratio, side.result.evidence)


def _sweep(checks: Checks, S: np.ndarray, best: Side[float]) -> Iterator[Certificate]:
    fast = timed("spectral sweep", sparsest_cut, S, exact_below=0)
    ratio, n = fast.giving(cut_ratio(S, fast.result)), len(S)
    yield checks.certify(
        "sweep",
        "the spectral sweep's cut is no sparser than the sparsest",
        ratio,
        best,
        residual=shortfall,
        note=f"{ratio.result / best.result:.4f} times the sparsest" if best.result > 0 else "",
    )
    eigenvalue = timed("eigenvalues of the Laplacian (LAPACK)", spectral_bound, S)
    largest_degree = float((S.sum(axis=1) - S.diagonal()).max())
    promised = 2.0 / n * np.sqrt(max(2.0 * largest_degree * (n * eigenvalue.result), 0.0))
    yield checks.certify(
        "guarantee",
        "the sweep's cut is within Mohar's bound, (2 / n) sqrt(2 max degree lambda_2)",
        ratio,
        eigenvalue.giving(promised),
        residual=excess,
        note="an upper bound: the gap is how far below it the cut lies, and negative",
    )


def _solver_exact(checks: Checks, S: np.ndarray, best: Side[float]) -> Certificate:
    fast = timed("enumeration in the solver", sparsest_cut, S, exact_below=len(S) + 1)
    return checks.certify(
        "solver-enumeration",
        "the solver's exact cut, for small nodes, is as sparse as the sparsest",
        fast.giving(cut_ratio(S, fast.result)),
        best,
        2.0 * TIE,
        note="ratios that differ by 1e-9 are ties to the solver, which takes the most balanced",
    )


def _ilp(checks: Checks, S: np.ndarray) -> Certificate:
    best = _sparsest(S)
    ilp = timed("integer programmes over the size of a side (HiGHS)", sparsest_cut_ilp, S, "HiGHS")
    return checks.certify(
        f"ilp-HiGHS-{len(S)}",
        "the integer programmes' cut is as sparse as the sparsest",
        ilp.giving(ilp.result.ratio),
        best,
        SOLVER,
        note=f"{ilp.result.evidence}; the first {len(S)} points of the instance",
    )


def _bounds(checks: Checks, S: np.ndarray, best: Side[float]) -> Iterator[Certificate]:
    spectral = timed("lambda_2 / n (LAPACK)", spectral_bound, S)
    bounds: list[tuple[str, Side[float], str]] = [("spectral", spectral, "")]
    for kind, words in RELAXATIONS:
        relaxed = timed(words, relaxation_bound, S, kind)
        bound = relaxed.result
        note = (
            f"{bound.status}; solver's own value {bound.solver_value:.10g},"
            f" multipliers clipped by {bound.dual_infeasibility:.1g}"
        )
        bounds.append((kind.replace("_", "-"), relaxed.giving(bound.value), note))
    for name, value, note in bounds:
        yield checks.certify(
            f"{name}-bound",
            "the lower bound, rebuilt from its multipliers, is not above the sparsest cut",
            best,
            value,
            residual=shortfall,
            note=note,
        )
