"""Compute semantic measures and the Rand index by pairs, in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
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
    """Compute one minus similarities' mean squared difference over unordered pairs.

    O(n^2) pairs and branches of any length; see cladebench.metrics.semantic_similarity.
    """
    a, b, unit = _whole_numbers(pair_similarities(hierarchy, labels, class_tree, kind))
    return float(1 - Fraction(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)), unit**2 * len(a)))


def permuted_similarity(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> float:
    """Average the semantic similarity over all n! permutations of samples."""
    codes = np.asarray(labels)
    similarities = [
        semantic_similarity(hierarchy, codes[list(order)], class_tree, kind)
        for order in permutations(range(len(codes)))
    ]
    return math.fsum(similarities) / len(similarities)


def similarity_correlation(
    hierarchy: Hierarchy | npt.ArrayLike,
    labels: npt.ArrayLike,
    class_tree: Hierarchy,
    kind: Kind = "shortest_path",
) -> float:
    """Pearson's correlation of the two similarities over unordered pairs.

    0 where one of them is constant.
    """
    a, b, unit = _whole_numbers(pair_similarities(hierarchy, labels, class_tree, kind))

    def covariance(first: list[int], second: list[int]) -> Fraction:
        """Sum of the products of deviations from the means."""
        products = sum(x * y for x, y in zip(first, second, strict=True))
        return Fraction(len(a) * products - sum(first) * sum(second), unit**2 * len(a))

    variances = covariance(a, a) * covariance(b, b)
    return float(covariance(a, b)) / math.sqrt(variances) if variances else 0.0


def _whole_numbers(pairs: list[tuple[Fraction, Fraction]]) -> tuple[list[int], list[int], int]:
    """Give both sides of pairs as whole numbers over a unit.

    Sums of whole numbers are exact, and fast.
    """
    unit = math.lcm(*{value.denominator for pair in pairs for value in pair})
    first, second = (
        [x.numerator * (unit // x.denominator) for x in side] for side in zip(*pairs, strict=True)
    )
    return first, second, unit


def pair_similarities(
    hierarchy: Hierarchy | npt.ArrayLike, labels: npt.ArrayLike, class_tree: Hierarchy, kind: Kind
) -> list[tuple[Fraction, Fraction]]:
    """Give unordered pairs' similarities in the hierarchy and the class tree.

    The samples of a pair are distinct.
    """
    classes = [int(label) for label in np.asarray(labels)]
    truth = _similarity(class_tree, kind)
    if isinstance(hierarchy, Hierarchy):
        learned = _similarity(hierarchy, kind)
    else:
        clusters, alike = np.asarray(hierarchy).tolist(), (Fraction(0), Fraction(1))

        def learned(i: int, j: int) -> Fraction:
            return alike[clusters[i] == clusters[j]]

    return [(learned(i, j), truth(classes[i], classes[j])) for i, j in combinations(range(len(classes)), 2)]


def rand_index(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> float:
    """Give the share of pairs on which partitions agree.

    Unordered pairs that are together in both partitions or in neither.

    O(n^2) pairs; see cladebench.metrics.rand_index.
    """
    a, b = np.asarray(labels_true).tolist(), np.asarray(labels_pred).tolist()
    agree = [(a[i] == a[j]) == (b[i] == b[j]) for i, j in combinations(range(len(a)), 2)]
    return float(Fraction(sum(agree), len(agree)))


def _similarity(tree: Hierarchy, kind: str) -> Callable[[int, int], Fraction]:
    """Make a tree's similarity, a function of its samples' indices."""
    branches = [frozenset(ancestors(tree.parents, node)) for node in tree.leaf_of]
    ratio = cache(Fraction)  # there are few, and to reduce each anew takes most of the time
    longest = max((_edges(a, b) for a, b in combinations(branches, 2)), default=0)

    def shortest_path(i: int, j: int) -> Fraction:
        return ratio(longest - _edges(branches[i], branches[j]), longest) if longest else Fraction(1)

    def path_sharing(i: int, j: int) -> Fraction:
        a, b = branches[i], branches[j]
        return ratio(len(a & b), max(len(a), len(b)))

    def path_sharing_without_root(i: int, j: int) -> Fraction:
        a, b = (branches[k] - {tree.root} for k in (i, j))
        return ratio(len(a & b), max(len(a), len(b))) if a | b else Fraction(1)

    return {
        "shortest_path": shortest_path,
        "path_sharing": path_sharing,
        "path_sharing_without_root": path_sharing_without_root,
    }[kind]


def _edges(a: frozenset[int], b: frozenset[int]) -> int:
    """Edges on the path between the lower ends of two branches.

    One above each node that is in one branch only.
    """
    return len(a ^ b)
