"""Simulated papers before the real judge: the one file that knows the audit's interfaces.

A paper is its claims and the values that each method would have measured. They go through
`cladebench.audit.pipeline.one_choice.Evaluation`, which pairs, tests, corrects and combines as in an audit; only the
store of records is missing, in whose place `Draws` answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from cladebench.audit.claim_types import Claim, ClaimSet
from cladebench.audit.pipeline.one_choice import Evaluation
from cladebench.audit.reading import Reader
from cladebench.audit.verdict.verdict_types import Rules
from cladebench.bench.samples.samples import Sample
from cladebench.paper.printed import parse_printed

#: The thresholds of the audit.
RULES = Rules()

#: What a result says of a claim, in the order of the table's columns.
STANCES = ("supports", "undecided", "contradicts", "not testable")

Paper = tuple[Sequence[Claim], "Draws"]


@dataclass
class Draws:
    """What the methods of a simulated paper measured; stands where the results of a run stand.

    Attributes
    ----------
    values : mapping of str to ndarray of shape (n,)
        By method, the values of repetitions that all methods share.
    overlap : float
        Of the repetitions' training rows.
    """

    values: Mapping[str, np.ndarray]
    overlap: float = 0.0
    _samples: dict[str, Sample] = field(default_factory=dict)

    def sample(self, query: Mapping[str, Any], rule: str) -> Sample:
        """Answer a query, as `cladebench.bench.samples.results.Results` does."""
        method = query["method"]
        if method not in self._samples:
            self._samples[method] = Sample(pd.Series(self.values[method]), overlap=self.overlap)
        return self._samples[method]


def order(name: str, left: str, relation: str, right: str | dict[str, Any], **more: Any) -> Claim:
    """Claim that a method is better, no worse, the same, or never above; higher values are better."""
    family = more.pop("family", name)
    than = {"method": right} if isinstance(right, str) else right
    return _claim(
        name, "order", {"left": {"method": left}, "is": relation, "than": than, **more}, family=family
    )


def printed(name: str, method: str, text: str, runs: int, gap: float = 0.0) -> Claim:
    """Claim a printed number, the mean of so many runs, in which differences of `gap` matter."""
    return _claim(
        name,
        "value",
        {},
        method=method,
        published=parse_printed(text),
        repetitions=runs,
        gap={"absolute": gap} if gap else {},
    )


def ratio(name: str, of: str, to: str, **ends: float) -> Claim:
    """Claim that a ratio lies between `at_least` and `at_most`."""
    return _claim(name, "ratio", {"of": {"method": of}, "to": {"method": to}, **ends})


def trend(name: str, points: Mapping[float, str], at_least: float) -> Claim:
    """Claim a slope over points, of each of which a method of its own has the values."""
    found = [{"x": x, "method": method} for x, method in points.items()]
    return _claim(name, "trend", {"points": found, "slope": {"at_least": at_least}})


def ranking(name: str, values: str) -> Claim:
    """Claim that a printed column, whose claims match a pattern, orders the methods rightly."""
    return _claim(name, "ranking", {"values": values})


def sentence(name: str, **parts: Any) -> Claim:
    """Claim ``all_of`` or ``any_of`` other claims."""
    return _claim(name, "sentence", parts)


def stances(paper: Paper) -> dict[str, str]:
    """Judge a paper: what its results say of each claim, one of `STANCES`."""
    claims, draws = paper
    known = ClaimSet("simulated", {claim.id: claim for claim in claims}, RULES, frozenset(), ())
    reader = Reader(records=draws, rule="")  # type: ignore[arg-type]
    judged = Evaluation(known, reader, None, lambda dataset, fact: 0).run()
    return {name: str(judgement.outcome.stance) for name, judgement in judged.items()}


def _claim(
    name: str, kind: str, expects: Mapping[str, Any], *, method: str = "", family: str = "", **more: Any
) -> Claim:
    measure = {"dataset": "d", "metric": "quality", "direction": "higher"} | (
        {"method": method} if method else {}
    )
    return Claim(name, kind, {}, "", measure=measure, expects=expects, family=family or name, **more)
