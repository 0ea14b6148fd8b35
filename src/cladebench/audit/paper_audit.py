"""The audit of one paper: each claim judged as chosen, in every universe, and with every rival in the praised place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from cladebench.audit.arithmetic import Facts
from cladebench.audit.claim_types import Claim, ClaimSet, references
from cladebench.audit.judgement import Judgement
from cladebench.audit.judging import Evaluation
from cladebench.audit.reading import Reader
from cladebench.audit.rivals import Rival
from cladebench.audit.settling import Settled, earned_by_parts, settle
from cladebench.audit.universes import CHOSEN, Universe, paired_universes
from cladebench.audit.verdict_types import (
    REPRODUCED,
    SUPPORTS,
    UNDECIDED,
    UNINFORMATIVE,
    UNTESTED,
    not_testable,
)
from cladebench.bench.results import Results
from cladebench.bench.samples import before
from cladebench.measures import Measure


@dataclass
class PaperAudit:
    """Judges a paper's claims.

    Parameters
    ----------
    claims : ClaimSet
    records : Results
    certificates : DataFrame or None
    facts : callable
    measures : mapping of str to Measure
    blind : sequence of str
        Methods that learn nothing from the data.
    singles : sequence of Universe
        Those that vary one factor.
    rules : sequence of str
        Of selection: the paper's own, and the one that stands beside it.
    """

    claims: ClaimSet
    records: Results
    certificates: pd.DataFrame | None
    facts: Facts
    measures: Mapping[str, Measure]
    blind: Sequence[str]
    singles: Sequence[Universe]
    rules: tuple[str, str]

    def __post_init__(self) -> None:
        self.own = self._evaluation(self.rules[0])
        self.chosen = self.own.run()
        self.beside = self.chosen if self.rules[0] == self.rules[1] else self._evaluation(self.rules[1]).run()
        rivals = [Rival(), *map(Rival, self.blind)]
        self.rivals = [(rival, self._evaluation(self.rules[0], rival=rival).run()) for rival in rivals]
        self.worlds = [(universe, self._touched(universe)) for universe in self.singles]
        self._judged = [self._judge_in(universe, touched) for universe, touched in self.worlds]
        touched_by = {universe.name: touched for universe, touched in self.worlds}
        for one, other, pair in paired_universes(self.singles, self._moved()):
            self.worlds.append((pair, touched_by[one.name] & touched_by[other.name]))
            self._judged.append(self._judge_in(pair, touched_by[one.name] | touched_by[other.name]))
        self._earned = [
            self._earned_in(universe, touched, judged)
            for (universe, touched), judged in zip(self.worlds, self._judged, strict=True)
        ]

    def settled(self) -> dict[str, Settled]:
        """Give what is reported of each claim."""
        found = {}
        for name in self.claims.claims:
            worlds = [
                (universe, judged[name])
                for (universe, touched), judged in zip(self.worlds, self._judged, strict=True)
                if name in touched
            ]
            rivals = [(rival, judged[name]) for rival, judged in self.rivals]
            earned = {
                universe.name: rivals_there[name]
                for (universe, _), rivals_there in zip(self.worlds, self._earned, strict=True)
                if name in rivals_there
            }
            found[name] = settle(self.told(name), worlds, rivals, earned)
        return found | self._earned_by_parts(found)

    def _earned_by_parts(self, found: Mapping[str, Settled]) -> dict[str, Settled]:
        """Sentences that would not hold without their parts that a rival earns."""
        held = {name for name, judgement in self.chosen.items() if judgement.outcome.stance == SUPPORTS}
        earned = {name for name in held if found[name].verdict == UNINFORMATIVE}
        blank = {
            name: replace(self.chosen[name], outcome=not_testable("a random method passes too"))
            for name in earned
        }
        sentences = {claim.id for claim in self.claims.claims.values() if claim.kind == "sentence"} - earned
        without = self._evaluation(self.rules[0]).run({**self.chosen, **blank}, sentences)
        return {
            name: earned_by_parts(
                found[name], [part for part in dict.fromkeys(self._below(name)) if part in earned]
            )
            for name in sentences & held
            if without[name].outcome.stance != SUPPORTS
        }

    def told(self, name: str) -> Judgement:
        """The judgement as chosen; of a value, also with how many other numbers it would have agreed."""
        judgement, claim = self.chosen[name], self.claims.claims[name]
        if claim.kind != "value" or judgement.outcome.stance == UNTESTED or claim.inconsistent:
            return judgement
        others = [
            other
            for other in self.claims.claims.values()
            if other.kind == "value" and other.id != name and _column(other) == _column(claim)
        ]
        if not others:
            return judgement
        sample = judgement.samples[0]
        as_well = sum(self.own.value_outcome(other, sample).verdict == REPRODUCED for other in others)
        too = "also " if judgement.outcome.verdict == REPRODUCED else ""
        said = f"ours {too}agrees with {as_well} of the {len(others)} other numbers of its column"
        reason = f"{judgement.outcome.reason}; {said}"
        return replace(judgement, outcome=replace(judgement.outcome, reason=reason))

    def _evaluation(self, rule: str, universe: Universe = CHOSEN, rival: Rival | None = None) -> Evaluation:
        reader = Reader(self.records, rule, universe, rival, self.blind, self.measures)
        return Evaluation(self.claims, reader, self.certificates, self.facts)

    def _judge_in(self, universe: Universe, touched: Collection[str]) -> Mapping[str, Judgement]:
        """Judge again what a universe touches, and what is corrected or told together with it."""
        if not touched:
            return self.chosen
        families = {self.claims.claims[name].family for name in touched}
        again = {
            claim.id
            for claim in self.claims.claims.values()
            if claim.id in touched
            or (claim.kind in ("order", "trend", "ranking") and claim.family in families)
        }
        evaluation = self._evaluation(self.rules[0], universe)
        return evaluation.run(self.chosen, self._with_sentences(again), touched)

    def _earned_in(
        self, universe: Universe, touched: Collection[str], judged: Mapping[str, Judgement]
    ) -> dict[str, list[str]]:
        """Claims that are supported as chosen, not contradicted in a universe, and earned there by rivals: by which."""
        asked = {
            name
            for name in touched
            if self.chosen[name].outcome.stance == SUPPORTS
            and judged[name].outcome.stance in (SUPPORTS, UNDECIDED)
        }
        again = asked | {part for name in asked for part in self._below(name) if part in touched}
        found: dict[str, list[str]] = {}
        for rival, known in self.rivals if asked else ():
            evaluation = self._evaluation(self.rules[0], universe, rival)
            there = evaluation.run(known, again, touched)
            for name in asked:
                if there[name].outcome.stance == SUPPORTS:
                    found.setdefault(name, []).append(rival.name)
        return found

    def _touched(self, universe: Universe) -> set[str]:
        """Claims of which a universe changes what answers them, or a part of theirs."""
        asked = ((self.claims.claims[name], queries) for name, queries in self.own.reader.asked.items())
        return self._with_sentences(
            {
                claim.id
                for claim, queries in asked
                if universe.claim(claim) != claim
                or (
                    universe.concerns(claim.kind)
                    and any(self._answer(query, universe) != self._answer(query, CHOSEN) for query in queries)
                )
            }
        )

    def _answer(self, query: Mapping[str, Any], universe: Universe) -> tuple[Any, ...]:
        """Which numbers answer a query: of which data set, method, metric and setting; of a change of both."""
        asked = universe.query(query)
        found = self.records.sample(asked, universe.rule(self.rules[0]))
        names = (asked["dataset"], asked["method"], asked["metric"], "" if found.problem else found.setting)
        if "change_from" not in asked:
            return names
        first = self.records.sample(before(asked), universe.rule(self.rules[0]))
        return *names, asked["change_from"], "" if first.problem else first.setting

    def _with_sentences(self, names: set[str]) -> set[str]:
        """Add the sentences that are made of these claims."""
        found = set(names)
        while added := {
            name for name, parts in self._parts.items() if name not in found and not found.isdisjoint(parts)
        }:
            found |= added
        return found

    def _below(self, name: str) -> list[str]:
        """Parts of a sentence, of these, and so on."""
        own = self.chosen[name].parts
        return [*own, *(below for part in own for below in self._below(part))]

    @cached_property
    def _parts(self) -> Mapping[str, list[str]]:
        return {
            claim.id: [
                part for pattern in references(claim.expects) for part in self.claims.matching(pattern)
            ]
            for claim in self.claims.claims.values()
            if claim.kind == "sentence"
        }

    def _moved(self) -> dict[str, int]:
        """How many claims each factor moves from the stance that they have as chosen."""
        moved: dict[str, set[str]] = {}
        for (universe, touched), judged in zip(self.worlds, self._judged, strict=True):
            for name in touched:
                stances = {self.chosen[name].outcome.stance, judged[name].outcome.stance}
                if len(stances) > 1 and UNTESTED not in stances:
                    moved.setdefault(universe.factors[0], set()).add(name)
        return {factor: len(names) for factor, names in moved.items()}


def _column(claim: Claim) -> tuple[Any, ...]:
    """Where a printed number stands, its method aside."""
    return claim.family, *(str(claim.measure.get(key)) for key in ("dataset", "metric", "at"))
