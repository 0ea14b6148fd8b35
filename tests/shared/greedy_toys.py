"""Trees grown greedily by rules that see the samples alone."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cladebench.methods._greedy import GreedyTopDown, Node, Split

Rule = Callable[[np.ndarray], Split | None]


class Toy(GreedyTopDown):
    """Splits by a rule that sees the samples alone, and keeps a record of the nodes it was asked to split."""

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        rule: Rule,
        n_leaves: Any = None,
        n_splits: Any = 2,
        min_leaf_size: Any = 1,
        max_depth: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.rule = rule
        self.n_leaves = n_leaves
        self.n_splits = n_splits
        self.min_leaf_size = min_leaf_size
        self.max_depth = max_depth
        self.random_state = random_state

    def _build(self, X: np.ndarray, y: np.ndarray | None) -> Any:
        self.asked: list[Node] = []
        self.asked_samples: list[list[int]] = []
        return super()._build(X, y)

    def _split(self, node: Node) -> Split | None:
        assert np.array_equal(node.samples, np.sort(node.samples))
        self.asked.append(node)
        self.asked_samples.append(node.samples.tolist())
        return self.rule(node.samples)


def chunks(n_splits: int, score: Callable[[np.ndarray], float] = len) -> Rule:
    """Cut the samples, in their order, into parts of nearly equal sizes."""

    def rule(samples: np.ndarray) -> Split:
        return Split(np.arange(len(samples)) * n_splits // len(samples), float(score(samples)))

    return rule


def line(n: int) -> np.ndarray:
    return np.arange(float(n))[:, None]
