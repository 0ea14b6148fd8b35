"""Every claim of a paper, with one choice: a rule, what is chosen otherwise, perhaps a praised random method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import pandas as pd

from verdicts.asked import PERMUTED, Asked, Choice
from verdicts.claims import Claim, Named
from verdicts.records import Missing, Records, Sample
from verdicts.rules import (
    ONE_PAIR,
    Outcome,
    allowed,
    combine,
    compare,
    compare_ranking,
    compare_trend,
    judge_arithmetic,
    judge_possible,
    judge_ratio,
    judge_value,
    settle,
    settle_ranking,
)
from verdicts.t_tests import holm


def _set_aside(claim: Claim) -> bool:
    """Not tested for a reason that the claim gives; of printed numbers what was measured is shown all the same."""
    return claim.kind != "value" and bool(claim.says("not_testable"))


class Reading(Asked):
    """The outcomes of all claims of a paper with one choice."""

    def __init__(
        self,
        named: Named,
        records: Records,
        certificates: pd.DataFrame,
        possible: Mapping[str, tuple[float, float, bool]],
        choice: Choice,
        alpha: float,
        plain: Reading | None = None,
        touches: Callable[[Claim], bool] | None = None,
    ):
        self.touches = touches  # of another choice: whether it changes what answers a claim
        self.plain = plain  # as chosen, for claims that the choice is not meant for
        self.named, self.claims = named, named.claims
        self.records, self.certificates, self.possible = records, certificates, possible
        self.choice, self.alpha = choice, alpha
        self._raw: dict[str, Outcome] = {}
        self._settled: dict[str, Outcome] = {}
        self.by_id = {claim.id: claim for claim in self.claims}

    @cached_property
    def families(self) -> dict[str, list[Claim]]:
        found: dict[str, list[Claim]] = {}
        for claim in self.claims:
            if (
                claim.family
                and claim.kind in {"value", "order", "trend", "ranking"}
                and not _set_aside(claim)
            ):
                found.setdefault(claim.family, []).append(claim)
        return found

    def outcome(self, claim: Claim) -> Outcome:
        if claim.id not in self._settled:
            found = self.raw(claim)
            if _set_aside(claim):
                aside = replace(found, measured=None, p=None, adjusted=None, test=None)
                self._settled[claim.id] = self._stated(claim, aside)
            elif found.test is not None:
                self._correct(self.families.get(claim.family, [claim]))
            else:
                self._settled[claim.id] = self._stated(claim, found)
        return self._settled[claim.id]

    def _correct(self, family: list[Claim]) -> None:
        tested = [(claim, self.raw(claim)) for claim in family if self.raw(claim).test is not None]
        p = [self._p(found) for _, found in tested]
        for (claim, found), own, adjusted in zip(
            tested, p, p if self.choice.random else holm(p), strict=True
        ):
            if claim.kind == "value":
                settled = replace(found, adjusted=adjusted)  # for the reader: numbers are judged one by one
            elif found.test == ONE_PAIR:
                settled = found
            elif claim.kind == "ranking":
                settled = settle_ranking(found, adjusted, self.alpha)
            else:
                varies = found.test[0].error > 0
                settled = settle(
                    replace(found, p=own if varies else None), adjusted if varies else None, self.alpha
                )
            if found.only and settled.verdict != found.only:
                settled = replace(settled, verdict="not testable")
            self._settled[claim.id] = self._stated(claim, settled)

    @staticmethod
    def _p(found: Outcome) -> float:
        # Where nothing varies no p-value is shown; there it is 0 for a difference, and 1 for none.
        if found.test == ONE_PAIR:
            return 1.0
        return found.p if found.p is not None else found.test[1].beyond(0.0)

    @staticmethod
    def _stated(claim: Claim, found: Outcome) -> Outcome:
        if claim.says("not_testable"):
            return replace(found, verdict="not testable")
        return replace(found, verdict="inconsistent") if claim.says("inconsistent") else found

    def raw(self, claim: Claim) -> Outcome:
        if claim.kind != "sentence" and not self.choice.concerns(claim):
            assert self.plain is not None
            return self.plain.raw(claim)
        if claim.id not in self._raw:
            try:
                self._raw[claim.id] = getattr(self, f"_{claim.kind}")(claim)
            except Missing:
                self._raw[claim.id] = Outcome("not testable", stand_in=self._known_stand_in(claim))
        return self._raw[claim.id]

    def _known_stand_in(self, claim: Claim) -> bool:
        return any(sample.stand_in for _, sample in self.samples(claim))

    def _value(self, claim: Claim) -> Outcome:
        scale = self.records.scale(self.choice.reads(claim.measure).get("metric", ""))
        if self.choice.random:
            sample = self.by_chance(claim.measure)
            if sample.stand_in or claim.says("not_testable"):
                return Outcome("not testable")
            return judge_value(claim, sample, scale, self.alpha, self.choice.spread(claim))
        sample = self.sample(claim.measure)
        if sample.stand_in:
            shown = float(sample.array.mean()) * scale
            return Outcome("not testable", shown, stand_in=True, chosen=sample.chosen)
        found = judge_value(claim, sample, scale, self.alpha, self.choice.spread(claim))
        return replace(found, chosen=sample.chosen)

    def _order(self, claim: Claim) -> Outcome:
        expects = claim.expects
        if not expects:
            raise Missing("nothing is asked")
        queries = dict(zip(("left", "than"), self.sides(claim), strict=True))
        first = next(query for query in [*queries["left"], *queries["than"]])
        direction = self.records.direction(self.choice.reads(first))
        relation = expects["is"]
        higher = {
            "higher": True,
            "lower": False,
            "never_above": False,
            "never_below": True,
            "once_above": True,
            "once_below": False,
        }.get(relation, (direction == "higher") != (relation == "worse"))
        sign = 1.0 if higher else -1.0
        met = {side: self.met(claim, side, queries) for side in ("left", "than")}
        sides: dict[str, Sample | float] = {side: sample for side, (_, sample) in met.items()}
        own = [sample for sample in sides.values() if isinstance(sample, Sample)]
        praised = ""
        if self.choice.random:
            praised = self.praised(relation, direction)
            query, sample = met[praised]
            if not isinstance(sample, Sample):
                raise Missing("the praised side is a constant")
            sides[praised] = self.by_chance(query)
            other = "left" if praised == "than" else "than"
            beside, its = met[other]
            if isinstance(its, Sample) and all(beside.get(k) == query.get(k) for k in ("method", "where")):
                sides[other] = self.by_chance(beside)
        found = compare(claim, sides["left"], sides["than"], sign, self.alpha)
        if self.beats_all(claim, sign, direction) and praised != "than":
            found, own[-1:] = self._against_each(claim, sides["left"], queries["than"], sign)
        found.only = self.only(claim, queries, sign, direction, praised)
        found.stand_in = any(sample.stand_in for sample in own)
        found.chosen = any(sample.chosen for sample in own)
        if found.test is None and found.only and found.verdict != found.only:
            found.verdict = "not testable"
        return found

    def _against_each(
        self, claim: Claim, left: Sample | float, queries: list[dict[str, Any]], sign: float
    ) -> tuple[Outcome, list[Sample]]:
        """Left above each of several: whoever is ahead most clearly decides, else whoever is hardest to tell behind."""
        rows = []
        for query in queries:
            try:
                sample = self.sample(query)
            except Missing:
                continue
            found = compare(claim, left, sample, sign, self.alpha)
            if found.test is None:
                return found, [sample]
            margin = sign * allowed(claim.expects)
            assert found.measured is not None
            p = 1.0 if found.test == ONE_PAIR else found.test[1].beyond(0.0)
            rows.append((sign * (found.measured + margin) < 0, p, found, sample))
        ahead = [row for row in rows if row[0]]
        pick = min(ahead, key=lambda row: row[1]) if ahead else max(rows, key=lambda row: row[1])
        _, p, found, sample = pick
        if len(rows) > 1 and found.test != ONE_PAIR:
            found.p = min(1.0, len(rows) * p) if ahead else p
        return found, [sample]

    def _ratio(self, claim: Claim) -> Outcome:
        if not claim.expects:
            raise Missing("nothing is asked")
        queries = dict(zip(("of", "to"), self.sides(claim), strict=True))
        left, right = (self.met(claim, side, queries)[1] for side in ("of", "to"))
        samples = [side for side in (left, right) if isinstance(side, Sample)]
        found = judge_ratio(claim, left, right, self.alpha)
        part = claim.expects["of"]
        if part.get("best_of") and self.lacks(queries["of"]):
            # A method without records could only have raised the best of several, or lowered it.
            first = self.choice.reads(queries["of"][0])
            rises = self.records.direction(first) == "higher"
            only = "reproduced" if rises == ("at_least" in claim.expects) else "contradicted"
            if found.verdict != only:
                raise Missing("a method has no records")
        return self._plain(found, samples)

    def _trend(self, claim: Claim) -> Outcome:
        samples = [self.sample(query) for query in self.queries(claim)]
        return self._plain(compare_trend(claim, samples, self.alpha), samples)

    def _plain(self, found: Outcome, samples: list[Sample]) -> Outcome:
        if self.choice.random:
            return Outcome("not testable")
        found.stand_in = any(sample.stand_in for sample in samples)
        found.chosen = any(sample.chosen for sample in samples)
        return found

    def _ranking(self, claim: Claim) -> Outcome:
        if self.choice.random not in {"", PERMUTED}:
            return Outcome("not testable")
        printed, measured, samples = [], [], []
        for member in claim.expects["members"]:
            try:
                sample = self.sample(member.measure)
                shown = self.by_chance(member.measure) if self.choice.random else sample
            except Missing:
                continue
            printed.append(member.printed.value)
            measured.append(float(shown.array.mean()))
            samples.append(sample)
        found = compare_ranking(printed, measured)
        found.stand_in = any(sample.stand_in for sample in samples)
        found.chosen = any(sample.chosen for sample in samples)
        return found

    def _arithmetic(self, claim: Claim) -> Outcome:
        if self.choice.random or not claim.expects:
            return Outcome("not testable")

        def numbers(reference: str) -> list[Claim]:
            return [other for other in self.named(reference, claim.id) if other.printed is not None]

        measure = dict(claim.measure)
        if "left" in claim.expects:
            measure = numbers(claim.expects["left"])[0].measure | measure
        metric = measure.get("metric", "")
        better = self.records.direction(measure) if metric else None
        return judge_arithmetic(claim, numbers, better, self.records.scale(metric))

    def _possible(self, claim: Claim) -> Outcome:
        if self.choice.random or claim.says("inconsistent") or claim.says("not_testable"):
            return Outcome("not testable")
        metric = claim.measure["metric"]
        least, most = (end * self.records.scale(metric) for end in self.records.measures[metric].range)
        return judge_possible(claim, *self.possible[claim.id], most - least)

    def _sentence(self, claim: Claim) -> Outcome:
        if not claim.expects:
            raise Missing("nothing is asked")
        if "certificates" in claim.expects:
            certified = self._certified(claim.expects["certificates"])
            return Outcome("not testable") if self.choice.random else certified
        verdict, ids = self.group(claim, claim.expects, lambda part: self._as_part(part).verdict)
        found = Outcome(verdict, parts=tuple(dict.fromkeys(ids)))
        parts = [self._as_part(self.by_id[name]) for name in found.parts]
        # Parts on stand-in data count where they could turn the answer.
        best = "within noise" if found.stance == "supports" else "reproduced"
        turned, _ = self.group(claim, claim.expects, lambda part: self._said(self._as_part(part), best))
        found.stand_in = any(part.stand_in for part in parts) and Outcome(turned).stance != found.stance
        found.chosen = any(part.chosen for part in parts)
        if self.touches is not None:
            touched = [self.by_id[name] for name in found.parts if self.touches(self.by_id[name])]
            if touched and all(self.outcome(part).stance == "not testable" for part in touched):
                found.verdict = "not testable"
        return found

    @staticmethod
    def _said(part: Outcome, by_stand_ins: str) -> str:
        untouched = part.verdict in {"not testable", "inconsistent", "uninformative"}
        return by_stand_ins if part.stand_in and not untouched else part.verdict

    def _as_part(self, claim: Claim) -> Outcome:
        found = self.outcome(claim)
        if self.touches is not None and self.plain is not None and found.stance == "not testable":
            return self.plain.outcome(claim)
        return found

    def group(
        self, claim: Claim, group: dict[str, Any], verdict_of: Callable[[Claim], str]
    ) -> tuple[str, list[str]]:
        key = next(name for name in ("all_of", "any_of", "of") if name in group)
        verdicts: list[str] = []
        ids: list[str] = []
        for part in group[key]:
            if isinstance(part, dict):
                verdict, own = self.group(claim, part, verdict_of)
                verdicts.append(verdict)
                ids += own
            else:
                fresh = self.named(part, claim.id)
                verdicts += [verdict_of(other) for other in fresh]
                ids += [other.id for other in fresh]
        stances = [Outcome(verdict).stance for verdict in verdicts]
        needed = {"all_of": len(verdicts), "any_of": 1}.get(key, group.get("at_least", 0))
        return combine(stances, verdicts, needed), ids

    def _certified(self, asked: dict[str, Any]) -> Outcome:
        rows = self.certificates[self.certificates.topic == asked["topic"]]
        rows = rows[[fnmatchcase(name, asked.get("id", "*")) for name in rows.id]]
        if len(rows) < asked.get("at_least", 1):
            return Outcome("not testable")
        return Outcome("reproduced" if rows.passed.astype(bool).all() else "contradicted")
