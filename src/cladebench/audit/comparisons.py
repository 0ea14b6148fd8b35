"""Claims that compare measurements with each other: orders, rankings, ratios and trends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cladebench.audit.claim_types import Claim, ClaimSet
from cladebench.audit.judgement import Judgement, Waiting
from cladebench.audit.random_methods import praised_side
from cladebench.audit.ranking import Concordance, concordance, judge_ranking
from cladebench.audit.reading import (
    NO_RANDOM_METHOD,
    Pair,
    Reader,
    despite_missing,
    label_of,
    methods_of,
    of_metric,
    seeks_highest,
    with_notes,
)
from cladebench.audit.verdict_rules import (
    Comparison,
    against_each,
    claimed_range,
    compare,
    hardest,
    judge_bound,
    judge_order,
    judge_ratio,
    judge_same,
)
from cladebench.audit.verdict_types import NOT_TESTABLE, Outcome, Rules, not_testable
from cladebench.bench.samples import Sample, nothing, overlap_of_pairs
from cladebench.notation import as_given, significant

_IS_SYMBOL = {"higher": ">", "lower": "<", "same": "about", "never_above": "<=", "never_below": ">="}


def order(claim: Claim, reader: Reader, rules: Rules) -> Judgement | Waiting:
    """Judge one side against the other, task by task.

    A random method stands on the praised side.
    """
    expects = claim.expects
    relation, direction = expects["is"], claim.measure.get("direction")
    higher = _says_higher(relation, direction)
    sign = 1.0 if higher else -1.0
    margin = float(expects.get("margin", 0.0)) - float(expects.get("by", 0.0))
    bound = relation in ("never_above", "never_below")
    # Above the best of several is above each of them, and each is tested; below it is below one: the best by its mean.
    each = (
        not bound
        and relation != "same"
        and len(methods_of(expects["than"])) > 1
        and seeks_highest(expects["than"], claim) == higher
    )
    pairs = reader.pairs(expects["left"], expects["than"], claim, praised_side(relation, direction), each)
    faulty = next((found for found in pairs if found.problem), None)
    if faulty:
        said = _said(claim, faulty, higher, margin)
        return Judgement(not_testable(faulty.problem), faulty.samples, said)
    if bound:
        return _bound(claim, pairs[0], sign, _said(claim, pairs[0], higher, margin))
    comparisons = [
        compare(
            found.left,
            found.right,
            sign=sign,
            margin=0.0 if relation == "same" else margin,
            tie=float(expects.get("tie", 0.0)),
            point=all(s.point for s in found.samples),
            label=label_of(found.names, found.left, found.right)
            + (f", margin {as_given(margin)}" if relation == "no_worse" and margin else "")
            + (f", by more than {as_given(-margin)}" if margin < 0 else ""),
            or_equal=relation == "no_worse",
            overlap=overlap_of_pairs(found.samples),
        )
        for found in pairs
    ]
    met = hardest(comparisons)
    samples, comparison = pairs[met].samples, comparisons[met]
    judgement = Judgement(not_testable(""), samples, _said(claim, pairs[met], higher, margin))
    if relation == "same":
        outcome = judge_same(comparison, margin, rules)
        if any(sample.drift for sample in samples):
            reason = f"methods are missing: {outcome.reason}"
            outcome = replace(outcome, verdict=NOT_TESTABLE, reason=reason)
        return replace(judgement, outcome=with_notes(outcome, samples))
    decides = against_each(replace(comparison, best=_best_other(pairs, met, higher)), len(comparisons))
    return _waiting(decides, judgement, rules, missing=True)


def _best_other(pairs: Sequence[Pair], met: int, higher: bool) -> str:
    """Name the one of several with the best mean.

    Empty where it is the one that decides.
    """
    best = (max if higher else min)(range(len(pairs)), key=lambda i: float(pairs[i].right.mean()))
    return "" if best == met else f"{pairs[best].names[1]} {significant(float(pairs[best].right.mean()))}"


def _says_higher(relation: str, direction: str | None) -> bool:
    if relation in ("better", "no_worse", "same"):
        return direction == "higher"
    return direction != "higher" if relation == "worse" else relation in ("higher", "never_below")


def _said(claim: Claim, found: Pair, higher: bool, margin: float) -> str:
    relation = claim.expects["is"]
    symbol = _IS_SYMBOL.get(relation, ">" if higher else "<")
    shift = "±" if relation == "same" else "-" if higher == (margin > 0) else "+"
    allowance = f" {shift} {as_given(abs(margin))}" if margin else ""
    return f"{found.names[0]} {symbol} {found.names[1] or 'the others'}{allowance}{of_metric(claim)}"


def _bound(claim: Claim, found: Pair, sign: float, said: str) -> Judgement:
    outcome = judge_bound(
        found.left,
        found.right,
        sign=sign,
        label=label_of(found.names, found.left, found.right),
        point=all(s.point for s in found.samples),
    )
    outcome = despite_missing(outcome, found.samples, sign)
    return Judgement(with_notes(outcome, found.samples), found.samples, said)


def _waiting(comparison: Comparison, judgement: Judgement, rules: Rules, *, missing: bool) -> Waiting:
    """A paired test that waits for its family."""

    def outcome_at(p_adjusted: float, tests: int) -> Outcome:
        outcome = judge_order(comparison, p_adjusted, rules, tests=tests)
        return despite_missing(outcome, judgement.samples, comparison.sign) if missing else outcome

    return comparison.p_value, outcome_at, judgement


def ranking(claim: Claim, claims: ClaimSet, reader: Reader) -> Waiting | Judgement:
    """Judge whether a column orders the methods as it is printed.

    Its family are the columns of the table.
    """
    printed, measured, samples, missing = [], [], [], []
    for name in claims.matching(claim.expects["values"]):
        entry = claims.claims[name]
        if entry.kind != "value" or entry.published is None or not entry.measure.get("method"):
            continue
        sample = reader.sample(entry.measure) if reader.random is None else _permuted(entry.measure, reader)
        if sample.problem:
            missing.append(str(entry.measure["method"]))
            continue
        samples.append(sample)
        printed.append(entry.published.value)
        measured.append(float(sample.values.mean()))
    found: Concordance = concordance(printed, measured)
    said = "the methods in the printed order"
    judgement = Judgement(judge_ranking(found, 1.0, claims.rules, missing), tuple(samples), said)
    if judgement.outcome.verdict == NOT_TESTABLE:
        return judgement

    def outcome_at(p_adjusted: float, tests: int) -> Outcome:
        return judge_ranking(found, p_adjusted, claims.rules, missing, tests=tests)

    return found.p_value, outcome_at, judgement


def _permuted(query: Mapping[str, Any], reader: Reader) -> Sample:
    """Read a ranking's entry with the rows of its result permuted.

    Random methods of the plan have no place in it.
    """
    return (
        nothing(NO_RANDOM_METHOD)
        if reader.random is None or reader.random.method
        else reader.of_random(query)
    )


def ratio(claim: Claim, reader: Reader, rules: Rules) -> Judgement:
    """One side over the other, task by task, against a claimed range."""
    expects = claim.expects
    found = reader.pair(expects["of"], expects["to"], claim)
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
        rules,
        at_least=low,
        at_most=high,
        point=all(s.point for s in samples),
        label=label_of(names, left, right),
        overlap=overlap_of_pairs(samples),
    )
    for sign in [1.0] * (low is not None) + [-1.0] * (high is not None):
        outcome = despite_missing(outcome, samples, sign)
    return Judgement(with_notes(outcome, samples), samples, said)


def trend(claim: Claim, reader: Reader, rules: Rules) -> Judgement | Waiting:
    """Judge one least-squares slope a task against the claimed bound."""
    expects = claim.expects
    points = expects["points"]
    samples = tuple(reader.sample({**claim.measure, **point}) for point in points)
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
        # Rounding of flat values gives slopes, too.
        scale=max(abs(float(bound)), float(np.abs(y).mean() * np.abs(centred).sum() / (centred @ centred))),
        point=all(s.point for s in samples),
        or_equal=True,
        overlap=overlap_of_pairs(samples),
        label=f"slope {significant(slopes.mean())} against {as_given(bound)}",
    )
    return _waiting(comparison, Judgement(not_testable(""), samples, said), rules, missing=False)
