"""The verdicts on claims as a reader meets them: in the published tables, and in the list of claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cladebench.audit import ClaimSet
from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.verdict_types import ANSWERS, VERDICTS
from cladebench.bench.selection import Rule
from cladebench.notation import significant
from cladebench.report.cell_links import CellLinks, anchor


@dataclass(frozen=True)
class ClaimRow:
    """The verdict on one claim as ``audit.json`` has it, its numbers written for readers.

    Attributes
    ----------
    claim, kind, place, published, verdict, reason, quote, reading, selection, stand_in_for : str
        As in the file.
    measured, interval, n, detectable, p_adjusted : str
        Empty where there is none.
    beside : str
        Label of the rule of selection that is shown beside the paper's own.
    measured_beside, verdict_beside : str
        Under that rule.
    targets, targets_beside : tuple of (str, str)
        A name and the address of the cells, for each method and data set behind the verdict.
    patterns : tuple of str
        Glob patterns of the cells.
    parts : tuple of (str, str)
        Id and verdict of each claim that a sentence is made of.
    evidence : str
        One of `cladebench.audit.evidence.EVIDENCE`.
    blind : str
        The verdict that the best random method earns; empty where none applies.
    universes : str
        With how many other choices it is supported, open and contradicted: ``5/1/0``; empty where there are none.
    not_run : tuple of str
        Other choices that were not run for it.
    main : bool
        Whether the paper stands or falls with it.
    depends_on : tuple of str
        The unstated choices that it turns on.
    statement : str
        The claim that stands for the statement it counts in; its own id where it stands for one itself.
    """

    claim: str
    kind: str
    place: str
    published: str
    verdict: str
    reason: str
    quote: str
    reading: str
    selection: str
    stand_in_for: str
    measured: str
    interval: str
    n: str
    detectable: str
    p_adjusted: str
    beside: str
    measured_beside: str
    verdict_beside: str
    targets: tuple[tuple[str, str], ...]
    targets_beside: tuple[tuple[str, str], ...]
    patterns: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    evidence: str
    blind: str
    universes: str
    not_run: tuple[str, ...]
    main: bool
    depends_on: tuple[str, ...]
    statement: str

    @property
    def anchor(self) -> str:
        """Where it stands on the paper's page."""
        return anchor("claim", self.claim)

    @property
    def level(self) -> str:
        """Whether it is counted, as the statement that it stands for, or inside another."""
        return "statement" if self.statement == self.claim else "part"

    @property
    def answer(self) -> str:
        """The answer of the first level."""
        return VERDICTS[self.verdict].answer

    @property
    def done(self) -> str:
        """What was done to test it."""
        return EVIDENCE[self.evidence].done

    @property
    def sentence(self) -> str:
        """What the paper says, or where its number stands when that is all that is quoted."""
        return f"“{self.quote}”" if self.quote and self.quote != self.published else self.place

    @property
    def brief(self) -> str:
        """The reason in a line of at most 110 characters, cut at a word."""
        reason = self.reason.partition("; the same with ")[0]
        return reason if len(reason) <= 110 else reason[:110].rpartition(" ")[0].rstrip(",;:") + " …"

    @property
    def other_choices(self) -> str:
        """How it comes out with other choices: ``5 support, 1 open, 0 contradict``; empty where there are none."""
        words = zip(self.universes.split("/"), ("support", "open", "contradict"), strict=False)
        return ", ".join(f"{count} {word}" for count, word in words if count)

    @property
    def kind_order(self) -> int:
        """Sentences first, what they are made of next, printed numbers (shown in their tables) last."""
        return {"sentence": 0, "value": 2}.get(self.kind, 1)

    @property
    def counted(self) -> str:
        """`n`, with what it counts beside it unless that is repetitions."""
        what = {"sentence": "parts" if self.parts else "certificates", "arithmetic": "numbers"}.get(self.kind)
        return f"{self.n} {what}" if what and self.n else self.n

    @property
    def gridded(self) -> bool:
        """Whether the setting was chosen among several, so that another choice could give another number."""
        return bool(self.selection) and self.selection != "one setting"


def slug(words: str) -> str:
    """Write an answer or a verdict as a part of a class or a fragment: ``does-not-hold``."""
    return words.replace(" ", "-")


def only(verdict: str = "", evidence: str = "") -> str:
    """Fragment of a paper's page that shows the statements with this verdict, of this evidence."""
    return "-".join(["only", *evidence.split(), *verdict.split()])


def only_answer(answer: str) -> str:
    """Fragment of a paper's page that shows the statements with this answer."""
    return f"only-answer-{slug(answer)}"


def filter_places(rows: Iterable[ClaimRow]) -> dict[str, dict[str, str]]:
    """Say for each claim which fragments lead to it as the first of those that a count counts.

    There the links of the counts lead where no script can filter.

    Parameters
    ----------
    rows : iterable of ClaimRow
        The claims that stand for statements, as the page has them.

    Returns
    -------
    dict of str to dict of str to str
        Claim -> fragment -> the filter that it stands for, as a query: ``verdict=contradicted&evidence=paper data``.
    """
    first: dict[str, tuple[str, str]] = {}
    for row in rows:
        for fragment, query in (
            (only_answer(row.answer), f"answer={row.answer}"),
            (only(row.verdict, row.evidence), f"verdict={row.verdict}&evidence={row.evidence}"),
            (only(row.verdict), f"verdict={row.verdict}"),
            (only("", row.evidence), f"evidence={row.evidence}"),
        ):
            first.setdefault(fragment, (row.claim, query))
    found: dict[str, dict[str, str]] = {}
    for fragment, (claim, query) in first.items():
        found.setdefault(claim, {})[fragment] = query
    return found


