"""Count once what a paper states.

Parts of a sentence, and several claims of one sentence, count inside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cladebench.audit.evidence import EVIDENCE, RERUN_ELSEWHERE
from cladebench.audit.verdict.verdict_types import ANSWERS, LIMITS, ON_STAND_INS, OPEN, VERDICTS


@dataclass(frozen=True)
class Statement:
    """One thing that a paper states, by one kind of evidence.

    Attributes
    ----------
    head : str
        The claim that stands for it: the main claim, or of several the first with the worst verdict.
    evidence, verdict : str
        Those of the head.
    inside : tuple of str
        The other claims that it is made of, and their parts.
    """

    head: str
    evidence: str
    verdict: str
    inside: tuple[str, ...]


def statements(claims: Iterable[Mapping[str, Any]]) -> tuple[Statement, ...]:
    """Gather the claims of one paper into what it states.

    A claim that is a part of another is inside it. Those that are left and share quote, place and evidence, such as the
    two bounds of "10 to 100 times" or one order on each data set, are one statement with the worst of their verdicts:
    all of it was printed as one. The main claim of a paper speaks for its statement. A full stop at the end of a quote
    makes no other sentence.

    Parameters
    ----------
    claims : iterable of Mapping
        Entries of ``audit.json``: claim, quote, place, evidence, verdict, parts, main.

    Returns
    -------
    tuple of Statement
        In the order of the claims.
    """
    by_id = {claim["claim"]: claim for claim in claims}
    parts = {part["claim"] for claim in by_id.values() for part in claim["parts"]}
    printed: dict[tuple[str, ...], list[str]] = {}
    for name, claim in by_id.items():
        if name not in parts:
            key = (claim["place"], " ".join(claim["quote"].split()).rstrip("."), claim["evidence"])
            printed.setdefault(key, []).append(name)
    listed = []
    for names in printed.values():
        head = max(names, key=lambda name: (by_id[name]["main"], VERDICTS[by_id[name]["verdict"]].severity))
        inside = dict.fromkeys(below for name in names for below in (name, *_parts_below(name, by_id)))
        del inside[head]
        listed.append(Statement(head, by_id[head]["evidence"], by_id[head]["verdict"], tuple(inside)))
    return tuple(listed)


def _parts_below(name: str, by_id: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Ids of the parts of a claim, of theirs, and so on."""
    for part in by_id[name]["parts"]:
        if part["claim"] in by_id:
            yield part["claim"]
            yield from _parts_below(part["claim"], by_id)


def matrix(given: Iterable[Statement]) -> dict[str, dict[str, int]]:
    """Count statements by evidence and verdict, in tables' order.

    There are no empty rows. Every row has the same verdicts: those that any statement has.
    """
    rows = list(given)
    seen = {statement.verdict for statement in rows}
    verdicts = [verdict for verdict in VERDICTS if verdict in seen]
    counts = {
        evidence: dict.fromkeys(verdicts, 0)
        for evidence in EVIDENCE
        if any(statement.evidence == evidence for statement in rows)
    }
    for statement in rows:
        counts[statement.evidence][statement.verdict] += 1
    return counts


def by_answer(counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Count statements by every answer, whatever the evidence, in tables' order.

    Parameters
    ----------
    counts : mapping
        A `matrix`, or sums of several.
    """
    counted = dict.fromkeys(ANSWERS, 0)
    for row in counts.values():
        for verdict, count in row.items():
            counted[VERDICTS[verdict].answer] += count
    return counted


def by_why(counts: Mapping[str, Mapping[str, int]], answer: str, limit: str | None = None) -> dict[str, int]:
    """Count an answer's statements by plain reasons, the most frequent first.

    A `limit` restricts them to those that it keeps open.
    """
    counted: Counter[str] = Counter()
    for row in counts.values():
        for verdict, count in row.items():
            known = VERDICTS[verdict]
            if known.answer == answer and count and limit in (None, known.limit):
                counted[known.why] += count
    return dict(counted.most_common())


def open_by_limit(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Count the open statements by limits that keep some, then by reason."""
    by_limit = {limit: by_why(counts, OPEN, limit) for limit in LIMITS}
    return {limit: whys for limit, whys in by_limit.items() if whys}


def stand_ins_by_done(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Count statements on stand-in data by answer and what was done.

    Answers are left out whose count is that of what was re-run on other data. Open statements have other reasons there.
    """
    by_answer: dict[str, dict[str, int]] = {}
    for evidence, row in counts.items():
        for verdict in ON_STAND_INS.values():
            if count := row.get(verdict, 0):
                done = by_answer.setdefault(VERDICTS[verdict].answer, {})
                done[EVIDENCE[evidence].done] = done.get(EVIDENCE[evidence].done, 0) + count
    rerun = by_done(counts).get(RERUN_ELSEWHERE, {})
    return {
        answer: by_answer[answer]
        for answer in ANSWERS
        if answer in by_answer and answer != OPEN and sum(by_answer[answer].values()) != rerun.get(answer, 0)
    }


def add_up(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add several counts up, the most frequent first."""
    total: Counter[str] = Counter()
    for row in counts:
        total.update(row)
    return dict(total.most_common())


def by_done(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Count statements by what was done and by answer.

    Stand-ins stay apart, and there are no empty rows.
    """
    table: dict[str, dict[str, int]] = {}
    for evidence, kind in EVIDENCE.items():
        for verdict, count in counts.get(evidence, {}).items():
            row = table.setdefault(kind.done, dict.fromkeys(ANSWERS, 0))
            row[VERDICTS[verdict].answer] += count
    return table


def together(matrices: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    """Add the matrices of several papers up."""
    by_evidence: dict[str, dict[str, int]] = {}
    for counts in matrices:
        for evidence, row in counts.items():
            for verdict, count in row.items():
                entry = by_evidence.setdefault(evidence, {})
                entry[verdict] = entry.get(verdict, 0) + count
    return by_evidence
