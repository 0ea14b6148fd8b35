"""The audit of one paper, with all choices and random methods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from cladebench.audit.claim_types import ClaimSet, Facts
from cladebench.audit.judgement import Judgement
from cladebench.audit.kinds import kind_of
from cladebench.audit.other_choices import (
    CHOSEN,
    Choice,
    entries_of,
    paired_choices,
    strongest_entries,
)
from cladebench.audit.pipeline.all_choices import Settled, passed_by_parts, settle
from cladebench.audit.pipeline.one_choice import Evaluation
from cladebench.audit.random_methods import RandomMethod
from cladebench.audit.reading import Reader
from cladebench.audit.verdict.verdict_types import (
    CONTRADICTS,
    INCONSISTENT,
    SUPPORTS,
    UNDECIDED,
    UNINFORMATIVE,
    UNTESTED,
    not_testable,
)
from cladebench.bench.samples.results import Results
from cladebench.bench.samples.samples import before
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
    singles : sequence of Choice
        Those that vary one entry of the register.
    rules : sequence of str
        Of selection: the paper's own, and the one that stands beside it.
    """

    claims: ClaimSet
    records: Results
    certificates: pd.DataFrame | None
    facts: Facts
    measures: Mapping[str, Measure]
    blind: Sequence[str]
    singles: Sequence[Choice]
    rules: tuple[str, str]

    def __post_init__(self) -> None:
        self.own = self._evaluation(self.rules[0])
        self.chosen = self.own.run()
        self.beside = self.chosen if self.rules[0] == self.rules[1] else self._evaluation(self.rules[1]).run()
        named = [*self.blind, *(name for measure in self.measures.values() for name in measure.random)]
        random_methods = [RandomMethod(), *map(RandomMethod, dict.fromkeys(named))]
        self.random_methods = [
            (method, self._evaluation(self.rules[0], random=method).run()) for method in random_methods
        ]
        self.choices = [(choice, self._touched(choice)) for choice in self.singles]
        self._asked_alone: dict[str, Evaluation] = {}
        self._judged = [self._judge_alone(choice, touched) for choice, touched in self.choices]
        touched_by = {choice.name: touched for choice, touched in self.choices}
        strongest = strongest_entries(self.singles, self._moved())
        self._ask_pairs(paired_choices(self.singles, strongest), touched_by, set(self.chosen))
        # What no choice rescues: a pair that does must not be missed because its entries move few other claims.
        rest = [
            pair
            for pair in paired_choices(self.singles, entries_of(self.singles))
            if not set(pair[2].entries) <= set(strongest)
        ]
        self._ask_pairs(rest, touched_by, self._failing())
        self._passed = [
            self._passed_in(choice, touched, judged)
            for (choice, touched), judged in zip(self.choices, self._judged, strict=True)
        ]

    def _ask_pairs(
        self,
        pairs: Iterable[tuple[Choice, Choice, Choice]],
        touched_by: Mapping[str, set[str]],
        among: set[str],
    ) -> None:
        """Judge the claims `among` these that both choices of a pair change."""
        for one, other, pair in pairs:
            asked = touched_by[one.name] & touched_by[other.name] & among
            if asked:
                self.choices.append((pair, asked))
                of_both = {choice.name: touched_by[choice.name] for choice in (one, other)}
                self._judged.append(self._judge_pair(pair, asked, of_both))

    def _failing(self) -> set[str]:
        """Find the claims (no sentences) that ours and every telling choice contradict."""
        return {
            name
            for name, settled in self.chosen.items()
            if settled.outcome.stance == CONTRADICTS
            and settled.outcome.verdict != INCONSISTENT
            and not kind_of(self.claims.claims[name]).of_parts
            and all(
                judged[name].outcome.stance in (CONTRADICTS, UNTESTED)
                for (_, touched), judged in zip(self.choices, self._judged, strict=True)
                if name in touched
            )
        }

    def settled(self) -> dict[str, Settled]:
        """Give what is reported of each claim."""
        by_name = {}
        for name, claim in self.claims.claims.items():
            choices = [
                (choice, judged[name])
                for (choice, touched), judged in zip(self.choices, self._judged, strict=True)
                if name in touched
            ]
            random_methods = [(method, judged[name]) for method, judged in self.random_methods]
            passed = {
                choice.name: methods_there[name]
                for (choice, _), methods_there in zip(self.choices, self._passed, strict=True)
                if name in methods_there
            }
            judgement = kind_of(claim).with_others(claim, self.chosen[name], self.own.grounds)
            by_name[name] = settle(judgement, choices, random_methods, passed)
        return by_name | self._passed_by_parts(by_name)

    def _passed_by_parts(self, settled: Mapping[str, Settled]) -> dict[str, Settled]:
        """Settle sentences that hold only with parts that random methods pass."""
        held = {name for name, judgement in self.chosen.items() if judgement.outcome.stance == SUPPORTS}
        passed = {name for name in held if settled[name].verdict == UNINFORMATIVE}
        blank = {
            name: replace(self.chosen[name], outcome=not_testable("a random method passes too"))
            for name in passed
        }
        sentences = {claim.id for claim in self.claims.claims.values() if kind_of(claim).of_parts} - passed
        without = self._evaluation(self.rules[0]).run({**self.chosen, **blank}, sentences)
        return {
            name: passed_by_parts(
                settled[name], [part for part in dict.fromkeys(self._below(name)) if part in passed]
            )
            for name in sentences & held
            if without[name].outcome.stance != SUPPORTS
        }

    def _evaluation(
        self, rule: str, choice: Choice = CHOSEN, random: RandomMethod | None = None
    ) -> Evaluation:
        reader = Reader(self.records, rule, choice, random, self.blind, self.measures)
        return Evaluation(self.claims, reader, self.certificates, self.facts)

    def _judge_alone(self, choice: Choice, touched: Collection[str]) -> Mapping[str, Judgement]:
        """Judge again what a choice touches, and what is corrected with it."""
        alike = {name: judgement for name, judgement in self.own.found.items() if name not in touched}
        evaluation = self._asked_alone[choice.name] = self._evaluation(self.rules[0], choice)
        again = self._with_sentences(self._with_families(touched))
        return evaluation.run(self.chosen, again, touched, alike)

    def _judge_pair(
        self, pair: Choice, asked: set[str], touched_by: Mapping[str, set[str]]
    ) -> Mapping[str, Judgement]:
        """Judge claims with two choices at once.

        Only what is `asked` is good, of claims and sentences. The others of a family are there for the correction. What
        one of the two alone touches mostly comes out as with that one.
        """
        touched = set().union(*touched_by.values())
        parts = {part for name in asked for part in self._all_parts(name)}
        again = self._with_families(asked | parts & touched)
        alike = {name: judgement for name, judgement in self.own.found.items() if name not in touched}
        for name in again & touched:
            first, *more = [choice for choice, names in touched_by.items() if name in names]
            alone, claim = self._asked_alone[first], self.claims.claims[name]
            asks = alone.reader.asked.get(name, ())
            if not more and asks and pair.asks_as(alone.reader.choice, claim, asks):
                alike[name] = alone.found[name]
        return self._evaluation(self.rules[0], pair).run(self.chosen, again, touched, alike)

    def _with_families(self, names: Collection[str]) -> set[str]:
        """Add the claims that are corrected together with these."""
        families = {self.claims.claims[name].family for name in names}
        return {
            claim.id
            for claim in self.claims.claims.values()
            if claim.id in names or (kind_of(claim).corrected and claim.family in families)
        }

    def _passed_in(
        self, choice: Choice, touched: Collection[str], judged: Mapping[str, Judgement]
    ) -> dict[str, list[str]]:
        """Name the random methods that pass a claim with another choice.

        The claim is supported with our choices, and not contradicted with the other one.
        """
        asked = {
            name
            for name in touched
            if self.chosen[name].outcome.stance == SUPPORTS
            and judged[name].outcome.stance in (SUPPORTS, UNDECIDED)
        }
        again = asked | {part for name in asked for part in self._below(name) if part in touched}
        passing: dict[str, list[str]] = {}
        for method, known in self.random_methods if asked else ():
            evaluation = self._evaluation(self.rules[0], choice, method)
            there = evaluation.run(known, again, touched)
            for name in asked:
                if there[name].outcome.stance == SUPPORTS:
                    passing.setdefault(name, []).append(method.name)
        return passing

    def _touched(self, choice: Choice) -> set[str]:
        """Find the claims whose answers, or parts, a choice changes."""
        asked = ((self.claims.claims[name], queries) for name, queries in self.own.reader.asked.items())
        return self._with_sentences(
            {
                claim.id
                for claim, queries in asked
                if choice.claim(claim) != claim
                or (choice.concerns(claim) and any(self._changes(query, choice) for query in queries))
            }
        )

    def _changes(self, query: Mapping[str, Any], choice: Choice) -> bool:
        """Say whether a choice changes the numbers that answer a query."""
        rule = self.rules[0]
        if choice.rule(rule) == rule and choice.query(query) == query:
            return False
        return self._answer(query, choice) != self._answer(query, CHOSEN)

    def _answer(self, query: Mapping[str, Any], choice: Choice) -> tuple[Any, ...]:
        """Name the numbers that answer a query.

        They are a data set, a method, a metric and a setting; of a change those of both ends.
        """
        asked = choice.query(query)
        sample = self.records.sample(asked, choice.rule(self.rules[0]))
        names = (asked["dataset"], asked["method"], asked["metric"], "" if sample.problem else sample.setting)
        if "change_from" not in asked:
            return names
        first = self.records.sample(before(asked), choice.rule(self.rules[0]))
        return *names, asked["change_from"], "" if first.problem else first.setting

    def _with_sentences(self, names: set[str]) -> set[str]:
        """Add the sentences that are made of these claims."""
        reached = set(names)
        while added := {
            name
            for name, parts in self._parts.items()
            if name not in reached and not reached.isdisjoint(parts)
        }:
            reached |= added
        return reached

    def _below(self, name: str) -> list[str]:
        """Parts of a sentence, of these, and so on."""
        parts = self.chosen[name].parts
        return [*parts, *(below for part in parts for below in self._below(part))]

    def _all_parts(self, name: str) -> Iterator[str]:
        """List parts of a sentence, their parts, and so on."""
        for part in self._parts.get(name, ()):
            yield part
            yield from self._all_parts(part)

    @cached_property
    def _parts(self) -> Mapping[str, list[str]]:
        return {
            claim.id: [
                part for pattern in kind_of(claim).references(claim) for part in self.claims.matching(pattern)
            ]
            for claim in self.claims.claims.values()
            if kind_of(claim).of_parts
        }

    def _moved(self) -> dict[str, int]:
        """Count the claims whose stance each entry of the register moves."""
        moved: dict[str, set[str]] = {}
        for (choice, touched), judged in zip(self.choices, self._judged, strict=True):
            for name in touched:
                stances = {self.chosen[name].outcome.stance, judged[name].outcome.stance}
                if len(stances) > 1 and UNTESTED not in stances:
                    moved.setdefault(choice.entries[0], set()).add(name)
        return {entry: len(names) for entry, names in moved.items()}
