"""Say in plain words, by what is known, why statements were untested.

The text of a reason decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from cladebench.audit.evidence import EVIDENCE, ON_PAPER
from cladebench.audit.verdict.verdict_types import NOT_TESTABLE

#: The reasons, in the order in which they are asked for: words, and what they mean.
ELSEWHERE, UNSAID, NOT_ALIKE, NO_TEST, NO_RUNS = (
    "printed for data that are not public",
    "print alone does not settle it",
    "measured, but not comparable",
    "no run can test it",
    "with too few or failed runs",
)
UNTESTED_REASONS = {
    ELSEWHERE: "We measured stand-in data. Our number is shown beside the printed one and not judged.",
    UNSAID: "It could be checked on paper, but the paper leaves out what the check needs.",
    NOT_ALIKE: "We measured it, but the paper does not say enough, or its time is of other programs.",
    NO_TEST: "It names no measure, is a theorem or a remark, or needs what we do not have.",
    NO_RUNS: "This run has too little for a judgement.",
}


def why_untested(claim: Mapping[str, Any], declared: Collection[str]) -> str:
    """Give the reason why a claim was not tested, of `UNTESTED_REASONS`.

    Parameters
    ----------
    claim : Mapping
        Its entry of ``audit.json``: claim, evidence, measured, stand_in_for.
    declared : collection of str
        Claims that the paper's ``claims.yaml`` calls not testable.
    """
    measured = claim["measured"] is not None
    if measured and claim["stand_in_for"]:
        return ELSEWHERE
    if EVIDENCE[claim["evidence"]].done == ON_PAPER:
        return UNSAID
    if claim["claim"] not in declared:
        return NO_RUNS
    return NOT_ALIKE if measured else NO_TEST


def count_untested(
    heads: Iterable[str], claims: Iterable[Mapping[str, Any]], declared: Collection[str]
) -> dict[str, int]:
    """Count the statements not tested by reason, the most frequent first.

    Parameters
    ----------
    heads : iterable of str
        The claims that stand for statements.
    claims : iterable of Mapping
        Entries of ``audit.json``.
    declared : collection of str
        Claims that the paper's ``claims.yaml`` calls not testable.
    """
    by_id = {claim["claim"]: claim for claim in claims}
    untested = (by_id[head] for head in heads if by_id[head]["verdict"] == NOT_TESTABLE)
    return dict(Counter(why_untested(claim, declared) for claim in untested).most_common())
