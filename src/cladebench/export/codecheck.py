"""A CODECHECK bundle for each paper.

It has ``codecheck.yml`` and the files that this names.
Version 2.0 of the configuration file: https://codecheck.org.uk/spec/config/2.0/
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from cladebench.audit.verdict.verdict_types import ANSWERS, VERDICTS
from cladebench.export.run_folder import Format, PaperRun, RunFolder
from cladebench.input_files import InputFileError
from cladebench.report.paper_facts import address_of, authors_of
from cladebench.report.source_code import repository
from cladebench.report.statement_reviews import claim_text
from cladebench.report.statements import by_done, matrix, statements

VERSION = "https://codecheck.org.uk/spec/config/2.0/"


def files(run: RunFolder, folder: Path) -> Mapping[str, bytes]:
    """Give the bundle of each paper in a folder of its own.

    A manifest may name only files below its ``codecheck.yml``, so tables and figures are copied.
    """
    contents: dict[str, bytes] = {}
    for paper in run.papers:
        manifest = []
        for artifact, path in run.artifacts(paper):
            name = f"{'tables' if artifact.kind == 'table' else 'figures'}/{path.name}"
            place = f" ({artifact.place} of the paper)" if artifact.place else ""
            manifest.append({"file": name, "comment": f"{artifact.title}{place}"})
            contents[f"{paper.name}/{name}"] = path.read_bytes()
        if not manifest:
            raise InputFileError(
                f"{run.results}: no table or figure of {paper.name!r}; expected some; run cladebench artifacts"
            )
        contents[f"{paper.name}/codecheck.yml"] = configuration(paper, manifest).encode()
    return contents


def configuration(paper: PaperRun, manifest: list[dict[str, str]]) -> str:
    """Write a ``codecheck.yml``.

    What only a person can say is empty, and the first lines list it.
    """
    address = address_of(paper.plan.citation)
    authors = authors_of(paper.plan)
    document: dict[str, Any] = {
        "version": VERSION,
        "paper": {
            "title": paper.plan.title,
            "authors": [{"name": name, "ORCID": None} for name in authors] or [{"name": None, "ORCID": None}],
            "reference": address or None,
        },
        "manifest": manifest,
        "codechecker": [{"name": None, "ORCID": None}],
        "summary": summary(paper),
        "repository": repository() or None,
        "check_time": None,
        "certificate": None,
        "report": None,
    }
    open_keys = [key for key, value in document.items() if value is None or key == "codechecker"]
    open_keys += [
        *["paper.reference"] * (not address),
        "the ORCID of each author",
        *["the authors"] * (not authors),
    ]
    lines = [
        "---",
        "# A draft: a program made the runs behind these files, and no person has checked them yet.",
        f"# A person fills in what is empty: {', '.join(open_keys)}.",
    ]
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join([*lines, text])


def summary(paper: PaperRun) -> str:
    """Say in short what the run shows of a paper.

    Counts of the paper's data and of stand-ins are not added up.
    """
    rows = [
        f"{done}: "
        + ", ".join(f"{count:,} {ANSWERS[name].plural}" for name, count in answers.items() if count)
        for done, answers in by_done(matrix(statements(paper.claims))).items()
    ]
    said = f"Re-run by cladebench. Printed statements: {len(paper.statements):,}. {'; '.join(rows)}."
    for claim in paper.claims:
        if claim["main"]:
            verdict = VERDICTS[claim["verdict"]]
            said += f' Main claim: "{claim_text(claim)}" Answer: {verdict.answer} ({verdict.why}).'
    return said


FORMAT = Format("export/codecheck", files)
