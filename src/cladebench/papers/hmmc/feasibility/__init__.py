"""Bound what Rand index, SP and PS can be.

Partitions are balanced clusters, leaves of trees, one large leaf, or a constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from cladebench.datasets.sets import awa_classes
from cladebench.paper.feasibility import CLASS_SIZES, Interval, Programme, Programmes, Range, as_printed
from cladebench.papers.hmmc.feasibility import class_similarity, leaves, rand_index
from cladebench.papers.hmmc.feasibility.uneven import UnevenPartition

#: ``facts(dataset, "n_samples")``.
Facts: TypeAlias = Callable[[str, str], int]


def class_sizes(classes: Mapping[str, Any], facts: Facts) -> tuple[int, ...]:
    """Give a claim's class sizes, its own or a data set's.

    The sizes of such a data set are part of its code.
    """
    if "sizes" in classes:
        return tuple(classes["sizes"])
    sizes = tuple(images for _, images in awa_classes.CLASSES.values())
    if classes["dataset"] != "awa-attr" or facts("awa-attr", "n_samples") != sum(sizes):
        raise ValueError(f"classes.dataset: {classes['dataset']!r}: expected awa-attr, or sizes")
    return sizes


def _tree(classes: Mapping[str, Any]) -> tuple[int, ...]:
    if "parents" in classes:
        return tuple(classes["parents"])
    return tuple(awa_classes.tree_of([synset for synset, _ in awa_classes.CLASSES.values()]).tolist())


def _slack(expects: Mapping[str, Any]) -> Fraction:
    return Fraction(str(expects["slack"]))


def _uneven(expects: Mapping[str, Any], sizes: tuple[int, ...] | None) -> UnevenPartition:
    """What the printed Rand index of single linkage says of class sizes."""
    index = as_printed(expects["single_linkage"]["ri"], Fraction(100))[1]
    if sizes is not None:
        return UnevenPartition(sum(sizes), index, Fraction(max(sizes), sum(sizes)))
    classes = expects["classes"]
    return UnevenPartition(int(classes["n_samples"]), index, Fraction(str(classes["largest"])))


def _balanced(metric: str, expects: Mapping[str, Any], facts: Facts, printed: Interval) -> Range:
    classes, clusters, slack = expects["classes"], int(expects["clusters"]), _slack(expects)
    if "n_samples" not in classes:
        return rand_index.balanced_range(class_sizes(classes, facts), clusters, slack)
    uneven = _uneven(expects, None)
    possible = rand_index.fitting_balanced_range(
        uneven.n, int(classes["n_classes"]), uneven.class_squares, clusters, slack
    )
    return replace(
        possible,
        assumes=f"no class with more than {float(uneven.largest):.0%} of the rows, class sizes that fit the "
        f"{expects['single_linkage']['ri']} printed for single linkage, that is {possible.assumes}",
    )


def _splits(metric: str, expects: Mapping[str, Any], facts: Facts, printed: Interval) -> Range:
    sizes, count, slack = class_sizes(expects["classes"], facts), int(expects["clusters"]), _slack(expects)
    n = sum(sizes)
    low, high = rand_index.slack_bounds(n, count, slack)
    even = Fraction(sum(size**2 for size in rand_index.even_sizes(n, count)))
    implied = []
    for name, most in (
        ("with equally balanced leaves", Fraction(rand_index.most_squares(n, count, low, high))),
        ("with balanced splits", leaves.tree_squares(n, count, slack)),
        ("with leaves of any size", Fraction(n * n)),
    ):
        ends = leaves.adjusted_range(sizes, count, printed, (even, most))
        said = "impossible" if ends is None else f"between {ends[0]:.3f} and {ends[1]:.3f}"
        implied.append(f"{name} {said}")
    return replace(leaves.tree_range(sizes, count, slack), implies=f"implied ARI: {', '.join(implied)}")


def _one_large(metric: str, expects: Mapping[str, Any], facts: Facts, printed: Interval) -> Range:
    sizes, clusters = class_sizes(expects["classes"], facts), int(expects["clusters"])
    if metric == "ri":
        return rand_index.one_large_range(sizes, clusters)
    outside = _uneven(expects, sizes).outside(Fraction(sum(size**2 for size in sizes)))
    return class_similarity.one_large_score_range(sizes, _tree(expects["classes"]), metric, outside)  # type: ignore[arg-type]


def _constant(metric: str, expects: Mapping[str, Any], facts: Facts, printed: Interval) -> Range:
    classes = expects["classes"]
    return class_similarity.constant_range(class_sizes(classes, facts), _tree(classes), metric)  # type: ignore[arg-type]


def _constant_by_print(metric: str, expects: Mapping[str, Any], facts: Facts, printed: Interval) -> Range:
    """Bound the best constant by two printed scores alone.

    They are of single linkage and of a balanced flat clustering.
    """
    classes, clusters, slack = expects["classes"], int(expects["clusters"]), _slack(expects)
    linkage, flat = expects["single_linkage"], expects["flat"]
    sizes = None if "n_samples" in classes else class_sizes(classes, facts)
    uneven = _uneven(expects, sizes)
    n, pairs = uneven.n, math.comb(uneven.n, 2)
    narrowed = uneven if sizes is not None else uneven.narrowed(int(classes["n_classes"]))
    least = Fraction(sum(size**2 for size in sizes or rand_index.even_sizes(n, int(classes["n_classes"]))))
    low, high = rand_index.slack_bounds(n, clusters, slack)
    percent = Fraction(100)
    implied = class_similarity.implied_moments(
        as_printed(linkage["score"], percent),
        narrowed.outside(least),
        as_printed(flat["score"], percent),
        as_printed(flat["ri"], percent),
        (least - n) / (2 * pairs),
        Fraction(rand_index.most_squares(n, clusters, low, high) - n, 2 * pairs),
    )
    mean, variance = implied.mean, implied.variance
    return Range(
        low=1 - variance[1],
        high=1 - variance[0],
        attained=(),
        step=Fraction(0),
        assumes=f"no class with more than {float(uneven.largest):.0%} of the rows, single linkage with the printed "
        f"score {linkage['score']} and index {linkage['ri']}, a flat clustering with the printed score {flat['score']} "
        f"and {low} to {high} rows a cluster",
        programme="the moments of the true similarities that both prints leave",
        implies=f"mean similarity between {float(mean[0]):.3f} and {float(mean[1]):.3f}, variance between "
        f"{float(variance[0]):.4f} and {float(variance[1]):.4f}",
    )


_CLASSES = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "dataset": {
            "description": "one whose class sizes and class tree are part of its code",
            "const": "awa-attr",
        },
        "sizes": CLASS_SIZES,
        "parents": {
            "description": "tree of the classes: node c is class c, the root's parent is -1",
            "type": "array",
            "minItems": 2,
            "items": {"type": "integer", "minimum": -1},
        },
        "source": {"$ref": "#/$defs/text"},
        "n_samples": {"type": "integer", "minimum": 2},
        "n_classes": {"type": "integer", "minimum": 3},
        "largest": {
            "description": "share of the rows that no class exceeds (assumed)",
            "$ref": "#/$defs/positive",
        },
    },
    "oneOf": [
        {"required": ["dataset"], "maxProperties": 1},
        {"required": ["sizes", "source"]},
        {"required": ["n_samples"]},
    ],
    "dependentRequired": {"parents": ["sizes"], "n_classes": ["n_samples", "largest"]},
}


def _scores(*required: str) -> Mapping[str, Any]:
    return {
        "description": "printed Rand index and other score of one method, in per cent",
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {"score": {"$ref": "#/$defs/text"}, "ri": {"$ref": "#/$defs/text"}},
    }


def _form(*required: str, linkage: tuple[str, ...] = ("ri",)) -> Mapping[str, Any]:
    return {
        "required": ["classes", *required],
        "properties": {
            "classes": _CLASSES,
            "clusters": {"type": "integer", "minimum": 2},
            "slack": {
                "description": "0.1 for sizes between 0.9 and 1.1 of the mean",
                "type": "number",
                "minimum": 0,
                "exclusiveMaximum": 1,
            },
            "single_linkage": _scores(*linkage),
            "flat": _scores("ri", "score"),
        },
    }


_BY_PRINT = _form("clusters", "slack", "single_linkage", "flat", linkage=("ri", "score"))
PROGRAMMES: Programmes = {
    ("ri", "balanced clusters"): Programme(_balanced, _form("clusters", "slack")),
    ("ri", "leaves of balanced splits"): Programme(_splits, _form("clusters", "slack")),
    **{
        (metric, "one large leaf"): Programme(_one_large, _form("clusters"))
        for metric in ("ri", "sp", "ps", "ps_without_root")
    },
    **{
        (metric, "constant"): Programme(_constant, _form(), of_constants=True)
        for metric in ("sp", "ps", "ps_without_root")
    },
    **{
        (metric, "constant by printed numbers"): Programme(_constant_by_print, _BY_PRINT, of_constants=True)
        for metric in ("sp", "ps")
    },
}
