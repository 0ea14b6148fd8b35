"""Semantic measures of hierarchies, and the Rand index, by enumeration of pairs; in fractions, so that none rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations
from typing import Literal

import numpy as np
import numpy.typing as npt

from cladebench.hierarchy import Hierarchy
from cladebench.reference.hierarchy import ancestors

Kind = Literal["shortest_path", "path_sharing", "path_sharing_without_root"]


def semantic_similarity(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> float:
    """One minus the mean squared difference of the two similarities over unordered pairs.

    O(n^2) pairs and branches of any length; see cladebench.metrics.semantic_similarity.
    """
    squares = [(a - b) ** 2 for a, b in pair_similarities(hierarchy, labels, class_tree, kind)]
    return float(1 - sum(squares, Fraction(0)) / len(squares))


def permuted_similarity(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> float:
    """Mean of the semantic similarity over all permutations of the samples; n! of them."""
    codes = np.asarray(labels)
    found = [
        semantic_similarity(hierarchy, codes[list(order)], class_tree, kind)
        for order in permutations(range(len(codes)))
    ]
    return math.fsum(found) / len(found)


def similarity_correlation(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> float:
    """Pearson's correlation of the two similarities over unordered pairs; 0 where one of them is constant."""
    a, b = zip(*pair_similarities(hierarchy, labels, class_tree, kind), strict=True)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    variances = sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    return float(covariance) / math.sqrt(variances) if variances else 0.0


def pair_similarities(
    hierarchy: Hierarchy | npt.ArrayLike, labels: npt.ArrayLike, class_tree: Hierarchy, kind: Kind
) -> list[tuple[Fraction, Fraction]]:
    """Similarity in the hierarchy and in the class tree of each unordered pair of distinct samples."""
    classes = [int(label) for label in np.asarray(labels)]
    truth = _similarity(class_tree, kind)
    if isinstance(hierarchy, Hierarchy):
        learned = _similarity(hierarchy, kind)
    else:
        clusters = np.asarray(hierarchy).tolist()

        def learned(i: int, j: int) -> Fraction:
            return Fraction(clusters[i] == clusters[j])

    return [(learned(i, j), truth(classes[i], classes[j])) for i, j in combinations(range(len(classes)), 2)]


def rand_index(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Share of unordered pairs that are together in both partitions or in neither.

    O(n^2) pairs; see cladebench.metrics.rand_index.
    """
    a, b = np.asarray(labels_true).tolist(), np.asarray(labels_pred).tolist()
    agree = [(a[i] == a[j]) == (b[i] == b[j]) for i, j in combinations(range(len(a)), 2)]
    return float(Fraction(sum(agree), len(agree)))


def _similarity(tree: Hierarchy, kind: str) -> Callable[[int, int], Fraction]:
    """Similarity of two samples of a tree, as a function of their indices."""
    branches = [frozenset(ancestors(tree.parents, node)) for node in tree.leaf_of]
    longest = max((_edges(a, b) for a, b in combinations(branches, 2)), default=0)

    def shortest_path(i: int, j: int) -> Fraction:
        return 1 - Fraction(_edges(branches[i], branches[j]), longest) if longest else Fraction(1)

    def path_sharing(i: int, j: int) -> Fraction:
        a, b = branches[i], branches[j]
        return Fraction(len(a & b), max(len(a), len(b)))

    def path_sharing_without_root(i: int, j: int) -> Fraction:
        a, b = (branches[k] - {tree.root} for k in (i, j))
        return Fraction(len(a & b), max(len(a), len(b))) if a | b else Fraction(1)

    return {
        "shortest_path": shortest_path,
        "path_sharing": path_sharing,
        "path_sharing_without_root": path_sharing_without_root,
    }[kind]


def _edges(a: frozenset[int], b: frozenset[int]) -> int:
    """Edges on the path between the lower ends of two branches: one above each node that is in one branch only."""
    return len(a ^ b)
