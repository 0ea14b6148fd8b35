"""Make the pages of one paper.

What was seen comes first; details, runs and long tables have pages of their own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cladebench.paper.tables import settings_table, status_table
from cladebench.report.cell_links import cells_page, encoded, overview_page, sets_page
from cladebench.report.choice_matrix import choice_matrix, turns
from cladebench.report.claim_filters import count_values, filter_places
from cladebench.report.claim_rows import ClaimRow
from cladebench.report.paper_view import ArtifactView, PaperView
from cladebench.report.templating import html_page
from cladebench.report.views import RunView

#: The largest table that stands on the page of its paper; the largest slice of a table on a page of its own.
ROWS_INLINE, ELEMENTS_INLINE, ROWS_ALONE, ELEMENTS_ALONE = 12, 600, 200, 6000
#: How many claims a page of details has.
CLAIMS_ON_PAGE = 60


@dataclass(frozen=True)
class StatementView:
    """Hold a statement of the paper and its claims.

    The claim that stands for it, and the claims that it is made of.
    """

    head: ClaimRow
    inside: tuple[ClaimRow, ...]

    @property
    def main(self) -> bool:
        """Whether the paper stands or falls with it."""
        return any(row.main for row in (self.head, *self.inside))


@dataclass(frozen=True)
class PlacedArtifact:
    """Hold a table or figure, and names and slices of pages.

    A long table has pages of its own, unless the paper's page has it.
    """

    view: ArtifactView
    pages: tuple[tuple[str, ArtifactView], ...] = ()


def paper_pages(
    run: RunView,
    paper: PaperView,
    figures: Mapping[str, str],
    sizes: Mapping[str, tuple[int, int]],
) -> Iterator[tuple[str, str]]:
    """Give the name and the text of each page of a paper.

    Parameters
    ----------
    run : RunView
    paper : PaperView
    figures : mapping of str to str
        Name -> file of each figure of the paper's verdicts.
    sizes : mapping of str to (int, int)
        File of a figure -> its width and height in pixels.
    """
    name, title = paper.plan.paper, paper.plan.title
    stated = statement_views(paper.audit)
    heads = [statement.head for statement in stated]
    matrix = choice_matrix(paper, heads)
    details = detail_pages(name, stated)
    of_runs = [view for view in paper.artifacts if is_of_runs(view)]
    shown = [place(name, view) for view in paper.artifacts if not is_of_runs(view)]
    runs = [place(name, view, rows=ROWS_ALONE, elements=ELEMENTS_ALONE // 3) for view in of_runs]
    main_table = paper.main.artifact if paper.main else ""
    common = {
        "run": run,
        "paper": paper,
        "claim_pages": {row.claim: page for page, rows in details.items() for row in rows},
        "sizes": sizes,
        "turns": turns(paper, heads),
        "matrix": matrix,
        "figures": figures,
    }
    yield (
        f"{name}.html",
        html_page(
            "paper.html",
            title=title,
            statements=stated,
            places=filter_places(heads),
            filter_counts=count_values(heads),
            published=sorted(paper.published, key=lambda table: table.title != main_table),
            artifacts=shown,
            **common,
        ),
    )
    pages = list(details)
    for number, (page, rows) in enumerate(details.items(), 1):
        values = {"rows": rows, "number": number, "pages": pages, "title": f"Claims {number}: {title}"}
        yield page, html_page("paper-claims.html", **values, **common)
    yield choices_page(name), html_page("paper-choices.html", title=f"Unstated choices: {title}", **common)
    if matrix.rows:
        heading = f"Other choices: {title}"
        yield matrix_page(name), html_page("paper-matrix.html", title=heading, **common)
    yield runs_page(name), html_page("paper-runs.html", title=f"Runs: {title}", artifacts=runs, **common)
    for placed in (*shown, *runs):
        for page, view in placed.pages:
            values = {"view": view, "placed": placed, "page": page, "title": view.artifact.title}
            yield page, html_page("paper-table.html", of_runs=placed in runs, **values, **common)
    yield overview_page(name), html_page("cells-overview.html", title=f"All runs: {title}", **common)
    for number in range(1, len(paper.links.sets) + 1):
        heading = f"Numbers of several settings {number}: {title}"
        values = {"number": number, "title": heading}
        yield sets_page(name, number), html_page("cells-sets.html", **values, **common)
    if paper.controls:
        heading = f"Controls: {title}"
        yield controls_page(name), html_page("paper-controls.html", title=heading, **common)
    for dataset, number in paper.details:
        heading = f"Runs on {paper.links.names.datasets.get(dataset, dataset)}: {title}"
        values = {"dataset": dataset, "number": number, "title": heading}
        yield cells_page(name, dataset, number), html_page("cells.html", **values, **common)


def choices_page(paper: str) -> str:
    """Name the file of the page of unstated choices.

    It has their effects too.
    """
    return f"{paper}-choices.html"


def matrix_page(paper: str) -> str:
    """File of the page with statements by other choices."""
    return f"{paper}-matrix.html"


def controls_page(paper: str) -> str:
    """File of the page with the controls of a paper."""
    return f"{paper}-controls.html"


def runs_page(paper: str) -> str:
    """Name the file of the page of a paper's runs.

    It has settings, status, time and memory.
    """
    return f"{paper}-runs.html"


def gone_pages(folder: Path, paper: str, written: Iterable[str]) -> list[Path]:
    """List an earlier report's pages that this one did not write."""
    patterns = ("claims-*", "table-*", "choices", "matrix", "controls", "runs", "sets-*", "cells-*")
    kept = set(written)
    pages = {path for pattern in patterns for path in folder.glob(f"{paper}-{pattern}.html")}
    return sorted(path for path in pages if path.name not in kept)


