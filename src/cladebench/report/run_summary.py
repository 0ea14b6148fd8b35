"""Say in one page what a run says and took.

It has main claims, answers counted, findings and main tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cladebench.audit.audit_files import read_audit
from cladebench.audit.evidence import ON_PAPER
from cladebench.audit.finding_checks import check_findings
from cladebench.audit.other_choices import count_stances, stance_in_words
from cladebench.audit.verdict.verdict_types import ANSWERS, DOES_NOT_HOLD, HOLDS, NOT_TESTED, VERDICTS
from cladebench.bench.plan.plan import Plan
from cladebench.input_files import InputFileError
from cladebench.paper.catalogue import load_plan
from cladebench.paper.findings import Finding, checked_findings
from cladebench.report.artifact_files import build_context, paper_claims
from cladebench.report.paper_facts import short_name, year_of
from cladebench.report.result_sentence import result_sentence
from cladebench.report.statements import by_answer, by_done, matrix, open_by_limit, statements, together
from cladebench.report.verdict_figures import MainResult, gather_main_result


@dataclass(frozen=True)
class PaperSummary:
    """One paper of a run.

    Attributes
    ----------
    plan : Plan
    quote, verdict : str
        The main claim as printed, and its verdict; empty where no claim is the main one.
    matrix : mapping of str to mapping of str to int
        Statements by evidence and verdict.
    stand_ins : int
        How many statements rest on stand-in data.
    findings, unchecked : tuple of Finding
        Those that the run bears out, and those that it cannot check.
    main_result : MainResult or None
        The table that the paper stands on.
    figure : str
        Picture of that table, below the folder of the run.
    runs : int
    cpu_seconds : float
    our_choices, other_choices : str
        How the main claim comes out with our choices, as ``open``. How many others support it, leave it open and
        contradict it, as ``0/25/22``. Empty where none could be judged.
    """

    plan: Plan
    quote: str
    verdict: str
    matrix: Mapping[str, Mapping[str, int]]
    stand_ins: int
    findings: tuple[Finding, ...]
    unchecked: tuple[Finding, ...]
    main_result: MainResult | None
    figure: str
    runs: int
    cpu_seconds: float
    our_choices: str = ""
    other_choices: str = ""

    @property
    def short(self) -> str:
        """Its name in tables: ``HMMC``, ``Taxonomy``."""
        return short_name(self.plan)

    @property
    def year(self) -> str:
        """Year of its citation; empty where it has none."""
        return year_of(self.plan.citation)

    @property
    def counts(self) -> dict[str, int]:
        """Statements by answer."""
        return by_answer(self.matrix)

    @property
    def statements(self) -> int:
        """How many statements it makes."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class RunSummary:
    """A run, paper after paper; `audit_sha256` is that of its ``audit.csv``."""

    scope: str
    papers: tuple[PaperSummary, ...]
    audit_sha256: str

    @property
    def matrix(self) -> dict[str, dict[str, int]]:
        """Statements of all papers by evidence and verdict."""
        return together(paper.matrix for paper in self.papers)

    @property
    def counts(self) -> dict[str, int]:
        """Statements of all papers by answer."""
        return by_answer(self.matrix)

    @property
    def by_done(self) -> dict[str, dict[str, int]]:
        """Statements by what was done and by answer."""
        return by_done(self.matrix)

    @property
    def on_paper(self) -> dict[str, int]:
        """For each answer, how many statements have it and need no data."""
        return self.by_done.get(ON_PAPER, {})

    @property
    def limits(self) -> dict[str, dict[str, int]]:
        """For each limit that keeps statements open, how many for which reason."""
        return open_by_limit(self.matrix)

    @property
    def seen(self) -> list[str]:
        """Verdicts that any statement has, in the order of tables."""
        met = {verdict for row in self.matrix.values() for verdict in row}
        return [verdict for verdict in VERDICTS if verdict in met]

    @property
    def runs(self) -> int:
        """Runs of all papers."""
        return sum(paper.runs for paper in self.papers)

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all runs."""
        return sum(paper.cpu_seconds for paper in self.papers)

    @property
    def sentence(self) -> str:
        """Say how the main claims come out."""
        answers = [VERDICTS[paper.verdict].answer for paper in self.papers if paper.verdict]
        return result_sentence(len(self.papers), answers, self.counts)

    @property
    def total(self) -> str:
        """Say how many statements could be tested, and how they come out."""
        counts = self.counts
        tested = sum(counts.values()) - counts[NOT_TESTED]
        needless = {name: self.on_paper.get(name, 0) for name in (HOLDS, DOES_NOT_HOLD)}
        notes = {name: f"{count:,} without data" for name, count in needless.items() if count}
        out = f": {answered(counts | {NOT_TESTED: 0}, notes)}" if tested else ""
        return f"Of {sum(counts.values()):,} printed numbers and sentences, {tested:,} could be tested{out}."


def answered(counts: Mapping[str, int], notes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write counts of answers as words, without those that none has.

    >>> answered({"holds": 1, "open": 4, "not tested": 0}, {"open": "3 on stand-ins"})
    '1 holds, 4 open (3 on stand-ins)'
    """
    return ", ".join(
        f"{counts[name]:,} {name if counts[name] == 1 else answer.plural}"
        + (f" ({notes[name]})" if name in notes else "")
        for name, answer in ANSWERS.items()
        if counts.get(name)
    )


