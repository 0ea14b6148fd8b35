"""Ratios: is one side as many times the other as claimed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from cladebench.audit.claim_types import Claim
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.reading import (
    despite_missing,
    label_of,
    means_of,
    of_metric,
    operand_queries,
    with_notes,
)
from cladebench.audit.rules.measured_values import judge_ratio
from cladebench.audit.verdict.verdict_types import not_testable
from cladebench.audit.verdict.verdict_wording import claimed_range
from cladebench.bench.samples.samples import overlap_of_pairs


class Ratio(Kind):
    """One side over the other, task by task, against a claimed range."""

    name = "ratio"
    detects = True
    form: ClassVar[Mapping[str, Any]] = {
        "properties": {
            "expects": {
                "type": "object",
                "additionalProperties": False,
                "required": ["of", "to"],
                "anyOf": [{"required": ["at_least"]}, {"required": ["at_most"]}],
                "properties": {
                    "of": {"$ref": "#/$defs/operand"},
                    "to": {"$ref": "#/$defs/operand"},
                    "same_setting": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/text"}},
                    "at_least": {"$ref": "#/$defs/positive"},
                    "at_most": {"$ref": "#/$defs/positive"},
                    "means": {"description": "the ratio of the means: a measurement may be 0", "const": True},
                },
            }
        }
    }

    def queries(self, claim: Claim) -> Iterator[Mapping[str, Any]]:
        """List the queries of both sides."""
        return operand_queries(claim, "of", "to")

    def quotient(self, claim: Claim) -> tuple[Mapping[str, Any], Mapping[str, Any], str] | None:
        """Give both sides and the range, in words.

        There is nothing where a side is no one method with a setting of its own.
        """
        expects = claim.expects
        of, to = (expects.get(key, {}) for key in ("of", "to"))
        several = not {"value", "best_of", "worst_of"}.isdisjoint({*of, *to})
        if claim.not_testable or several or "same_setting" in expects:
            return None
        said = claimed_range(expects.get("at_least"), expects.get("at_most"))
        return {**claim.measure, **of}, {**claim.measure, **to}, said

    def judge(self, claim: Claim, by: Grounds) -> Judgement:
        """Judge the geometric mean of all tasks' ratios.

        Where the claim says so, it is the ratio of the means.
        """
        expects = claim.expects
        pair = by.reader.pair(expects["of"], expects["to"], claim)
        samples, names, left, right = pair.samples, pair.names, pair.left, pair.right
        low, high = expects.get("at_least"), expects.get("at_most")
        said = f"{names[0]} / {names[1]} {claimed_range(low, high)}{of_metric(claim)}"
        if pair.problem:
            return Judgement(not_testable(pair.problem), samples, said)
        means = bool(expects.get("means"))
        if (left.mean() < 0 or right.mean() <= 0) if means else min(left.min(), right.min()) <= 0:
            needs = "means" if means else "measurements"
            return Judgement(not_testable(f"a ratio needs positive {needs}"), samples, said)
        outcome = judge_ratio(
            left,
            right,
            by.claims.rules,
            at_least=low,
            at_most=high,
            point=all(s.point for s in samples),
            label=label_of(names, means_of(*samples)),
            overlap=overlap_of_pairs(samples),
            means=means,
        )
        for sign in [1.0] * (low is not None) + [-1.0] * (high is not None):
            outcome = despite_missing(outcome, samples, sign)
        return Judgement(with_notes(outcome, samples), samples, said)
