"""Judging a paper's claims against the records of a run."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from cladebench.audit.arithmetic import Facts, judge_arithmetic
from cladebench.audit.claim_types import Claim, ClaimSet
from cladebench.audit.statistics import holm
from cladebench.audit.verdict_rules import (
    Comparison,
    claimed_range,
    combine,
    compare,
    judge_bound,
    judge_order,
    judge_ratio,
    judge_value,
)
from cladebench.audit.verdict_types import (
    CONTRADICTED,
    NOT_TESTABLE,
    REPRODUCED,
    Outcome,
    Rules,
    not_testable,
)
from cladebench.bench.results import Results
from cladebench.bench.samples import Sample, constant, pair
from cladebench.notation import as_given, significant

_IS_SYMBOL = {"higher": ">", "lower": "<", "never_above": "<=", "never_below": ">="}


@dataclass(frozen=True)
class Judgement:
    """A claim's outcome under one rule, with what it was read from.

    Attributes
    ----------
    outcome : Outcome
    samples : tuple of Sample
    published : str
        The printed number, or what an order says.
    parts : tuple of (str, str)
        Id and verdict of each part of a sentence.
    """

    outcome: Outcome
    samples: tuple[Sample, ...] = ()
    published: str = ""
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def final(self) -> Outcome:
        """The outcome as it is reported: on data that are not the paper's own, an analogue."""
        return self.outcome.on_stand_in() if self.stand_in_for else self.outcome

    @property
    def stand_in_for(self) -> tuple[str, ...]:
        """What the data behind it stand in for; empty when all are the paper's own."""
        return tuple(sorted({s.stand_in_for for s in self.samples if s.stand_in_for}))


