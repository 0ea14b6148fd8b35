"""Trends: does a measure rise or fall with a number as claimed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from cladebench.audit.claim_types import Claim
from cladebench.audit.judgement import Judgement, Waiting
from cladebench.audit.kinds.base import Grounds, Kind
from cladebench.audit.rules.paired_differences import compare, judge_order
from cladebench.audit.verdict.verdict_types import Outcome, not_testable
from cladebench.bench.samples.samples import overlap_of_pairs
from cladebench.notation import as_given, significant


class Trend(Kind):
    """One least-squares slope a task against the claimed bound."""

    name = "trend"
    detects = True
    family = corrected = True
    form: ClassVar[Mapping[str, Any]] = {
        "properties": {
            "expects": {
                "type": "object",
                "additionalProperties": False,
                "required": ["points", "slope"],
                "properties": {
                    "points": {
                        "type": "array",
                        "minItems": 2,
                        "uniqueItems": True,
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["x"],
                            "properties": {
                                "x": {"type": "number"},
                                "dataset": {"type": "string"},
                                "method": {"type": "string"},
                                "metric": {"type": "string"},
                                "where": {"type": "object"},
                            },
                        },
                    },
                    "log": {"type": "array", "uniqueItems": True, "items": {"enum": ["x", "y"]}},
                    "slope": {
                        "type": "object",
                        "additionalProperties": False,
                        "minProperties": 1,
                        "maxProperties": 1,
                        "properties": {"at_least": {"type": "number"}, "at_most": {"type": "number"}},
                    },
                },
            }
        }
    }

    def queries(self, claim: Claim) -> Iterator[Mapping[str, Any]]:
        """List the queries of the points."""
        for point in claim.expects.get("points", ()):
            yield {**claim.measure, **point}

    def judge(self, claim: Claim, by: Grounds) -> Judgement | Waiting:
        """Judge the slopes of all tasks together."""
        expects = claim.expects
        points = expects["points"]
        samples = tuple(by.reader.sample({**claim.measure, **point}) for point in points)
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
            scale=max(
                abs(float(bound)), float(np.abs(y).mean() * np.abs(centred).sum() / (centred @ centred))
            ),
            point=all(s.point for s in samples),
            or_equal=True,
            overlap=overlap_of_pairs(samples),
            label=f"slope {significant(slopes.mean())} against {as_given(bound)}",
        )

        def outcome_at(p_adjusted: float, tests: int) -> Outcome:
            return judge_order(comparison, p_adjusted, by.claims.rules, tests=tests)

        return comparison.p_value, outcome_at, Judgement(not_testable(""), samples, said)
