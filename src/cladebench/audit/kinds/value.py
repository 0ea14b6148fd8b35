"""Values: is a number measured as it is printed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from cladebench.audit.claim_types import Claim, ClaimsError, ClaimSet
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.reading import Reader, with_notes
from cladebench.audit.rules.measured_values import judge_value
from cladebench.audit.table_parts import ENTRY, TablePart, query_of
from cladebench.audit.verdict.verdict_types import (
    NOT_TESTABLE,
    REPRODUCED,
    UNTESTED,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.bench.samples.samples import Sample
from cladebench.notation import significant


class Value(Kind):
    """A printed number.

    Its p-values are corrected over its table to be shown, and no verdict uses them.
    """

    name = "value"
    family = praises = printed_number = True
    expects = False
    form: ClassVar[Mapping[str, Any]] = {"required": ["published", "measure"]}

    def queries(self, claim: Claim) -> Iterator[Mapping[str, Any]]:
        """Give the one query."""
        yield claim.measure

    def check(self, claim: Claim, claims: ClaimSet, where: str) -> None:
        """Refuse a spread without its repetitions, and a share beside a percentage."""
        printed = claim.published
        if printed is not None and printed.spread and (claim.repetitions or 1) < 2:
            raise ClaimsError(
                f"{where}: repetitions: {claim.repetitions}, expected 2 or more behind {printed.text!r}, "
                "which has a spread"
            )
        if printed is not None and "%" in printed.text and claim.measure.get("scale") == 1.0:
            metric = claim.measure["metric"]
            raise ClaimsError(
                f"{where}: published: {printed.text!r} is a percentage; expected a number without %, "
                f"or {metric}: {{unit: '%'}} under measures in the plan"
            )

    def judge(self, claim: Claim, by: Grounds) -> Judgement:
        """Hold what was measured against the printed number."""
        reader = by.reader
        read = reader.sample if reader.random is None else reader.of_random
        sample = read(claim.measure)
        if sample.problem:
            return Judgement(not_testable(sample.problem), (sample,))
        outcome = _outcome(claim, sample, reader, by.claims.rules)
        if sample.stand_in_for and outcome.measured is not None:
            reason = (
                f"printed for other data, so shown and not judged; measured {significant(outcome.measured)}"
            )
            numbers = {key: None for key in ("difference", "detectable", "p_value")}
            outcome = replace(outcome, verdict=NOT_TESTABLE, reason=reason, **numbers)
        return Judgement(with_notes(outcome, (sample,)), (sample,))

    def shown(self, claim: Claim, by: Grounds) -> Judgement | None:
        """Give what is measured where the query is whole."""
        whole = all(claim.measure.get(key) for key in ("dataset", "method", "metric"))
        return self.judge(claim, by) if whole else None

    def with_others(self, claim: Claim, judgement: Judgement, by: Grounds) -> Judgement:
        """Say with how many other numbers of its column our measurement agrees."""
        if judgement.outcome.stance == UNTESTED or claim.inconsistent:
            return judgement
        others = [
            other
            for other in by.claims.claims.values()
            if other.kind == self.name and other.id != claim.id and _column(other) == _column(claim)
        ]
        if not others:
            return judgement
        sample = judgement.samples[0]
        held = [_outcome(other, sample, by.reader, by.claims.rules) for other in others]
        as_well = sum(outcome.verdict == REPRODUCED for outcome in held)
        too = "also " if judgement.outcome.verdict == REPRODUCED else ""
        said = f"ours {too}agrees with {as_well} of the {len(others)} other numbers of its column"
        reason = f"{judgement.outcome.reason}; {said}"
        return replace(judgement, outcome=replace(judgement.outcome, reason=reason))

    def from_table(self, part: TablePart) -> Iterator[Claim]:
        """Make a claim of each printed number."""
        if part.what == ENTRY:
            table, column, row = part.table, part.column, part.row
            yield Claim(
                id=part.entry_id,
                kind=self.name,
                place=part.place,
                quote=part.text,
                published=part.published,
                measure=part.measure | query_of(row),
                family=table["id"],
                repetitions=table["repetitions"],
                spread=table["spread"],
                one_draw=row.get("one_draw", column.get("one_draw", False)),
                seeds_alone=part.column_key in row.get("seeds_alone", ()),
                tolerance=table.get("tolerance", {}),
                gap=table.get("gap", {}),
                not_testable=part.untested,
            )


def _column(claim: Claim) -> tuple[Any, ...]:
    """Where a printed number stands, its method aside."""
    return claim.family, *(str(claim.measure.get(key)) for key in ("dataset", "metric", "at"))


def _outcome(claim: Claim, sample: Sample, reader: Reader, rules: Rules) -> Outcome:
    """Hold a sample against a claim's printed number."""
    claim = reader.choice.claim(claim)
    assert claim.published is not None
    return judge_value(
        sample.values.to_numpy() * float(claim.measure.get("scale", 1.0)),
        claim.published,
        rules,
        gap=claim.smallest_gap,
        point=sample.point,
        n_published=claim.repetitions,
        published_sd=claim.published_sd,
        one_draw=claim.one_draw,
        seeds_alone=claim.seeds_alone,
        tolerance=claim.allowance,
        overlap=sample.overlap,
    )
