"""Bound dendrogram purity and Dasgupta's cost over all trees.

There are witnesses, and bounds that need no similarity.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from cladebench.notation import significant
from cladebench.paper.feasibility import CLASS_SIZES, Interval, Programme, Programmes, Range

Sizes = tuple[int, ...]


@lru_cache(maxsize=64)
def purity_range(classes: Sizes) -> Range:
    """Range of the dendrogram purity over all trees.

    Parameters
    ----------
    classes : tuple of int
        Samples of each class; one at least has two.

    Returns
    -------
    Range
        Attained from the purity of a star up to 1, by `peeled_purities`; below a star's, the proven end is that no
        pair's ancestor has fewer than two of its class, or more of others than there are.
    """
    n = sum(classes)
    pairs = sum(math.comb(size, 2) for size in classes)
    least = sum((math.comb(size, 2) * Fraction(2, 2 + n - size) for size in classes), Fraction(0)) / pairs
    values = list(peeled_purities(classes))
    whole = pairs * n
    return Range(
        low=least,
        high=Fraction(1),
        attained=((Fraction(values[0], whole), Fraction(values[-1], whole)),),
        step=Fraction(max(b - a for a, b in itertools.pairwise(values)), whole),
        assumes=f"{n} points in classes of {', '.join(map(str, classes))}",
        programme="a star from which pure leaves are split off point by point",
    )


def peeled_purities(classes: Sizes) -> Iterator[int]:
    """Yield the purities of trees peeled from a star, rising.

    They are times the number of pairs and of points. Each tree hangs more points of a class into a pure leaf below its
    root. Pairs in such a leaf have purity 1, all others meet at the root.
    """
    n = sum(classes)
    total = sum(math.comb(size, 2) * size for size in classes)
    yield total
    for size in classes:
        for count in range(2, size + 1):
            total += (count - 1) * (n - size)
            yield total


def cost_range(n: int) -> Range:
    """Bound Dasgupta's cost over all trees and similarities in 0 to 1.

    A pair's ancestor has at most n points below it, and in a star it has n: with one similarity s for all pairs a
    star costs s n (n choose 2), for any s.
    """
    most = Fraction(n * math.comb(n, 2))
    return Range(
        low=Fraction(0),
        high=most,
        attained=((Fraction(0), most),),
        step=Fraction(0),
        assumes=f"{n} points, some similarity between 0 and 1, unordered pairs",
        programme="a star",
    )


def implied_mean_similarity(n: int, cost: Fraction) -> tuple[float, float]:
    """Bound the mean similarity that a tree's cost allows.

    2 to n points lie below each pair.
    """
    pairs = math.comb(n, 2)
    return float(cost / (n * pairs)), float(min(Fraction(1), cost / (2 * pairs)))


def _purity(metric: str, expects: Mapping[str, Any], facts: Any, printed: Interval) -> Range:
    return purity_range(tuple(expects["classes"]["sizes"]))


def _cost(metric: str, expects: Mapping[str, Any], facts: Any, printed: Interval) -> Range:
    n = int(expects["classes"]["n_samples"])
    least, _ = implied_mean_similarity(n, printed[0])
    _, most = implied_mean_similarity(n, printed[1])
    implies = f"implied mean similarity: between {significant(least)} and {significant(most)}"
    return replace(cost_range(n), implies=implies)


def _of_classes(**known: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the form of a claim that says this of the classes."""
    classes = {"type": "object", "additionalProperties": False, "required": [*known], "properties": known}
    return {"required": ["classes"], "properties": {"classes": classes}}


PROGRAMMES: Programmes = {
    ("dendrogram_purity", "trees"): Programme(
        _purity, _of_classes(sizes=CLASS_SIZES, source={"$ref": "#/$defs/text"})
    ),
    ("dasgupta_cost", "trees"): Programme(_cost, _of_classes(n_samples={"type": "integer", "minimum": 2})),
}