@dataclass
class Evaluation:
    """Judges every claim of a paper under one rule of selection.

    Parameters
    ----------
    claims : ClaimSet
    records : Results
    certificates : DataFrame or None
        As `cladebench.crosscheck.certificate.read_certificates` gives it.
    facts : callable
        See `judge_arithmetic`.
    rule : str
    """

    claims: ClaimSet
    records: Results
    certificates: pd.DataFrame | None
    facts: Facts
    rule: str
    _done: dict[str, Judgement] = field(default_factory=dict)

    def run(self) -> dict[str, Judgement]:
        """Judge all claims; the orders and trends of a family are corrected together."""
        waiting: dict[str, tuple[Comparison, Judgement]] = {}
        for claim in self.claims.claims.values():
            if claim.not_testable and claim.kind == "value":
                self._done[claim.id] = self._untestable_value(claim)
            elif claim.not_testable:
                self._done[claim.id] = Judgement(not_testable(claim.not_testable))
            elif claim.kind == "value":
                self._done[claim.id] = self._value(claim)
            elif claim.kind == "ratio":
                self._done[claim.id] = self._ratio(claim)
            elif claim.kind == "arithmetic":
                self._done[claim.id] = Judgement(judge_arithmetic(claim, self.claims, self.facts))
            elif claim.kind in ("order", "trend"):
                result = self._order(claim) if claim.kind == "order" else self._trend(claim)
                if isinstance(result, Judgement):
                    self._done[claim.id] = result
                else:
                    waiting[claim.id] = result
        self._correct(waiting)
        self._adjust_values()
        for claim in self.claims.claims.values():
            self._sentence(claim)
        return {name: self._done[name] for name in self.claims.claims}

    @property
    def _rules(self) -> Rules:
        return self.claims.rules

    def _correct(self, waiting: Mapping[str, tuple[Comparison, Judgement]]) -> None:
        families: dict[str, list[str]] = {}
        for name in waiting:
            families.setdefault(self.claims.claims[name].family, []).append(name)
        for members in families.values():
            adjusted = holm([waiting[name][0].gap.p_value() for name in members])
            for name, p in zip(members, adjusted, strict=True):
                comparison, judgement = waiting[name]
                metric = self.claims.claims[name].measure.get("metric")
                # The scale of a slope is its own: the share that a metric states for its values does not apply.
                metric = None if self.claims.claims[name].kind == "trend" else metric
                outcome = judge_order(comparison, p, self._rules, metric, tests=len(members))
                if self.claims.claims[name].kind == "order":
                    outcome = _despite_missing(outcome, judgement.samples, comparison.sign)
                self._done[name] = replace(judgement, outcome=_with_notes(outcome, judgement.samples))

    def _adjust_values(self) -> None:
        """Correct the p-values of printed numbers over their table; shown, but no verdict uses them."""
        families: dict[str, list[str]] = {}
        for claim in self.claims.claims.values():
            if claim.kind == "value" and self._done[claim.id].outcome.p_value is not None:
                families.setdefault(claim.family, []).append(claim.id)
        for members in families.values():
            adjusted = holm([float(self._done[name].outcome.p_value or 0.0) for name in members])
            for name, p in zip(members, adjusted, strict=True):
                judgement = self._done[name]
                self._done[name] = replace(judgement, outcome=replace(judgement.outcome, p_adjusted=p))

    def _value(self, claim: Claim) -> Judgement:
        assert claim.published is not None
        sample = self.records.sample(claim.measure, self.rule)
        if sample.problem:
            return Judgement(not_testable(sample.problem), (sample,))
        outcome = judge_value(
            sample.values.to_numpy() * float(claim.measure.get("scale", 1.0)),
            claim.published,
            self._rules,
            metric=claim.measure["metric"],
            point=sample.point,
            n_published=claim.repetitions,
            published_sd=claim.published_sd,
            one_draw=claim.one_draw,
            tolerance=claim.allowance,
            overlap=sample.overlap,
        )
        return Judgement(_with_notes(outcome, (sample,)), (sample,))

    def _untestable_value(self, claim: Claim) -> Judgement:
        """What is measured in a printed number's stead is shown, although it cannot speak for or against the number."""
        if not all(claim.measure.get(key) for key in ("dataset", "method", "metric")):
            return Judgement(not_testable(claim.not_testable))
        judgement = self._value(claim)
        if judgement.outcome.verdict == NOT_TESTABLE:
            return Judgement(not_testable(claim.not_testable), judgement.samples)
        reason = f"{claim.not_testable}: {judgement.outcome.reason}"
        return replace(judgement, outcome=replace(judgement.outcome, verdict=NOT_TESTABLE, reason=reason))

    def _operand(self, operand: Mapping[str, Any], claim: Claim) -> tuple[Sample, str]:
        """Sample of an operand and its name; of several methods the one with the best (or worst) mean."""
        if "value" in operand:
            return constant(float(operand["value"])), f"{as_given(operand['value'])}"
        query = {**claim.measure, **operand}
        several = operand.get("best_of") or operand.get("worst_of")
        if not several:
            return self.records.sample(query, self.rule), str(query["method"])
        samples = {method: self.records.sample({**query, "method": method}, self.rule) for method in several}
        usable = {method: s for method, s in samples.items() if not s.problem}
        if not usable:
            return Sample(pd.Series(dtype=float), problem="; ".join(s.problem for s in samples.values())), ""
        sign = 1.0 if (claim.measure["direction"] == "higher") == ("best_of" in operand) else -1.0
        chosen = max(usable, key=lambda method: sign * usable[method].values.mean())
        left_out = tuple(f"left out: {s.problem}" for s in samples.values() if s.problem)
        picked = usable[chosen]
        drift = int(sign) if left_out else 0
        return replace(picked, notes=(*picked.notes, *left_out), drift=drift), chosen

    def _pair(
        self, first: Mapping[str, Any], second: Mapping[str, Any], claim: Claim
    ) -> tuple[Judgement | None, tuple[Sample, Sample], tuple[np.ndarray, np.ndarray], tuple[str, str]]:
        """Samples, paired values and names of two operands; a judgement when there is nothing to pair."""
        left, left_method = self._operand(first, claim)
        left_name = _named(left_method, first)
        shared = claim.expects.get("same_setting", ())
        if shared and left.setting:
            setting = json.loads(left.setting)
            where = dict(second.get("where", {})) | {key: setting[key] for key in shared if key in setting}
            right, right_method = self._operand({**second, "where": where}, claim)
        else:
            right, right_method = self._operand(second, claim)
        right_name = _named(right_method, second)
        samples, names = (left, right), (left_name, right_name)
        nothing = (np.empty(0), np.empty(0))
        problems = list(dict.fromkeys(s.problem for s in samples if s.problem))
        if problems:
            return Judgement(not_testable("; ".join(problems)), samples), samples, nothing, names
        values = pair(left, right)
        if not values[0].size:
            reason = f"{left_name} and {right_name} share no task"
            return Judgement(not_testable(reason), samples), samples, nothing, names
        return None, samples, values, names

    def _order(self, claim: Claim) -> Judgement | tuple[Comparison, Judgement]:
        expects = claim.expects
        problem, samples, (left, right), names = self._pair(expects["left"], expects["than"], claim)
        higher_is_better = claim.measure.get("direction") == "higher"
        relation = expects["is"]
        if relation in ("better", "no_worse"):
            higher = higher_is_better
        elif relation == "worse":
            higher = not higher_is_better
        else:
            higher = relation in ("higher", "never_below")
        margin = float(expects.get("margin", 0.0))
        symbol = _IS_SYMBOL.get(relation, ">" if higher else "<")
        allowance = f" {'-' if higher else '+'} {as_given(margin)}" if margin else ""
        said = f"{names[0]} {symbol} {names[1] or 'the others'}{allowance}{_of_metric(claim)}"
        if problem is not None:
            return replace(problem, published=said)
        sign = 1.0 if higher else -1.0
        label = _label(names, left, right)
        if relation in ("never_above", "never_below"):
            outcome = judge_bound(left, right, sign=sign, label=label, point=all(s.point for s in samples))
            outcome = _despite_missing(outcome, samples, sign)
            return Judgement(_with_notes(outcome, samples), samples, said)
        comparison = compare(
            left,
            right,
            sign=sign,
            margin=margin,
            tie=float(expects.get("tie", 0.0)),
            point=all(s.point for s in samples),
            label=label,
            or_equal=relation == "no_worse",
            overlap=_overlap(samples),
        )
        return comparison, Judgement(not_testable(""), samples, said)

    def _ratio(self, claim: Claim) -> Judgement:
        expects = claim.expects
        problem, samples, (left, right), names = self._pair(expects["of"], expects["to"], claim)
        low, high = expects.get("at_least"), expects.get("at_most")
        said = f"{names[0]} / {names[1]} {claimed_range(low, high)}{_of_metric(claim)}"
        if problem is not None:
            return replace(problem, published=said)
        if min(left.min(), right.min()) <= 0:
            return Judgement(not_testable("a ratio needs positive measurements"), samples, said)
        outcome = judge_ratio(
            left,
            right,
            self._rules,
            at_least=low,
            at_most=high,
            point=all(s.point for s in samples),
            label=_label(names, left, right),
            overlap=_overlap(samples),
        )
        for sign in [1.0] * (low is not None) + [-1.0] * (high is not None):
            outcome = _despite_missing(outcome, samples, sign)
        return Judgement(_with_notes(outcome, samples), samples, said)

    def _trend(self, claim: Claim) -> Judgement | tuple[Comparison, Judgement]:
        """One least-squares slope a task; the sample of slopes is held against the claimed bound."""
        expects = claim.expects
        points = expects["points"]
        samples = tuple(self.records.sample({**claim.measure, **point}, self.rule) for point in points)
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
            overlap=_overlap(samples),
            label=f"slope {significant(slopes.mean())} against {as_given(bound)}",
        )
        return comparison, Judgement(not_testable(""), samples, said)

    def _sentence(self, claim: Claim) -> Judgement:
        if claim.id in self._done:
            return self._done[claim.id]
        if "certificates" in claim.expects:
            judgement = Judgement(self._certificates(claim.expects["certificates"]))
        else:
            samples: list[Sample] = []
            parts: list[tuple[str, str]] = []
            outcome = self._combined(claim.expects, samples, parts)
            judgement = Judgement(
                outcome,
                tuple({id(sample): sample for sample in samples}.values()),
                parts=tuple(dict.fromkeys(parts)),
            )
        self._done[claim.id] = judgement
        return judgement

    def _combined(
        self, expects: Mapping[str, Any], samples: list[Sample], parts: list[tuple[str, str]]
    ) -> Outcome:
        outcomes: list[Outcome] = []
        for part in expects.get("all_of") or expects.get("any_of") or expects["of"]:
            if isinstance(part, Mapping):
                outcomes.append(self._combined(part, samples, parts))
                continue
            for name in self.claims.matching(part):
                judgement = self._sentence(self.claims.claims[name])
                outcomes.append(judgement.outcome)
                samples.extend(judgement.samples)
                parts.append((name, judgement.final.verdict))
        needed = (
            len(outcomes) if "all_of" in expects else 1 if "any_of" in expects else int(expects["at_least"])
        )
        return combine(outcomes, needed)

    def _certificates(self, expects: Mapping[str, Any]) -> Outcome:
        """Judge by the cross-checks of a topic: all must have passed."""
        topic, needed = expects["topic"], int(expects.get("at_least", 1))
        if self.certificates is None:
            return not_testable("this run has no certificates")
        rows = self.certificates[self.certificates["topic"] == topic]
        if "id" in expects:
            rows = rows[[fnmatch.fnmatchcase(str(name), expects["id"]) for name in rows["id"]]]
        if len(rows) < needed:
            return not_testable(f"{len(rows)} certificates of topic {topic!r}, {needed} needed")
        failed = rows.loc[~rows["passed"].astype(bool), "id"]
        if len(failed):
            reason = (
                f"{len(failed)} of {len(rows)} certificates of topic {topic!r} failed, first {failed.iloc[0]}"
            )
            return Outcome(CONTRADICTED, reason, n=len(rows))
        return Outcome(
            REPRODUCED, f"all {len(rows)} certificates of topic {topic!r} passed", n=len(rows), supported=True
        )


