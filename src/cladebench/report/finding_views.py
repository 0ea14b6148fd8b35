"""Show findings as a reader meets them.

The sentence, whether it holds in this run, and what it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cladebench.audit.finding_checks import bound_claims, check_findings
from cladebench.bench.samples.results import Results
from cladebench.paper.findings import Finding
from cladebench.report.cell_links import CellLinks
from cladebench.report.claim_rows import said_by, settings_behind


@dataclass(frozen=True)
class FindingView:
    """One finding.

    Attributes
    ----------
    id, headline, text : str
    instead : tuple of str
        What this run has instead; empty where the finding holds, or cannot be checked.
    checked : bool
        Whether this run can check it.
    claims : tuple of (str, str, str)
        Id and verdict of each claim that it rests on, and what it says.
    cells : tuple of (str, str)
        A name and the address of the cells, for each number that it rests on.
    """

    id: str
    headline: str
    text: str
    instead: tuple[str, ...]
    checked: bool
    claims: tuple[tuple[str, str, str], ...]
    cells: tuple[tuple[str, str], ...]

    @property
    def rest(self) -> str:
        """The text without the headline, where it begins with it."""
        return self.text.removeprefix(self.headline).strip()


def finding_views(
    findings: Iterable[Finding], audit: Sequence[Mapping[str, Any]], results: Results, links: CellLinks
) -> tuple[FindingView, ...]:
    """Hold a paper's findings against a run, the unchecked ones last."""
    listed = list(findings)
    broken = check_findings(listed, audit, results)
    rule = next(iter(results.selection), "")
    views = []
    for finding in listed:
        bound = {c["claim"]: c for bond in finding.claims for c in bound_claims(bond, audit)}
        claims = tuple((name, c["verdict"], said_by(c, links.names)) for name, c in bound.items())
        samples = [results.sample(query, rule) for query in finding.queries()]
        cells = settings_behind((sample.cells for sample in samples if sample.cells), links)
        instead = broken.get(finding.id, ())
        checked = bool(instead) or finding.id not in broken
        views.append(FindingView(finding.id, finding.headline, finding.text, instead, checked, claims, cells))
    return tuple(sorted(views, key=lambda view: not view.checked))


def lead_finding(findings: Sequence[Finding], views: Sequence[FindingView]) -> FindingView | None:
    """Give the first finding, on the main claim, where it holds."""
    first = next(iter(findings), None)
    return next(
        (view for view in views if first and view.id == first.id and view.checked and not view.instead), None
    )
