"""Can the printed number be, under what the paper states?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet, Facts
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.verdict.verdict_types import (
    INCONSISTENT,
    REPRODUCED,
    UNINFORMATIVE,
    Outcome,
    not_testable,
)
from cladebench.input_files import InputFileError, one_of, read_schema, shown, validate, validator_of
from cladebench.measures import MEASURES
from cladebench.notation import significant
from cladebench.paper.feasibility import Interval, Programmes, Range, as_printed

#: Largest share of a measure's numbers that may pass, as of false claims in a test. Beyond it, passing says nothing.
PASSED_BLINDLY = 0.05


class Possible(Kind):
    """A printed number against proven bounds."""

    name = "possible"
    on_paper = True
    form: ClassVar[Mapping[str, Any]] = {
        "required": ["published", "measure"],
        "properties": {
            "measure": {"required": ["metric"]},
            "expects": {
                "required": ["instances"],
                "properties": {
                    "instances": {"$ref": "#/$defs/text"},
                    "assumed": {
                        "description": "why a number that cannot be says nothing against the paper",
                        "$ref": "#/$defs/text",
                    },
                },
            },
        },
    }

    def check(self, claim: Claim, claims: ClaimSet, where: str) -> None:
        """Hold what a claim expects against its programme's form."""
        if not claim.expects:
            return
        programmes, key = claims.programmes, _key(claim)
        if key not in programmes:
            known = [f"{metric} of {what}" for metric, what in programmes]
            told = one_of(" of ".join(key), known) if known else "expected a feasibility.py of the paper"
            raise ClaimsError(
                f"{where}: expects.instances: no programme for {key[0]} of {shown(key[1])}; {told}"
            )
        form = programmes[key].form
        keys = {"instances": {}, **form["properties"], "assumed": {}}
        expects = {"additionalProperties": False, **form, "properties": keys}
        schema = {"properties": {"expects": expects}, "$defs": read_schema("claims")["$defs"]}
        try:
            validate({"expects": claim.expects}, validator_of(schema), where)
        except InputFileError as error:
            raise ClaimsError(str(error)) from None

    def judge(self, claim: Claim, by: Grounds) -> Judgement:
        """Judge by the bounds and by instances at hand."""
        return Judgement(judge_possible(claim, by.claims.programmes, by.facts))


def judge_possible(claim: Claim, programmes: Programmes, facts: Facts) -> Outcome:
    """Judge a claim of kind ``possible``.

    Parameters
    ----------
    claim : Claim
        Its `expects` names a set of `instances` and what is known of the data; its metric says what is measured.
    programmes : mapping of (str, str) to Programme
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
    programme = programmes[_key(claim)]
    possible = programme.bounds(str(claim.measure["metric"]), claim.expects, facts, printed)
    ends: dict[str, Any] = {"low": float(possible.low * scale), "high": float(possible.high * scale), "n": 1}
    said = f"{possible.assumes}; the value is {_between(possible, scale)}, by {possible.programme}"
    said += f"; {possible.implies}" if possible.implies else ""
    text, assumed = claim.published.text, str(claim.expects.get("assumed", ""))
    if programme.of_constants:
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


def _key(claim: Claim) -> tuple[str, str]:
    return str(claim.measure["metric"]), str(claim.expects["instances"])
