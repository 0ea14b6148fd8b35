"""Judging a paper's claims against the records of a run, in one universe and under one rule of selection."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from cladebench.audit.arithmetic import Facts, judge_arithmetic
from cladebench.audit.claim_types import Claim, ClaimSet
from cladebench.audit.possible import judge_possible
from cladebench.audit.ranking import Concordance, concordance, judge_ranking
from cladebench.audit.reading import (
    NO_RIVAL,
    Reader,
    despite_missing,
    label_of,
    of_metric,
    overlap,
    with_notes,
)
from cladebench.audit.rivals import praised_side
from cladebench.audit.sentences import combine, judge_certificates
from cladebench.audit.statistics import holm
from cladebench.audit.verdict_rules import (
    Comparison,
    claimed_range,
    compare,
    judge_bound,
    judge_order,
    judge_ratio,
    judge_same,
    judge_value,
)
from cladebench.audit.verdict_types import (
    INCONSISTENT,
    NOT_TESTABLE,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.bench.samples import Sample, nothing
from cladebench.notation import as_given, significant

_IS_SYMBOL = {
    "higher": ">",
    "lower": "<",
    "same": "about",
    "never_above": "<=",
    "never_below": ">=",
}


@dataclass(frozen=True)
class Judgement:
    """A claim's outcome, with what it was read from.

    Attributes
    ----------
    outcome : Outcome
    samples : tuple of Sample
    published : str
        The printed number, or what an order says.
    parts : tuple of str
        Ids of the parts of a sentence.
    """

    outcome: Outcome
    samples: tuple[Sample, ...] = ()
    published: str = ""
    parts: tuple[str, ...] = ()

    @property
    def final(self) -> Outcome:
        """The outcome as it is reported: on data that are not the paper's own, an analogue."""
        return self.outcome.on_stand_in() if self.stand_in_for else self.outcome

    @property
    def stand_in_for(self) -> tuple[str, ...]:
        """What the data behind it stand in for; empty when all are the paper's own."""
        return tuple(sorted({s.stand_in_for for s in self.samples if s.stand_in_for}))


#: Claims of a family wait for each other: an outcome once its corrected p-value is known.
_Waiting = tuple[float, Callable[[float, int], Outcome], Judgement]


