"""Write names for the audit's ids, and plain words for verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cladebench.audit.verdict_types import VERDICTS
from cladebench.bench.plan import Plan

#: What the parts of a main claim are, where a page lists them itself.
_DECIDED = re.compile(r"; decided by .*")
_VERDICT = re.compile(r"\b(reproduced|within noise|direction only|contradicted|inconsistent)\b")
#: A measure in brackets, where the end of the line names it for both sides.
_REPEATED = re.compile(r" \((?P<metric>[^()]+)\)(?=.* in (?P=metric)$)")
_LONGEST = 160
_RANDOM = re.compile(r"(?<= too \()[^()]*(?=\))")


@dataclass(frozen=True)
class Names:
    """Names of a paper's methods, data sets and metrics, by their ids.

    For claims their places in print.
    """

    methods: Mapping[str, str] = field(default_factory=dict)
    datasets: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def run(self, method: str, dataset: str) -> str:
        """Name a method on a data set."""
        return f"{self.methods.get(method, method)} on {self.datasets.get(dataset, dataset)}"

    def in_list(self, text: str) -> str:
        """Write names for ids that stand alone between commas."""
        known = {**self.datasets, **self.methods}
        return ", ".join(known.get(part, part) for part in text.split(", "))

    def in_text(self, text: str, methods: Iterable[str], metrics: Iterable[str]) -> str:
        """Write names for the ids that a text has.

        Parameters
        ----------
        text : str
        methods, metrics : iterable of str
            Ids that are names there: others may be words.
        """
        known = {name: self.methods[name] for name in methods if name in self.methods}
        known |= {name: self.metrics[name] for name in metrics if name in self.metrics}
        text = _RANDOM.sub(lambda found: _named(found[0], self.methods), text)
        return _REPEATED.sub("", _named(text, known))


def names_of(plan: Plan, datasets: Iterable[str], places: Mapping[str, str] | None = None) -> Names:
    """Take the names from a plan; `places` are of claims."""
    return Names(
        {name: method.label for name, method in plan.methods.items()},
        {name: plan.title_of(name) for name in datasets},
        {name: measure.title or name.replace("_", " ") for name, measure in plan.measures.items()},
        places or {},
    )


def in_plain_words(reason: str) -> str:
    """Write a verdict's plain words for the word of ``audit.csv``.

    >>> in_plain_words("2 of 2 parts must hold: 1 reproduced, 1 direction only; decided by a/b (c)")
    '2 of 2 parts must hold: 1 shown, 1 right direction but not significant'
    """
    return _VERDICT.sub(lambda found: VERDICTS[found[1]].why, _DECIDED.sub("", reason))


def with_places(text: str, places: Mapping[str, str]) -> str:
    """Name a number's place in print instead of its claim's id.

    Ids of claims that no row of a table prints are left out.
    """

    def place(found: re.Match[str]) -> str:
        if found[1] not in places:
            return found[0]
        whole = places[found[1]].partition(", section")[0]
        spot = re.sub(r"\b(?:row|column) ", "", whole)
        return f" ({spot})" if spot != whole else ""

    return re.sub(r" \(([^()\s]+)\)", place, text)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Cut a text, so that the cut shows.

    After the first clause that ends late enough, or between words.
    """
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    start = line[: longest + 1]
    for mark in ("; ", ": "):
        if start.rfind(mark) > longest // 2:
            return f"{start[: start.rfind(mark)]} …"
    return f"{start.rpartition(' ')[0] or start} …"


def _named(text: str, names: Mapping[str, str]) -> str:
    changed = {name: label for name, label in names.items() if label != name}
    if not changed:
        return text
    ids = "|".join(re.escape(name) for name in sorted(changed, key=len, reverse=True))
    return re.sub(rf"(?<![\w/-])({ids})(?![\w/-])", lambda found: changed[found[1]], text)
