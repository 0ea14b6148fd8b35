"""Gather what a run left, for the pages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.audit.audit_files import Audit, read_audit
from cladebench.audit.verdict.verdict_types import ANSWERS, NOT_TESTABLE, NOT_TESTED, VERDICTS
from cladebench.bench.plan.plan import Plan
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import Store
from cladebench.crosscheck.certificate import read_certificates
from cladebench.input_files import InputFileError, one_of
from cladebench.paper.artifact_types import Artifact, Table
from cladebench.paper.catalogue import load_plan
from cladebench.paper.choices import checked_choices
from cladebench.paper.choices_table import choices_table
from cladebench.paper.figures import EMPTY
from cladebench.paper.findings import checked_findings
from cladebench.report.artifact_files import build_context, paper_artifacts, paper_claims, read_table, shown
from cladebench.report.cell_details import cell_details
from cladebench.report.cell_links import CellLinks, link_cells
from cladebench.report.check_topics import claims_by_topic, topic_rows
from cladebench.report.claim_rows import ClaimRow, claim_row, place_for_readers
from cladebench.report.finding_views import finding_views, lead_finding
from cladebench.report.lead_figures import gather_leads
from cladebench.report.main_claims import Fault, faults
from cladebench.report.paper_view import ArtifactView, ChoiceView, PaperView
from cladebench.report.plain_words import names_of
from cladebench.report.published_tables import published_tables
from cladebench.report.result_sentence import result_sentence
from cladebench.report.run_facts import (
    Entry,
    control_rows,
    data_rows,
    environment_rows,
    expected_rows,
    failure_rows,
    status_counts,
)
from cladebench.report.statements import (
    add_up,
    by_answer,
    by_done,
    by_why,
    matrix,
    open_by_limit,
    stand_ins_by_done,
    statements,
    together,
)
from cladebench.report.svg_size import svg_notes
from cladebench.report.untested import count_untested, why_untested
from cladebench.report.verdict_figures import gather_main_result


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

    @property
    def matrix(self) -> dict[str, dict[str, int]]:
        """Statements of all papers by evidence and verdict."""
        return together(paper.matrix for paper in self.papers)

    @property
    def answers(self) -> dict[str, int]:
        """How many statements have each answer."""
        return by_answer(self.matrix)

    @property
    def whys(self) -> dict[str, dict[str, int]]:
        """For each answer, how many statements have it for which reason."""
        by_answer = {answer: by_why(self.matrix, answer) for answer in ANSWERS}
        return by_answer | {NOT_TESTED: add_up(paper.untested for paper in self.papers)}

    @property
    def limits(self) -> dict[str, dict[str, int]]:
        """For each limit that keeps statements open, how many for which reason."""
        return open_by_limit(self.matrix)

    @property
    def stand_ins(self) -> dict[str, dict[str, int]]:
        """For some answers on stand-in data, how many by what was done."""
        return stand_ins_by_done(self.matrix)

    @property
    def abbreviations(self) -> dict[str, str]:
        """Abbreviations on the pages of the run, each with its meaning."""
        return {word: meaning for paper in self.papers for word, meaning in paper.abbreviations.items()}

    @property
    def done(self) -> dict[str, dict[str, int]]:
        """How many statements have each answer, by what was done for them."""
        return by_done(self.matrix)

    @property
    def main_claims(self) -> tuple[ClaimRow, ...]:
        """The main claims of the papers that have one."""
        return tuple(paper.claim for paper in self.papers if paper.claim is not None)

    @property
    def result(self) -> str:
        """What the run shows, in a sentence or two."""
        answers = [VERDICTS[claim.verdict].answer for claim in self.main_claims]
        return result_sentence(len(self.papers), answers, self.answers)

    @property
    def n_statements(self) -> int:
        """How many statements the papers print."""
        return sum(self.answers.values())

    @property
    def n_tested(self) -> int:
        """How many of them could be tested."""
        return self.n_statements - self.answers[NOT_TESTED]

    @property
    def n_runs(self) -> int:
        """How many runs left a record."""
        return sum(paper.n_runs for paper in self.papers)

    @property
    def faults(self) -> tuple[tuple[PaperView, Fault], ...]:
        """Statements that do not hold, with the paper.

        The heaviest come first.
        """
        pairs = [(paper, fault) for paper in self.papers for fault in paper.faults]
        return tuple(sorted(pairs, key=lambda pair: pair[1].place))


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
    cells = read_cells(results / "cells.parquet", one_row_a_run=True)
    audit = read_audit(results / "audit.json")
    views = tuple(gather_paper(results, scope, paper, audit) for paper in papers)
    cells = cells[cells["paper"].isin([view.plan.paper for view in views])]
    certificates = read_certificates(results / "certificates.csv")
    return RunView(
        scope=scope,
        papers=views,
        certificates=None if certificates is None else tuple(certificates.to_dict("records")),
        topics=() if certificates is None else topic_rows(certificates),
        environments=environment_rows(cells),
        cpu_seconds=float(cells["cpu_seconds"].sum()),
        wall_seconds=float(cells["wall_seconds"].sum()),
    )


def gather_paper(results: Path, scope: str, paper: str, audit: Audit) -> PaperView:
    """Read what a run says of one paper.

    `audit` has the verdicts on every paper.
    """
    plan = load_plan(paper)
    claims = paper_claims(plan)
    context = build_context(plan, scope, results, claims)
    records = context.results.records
    judged = tuple(claim for claim in audit.claims if claim["paper"] == plan.paper)
    places = {c["claim"]: place_for_readers(c["place"]) for c in judged}
    stand_ins = {name: str(data["stand_in_for"] or "") for name, data in context.datasets.items()}
    names = names_of(plan, context.datasets, places, stand_ins)
    links = link_cells(plan.paper, records, context.results.choices, plan.selection, names)
    stated = statements(judged)
    head_of = {name: one.head for one in reversed(stated) for name in (*one.inside, one.head)}
    declared = {claim.id for claim in claims.claims.values() if claim.not_testable}
    untested = {c["claim"]: why_untested(c, declared) for c in judged if c["verdict"] == NOT_TESTABLE}
    rows = tuple(
        claim_row(claim, links, plan.selection, head_of[claim["claim"]], untested.get(claim["claim"], ""))
        for claim in judged
    )
    findings = checked_findings(plan)
    views = finding_views(findings.findings, judged, context.results, links)
    cells = records.drop_duplicates("cell_id")
    ran = cells[cells["status"] != "missing"]
    by_id = {row.claim: row for row in rows}
    artifacts = []
    effects = None
    for artifact in paper_artifacts(plan.package):
        if artifact.kind == "figure":
            artifacts.append(
                _figure_view(artifact, results, Path("figures") / plan.paper / f"{artifact.id}.svg")
            )
            continue
        table = read_table(results / "tables" / plan.paper / f"{artifact.id}.json")
        if artifact.build is choices_table:
            effects = table  # shown entry by entry
        else:
            artifacts.append(_table_view(artifact, table, links, by_id))
    return PaperView(
        plan=plan,
        audit=rows,
        matrix=matrix(stated),
        untested=count_untested((statement.head for statement in stated), judged, declared),
        findings=views,
        main=gather_main_result(findings, claims, judged, context),
        leads=gather_leads(claims, judged, context),
        claims=judged,
        other_choices=tuple(audit.other_choices.get(plan.paper, ())),
        published=published_tables(claims, rows),
        excluded=tuple(dict(entry) for entry in claims.excluded),
        artifacts=tuple(artifacts),
        choices=_choices(plan, effects, links, results / "tables" / plan.paper),
        datasets=data_rows(plan, scope, records),
        controls=control_rows(context, plan),
        failures=failure_rows(records, plan, scope, links),
        expected=expected_rows(records, plan, scope),
        topics=claims_by_topic(claims),
        statuses=status_counts(records),
        recorded=frozenset(records["metric"].dropna().unique()),
        details={
            (dataset, page): cell_details(
                records[records["dataset"] == dataset],
                [group for groups in methods.values() for group in groups],
                Store(results),
                names.metrics,
            )
            for (dataset, page), methods in links.by_page.items()
        },
        links=links,
        lead=lead_finding(findings.findings, views),
        faults=faults(rows, {claim.id: claim.error for claim in claims.claims.values()}, views),
        environments=environment_rows(ran),
        cpu_seconds=float(ran["cpu_seconds"].sum()),
        picture=_picture(findings.picture, artifacts, plan.paper),
    )


def _figure_view(artifact: Artifact, results: Path, figure: Path) -> ArtifactView:
    """Find a figure below the run's folder, with its notes."""
    if not (results / figure).exists():
        return ArtifactView(artifact)
    notes = svg_notes(results / figure)
    drawn = None if notes.startswith(EMPTY) else figure
    return ArtifactView(artifact, figure=drawn, notes=(notes,) if notes else ())


