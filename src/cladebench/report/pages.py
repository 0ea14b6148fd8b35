"""Write the report of a run: pages that open from disk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cladebench.bench.store.cells_table import papers_in
from cladebench.files import write_together
from cladebench.report.certificate_pages import certificate_pages
from cladebench.report.paper_pages import gone_pages, paper_pages
from cladebench.report.paper_view import PaperView
from cladebench.report.svg_size import svg_size
from cladebench.report.templating import certificate_page, html_page
from cladebench.report.verdict_figures import draw_verdicts
from cladebench.report.views import RunView, gather_run


def write_report(results: Path, scope: str, papers: Sequence[str]) -> list[Path]:
    """Write the pages of a run into ``<results>/report``.

    They show the figures of ``<results>/figures``, so the folder of the run can be moved as it is.

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
        ``index.html``, ``checks.html``; of each paper ``<paper>.html``, ``<paper>-certificate.html``,
        ``<paper>-cells.html``, ``<paper>-cells-<data set>.html`` and further pages of details; and
        ``certificates.html`` where there are any.

    Raises
    ------
    InputFileError
        If a file that the pages need is missing or damaged.
    """
    run = gather_run(results, scope, papers)
    folder = results / "report"
    figures = {paper.plan.paper: _verdict_figures(paper, results) for paper in run.papers}
    pages = dict(render_pages(run, figures, _sizes(run, figures, results)))
    contents = {folder / name: text.encode() for name, text in pages.items()}
    write_together(contents)
    for paper in run.papers:
        for path in gone_pages(folder, paper.plan.paper, pages):
            path.unlink()
    _remove_gone(folder, keep=papers_in(results / "cells.parquet"))
    return list(contents)


def _remove_gone(folder: Path, keep: Collection[str]) -> None:
    """Remove pages of papers that are not to be kept.

    An earlier report wrote them; other files in the folder stay.
    """
    for cells in folder.glob("*-cells.html"):
        paper = cells.name.removesuffix("-cells.html")
        if paper not in keep:
            pages = (f"{paper}.html", certificate_page(paper))
            for path in (cells, *gone_pages(folder, paper, ()), *(folder / name for name in pages)):
                path.unlink(missing_ok=True)


def _verdict_figures(paper: PaperView, results: Path) -> dict[str, str]:
    """Draw verdicts' figures; give names and files below the run's folder."""
    folder = Path("figures") / paper.plan.paper
    drawn = draw_verdicts(paper.main, paper.leads, paper.claims, paper.other_choices, results / folder)
    return {name: (folder / path.name).as_posix() for name, path in drawn.items()}


def _sizes(
    run: RunView, figures: Mapping[str, Mapping[str, str]], results: Path
) -> dict[str, tuple[int, int]]:
    """Measure figures' width and height in pixels, by file.

    Templates name the file.
    """
    names = [name for sizes in figures.values() for name in sizes.values()]
    names += [
        view.figure.as_posix() for paper in run.papers for view in paper.artifacts if view.figure is not None
    ]
    sizes = {name: svg_size(results / name) for name in names}
    return {name: size for name, size in sizes.items() if size is not None}


def render_pages(
    run: RunView,
    figures: Mapping[str, Mapping[str, str]],
    sizes: Mapping[str, tuple[int, int]],
) -> Iterable[tuple[str, str]]:
    """Give the name and the text of each page.

    Parameters
    ----------
    run : RunView
    figures : mapping of str to mapping of str to str
        Paper -> name -> file of each figure of its verdicts.
    sizes : mapping of str to (int, int)
        File of a figure -> its width and height in pixels.
    """
    common: dict[str, Any] = {"run": run, "figures": figures, "sizes": sizes}
    yield "index.html", html_page("index.html", **common, title="Do the results hold?")
    yield "checks.html", html_page("checks.html", **common, title="Data and checks")
    yield from certificate_pages(run)
    for paper in run.papers:
        name = paper.plan.paper
        certificate = f"Certificate: {paper.plan.title}"
        yield (
            certificate_page(name),
            html_page("paper-certificate.html", **common, paper=paper, title=certificate),
        )
        yield from paper_pages(run, paper, figures[name], sizes)
