"""Rows of the audit as a reader meets them: in the published table, and in the list of claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench.audit import VERDICTS, ClaimSet
from cladebench.audit.run_files import read_text_table
from cladebench.input_files import InputFileError
from cladebench.notation import significant
from cladebench.report.cell_links import Sources, anchor

#: What each verdict says, in a line.
MEANINGS = {
    "reproduced": "our number is the printed one as rounded; or the order holds, significantly",
    "within noise": "not the same digits, but noise and rounding explain the difference; or a tie",
    "direction only": "the right side is ahead, but not significantly or not by as much as claimed",
    "contradicted": "noise and rounding do not explain the difference; or the opposite holds, significantly",
    "analogue holds": "judged on data that stand in for the paper's own: the claim holds there",
    "analogue fails": "judged on data that stand in for the paper's own: the claim does not hold there",
    "not testable": "could not be judged; the reason says why",
}
#: A sign beside the word, so that no verdict is told by colour alone.
SIGNS = {
    "reproduced": "✓",
    "within noise": "≈",
    "direction only": "↗",
    "contradicted": "✗",
    "analogue holds": "◇✓",
    "analogue fails": "◇✗",
    "not testable": "–",
}


@dataclass(frozen=True)
class ClaimRow:
    """One row of ``audit.csv``, its numbers as text.

    Attributes
    ----------
    claim, kind, place, published, verdict, reason, quote, reading, selection, stand_in_for : str
        As in the file.
    measured, interval, n, detectable, p_adjusted : str
        Empty where there is none.
    measured_label_free, verdict_label_free : str
        Under the choice of the setting without labels.
    targets, targets_label_free : tuple of (str, str)
        A name and the fragment of the page of cells, for each method and data set behind the verdict.
    patterns : str
        Glob patterns of the cells, as in the file.
    parts : tuple of (str, str)
        Id and verdict of each claim that a sentence is made of.
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
    measured_label_free: str
    verdict_label_free: str
    targets: tuple[tuple[str, str], ...]
    targets_label_free: tuple[tuple[str, str], ...]
    patterns: str
    parts: tuple[tuple[str, str], ...]

    @property
    def anchor(self) -> str:
        """Where it stands on the paper's page."""
        return anchor("claim", self.claim)

    @property
    def kind_order(self) -> int:
        """Sentences first, what they are made of next, printed numbers (shown in their tables) last."""
        return {"sentence": 0, "value": 2}.get(self.kind, 1)

    @property
    def gridded(self) -> bool:
        """Whether the setting was chosen among several, so that another choice could give another number."""
        return bool(self.selection) and self.selection != "one setting"


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


def read_audit(results: Path) -> pd.DataFrame:
    """Read ``audit.csv`` with every entry as text.

    Raises
    ------
    InputFileError
        If it is missing, or a column that the pages need is.
    """
    path = results / "audit.csv"
    frame = read_text_table(path, ("claim", "paper", "place", "published", "verdict", "reason"), "audit")
    unknown = sorted(set(frame["verdict"]) - set(VERDICTS))
    if unknown:
        raise InputFileError(
            f"{path}: verdict: {unknown[0]!r} is unknown; expected one of {', '.join(VERDICTS)}"
        )
    return frame


def claim_rows(frame: pd.DataFrame, sources: Sources) -> tuple[ClaimRow, ...]:
    """Rows of one paper, in the file's order."""
    return tuple(_row(row, sources) for row in frame.to_dict(orient="records"))


def verdict_counts(rows: Iterable[ClaimRow]) -> dict[str, int]:
    """How many claims have each verdict, in the order of tables; only verdicts that occur."""
    found = Counter(row.verdict for row in rows)
    return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}


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
            _columns(entries),
            {key: tuple(value) for key, value in entries.items()},
        )
        for title, entries in found.items()
    )


def _columns(entries: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Columns in the paper's order: as in the fullest rows, for in others numbers are missing."""
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


def _row(row: Mapping[Any, Any], sources: Sources) -> ClaimRow:
    texts = {
        key: str(row.get(key, ""))
        for key in (
            "claim",
            "kind",
            "place",
            "published",
            "verdict",
            "reason",
            "quote",
            "reading",
            "selection",
        )
    }
    low, high = _number(row.get("low")), _number(row.get("high"))
    parts = [part.rpartition(": ") for part in str(row.get("parts", "")).split("; ") if part]
    return ClaimRow(
        **texts,
        stand_in_for=str(row.get("stand_in_for", "")),
        measured=_number(row.get("measured")),
        interval=f"[{low}, {high}]" if low and high and low != high else "",
        n=str(row.get("n", "")),
        **{key: _number(row.get(key)) for key in ("detectable", "p_adjusted", "measured_label_free")},
        verdict_label_free=str(row.get("verdict_label_free", "")),
        targets=settings_behind(str(row.get("cells", "")), sources),
        targets_label_free=settings_behind(str(row.get("cells_label_free", "")), sources),
        patterns=str(row.get("cells", "")),
        parts=tuple((name, verdict) for name, _, verdict in parts),
    )


def _number(text: Any) -> str:
    """Four digits of a number in the file, as papers print them; empty when there is none."""
    try:
        value = float(text) if text not in (None, "") else None
    except ValueError:
        return str(text)
    return "" if value is None else significant(value)


def settings_behind(patterns: str, sources: Sources) -> tuple[tuple[str, str], ...]:
    """One link for each method and data set, to all settings that count: pages stay small where grids are large."""
    settings: dict[tuple[str, str], list[str]] = {}
    for pattern in patterns.split("; "):
        group = pattern.removesuffix("/*")
        if sources.target_of_groups([group]):
            _, dataset, method, _ = group.split("/", 3)
            settings.setdefault((method, dataset), []).append(group)
    found = []
    for (method, dataset), groups in settings.items():
        many = f" ({len(groups)} settings)" if len(groups) > 1 else ""
        found.append((f"{method}, {dataset}{many}", str(sources.target_of_groups(groups))))
    return tuple(found)
