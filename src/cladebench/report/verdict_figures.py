"""Gather and write the figures of a paper's verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.audit import ClaimSet
from cladebench.audit.claim_types import Claim
from cladebench.audit.finding_checks import check_findings
from cladebench.audit.kinds import kind_of
from cladebench.audit.random_methods import RandomMethod
from cladebench.audit.rules.against_published import against_published
from cladebench.audit.verdict.verdict_types import NOT_TESTABLE, Rules
from cladebench.bench.samples.samples import Sample
from cladebench.bench.statistics.intervals import mean_interval
from cladebench.paper.artifact_types import ArtifactContext
from cladebench.paper.findings import Findings
from cladebench.plotting import save_figure, use_style
from cladebench.report.audit_figures import PrintedAndOurs, main_result
from cladebench.report.choice_figures import changing, claims_by_choices
from cladebench.report.lead_figures import Lead, draw_leads
from cladebench.report.published_tables import columns_in_order


@dataclass(frozen=True)
class MainResult:
    """The table that a paper stands on, as printed and as measured.

    Attributes
    ----------
    artifact : str
        As claims place it.
    entries : tuple of PrintedAndOurs
    columns : tuple of str
        In the paper's order.
    blind : mapping of str to mapping of str to float
        Label of a method that learns nothing from the data -> column -> its mean, in printed units.
    headings : mapping of str to str
        Column -> the verdict on the order of its methods, where one is judged.
    heading : str
        What is measured, and in what unit.
    direction : str or None
        Which is better, where all columns agree.
    title : str
        The headline of the paper's first finding; empty where this run has something else.
    """

    artifact: str
    entries: tuple[PrintedAndOurs, ...]
    columns: tuple[str, ...]
    blind: Mapping[str, Mapping[str, float]]
    headings: Mapping[str, str]
    heading: str
    direction: str | None = None
    title: str = ""

    @property
    def by_row(self) -> dict[str, dict[str, PrintedAndOurs]]:
        """Entries under their row and column."""
        rows: dict[str, dict[str, PrintedAndOurs]] = {}
        for entry in self.entries:
            rows.setdefault(entry.row, {})[entry.column] = entry
        return rows


def gather_main_result(
    findings: Findings, claims: ClaimSet, audit: Iterable[Mapping[str, Any]], context: ArtifactContext
) -> MainResult | None:
    """Lay out the table that a paper's findings name.

    None where they name none, or nothing is printed there.
    """
    by_id = {row["claim"]: row for row in audit}
    placed = [
        claim
        for claim in claims.claims.values()
        if claim.id in by_id and findings.main_result and claim.place.get("artifact") == findings.main_result
    ]
    printed = [
        claim for claim in placed if kind_of(claim).printed_number and {"row", "column"} <= set(claim.place)
    ]
    if not printed:
        return None
    columns = {str(claim.place["column"]): claim for claim in printed}
    blind: dict[str, dict[str, float]] = {}
    for method in findings.blind:
        for column, claim in columns.items():
            sample = context.results.sample(RandomMethod(method).instead_of(claim.measure), context.own_rule)
            if not sample.problem:
                mean = float(sample.values.mean()) * float(claim.measure.get("scale", 1.0))
                blind.setdefault(str(context.methods[method]["label"]), {})[column] = mean
    rankings = {
        str(claim.place["column"]): str(by_id[claim.id]["verdict"])
        for claim in placed
        if kind_of(claim).heads_column and "column" in claim.place
    }
    measures = [context.measures[str(claim.measure["metric"])] for claim in printed]
    # Columns of several measures are told by their names; what they share is the unit.
    same = len({measure.name for measure in measures}) == 1
    heading = measures[0].heading if same else f"value ({measures[0].unit})" if measures[0].unit else "value"
    directions = {measure.direction for measure in measures}
    first = list(findings.findings[:1])
    holds = first and first[0].id not in check_findings(first, list(by_id.values()), context.results)
    return MainResult(
        findings.main_result,
        tuple(_printed(claim, by_id[claim.id], context, claims.rules) for claim in printed),
        columns_in_order(map(_place, printed)),
        blind,
        rankings,
        heading,
        directions.pop() if len(directions) == 1 else None,
        first[0].headline if holds else "",
    )


def _place(claim: Claim) -> tuple[str, str]:
    return str(claim.place["row"]), str(claim.place["column"])


def _printed(claim: Claim, row: Mapping[str, Any], context: ArtifactContext, rules: Rules) -> PrintedAndOurs:
    assert claim.published is not None
    band = None
    if row["measured"] is not None and row["verdict"] != NOT_TESTABLE:
        band = band_of(claim, context.results.sample(claim.measure, context.own_rule), rules)
    return PrintedAndOurs(
        *_place(claim),
        claim.published.text,
        claim.published.value,
        claim.published.spread,
        row["measured"],
        row["low"],
        row["high"],
        row["verdict"],
        band,
        bool(row.get("stand_in_for")),
    )


def band_of(claim: Claim, sample: Sample, rules: Rules) -> tuple[float, float] | None:
    """Give the printed numbers that would not contradict ours, as `judge_value` decides.

    Returns
    -------
    (float, float) or None
        None where one value says nothing of its spread.
    """
    assert claim.published is not None
    if sample.problem or sample.values.empty:
        return None
    values = sample.values.to_numpy() * float(claim.measure.get("scale", 1.0))
    half = claim.published.half_width(claim.allowance)
    matters = half + (claim.published.unit if claim.smallest_gap is None else claim.smallest_gap)
    if claim.seeds_alone and len(values) > 1:
        return float(values.min()) - matters, float(values.max()) + matters
    ours = mean_interval(values, point=sample.point, overlap=sample.overlap)
    difference = against_published(
        *(ours, claim.published.value, claim.published_sd, claim.repetitions), one_draw=claim.one_draw
    )
    reach = half + difference.half_width(1 - rules.alpha)
    if difference.within(matters) <= rules.alpha:  # shown to agree, whatever else is seen
        reach = max(reach, matters)
    return (ours.mean - reach, ours.mean + reach) if math.isfinite(reach) else None


def draw_verdicts(
    main: MainResult | None,
    leads: Sequence[Lead],
    audit: Sequence[Mapping[str, Any]],
    other_choices: Sequence[Mapping[str, str]],
    folder: Path,
) -> dict[str, Path]:
    """Draw and write the figures of verdicts: name -> SVG file."""
    drawn = {}
    with use_style():
        if main is not None:
            drawn["main-result"] = main_result(
                *(main.entries, main.columns, main.heading, main.blind, main.headings),
                title=main.title,
                direction=main.direction,
            )
        if leads:
            drawn["main-claim"] = draw_leads(leads, main.title if main else "")
        if changing(audit):
            drawn["universes"] = claims_by_choices(audit, other_choices)
        return {name: save_figure(figure, folder / name, ("svg",))[0] for name, figure in drawn.items()}
