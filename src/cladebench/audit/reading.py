"""Read what a claim asks for: samples, operands and pairs.

Samples may be those of another choice, or of a random method in the praised place.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from cladebench.audit.claim_types import Claim
from cladebench.audit.other_choices import CHOSEN, Choice
from cladebench.audit.random_methods import RandomMethod, judges_the_result, random_for
from cladebench.audit.verdict.verdict_types import CONTRADICTED, NOT_TESTABLE, REPRODUCED, Outcome
from cladebench.bench.samples.results import Results
from cladebench.bench.samples.samples import ASKED, Sample, constant, nothing, pair
from cladebench.measures import MEASURES, Measure
from cladebench.notation import as_given, significant

#: Why a random method has no verdict.
NO_RANDOM_METHOD = "no random method can take this place"


@dataclass(frozen=True)
class Pair:
    """Two operands and what they share.

    Attributes
    ----------
    samples : tuple of Sample
    names : tuple of str
    left, right : ndarray of shape (n,)
        Values of the same tasks; empty where there is a problem.
    problem : str
        Why there is nothing to compare; empty where there is.
    """

    samples: tuple[Sample, Sample]
    names: tuple[str, str]
    left: np.ndarray
    right: np.ndarray
    problem: str = ""


@dataclass
class Reader:
    """Reads records for claims.

    Parameters
    ----------
    records : Results
    rule : str
        Of selection.
    choice : Choice
    random : RandomMethod, optional
        Replaces what each claim praises.
    blind : collection of str
        Methods that learn nothing from the data.
    measures : mapping of str to Measure

    Attributes
    ----------
    asked : dict of str to list of mapping
        What each claim (`now`) asked, as it stands in the file.
    """

    records: Results
    rule: str
    choice: Choice = CHOSEN
    random: RandomMethod | None = None
    blind: Collection[str] = ()
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEASURES)
    asked: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    now: Claim | None = None

    @property
    def _here(self) -> Choice:
        """Give the choice, where it is meant for this claim."""
        assert self.now is not None
        return self.choice.for_claim(self.now)

    def sample(self, query: Mapping[str, Any]) -> Sample:
        """What the records answer with this choice."""
        assert self.now is not None
        self.asked.setdefault(self.now.id, []).append(query)
        return self.records.sample(self._here.query(query), self._here.rule(self.rule))

    def of_random(self, query: Mapping[str, Any]) -> Sample:
        """Read the random method, or what another choice puts in its place."""
        assert self.random is not None
        asked = self._here.query(query)
        measure = self.measures.get(str(asked["metric"]))
        random = random_for(measure, self.blind)
        if query.get("method") in random or self.random.method not in ("", *random):
            return nothing(NO_RANDOM_METHOD)
        if not judges_the_result(measure):
            return nothing(NO_RANDOM_METHOD)
        if self.random.method:
            asked = self._here.query(self.random.instead_of(query))
        else:
            asked = self.random.instead_of(asked)
        return self.records.sample(asked, self._here.rule(self.rule))

    def _operands(self, operand: Mapping[str, Any], claim: Claim) -> list[tuple[Sample, str]]:
        """Read the samples of an operand with their names.

        One, or those of several methods that have records.
        """
        if "value" in operand:
            return [(constant(float(operand["value"])), f"{as_given(operand['value'])}")]
        query = {**claim.measure, **operand}
        several = methods_of(operand)
        if not several:
            return [(self.sample(query), str(query["method"]))]
        samples = {method: self.sample({**query, "method": method}) for method in several}
        if all(s.problem for s in samples.values()):
            return [(nothing("; ".join(s.problem for s in samples.values())), "")]
        left_out = tuple(f"left out: {s.problem}" for s in samples.values() if s.problem)
        if not left_out:
            return [(sample, method) for method, sample in samples.items()]
        drift = 1 if seeks_highest(operand, claim) else -1
        return [
            (replace(s, notes=(*s.notes, *left_out), drift=drift), method)
            for method, s in samples.items()
            if not s.problem
        ]

    def _operand(self, operand: Mapping[str, Any], claim: Claim) -> tuple[Sample, str]:
        """Read the operand's sample of the best (or worst) mean, and name."""
        operands = self._operands(operand, claim)
        if len(operands) == 1:
            return operands[0]
        pick = max if seeks_highest(operand, claim) else min
        return pick(operands, key=lambda one: float(one[0].values.mean()))

    def _in_place(self, sample: Sample, method: str, operand: Mapping[str, Any], claim: Claim) -> Sample:
        """Replace an operand that has been read by the random method."""
        if "value" in operand or sample.problem:
            return nothing(NO_RANDOM_METHOD)
        return self.of_random({**claim.measure, **operand, "method": method})

    def pair(
        self, first: Mapping[str, Any], second: Mapping[str, Any], claim: Claim, praised: int | None = None
    ) -> Pair:
        """Read two operands and pair their values by task.

        A random method stands in the praised place.
        """
        return self.pairs(first, second, claim, praised, each=False)[0]

    def pairs(
        self,
        first: Mapping[str, Any],
        second: Mapping[str, Any],
        claim: Claim,
        praised: int | None,
        each: bool,
    ) -> list[Pair]:
        """Read the first operand beside the second.

        With ``each``, the first operand meets every method of the second.
        """
        left, left_method = self._operand(first, claim)
        shared = claim.expects.get("same_setting", ())
        asked = second
        if shared and left.setting:
            setting = json.loads(left.setting)
            where = dict(second.get("where", {})) | {key: setting[key] for key in shared if key in setting}
            asked = {**second, "where": where}
        in_place = self.random is not None and praised != 0
        rights = self._operands(asked, claim) if each and not in_place else [self._operand(asked, claim)]
        # Two readings of one result: who takes its place has both.
        one_result = "value" not in second and [method for _, method in rights] == [left_method]
        one_result &= first.get("where") == asked.get("where")
        if self.random is not None and (praised == 0 or one_result):
            left = self._in_place(left, left_method, first, claim)
        if in_place or (self.random is not None and one_result):
            rights = [(self._in_place(sample, method, asked, claim), method) for sample, method in rights]
        name = _named(left_method, first)
        return [_paired((left, right), (name, _named(method, second))) for right, method in rights]


