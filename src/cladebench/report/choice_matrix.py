"""Gather statements on which choices disagree, and how each comes out.

They come out under each choice that was run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cladebench.audit.verdict.verdict_types import (
    ANSWERS,
    CONTRADICTS,
    DOES_NOT_HOLD,
    HOLDS,
    NOT_TESTED,
    OPEN,
    SUPPORTS,
    UNDECIDED,
    UNTESTED,
)
from cladebench.report.claim_rows import ClaimRow
from cladebench.report.paper_view import PaperView

#: What one choice says of a statement -> the answer whose sign and colour it has.
STANCE_ANSWERS = {
    stance: ANSWERS[answer]
    for stance, answer in (
        (SUPPORTS, HOLDS),
        (CONTRADICTS, DOES_NOT_HOLD),
        (UNDECIDED, OPEN),
        (UNTESTED, NOT_TESTED),
    )
}


@dataclass(frozen=True)
class Turn:
    """Hold a claim and the other choices under each stance."""

    row: ClaimRow
    choices: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Matrix:
    """Statements by other choices.

    Attributes
    ----------
    choices : mapping of str to str
        Other choices that change an answer, in the order of columns. Each has its entry of the register. It is empty
        where several choices are made otherwise at once.
    n_alike : int
        Other choices that were run for these statements and change none.
    rows : tuple of (ClaimRow, str, mapping of str to str)
        Statement, its stance as chosen, and that under each other choice that was run for it.
    """

    choices: Mapping[str, str]
    n_alike: int
    rows: tuple[tuple[ClaimRow, str, Mapping[str, str]], ...]


def turns(paper: PaperView, stated: Iterable[ClaimRow]) -> list[Turn]:
    """List the statements on which choices disagree.

    Our choices count among them. Those that turn on a choice come first.
    """
    claims = {claim["claim"]: claim for claim in paper.claims}
    rows = []
    for row in stated:
        names: dict[str, list[str]] = {stance: [] for stance in (SUPPORTS, UNDECIDED, CONTRADICTS)}
        claim = claims[row.claim]
        for choice, stance in claim["stances"].items():
            if stance in names:
                names[stance].append(choice)
        if len({claim["stance"], *claim["stances"].values()} - {UNTESTED}) > 1 or row.depends_on:
            rows.append(Turn(row, {stance: tuple(choices) for stance, choices in names.items()}))
    return sorted(rows, key=lambda turn: not turn.row.depends_on)


def choice_matrix(paper: PaperView, stated: Iterable[ClaimRow]) -> Matrix:
    """Lay out the statements that change under some choice.

    No rows where there are none.
    """
    claims = {claim["claim"]: claim for claim in paper.claims}
    rows = []
    for row in stated:
        claim = claims[row.claim]
        if len({claim["stance"], *claim["stances"].values()} - {UNTESTED}) > 1:
            rows.append((row, claim["stance"], claim["stances"]))
    entry_of = {other["name"]: other["factor"] for other in paper.other_choices}
    run = [
        (choice, stance != chosen)
        for _, chosen, stances in rows
        for choice, stance in stances.items()
        if stance != UNTESTED
    ]
    met = dict.fromkeys(choice for choice, changes in run if changes)
    order = [*(name for name in entry_of if name in met), *(name for name in met if name not in entry_of)]
    n_alike = len({choice for choice, _ in run} - met.keys())
    return Matrix({name: entry_of.get(name, "") for name in order}, n_alike, tuple(rows))
