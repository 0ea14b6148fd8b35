"""What claims ask for, and which samples answer with a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import reduce
from typing import Any

from verdicts.claims import Claim
from verdicts.plans import joined
from verdicts.records import Missing, Records, Sample

PERMUTED = "rows permuted"


@dataclass(frozen=True)
class Choice:
    """How claims are read."""

    rule: str
    random: str = ""  # the random method in the praised place
    instead: tuple[Mapping[str, Any], ...] = ()
    kinds: frozenset[str] = frozenset()
    claims: tuple[list[str], ...] = ()
    _on: dict[str | None, dict[str, Any]] = field(default_factory=dict, init=False, repr=False)

    def concerns(self, claim: Claim) -> bool:
        named = all(any(fnmatchcase(claim.id, name) for name in names) for names in self.claims)
        return named and (not self.kinds or claim.kind in self.kinds)

    def spread(self, claim: Claim) -> str:
        """What a printed spread is."""
        said = [one["spread"] for one in self.instead if "spread" in one and self.concerns(claim)]
        return str(said[0] if said else claim.says("spread", "sd"))

    def open_on(self, dataset: str | None) -> list[Mapping[str, Any]]:
        """What of it is not kept to other data sets."""
        return [one for one in self.instead if dataset in one.get("datasets", [dataset])]

    def _instead(self, dataset: str | None) -> dict[str, Any]:
        if dataset not in self._on:
            self._on[dataset] = reduce(joined, self.open_on(dataset), {})
        return self._on[dataset]

    def reads(self, query: Mapping[str, Any]) -> dict[str, Any]:
        """A query with what stands in the place of its names."""
        found = dict(query)
        instead = self._instead(found.get("dataset"))
        for key in ("dataset", "method", "metric"):
            if key in found:
                found[key] = instead.get(key, {}).get(found[key], found[key])
        if "change_from" in found:
            found["change_from"] = instead.get("dataset", {}).get(found["change_from"], found["change_from"])
        for method, setting in instead.get("where", {}).items():
            if found.get("method") in {method, instead.get("method", {}).get(method, method)}:
                found["where"] = setting | found.get("where", {})
        return found


class Asked:
    """Queries of claims and their samples, with one choice."""

    records: Records
    choice: Choice

    def sample(self, query: Mapping[str, Any], read_as: str | None = None) -> Sample:
        return self.records.sample(self.choice.reads(query), self.choice.rule, read_as)

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

    def by_chance(self, query: Mapping[str, Any]) -> Sample:
        """What a random method gives in the place of a sample."""
        read = self.choice.reads(query)
        if "method" not in read or "metric" not in read:
            raise Missing("nothing is measured")
        measure = self.records.measures.get(read["metric"])
        if measure is None or not {"tree", "partition", "test labels", "distance"} & set(measure.needs):
            raise Missing("the measure is not of the result")
        random = {*self.records.plan.get("blind", []), *measure.random}
        if query["method"] in random:
            raise Missing("a random method is praised")
        if self.choice.random not in {PERMUTED, *random}:
            raise Missing("the method is random in other measures alone")
        if self.choice.random == PERMUTED:
            return self.sample(query, f"{read['metric']}_permuted")
        asked = _without(query, "where", "selection") | {"method": self.choice.random}
        return self.records.sample(self.choice.reads(asked), self.choice.rule)

    @staticmethod
    def praised(relation: str, direction: str | None) -> str:
        if relation == "worse":
            return "than"
        if direction is None or relation in {"better", "no_worse", "same"}:
            return "left"
        higher = relation in {"higher", "never_below", "once_above"}
        return "left" if higher == (direction == "higher") else "than"

    def met(
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
        best = self.records.direction(self.choice.reads(queries[side][0])) == "higher"
        pick = max if best == ("best_of" in part) else min
        _, query, sample = pick(found, key=lambda entry: entry[0])
        return query, sample

    @staticmethod
    def beats_all(claim: Claim, sign: float, direction: str | None) -> bool:
        """Whether an order says that the left side is beyond each of several."""
        part, relation = claim.expects["than"], claim.expects["is"]
        several = part.get("best_of") or part.get("worst_of") or []
        highest = (direction == "higher") == ("best_of" in part)
        tested = relation not in {"same", "never_above", "never_below", "once_above", "once_below"}
        return len(several) > 1 and tested and highest == (sign > 0)

    def lacks(self, queries: list[dict[str, Any]]) -> bool:
        """Whether some of several have no records."""
        for query in queries:
            try:
                self.sample(query)
            except Missing:
                return True
        return False

    def only(
        self,
        claim: Claim,
        queries: dict[str, list[dict[str, Any]]],
        sign: float,
        direction: str | None,
        replaced: str,
    ) -> str:
        """The one verdict that stands where some of several methods have no records; empty where all have."""
        stands = set()
        for side in ("left", "than"):
            part = claim.expects[side]
            if not (part.get("best_of") or part.get("worst_of")) or side == replaced:
                continue
            if self.lacks(queries[side]):
                if claim.expects["is"] == "same":
                    return "none"
                rises = (direction == "higher") == ("best_of" in part)
                harder = rises == (sign > 0) if side == "than" else rises != (sign > 0)
                stands.add("contradicted" if harder else "reproduced")
        return "" if not stands else stands.pop() if len(stands) == 1 else "none"


def operand(measure: Mapping[str, Any], part: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The queries of an operand; none for a constant."""
    if "value" in part:
        return []
    query = {**measure, **_without(part, "best_of", "worst_of")}
    several = part.get("best_of") or part.get("worst_of")
    return [{**query, "method": name} for name in several] if several else [query]


def _without(part: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key not in keys}