def statement_views(rows: Sequence[ClaimRow]) -> list[StatementView]:
    """Gather claims under their statements, the main claim first.

    Sentences come before numbers.
    """
    inside: dict[str, list[ClaimRow]] = {}
    for row in rows:
        if row.level == "part":
            inside.setdefault(row.statement, []).append(row)
    views = [StatementView(row, tuple(inside.get(row.claim, ()))) for row in rows if row.level == "statement"]
    return sorted(views, key=lambda statement: (not statement.main, statement.head.kind_order))


def detail_pages(paper: str, stated: Iterable[StatementView]) -> dict[str, list[ClaimRow]]:
    """Deal all claims out to pages of details.

    Each statement comes before what it is made of.
    """
    rows = [row for statement in stated for row in (statement.head, *statement.inside)]
    slices = [rows[start : start + CLAIMS_ON_PAGE] for start in range(0, len(rows), CLAIMS_ON_PAGE)]
    return {f"{paper}-claims-{number}.html": part for number, part in enumerate(slices, 1)}


def is_of_runs(view: ArtifactView) -> bool:
    """Say whether a table is about runs, such as chosen settings."""
    build = view.artifact.build
    return (build.func if isinstance(build, functools.partial) else build) in (settings_table, status_table)


def place(
    paper: str, view: ArtifactView, rows: int = ROWS_INLINE, elements: int = ELEMENTS_INLINE
) -> PlacedArtifact:
    """Cut a long table into slices on their own pages.

    A short one stays where it is.
    """
    weights = [1 + sum(1 + bool(entry.target) + 3 * bool(entry.claim) for entry in row) for row in view.rows]
    if len(view.rows) <= rows and sum(weights) <= elements:
        return PlacedArtifact(view)
    slices: list[list[int]] = [[]]
    for number, weight in enumerate(weights):
        full = sum(weights[n] for n in slices[-1]) + weight > ELEMENTS_ALONE
        if slices[-1] and (full or len(slices[-1]) == ROWS_ALONE):
            slices.append([])
        slices[-1].append(number)
    base = f"{paper}-table-{encoded(view.artifact.id).replace('/', '_2f_')}"
    return PlacedArtifact(
        view,
        tuple(
            (
                f"{base}-{number}.html",
                replace(view, rows=tuple(view.rows[n] for n in part)),
            )
            for number, part in enumerate(slices, 1)
        ),
    )
