"""The parts of the README that a run gives: counts of verdicts, findings and main results, between markers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cladebench.audit.audit_files import Audit, read_audit
from cladebench.audit.finding_checks import check_findings
from cladebench.bench.plan import Plan
from cladebench.input_files import InputFileError, one_of
from cladebench.papers.catalogue import load_plan
from cladebench.papers.findings import Finding, checked_findings
from cladebench.report.artifact_files import build_context, figure_formats, paper_claims
from cladebench.report.statements import matrix, statements
from cladebench.report.templating import markdown_page
from cladebench.report.verdict_figures import MainResult, gather_main_result

_BLOCK = re.compile(
    r"(?P<start><!-- cladebench readme: (?P<name>\S+) -->\n)(?P<body>.*?)(?P<end><!-- end -->)", re.DOTALL
)


@dataclass(frozen=True)
class _Paper:
    """What the README says of one paper.

    `unchecked` are the findings that the run cannot check, `figure` is the picture of its main result.
    """

    plan: Plan
    matrix: Mapping[str, Mapping[str, int]]
    findings: tuple[Finding, ...]
    unchecked: tuple[Finding, ...]
    main: MainResult | None
    figure: str
    cells: int
    cpu_seconds: float


def readme_blocks(results: Path, scope: str, papers: Sequence[str]) -> dict[str, str]:
    """Give the text of each part of the README: ``verdicts``, and one under the id of each paper.

    Parameters
    ----------
    results : Path
        Folder of the run, with ``cells.parquet`` and ``audit.json``.
    scope : str
        Scope that was run.
    papers : sequence of str
        Ids or dotted packages.

    Raises
    ------
    InputFileError
        If a file is missing or damaged, or the run has something else in the place of a finding.
    """
    audit = read_audit(results / "audit.json")
    found = [_gather(results, scope, paper, audit) for paper in papers]
    seen = {verdict for paper in found for row in paper.matrix.values() for verdict in row}
    blocks = {"verdicts": markdown_page("readme-verdicts.md", papers=found, seen=seen)}
    return blocks | {
        paper.plan.paper: markdown_page("readme-paper.md", paper=paper, scope=scope) for paper in found
    }


def _gather(results: Path, scope: str, paper: str, audit: Audit) -> _Paper:
    plan = load_plan(paper)
    claims = paper_claims(plan)
    context = build_context(plan, scope, results, claims)
    judged = [claim for claim in audit.claims if claim["paper"] == plan.paper]
    findings = checked_findings(plan)
    broken = check_findings(findings.findings, judged, context.results)
    for name, instead in broken.items():
        if instead:
            raise InputFileError(
                f"{plan.paper}/findings.yaml: finding {name!r}: found instead: {'; '.join(instead)}"
            )
    cells = context.results.records.drop_duplicates("cell_id")
    cells = cells[cells["status"] != "missing"]
    return _Paper(
        plan=plan,
        matrix=matrix(statements(judged)),
        findings=tuple(finding for finding in findings.findings if finding.id not in broken),
        unchecked=tuple(finding for finding in findings.findings if finding.id in broken),
        main=gather_main_result(findings, claims, judged, context),
        figure=(results / "figures" / plan.paper / f"main-result.{figure_formats(scope)[-1]}").as_posix(),
        cells=len(cells),
        cpu_seconds=float(cells["cpu_seconds"].sum()),
    )


def renew_readme(text: str, blocks: Mapping[str, str], name: str) -> str:
    """Put each part between its markers, ``<!-- cladebench readme: NAME -->`` and ``<!-- end -->``.

    Parameters
    ----------
    text : str
        Of the README.
    blocks : mapping of str to str
    name : str
        The file, for messages.

    Raises
    ------
    InputFileError
        If the README has no marker, or one that names no part.
    """
    marked = [found["name"] for found in _BLOCK.finditer(text)]
    if not marked:
        raise InputFileError(f"{name}: no part between <!-- cladebench readme: NAME --> and <!-- end -->")
    for part in marked:
        if part not in blocks:
            raise InputFileError(f"{name}: cladebench readme: unknown part {part!r}; {one_of(part, blocks)}")
    return _BLOCK.sub(lambda found: f"{found['start']}{blocks[found['name']]}{found['end']}", text)
