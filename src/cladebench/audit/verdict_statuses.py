"""Verdicts in five words that replication databases share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cladebench.audit.kinds import KINDS
from cladebench.audit.verdict.verdict_types import (
    ANALOGUE_FAILS,
    ANALOGUE_HOLDS,
    ANALOGUE_UNDECIDED,
    CONTRADICTED,
    DEPENDS,
    DIRECTION_ONLY,
    INCONSISTENT,
    NOT_TESTABLE,
    REPRODUCED,
    UNINFORMATIVE,
    WITHIN_NOISE,
)


@dataclass(frozen=True)
class Status:
    """A validation status.

    Attributes
    ----------
    name : str
        As databases of replications spell it.
    meaning : str
        In a line.
    """

    name: str
    meaning: str


VALIDATED = Status("validated", "The result agrees with the claim, or does not differ from it beyond noise.")
PARTLY = Status("partially supported", "The claim holds in part, or with some of the open choices.")
REFUTED = Status("contradicted", "The result contradicts the claim, or the paper contradicts itself.")
INCONCLUSIVE = Status(
    "inconclusive", "The result says nothing about the claim, or rests on stand-in data alone."
)
UNTESTED = Status("not tested", "The claim was not tested.")

#: Verdict of ``audit.csv`` on the paper's data -> status: the one table of this mapping. `status_of` has its limits.
STATUSES: Mapping[str, Status] = {
    REPRODUCED: VALIDATED,
    WITHIN_NOISE: VALIDATED,
    DIRECTION_ONLY: PARTLY,
    DEPENDS: PARTLY,
    CONTRADICTED: REFUTED,
    INCONSISTENT: REFUTED,
    UNINFORMATIVE: INCONCLUSIVE,
    ANALOGUE_HOLDS: INCONCLUSIVE,
    ANALOGUE_UNDECIDED: INCONCLUSIVE,
    ANALOGUE_FAILS: INCONCLUSIVE,
    NOT_TESTABLE: UNTESTED,
}


def status_of(claim: Mapping[str, object]) -> Status:
    """Give the validation status of an audited claim.

    Whatever rests on stand-in data is inconclusive, if it was tested. Within noise, a printed number agrees with ours;
    a printed difference that no run shows is inconclusive.

    Parameters
    ----------
    claim : mapping
        With the keys ``verdict``, ``kind`` and ``stand_in_for`` of ``audit.json``.

    Returns
    -------
    Status

    Examples
    --------
    >>> status_of({"verdict": "within noise", "kind": "value", "stand_in_for": []}).name
    'validated'
    >>> status_of({"verdict": "within noise", "kind": "order", "stand_in_for": []}).name
    'inconclusive'
    >>> status_of({"verdict": "depends", "kind": "value", "stand_in_for": ["VEHICLE"]}).name
    'inconclusive'
    """
    status = STATUSES[str(claim["verdict"])]
    if claim["verdict"] == WITHIN_NOISE and not KINDS[str(claim["kind"])].printed_number:
        return INCONCLUSIVE
    return INCONCLUSIVE if claim["stand_in_for"] and status is not UNTESTED else status