@dataclass
class Evaluation:
    """Judges claims of a paper.

    Parameters
    ----------
    claims : ClaimSet
    reader : Reader
        With a rival, claims that praise nothing are not testable.
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

    def run(
        self, known: Mapping[str, Judgement] | None = None, again: Collection[str] = ()
    ) -> dict[str, Judgement]:
        """Judge all claims; what is tested together is corrected together.

        Parameters
        ----------
        known : mapping of str to Judgement, optional
            Judgements that stand unless their claim is among `again`.
        again : collection of str
        """
        self._done = {name: known[name] for name in self.claims.claims if name not in again} if known else {}
        waiting: dict[str, _Waiting] = {}
        for claim in self.claims.claims.values():
            if claim.id in self._done:
                continue
            self.reader.now = claim.id
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

    def _judge(self, claim: Claim) -> Judgement | _Waiting:
        if claim.inconsistent or claim.not_testable:
            return self._set_aside(claim)
        if claim.kind == "value":
            return self._value(claim)
        if claim.kind == "order":
            return self._order(claim)
        if claim.kind == "ranking":
            return self._ranking(claim)
        if self.reader.rival is not None:
            return Judgement(not_testable(NO_RIVAL))
        if claim.kind == "trend":
            return self._trend(claim)
        if claim.kind == "ratio":
            return self._ratio(claim)
        if claim.kind == "possible":
            return Judgement(judge_possible(claim, self.facts))
        return Judgement(judge_arithmetic(claim, self.claims, self.facts))

    @property
    def _rules(self) -> Rules:
        return self.claims.rules

    def _correct(self, waiting: Mapping[str, _Waiting]) -> None:
        families: dict[str, list[str]] = {}
        for name in waiting:
            families.setdefault(self.claims.claims[name].family, []).append(name)
        for members in families.values():
            adjusted = holm([waiting[name][0] for name in members])
            for name, p in zip(members, adjusted, strict=True):
                _, outcome_at, judgement = waiting[name]
                outcome = with_notes(outcome_at(p, len(members)), judgement.samples)
                self._done[name] = replace(judgement, outcome=outcome)

    def _set_aside(self, claim: Claim) -> Judgement:
        """What is measured where a claim is not to be judged by it is shown all the same."""
        verdict, why = (
            (INCONSISTENT, claim.inconsistent) if claim.inconsistent else (NOT_TESTABLE, claim.not_testable)
        )
        if self.reader.rival is not None:
            return Judgement(not_testable(NO_RIVAL))
        query = claim.measure
        if claim.kind != "value" or not all(query.get(key) for key in ("dataset", "method", "metric")):
            return Judgement(Outcome(verdict, why))
        judgement = self._value(claim)
        if judgement.outcome.measured is None:
            return Judgement(Outcome(verdict, why), judgement.samples)
        reason = f"{why}: {judgement.outcome.reason}"
        return replace(judgement, outcome=replace(judgement.outcome, verdict=verdict, reason=reason))

    def _adjust_values(self) -> None:
        """Correct the p-values of printed numbers over their table; shown, but no verdict uses them."""
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
            if self.reader.rival is None
            else self.reader.rivals(claim.measure)
        )
        if sample.problem:
            return Judgement(not_testable(sample.problem), (sample,))
        outcome = self.value_outcome(claim, sample)
        if sample.stand_in_for and outcome.measured is not None:
            reason = f"printed for other data: shown, not judged; measured {significant(outcome.measured)}"
            numbers = {key: None for key in ("difference", "detectable", "p_value")}
            outcome = replace(outcome, verdict=NOT_TESTABLE, reason=reason, **numbers)
        return Judgement(with_notes(outcome, (sample,)), (sample,))

    def value_outcome(self, claim: Claim, sample: Sample) -> Outcome:
        """Hold a sample against a claim's printed number."""
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
            tolerance=claim.allowance,
            overlap=sample.overlap,
        )

    def _order(self, claim: Claim) -> Judgement | _Waiting:
        expects = claim.expects
        relation = expects["is"]
        direction = claim.measure.get("direction")
        praised = praised_side(relation, direction)
        if self.reader.rival is not None and praised is None:
            return Judgement(not_testable(NO_RIVAL))
        found = self.reader.pair(expects["left"], expects["than"], claim, praised)
        samples, names, left, right = found.samples, found.names, found.left, found.right
        if relation in ("better", "no_worse", "same"):
            higher = direction == "higher"
        elif relation == "worse":
            higher = direction != "higher"
        else:
            higher = relation in ("higher", "never_below")
        margin = float(expects.get("margin", 0.0))
        symbol = _IS_SYMBOL.get(relation, ">" if higher else "<")
        shift = "±" if relation == "same" else "-" if higher else "+"
        allowance = f" {shift} {as_given(margin)}" if margin else ""
        said = f"{names[0]} {symbol} {names[1] or 'the others'}{allowance}{of_metric(claim)}"
        if found.problem:
            return Judgement(not_testable(found.problem), samples, said)
        sign = 1.0 if higher else -1.0
        label = label_of(names, left, right)
        exact = all(s.point for s in samples)
        if relation in ("never_above", "never_below"):
            outcome = judge_bound(left, right, sign=sign, label=label, point=exact)
            outcome = despite_missing(outcome, samples, sign)
            return Judgement(with_notes(outcome, samples), samples, said)
        comparison = compare(
            left,
            right,
            sign=sign,
            margin=0.0 if relation == "same" else margin,
            tie=float(expects.get("tie", 0.0)),
            point=exact,
            label=label,
            or_equal=relation == "no_worse",
            overlap=overlap(samples),
        )
        judgement = Judgement(not_testable(""), samples, said)
        if relation == "same":
            outcome = judge_same(comparison, margin, self._rules)
            if any(sample.drift for sample in samples):
                reason = f"methods are missing: {outcome.reason}"
                outcome = replace(outcome, verdict=NOT_TESTABLE, reason=reason)
            return replace(judgement, outcome=with_notes(outcome, samples))
        return self._waiting(comparison, judgement, missing=True)

    def _waiting(self, comparison: Comparison, judgement: Judgement, *, missing: bool) -> _Waiting:
        """A paired test that waits for its family."""

        def outcome_at(p_adjusted: float, tests: int) -> Outcome:
            outcome = judge_order(comparison, p_adjusted, self._rules, tests=tests)
            return despite_missing(outcome, judgement.samples, comparison.sign) if missing else outcome

        return comparison.gap.p_value(), outcome_at, judgement

    def _ranking(self, claim: Claim) -> _Waiting | Judgement:
        """Whether a column orders the methods as it is printed; its family are the columns of the table."""
        printed, measured, samples, missing = [], [], [], []
        for name in self.claims.matching(claim.expects["values"]):
            entry = self.claims.claims[name]
            if entry.kind != "value" or entry.published is None or not entry.measure.get("method"):
                continue
            sample = (
                self.reader.sample(entry.measure)
                if self.reader.rival is None
                else self._permuted(entry.measure)
            )
            if sample.problem:
                missing.append(str(entry.measure["method"]))
                continue
            samples.append(sample)
            printed.append(entry.published.value)
            measured.append(float(sample.values.mean()))
        found: Concordance = concordance(printed, measured)
        said = "the methods in the printed order"
        judgement = Judgement(judge_ranking(found, 1.0, self._rules, missing), tuple(samples), said)
        if judgement.outcome.verdict == NOT_TESTABLE:
            return judgement
        return found.p_value, lambda p, _: judge_ranking(found, p, self._rules, missing), judgement

    def _permuted(self, query: Mapping[str, Any]) -> Sample:
        """The measured column of a ranking with the rows of every result permuted; methods have no place in it."""
        return (
            nothing(NO_RIVAL)
            if self.reader.rival is None or self.reader.rival.method
            else self.reader.rivals(query)
        )

    def _ratio(self, claim: Claim) -> Judgement:
        expects = claim.expects
        found = self.reader.pair(expects["of"], expects["to"], claim)
        samples, names, left, right = found.samples, found.names, found.left, found.right
        low, high = expects.get("at_least"), expects.get("at_most")
        said = f"{names[0]} / {names[1]} {claimed_range(low, high)}{of_metric(claim)}"
        if found.problem:
            return Judgement(not_testable(found.problem), samples, said)
        if min(left.min(), right.min()) <= 0:
            return Judgement(not_testable("a ratio needs positive measurements"), samples, said)
        outcome = judge_ratio(
            left,
            right,
            self._rules,
            at_least=low,
            at_most=high,
            point=all(s.point for s in samples),
            label=label_of(names, left, right),
            overlap=overlap(samples),
        )
        for sign in [1.0] * (low is not None) + [-1.0] * (high is not None):
            outcome = despite_missing(outcome, samples, sign)
        return Judgement(with_notes(outcome, samples), samples, said)

    def _trend(self, claim: Claim) -> Judgement | _Waiting:
        """One least-squares slope a task; the sample of slopes is held against the claimed bound."""
        expects = claim.expects
        points = expects["points"]
        samples = tuple(self.reader.sample({**claim.measure, **point}) for point in points)
        log = expects.get("log", ())
        scales = f" ({' and '.join(log)} logarithmic)" if log else ""
        (word, bound), *_ = expects["slope"].items()
        said = f"slope of {claim.measure.get('metric')}{scales} {word.replace('_', ' ')} {as_given(bound)}"
        problems = list(dict.fromkeys(s.problem for s in samples if s.problem))
        if problems:
            return Judgement(not_testable("; ".join(problems)), samples, said)
        frame = pd.DataFrame({i: s.values for i, s in enumerate(samples)}).dropna()
        x, y = np.array([float(p["x"]) for p in points]), frame.to_numpy()
        if not len(y):
            return Judgement(not_testable("the points share no task"), samples, said)
        for axis, values in (("x", x), ("y", y)):
            if axis in log and values.min() <= 0:
                return Judgement(not_testable(f"a logarithmic {axis} needs positive numbers"), samples, said)
        x, y = np.log(x) if "x" in log else x, np.log(y) if "y" in log else y
        centred = x - x.mean()
        if not centred.any():
            return Judgement(not_testable("the points have one x"), samples, said)
        slopes = y @ centred / (centred @ centred)
        comparison = compare(
            slopes,
            np.full(len(slopes), float(bound)),
            sign=1.0 if word == "at_least" else -1.0,
            scale=max(abs(float(slopes.mean())), abs(float(bound))),
            point=all(s.point for s in samples),
            or_equal=True,
            overlap=overlap(samples),
            label=f"slope {significant(slopes.mean())} against {as_given(bound)}",
        )
        return self._waiting(comparison, Judgement(not_testable(""), samples, said), missing=False)

    def _sentence(self, claim: Claim) -> Judgement:
        if claim.id in self._done:
            return self._done[claim.id]
        if "certificates" in claim.expects:
            certified = judge_certificates(claim.expects["certificates"], self.certificates)
            judgement = Judgement(certified if self.reader.rival is None else not_testable(NO_RIVAL))
        else:
            samples: list[Sample] = []
            parts: list[str] = []
            outcome = self._combined(claim.expects, samples, parts)
            judgement = Judgement(
                outcome,
                tuple({id(sample): sample for sample in samples}.values()),
                parts=tuple(dict.fromkeys(parts)),
            )
        self._done[claim.id] = judgement
        return judgement

    def _combined(self, expects: Mapping[str, Any], samples: list[Sample], parts: list[str]) -> Outcome:
        outcomes: list[Outcome] = []
        for part in expects.get("all_of") or expects.get("any_of") or expects["of"]:
            if isinstance(part, Mapping):
                outcomes.append(self._combined(part, samples, parts))
                continue
            for name in self.claims.matching(part):
                judgement = self._sentence(self.claims.claims[name])
                outcomes.append(judgement.outcome)
                samples.extend(judgement.samples)
                parts.append(name)
        needed = (
            len(outcomes) if "all_of" in expects else 1 if "any_of" in expects else int(expects["at_least"])
        )
        return combine(outcomes, needed)