def summarise_run(results: Path, scope: str, papers: Sequence[str]) -> RunSummary:
    """Gather what a run says in one page.

    Parameters
    ----------
    results : Path
        Folder of the run, with ``cells.parquet``, ``audit.json`` and ``audit.csv``.
    scope : str
        Scope that was run.
    papers : sequence of str
        Ids or dotted packages.

    Raises
    ------
    InputFileError
        If a file is missing or damaged, or a finding does not hold in the run.
    """
    audit = read_audit(results / "audit.json")
    try:
        digest = hashlib.sha256((results / "audit.csv").read_bytes()).hexdigest()
    except OSError as error:
        raise InputFileError(
            f"{results / 'audit.csv'}: cannot be read: {error.strerror}; run cladebench audit"
        ) from None
    summaries = tuple(_paper(results, scope, paper, audit.claims) for paper in papers)
    return RunSummary(scope, summaries, digest)


def _paper(results: Path, scope: str, paper: str, audit: Iterable[Mapping[str, Any]]) -> PaperSummary:
    plan = load_plan(paper)
    claims = paper_claims(plan)
    context = build_context(plan, scope, results, claims)
    judged = [claim for claim in audit if claim["paper"] == plan.paper]
    findings = checked_findings(plan)
    broken = check_findings(findings.findings, judged, context.results)
    for name, instead in broken.items():
        if instead:
            raise InputFileError(
                f"{plan.paper}/findings.yaml: finding {name!r}: found instead: {'; '.join(instead)}"
            )
    cells = context.results.records.drop_duplicates("cell_id")
    cells = cells[cells["status"] != "missing"]
    stated = statements(judged)
    on_stand_ins = {claim["claim"] for claim in judged if claim["stand_in_for"]}
    main = next((claim for claim in judged if claim["main"]), None)
    return PaperSummary(
        plan=plan,
        quote=" ".join(main["quote"].split()) if main else "",
        verdict=main["verdict"] if main else "",
        matrix=matrix(stated),
        stand_ins=sum(statement.head in on_stand_ins for statement in stated),
        findings=tuple(finding for finding in findings.findings if finding.id not in broken),
        unchecked=tuple(finding for finding in findings.findings if finding.id in broken),
        main_result=gather_main_result(findings, claims, judged, context),
        figure=f"figures/{plan.paper}/main-result.svg",
        runs=len(cells),
        cpu_seconds=float(cells["cpu_seconds"].sum()),
        our_choices=stance_in_words(main["stance"]) if main else "",
        other_choices=count_stances(main["stances"]) if main else "",
    )
