"""Semantic measures of hierarchies, and the Rand index, by enumeration of pairs; in fractions, so that none rounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.reference.hierarchy import ancestors


def semantic_similarity(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Literal["shortest_path", "path_sharing"] = "shortest_path",
) -> float:
    """One minus the mean squared difference of the two similarities over unordered pairs.

    O(n^2) pairs and branches of any length; see cladebench.metrics.semantic_similarity.
    """
    classes = [int(label) for label in np.asarray(labels)]
    truth = _similarities(class_tree, kind)
    if isinstance(hierarchy, Hierarchy):
        learned = _similarities(hierarchy, kind)
    else:
        clusters = np.asarray(hierarchy).tolist()
        learned = [[Fraction(a == b) for b in clusters] for a in clusters]
    squares = [
        (learned[i][j] - truth[classes[i]][classes[j]]) ** 2 for i, j in combinations(range(len(classes)), 2)
    ]
    return float(1 - sum(squares, Fraction(0)) / len(squares))


def rand_index(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Share of unordered pairs that are together in both partitions or in neither.

    O(n^2) pairs; see cladebench.metrics.rand_index.
    """
    a, b = np.asarray(labels_true).tolist(), np.asarray(labels_pred).tolist()
    agree = [(a[i] == a[j]) == (b[i] == b[j]) for i, j in combinations(range(len(a)), 2)]
    return float(Fraction(sum(agree), len(agree)))


def _similarities(tree: Hierarchy, kind: str) -> list[list[Fraction]]:
    """Similarity of every two samples of a tree, from their branches."""
    branches = [ancestors(tree.parents, node) for node in tree.leaf_of]
    similarity: Any = _path_sharing
    if kind == "shortest_path":
        longest = max(_edges(a, b) for a in branches for b in branches)

        def similarity(a: list[int], b: list[int]) -> Fraction:
            return 1 - Fraction(_edges(a, b), longest) if longest else Fraction(1)

    return [[similarity(a, b) for b in branches] for a in branches]


def _edges(a: list[int], b: list[int]) -> int:
    """Edges on the path between the lower ends of two branches: those that are in one branch only."""
    return len(set(a) ^ set(b))


def _path_sharing(a: list[int], b: list[int]) -> Fraction:
    """Nodes that two branches share / nodes of the longer one."""
    return Fraction(len(set(a) & set(b)), max(len(a), len(b)))
