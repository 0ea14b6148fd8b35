"""Kinds of evidence that a verdict rests on.

The paper's data, other data, printed numbers, construction, or the time of our own code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from cladebench.audit.claim_types import Claim
from cladebench.audit.kinds import kind_of
from cladebench.bench.samples.samples import Sample
from cladebench.measures import Measure

PAPER_DATA = "paper data"
OTHER_DATA = "other data"
PRINTED_NUMBERS = "printed numbers"
BY_CONSTRUCTION = "by construction"
OWN_CODE = "own code"

#: Ways to test a claim, in the order of tables: what evidence of a kind took.
RERUN, RERUN_ELSEWHERE, ON_PAPER, TIMED = (
    "re-run on the paper's data",
    "re-run on other data",
    "checked on paper",
    "timed our code",
)


@dataclass(frozen=True)
class Evidence:
    """A kind of evidence.

    Its meaning in a line, and what was done for it.
    """

    meaning: str
    done: str


#: All kinds, in the order of tables.
EVIDENCE: dict[str, Evidence] = {
    PAPER_DATA: Evidence("measured on the paper's own data", RERUN),
    OTHER_DATA: Evidence("measured on data used instead of the paper's, or beyond it", RERUN_ELSEWHERE),
    PRINTED_NUMBERS: Evidence(
        "the paper's own numbers, checked against each other and against what is possible", ON_PAPER
    ),
    BY_CONSTRUCTION: Evidence(
        "true by how the method or the measure is made; no data could say otherwise", ON_PAPER
    ),
    OWN_CODE: Evidence("a property of our own code, such as its time", TIMED),
}


def evidence_of(
    claim: Claim,
    samples: Iterable[Sample],
    parts: Collection[str],
    measures: Mapping[str, Measure],
    stand_ins: Collection[str],
) -> str:
    """Say of which kind a claim's evidence is.

    Parameters
    ----------
    claim : Claim
    samples : iterable of Sample
        Behind it.
    parts : collection of str
        Evidence of the parts of a sentence.
    measures : mapping of str to Measure
    stand_ins : collection of str
        Data sets that stand in for the paper's own, or that it does not use.

    Returns
    -------
    str
        What the claim says itself; for sentences that of the parts, and the weakest where they differ (other data,
        then the time of our own code, then the paper's data, printed numbers, construction).
    """
    if claim.evidence:
        return claim.evidence
    if claim.inconsistent or kind_of(claim).on_paper:
        return PRINTED_NUMBERS
    if "certificates" in claim.expects:
        return BY_CONSTRUCTION
    if parts:
        return next(kind for kind in (OTHER_DATA, OWN_CODE, *EVIDENCE) if kind in parts)
    known = measures.get(str(claim.measure.get("metric")))
    if known is not None and known.unit == "s":
        return OWN_CODE
    used = {sample.cells.split("/")[1] for sample in samples if sample.cells}
    used |= {str(claim.measure[key]) for key in ("dataset", "change_from") if key in claim.measure}
    return OTHER_DATA if used & {*stand_ins} else PAPER_DATA
