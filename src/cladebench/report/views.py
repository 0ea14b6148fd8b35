"""What a run left, gathered for the pages: the same content serves HTML and Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cladebench.audit.run_files import read_text_table
from cladebench.bench.plan import Plan
from cladebench.bench.store import Store, read_cells
from cladebench.notation import significant
from cladebench.papers.artifact_types import Artifact, ArtifactContext, Table
from cladebench.papers.catalogue import load_plan
from cladebench.papers.deviations import Deviation, deviations_table, load_deviations
from cladebench.report.artifact_files import build_context, paper_artifacts, paper_claims, shown
from cladebench.report.cell_links import Sources, cells_payload, gather_sources
from cladebench.report.claim_rows import (
    ClaimRow,
    PublishedTable,
    certificate_topics,
    claim_rows,
    published_tables,
    read_audit,
    verdict_counts,
)
from cladebench.report.run_facts import (
    Entry,
    control_rows,
    data_rows,
    environment_rows,
    expected_rows,
    failure_rows,
    status_counts,
)


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
    """All that the pages say of one paper."""

    plan: Plan
    audit: tuple[ClaimRow, ...]
    counts: dict[str, int]
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
    sources: Sources
    payload: dict[str, Any]

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
    certificates : tuple of dict or None
        Rows of ``certificates.csv`` as text; None when the run has none.
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
    certificates: tuple[dict[str, str], ...] | None
    topics: tuple[dict[str, Any], ...]
    environments: tuple[dict[str, Any], ...]
    cpu_seconds: float
    wall_seconds: float


def gather_run(results: Path, scope: str, papers: Sequence[str]) -> RunView:
    """Read a run.

    Parameters
    ----------
    results : Path
        Folder with ``cells.parquet`` and ``audit.csv``; ``certificates.csv`` and the figures where they were made.
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
    audit = read_audit(results)
    views = tuple(gather_paper(results, scope, paper, audit) for paper in papers)
    cells = cells[cells["paper"].isin([view.plan.paper for view in views])]
    certificates = read_certificates(results / "certificates.csv")
    return RunView(
        scope=scope,
        papers=views,
        certificates=certificates,
        topics=_topics(certificates or ()),
        environments=environment_rows(cells),
        cpu_seconds=float(cells["cpu_seconds"].sum()),
        wall_seconds=float(cells["wall_seconds"].sum()),
    )


def gather_paper(results: Path, scope: str, paper: str, audit: pd.DataFrame) -> PaperView:
    """Read what a run says of one paper; `audit` holds the rows of every paper."""
    plan = load_plan(paper)
    context = build_context(paper, scope, results)
    records = context.results.records
    claims = paper_claims(paper)
    sources = gather_sources(records, context.results.choices, plan.selection)
    rows = claim_rows(audit[audit["paper"] == plan.paper], sources)
    by_id = {row.claim: row for row in rows}
    artifacts = []
    for artifact in paper_artifacts(plan.package):
        if artifact.build is deviations_table:
            continue  # shown entry by entry
        if artifact.kind == "table":
            table = artifact.build(context)
            assert isinstance(table, Table)
            artifacts.append(_table_view(artifact, table, sources, by_id))
        else:
            figure = Path("figures") / plan.paper / f"{artifact.id}.svg"
            artifacts.append(ArtifactView(artifact, figure=figure if (results / figure).exists() else None))
    return PaperView(
        plan=plan,
        audit=rows,
        counts=verdict_counts(rows),
        published=published_tables(claims, rows),
        excluded=tuple(dict(entry) for entry in claims.excluded),
        artifacts=tuple(artifacts),
        deviations=_deviations(context, sources),
        datasets=data_rows(plan, scope, records),
        controls=control_rows(context, plan),
        failures=failure_rows(records, plan, scope, sources),
        expected=expected_rows(records, plan, scope),
        topics=certificate_topics(claims),
        statuses=status_counts(records),
        payload=cells_payload(records, sources, Store(results)),
        sources=sources,
    )


def read_certificates(path: Path) -> tuple[dict[str, str], ...] | None:
    """Rows of ``certificates.csv`` as text; None when there is no such file."""
    if not path.exists():
        return None
    frame = read_text_table(path, ("id", "topic", "passed"), "crosscheck")
    return tuple({str(key): str(value) for key, value in row.items()} for row in frame.to_dict("records"))


def passed(certificate: dict[str, str]) -> bool:
    """Whether a certificate passed."""
    return certificate["passed"].strip().lower() in ("true", "1")


def _table_view(
    artifact: Artifact, table: Table, sources: Sources, claims: Mapping[str, ClaimRow]
) -> ArtifactView:
    columns = tuple(str(column) for column in table.frame.columns)
    rows = tuple(
        tuple(
            Entry(
                str(value),
                sources.target(table.sources.get((number, column), ())),
                claims.get(table.claims.get((number, column), "")),
            )
            for column, value in zip(columns, values, strict=True)
        )
        for number, values in enumerate(shown(table.frame))
    )
    return ArtifactView(artifact, columns, rows, tuple(table.notes))


def _deviations(context: ArtifactContext, sources: Sources) -> tuple[DeviationView, ...]:
    """Deal the rows of the table of effects out to the entries of the register that they belong to."""
    try:
        register = load_deviations(context.package)
    except FileNotFoundError:
        return ()
    table = deviations_table(context)
    effects: dict[str, list[tuple[str, Entry, str]]] = {entry.id: [] for entry in register}
    current = ""
    for number, row in enumerate(table.frame.astype(str).to_dict("records")):
        current = row["deviation"] or current  # an entry's name stands in its first row alone
        target = sources.target(table.sources.get((number, "value"), ()))
        effects[current].append((row["compared"], Entry(row["value"], target), row["n"]))
    return tuple(DeviationView(entry, tuple(effects[entry.id])) for entry in register)


def _topics(certificates: Sequence[dict[str, str]]) -> tuple[dict[str, Any], ...]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in certificates:
        found.setdefault(row["topic"], []).append(row)

    def numbers(rows: list[dict[str, str]], column: str) -> list[float]:
        return [
            value for row in rows if (value := pd.to_numeric(row.get(column, ""), errors="coerce")) == value
        ]

    return tuple(
        {
            "topic": topic,
            "count": len(rows),
            "passed": sum(map(passed, rows)),
            "residual": f"{max(found_):.2g}" if (found_ := numbers(rows, "residual")) else "–",
            "seconds_fast": significant(sum(numbers(rows, "seconds_fast"))),
            "seconds_reference": significant(sum(numbers(rows, "seconds_reference"))),
        }
        for topic, rows in found.items()
    )