def operand_queries(claim: Claim, *sides: str) -> Iterator[Mapping[str, Any]]:
    """List the queries of the operands of a claim.

    Each is merged with what they share; a constant has none.
    """
    for side in sides:
        operand = claim.expects.get(side, {"value": 0})
        if "value" not in operand:
            query = {**claim.measure, **operand}
            for method in methods_of(operand) or [str(query.get("method", ""))]:
                yield {**query, "method": method}


def methods_of(operand: Mapping[str, Any]) -> list[str]:
    """The several methods of an operand; none where it has one."""
    return list(operand.get("best_of") or operand.get("worst_of") or ())


def seeks_highest(operand: Mapping[str, Any], claim: Claim) -> bool:
    """Say whether the best mean is meant, or the costs' worst."""
    return (claim.measure["direction"] == "higher") == ("best_of" in operand)


def _paired(samples: tuple[Sample, Sample], names: tuple[str, str]) -> Pair:
    problems = dict.fromkeys(s.problem for s in samples if s.problem)
    if problems:
        return Pair(samples, names, np.empty(0), np.empty(0), "; ".join(problems))
    values = pair(*samples)
    return Pair(samples, names, *values, "" if values[0].size else f"{names[0]} and {names[1]} share no task")


def _named(method: str, operand: Mapping[str, Any]) -> str:
    """Name an operand's method with what sets it apart."""
    words = [str(operand[key]) for key in ("dataset", "metric") if key in operand]
    parts = {**operand.get("at", {}), **operand.get("where", {})}
    words += [f"{key} = {value}" for key, value in parts.items()]
    return f"{method} ({', '.join(words)})" if method and words and "value" not in operand else method


def of_metric(claim: Claim) -> str:
    """Name the metric that both sides share.

    Operands with metrics of their own name them.
    """
    metric = claim.measure.get("metric")
    if start := claim.measure.get("change_from"):
        return f" in the change of {metric} from {start}"
    return f" in {metric}" if metric else ""


def despite_missing(outcome: Outcome, samples: tuple[Sample, ...], sign: float) -> Outcome:
    """Keep only the verdict that methods without records could not overturn.

    Parameters
    ----------
    sign : float
        +1 when the claim says that the first sample is higher, -1 when lower.
    """
    left, right = (sign * sample.drift for sample in samples)
    if (left < 0 or right > 0) and outcome.verdict != CONTRADICTED:
        how = "against it"
    elif (left > 0 or right < 0) and outcome.verdict != REPRODUCED:
        how = "for it"
    else:
        return outcome
    if outcome.verdict == NOT_TESTABLE:
        return outcome
    return replace(
        outcome,
        verdict=NOT_TESTABLE,
        reason=f"missing methods could speak {how}; without them {outcome.verdict}: {outcome.reason}",
    )


@lru_cache(maxsize=ASKED)
def means_of(left: Sample, right: Sample) -> tuple[float, float]:
    """Compute the means of two samples over the tasks that both met."""
    ours, theirs = pair(left, right)
    return float(ours.mean()), float(theirs.mean())


def label_of(names: tuple[str, str], means: tuple[float, float]) -> str:
    """Name both operands with their means, a constant once."""
    return " against ".join(
        n if n == as_given(m) else f"{n} {significant(m)}" for n, m in zip(names, means, strict=True)
    )


def with_notes(outcome: Outcome, samples: tuple[Sample, ...]) -> Outcome:
    """Add to the reason what a reader should know of the samples."""
    notes = list(dict.fromkeys(note for s in samples for note in s.notes))
    return replace(outcome, reason="; ".join([outcome.reason, *notes])) if notes else outcome
