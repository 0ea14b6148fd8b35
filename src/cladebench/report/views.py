"""What a run left, gathered for the pages: the same content serves HTML and Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench.audit.audit_files import Audit, read_audit
from cladebench.audit.evidence import EVIDENCE
from cladebench.audit.verdict_types import VERDICTS
from cladebench.bench.cells_table import read_cells
from cladebench.bench.plan import Plan
from cladebench.bench.store import Store
from cladebench.crosscheck.certificate import read_certificates
from cladebench.input_files import InputFileError
from cladebench.measures import Measure
from cladebench.notation import significant
from cladebench.papers.artifact_types import Artifact, Table
from cladebench.papers.catalogue import load_plan
from cladebench.papers.deviations import Deviation, checked_deviations
from cladebench.papers.deviations_table import deviations_table
from cladebench.papers.findings import checked_findings
from cladebench.report.artifact_files import build_context, paper_artifacts, paper_claims, read_table, shown
from cladebench.report.cell_details import cell_details
from cladebench.report.cell_links import CellLinks, link_cells
from cladebench.report.claim_rows import (
    ClaimRow,
    PublishedTable,
    certificate_topics,
    claim_row,
    published_tables,
)
from cladebench.report.finding_views import FindingView, finding_views
from cladebench.report.run_facts import (
    Entry,
    control_rows,
    data_rows,
    environment_rows,
    expected_rows,
    failure_rows,
    status_counts,
)
from cladebench.report.statements import matrix, statements
from cladebench.report.verdict_figures import MainResult, gather_main_result


@dataclass(frozen=True)
class ArtifactView:
    """A table (columns, rows, notes) or a figure (file below the run's folder; None when it was not made)."""

    artifact: Artifact
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Entry, ...], ...] = ()
    notes: tuple[str, ...] = ()
    figure: Path | None = None


@dataclass(frozen=True)
class DeviationView:
    """An entry of the register with its measured effects: what was compared, the value, n."""

    deviation: Deviation
    effects: tuple[tuple[str, Entry, str], ...]


