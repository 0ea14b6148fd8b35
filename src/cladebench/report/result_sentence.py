"""Say in a sentence which of the papers' main claims hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cladebench.audit.verdict.verdict_types import ANSWERS, DOES_NOT_HOLD, HOLDS, NOT_TESTED, OPEN

#: Verbs of an answer, for one claim and for several.
_VERBS = {
    HOLDS: ("holds", "hold"),
    DOES_NOT_HOLD: ("does not hold", "do not hold"),
    OPEN: ("stays open", "stay open"),
    NOT_TESTED: ("could not be tested", "could not be tested"),
}
_ALL = {
    HOLDS: "All {n} main claims hold.",
    DOES_NOT_HOLD: "None of the {n} main claims holds: all {n} are refuted.",
    OPEN: "None of the {n} main claims is confirmed, and none is refuted: all {n} stay open.",
    NOT_TESTED: "None of the {n} main claims could be tested in this run.",
}


def result_sentence(n_papers: int, main: Sequence[str], counts: Mapping[str, int]) -> str:
    """Say in a sentence or two what a run shows.

    Parameters
    ----------
    n_papers : int
    main : sequence of str
        Answer on each main claim; a paper may have none.
    counts : mapping of str to int
        Answer -> printed statements: said where no paper has a main claim.
    """
    start = f"We re-ran {n_papers} paper{'s' * (n_papers != 1)}."
    if not main:
        total = sum(counts.values())
        if not total:
            return f"{start} No printed statement was judged."
        return f"{start} Of {total:,} printed statement{'s' * (total != 1)}, {_listed(counts)}."
    if len(main) < n_papers:
        start += f" {len(main)} of them {'has' if len(main) == 1 else 'have'} a main claim."
    if len(main) == 1:
        return f"{start} {'Its' if n_papers == 1 else 'This'} main claim {_VERBS[main[0]][0]}."
    if len(set(main)) == 1:
        return f"{start} {_ALL[main[0]].format(n=len(main))}"
    return f"{start} Of the {len(main)} main claims, {_listed(Counter(main), none=HOLDS)}."


def _listed(counts: Mapping[str, int], none: str = "") -> str:
    """Join counts and verbs.

    ``none holds, 1 does not hold and 4 stay open``; zeros only of the answer `none`.
    """
    said = [
        f"{counts[answer]:,} {_VERBS[answer][counts[answer] != 1]}"
        if counts.get(answer)
        else f"none {_VERBS[answer][0]}"
        for answer in ANSWERS
        if counts.get(answer) or answer == none
    ]
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
