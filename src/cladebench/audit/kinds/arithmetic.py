"""Claims that need no rerun: printed numbers against each other and facts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet, Facts
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds.base import RELATIVE, Grounds, Kind, check_direction
from cladebench.audit.table_parts import BEST, TablePart
from cladebench.audit.verdict.verdict_types import (
    INCONSISTENT,
    REPRODUCED,
    WITHIN_NOISE,
    Outcome,
    not_testable,
)
from cladebench.notation import as_given, significant


class Arithmetic(Kind):
    """Printed numbers against each other, or against a fact."""

    name = "arithmetic"
    on_paper = of_ids = True
    form: ClassVar[Mapping[str, Any]] = {
        "properties": {
            "expects": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "left": {"$ref": "#/$defs/reference"},
                    "is": {"enum": ["higher", "lower", "better", "worse", "no_worse"]},
                    "than": {
                        "anyOf": [
                            {"type": "number"},
                            {
                                "type": "array",
                                "minItems": 1,
                                "uniqueItems": True,
                                "items": {"$ref": "#/$defs/reference"},
                            },
                        ]
                    },
                    "margin": {"$ref": "#/$defs/positive"},
                    "tie": {
                        "description": "of printed numbers at most so far apart none is ahead",
                        "$ref": "#/$defs/positive",
                    },
                    "fact": {"enum": ["n_samples", "n_features", "n_classes"]},
                    "dataset": {"type": "string"},
                    "average_of": {
                        "type": "array",
                        "minItems": 2,
                        "uniqueItems": True,
                        "items": {"$ref": "#/$defs/reference"},
                    },
                    "difference_of": {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 2,
                        "uniqueItems": True,
                        "items": {"$ref": "#/$defs/reference"},
                    },
                    "ratio_of": {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 2,
                        "uniqueItems": True,
                        "items": {"$ref": "#/$defs/reference"},
                    },
                    "possible_at": {"type": "integer", "minimum": 1},
                },
                "oneOf": [
                    {"required": ["left", "is", "than"]},
                    {"required": ["fact", "dataset"], "maxProperties": 2},
                    {"required": ["average_of"], "maxProperties": 1},
                    {"required": ["difference_of"], "maxProperties": 1},
                    {"required": ["ratio_of"], "maxProperties": 1},
                    {"required": ["possible_at"], "maxProperties": 1},
                ],
            }
        }
    }

    def from_table(self, part: TablePart) -> Iterator[Claim]:
        """Make a claim of each best entry: it is, as printed."""
        if part.what == BEST:
            yield Claim(
                id=part.id("bold"),
                kind=self.name,
                place=part.place,
                quote=f"{part.text} in bold",
                reading="the entry marked as best is the best of its column, as printed",
                measure=part.measure,
                expects={"left": part.entry_id, "is": "better", "than": [f"{part.id()}/*"]},
            )

    def references(self, claim: Claim) -> Iterator[str]:
        """Name the claims whose printed numbers are read."""
        for key in ("average_of", "difference_of", "ratio_of"):
            yield from claim.expects.get(key, ())
        yield from [claim.expects["left"]] if "left" in claim.expects else ()
        than = claim.expects.get("than")
        yield from than if isinstance(than, list) else ()

    def check(self, claim: Claim, claims: ClaimSet, where: str) -> None:
        """Check what the claim names.

        It has a printed number, and is one claim where one is meant.
        """
        expects = claim.expects
        if expects and "left" not in expects and claim.published is None:
            raise ClaimsError(f"{where}: missing key 'published'")
        named = [name for pattern in self.references(claim) for name in claims.matching(pattern)]
        bare = [name for name in named if name != claim.id and claims.claims[name].published is None]
        if bare:
            raise ClaimsError(f"{where}: expects: {bare[0]!r} has no published number")
        for pattern in (*expects.get("difference_of", ()), *expects.get("ratio_of", ())):
            if claims.matching(pattern) != [pattern]:
                raise ClaimsError(f"{where}: expects: {pattern!r} is a pattern, expected one claim")
        if "left" in expects:
            self._check_comparison(claim, claims, where)

    def _check_comparison(self, claim: Claim, claims: ClaimSet, where: str) -> None:
        left, than = claim.expects["left"], claim.expects["than"]
        if claims.matching(left) != [left]:
            raise ClaimsError(f"{where}: expects.left: {left!r} is a pattern, expected one claim")
        if claim.expects["is"] in RELATIVE:
            check_direction({**claims.claims[left].measure, **claim.measure}, where)
        if "margin" in claim.expects and claim.expects["is"] != "no_worse":
            raise ClaimsError(
                f"{where}: expects.margin: not allowed with 'is: {claim.expects['is']}'; expected 'is: no_worse'"
            )
        if isinstance(than, list) and {m for p in than for m in claims.matching(p)} <= {left, claim.id}:
            raise ClaimsError(
                f"{where}: expects.than: {', '.join(than)} matches {left!r} alone; expected other claims"
            )

    def judge(self, claim: Claim, by: Grounds) -> Judgement:
        """Judge by the printed numbers."""
        return Judgement(judge_arithmetic(claim, by.claims, by.facts))


def judge_arithmetic(claim: Claim, claims: ClaimSet, facts: Facts) -> Outcome:
    """Judge an arithmetic claim.

    Parameters
    ----------
    claim : Claim
    claims : ClaimSet
        Where its references lead.
    facts : callable
        ``facts(dataset, "n_samples")``; raises ValueError for a data set that is not registered.
    """
    expects = claim.expects
    if "fact" in expects:
        return _fact(claim, facts)
    if "possible_at" in expects:
        return _possible(claim, int(expects["possible_at"]))
    if "average_of" in expects:
        return _average(claim, claims)
    for operation in ("difference_of", "ratio_of"):
        if operation in expects:
            return _of_two(claim, claims, operation)
    return _comparison(claim, claims)


def _fact(claim: Claim, facts: Facts) -> Outcome:
    assert claim.published is not None
    dataset, fact = claim.expects["dataset"], claim.expects["fact"]
    try:
        ours = facts(dataset, fact)
    except ValueError as error:
        return not_testable(str(error))
    difference = ours - claim.published.value
    numbers: dict[str, Any] = {"measured": float(ours), "difference": difference, "n": 1}
    said = f"{dataset} has {ours} {fact.removeprefix('n_')}"
    if difference == 0:
        return Outcome(REPRODUCED, said, **numbers)
    return Outcome(INCONSISTENT, f"{said}, printed {claim.published.text}", **numbers)


def _possible(claim: Claim, n: int) -> Outcome:
    """Check a printed proportion of n objects.

    It must be the rounding of k/n for some whole k.
    """
    assert claim.published is not None
    share, half = claim.published.value, claim.published.unit / 2
    if share > 1 or "%" in claim.published.text:
        share, half = share / 100, half / 100
    nearest = round(share * n)
    gap = abs(nearest / n - share)
    if gap <= half * (1 + 1e-9):
        return Outcome(REPRODUCED, f"{nearest} of {n}", n=n)
    return Outcome(
        INCONSISTENT, f"no share of {n} rounds to {claim.published.text}; the nearest is {nearest}/{n}", n=n
    )


def _average(claim: Claim, claims: ClaimSet) -> Outcome:
    """Check a printed average.

    It must be within the rounding of its parts and its own.
    """
    assert claim.published is not None
    parts = [number for pattern in claim.expects["average_of"] for number in _numbers(claim, claims, pattern)]
    mean = math.fsum(value for value, _ in parts) / len(parts)
    half = claim.published.unit / 2 + math.fsum(unit for _, unit in parts) / len(parts) / 2
    difference = mean - claim.published.value
    numbers: dict[str, Any] = {"measured": mean, "difference": difference, "n": len(parts)}
    if abs(difference) <= half * (1 + 1e-9):
        return Outcome(
            REPRODUCED,
            f"the {len(parts)} printed numbers average {significant(mean)}",
            **numbers,
        )
    return Outcome(INCONSISTENT, f"the {len(parts)} printed numbers average {significant(mean)}", **numbers)


def _of_two(claim: Claim, claims: ClaimSet, operation: str) -> Outcome:
    """Check a printed difference or ratio of two printed numbers.

    It must be possible within the rounding of all three.
    """
    assert claim.published is not None
    (left, left_unit), (right, right_unit) = (
        number for pattern in claim.expects[operation] for number in _numbers(claim, claims, pattern)
    )
    if operation == "difference_of":
        value, half, said = left - right, (left_unit + right_unit) / 2, "differ by"
    else:
        if right == 0:
            return not_testable("the second number is printed as zero")
        value, said = left / right, "have the ratio"
        half = (left_unit + abs(value) * right_unit) / abs(right) / 2
    difference = value - claim.published.value
    numbers: dict[str, Any] = {"measured": value, "difference": difference, "n": 2}
    said = f"the printed numbers {said} {significant(value)}"
    if abs(difference) <= (half + claim.published.unit / 2) * (1 + 1e-9):
        return Outcome(REPRODUCED, said, **numbers)
    return Outcome(INCONSISTENT, said, **numbers)


def _comparison(claim: Claim, claims: ClaimSet) -> Outcome:
    """Compare one printed number with one or several others, taken as printed."""
    expects: Mapping[str, Any] = claim.expects
    ((left, _),) = _numbers(claim, claims, expects["left"])
    if isinstance(expects["than"], list):
        others = {
            name: claims.claims[name].published
            for pattern in expects["than"]
            for name in claims.matching(pattern)
            if name not in (claim.id, expects["left"])
        }
        rights = {name: printed.value for name, printed in others.items() if printed is not None}
    else:
        rights = {as_given(expects["than"]): float(expects["than"])}
    relation = expects["is"]
    direction = claim.measure.get("direction") or claims.claims[expects["left"]].measure.get("direction")
    higher = relation == "higher" or (relation in ("better", "no_worse") and direction == "higher")
    higher = higher or (relation == "worse" and direction == "lower")
    sign = 1.0 if higher else -1.0
    margin, tie = float(expects.get("margin", 0.0)), float(expects.get("tie", 0.0))
    gaps = {name: sign * (left - value) + margin for name, value in rights.items()}
    worst = min(gaps, key=lambda name: (gaps[name], name))
    gap = gaps[worst]
    numbers: dict[str, Any] = {"measured": left, "difference": left - rights[worst], "n": len(gaps)}
    rival = f" ({worst})" if worst in claims.claims else ""
    said = f"printed {as_given(left)} ({expects['left']}) against {as_given(rights[worst])}{rival}"
    said += f", margin {as_given(margin)}" if margin else ""
    if abs(gap) <= 1e-9 * max(abs(left), 1e-300):
        if relation == "no_worse":
            return Outcome(REPRODUCED, f"{said}: no worse", **numbers)
        return Outcome(WITHIN_NOISE, f"{said}: equal as printed", **numbers)
    if abs(gap) <= tie * (1 + 1e-9):
        return Outcome(WITHIN_NOISE, f"{said}: a tie, at most {as_given(tie)} apart", **numbers)
    if gap > 0:
        return Outcome(REPRODUCED, said, **numbers)
    return Outcome(INCONSISTENT, said, **numbers)


def _numbers(claim: Claim, claims: ClaimSet, pattern: str) -> list[tuple[float, float]]:
    """List printed values and units of the claims of a pattern.

    The claim itself is left out.
    """
    published = [claims.claims[name].published for name in claims.matching(pattern) if name != claim.id]
    return [(printed.value, printed.unit) for printed in published if printed is not None]
