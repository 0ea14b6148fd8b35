"""Check trees of all methods against the least Dasgupta cost.

Exact methods are also checked against one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cladebench.crosscheck._instances import similarity_instances
from cladebench.crosscheck.certificate import (
    SOLVER,
    Certificate,
    Checks,
    Side,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.metrics import dasgupta_cost
from cladebench.metrics.similarity import Similarity
from cladebench.reference.dasgupta_optimal import (
    OptimalTree,
    optimal_tree_ilp,
    optimal_tree_programme,
    spreading_bound,
)
from cladebench.reference.metrics import dasgupta_cost as enumerated_cost

TOPICS = ("dasgupta-optimal",)
N_SAMPLES = 8
PROGRAMME = "dynamic programme over subsets"

#: scope -> points of the integer programme, draws of each data set, similarities, ILP solvers. At 8 points the integer
#: programme takes seconds with HiGHS and tens of seconds with CBC, the dynamic programme milliseconds.
SIZES: dict[str, tuple[int, int, tuple[str, ...], tuple[str, ...]]] = {
    "smoke": (5, 1, ("exp",), ("CBC",)),
    "quick": (6, 1, ("exp", "inv_sq"), ("CBC", "HiGHS")),
    "full": (8, 2, ("exp", "inv_sq", "exp_sq"), ("CBC", "HiGHS")),
}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of ILP solvers, the bound, and methods without labels."""
    n_ilp, n_draws, kinds, solvers = SIZES[scope]
    for instance, X, similarity in similarity_instances(N_SAMPLES, n_draws, seed, kinds):
        S = similarity(X)
        checks = Checks(TOPICS[0], instance)
        for solver in solvers:
            yield _ilp(checks, S[:n_ilp, :n_ilp], solver)
        best = timed(PROGRAMME, optimal_tree_programme, S)
        yield _bound(checks, S, best)
        for name, method in competitors(similarity).items():
            yield _method(checks, S, timed(name, method.fit, X), best)


def competitors(similarity: Similarity) -> dict[str, Any]:
    """Make one cheap estimator of each method without labels.

    All are of the same similarity.
    """
    from cladebench.methods import discover
    from cladebench.methods.base import HierarchicalClusterer

    models = {}
    for name, estimator in discover(HierarchicalClusterer).items():
        if estimator.uses_labels:
            continue
        model = estimator(**dict(estimator.contract_params))
        offered = {"random_state": 0, "similarity": similarity}
        models[name] = model.set_params(**{k: v for k, v in offered.items() if k in model.get_params()})
    return models


def _ilp(checks: Checks, S: np.ndarray, solver: Any) -> Certificate:
    best = timed(PROGRAMME, optimal_tree_programme, S)
    ilp = timed(f"integer programme ({solver})", optimal_tree_ilp, S, solver)
    return checks.certify(
        f"ilp-{solver}-{len(S)}",
        "the integer programme's tree costs as much as the dynamic programme's",
        ilp.giving(enumerated_cost(ilp.result.hierarchy, S)),
        best.giving(best.result.cost),
        SOLVER,
        note=f"{ilp.result.evidence}; the first {len(S)} points of the instance",
    )


def _bound(checks: Checks, S: np.ndarray, best: Side[OptimalTree]) -> Certificate:
    side = timed("linear relaxation over spreading metrics (HiGHS)", spreading_bound, S)
    bound = side.result
    return checks.certify(
        "spreading-bound",
        "the linear relaxation's bound, rebuilt from its multipliers, is not above the least cost",
        best.giving(best.result.cost),
        side.giving(bound.value),
        residual=shortfall,
        note=f"solver's own value {bound.solver_value:.10g}, multipliers clipped by {bound.dual_infeasibility:.1g}",
    )


def _method(checks: Checks, S: np.ndarray, fitted: Side[Any], best: Side[OptimalTree]) -> Certificate:
    tree, least = fitted.result.hierarchy_, best.result.cost
    cost = enumerated_cost(tree, S)
    return checks.certify(
        fitted.words,
        "the method's tree costs no less than the least cost, and the kernel prices it as enumeration does",
        fitted.giving(cost),
        best.giving(least, best.result.evidence),
        residual=max(shortfall(cost, least), relative_difference(dasgupta_cost(tree, S), cost)),
        note=f"{cost / least:.4f} times the least cost" if least > 0 else "",
    )
