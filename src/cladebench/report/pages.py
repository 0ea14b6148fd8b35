"""The report of a run: pages that open from disk, and the same in Markdown."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from cladebench.bench.cells_table import read_cells
from cladebench.files import write_together
from cladebench.report.artifact_files import figure_formats
from cladebench.report.cell_links import cells_page, overview_page
from cladebench.report.templating import html_page, markdown_page
from cladebench.report.verdict_figures import draw_verdicts
from cladebench.report.views import PaperView, RunView, gather_run


def write_report(results: Path, scope: str, papers: Sequence[str]) -> list[Path]:
    """Write the pages of a run into ``<results>/report``, which can be moved as it is.

    Pages of papers that have no cells in the run any more are removed.

    Parameters
    ----------
    results : Path
        Folder of the run.
    scope : str
        Scope that was run.
    papers : sequence of str
        Ids or dotted packages.

    Returns
    -------
    list of Path
        ``index.html``; of each paper ``<paper>.html``, ``<paper>-cells.html`` and ``<paper>-cells-<data set>.html``;
        ``certificates.html`` where there are any; ``report.md``; and the figures.

    Raises
    ------
    InputFileError
        If a file that the pages need is missing or damaged.
    """
    run = gather_run(results, scope, papers)
    folder = results / "report"
    figures = {paper.plan.paper: _verdict_figures(paper, results, scope) for paper in run.papers}
    pages = dict(render_pages(run, figures))
    pages["report.md"] = markdown_page("report.md", run=run, figures=figures)
    contents = {folder / name: text.encode() for name, text in pages.items()}
    for paper in run.papers:
        for view in paper.artifacts:
            if view.figure is not None:
                contents[folder / view.figure] = (results / view.figure).read_bytes()
    for name in itertools.chain(*(found.values() for found in figures.values())):
        contents[folder / name] = (results / name).read_bytes()
    write_together(contents)
    _remove_gone(folder, keep=set(read_cells(results / "cells.parquet")["paper"]))
    return list(contents)


def _remove_gone(folder: Path, keep: Collection[str]) -> None:
    """Remove what an earlier report wrote of papers that are not to be kept; other files in the folder stay."""
    for cells in folder.glob("*-cells.html"):
        paper = cells.name.removesuffix("-cells.html")
        if paper not in keep:
            own = folder.glob(f"{paper}-cells-*.html"), (folder / "figures" / paper).glob("*.svg")
            for path in (cells, folder / f"{paper}.html", *itertools.chain(*own)):
                path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # there is none, or it holds files of someone else
                (folder / "figures" / paper).rmdir()


def _verdict_figures(paper: PaperView, results: Path, scope: str) -> dict[str, str]:
    """Draw the figures of a paper's verdicts; their names and their files below the run's folder."""
    folder = Path("figures") / paper.plan.paper
    formats = figure_formats(scope)
    drawn = draw_verdicts(paper.main, paper.claims, paper.universes, results / folder, formats)
    return {name: (folder / path.name).as_posix() for name, path in drawn.items()}


def render_pages(run: RunView, figures: Mapping[str, Mapping[str, str]]) -> Iterable[tuple[str, str]]:
    """Give the name and the text of each page; `figures` are those of each paper's verdicts, by their names."""
    yield "index.html", html_page("index.html", run=run, figures=figures, title="Report")
    if run.certificates is not None:
        yield "certificates.html", html_page("certificates.html", run=run, title="Certificates")
    for paper in run.papers:
        name, title = paper.plan.paper, paper.plan.title
        yield f"{name}.html", html_page("paper.html", run=run, paper=paper, figures=figures, title=title)
        cells = f"Cells: {title}"
        yield overview_page(name), html_page("cells-overview.html", run=run, paper=paper, title=cells)
        for dataset in paper.links.by_dataset:
            page = html_page("cells.html", run=run, paper=paper, dataset=dataset, title=f"{cells}, {dataset}")
            yield cells_page(name, dataset), page
