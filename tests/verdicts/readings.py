"""Every claim of a paper, in one world: a rule of selection, other choices, perhaps a rival in the praised place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import pandas as pd

from verdicts.claims import Claim, Named
from verdicts.records import Missing, Records, Sample
from verdicts.rules import (
    ONE_PAIR,
    Outcome,
    combine,
    compare,
    compare_ranking,
    compare_trend,
    judge_arithmetic,
    judge_ratio,
    judge_value,
    settle,
    settle_ranking,
)
from verdicts.t_tests import holm

PERMUTED = "rows permuted"


@dataclass(frozen=True)
class World:
    """How claims are read."""

    rule: str
    rival: str = ""
    instead: Mapping[str, Any] = field(default_factory=dict)

    def reads(self, query: Mapping[str, Any]) -> dict[str, Any]:
        """A query with what stands in the place of its names."""
        found = dict(query)
        for key in ("dataset", "method", "metric"):
            if key in found:
                found[key] = self.instead.get(key, {}).get(found[key], found[key])
        for method, setting in self.instead.get("where", {}).items():
            if found.get("method") in {method, self.instead.get("method", {}).get(method, method)}:
                found["where"] = setting | found.get("where", {})
        return found


class Reading:
    """The outcomes of all claims of a paper in one world."""

    def __init__(
        self,
        named: Named,
        records: Records,
        certificates: pd.DataFrame,
        possible: Mapping[str, str],
        world: World,
        alpha: float,
    ):
        self.named, self.claims = named, named.claims
        self.records, self.certificates, self.possible = records, certificates, possible
        self.world, self.alpha = world, alpha
        self._raw: dict[str, Outcome] = {}
        self._settled: dict[str, Outcome] = {}
        self.by_id = {claim.id: claim for claim in self.claims}

    @cached_property
    def families(self) -> dict[str, list[Claim]]:
        found: dict[str, list[Claim]] = {}
        for claim in self.claims:
            if claim.family and claim.kind in {"value", "order", "trend", "ranking"}:
                found.setdefault(claim.family, []).append(claim)
        return found

    def outcome(self, claim: Claim) -> Outcome:
        if claim.id not in self._settled:
            found = self.raw(claim)
            if found.test is not None:
                self._correct(self.families[claim.family])
            else:
                self._settled[claim.id] = self._stated(claim, found)
        return self._settled[claim.id]

    def _correct(self, family: list[Claim]) -> None:
        tested = [(claim, self.raw(claim)) for claim in family if self.raw(claim).test is not None]
        p = [self._p(found) for _, found in tested]
        for (claim, found), own, adjusted in zip(tested, p, holm(p), strict=True):
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
        if claim.id not in self._raw:
            try:
                self._raw[claim.id] = getattr(self, f"_{claim.kind}")(claim)
            except Missing:
                self._raw[claim.id] = Outcome("not testable", stand_in=self._known_stand_in(claim))
        return self._raw[claim.id]

    def _known_stand_in(self, claim: Claim) -> bool:
        return any(sample.stand_in for _, sample in self.samples(claim))

    # Samples.

    def sample(self, query: Mapping[str, Any], read_as: str | None = None) -> Sample:
        return self.records.sample(self.world.reads(query), self.world.rule, read_as)

    def samples(self, claim: Claim) -> list[tuple[dict[str, Any], Sample]]:
        """All samples that a claim can rest on, with their queries."""
        found = []
        for query in self.queries(claim):
            try:
                found.append((query, self.sample(query)))
            except Missing:
                continue
        return found

    def queries(self, claim: Claim) -> list[dict[str, Any]]:
        expects, measure = claim.expects, claim.measure
        if claim.kind == "value":
            return [measure] if "method" in measure else []
        if claim.kind == "ranking":
            return [member.measure for member in expects["members"]]
        if claim.kind in {"order", "ratio"} and expects:
            return [query for side in self.sides(claim) for query in side]
        if claim.kind == "trend" and expects:
            return [{**measure, **_without(entry, "x")} for entry in expects["points"]]
        return []

    def sides(self, claim: Claim) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The queries of both sides; `same_setting` gives the right one values of the left one's setting."""
        names = ("left", "than") if claim.kind == "order" else ("of", "to")
        left, right = (operand(claim.measure, claim.expects[name]) for name in names)
        if same := claim.expects.get("same_setting"):
            try:
                chosen = self.sample(left[0]).setting
            except Missing:
                return left, right
            where = {key: chosen[key] for key in same if key in chosen}
            right = [{**query, "where": where | query.get("where", {})} for query in right]
        return left, right

    # Kinds.

    def _value(self, claim: Claim) -> Outcome:
        scale = self.records.scale(self.world.reads(claim.measure).get("metric", ""))
        if self.world.rival:
            sample = self._rival(claim.measure)
            if sample.stand_in or claim.says("not_testable"):
                return Outcome("not testable")
            return judge_value(claim, sample, scale, self.alpha)
        sample = self.sample(claim.measure)
        if sample.stand_in:
            shown = float(sample.array.mean()) * scale
            return Outcome("not testable", shown, stand_in=True, chosen=sample.chosen)
        return replace(judge_value(claim, sample, scale, self.alpha), chosen=sample.chosen)

    def _rival(self, query: Mapping[str, Any]) -> Sample:
        """What stands in the place of a sample."""
        read = self.world.reads(query)
        if "method" not in read or "metric" not in read:
            raise Missing("nothing is measured")
        measure = self.records.measures.get(read["metric"])
        if (
            self.records.direction(read) is None
            or measure is None
            or not {"tree", "partition"} & set(measure.needs)
        ):
            raise Missing("the measure is not of the tree")
        if read["method"] in self.records.plan.get("blind", []):
            raise Missing("a blind method is praised")
        if self.world.rival == PERMUTED:
            return self.sample(query, f"{read['metric']}_permuted")
        return self.records.sample(
            _without(read, "where", "selection") | {"method": self.world.rival}, self.world.rule
        )

    def _order(self, claim: Claim) -> Outcome:
        expects = claim.expects
        if not expects:
            raise Missing("nothing is asked")
        queries = dict(zip(("left", "than"), self.sides(claim), strict=True))
        first = next(query for query in [*queries["left"], *queries["than"]])
        direction = self.records.direction(self.world.reads(first))
        relation = expects["is"]
        higher = {"higher": True, "lower": False, "never_above": False, "never_below": True}.get(
            relation, (direction == "higher") != (relation == "worse")
        )
        sign = 1.0 if higher else -1.0
        met = {side: self._met(claim, side, queries) for side in ("left", "than")}
        sides: dict[str, Sample | float] = {side: sample for side, (_, sample) in met.items()}
        own = [sample for sample in sides.values() if isinstance(sample, Sample)]
        if self.world.rival:
            praised = self._praised(relation, direction)
            query, sample = met[praised]
            if not isinstance(sample, Sample):
                raise Missing("the praised side is a constant")
            sides[praised] = self._rival(query)
        found = compare(claim, sides["left"], sides["than"], sign, self.alpha)
        found.only = self._only(claim, queries, sign, direction)
        found.stand_in = any(sample.stand_in for sample in own)
        found.chosen = any(sample.chosen for sample in own)
        if found.test is None and found.only and found.verdict != found.only:
            found.verdict = "not testable"
        return found

    @staticmethod
    def _praised(relation: str, direction: str | None) -> str:
        if relation in {"better", "no_worse", "same"}:
            return "left"
        if relation == "worse":
            return "than"
        if direction is None:
            raise Missing("the measure has no direction")
        return "left" if (relation in {"higher", "never_below"}) == (direction == "higher") else "than"

    def _met(
        self, claim: Claim, side: str, queries: dict[str, list[dict[str, Any]]]
    ) -> tuple[dict[str, Any], Sample | float]:
        """The sample of a side: of several methods the one with the best (or worst) mean."""
        part = claim.expects[side]
        if "value" in part:
            return {}, float(part["value"])
        several = part.get("best_of") or part.get("worst_of")
        if not several:
            return queries[side][0], self.sample(queries[side][0])
        found = []
        for query in queries[side]:
            try:
                sample = self.sample(query)
            except Missing:
                continue
            found.append((float(sample.array.mean()), query, sample))
        if not found:
            raise Missing("none of the methods has records")
        best = self.records.direction(self.world.reads(queries[side][0])) == "higher"
        pick = max if best == ("best_of" in part) else min
        _, query, sample = pick(found, key=lambda entry: entry[0])
        return query, sample

    def _only(
        self, claim: Claim, queries: dict[str, list[dict[str, Any]]], sign: float, direction: str | None
    ) -> str:
        """The one verdict that stands where some of several methods have no records; empty where all have."""
        for side in ("left", "than"):
            part = claim.expects[side]
            if not (part.get("best_of") or part.get("worst_of")):
                continue
            missing = False
            for query in queries[side]:
                try:
                    self.sample(query)
                except Missing:
                    missing = True
            if missing:
                if claim.expects["is"] == "same":
                    return "none"
                rises = (direction == "higher") == ("best_of" in part)
                harder = rises == (sign > 0) if side == "than" else rises != (sign > 0)
                return "contradicted" if harder else "reproduced"
        return ""

    def _ratio(self, claim: Claim) -> Outcome:
        if not claim.expects:
            raise Missing("nothing is asked")
        (of,), (to,) = self.sides(claim)
        left, right = self.sample(of), self.sample(to)
        return self._plain(judge_ratio(claim, left, right, self.alpha), [left, right])

    def _trend(self, claim: Claim) -> Outcome:
        samples = [self.sample(query) for query in self.queries(claim)]
        return self._plain(compare_trend(claim, samples, self.alpha), samples)

    def _plain(self, found: Outcome, samples: list[Sample]) -> Outcome:
        if self.world.rival:
            return Outcome("not testable")
        found.stand_in = any(sample.stand_in for sample in samples)
        found.chosen = any(sample.chosen for sample in samples)
        return found

    def _ranking(self, claim: Claim) -> Outcome:
        if self.world.rival not in {"", PERMUTED}:
            return Outcome("not testable")
        printed, measured, samples = [], [], []
        for member in claim.expects["members"]:
            try:
                sample = self.sample(member.measure)
                shown = self._rival(member.measure) if self.world.rival else sample
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
        if self.world.rival or not claim.expects:
            return Outcome("not testable")

        def numbers(reference: str) -> list[Claim]:
            return [other for other in self.named(reference, claim.id) if other.kind == "value"]

        measure = dict(claim.measure)
        if "left" in claim.expects:
            measure = numbers(claim.expects["left"])[0].measure | measure
        metric = measure.get("metric", "")
        better = self.records.direction(measure) if metric else None
        return judge_arithmetic(claim, numbers, better, self.records.scale(metric))

    def _possible(self, claim: Claim) -> Outcome:
        return Outcome("not testable" if self.world.rival else self.possible[claim.id])

    def _sentence(self, claim: Claim) -> Outcome:
        if not claim.expects:
            raise Missing("nothing is asked")
        if "certificates" in claim.expects:
            return (
                Outcome("not testable")
                if self.world.rival
                else self._certified(claim.expects["certificates"])
            )
        found = Outcome("")
        found.verdict, ids, found.topics = self._group(claim, claim.expects)
        found.parts = tuple(dict.fromkeys(ids))
        parts = [self.outcome(self.by_id[name]) for name in found.parts]
        found.stand_in = any(part.stand_in for part in parts)
        found.chosen = any(part.chosen for part in parts)
        return found

    def _group(self, claim: Claim, group: dict[str, Any]) -> tuple[str, list[str], list[str]]:
        key = next(name for name in ("all_of", "any_of", "of") if name in group)
        verdicts: list[str] = []
        ids: list[str] = []
        for part in group[key]:
            if isinstance(part, dict):
                verdict, own, _ = self._group(claim, part)
                verdicts.append(verdict)
                ids += own
            else:
                fresh = self.named(part, claim.id)
                verdicts += [self.outcome(other).verdict for other in fresh]
                ids += [other.id for other in fresh]
        stances = [Outcome(verdict).stance for verdict in verdicts]
        needed = {"all_of": len(verdicts), "any_of": 1}.get(key, group.get("at_least", 0))
        return combine(stances, verdicts, needed), ids, verdicts

    def _certified(self, asked: dict[str, Any]) -> Outcome:
        rows = self.certificates[self.certificates.topic == asked["topic"]]
        rows = rows[[fnmatchcase(name, asked.get("id", "*")) for name in rows.id]]
        if len(rows) < asked.get("at_least", 1):
            return Outcome("not testable")
        return Outcome("reproduced" if rows.passed.astype(bool).all() else "contradicted")


def operand(measure: Mapping[str, Any], part: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The queries of an operand; none for a constant."""
    if "value" in part:
        return []
    query = {**measure, **_without(part, "best_of", "worst_of")}
    several = part.get("best_of") or part.get("worst_of")
    return [{**query, "method": name} for name in several] if several else [query]


def _without(part: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key not in keys}
