"""Check findings against the verdicts and numbers of a run."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cladebench.audit.claim_types import ClaimSet
from cladebench.audit.verdict.verdict_types import NOT_TESTABLE
from cladebench.audit.verdict.verdict_wording import claimed_range
from cladebench.bench.samples.results import Results
from cladebench.bench.samples.samples import overlap_of_pairs, pair
from cladebench.bench.statistics.intervals import mean_interval
from cladebench.input_files import InputFileError, one_of
from cladebench.notation import significant
from cladebench.paper.findings import Finding


def check_findings(
    findings: Iterable[Finding], audit: Sequence[Mapping[str, Any]], results: Results
) -> dict[str, tuple[str, ...]]:
    """Say which findings a run does not bear out.

    A number bears a finding out when its whole 95% interval does; the mean of a few repetitions may lie anywhere near.

    Parameters
    ----------
    findings : iterable of Finding
    audit : sequence of Mapping
        Entries of ``audit.json`` of the paper: claim, verdict.
    results : Results
        Of the paper.

    Returns
    -------
    dict of str to tuple of str
        Id of each finding that does not hold -> what was found instead, each text once. None at all where nothing
        was: the run lacks what would tell.
    """
    broken = {}
    for finding in findings:
        problems = [
            *(_claims_instead(bond, audit) for bond in finding.claims),
            *(_number_instead(bond, results) for bond in finding.numbers),
        ]
        if any(text != "" for text in problems):
            broken[finding.id] = tuple(dict.fromkeys(text for text in problems if text))
    return broken


def check_bonds(claims: ClaimSet, findings: Iterable[Finding], name: str) -> None:
    """Refuse a finding of claims that the paper does not have.

    Parameters
    ----------
    claims : ClaimSet
    findings : iterable of Finding
    name : str
        The file of findings, for the message.

    Raises
    ------
    InputFileError
    """
    for finding in findings:
        for number, bond in enumerate(finding.claims):
            if not claims.matching(bond["claim"]):
                raise InputFileError(
                    f"{name}: finding {finding.id!r}: claims[{number}].claim: no claim {bond['claim']!r}; "
                    f"{one_of(bond['claim'], claims.claims)}"
                )


def bound_claims(bond: Mapping[str, Any], audit: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The audited claims that a finding's ``claims`` entry names."""
    return [claim for claim in audit if fnmatch.fnmatchcase(claim["claim"], bond["claim"])]


def _claims_instead(bond: Mapping[str, Any], audit: Iterable[Mapping[str, Any]]) -> str | None:
    """Say which verdicts claims have instead of those expected.

    The text is empty where all is as it should be. None means that claims not testable in this run could still make
    it so.
    """
    claims = bound_claims(bond, audit)
    if not claims:
        return f"there is no claim {bond['claim']}"
    fitting = sum(_fits(claim, bond) for claim in claims)
    low, high = bond.get("at_least"), bond.get("at_most")
    if low is None and high is None:
        low = len(claims)
    if (low is None or fitting >= low) and (high is None or fitting <= high):
        return ""
    untested = sum(claim["verdict"] == NOT_TESTABLE and not _fits(claim, bond) for claim in claims)
    if low is not None and fitting < low <= fitting + untested:
        return None
    counts = Counter(_said(claim["verdict"], claim, bond) for claim in claims)
    tally = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    expected = f"{claimed_range(low, high, significant)} {_said(' or '.join(bond['verdict']), bond, bond)}"
    return f"{bond['claim']}: {tally}; expected {expected}"


def _fits(claim: Mapping[str, Any], bond: Mapping[str, Any]) -> bool:
    return (
        claim["verdict"] in bond["verdict"]
        and fnmatch.fnmatchcase(claim.get("universes", ""), bond.get("universes", "*"))
        and ("depends_on" not in bond or set(claim["depends_on"]) == set(bond["depends_on"]))
    )


def _said(verdict: str, of: Mapping[str, Any], bond: Mapping[str, Any]) -> str:
    """Write a verdict with what else the bond asks for."""
    others = f" ({of['universes'] or 'no'} other choices)" if "universes" in bond else ""
    choices = f" (on {', '.join(of['depends_on']) or 'nothing'})" if "depends_on" in bond else ""
    return f"{verdict}{others}{choices}"


def _number_instead(bond: Mapping[str, Any], results: Results) -> str | None:
    """Say what was measured instead of the expected number.

    The text is empty where all is as it should be, and None where nothing was measured.
    """
    queries = Finding("", "", "", numbers=(bond,)).queries()
    names = " minus ".join(
        f"{query['metric']} of {query['method']} on {query['dataset']}" for query in queries
    )
    rule = next(iter(results.selection), "")
    samples = [results.sample(query, rule) for query in queries]
    if any(sample.problem for sample in samples):
        return None
    values = samples[0].values.to_numpy() if len(samples) == 1 else np.subtract(*pair(*samples))
    if not values.size:
        return None
    exact = all(sample.point for sample in samples)
    interval = mean_interval(values, point=exact, overlap=overlap_of_pairs(tuple(samples)))
    # What is exactly at a bound is not beyond it, whatever binary fractions make of it.
    slack = 1e-12 * max(1.0, abs(interval.mean))
    low, high = bond.get("at_least"), bond.get("at_most")
    if "value" in bond:
        low, high = bond["value"] - bond["tolerance"], bond["value"] + bond["tolerance"]
    if (low is None or interval.low >= low - slack) and (high is None or interval.high <= high + slack):
        return ""
    ends = f"{significant(interval.low)} to {significant(interval.high)}"
    return f"{names} is {significant(interval.mean)} ({ends} at 95%); expected {claimed_range(low, high, significant)}"
