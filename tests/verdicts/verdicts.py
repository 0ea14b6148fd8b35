"""The verdicts of a paper: outcomes, what random methods earn, and what other choices make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from cladebench.datasets.registry import registry
from verdicts.asked import PERMUTED, Choice
from verdicts.claims import Claim, Named, claims_of
from verdicts.plans import data_of, joined, names_of, written_out
from verdicts.readings import Reading
from verdicts.records import Missing, Records
from verdicts.rules import Outcome

ANALOGUE = {"supports": "analogue holds", "undecided": "analogue undecided", "contradicts": "analogue fails"}
STANCES = ("supports", "undecided", "contradicts")
ANSWERS = {
    "reproduced": "holds",
    "analogue holds": "holds",
    "contradicted": "does not hold",
    "inconsistent": "does not hold",
    "analogue fails": "does not hold",
    "within noise": "open",
    "direction only": "open",
    "depends": "open",
    "uninformative": "open",
    "analogue undecided": "open",
    "not testable": "not tested",
}
EVIDENCE = ("other data", "own code", "paper recipe", "paper data", "printed numbers", "by construction")


def read(path: Path) -> Any:
    """A YAML file."""
    # The same as the safe loader in C, where YAML was built with it.
    return yaml.load(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def told(found: Outcome) -> str:
    if found.stand_in and found.verdict not in {"not testable", "inconsistent"}:
        return ANALOGUE[found.stance]
    return found.verdict


class Verdicts:
    """All claims of a paper, recomputed."""

    def __init__(
        self,
        folder: Path,
        cells: pd.DataFrame,
        certificates: pd.DataFrame,
        possible: Mapping[str, tuple[float, float, bool]],
        scope: str | None,
    ):
        plan, file = written_out(read(folder / "plan.yaml")), read(folder / "claims.yaml")
        path = folder / "choices.yaml"
        self.register: list[dict[str, Any]] = read(path) if path.exists() else []
        self.paper: str = file["paper"]
        self.claims = claims_of(file)
        self.named = Named(self.claims)
        self.alpha: float = file.get("rules", {}).get("alpha", 0.05)
        self.records = Records(self.paper, cells, plan, file.get("deterministic", []), scope)
        self.certificates, self.possible, self.plan = certificates, possible, plan
        self._touched: dict[tuple[str, int], bool] = {}
        rules = list(plan.get("selection", {})) or [""]
        self.rule, self.beside = rules[0], rules[1] if len(rules) > 1 else rules[0]

    def _reading(
        self, choice: Choice, touches: Callable[[Claim], bool] | None = None, plain: Reading | None = None
    ) -> Reading:
        return Reading(
            self.named,
            self.records,
            self.certificates,
            self.possible,
            choice,
            self.alpha,
            plain or getattr(self, "chosen", None),
            touches,
        )

    def table(self) -> pd.DataFrame:
        """One row a claim."""
        self.chosen = self._reading(Choice(self.rule))
        self.second = self._reading(Choice(self.beside))
        of_measures = (name for measure in self.records.measures.values() for name in measure.random)
        named = dict.fromkeys([PERMUTED, *self.plan.get("blind", []), *of_measures])
        self.random = [self._reading(Choice(self.rule, name)) for name in named]
        self.others = self._others()
        self.random_there = [
            [
                self._reading(replace(reading.choice, random=plain.choice.random), reading.touches, plain)
                for plain in self.random
            ]
            for _, _, reading in self.others
        ]
        verdicts = {claim.id: self._row(claim) for claim in self.claims}
        for row in verdicts.values():
            row["parts"] = "; ".join(f"{name}: {verdicts[name]['verdict']}" for name in row["parts"])
        return pd.DataFrame.from_dict(verdicts, orient="index")

    def _row(self, claim: Claim) -> dict[str, Any]:
        found = self.chosen.outcome(claim)
        blind, earned = self._blind(claim)
        counts, names, depends = self._across(claim, found)
        verdict = told(found)
        if found.verdict not in {"inconsistent", "not testable"}:
            if found.stance == "supports" and (earned or self._informed(claim) != found.verdict):
                verdict = "uninformative"
            elif depends:
                verdict = "depends"
        if verdict != "depends":
            names = []
        return {
            "verdict": verdict,
            "answer": ANSWERS[verdict],
            "evidence": self.evidence(claim),
            "blind": blind,
            "universes": counts,
            "depends_on": "; ".join(names),
            "not_run": "; ".join(self._not_run(claim, found)),
            "main": "true" if claim.says("main") else "",
            "measured": found.measured,
            "p_value": found.p,
            "p_adjusted": found.adjusted,
            "parts": found.parts,
            "verdict_beside": told(self.second.outcome(claim)),
        }

    # Random methods.

    def _blind(self, claim: Claim) -> tuple[str, bool]:
        best: Outcome | None = None
        for reading in self.random:
            found = reading.outcome(claim)
            if found.stance not in STANCES or found.verdict == "inconsistent":
                continue
            if best is None or STANCES.index(found.stance) < STANCES.index(best.stance):
                best = found
        if best is None:
            return "", False
        return told(best), best.stance == "supports"

    def _informed(self, claim: Claim) -> str:
        """The verdict of a claim whose parts count as not testable where a random method earns them."""
        found = self.chosen.outcome(claim)
        if claim.says("inconsistent") or claim.says("not_testable"):
            return found.verdict
        if found.stance == "supports" and self._blind(claim)[1]:
            return "not testable"
        if claim.kind != "sentence" or "certificates" in claim.expects:
            return found.verdict
        return self.chosen.group(claim, claim.expects, self._informed)[0]

    # Other choices.

    def _others(self) -> list[tuple[str, list[dict[str, Any]], Reading]]:
        """Name of the choice, what the other says (a pair's both), and how claims then come out."""
        single = [
            (entry["id"], said, self._reading(self._choice([said]), partial(self._changes, [said])))
            for entry in self.register
            for said in (names_of(self.plan, other) for other in entry.get("other_choices", []))
        ]
        names = {
            name: [(said, reading) for own, said, reading in single if own == name] for name, _, _ in single
        }
        moved = {
            name: sum(any(self._moves(claim, *one) for one in own) for claim in self.claims)
            for name, own in names.items()
        }
        most = sorted((name for name in moved if moved[name]), key=lambda name: -moved[name])[:3]
        self.rare = self._pairs(names, [two for two in combinations(names, 2) if not {*two} <= {*most}])
        return [
            *((name, [said], reading) for name, said, reading in single),
            *self._pairs(names, combinations(most, 2)),
        ]

    def _pairs(
        self, names: Mapping[str, list[Any]], entries: Iterable[tuple[str, str]]
    ) -> list[tuple[str, list[dict[str, Any]], Reading]]:
        return [
            (
                " + ".join(two),
                [a, b],
                self._reading(self._choice([a, b]), partial(self._changes, [a, b])),
            )
            for two in entries
            for (a, _), (b, _) in product(*(names[name] for name in two))
            if joined(a, b) is not None
        ]

    def _choice(self, said: list[dict[str, Any]]) -> Choice:
        rule = next((one["selection"] for one in said if "selection" in one), self.rule)
        kept = {"selection", "kinds", "claims", "between"}
        instead = tuple({k: v for k, v in one.items() if k not in kept} for one in said)
        kinds = [one["kinds"] for one in said if "kinds" in one]
        claims = tuple(one["claims"] for one in said if "claims" in one)
        return Choice(rule, "", instead, frozenset.intersection(*kinds) if kinds else frozenset(), claims)

    def _moves(self, claim: Claim, said: dict[str, Any], reading: Reading) -> bool:
        if not self._counts(claim, [said]):
            return False
        stances = {self.chosen.outcome(claim).stance, reading.outcome(claim).stance}
        return len(stances) == 2 and "not testable" not in stances

    def _changes(self, said: list[dict[str, Any]], claim: Claim) -> bool:
        return any(self._counts(claim, [one]) for one in said)

    def _counts(self, claim: Claim, said: list[dict[str, Any]]) -> bool:
        """Whether each of what another choice says changes something that the claim, or a part of it, asks."""
        if claim.kind == "sentence":
            parts = [self.chosen.by_id[name] for name in self.chosen.outcome(claim).parts]
            return all(any(self._counts(part, [one]) for part in parts) for one in said)
        return all(self._touches(claim, one) for one in said)

    def _touches(self, claim: Claim, said: dict[str, Any]) -> bool:
        """Whether it changes what the claim itself asks; pairs of choices ask this again and again."""
        at = claim.id, id(said)  # what other choices say is kept for as long as this
        if at not in self._touched:
            self._touched[at] = self._changes_answers(claim, said)
        return self._touched[at]

    def _changes_answers(self, claim: Claim, said: dict[str, Any]) -> bool:
        choice = self._choice([said])
        if not choice.concerns(claim):
            return False
        printed = claim.printed if claim.kind == "value" else None
        if (
            printed is not None
            and printed.spread is not None
            and choice.spread(claim) != claim.says("spread", "sd")
        ):
            return True
        own = Choice(self.rule)
        return any(
            self._answer(query, choice) != self._answer(query, own) for query in self.chosen.queries(claim)
        )

    def _answer(self, query: Mapping[str, Any], choice: Choice) -> tuple[Any, ...]:
        """Which numbers answer a query."""
        read = choice.reads(query)
        try:
            setting = self.records.sample(read, choice.rule).setting
        except Missing:
            setting = {}
        names = read.get("dataset"), read.get("method"), read.get("metric"), setting
        if "change_from" in read:
            first = {key: value for key, value in query.items() if key != "change_from"}
            # What is kept to other data sets is so for what changes are from, too.
            choice = Choice(choice.rule, instead=tuple(choice.open_on(query.get("dataset"))))
            return *names, self._answer(first | {"dataset": query["change_from"]}, choice)
        return names

    def _across(self, claim: Claim, found: Outcome) -> tuple[str, list[str], bool]:
        touching = [place for place, (_, at, _) in enumerate(self.others) if self._counts(claim, at)]
        stances = [(self.others[place][0], self.others[place][2].outcome(claim).stance) for place in touching]
        needless = {
            name
            for place, (name, stance) in zip(touching, stances, strict=True)
            if found.stance == "supports"
            and stance in {"supports", "undecided"}
            and any(reading.outcome(claim).stance == "supports" for reading in self.random_there[place])
        }
        needless |= {
            self.others[place][0]
            for place in touching
            if self._missed_beyond(claim, found, *self.others[place])
        }
        every = [found.stance, *(stance for _, stance in stances)]
        if (
            found.stance == "contradicts"
            and found.verdict != "inconsistent"
            and claim.kind != "sentence"
            and not {"supports", "undecided"} & set(every)
        ):  # what no choice rescues is asked under all pairs
            stances += [
                (name, reading.outcome(claim).stance)
                for name, at, reading in self.rare
                if self._counts(claim, at)
            ]
            every = [found.stance, *(stance for _, stance in stances)]
        if all(stance == "not testable" for stance in every):
            return "", [], False
        others = [stance for _, stance in stances if stance != "not testable"]
        words = [
            f"{others.count(stance)} {word}"
            for stance, word in zip(STANCES, ("support", "open", "contradict"), strict=True)
        ]
        counts = f"with other choices: {', '.join(words)}" if others else ""
        against = {
            "supports": {"contradicts"},
            "contradicts": {"supports", "undecided"},
            "undecided": {"supports", "contradicts"},
            "not testable": set(),
        }[found.stance]
        depends = any(stance in against for _, stance in stances)
        if found.stance == "undecided":
            depends = against <= set(every)
        if not depends and not needless:
            return counts, [], False
        names = list(dict.fromkeys(name for name, stance in stances if stance in against or name in needless))
        alone = {name for name in names if " + " not in name}
        return counts, [n for n in names if n in alone or not alone & set(n.split(" + "))], True

    @staticmethod
    def _missed_beyond(
        claim: Claim, found: Outcome, _: str, said: list[dict[str, Any]], reading: Reading
    ) -> bool:
        """Whether another value of a number misses on the other side than ours does."""
        there = reading.outcome(claim)
        if found.verdict == "inconsistent" or not said[0].get("between") or len(said) > 1:
            return False
        if (
            not found.stance == there.stance == "contradicts"
            or found.measured is None
            or there.measured is None
        ):
            return False
        printed = claim.printed.value if claim.kind == "value" and claim.printed else 0.0
        return (found.measured - printed) * (there.measured - printed) < 0

    def _not_run(self, claim: Claim, found: Outcome) -> list[str]:
        """Single other choices that change what is asked and cannot tell; none where our own cannot either."""
        if found.verdict in {"inconsistent", "not testable"}:
            return []
        names = [said["name"] for entry in self.register for said in entry.get("other_choices", [])]
        return [
            name
            for name, (_, at, reading) in zip(names, self.others, strict=False)
            if self._counts(claim, at) and reading.outcome(claim).stance == "not testable"
        ]

    # Evidence.

    def evidence(self, claim: Claim) -> str:
        said = claim.says("evidence")
        if said:
            return str(said)
        found = self.chosen.outcome(claim)
        if claim.kind in {"arithmetic", "possible"} or found.verdict == "inconsistent":
            return "printed numbers"
        if claim.kind == "sentence" and "certificates" in claim.expects:
            return "by construction"
        if claim.kind == "sentence":
            parts = {self.evidence(self.chosen.by_id[name]) for name in found.parts}
            return next((kind for kind in EVIDENCE if kind in parts), "paper data")
        queries = self.chosen.queries(claim) or [claim.measure]
        metric = claim.measure.get("metric")
        if metric in self.records.measures and self.records.measures[metric].unit == "s":
            return "own code"
        asked = [*queries, claim.measure]
        datasets = {query.get(key) for query in asked for key in ("dataset", "change_from")} - {None}
        beyond = set(self.plan.get("beyond", []))
        names = {data_of(self.plan, dataset) for dataset in datasets}
        kinds = {registry()[name].kind for name in names if name in registry()}
        if datasets & beyond or "stand-in" in kinds:
            return "other data"
        return "paper recipe" if "synthetic" in kinds else "paper data"
