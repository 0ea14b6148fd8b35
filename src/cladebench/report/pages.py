"""The report of a run: pages that open from disk, and the same in Markdown."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from cladebench.audit import VERDICTS
from cladebench.bench.store import read_cells
from cladebench.files import write_together
from cladebench.notation import significant
from cladebench.report.cell_links import anchor, script_json
from cladebench.report.claim_rows import MEANINGS, SIGNS
from cladebench.report.markdown import report_markdown
from cladebench.report.views import PaperView, RunView, gather_run, passed


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
        ``index.html``, ``<paper>.html`` and ``<paper>-cells.html`` of each paper, ``certificates.html`` where there
        are any, ``report.md``, and the figures.

    Raises
    ------
    InputFileError
        If a file that the pages need is missing or damaged.
    """
    run = gather_run(results, scope, papers)
    folder = results / "report"
    pages = dict(render_pages(run))
    pages["report.md"] = report_markdown(run)
    contents = {folder / name: text.encode() for name, text in pages.items()}
    for paper in run.papers:
        for view in paper.artifacts:
            if view.figure is not None:
                contents[folder / view.figure] = (results / view.figure).read_bytes()
    write_together(contents)
    _remove_gone(folder, keep=set(read_cells(results / "cells.parquet")["paper"]))
    return list(contents)


def _remove_gone(folder: Path, keep: Collection[str]) -> None:
    """Remove what an earlier report wrote of papers that are not to be kept; other files in the folder stay."""
    for cells in folder.glob("*-cells.html"):
        paper = cells.name.removesuffix("-cells.html")
        if paper not in keep:
            for path in (cells, folder / f"{paper}.html", *(folder / "figures" / paper).glob("*.svg")):
                path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # there is none, or it holds files of someone else
                (folder / "figures" / paper).rmdir()


def render_pages(run: RunView) -> Iterable[tuple[str, str]]:
    """Give the name and the text of each page."""
    environment = _environment()

    def page(template: str, **values: Any) -> str:
        return environment.get_template(template).render(run=run, **values)

    yield "index.html", page("index.html", title="Report")
    if run.certificates is not None:
        yield "certificates.html", page("certificates.html", title="Certificates")
    for paper in run.papers:
        name = paper.plan.paper
        yield f"{name}.html", page("paper.html", paper=paper, title=paper.plan.title)
        yield f"{name}-cells.html", page("cells.html", paper=paper, title=f"Cells: {paper.plan.title}")


def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("cladebench.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = resources.files("cladebench.report") / "templates"
    environment.globals.update(
        # Our own files, not data: the only text that is not escaped, with the JSON below.
        asset=lambda name: Markup((folder / name).read_text(encoding="utf-8")),
        script_json=lambda value: Markup(script_json(value)),
        anchor=anchor,
        passed=passed,
        significant=significant,
        verdicts=VERDICTS,
        signs=SIGNS,
        meanings=MEANINGS,
        rule_names={"oracle": "with labels", "label_free": "without labels"},
        digits=digits,
        duration=duration,
        groups_by_method=groups_by_method,
        header_groups=header_groups,
    )
    return environment


def digits(text: str) -> str:
    """Shorten a number that is given as text to 7 digits; any other text stays."""
    try:
        return f"{float(text):.7g}" if text else ""
    except ValueError:
        return text


def duration(seconds: float) -> str:
    """Write seconds for readers: ``4.2 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def groups_by_method(paper: PaperView) -> list[tuple[str, str, list[Any]]]:
    """Settings of a paper under their data set and method, in the order of the records."""
    found: dict[tuple[str, str], list[Any]] = {}
    for group in paper.sources.groups:
        found.setdefault((group.dataset, group.method), []).append(group)
    return [(dataset, method, groups) for (dataset, method), groups in found.items()]


def header_groups(columns: Sequence[str]) -> list[tuple[str, list[tuple[int, str]]]]:
    """Gather neighbouring columns named ``group: column`` under their group; others stand alone, under no group.

    Returns
    -------
    list of (str, list of (int, str))
        Group, and the number and short name of each of its columns.
    """
    found: list[tuple[str, list[tuple[int, str]]]] = []
    for number, column in enumerate(columns):
        group, separator, name = column.partition(": ")
        if not separator:
            found.append(("", [(number, column)]))
        elif found and found[-1][0] == group:
            found[-1][1].append((number, name))
        else:
            found.append((group, [(number, name)]))
    return found
