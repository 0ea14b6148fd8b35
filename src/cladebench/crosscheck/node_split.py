"""Check max-margin splits of a node.

The alternating descent ends in a local optimum. The checks say how far that is from the global one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cladebench.crosscheck._instances import draw, real_data, standardized
from cladebench.crosscheck.certificate import Certificate, Checks, shortfall, timed
from cladebench.methods._max_margin import NodeSplit, Penalties, balance_bounds, split_node
from cladebench.reference import assignment, margin
from cladebench.reference.node_split import best_split

TOPICS = ("node-split",)

#: scope -> samples of an instance for K = 2 and K = 3.
SIZES = {"smoke": {2: 6, 3: 6}, "quick": {2: 10, 3: 8}, "full": {2: 12, 3: 10}}
STARTS = (1, 10)
#: With more features than samples every labelling is separable, and the optimum says little.
N_FEATURES = 4
ALPHA = 0.1
#: The objectives of both sides come from different solvers.
TOLERANCE = 1e-5


def certificates(scope: str, seed: int) -> Iterator[Certificate]:
    """Yield one for each instance, number of clusters and number of starts."""
    instances = {"random": np.random.default_rng(seed).normal(size=(12, N_FEATURES))}
    for name, (X, _) in real_data().items():
        instances[name] = standardized(draw(X, 12, seed, N_FEATURES))
    for name, rows in instances.items():
        for n_clusters, n in SIZES[scope].items():
            yield from _against_enumeration(name, rows[:n], n_clusters, seed)


def _against_enumeration(name: str, X: np.ndarray, n_clusters: int, seed: int) -> Iterator[Certificate]:
    none = np.zeros(X.shape[1])
    penalties = Penalties(none + ALPHA / (X.shape[1] * n_clusters), none, none)
    lower, upper = balance_bounds(len(X), n_clusters, 0.1)
    exact = timed("", best_split, X, n_clusters, lower, upper, group=penalties.group)
    optimum, _, tried = exact.result
    checks = Checks(TOPICS[0], f"{name}-{len(X)}")
    for n_init in STARTS:
        fast = timed(
            "alternating descent",
            split_node,
            X,
            n_clusters,
            penalties,
            slack=0.1,
            n_init=n_init,
            max_iter=100,
            w_tol=1e-7,
            random=np.random.RandomState(seed),
        )
        split = fast.result
        yield checks.certify(
            f"{n_clusters}-clusters-{n_init}-starts",
            "no local optimum lies below the best of all balanced labelings, and the descent never rises",
            fast.giving(split.objective),
            exact.giving(optimum, f"enumeration of {tried} labelings, the best one solved by cvxpy"),
            TOLERANCE,
            residual=max(shortfall(split.objective, optimum), split.largest_rise),
            note="the gap is how far the local optimum lies above the global one",
        )
        gain = timed(
            "integer programme by CBC for the labels, least subgradient by NumPy for the models",
            _left_to_gain,
            *(X, split, penalties, lower, upper),
        )
        moved, left = gain.result
        yield checks.certify(
            f"{n_clusters}-clusters-{n_init}-starts-local",
            "at the end neither the models nor the labels alone can lower the objective",
            fast.giving(split.objective),
            gain.giving(moved),
            TOLERANCE,
            residual=max(shortfall(moved, split.objective), left, split.largest_rise),
            note="the bound is the objective with the best labels for the final models",
        )


def _left_to_gain(
    X: np.ndarray, split: NodeSplit, penalties: Penalties, lower: int, upper: int
) -> tuple[float, float]:
    """Give the objective with the best balanced labels, and models' residual.

    Both are of the final models.
    """
    costs = margin.assignment_costs(X, split.W)
    labels = assignment.balanced_assignment(costs, lower, upper)
    moved = assignment.assignment_value(costs, labels) / costs.size + penalties.value(split.W)
    return moved, margin.residual(X, split.labels, split.W, group=penalties.group)
