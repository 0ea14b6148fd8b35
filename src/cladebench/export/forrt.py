"""Draft FORRT replication outcomes, a file a paper, an entry a statement.

Fields and words are those of the template "Declaring a replication study outcome according to FORRT".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cladebench.audit.evidence import BY_CONSTRUCTION, EVIDENCE, OTHER_DATA, PAPER_RECIPE, PRINTED_NUMBERS
from cladebench.audit.verdict.verdict_types import OPEN, VERDICTS
from cladebench.audit.verdict_statuses import (
    INCONCLUSIVE,
    PARTLY,
    REFUTED,
    UNTESTED,
    VALIDATED,
    status_of,
)
from cladebench.export.run_folder import Format, PaperRun, RunFolder, as_json
from cladebench.notation import significant
from cladebench.report.cell_links import encoded
from cladebench.report.claim_rows import place_for_readers
from cladebench.report.paper_facts import address_of
from cladebench.report.source_code import repository
from cladebench.report.statement_reviews import claim_text

TEMPLATE = "https://w3id.org/np/RA2zljn0Nw9SadppOyxZoh-_Rxosslrq-vYG-p9SttnJE"
_TERMS = "https://w3id.org/sciencelive/o/terms/"
#: Status -> its term.
TERMS = {
    VALIDATED: f"{_TERMS}Validated",
    PARTLY: f"{_TERMS}PartiallySupported",
    REFUTED: f"{_TERMS}Contradicted",
    INCONCLUSIVE: f"{_TERMS}Inconclusive",
    UNTESTED: f"{_TERMS}NotTested",
}
#: Confidence -> its term.
CONFIDENCE = {
    "high": f"{_TERMS}HighConfidence",
    "moderate": f"{_TERMS}Moderate",
    "low": f"{_TERMS}LowConfidence",
    "very low": f"{_TERMS}VeryLowConfidence",
}
DRAFT = (
    "A draft, written by a program and signed by nobody. A person checks it, chooses the study and the date, "
    "and signs it."
)


def files(run: RunFolder, folder: Path) -> Mapping[str, bytes]:
    """Give ``<paper>.json`` for each paper."""
    return {f"{paper.name}.json": as_json(drafts(paper)) for paper in run.papers}


def drafts(paper: PaperRun) -> dict[str, Any]:
    """Write the outcomes of all statements of a paper."""
    return {
        "kind": "forrt-replication-outcome-drafts",
        "draft": DRAFT,
        "template": TEMPLATE,
        "paper": {
            "title": paper.plan.title,
            "citation": " ".join(paper.plan.citation.split()),
            "address": address_of(paper.plan.citation) or None,
        },
        "outcomes": [outcome(paper, claim) for claim in paper.statements],
    }


def outcome(paper: PaperRun, claim: Mapping[str, Any]) -> dict[str, Any]:
    """Write one statement as an outcome.

    ``fields`` has the keys of the template; what a person must say is null. The rest is for that person.
    """
    status, verdict = status_of(claim), VERDICTS[claim["verdict"]]
    said = claim_text(claim)
    return {
        "signed": False,
        "draft": DRAFT,
        "quote": said,
        "place": place_for_readers(claim["place"]),
        "fields": {
            "outcome": encoded(f"{paper.name}-{claim['claim']}").replace("/", "_2f_"),
            "label": f"{paper.name}: {said}",
            "study": None,
            "repo": repository() or None,
            "date": None,
            "validationStatus": TERMS[status],
            "conclusion": f"{status.meaning} Our answer: {verdict.answer}, {verdict.why}.",
            "evidence": evidence(claim),
            "confidenceLevel": CONFIDENCE.get(confidence(claim)),
            "limitations": limitations(claim),
        },
        "status": status.name,
        "confidence": confidence(claim) or None,
        "claim": claim["claim"],
        "kind": claim["kind"],
        "main": claim["main"],
        "verdict": claim["verdict"],
        "answer": verdict.answer,
        "sample_size": claim["n"],
        "effect": effect(claim),
    }


def confidence(claim: Mapping[str, Any]) -> str:
    """Suggest how strong the evidence is, whichever way it points.

    Decided answers are high; on other data than the paper's, or data by its recipe, they are moderate. Open ones are
    low, inconclusive ones very low. Nothing for what was not tested.
    """
    status = status_of(claim)
    if status is UNTESTED:
        return ""
    if status is INCONCLUSIVE:
        return "very low"
    if VERDICTS[claim["verdict"]].answer == OPEN:
        return "low"
    return "moderate" if claim["evidence"] in (OTHER_DATA, PAPER_RECIPE) else "high"


def evidence(claim: Mapping[str, Any]) -> str:
    """Say the evidence, reason and number of results behind an answer."""
    said = f"{EVIDENCE[claim['evidence']].done}. {claim['reason']}"
    return f"{said}; n = {claim['n']}" if claim["n"] is not None else said


def limitations(claim: Mapping[str, Any]) -> str:
    """Say what limits the answer; empty where nothing is known to."""
    on_paper = claim["evidence"] in (PRINTED_NUMBERS, BY_CONSTRUCTION)
    reasons = [
        (on_paper and ["re-run"], "Checked on paper, not {}."),
        (
            not on_paper and ["ours"],
            "The methods are written anew from the paper, so that a difference may be {}.",
        ),
        (claim["stand_in_for"], "Measured on stand-in data for {}."),
        (claim["depends_on"], "The answer turns on choices that the paper leaves unsaid: {}."),
        (claim["not_run"], "Other choices that were not run: {}."),
        (claim["universes"] and [claim["universes"]], "How it comes out {}."),
        (claim["reading"] and [claim["reading"]], "The words were read as: {}."),
    ]
    return " ".join(text.format("; ".join(values)) for values, text in reasons if values)


def effect(claim: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the numbers behind an answer; none where nothing was measured."""
    keys = ("measured", "low", "high", "difference", "p_value", "p_adjusted")
    measured = {key: claim[key] for key in keys if claim[key] is not None}
    if not measured:
        return None
    named = {"published": claim["published"], "metric": claim["metric"]}
    numbers = {key: float(significant(value, 6)) for key, value in measured.items()}
    return {key: value for key, value in named.items() if value} | numbers


FORMAT = Format("export/forrt", files)
