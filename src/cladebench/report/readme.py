"""Write what READMEs say of a run, and its picture.

The run's own README has all tables of results.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cladebench.audit.evidence import EVIDENCE
from cladebench.input_files import InputFileError, one_of
from cladebench.report.result_picture import result_picture
from cladebench.report.run_summary import RunSummary, summarise_run
from cladebench.report.templating import markdown_page

_BLOCK = re.compile(
    r"(?P<start><!-- cladebench readme: (?P<name>\S+)(?P<given>[^\n]*?) -->\n)(?P<body>.*?)(?P<end><!-- end -->)",
    re.DOTALL,
)

#: Writes a part, given what follows its name in the marker.
Part = Callable[[Sequence[str]], str]


def readme_files(readme: Path, results: Path, scope: str, papers: Sequence[str]) -> dict[Path, bytes]:
    """Give what the README, its picture and the run's README should be.

    Parameters
    ----------
    readme : Path
        File with parts between markers; the README of the run's folder is written whole.
    results : Path
        Folder of the run, with ``cells.parquet``, ``audit.json`` and ``audit.csv``.
    scope : str
        Scope that was run.
    papers : sequence of str
        Ids or dotted packages.

    Raises
    ------
    InputFileError
        If a file is missing or damaged, a marker is wrong, or a finding does not hold in the run.
    """
    try:
        text = readme.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputFileError(f"{readme}: cannot be read: {reason}; expected a README in UTF-8") from None
    run = summarise_run(results, scope, papers)
    files: dict[Path, bytes] = {}

    def picture(given: Sequence[str]) -> str:
        if len(given) != 1:
            raise InputFileError(
                f"{readme}: cladebench readme: picture: expected one file, such as images/result.svg"
            )
        files[readme.parent / given[0]] = result_picture(run).encode()
        return markdown_page("readme-picture.md", run=run, file=given[0])

    folder = Path(os.path.relpath(results, readme.parent)).as_posix() + "/"
    parts: dict[str, Part] = {
        "picture": picture,
        "result": lambda _: markdown_page("readme-result.md", run=run, folder=folder),
        "findings": lambda given: markdown_page(
            "readme-findings.md", findings=_named(run, given, str(readme))
        ),
        "cost": lambda _: markdown_page("readme-cost.md", run=run),
    }
    files[readme] = renew_readme(text, parts, str(readme)).encode()
    files[results / "README.md"] = markdown_page(
        "results-page.md", run=run, folder="", kinds=EVIDENCE
    ).encode()
    return files


def _named(run: RunSummary, ids: Sequence[str], name: str) -> list[tuple[str, str, str]]:
    """Give paper, headline and text of findings.

    They are named PAPER/FINDING; those that the run cannot check are left out.
    """
    known = {
        f"{paper.plan.paper}/{finding.id}": (paper.short, finding.headline, finding.text)
        for paper in run.papers
        for finding in paper.findings
    }
    unchecked = {f"{paper.plan.paper}/{finding.id}" for paper in run.papers for finding in paper.unchecked}
    for given in ids:
        if given not in known and given not in unchecked:
            raise InputFileError(
                f"{name}: cladebench readme: findings: unknown {given!r}; {one_of(given, [*known, *unchecked])}"
            )
    return [known[given] for given in ids if given in known]


def renew_readme(text: str, parts: Mapping[str, Part], name: str) -> str:
    """Put each part between its markers.

    Markers are ``<!-- cladebench readme: NAME -->`` and ``<!-- end -->``.

    Parameters
    ----------
    text : str
        Of the README.
    parts : mapping of str to callable
        Each is called with the words that follow its name in the marker.
    name : str
        The file, for messages.

    Raises
    ------
    InputFileError
        If the README has no marker, or one that names no part.
    """
    marked = [block["name"] for block in _BLOCK.finditer(text)]
    if not marked:
        raise InputFileError(f"{name}: no part between <!-- cladebench readme: NAME --> and <!-- end -->")
    for part in marked:
        if part not in parts:
            raise InputFileError(f"{name}: cladebench readme: unknown part {part!r}; {one_of(part, parts)}")
    return _BLOCK.sub(
        lambda block: f"{block['start']}{parts[block['name']](block['given'].split())}{block['end']}", text
    )
