"""Write names for the audit's ids, and plain words for verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cladebench.audit.verdict.verdict_types import VERDICTS
from cladebench.bench.plan.plan import Plan

#: What the parts of a main claim are, where a page lists them itself.
_DECIDED = re.compile(r"(; d|(?<=\.) D)ecided by .*")
_VERDICT = re.compile(
    r"\b(reproduced|within noise|direction only|contradicted|inconsistent)\b", re.IGNORECASE
)
#: A measure in brackets, where the end of the line names it for both sides.
_REPEATED = re.compile(r" \((?P<metric>[^()]+)\)(?=.* in (?P=metric)$)")
_LONGEST = 160
#: What the paper calls its data may be a sentence: then it is no name.
SHORT_NAME = 20
#: Heads of columns that are ids in the files of tables.
_HEADS = {
    "dataset": "data set",
    "other": "not ok",
    "cpu_seconds": "CPU seconds",
    "median_cpu_seconds": "CPU seconds, median of a run",
    "peak_memory_mb": "peak memory, MiB",
}
#: Notes that list data sets.
_LISTED = re.compile(r"Rows used: |Beyond the paper, |Constraints: ")
#: Ids of data where no word can stand: before what they have, behind what changes from them.
_DATA = re.compile(r"^[\w-]+(?= has \d)|(?<= from )[\w-]+$")
_RANDOM = re.compile(r"(?<= too \()[^()]*(?=\))")


@dataclass(frozen=True)
class Names:
    """Name a paper's methods, data sets and metrics by their ids.

    Claims have their places in print, stand-in data what the paper calls its own.
    """

    methods: Mapping[str, str] = field(default_factory=dict)
    datasets: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)

    def run(self, method: str, dataset: str) -> str:
        """Name a method on a data set."""
        return f"{self.methods.get(method, method)} on {self.datasets.get(dataset, dataset)}"

    def data(self, dataset: str) -> str:
        """Name a data set beside printed numbers.

        The name that the paper uses is added for stand-in data, where it is short.
        """
        name, printed = self.datasets.get(dataset, dataset), self.stand_ins.get(dataset, "")
        return f"{name} (stand-in for {printed})" if printed and len(printed) <= SHORT_NAME else name

    def head(self, column: str) -> str:
        """Write the head of a table's column for readers.

        Data sets stand before a colon, or alone.

        >>> Names(datasets={"usps": "USPS digits"}).head("usps: published")
        'USPS digits: published'
        """
        group, colon, name = column.partition(": ")
        return f"{self.data(group)}{colon}{name}" if colon else _HEADS.get(column, self.data(column))

    def entry(self, column: str, text: str) -> str:
        """Write an entry of a table for readers, by its column."""
        known = {"dataset": self.data, "method": lambda name: self.methods.get(name, name)}
        return known[column](text) if column in known else text

    def note(self, text: str) -> str:
        """Name the data sets of a note that has their ids."""
        if _LISTED.match(text):
            return _named(text, self.datasets)
        first, _, rest = text.partition(":")
        name = self.datasets.get(first)
        return f"{name}:{rest.replace(f' ({name})', '', 1)}" if name else text

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
        text = _RANDOM.sub(lambda match: _named(match[0], self.methods), text)
        text = _DATA.sub(lambda match: self.datasets.get(match[0], match[0]), text)
        return _REPEATED.sub("", _named(text, known))


def names_of(
    plan: Plan,
    datasets: Iterable[str],
    places: Mapping[str, str] | None = None,
    stand_ins: Mapping[str, str] | None = None,
) -> Names:
    """Take the names from a plan.

    `places` are of claims, `stand_ins` what the paper calls the data that others stand in for.
    """
    return Names(
        {name: method.label for name, method in plan.methods.items()},
        {name: plan.title_of(name) for name in datasets},
        {name: measure.title or name.replace("_", " ") for name, measure in plan.measures.items()},
        places or {},
        stand_ins or {},
    )


def in_plain_words(reason: str) -> str:
    """Write a verdict's plain words for the word of ``audit.csv``.

    >>> in_plain_words("2 of 2 parts must hold: 1 reproduced, 1 direction only; decided by a/b (c)")
    '2 of 2 parts must hold: 1 shown, 1 on the claimed side, not significant'
    """

    def why(match: re.Match[str]) -> str:
        words = VERDICTS[match[1].lower()].why
        return words[:1].upper() + words[1:] if match[1][0].isupper() else words

    return _VERDICT.sub(why, _DECIDED.sub("", reason))


def with_places(text: str, places: Mapping[str, str]) -> str:
    """Name a number's place in print instead of its claim's id.

    Ids of claims that no row of a table prints are left out.
    """

    def place(match: re.Match[str]) -> str:
        if match[1] not in places:
            return match[0]
        whole = places[match[1]].partition(", section")[0]
        spot = re.sub(r"\b(?:row|column) ", "", whole)
        return f" ({spot})" if spot != whole else ""

    return re.sub(r" \(([^()\s]+)\)", place, text)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Cut a text visibly, after a late clause or between words."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    start = line[: longest + 1]
    for mark in (". ", "; ", ": "):
        if start.rfind(mark) > longest // 2:
            return f"{start[: start.rfind(mark)]} …"
    return f"{start.rpartition(' ')[0] or start} …"


def _named(text: str, names: Mapping[str, str]) -> str:
    changed = {name: label for name, label in names.items() if label != name}
    if not changed:
        return text
    ids = "|".join(re.escape(name) for name in sorted(changed, key=len, reverse=True))
    return re.sub(rf"(?<![\w/-])({ids})(?![\w/-])", lambda match: changed[match[1]], text)