def _overlap(samples: Iterable[Sample]) -> float:
    """Largest overlap of training rows among what is compared."""
    return max((sample.overlap for sample in samples), default=0.0)


def _named(method: str, operand: Mapping[str, Any]) -> str:
    """The method of an operand with what sets it apart from another of the same method."""
    own = [str(operand[key]) for key in ("dataset", "metric") if key in operand]
    parts = {**operand.get("at", {}), **operand.get("where", {})}
    own += [f"{key} = {value}" for key, value in parts.items()]
    return f"{method} ({', '.join(own)})" if method and own and "value" not in operand else method


def _of_metric(claim: Claim) -> str:
    """The metric that both sides share; operands with metrics of their own name them."""
    metric = claim.measure.get("metric")
    return f" in {metric}" if metric else ""


def _despite_missing(outcome: Outcome, samples: tuple[Sample, ...], sign: float) -> Outcome:
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
        reason=f"methods that are missing could speak {how}; without them {outcome.verdict}: {outcome.reason}",
        supported=False,
    )


def _label(names: tuple[str, str], left: np.ndarray, right: np.ndarray) -> str:
    """Both operands with their means, a constant once."""
    means = (float(left.mean()), float(right.mean()))
    told = [n if n == as_given(m) else f"{n} {significant(m)}" for n, m in zip(names, means, strict=True)]
    return ", ".join(told)


def _with_notes(outcome: Outcome, samples: tuple[Sample, ...]) -> Outcome:
    notes = list(dict.fromkeys(note for s in samples for note in s.notes))
    return replace(outcome, reason="; ".join([outcome.reason, *notes])) if notes else outcome
