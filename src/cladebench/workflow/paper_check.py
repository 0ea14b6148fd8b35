"""Check all files that a user writes for a paper, before running."""

from __future__ import annotations

from cladebench.audit.claim_checks import check_register
from cladebench.audit.claims_file import checked_claims
from cladebench.audit.finding_checks import check_bonds
from cladebench.bench.plan.plan import Plan
from cladebench.file_lines import lines_told
from cladebench.paper.catalogue import load_artifacts, validate_protocol
from cladebench.paper.choices import checked_choices
from cladebench.paper.findings import checked_findings


def check_paper(plan: Plan) -> None:
    """Check a plan: protocol, claims, register, findings, tables and figures.

    Raises
    ------
    InputFileError
        If one of them is wrong; names the file, the key, the value and what is allowed.
    """
    validate_protocol(plan)
    check_texts(plan)
    if plan.path.with_name("artifacts.py").exists():
        load_artifacts(plan.package)


def check_texts(plan: Plan) -> None:
    """Check a paper's claims, register and findings, where it has them.

    Raises
    ------
    InputFileError
        As `check_paper`.
    """
    register = checked_choices(plan)
    findings = checked_findings(plan)
    if (plan.path.parent / "claims.yaml").exists():
        claims = checked_claims(plan.path.parent / "claims.yaml", plan)
        with lines_told(plan.path.with_name("choices.yaml")):
            check_register(claims, register, f"{plan.paper}/choices.yaml")
        with lines_told(plan.path.with_name("findings.yaml")):
            check_bonds(claims, findings.findings, f"{plan.paper}/findings.yaml")
