"""Judge a paper's claims against records, with one choice and rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from cladebench.audit import comparisons
from cladebench.audit.arithmetic import Facts, judge_arithmetic
from cladebench.audit.claim_types import Claim, ClaimSet
from cladebench.audit.judgement import Judgement, Waiting
from cladebench.audit.possible import judge_possible
from cladebench.audit.reading import NO_RANDOM_METHOD, Reader, with_notes
from cladebench.audit.sentences import combine, judge_certificates
from cladebench.audit.verdict_rules import judge_value
from cladebench.audit.verdict_types import INCONSISTENT, NOT_TESTABLE, UNTESTED, Outcome, Rules, not_testable
from cladebench.bench.samples import Sample
from cladebench.bench.statistics import holm
from cladebench.notation import significant


@dataclass
class Evaluation:
    """Judges claims of a paper.

    Parameters
    ----------
    claims : ClaimSet
    reader : Reader
        With a random method, claims that praise nothing are not testable.
    certificates : DataFrame or None
        As `cladebench.crosscheck.certificate.read_certificates` gives it.
    facts : callable
        See `judge_arithmetic`.
    """

    claims: ClaimSet
    reader: Reader
    certificates: pd.DataFrame | None
    facts: Facts
    _done: dict[str, Judgement] = field(default_factory=dict)
    _known: Mapping[str, Judgement] = field(default_factory=dict)
    _touched: Collection[str] = ()

    def run(
        self,
        known: Mapping[str, Judgement] | None = None,
        again: Collection[str] = (),
        touched: Collection[str] = (),
    ) -> dict[str, Judgement]:
        """Judge all claims; what is tested together is corrected together.

        Parameters
        ----------
        known : mapping of str to Judgement, optional
            Judgements that stand unless their claim is among `again`.
        again : collection of str
        touched : collection of str
            Those whose answers the choice changes. Another choice need not have been run for all parts
            of a sentence: with some of these testable, others that are not keep their known judgement; with none, the
            sentence is not testable.
        """
        self._known, self._touched = known or {}, touched
        self._done = {name: known[name] for name in self.claims.claims if name not in again} if known else {}
        waiting: dict[str, Waiting] = {}
        for claim in self.claims.claims.values():
            if claim.id in self._done:
                continue
            self.reader.now = claim
            if claim.kind == "sentence" and not (claim.not_testable or claim.inconsistent):
                continue  # when its parts are judged
            found = self._judge(claim)
            if isinstance(found, Judgement):
                self._done[claim.id] = found
            else:
                waiting[claim.id] = found
        self._correct(waiting)
        self._adjust_values()
        for claim in self.claims.claims.values():
            self._sentence(claim)
        return {name: self._done[name] for name in self.claims.claims}

    def _judge(self, claim: Claim) -> Judgement | Waiting:
        if claim.inconsistent or claim.not_testable:
            return self._set_aside(claim)
        if claim.kind == "value":
            return self._value(claim)
        if claim.kind == "order":
            return comparisons.order(claim, self.reader, self._rules)
        if claim.kind == "ranking":
            return comparisons.ranking(claim, self.claims, self.reader)
        if self.reader.random is not None:
            return Judgement(not_testable(NO_RANDOM_METHOD))
        if claim.kind == "trend":
            return comparisons.trend(claim, self.reader, self._rules)
        if claim.kind == "ratio":
            return comparisons.ratio(claim, self.reader, self._rules)
        if claim.kind == "possible":
            return Judgement(judge_possible(claim, self.facts))
        return Judgement(judge_arithmetic(claim, self.claims, self.facts))

    @property
    def _rules(self) -> Rules:
        return self.claims.rules

    def _correct(self, waiting: Mapping[str, Waiting]) -> None:
        families: dict[str, list[str]] = {}
        for name in waiting:
            families.setdefault(self.claims.claims[name].family, []).append(name)
        for members in families.values():
            alone = [waiting[name][0] for name in members]
            # A correction protects what is tested: here that no random method passes.
            random = self.reader.random is not None
            for name, p in zip(members, alone if random else holm(alone), strict=True):
                _, outcome_at, judgement = waiting[name]
                outcome = with_notes(outcome_at(p, 1 if random else len(members)), judgement.samples)
                self._done[name] = replace(judgement, outcome=outcome)

    def _set_aside(self, claim: Claim) -> Judgement:
        """Show what is measured for a claim that is not judged."""
        verdict, why = (
            (INCONSISTENT, claim.inconsistent) if claim.inconsistent else (NOT_TESTABLE, claim.not_testable)
        )
        if self.reader.random is not None:
            return Judgement(not_testable(NO_RANDOM_METHOD))
        query = claim.measure
        if claim.kind != "value" or not all(query.get(key) for key in ("dataset", "method", "metric")):
            return Judgement(Outcome(verdict, why))
        judgement = self._value(claim)
        if judgement.outcome.measured is None:
            return Judgement(Outcome(verdict, why), judgement.samples)
        reason = f"{why}; {judgement.outcome.reason}"
        return replace(judgement, outcome=replace(judgement.outcome, verdict=verdict, reason=reason))

    def _adjust_values(self) -> None:
        """Correct the p-values of printed numbers over their table.

        They are shown, but no verdict uses them.
        """
        families: dict[str, list[str]] = {}
        for claim in self.claims.claims.values():
            found = self._done.get(claim.id)
            if claim.kind == "value" and found is not None and found.outcome.p_value is not None:
                families.setdefault(claim.family, []).append(claim.id)
        for members in families.values():
            adjusted = holm([float(self._done[name].outcome.p_value or 0.0) for name in members])
            for name, p in zip(members, adjusted, strict=True):
                judgement = self._done[name]
                self._done[name] = replace(judgement, outcome=replace(judgement.outcome, p_adjusted=p))

    def _value(self, claim: Claim) -> Judgement:
        assert claim.published is not None
        sample = (
            self.reader.sample(claim.measure)
            if self.reader.random is None
            else self.reader.of_random(claim.measure)
        )
        if sample.problem:
            return Judgement(not_testable(sample.problem), (sample,))
        outcome = self.value_outcome(claim, sample)
        if sample.stand_in_for and outcome.measured is not None:
            reason = (
                f"printed for other data, so shown and not judged; measured {significant(outcome.measured)}"
            )
            numbers = {key: None for key in ("difference", "detectable", "p_value")}
            outcome = replace(outcome, verdict=NOT_TESTABLE, reason=reason, **numbers)
        return Judgement(with_notes(outcome, (sample,)), (sample,))

    def value_outcome(self, claim: Claim, sample: Sample) -> Outcome:
        """Hold a sample against a claim's printed number."""
        claim = self.reader.choice.claim(claim)
        assert claim.published is not None
        return judge_value(
            sample.values.to_numpy() * float(claim.measure.get("scale", 1.0)),
            claim.published,
            self._rules,
            gap=claim.smallest_gap,
            point=sample.point,
            n_published=claim.repetitions,
            published_sd=claim.published_sd,
            one_draw=claim.one_draw,
            seeds_alone=claim.seeds_alone,
            tolerance=claim.allowance,
            overlap=sample.overlap,
        )

    def _sentence(self, claim: Claim) -> Judgement:
        if claim.id in self._done:
            return self._done[claim.id]
        if "certificates" in claim.expects:
            certified = judge_certificates(claim.expects["certificates"], self.certificates)
            judgement = Judgement(certified if self.reader.random is None else not_testable(NO_RANDOM_METHOD))
        else:
            samples: list[Sample] = []
            parts: list[str] = []
            outcome = self._combined(claim.expects, samples, parts)
            if self._runs_for_none(parts):
                outcome = not_testable("not run for any part that it changes")
            judgement = Judgement(
                outcome,
                tuple({id(sample): sample for sample in samples}.values()),
                parts=tuple(dict.fromkeys(parts)),
            )
        self._done[claim.id] = judgement
        return judgement

    def _part(self, claim: Claim) -> Judgement:
        found = self._sentence(claim)
        if self._touched and found.outcome.stance == UNTESTED:
            return self._known.get(claim.id, found)
        return found

    def _runs_for_none(self, parts: Collection[str]) -> bool:
        """Say whether a choice was run for none of its parts.

        These are the parts that it changes.
        """
        touched = [name for name in parts if name in self._touched]
        return bool(touched) and all(self._done[name].outcome.stance == UNTESTED for name in touched)

    def _combined(self, expects: Mapping[str, Any], samples: list[Sample], parts: list[str]) -> Outcome:
        outcomes: list[Outcome] = []
        for part in expects.get("all_of") or expects.get("any_of") or expects["of"]:
            if isinstance(part, Mapping):
                outcomes.append(self._combined(part, samples, parts))
                continue
            for name in self.claims.matching(part):
                judgement = self._part(self.claims.claims[name])
                outcomes.append(judgement.outcome)
                samples.extend(judgement.samples)
                parts.append(name)
        needed = (
            len(outcomes) if "all_of" in expects else 1 if "any_of" in expects else int(expects["at_least"])
        )
        return combine(outcomes, needed)
