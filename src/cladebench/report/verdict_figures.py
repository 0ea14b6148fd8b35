"""The figures of a paper's verdicts: what they are drawn from, and their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.audit import ClaimSet
from cladebench.audit.claim_types import Claim
from cladebench.audit.rivals import Rival
from cladebench.papers.artifact_types import ArtifactContext
from cladebench.papers.findings import Findings
from cladebench.plotting import FORMATS, save_figure, use_style
from cladebench.report.audit_figures import Printed, claims_by_universes, disagreeing, main_result
from cladebench.report.claim_rows import columns_in_order


@dataclass(frozen=True)
class MainResult:
    """The table that a paper stands on, as printed and as measured.

    Attributes
    ----------
    artifact : str
        As claims place it.
    entries : tuple of Printed
    columns : tuple of str
        In the paper's order.
    blind : mapping of str to mapping of str to float
        Label of a method that learns nothing from the data -> column -> its mean, in printed units.
    headings : mapping of str to str
        Column -> the verdict on the order of its methods, where one is judged.
    heading : str
        What is measured, and in what unit.
    """

    artifact: str
    entries: tuple[Printed, ...]
    columns: tuple[str, ...]
    blind: Mapping[str, Mapping[str, float]]
    headings: Mapping[str, str]
    heading: str

    @property
    def by_row(self) -> dict[str, dict[str, Printed]]:
        """Entries under their row and column."""
        found: dict[str, dict[str, Printed]] = {}
        for entry in self.entries:
            found.setdefault(entry.row, {})[entry.column] = entry
        return found


def gather_main_result(
    findings: Findings, claims: ClaimSet, audit: Iterable[Mapping[str, Any]], context: ArtifactContext
) -> MainResult | None:
    """Lay out the table that a paper's findings name; None where they name none, or nothing is printed there."""
    by_id = {row["claim"]: row for row in audit}
    placed = [
        claim
        for claim in claims.claims.values()
        if claim.id in by_id and findings.main_result and claim.place.get("artifact") == findings.main_result
    ]
    printed = [claim for claim in placed if claim.kind == "value" and {"row", "column"} <= set(claim.place)]
    if not printed:
        return None
    columns = {str(claim.place["column"]): claim for claim in printed}
    blind: dict[str, dict[str, float]] = {}
    for method in findings.blind:
        for column, claim in columns.items():
            sample = context.results.sample(Rival(method).instead_of(claim.measure), context.own_rule)
            if not sample.problem:
                mean = float(sample.values.mean()) * float(claim.measure.get("scale", 1.0))
                blind.setdefault(str(context.methods[method]["label"]), {})[column] = mean
    rankings = {
        str(claim.place["column"]): str(by_id[claim.id]["verdict"])
        for claim in placed
        if claim.kind == "ranking" and "column" in claim.place
    }
    measures = [context.measures[str(claim.measure["metric"])] for claim in printed]
    # Columns of several measures are told by their names; what they share is the unit.
    same = len({measure.name for measure in measures}) == 1
    heading = measures[0].heading if same else f"value ({measures[0].unit})" if measures[0].unit else "value"
    return MainResult(
        findings.main_result,
        tuple(_printed(claim, by_id[claim.id]) for claim in printed),
        columns_in_order(map(_place, printed)),
        blind,
        rankings,
        heading,
    )


def _place(claim: Claim) -> tuple[str, str]:
    return str(claim.place["row"]), str(claim.place["column"])


def _printed(claim: Claim, row: Mapping[str, Any]) -> Printed:
    assert claim.published is not None
    return Printed(
        *_place(claim),
        claim.published.text,
        claim.published.value,
        claim.published.spread,
        row["measured"],
        row["low"],
        row["high"],
        row["verdict"],
    )


def draw_verdicts(
    main: MainResult | None,
    audit: Sequence[Mapping[str, Any]],
    universes: Sequence[Mapping[str, str]],
    folder: Path,
    formats: Sequence[str] = FORMATS,
) -> dict[str, Path]:
    """Draw and write what there is to draw: name of the figure -> its SVG file, the other formats beside it."""
    drawn = {}
    with use_style():
        if main is not None:
            drawn["main-result"] = main_result(
                main.entries, main.columns, main.heading, main.blind, main.headings
            )
        if disagreeing(audit):
            drawn["universes"] = claims_by_universes(audit, universes)
        return {name: save_figure(figure, folder / name, formats)[0] for name, figure in drawn.items()}