@dataclass(frozen=True)
class PaperView:
    """All that the pages say of one paper.

    `matrix` counts statements by evidence and verdict; `claims` are the paper's entries of ``audit.json``, `universes`
    what that file says of the alternatives; `details` has for each data set what its page of cells shows.
    """

    plan: Plan
    audit: tuple[ClaimRow, ...]
    matrix: dict[str, dict[str, int]]
    findings: tuple[FindingView, ...]
    main: MainResult | None
    claims: tuple[Mapping[str, Any], ...]
    universes: tuple[Mapping[str, str], ...]
    published: tuple[PublishedTable, ...]
    excluded: tuple[dict[str, str], ...]
    artifacts: tuple[ArtifactView, ...]
    deviations: tuple[DeviationView, ...]
    datasets: tuple[dict[str, Any], ...]
    controls: tuple[dict[str, str], ...]
    failures: tuple[dict[str, Any], ...]
    expected: tuple[dict[str, Any], ...]
    topics: dict[str, list[str]]
    statuses: dict[str, int]
    recorded: frozenset[str]
    links: CellLinks
    details: dict[str, dict[str, Any]]

    @property
    def n_statements(self) -> int:
        """How many things the paper states, by each kind of evidence."""
        return sum(sum(row.values()) for row in self.matrix.values())

    @property
    def counts(self) -> dict[str, int]:
        """How many statements have each verdict, whatever the evidence."""
        verdicts = next(iter(self.matrix.values()), {})
        return {verdict: sum(row[verdict] for row in self.matrix.values()) for verdict in verdicts}

    @property
    def filter_counts(self) -> dict[str, dict[str, int]]:
        """What claims can be filtered by, and how many have each value."""
        fields: dict[str, Collection[str] | None] = {
            "verdict": VERDICTS,
            "evidence": EVIDENCE,
            "kind": None,
            "counted": ("statement", "part"),
        }
        names = {"verdict": "verdict", "evidence": "evidence", "kind": "kind", "counted": "level"}
        found = {}
        for field, order in fields.items():
            counts = Counter(getattr(row, names[field]) for row in self.audit)
            found[field] = {value: counts[value] for value in order or counts if counts[value]}
        return found

    @property
    def factors(self) -> frozenset[str]:
        """Entries of the register of deviations."""
        return frozenset(view.deviation.id for view in self.deviations)

    @property
    def partial(self) -> str:
        """What a run that has not finished rests on, in a sentence; empty where every planned cell has a record."""
        missing = self.statuses.get("missing", 0)
        recorded = sum(self.statuses.values()) - missing
        return (
            f"This run is partial: {missing:,} planned cell{'s have' if missing > 1 else ' has'} no record (missing);"
            f" verdicts and numbers rest on the {recorded:,} that have one."
            if missing
            else ""
        )

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the metrics of this run mean, in the order of the plan."""
        return tuple(measure for name, measure in self.plan.measures.items() if name in self.recorded)

    @property
    def rows_used(self) -> str:
        """Which data sets were not used as a whole, ``awa-attr 1,000 of 30,475; ...``; empty where all were."""
        return "; ".join(f"{data['name']} {data['rows_used']}" for data in self.datasets if data["rows_used"])

    @property
    def claim_ids(self) -> frozenset[str]:
        """Ids of the claims that have a row."""
        return frozenset(row.claim for row in self.audit)


@dataclass(frozen=True)
class RunView:
    """All that the pages say of a run.

    Attributes
    ----------
    certificates : tuple of Mapping or None
        Rows of ``certificates.csv``; None when the run has none.
    topics : tuple of dict
        For each topic of the certificates: topic, count, passed, residual (the largest), seconds_fast,
        seconds_reference.
    environments : tuple of dict
        Each commit, build, machine and set of versions that cells were run with, and how many.
    cpu_seconds, wall_seconds : float
        Sums over cells.
    """

    scope: str
    papers: tuple[PaperView, ...]
    certificates: tuple[Mapping[Hashable, Any], ...] | None
    topics: tuple[dict[str, Any], ...]
    environments: tuple[dict[str, Any], ...]
    cpu_seconds: float
    wall_seconds: float


def gather_run(results: Path, scope: str, papers: Sequence[str]) -> RunView:
    """Read a run.

    Parameters
    ----------
    results : Path
        Folder with ``cells.parquet``, ``audit.json`` and the tables; ``certificates.csv`` and the figures where they
        were made.
    scope : str
        Scope that was run.
    papers : sequence of str
        Ids or dotted packages.

    Raises
    ------
    InputFileError
        If a file that the pages need is missing or damaged.
    """
    cells = read_cells(results / "cells.parquet").drop_duplicates("cell_id")
    audit = read_audit(results / "audit.json")
    views = tuple(gather_paper(results, scope, paper, audit) for paper in papers)
    cells = cells[cells["paper"].isin([view.plan.paper for view in views])]
    certificates = read_certificates(results / "certificates.csv")
    return RunView(
        scope=scope,
        papers=views,
        certificates=None if certificates is None else tuple(certificates.to_dict("records")),
        topics=() if certificates is None else _topics(certificates),
        environments=environment_rows(cells),
        cpu_seconds=float(cells["cpu_seconds"].sum()),
        wall_seconds=float(cells["wall_seconds"].sum()),
    )


def gather_paper(results: Path, scope: str, paper: str, audit: Audit) -> PaperView:
    """Read what a run says of one paper; `audit` has the verdicts on every paper."""
    plan = load_plan(paper)
    claims = paper_claims(plan)
    context = build_context(plan, scope, results, claims)
    records = context.results.records
    links = link_cells(plan.paper, records, context.results.choices, plan.selection)
    judged = tuple(claim for claim in audit.claims if claim["paper"] == plan.paper)
    stated = statements(judged)
    head_of = {name: found.head for found in reversed(stated) for name in (*found.inside, found.head)}
    rows = tuple(claim_row(claim, links, plan.selection, head_of[claim["claim"]]) for claim in judged)
    findings = checked_findings(plan)
    by_id = {row.claim: row for row in rows}
    artifacts = []
    effects = None
    for artifact in paper_artifacts(plan.package):
        if artifact.kind == "figure":
            figure = Path("figures") / plan.paper / f"{artifact.id}.svg"
            artifacts.append(ArtifactView(artifact, figure=figure if (results / figure).exists() else None))
            continue
        table = read_table(results / "tables" / plan.paper / f"{artifact.id}.json")
        if artifact.build is deviations_table:
            effects = table  # shown entry by entry
        else:
            artifacts.append(_table_view(artifact, table, links, by_id))
    return PaperView(
        plan=plan,
        audit=rows,
        matrix=matrix(stated),
        findings=finding_views(findings.findings, judged, context.results, links),
        main=gather_main_result(findings, claims, judged, context),
        claims=judged,
        universes=tuple(audit.universes.get(plan.paper, ())),
        published=published_tables(claims, rows),
        excluded=tuple(dict(entry) for entry in claims.excluded),
        artifacts=tuple(artifacts),
        deviations=_deviations(plan, effects, links, results / "tables" / plan.paper),
        datasets=data_rows(plan, scope, records),
        controls=control_rows(context, plan),
        failures=failure_rows(records, plan, scope, links),
        expected=expected_rows(records, plan, scope),
        topics=certificate_topics(claims),
        statuses=status_counts(records),
        recorded=frozenset(records["metric"].dropna()),
        details={
            dataset: cell_details(
                records[records["dataset"] == dataset],
                [group for groups in methods.values() for group in groups],
                Store(results),
            )
            for dataset, methods in links.by_dataset.items()
        },
        links=links,
    )


def _table_view(
    artifact: Artifact, table: Table, links: CellLinks, claims: Mapping[str, ClaimRow]
) -> ArtifactView:
    columns = tuple(str(column) for column in table.frame.columns)
    rows = tuple(
        tuple(
            Entry(
                str(value),
                links.target(table.sources.get((number, column), ())),
                claims.get(table.claims.get((number, column), "")),
            )
            for column, value in zip(columns, values, strict=True)
        )
        for number, values in enumerate(shown(table.frame))
    )
    return ArtifactView(artifact, columns, rows, tuple(table.notes))


def _deviations(plan: Plan, table: Table | None, links: CellLinks, folder: Path) -> tuple[DeviationView, ...]:
    """Deal the rows of the table of effects out to the entries of the register that they belong to."""
    register = checked_deviations(plan)
    if not register:
        return ()
    effects: dict[str, list[tuple[str, Entry, str]]] = {entry.id: [] for entry in register}
    current = ""
    rows = [] if table is None else table.frame.astype(str).to_dict("records")
    for number, row in enumerate(rows):
        current = row["deviation"] or current  # an entry's name stands in its first row alone
        target = links.target(table.sources.get((number, "value"), ())) if table else None
        if current not in effects:
            raise InputFileError(
                f"{folder}: its table of deviations has {current!r}, which deviations.yaml does not have; "
                "run cladebench artifacts, which makes it"
            )
        effects[current].append((row["compared"], Entry(row["value"], target), row["n"]))
    return tuple(DeviationView(entry, tuple(effects[entry.id])) for entry in register)


def _topics(certificates: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "topic": topic,
            "count": len(rows),
            "passed": int(rows["passed"].sum()),
            "residual": f"{rows['residual'].max():.2g}" if rows["residual"].notna().any() else "–",
            "seconds_fast": significant(rows["seconds_fast"].sum()),
            "seconds_reference": significant(rows["seconds_reference"].sum()),
        }
        for topic, rows in certificates.groupby("topic", sort=False)
    )
