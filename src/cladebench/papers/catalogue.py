"""Finding the papers: their folders, plans, protocols, and tables and figures."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from cladebench.bench.plan import Plan, PlanError
from cladebench.bench.plan_file import read_plan
from cladebench.input_files import InputFileError, one_of

if TYPE_CHECKING:
    from cladebench.papers.artifact_types import Artifact

#: Where the papers of cladebench lie.
BUILT_IN = "cladebench.papers"


def built_in_papers() -> list[str]:
    """Ids of the papers in ``cladebench.papers``: the folders that hold a plan."""
    package = importlib.import_module(BUILT_IN)
    return sorted(
        file.parent.name for folder in package.__path__ for file in Path(folder).glob("*/plan.yaml")
    )


def resolve_package(paper: str) -> str:
    """Dotted package name of a paper: an id in ``cladebench.papers``, or an importable package of the user's own.

    Raises
    ------
    PlanError
        If there is neither.
    """
    papers = built_in_papers()
    if paper in papers:
        return f"{BUILT_IN}.{paper}"
    try:
        found = importlib.util.find_spec(paper)
    except (ImportError, ValueError):
        found = None
    if found is None or not found.submodule_search_locations:
        raise PlanError(
            f"papers: no paper {paper!r} and no importable package of that name; {one_of(paper, papers)}"
        )
    return paper


def load_plan(paper: str) -> Plan:
    """Read and check the plan of a paper.

    Parameters
    ----------
    paper : str
        An id in ``cladebench.papers`` or the dotted name of an importable package that holds ``plan.yaml``.

    Raises
    ------
    InputFileError
        If the plan is missing, broken or asks for something unknown; names file, key path, value and what is allowed.
    """
    package = resolve_package(paper)
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    folders = [Path(folder) for folder in spec.submodule_search_locations]
    path = next((f / "plan.yaml" for f in folders if (f / "plan.yaml").exists()), folders[0] / "plan.yaml")
    return read_plan(path, package)


def validate_protocol(plan: Plan) -> None:
    """Let the paper's protocol check the plan: calls ``PROTOCOL.validate(plan)`` of ``<package>.protocol``.

    Raises
    ------
    PlanError
        If there is no protocol, or it refuses the plan.
    """
    from cladebench.papers.protocol import Protocol

    module = f"{plan.package}.protocol"
    if importlib.util.find_spec(module) is None:
        raise PlanError(f"{plan.path}: paper: there is no module {module}, which runs the cells")
    try:
        protocol = importlib.import_module(module)
    except Exception as error:  # anything may be raised by a user's module
        raise PlanError(f"{module}: cannot be imported: {type(error).__name__}: {error}") from error
    found = getattr(protocol, "PROTOCOL", None)
    if not isinstance(found, Protocol):
        raise PlanError(
            f"{module}: PROTOCOL: {found!r}; expected an instance of a subclass of cladebench.papers.protocol.Protocol"
        )
    try:
        found.validate(plan)
    except InputFileError:
        raise
    except Exception as error:  # as above
        raise PlanError(f"{plan.path}: {module}: {type(error).__name__}: {error}") from error


def load_artifacts(package: str) -> tuple[Artifact, ...]:
    """Read ``ARTIFACTS`` of ``<package>.artifacts``.

    Parameters
    ----------
    package : str
        Dotted name of the paper's package.

    Returns
    -------
    tuple of Artifact

    Raises
    ------
    InputFileError
        If there is no such module, it cannot be imported, reads a file that is missing (a caption), or lists nothing.
    """
    module = f"{package}.artifacts"
    expected = "expected ARTIFACTS, a tuple of cladebench.papers.artifact_types.Artifact"
    if importlib.util.find_spec(module) is None:
        raise InputFileError(f"{module}: no such module; {expected} in it")
    try:
        found = getattr(importlib.import_module(module), "ARTIFACTS", None)
    except FileNotFoundError as error:
        raise InputFileError(f"{error.filename}: no such file; {module} reads it") from None
    except (ImportError, SyntaxError, ValueError) as error:
        raise InputFileError(f"{module}: cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(found, (tuple, list)):
        raise InputFileError(f"{module}: ARTIFACTS: {found!r}; {expected}")
    return tuple(found)
