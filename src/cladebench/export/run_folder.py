"""What is exported: a run's folder, its papers and their statements."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.bench.plan.plan import Plan
from cladebench.input_files import InputFileError
from cladebench.paper.artifact_types import Artifact
from cladebench.paper.catalogue import load_artifacts
from cladebench.report.statement_reviews import statement_heads


@dataclass(frozen=True)
class PaperRun:
    """What a run says of one paper.

    Attributes
    ----------
    plan : Plan
    claims : tuple of mapping
        Its rows of ``audit.csv``, as `read_audit_table` gives them.
    """

    plan: Plan
    claims: tuple[Mapping[str, Any], ...]

    @property
    def name(self) -> str:
        """Id of the paper."""
        return self.plan.paper

    @functools.cached_property
    def statements(self) -> tuple[Mapping[str, Any], ...]:
        """The claims that stand for what the paper states."""
        return tuple(statement_heads(self.claims))


@dataclass(frozen=True)
class RunFolder:
    """A run as a folder, with its papers in their order."""

    results: Path
    papers: tuple[PaperRun, ...]

    def artifacts(self, paper: PaperRun) -> list[tuple[Artifact, Path]]:
        """List a paper's existing tables and figures with CSV and SVG files."""
        files = []
        for artifact in load_artifacts(paper.plan.package):
            folder, suffix = ("tables", "csv") if artifact.kind == "table" else ("figures", "svg")
            path = self.results / folder / paper.name / f"{artifact.id}.{suffix}"
            if path.is_file():
                files.append((artifact, path))
        return files


@dataclass(frozen=True)
class Format:
    """A format of export.

    Attributes
    ----------
    folder : str
        Where it goes unless the user says otherwise, below the folder of the run.
    files : callable
        ``files(run, folder)`` gives the content of each file by its name below the folder.
    whole : bool
        It describes the run with all of its papers, and takes no part of them.
    """

    folder: str
    files: Callable[[RunFolder, Path], Mapping[str, bytes]]
    whole: bool = False


def as_json(document: Any) -> bytes:
    """Write JSON in UTF-8 with the keys as given."""
    return (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def gather(results: Path, claims: Iterable[Mapping[str, Any]], plans: Iterable[Plan]) -> RunFolder:
    """Deal the claims of a run out to its papers.

    Raises
    ------
    InputFileError
        If a paper has no claim in the run.
    """
    dealt: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        dealt.setdefault(claim["paper"], []).append(claim)
    papers = []
    for plan in plans:
        if plan.paper not in dealt:
            raise InputFileError(
                f"{results / 'audit.csv'}: no claim of {plan.paper!r}; expected one of {', '.join(dealt) or 'none'}"
            )
        papers.append(PaperRun(plan, tuple(dealt[plan.paper])))
    return RunFolder(results, tuple(papers))
