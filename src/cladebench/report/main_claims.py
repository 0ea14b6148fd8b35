"""Say what the first screen says of a paper.

Its main claim, what we saw, and its errors in print.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cladebench.audit.verdict.verdict_types import ANSWERS, DOES_NOT_HOLD, INCONSISTENT, VERDICTS
from cladebench.report.claim_rows import ClaimRow
from cladebench.report.finding_views import FindingView
from cladebench.report.plain_words import shortened, with_places

#: Kinds of errors in print, the heaviest first: the name in claims, the heading on pages.
ERRORS = {
    "conclusion": "Conclusions about results",
    "method": "Method, data or text",
    "slip": "Slips of the pen",
}


@dataclass(frozen=True)
class PrintedError:
    """A statement that contradicts the paper's own numbers or a fact.

    Attributes
    ----------
    row : ClaimRow
        The statement.
    wrong : str
        What is wrong, shortly.
    about : str
        One of `ERRORS`.
    """

    row: ClaimRow
    wrong: str
    about: str

    @property
    def place(self) -> int:
        """Its place among `ERRORS`."""
        return list(ERRORS).index(self.about)

    @property
    def heading(self) -> str:
        """What it is about, in words."""
        return ERRORS[self.about]


def main_claim(rows: Iterable[ClaimRow]) -> ClaimRow | None:
    """Find the claim that a paper stands or falls with.

    None where none is named.
    """
    return next((row for row in rows if row.main), None)


def what_we_saw(claim: ClaimRow | None, lead: FindingView | None) -> str:
    """Say what a run shows of the main claim.

    The first finding where it holds, else the parts, else the reason.
    """
    if lead is not None:
        # The answer stands beside it already.
        answer, _, said = lead.headline.partition(": ")
        return said[:1].upper() + said[1:] if said and answer.lower() in ANSWERS else lead.headline
    if claim is None:
        return ""
    return parts_in_words(claim) if claim.parts else shortened(claim.reason)


def parts_in_words(claim: ClaimRow) -> str:
    """Count the parts of a claim by answer.

    ``8 parts: 3 hold, 5 open.``
    """
    counts = Counter(VERDICTS[verdict].answer for _, verdict in claim.parts)
    said = [f"{counts[name]} {_verb(name, counts[name])}" for name in ANSWERS if counts[name]]
    return f"{len(claim.parts)} part{'s' * (len(claim.parts) > 1)}: {', '.join(said)}."


def _verb(answer: str, count: int) -> str:
    return answer if count == 1 else ANSWERS[answer].plural


def printed_errors(rows: Sequence[ClaimRow], about: Mapping[str, str]) -> tuple[PrintedError, ...]:
    """List the statements that contradict the paper or a fact.

    Each with what is wrong; `about` says for a claim which of `ERRORS` it is. The heaviest come first.
    """
    by_id = {row.claim: row for row in rows}
    places = {row.claim: row.place for row in rows}
    found = [
        PrintedError(
            row,
            shortened(_what_is_wrong(row, by_id, places), 260),
            about.get(row.claim, "method"),
        )
        for row in rows
        if row.level == "statement" and row.verdict == INCONSISTENT
    ]
    return tuple(sorted(found, key=lambda error: error.place))


def _what_is_wrong(row: ClaimRow, by_id: Mapping[str, ClaimRow], places: Mapping[str, str]) -> str:
    """Say it; of a part also what should hold in print."""
    part = _deepest(row, by_id)
    reason = with_places(part.reason, places)
    return reason if part is row or not part.said else f"{part.said}: {reason}"


def _deepest(row: ClaimRow, by_id: Mapping[str, ClaimRow]) -> ClaimRow:
    """Find the part that makes a statement wrong.

    What it says is plainer than a count of parts.
    """
    for part, verdict in row.parts:
        if VERDICTS[verdict].answer == DOES_NOT_HOLD and part in by_id:
            return _deepest(by_id[part], by_id)
    return row
