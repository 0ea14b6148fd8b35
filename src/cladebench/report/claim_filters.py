"""Say how statements are filtered, and to which fragments counts lead.

The fragments are those of a paper's page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.verdict.verdict_types import ANSWERS, VERDICTS
from cladebench.report.claim_rows import ClaimRow
from cladebench.report.untested import UNTESTED_REASONS


def slug(words: str) -> str:
    """Write an answer or verdict as class or fragment: ``does-not-hold``."""
    return words.replace(" ", "-")


def only(verdict: str = "", evidence: str = "") -> str:
    """Give the fragment of statements with a verdict or evidence.

    It belongs to a paper's page.
    """
    return "-".join(["only", *evidence.split(), *verdict.split()])


def only_answer(answer: str) -> str:
    """Fragment of a paper's page that shows the statements with this answer."""
    return f"only-answer-{slug(answer)}"


def filter_places(rows: Iterable[ClaimRow]) -> dict[str, dict[str, str]]:
    """Say for which fragments a claim is the first of those counted.

    There the links of the counts lead where no script can filter.

    Parameters
    ----------
    rows : iterable of ClaimRow
        The claims that stand for statements, as the page has them.

    Returns
    -------
    dict of str to dict of str to str
        Claim -> fragment -> the filter that it stands for, as a query: ``cause=contradicted&evidence=paper data``.
    """
    first: dict[str, tuple[str, str]] = {}
    for row in rows:
        for fragment, query in (
            (only_answer(row.answer), f"answer={row.answer}"),
            (only(row.verdict, row.evidence), f"{_cause(row)}&evidence={row.evidence}"),
            (only(row.verdict), _cause(row)),
            (only("", row.evidence), f"evidence={row.evidence}"),
        ):
            first.setdefault(fragment, (row.claim, query))
    places: dict[str, dict[str, str]] = {}
    for fragment, (claim, query) in first.items():
        places.setdefault(claim, {})[fragment] = query
    return places


def _cause(row: ClaimRow) -> str:
    """Filter by a verdict; by the answer where it has several causes."""
    return f"answer={row.answer}" if row.untested else f"cause={row.verdict}"


def count_values(rows: Iterable[ClaimRow]) -> dict[str, dict[str, int]]:
    """Count what statements can be filtered by.

    Answer, what was done, its cause; values in the order of tables.
    """
    listed = list(rows)
    orders = {
        "answer": list(ANSWERS),
        "done": list(dict.fromkeys(evidence.done for evidence in EVIDENCE.values())),
        "cause": [*VERDICTS, *UNTESTED_REASONS],
    }
    by_field = {}
    for field, order in orders.items():
        counts = Counter(getattr(row, field) for row in listed)
        by_field[field] = {value: counts[value] for value in order if counts[value]}
    return by_field
