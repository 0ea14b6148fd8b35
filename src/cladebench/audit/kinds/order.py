"""Orders: is one side higher, lower, better or worse than the other?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet
from cladebench.audit.judgement import Judgement, Waiting
from cladebench.audit.kinds.base import RELATIVE, Grounds, Kind, check_direction
from cladebench.audit.random_methods import praised_side
from cladebench.audit.reading import (
    Pair,
    despite_missing,
    label_of,
    means_of,
    methods_of,
    of_metric,
    operand_queries,
    seeks_highest,
    with_notes,
)
from cladebench.audit.rules.paired_differences import (
    PairedDifferences,
    against_each,
    compare,
    hardest,
    judge_bound,
    judge_once,
    judge_order,
    judge_same,
)
from cladebench.audit.table_parts import BEST, TablePart
from cladebench.audit.verdict.verdict_types import NOT_TESTABLE, Outcome, not_testable
from cladebench.bench.samples.samples import ASKED, Sample, overlap_of_pairs, pair
from cladebench.notation import as_given, significant

_IS_SYMBOL = {
    "higher": ">",
    "lower": "<",
    "same": "about",
    "never_above": "<=",
    "never_below": ">=",
    "once_above": "once >",
    "once_below": "once <",
}
#: Judged in each repetition, with no test of means.
_OF_EACH = {
    "never_above": judge_bound,
    "never_below": judge_bound,
    "once_above": judge_once,
    "once_below": judge_once,
}


class Order(Kind):
    """One side against the other, task by task."""

    name = "order"
    detects = True
    family = corrected = praises = True
    form: ClassVar[Mapping[str, Any]] = {
        "properties": {
            "expects": {
                "type": "object",
                "additionalProperties": False,
                "required": ["left", "is", "than"],
                "properties": {
                    "left": {"$ref": "#/$defs/operand"},
                    "is": {
                        "enum": [
                            "higher",
                            "lower",
                            "better",
                            "worse",
                            "no_worse",
                            "same",
                            "never_above",
                            "never_below",
                            "once_above",
                            "once_below",
                        ]
                    },
                    "than": {"$ref": "#/$defs/operand"},
                    "margin": {"$ref": "#/$defs/positive"},
                    "by": {"description": "more than this", "$ref": "#/$defs/positive"},
                    "tie": {"type": "number", "minimum": 0},
                    "same_setting": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/text"}},
                },
            }
        }
    }

    def from_table(self, part: TablePart) -> Iterator[Claim]:
        """Make a claim of each best entry: its method is, as measured."""
        if part.what == BEST:
            yield Claim(
                id=part.id("best"),
                kind=self.name,
                place=part.place,
                quote=f"{part.text} in bold",
                reading="the method marked as best is better than the best of the other methods of its column, "
                "as measured",
                measure=part.measure,
                expects={
                    "left": {"method": part.row.get("method", "")},
                    "is": "better",
                    "than": {"best_of": part.rivals},
                    "tie": part.table.get("tie", 0.0),
                },
                family=f"{part.table['id']}/best",
                not_testable=part.untested,
            )

    def leads(self, claim: Claim) -> bool:
        """Say whether the left side is to be better, by however little."""
        return claim.expects["is"] == "better" and "by" not in claim.expects

    def queries(self, claim: Claim) -> Iterator[Mapping[str, Any]]:
        """List the queries of both sides."""
        return operand_queries(claim, "left", "than")

    def check(self, claim: Claim, claims: ClaimSet, where: str) -> None:
        """Refuse a margin where it would turn the claim round.

        A margin helps the claim.
        """
        relation = claim.expects.get("is")
        expects = claim.expects
        if "margin" in expects and relation not in ("no_worse", "same"):
            raise ClaimsError(
                f"{where}: expects.margin: not allowed with 'is: {relation}'; expected 'is: no_worse' or 'is: same'"
            )
        if "by" in expects and relation not in ("higher", "lower", "better", "worse"):
            raise ClaimsError(
                f"{where}: expects.by: not allowed with 'is: {relation}'; "
                "expected 'higher', 'lower', 'better' or 'worse'"
            )
        if relation == "same" and "margin" not in expects:
            raise ClaimsError(
                f"{where}: expects.margin: missing; expected the largest difference that 'is: same' allows"
            )
        if expects.get("tie") and (relation in ("no_worse", "same") or relation in _OF_EACH):
            raise ClaimsError(f"{where}: expects.tie: not allowed with 'is: {relation}'")
        sides = [expects.get(side, {}) for side in ("left", "than")]
        several = any(key in side for side in sides for key in ("best_of", "worst_of"))
        if several or relation in RELATIVE:
            check_direction(claim.measure, where)

    def judge(self, claim: Claim, by: Grounds) -> Judgement | Waiting:
        """Judge one side against the other.

        A random method stands on the praised side.
        """
        expects = claim.expects
        relation, direction = expects["is"], claim.measure.get("direction")
        higher = _says_higher(relation, direction)
        sign = 1.0 if higher else -1.0
        margin = float(expects.get("margin", 0.0)) - float(expects.get("by", 0.0))
        of_each = relation in _OF_EACH
        # Above the best of several is above each of them, and each is tested.
        # Below it is below one: the best by its mean.
        each = (
            not of_each
            and relation != "same"
            and len(methods_of(expects["than"])) > 1
            and seeks_highest(expects["than"], claim) == higher
        )
        pairs = by.reader.pairs(
            expects["left"], expects["than"], claim, praised_side(relation, direction), each
        )
        faulty = next((pair for pair in pairs if pair.problem), None)
        if faulty:
            said = _said(claim, faulty, higher, margin)
            return Judgement(not_testable(faulty.problem), faulty.samples, said)
        if of_each:
            return _of_each(claim, pairs[0], sign, _said(claim, pairs[0], higher, margin))
        comparisons = [
            _compared(
                pair.samples,
                sign,
                0.0 if relation == "same" else margin,
                float(expects.get("tie", 0.0)),
                relation == "no_worse",
            )
            for pair in pairs
        ]
        met = hardest(comparisons)
        samples = pairs[met].samples
        label = label_of(pairs[met].names, means_of(*samples))
        common = len(pairs[met].left)  # tables have means over all tasks of a method
        label += f" in {common} common tasks" if any(len(s.values) > common for s in samples) else ""
        label += f", margin {as_given(margin)}" if relation == "no_worse" and margin else ""
        label += f", by more than {as_given(-margin)}" if margin < 0 else ""
        comparison = replace(comparisons[met], label=label)
        judgement = Judgement(not_testable(""), samples, _said(claim, pairs[met], higher, margin))
        if relation == "same":
            outcome = judge_same(comparison, margin, by.claims.rules)
            if any(sample.drift for sample in samples):
                reason = f"methods are missing: {outcome.reason}"
                outcome = replace(outcome, verdict=NOT_TESTABLE, reason=reason)
            return replace(judgement, outcome=with_notes(outcome, samples))
        decides = against_each(replace(comparison, best=_best_other(pairs, met, higher)), len(comparisons))

        def outcome_at(p_adjusted: float, tests: int) -> Outcome:
            outcome = judge_order(decides, p_adjusted, by.claims.rules, tests=tests)
            return despite_missing(outcome, samples, decides.sign)

        return decides.p_value, outcome_at, judgement


@lru_cache(maxsize=ASKED)
def _compared(
    samples: tuple[Sample, Sample], sign: float, margin: float, tie: float, or_equal: bool
) -> PairedDifferences:
    """Compare two samples; once, however many choices leave both as they are."""
    return compare(
        *pair(*samples),
        sign=sign,
        margin=margin,
        tie=tie,
        point=all(s.point for s in samples),
        or_equal=or_equal,
        overlap=overlap_of_pairs(samples),
    )


def _best_other(pairs: Sequence[Pair], met: int, higher: bool) -> str:
    """Name the one of several with the best mean.

    Empty where it is the one that decides.
    """
    best = (max if higher else min)(range(len(pairs)), key=lambda i: float(pairs[i].right.mean()))
    return "" if best == met else f"{pairs[best].names[1]} {significant(float(pairs[best].right.mean()))}"


def _says_higher(relation: str, direction: str | None) -> bool:
    if relation in ("better", "no_worse", "same"):
        return direction == "higher"
    return (
        direction != "higher" if relation == "worse" else relation in ("higher", "never_below", "once_above")
    )


def _said(claim: Claim, pair: Pair, higher: bool, margin: float) -> str:
    relation = claim.expects["is"]
    symbol = _IS_SYMBOL.get(relation, ">" if higher else "<")
    shift = "±" if relation == "same" else "-" if higher == (margin > 0) else "+"
    allowance = f" {shift} {as_given(abs(margin))}" if margin else ""
    return f"{pair.names[0]} {symbol} {pair.names[1] or 'the others'}{allowance}{of_metric(claim)}"


def _of_each(claim: Claim, pair: Pair, sign: float, said: str) -> Judgement:
    outcome = _OF_EACH[claim.expects["is"]](
        pair.left,
        pair.right,
        sign=sign,
        label=label_of(pair.names, means_of(*pair.samples)),
        point=all(s.point for s in pair.samples),
    )
    outcome = despite_missing(outcome, pair.samples, sign)
    return Judgement(with_notes(outcome, pair.samples), pair.samples, said)
