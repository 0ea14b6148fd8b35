"""Judge claims of kind ``possible``.

Can the printed number be, under what the paper states?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from cladebench.audit.claim_types import Claim, Facts
from cladebench.audit.possible import class_similarity, leaves, rand_index, trees
from cladebench.audit.possible.ranges import Range
from cladebench.audit.possible.uneven import UnevenPartition
from cladebench.audit.printed import parse_printed
from cladebench.audit.verdict_types import INCONSISTENT, REPRODUCED, UNINFORMATIVE, Outcome, not_testable
from cladebench.datasets import awa
from cladebench.measures import MEASURES
from cladebench.notation import significant

Interval = tuple[Fraction, Fraction]
CONSTANT = "constant"
#: Of the numbers that a measure has, as many may pass as of false claims pass a test: more, and passing says nothing.
PASSED_BLINDLY = 0.05


def judge_possible(claim: Claim, facts: Facts) -> Outcome:
    """Judge a claim of kind ``possible``.

    Parameters
    ----------
    claim : Claim
        Its `expects` names a set of `instances` and what is known of the data; its metric says what is measured.
    facts : callable
        ``facts(dataset, "n_samples")``: checked against the class sizes of a data set that is named.

    Returns
    -------
    Outcome
        If an instance has the number as printed, "reproduced", or "uninformative" where many other numbers would pass
        too (`PASSED_BLINDLY`); "inconsistent" if none can have it, "not testable" where the bounds leave it open.
        Against a constant: "reproduced" if the number is above what the best one gets, else "uninformative". `low`
        and `high` are the proven ends, in printed units.

    Raises
    ------
    ValueError
        If sizes and bounds contradict each other.
    """
    assert claim.published is not None
    scale = Fraction(str(claim.measure.get("scale", 1.0)))
    printed = as_printed(claim.published.text, scale)
    found = _range(claim, facts, printed)
    ends: dict[str, Any] = {"low": float(found.low * scale), "high": float(found.high * scale), "n": 1}
    said = f"{found.assumes}: the value is {_between(found, scale)}, by {found.programme}"
    said += f"; {found.implies}" if found.implies else ""
    text, assumed = claim.published.text, str(claim.expects.get("assumed", ""))
    if claim.expects["instances"] in (CONSTANT, "constant by printed numbers"):
        return _against_constant(found, printed, text, said, ends, assumed)
    if found.excludes(*printed):
        if assumed:
            return not_testable(f"{text} is impossible, but {assumed}. {said}", **ends)
        return Outcome(INCONSISTENT, f"{text} is impossible. {said}", **ends)
    if found.takes(*printed):
        allowed = _allowed(found, MEASURES[str(claim.measure["metric"])].range)
        if allowed <= PASSED_BLINDLY:
            return Outcome(REPRODUCED, f"{text} is possible. {said}", **ends)
        what = "the bounds exclude no number" if allowed >= 1 else f"so are {allowed:.0%} of all numbers"
        return Outcome(UNINFORMATIVE, f"{text} is possible, and {what}. {said}", **ends)
    return not_testable(f"nothing excludes {text}, and no instance at hand has it. {said}", **ends)


def _allowed(found: Range, ends: tuple[float, float]) -> float:
    """Give the share of a measure's range between the proven bounds.

    1 where the range has no end.
    """
    whole = ends[1] - ends[0]
    return float(found.high - found.low) / whole if math.isfinite(whole) else 1.0


def _against_constant(
    found: Range, printed: Interval, text: str, said: str, ends: Mapping[str, Any], assumed: str
) -> Outcome:
    if printed[0] > found.high:
        return Outcome(REPRODUCED, f"{text} is above the best constant. {said}", **ends)
    if printed[1] <= found.low and assumed:
        return not_testable(f"{text} is below the best constant, but {assumed}. {said}", **ends)
    if printed[1] <= found.low:
        return Outcome(UNINFORMATIVE, f"{text} is below the best constant. {said}", **ends)
    return not_testable(f"the best constant may be above or below {text}. {said}", **ends)


def as_printed(text: str, scale: Fraction = Fraction(1)) -> Interval:
    """Give the exact interval of values that round to a number.

    It is divided by the scale (100 for per cent).
    """
    printed = parse_printed(text)
    value, unit = Fraction(str(printed.value)), Fraction(str(printed.unit))
    return (value - unit / 2) / scale, (value + unit / 2) / scale


def _between(found: Range, scale: Fraction) -> str:
    low, high = (significant(float(end * scale)) for end in (found.low, found.high))
    return f"exactly {low}" if found.low == found.high else f"between {low} and {high}"


def _range(claim: Claim, facts: Facts, printed: Interval) -> Range:
    key = (str(claim.measure["metric"]), str(claim.expects["instances"]))
    if key not in PROGRAMMES:
        known = "; ".join(f"{metric} of {what}" for metric, what in PROGRAMMES)
        raise ValueError(
            f"claim {claim.id!r}: expects.instances: no programme for {key[0]} of {key[1]!r}; expected {known}"
        )
    return PROGRAMMES[key](key[0], claim.expects, facts, printed)


def class_sizes(classes: Mapping[str, Any], facts: Facts) -> tuple[int, ...]:
    """Give the sizes of classes that a claim names.

    Its own, or those of a data set whose sizes are part of its code.
    """
    if "sizes" in classes:
        return tuple(classes["sizes"])
    sizes = tuple(images for _, images in awa.CLASSES.values())
    if classes["dataset"] != "awa-attr" or facts("awa-attr", "n_samples") != sum(sizes):
        raise ValueError(f"classes.dataset: {classes['dataset']!r}: expected awa-attr, or sizes")
    return sizes


def _tree(classes: Mapping[str, Any]) -> tuple[int, ...]:
    if "parents" in classes:
        return tuple(classes["parents"])
    return tuple(awa.class_tree([synset for synset, _ in awa.CLASSES.values()]).tolist())


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
    found = rand_index.fitting_balanced_range(
        uneven.n, int(classes["n_classes"]), uneven.class_squares, clusters, slack
    )
    return replace(
        found,
        assumes=f"no class with more than {float(uneven.largest):.0%} of the rows, class sizes that fit the "
        f"{expects['single_linkage']['ri']} printed for single linkage, that is {found.assumes}",
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


def _purity(metric: str, expects: Mapping[str, Any], facts: Facts, printed: Interval) -> Range:
    return trees.purity_range(class_sizes(expects["classes"], facts))


def _cost(metric: str, expects: Mapping[str, Any], facts: Facts, printed: Interval) -> Range:
    n = int(expects["classes"]["n_samples"])
    least, _ = trees.implied_mean_similarity(n, printed[0])
    _, most = trees.implied_mean_similarity(n, printed[1])
    implies = f"implied mean similarity: between {significant(least)} and {significant(most)}"
    return replace(trees.cost_range(n), implies=implies)


#: What a claim may ask for: (metric, instances) -> programme.
PROGRAMMES: dict[tuple[str, str], Callable[[str, Mapping[str, Any], Facts, Interval], Range]] = {
    ("ri", "balanced clusters"): _balanced,
    ("ri", "leaves of balanced splits"): _splits,
    **{(metric, "one large leaf"): _one_large for metric in ("ri", "sp", "ps", "ps_without_root")},
    **{(metric, CONSTANT): _constant for metric in ("sp", "ps", "ps_without_root")},
    **{(metric, "constant by printed numbers"): _constant_by_print for metric in ("sp", "ps")},
    ("dendrogram_purity", "trees"): _purity,
    ("dasgupta_cost", "trees"): _cost,
}
