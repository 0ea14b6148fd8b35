"""Bounds of SP and PS, given a tree of the classes.

They follow from exact moments of the similarity of two samples' classes.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from cladebench.hierarchy import Hierarchy
from cladebench.paper.feasibility import Range

Sizes: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["sp", "ps", "ps_without_root"]


@dataclass(frozen=True)
class SimilarityMoments:
    """Means over all pairs of samples.

    Attributes
    ----------
    mean, square : Fraction
        Of the similarity of their classes, and of its square.
    """

    mean: Fraction
    square: Fraction

    @property
    def variance(self) -> Fraction:
        """Mean squared difference from the mean: what the best constant gets wrong."""
        return self.square - self.mean**2

    @property
    def from_one(self) -> Fraction:
        """Give the mean squared difference from 1.

        One cluster of all samples gets this wrong.
        """
        return 1 - 2 * self.mean + self.square


def similarities(n_classes: int, parents: Sizes, kind: Kind) -> list[list[Fraction]]:
    """Similarity of each two classes in their tree, as `cladebench.metrics.semantic` defines it.

    Parameters
    ----------
    n_classes : int
    parents : tuple of int
        Of each node, -1 at the root; node c is class c. Unary chains are taken out first, as the protocol does.
    kind : {"sp", "ps", "ps_without_root"}
    """
    tree = Hierarchy(np.array(parents), np.arange(n_classes)).pruned()
    depth = [int(tree.depths[node]) for node in tree.leaf_of]
    common = tree.depths[tree.lca(tree.leaf_of[:, None], tree.leaf_of)].tolist()
    edges = [
        [a + b - 2 * c for b, c in zip(depth, row, strict=True)] for a, row in zip(depth, common, strict=True)
    ]
    longest = max(map(max, edges)) or 1
    root = 0 if kind == "ps_without_root" else 1
    if kind == "sp":
        return [[1 - Fraction(e, longest) for e in row] for row in edges]
    return [
        [
            Fraction(1) if i == j else Fraction(c + root, max(a, b) + root)
            for j, (b, c) in enumerate(zip(depth, row, strict=True))
        ]
        for i, (a, row) in enumerate(zip(depth, common, strict=True))
    ]


@lru_cache(maxsize=64)
def moments(classes: Sizes, parents: Sizes, kind: Kind) -> SimilarityMoments:
    """Exact moments over all pairs of distinct samples.

    Parameters
    ----------
    classes : tuple of int
        Samples of each class.
    parents, kind
        As for `similarities`.
    """
    values = similarities(len(classes), parents, kind)
    weights: Counter[Fraction] = Counter()
    for i, row in enumerate(values):
        weights[row[i]] += math.comb(classes[i], 2)
        for j in range(i):
            weights[row[j]] += classes[i] * classes[j]
    pairs = math.comb(sum(classes), 2)
    first = sum((value * weight for value, weight in weights.items()), Fraction(0))
    second = sum((value**2 * weight for value, weight in weights.items()), Fraction(0))
    return SimilarityMoments(first / pairs, second / pairs)


def constant_range(classes: Sizes, parents: Sizes, kind: Kind) -> Range:
    """Score exactly the best constant similarity, the mean of true ones."""
    score = 1 - moments(classes, parents, kind).variance
    return Range(
        low=score,
        high=score,
        attained=((score, score),),
        step=Fraction(0),
        assumes=f"{sum(classes)} rows in {len(classes)} classes under the tree of the run",
        programme="one minus the variance of the true similarities",
    )


def one_large_score_range(classes: Sizes, parents: Sizes, kind: Kind, outside: Fraction) -> Range:
    """Bound the score of a tree with nearly all samples together.

    They are in one leaf.

    Pairs within the leaf are alike, whatever the tree; others may be right, or wrong by one.

    Parameters
    ----------
    classes, parents, kind
        As for `moments`.
    outside : Fraction
        Largest share of pairs that are not both in the leaf.
    """
    wrong = moments(classes, parents, kind).from_one
    return Range(
        low=1 - min(Fraction(1), wrong + outside),
        high=1 - max(Fraction(0), wrong - outside),
        attained=(),
        step=Fraction(0),
        assumes=f"{sum(classes)} rows in {len(classes)} classes under the tree of the run, all pairs but "
        f"{float(outside):.2%} in one leaf",
        programme="the mean squared difference of the true similarities from one",
    )


@dataclass(frozen=True)
class Implied:
    """What printed scores imply of the true similarities; pairs of (least, greatest).

    Attributes
    ----------
    mean, variance : (Fraction, Fraction)
    """

    mean: tuple[Fraction, Fraction]
    variance: tuple[Fraction, Fraction]


def implied_moments(
    one_large: tuple[Fraction, Fraction],
    outside: Fraction,
    flat: tuple[Fraction, Fraction],
    flat_index: tuple[Fraction, Fraction],
    same_class: Fraction,
    same_cluster: Fraction,
) -> Implied:
    r"""Bound moments of true similarities t from two printed scores.

    The tree of the classes may be any.

    Parameters
    ----------
    one_large : (Fraction, Fraction)
        Score of single linkage, as far as its print goes: one minus the mean of (1 - t)^2.
    outside : Fraction
        Largest share of pairs that are not both in its large leaf.
    flat, flat_index : (Fraction, Fraction)
        Score and Rand index of a flat clustering, as far as the print goes.
    same_class : Fraction
        Least share of pairs of one class, whose similarity is 1.
    same_cluster : Fraction
        Largest share of pairs in one of its clusters.

    Raises
    ------
    ValueError
        If no similarities have these scores.

    Notes
    -----
    A flat clustering with b = 1 within clusters has the score 1 - E t^2 + 2 E tb - E b. Here E tb is at most E b,
    and at least the share s of pairs in one class and cluster; with P + E b - 2 s = 1 - RI it follows that 1 -
    score + P - (1 - RI) <= E t^2 <= 1 - score + E b. The two second moments give the mean, and the variance E t^2 -
    (E t)^2 grows with both while the mean is in [0, 1].
    """
    square = (1 - flat[1] + same_class - (1 - flat_index[0]), 1 - flat[0] + same_cluster)
    square = max(square[0], Fraction(0)), min(square[1], Fraction(1))
    wrong = max(1 - one_large[1] - outside, Fraction(0)), min(1 - one_large[0] + outside, Fraction(1))
    mean = (square[0] + 1 - wrong[1]) / 2, (square[1] + 1 - wrong[0]) / 2
    variance = tuple(s - ((s + 1 - w) / 2) ** 2 for s, w in zip(square, wrong, strict=True))
    if square[0] > square[1] or variance[1] < 0:
        raise ValueError("no similarities between 0 and 1 have both scores")
    return Implied(mean, (max(variance[0], Fraction(0)), variance[1]))
