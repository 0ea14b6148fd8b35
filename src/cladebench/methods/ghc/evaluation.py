"""Evaluate routers: exact cost, read-out tree, its cost, and certainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.methods.ghc.objective import (
    Similarities,
    draw_sample,
    expected_cost,
    lca_entropy,
    log_path_probabilities,
)
from cladebench.methods.ghc.routers import route
from cladebench.metrics import dasgupta_cost
from cladebench.threads import one_thread


class TreeEvaluation(NamedTuple):
    """Evaluate a tree exactly: J', Dasgupta's cost, and points' leaves.

    Each unordered pair counts once. Leaves have heap numbers.
    """

    objective: float
    cost: float
    tree: Hierarchy
    leaves: np.ndarray


def evaluate(
    margins: np.ndarray, similarities: Similarities, similarity: Any, leaf_term: bool = True
) -> TreeEvaluation:
    """Evaluate routers by their margins on the training points.

    Parameters
    ----------
    margins : ndarray of shape (n_inner, n_points)
        From `routers.left_margins`.
    similarities, similarity
        One similarity, as `objective` and as `dasgupta_cost` read it.
    leaf_term : bool, default=True
        Of J', as in `objective.exact_objective`.

    Returns
    -------
    TreeEvaluation
    """
    P = np.exp(log_path_probabilities(margins, np))
    # A BLAS with more threads would sum long dot products in another order.
    with one_thread("blas"):
        objective = expected_cost(P, similarities, leaf_term)
    leaves = route(margins)
    tree = read_out(leaves, P.shape[1])
    return TreeEvaluation(objective, float(dasgupta_cost(tree, similarity)), tree, leaves)


def read_out(leaves: np.ndarray, n_nodes: int) -> Hierarchy:
    """Build the tree of the leaves that points reach.

    Unused nodes and nodes with one used child are dropped.
    """
    nodes = np.arange(n_nodes)
    parents = np.where(nodes == 0, -1, (nodes - 1) // 2)
    return Hierarchy.from_parents(parents, leaves).pruned()


def mean_lca_entropy(margins: np.ndarray, n_pairs: int) -> float:
    """Compute the lca's mean entropy (nats) over pairs, 0 without any.

    The pairs are drawn with a fixed seed.
    """
    n_points = margins.shape[1]
    if n_points < 2:
        return 0.0
    i, j, _ = draw_sample(np.random.default_rng(0), n_points, (n_pairs,), 0)
    log_probs = log_path_probabilities(margins, np)
    return float(lca_entropy(log_probs[i], log_probs[j], np).mean())


def trace_of(
    checkpoints: Sequence[tuple[float, int, Any]], results: Sequence[TreeEvaluation]
) -> dict[str, np.ndarray]:
    """Make the trace of checkpoints and their evaluations.

    A checkpoint is seconds, iteration and parameters.
    """
    return {
        "seconds": np.array([seconds for seconds, _, _ in checkpoints]),
        "iterations": np.array([iteration for _, iteration, _ in checkpoints]),
        "objective": np.array([result.objective for result in results]),
        "cost": np.array([result.cost for result in results]),
    }
