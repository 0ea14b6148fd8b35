"""Can the printed number be, under what the paper states?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from cladebench.audit.claim_types import Claim, Facts
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.verdict.verdict_types import (
    INCONSISTENT,
    REPRODUCED,
    UNINFORMATIVE,
    Outcome,
    not_testable,
)
from cladebench.measures import MEASURES
from cladebench.notation import significant
from cladebench.paper.feasibility import Interval, Programme, Programmes, Range, as_printed

#: Instances with one similarity for all pairs. The number is compared with the best of them.
CONSTANTS = ("constant", "constant by printed numbers")
#: Largest share of a measure's numbers that may pass, as of false claims in a test. Beyond it, passing says nothing.
PASSED_BLINDLY = 0.05


_SCORES = {
    "description": "printed Rand index and other score of one method, in per cent",
    "type": "object",
    "additionalProperties": False,
    "required": ["ri"],
    "properties": {"score": {"$ref": "#/$defs/text"}, "ri": {"$ref": "#/$defs/text"}},
}


class Possible(Kind):
    """A printed number against proven bounds."""

    name = "possible"
    on_paper = True
    form: ClassVar[Mapping[str, Any]] = {
        "required": ["published", "measure"],
        "properties": {
            "measure": {"required": ["metric"]},
            "expects": {
                "type": "object",
                "additionalProperties": False,
                "required": ["instances", "classes"],
                "properties": {
                    "instances": {
                        "enum": [
                            "balanced clusters",
                            "leaves of balanced splits",
                            "one large leaf",
                            "constant",
                            "constant by printed numbers",
                            "trees",
                        ]
                    },
                    "classes": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "dataset": {
                                "description": "one whose class sizes and class tree are part of its code",
                                "const": "awa-attr",
                            },
                            "sizes": {
                                "type": "array",
                                "minItems": 2,
                                "items": {"type": "integer", "minimum": 1},
                            },
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
                    },
                    "clusters": {"type": "integer", "minimum": 2},
                    "slack": {
                        "description": "0.1 for sizes between 0.9 and 1.1 of the mean",
                        "type": "number",
                        "minimum": 0,
                        "exclusiveMaximum": 1,
                    },
                    "single_linkage": _SCORES,
                    "flat": {**_SCORES, "required": ["ri", "score"]},
                    "assumed": {
                        "description": "why a number that cannot be says nothing against the paper",
                        "$ref": "#/$defs/text",
                    },
                },
                "allOf": [
                    {
                        "if": {
                            "properties": {
                                "instances": {"enum": ["balanced clusters", "leaves of balanced splits"]}
                            }
                        },
                        "then": {"required": ["clusters", "slack"]},
                    },
                    {
                        "if": {"properties": {"instances": {"const": "one large leaf"}}},
                        "then": {"required": ["clusters"]},
                    },
                    {
                        "if": {"properties": {"instances": {"const": "constant by printed numbers"}}},
                        "then": {
                            "required": ["clusters", "slack", "single_linkage", "flat"],
                            "properties": {"single_linkage": {"required": ["score"]}},
                        },
                    },
                ],
            },
        },
    }

    def judge(self, claim: Claim, by: Grounds) -> Judgement:
        """Judge by the bounds and by instances at hand."""
        return Judgement(judge_possible(claim, by.claims.programmes, by.facts))


def judge_possible(claim: Claim, programmes: Programmes, facts: Facts) -> Outcome:
    """Judge a claim of kind ``possible``.

    Parameters
    ----------
    claim : Claim
        Its `expects` names a set of `instances` and what is known of the data; its metric says what is measured.
    programmes : mapping of (str, str) to callable
        The paper's: (metric, instances) -> programme.
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
    scale = Fraction(str(claim.measure["scale"]))
    printed = as_printed(claim.published.text, scale)
    possible = _programme(claim, programmes)(str(claim.measure["metric"]), claim.expects, facts, printed)
    ends: dict[str, Any] = {"low": float(possible.low * scale), "high": float(possible.high * scale), "n": 1}
    said = f"{possible.assumes}; the value is {_between(possible, scale)}, by {possible.programme}"
    said += f"; {possible.implies}" if possible.implies else ""
    text, assumed = claim.published.text, str(claim.expects.get("assumed", ""))
    if claim.expects["instances"] in CONSTANTS:
        return _against_constant(possible, printed, text, said, ends, assumed)
    if possible.excludes(*printed):
        if assumed:
            return not_testable(f"{text} is impossible, but {assumed}. {said}", **ends)
        return Outcome(INCONSISTENT, f"{text} is impossible. {said}", **ends)
    if possible.takes(*printed):
        allowed = _allowed(possible, MEASURES[str(claim.measure["metric"])].range)
        if allowed <= PASSED_BLINDLY:
            return Outcome(REPRODUCED, f"{text} is possible. {said}", **ends)
        what = "the bounds exclude no number" if allowed >= 1 else f"so are {allowed:.0%} of all numbers"
        return Outcome(UNINFORMATIVE, f"{text} is possible, and {what}. {said}", **ends)
    return not_testable(f"nothing excludes {text}, and no instance at hand has it. {said}", **ends)


def _allowed(possible: Range, ends: tuple[float, float]) -> float:
    """Give the share of a measure's range between the proven bounds.

    1 where the range has no end.
    """
    whole = ends[1] - ends[0]
    return float(possible.high - possible.low) / whole if math.isfinite(whole) else 1.0


def _against_constant(
    possible: Range, printed: Interval, text: str, said: str, ends: Mapping[str, Any], assumed: str
) -> Outcome:
    if printed[0] > possible.high:
        return Outcome(REPRODUCED, f"{text} is above the best constant. {said}", **ends)
    if printed[1] <= possible.low and assumed:
        return not_testable(f"{text} is below the best constant, but {assumed}. {said}", **ends)
    if printed[1] <= possible.low:
        return Outcome(UNINFORMATIVE, f"{text} is below the best constant. {said}", **ends)
    return not_testable(f"the best constant may be above or below {text}. {said}", **ends)


def _between(possible: Range, scale: Fraction) -> str:
    low, high = (significant(float(end * scale)) for end in (possible.low, possible.high))
    return f"exactly {low}" if possible.low == possible.high else f"between {low} and {high}"


def _programme(claim: Claim, programmes: Programmes) -> Programme:
    key = (str(claim.measure["metric"]), str(claim.expects["instances"]))
    if key not in programmes:
        known = (
            "; ".join(f"{metric} of {what}" for metric, what in programmes) or "a feasibility.py of the paper"
        )
        raise ValueError(
            f"claim {claim.id!r}: expects.instances: no programme for {key[0]} of {key[1]!r}; expected {known}"
        )
    return programmes[key]