def count_values(rows: Iterable[ClaimRow]) -> dict[str, dict[str, int]]:
    """Count what statements can be filtered by: answer, what was done, verdict; values in the order of tables."""
    listed = list(rows)
    orders = {
        "answer": list(ANSWERS),
        "done": list(dict.fromkeys(evidence.done for evidence in EVIDENCE.values())),
        "verdict": list(VERDICTS),
    }
    found = {}
    for field, order in orders.items():
        counts = Counter(getattr(row, field) for row in listed)
        found[field] = {value: counts[value] for value in order if counts[value]}
    return found


@dataclass(frozen=True)
class PublishedTable:
    """A table of the paper as printed, with what we measured and whether it holds.

    Attributes
    ----------
    title : str
        As the paper calls it.
    rows, columns : tuple of str
    entries : mapping of (str, str) to tuple of ClaimRow
        Row and column -> the claims there; no key where nothing is printed.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: Mapping[tuple[str, str], tuple[ClaimRow, ...]]

    @property
    def stand_ins(self) -> str:
        """Say which columns were measured on stand-in data; empty where none was."""
        found = {
            column for (_, column), claims in self.entries.items() if any(c.stand_in_for for c in claims)
        }
        away = [column for column in self.columns if column in found]
        if len(away) == len(self.columns):
            return "All columns are measured on stand-in data."
        return f"Measured on stand-in data: {', '.join(away)}." if away else ""


def published_tables(claims: ClaimSet, rows: Sequence[ClaimRow]) -> tuple[PublishedTable, ...]:
    """Lay the printed numbers that have a row and a column out as the paper does."""
    by_id = {row.claim: row for row in rows}
    found: dict[str, dict[tuple[str, str], list[ClaimRow]]] = {}
    for claim in claims.claims.values():
        place = claim.place
        if claim.kind == "value" and claim.id in by_id and {"artifact", "row", "column"} <= set(place):
            entries = found.setdefault(str(place["artifact"]), {})
            entries.setdefault((str(place["row"]), str(place["column"])), []).append(by_id[claim.id])
    return tuple(
        PublishedTable(
            title,
            tuple(dict.fromkeys(row for row, _ in entries)),
            columns_in_order(entries),
            {key: tuple(value) for key, value in entries.items()},
        )
        for title, entries in found.items()
    )


def columns_in_order(entries: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Give the columns of places (row, column) in the paper's order: that of the fullest rows, which miss none."""
    rows: dict[str, list[str]] = {}
    for row, column in entries:
        rows.setdefault(row, []).append(column)
    fullest = sorted(rows.values(), key=len, reverse=True)
    return tuple(dict.fromkeys(column for columns in fullest for column in columns))


def certificate_topics(claims: ClaimSet) -> dict[str, list[str]]:
    """Topics of certificates that claims rest on, each with the ids of those claims."""
    found: dict[str, list[str]] = {}
    for claim in claims.claims.values():
        for topic in _topics(claim.expects):
            found.setdefault(topic, []).append(claim.id)
    return found


def _topics(expects: Any) -> Iterable[str]:
    if isinstance(expects, Mapping):
        asked = expects.get("certificates")
        if isinstance(asked, Mapping) and "topic" in asked:
            yield str(asked["topic"])
        for value in expects.values():
            yield from _topics(value)
    elif isinstance(expects, (list, tuple)):
        for value in expects:
            yield from _topics(value)


def claim_row(
    claim: Mapping[str, Any], links: CellLinks, rules: Mapping[str, Rule], statement: str
) -> ClaimRow:
    """Write one claim of ``audit.json`` for readers; `rules` are the plan's, whose labels stand for their names."""
    low, high = _number(claim["low"]), _number(claim["high"])
    texts = (
        "claim",
        "kind",
        "place",
        "published",
        "verdict",
        "reason",
        "quote",
        "reading",
        "evidence",
        "blind",
    )

    def label(joined: str) -> str:
        return "; ".join(rules[name].label if name in rules else name for name in joined.split("; "))

    return ClaimRow(
        **{key: claim[key] for key in texts},
        stand_in_for="; ".join(claim["stand_in_for"]),
        measured=_number(claim["measured"]),
        interval=f"[{low}, {high}]" if low and high and low != high else "",
        n="" if claim["n"] is None else str(claim["n"]),
        detectable=_number(claim["detectable"]),
        p_adjusted=_number(claim["p_adjusted"]),
        selection=label(claim["selection"]),
        beside=label(claim["selection_beside"]),
        measured_beside=_number(claim["measured_beside"]),
        verdict_beside=claim["verdict_beside"],
        targets=settings_behind(claim["cells"], links),
        targets_beside=settings_behind(claim["cells_beside"], links),
        patterns=tuple(claim["cells"]),
        parts=tuple((part["claim"], part["verdict"]) for part in claim["parts"]),
        universes=claim["universes"],
        not_run=tuple(claim["not_run"]),
        main=claim["main"],
        depends_on=tuple(claim["depends_on"]),
        statement=statement,
    )


def _number(value: float | None) -> str:
    """Four digits, as papers print them; nothing where there is no number."""
    return "" if value is None else significant(value)


def settings_behind(patterns: Iterable[str], links: CellLinks) -> tuple[tuple[str, str], ...]:
    """One link for each method and data set, to all settings that count: pages stay small where grids are large."""
    settings: dict[tuple[str, str], list[str]] = {}
    for pattern in patterns:
        name = pattern.removesuffix("/*")
        if name in links.by_id:
            group = links.by_id[name]
            settings.setdefault((group.method, group.dataset), []).append(name)
    found = []
    for (method, dataset), groups in settings.items():
        many = f" ({len(groups)} settings)" if len(groups) > 1 else ""
        found.append((f"{method}, {dataset}{many}", str(links.target_of_groups(groups))))
    return tuple(found)