def _picture(name: str, artifacts: Iterable[ArtifactView], paper: str) -> ArtifactView | None:
    """Find the figure that a paper's findings name for the index."""
    if not name:
        return None
    figures = {view.artifact.id: view for view in artifacts if view.artifact.kind == "figure"}
    if name not in figures:
        where = f"{paper}/findings.yaml: main_result.picture"
        raise InputFileError(f"{where}: unknown figure {name!r}; {one_of(name, figures)}")
    return figures[name]


def _table_view(
    artifact: Artifact, table: Table, links: CellLinks, claims: Mapping[str, ClaimRow]
) -> ArtifactView:
    columns = tuple(str(column) for column in table.frame.columns)
    names = links.names
    rows = tuple(
        tuple(
            Entry(
                names.entry(column, str(value)),
                links.target(table.sources.get((number, column), ())),
                claims.get(table.claims.get((number, column), "")),
            )
            for column, value in zip(columns, values, strict=True)
        )
        for number, values in enumerate(shown(table.frame))
    )
    return ArtifactView(artifact, tuple(map(names.head, columns)), rows, tuple(map(names.note, table.notes)))


def _choices(plan: Plan, table: Table | None, links: CellLinks, folder: Path) -> tuple[ChoiceView, ...]:
    """Deal effects out to the unstated choices.

    They are rows of the table of effects.
    """
    register = checked_choices(plan)
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
                f"{folder}: its table of choices has {current!r}, which choices.yaml does not have; "
                "run cladebench artifacts, which makes it"
            )
        effects[current].append((links.names.in_list(row["compared"]), Entry(row["value"], target), row["n"]))
    return tuple(ChoiceView(entry, tuple(effects[entry.id])) for entry in register)
