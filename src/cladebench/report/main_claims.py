"""Say a paper's main claim, what we saw, and what fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cladebench.audit.verdict.verdict_types import (
    ANALOGUE_FAILS,
    ANSWERS,
    CONTRADICTED,
    DOES_NOT_HOLD,
    INCONSISTENT,
    VERDICTS,
)
from cladebench.report.claim_rows import ClaimRow
from cladebench.report.finding_views import FindingView
from cladebench.report.plain_words import shortened, with_places

#: Kinds of errors in print, as claims name them, and verdicts on what else does not hold. Each with its heading on
#: pages, the heaviest first.
FAULTS = {
    "conclusion": "Wrong in print: conclusions about results",
    "method": "Wrong in print: method, data or text",
    "slip": "Wrong in print: slips of the pen",
    CONTRADICTED: "We measure otherwise",
    ANALOGUE_FAILS: "We measure otherwise on stand-in data",
}


@dataclass(frozen=True)
class Fault:
    """A statement that does not hold, and why.

    Attributes
    ----------
    row : ClaimRow
        The statement.
    wrong : str
        What is wrong, shortly.
    about : str
        One of `FAULTS`.
    """

    row: ClaimRow
    wrong: str
    about: str

    @property
    def place(self) -> int:
        """Its place among `FAULTS`."""
        return list(FAULTS).index(self.about)

    @property
    def in_print(self) -> bool:
        """Whether it contradicts the paper's own numbers or a fact."""
        return self.row.verdict == INCONSISTENT

    @property
    def heading(self) -> str:
        """What it is about, in words."""
        return FAULTS[self.about]


def main_claim(rows: Iterable[ClaimRow]) -> ClaimRow | None:
    """Find the claim that a paper stands or falls with, if named."""
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
    """Count a claim's parts by answer: ``8 parts: 3 hold, 5 open.``"""
    counts = Counter(VERDICTS[verdict].answer for _, verdict in claim.parts)
    said = [f"{counts[name]} {_verb(name, counts[name])}" for name in ANSWERS if counts[name]]
    return f"{len(claim.parts)} part{'s' * (len(claim.parts) > 1)}: {', '.join(said)}."


def _verb(answer: str, count: int) -> str:
    return answer if count == 1 else ANSWERS[answer].plural


def faults(
    rows: Sequence[ClaimRow], about: Mapping[str, str], findings: Iterable[FindingView] = ()
) -> tuple[Fault, ...]:
    """List the statements that do not hold, the heaviest first.

    Each comes with what is wrong. `about` says for a claim which kind of error in print it is. What we measure
    otherwise is said by the first of `findings` that rests on it, in words instead of numbers of a test.
    """
    words: dict[str, str] = {}
    for finding in findings:
        if finding.checked and not finding.instead:
            for claim, *_ in finding.claims:
                words.setdefault(claim, f"{finding.headline} {finding.rest}".strip())
    by_id = {row.claim: row for row in rows}
    places = {row.claim: row.place for row in rows}
    list_of_faults = [
        Fault(
            row,
            shortened(_what_is_wrong(row, by_id, places, {} if row.verdict == INCONSISTENT else words), 260),
            about.get(row.claim, "method") if row.verdict == INCONSISTENT else row.verdict,
        )
        for row in rows
        if row.level == "statement" and VERDICTS[row.verdict].answer == DOES_NOT_HOLD
    ]
    return tuple(sorted(list_of_faults, key=lambda fault: fault.place))


def _what_is_wrong(
    row: ClaimRow, by_id: Mapping[str, ClaimRow], places: Mapping[str, str], words: Mapping[str, str]
) -> str:
    """Say what is wrong; of a part also what should hold.

    What the reason says already is not repeated. `words` have what a finding says of a claim.
    """
    part = _deepest(row, by_id)
    if part.claim in words or row.claim in words:
        return words.get(part.claim) or words[row.claim]
    reason = with_places(part.reason, places)
    known = part is row or not part.said or reason.startswith(with_places(part.said, places))
    return reason if known else f"{part.said}: {reason}"


def _deepest(row: ClaimRow, by_id: Mapping[str, ClaimRow]) -> ClaimRow:
    """Find the part that makes a statement wrong.

    What it says is plainer than a count of parts.
    """
    for part, verdict in row.parts:
        if VERDICTS[verdict].answer == DOES_NOT_HOLD and part in by_id:
            return _deepest(by_id[part], by_id)
    return row
