"""Check trees against the tree of least Dasgupta cost.

Every method's tree, and the exact methods against one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cladebench.crosscheck._instances import similarity_instances
from cladebench.crosscheck.certificate import (
    ROUNDING,
    SOLVER,
    Certificate,
    relative_difference,
    shortfall,
    timed,
)
from cladebench.hierarchy import Hierarchy
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

#: scope -> points of the integer programme, draws of each data set, similarities, ILP solvers. At 8 points the integer
#: programme takes seconds with HiGHS and tens of seconds with CBC, the dynamic programme milliseconds.
SIZES: dict[str, tuple[int, int, tuple[str, ...], tuple[str, ...]]] = {
    "smoke": (5, 1, ("exp",), ("CBC",)),
    "quick": (6, 1, ("exp", "inv_sq"), ("CBC", "HiGHS")),
    "full": (8, 2, ("exp", "inv_sq", "exp_sq"), ("CBC", "HiGHS")),
}


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield checks of ILP solvers, the bound, and methods.

    Each method that reads no labels.
    """
    n_ilp, n_draws, kinds, solvers = SIZES[scope]
    for instance, X, similarity in similarity_instances(N_SAMPLES, n_draws, seed, kinds):
        S = similarity(X)
        for solver in solvers:
            yield _ilp(instance, S[:n_ilp, :n_ilp], solver)
        best, seconds = timed(lambda S=S: optimal_tree_programme(S))  # type: ignore[misc]
        yield _bound(instance, S, best, seconds)
        for name, method in competitors(similarity).items():
            fitted, seconds_fast = timed(lambda method=method, X=X: method.fit(X).hierarchy_)  # type: ignore[misc]
            yield _method(instance, S, name, fitted, seconds_fast, best, seconds)


def competitors(similarity: Similarity) -> dict[str, Any]:
    """Make one cheap estimator of each method without labels.

    All are of the same similarity.
    """
    from cladebench.methods import discover
    from cladebench.methods.base import HierarchicalClusterer

    found = {}
    for name, estimator in discover(HierarchicalClusterer).items():
        if estimator.uses_labels:
            continue
        model = estimator(**dict(estimator.contract_params))
        offered = {"random_state": 0, "similarity": similarity}
        found[name] = model.set_params(**{k: v for k, v in offered.items() if k in model.get_params()})
    return found


def _ilp(instance: str, S: np.ndarray, solver: Any) -> Certificate:
    best, seconds = timed(lambda: optimal_tree_programme(S))
    tree, seconds_ilp = timed(lambda: optimal_tree_ilp(S, solver))
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name=f"ilp-{solver}-{len(S)}",
        problem="the integer programme's tree costs as much as the dynamic programme's",
        fast=f"integer programme ({solver})",
        reference="dynamic programme over subsets",
        primal=enumerated_cost(tree.hierarchy, S),
        dual_bound=best.cost,
        residual=relative_difference(enumerated_cost(tree.hierarchy, S), best.cost),
        tolerance=SOLVER,
        seconds_fast=seconds_ilp,
        seconds_reference=seconds,
        note=f"{tree.evidence}; the first {len(S)} points of the instance",
    )


def _bound(instance: str, S: np.ndarray, best: OptimalTree, seconds: float) -> Certificate:
    bound, seconds_bound = timed(lambda: spreading_bound(S))
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name="spreading-bound",
        problem="the linear relaxation's bound, rebuilt from its multipliers, is not above the least cost",
        fast="dynamic programme over subsets",
        reference="linear relaxation over spreading metrics (HiGHS)",
        primal=best.cost,
        dual_bound=bound.value,
        residual=shortfall(best.cost, bound.value),
        tolerance=ROUNDING,
        seconds_fast=seconds,
        seconds_reference=seconds_bound,
        note=f"solver's own value {bound.solver_value:.10g}, multipliers clipped by {bound.dual_infeasibility:.1g}",
    )


def _method(
    instance: str,
    S: np.ndarray,
    name: str,
    tree: Hierarchy,
    seconds_fast: float,
    best: OptimalTree,
    seconds: float,
) -> Certificate:
    cost = enumerated_cost(tree, S)
    return Certificate(
        topic=TOPICS[0],
        instance=instance,
        name=name,
        problem="the method's tree costs no less than the least cost, and the kernel prices it as enumeration does",
        fast=name,
        reference=best.evidence,
        primal=cost,
        dual_bound=best.cost,
        residual=max(shortfall(cost, best.cost), relative_difference(dasgupta_cost(tree, S), cost)),
        tolerance=ROUNDING,
        seconds_fast=seconds_fast,
        seconds_reference=seconds,
        note=f"{cost / best.cost:.4f} times the least cost" if best.cost > 0 else "",
    )
