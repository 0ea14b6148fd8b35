"""What the pages say of one paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.bench.plan.plan import Plan
from cladebench.measures import Measure
from cladebench.paper.artifact_types import Artifact
from cladebench.paper.choices import UnstatedChoice
from cladebench.report import paper_facts, source_code
from cladebench.report.abbreviations import abbreviations
from cladebench.report.cell_links import CellLinks
from cladebench.report.claim_rows import ClaimRow
from cladebench.report.finding_views import FindingView
from cladebench.report.lead_figures import Lead
from cladebench.report.main_claims import Fault, main_claim, what_we_saw
from cladebench.report.published_tables import PublishedTable
from cladebench.report.run_facts import Entry
from cladebench.report.statement_reviews import (
    claim_review,
    claim_review_document,
    is_tested,
    statement_heads,
)
from cladebench.report.statements import by_answer, by_done
from cladebench.report.verdict_figures import MainResult


@dataclass(frozen=True)
class ArtifactView:
    """Hold a table or a figure.

    A table has columns, rows and notes; a figure has notes and a file below the run's folder, None when it was not
    made.
    """

    artifact: Artifact
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Entry, ...], ...] = ()
    notes: tuple[str, ...] = ()
    figure: Path | None = None


@dataclass(frozen=True)
class ChoiceView:
    """Hold an unstated choice with its measured effects.

    What was compared, the value, n.
    """

    choice: UnstatedChoice
    effects: tuple[tuple[str, Entry, str], ...]


@dataclass(frozen=True)
class PaperView:
    """All that the pages say of one paper.

    `matrix` counts statements by evidence and verdict; `claims` are the paper's entries of ``audit.json``,
    `other_choices` what that file says of them; `details` has for each page of cells what it shows.
    `picture` is the figure that the index shows in the place of the drawn table, if the findings name one.
    `lead` is the first finding, where it holds in this run; `environments` are the states of code and machine behind
    the paper's runs. `untested` counts the statements that were not tested by the reason; `faults` do not hold.
    """

    plan: Plan
    audit: tuple[ClaimRow, ...]
    matrix: dict[str, dict[str, int]]
    untested: dict[str, int]
    findings: tuple[FindingView, ...]
    main: MainResult | None
    leads: tuple[Lead, ...]
    claims: tuple[Mapping[str, Any], ...]
    other_choices: tuple[Mapping[str, str], ...]
    published: tuple[PublishedTable, ...]
    excluded: tuple[dict[str, str], ...]
    artifacts: tuple[ArtifactView, ...]
    choices: tuple[ChoiceView, ...]
    datasets: tuple[dict[str, Any], ...]
    controls: tuple[dict[str, str], ...]
    failures: tuple[dict[str, Any], ...]
    expected: tuple[dict[str, Any], ...]
    topics: dict[str, list[str]]
    statuses: dict[str, int]
    recorded: frozenset[str]
    links: CellLinks
    details: dict[tuple[str, int], dict[str, Any]]
    lead: FindingView | None
    faults: tuple[Fault, ...]
    environments: tuple[dict[str, Any], ...]
    cpu_seconds: float
    picture: ArtifactView | None = None

    @property
    def short(self) -> str:
        """A short name, such as ``GHC``."""
        return paper_facts.short_name(self.plan)

    @property
    def year(self) -> str:
        """Year of the paper; empty where the citation has none."""
        return paper_facts.year_of(self.plan.citation)

    @property
    def address(self) -> str:
        """Where the paper is; empty where the citation has no number."""
        return paper_facts.address_of(self.plan.citation)

    @property
    def folder(self) -> str:
        """The folder of its code."""
        return source_code.folder_of(self.plan.package)

    @property
    def asked_as(self) -> str:
        """Its name for commands."""
        return source_code.asked_as(self.plan.package)

    @property
    def folder_address(self) -> str:
        """Where that folder is; empty where no repository is known."""
        return source_code.folder_address(self.plan.package)

    @property
    def abbreviations(self) -> dict[str, str]:
        """Abbreviations on its pages, each with its meaning."""
        return abbreviations(self.plan)

    @property
    def data_addresses(self) -> dict[str, str]:
        """Give official addresses of data by name, empty without one."""
        return {row["title"]: next(iter(row["urls"]), "") for row in self.registered_data}

    @property
    def registered_data(self) -> tuple[Mapping[str, Any], ...]:
        """List its data, each entry of the registry once."""
        first: dict[str, Mapping[str, Any]] = {}
        for row in self.own_datasets:
            first.setdefault(row["registry"], row)
        return tuple(first.values())

    @property
    def own_datasets(self) -> tuple[Mapping[str, Any], ...]:
        """List the paper's data, or their stand-ins, that this run had."""
        return paper_facts.data_of_the_paper(self.plan, self.datasets)

    @property
    def whose_data(self) -> str:
        """Whether its data are its own or stand-ins."""
        return paper_facts.whose_data(self.own_datasets)

    @property
    def n_runs(self) -> int:
        """How many runs left a record."""
        return sum(count for status, count in self.statuses.items() if status != "missing")

    @property
    def claim(self) -> ClaimRow | None:
        """The main claim."""
        return main_claim(self.audit)

    @property
    def reviews(self) -> dict[str, Any]:
        """Write the statements that were judged as ClaimReview."""
        heads = filter(is_tested, statement_heads(self.claims))
        return claim_review_document(claim_review(self.plan, claim) for claim in heads)

    @property
    def main_review(self) -> dict[str, Any]:
        """Write the main claim as ClaimReview."""
        mains = (claim for claim in self.claims if claim["main"])
        return claim_review_document(claim_review(self.plan, claim) for claim in mains)

    @property
    def saw(self) -> str:
        """What this run shows of the main claim."""
        return what_we_saw(self.claim, self.lead)

    @property
    def more_findings(self) -> tuple[FindingView, ...]:
        """The findings that hold in this run, without `lead`."""
        return tuple(f for f in self.findings if f.checked and not f.instead and f != self.lead)

    @property
    def answers(self) -> dict[str, int]:
        """How many statements have each answer."""
        return by_answer(self.matrix)

    @property
    def done(self) -> dict[str, dict[str, int]]:
        """How many statements have each answer, by what was done for them."""
        return by_done(self.matrix)

    @property
    def n_statements(self) -> int:
        """How many things the paper states, by each kind of evidence."""
        return sum(sum(row.values()) for row in self.matrix.values())

    @property
    def choice_names(self) -> frozenset[str]:
        """Names of the unstated choices."""
        return frozenset(view.choice.id for view in self.choices)

    @property
    def partial(self) -> str:
        """Say what an unfinished run rests on; empty for a finished one."""
        missing = self.statuses.get("missing", 0)
        recorded = sum(self.statuses.values()) - missing
        return (
            f"This run is partial: {missing:,} planned run{'s have' if missing > 1 else ' has'} no record (missing);"
            f" verdicts and numbers rest on the {recorded:,} that have one."
            if missing
            else ""
        )

    @property
    def measures(self) -> tuple[Measure, ...]:
        """List this run's measures in the order of the plan."""
        return tuple(measure for name, measure in self.plan.measures.items() if name in self.recorded)

    @property
    def rows_used(self) -> str:
        """Say which data sets were not used as a whole.

        ``Spambase 1,000 of 4,601; ...``; empty where all were.
        """
        return "; ".join(
            f"{data['title']} {data['rows_used']}" for data in self.datasets if data["rows_used"]
        )

    @property
    def said(self) -> dict[str, str]:
        """What each claim says, in a line."""
        return {row.claim: row.said for row in self.audit}

    @property
    def claim_ids(self) -> frozenset[str]:
        """Ids of the claims that have a row."""
        return frozenset(row.claim for row in self.audit)
