"""Finding the papers: their folders, plans, protocols, and tables and figures."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING

from cladebench.bench.plan.plan import Plan, PlanError
from cladebench.bench.plan.plan_file import read_plan
from cladebench.file_lines import lines_told
from cladebench.input_files import InputFileError, one_of
from cladebench.users_code import users_code

if TYPE_CHECKING:
    from cladebench.paper.artifact_types import Artifact
    from cladebench.paper.feasibility import Programmes

#: Where the papers of cladebench lie.
BUILT_IN = "cladebench.papers"


def built_in_papers() -> list[str]:
    """Ids of the papers in ``cladebench.papers``: the folders that hold a plan."""
    package = importlib.import_module(BUILT_IN)
    return sorted(
        file.parent.name for folder in package.__path__ for file in Path(folder).glob("*/plan.yaml")
    )


def resolve_package(paper: str) -> str:
    """Name the package of a paper by id or by importable name.

    Raises
    ------
    PlanError
        If there is neither.
    """
    papers = built_in_papers()
    if paper in papers:
        return f"{BUILT_IN}.{paper}"
    with _plan_errors(f"papers: {paper}: cannot be imported"):
        spec = _found(paper)
    if spec is None or not spec.submodule_search_locations:
        raise PlanError(
            f"papers: no paper {paper!r} and no importable package of that name; {one_of(paper, papers)}"
        )
    return paper


def _found(name: str) -> ModuleSpec | None:
    """Give a module's specification, packages imported, or None without one."""
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # a package is there, and imports something else that is not
        return None


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
    from cladebench.paper.protocol import Protocol

    module = f"{plan.package}.protocol"
    with _plan_errors(f"{module}: cannot be imported"):
        if importlib.util.find_spec(module) is None:
            raise PlanError(f"{plan.path}: paper: no module {module}; expected one with PROTOCOL")
        protocol = importlib.import_module(module)
    declared = getattr(protocol, "PROTOCOL", None)
    if not isinstance(declared, Protocol):
        raise PlanError(
            f"{module}: PROTOCOL: {declared!r}; "
            "expected an instance of a subclass of cladebench.paper.protocol.Protocol"
        )
    with _plan_errors(f"{plan.path}: {module}"), lines_told(plan.path):
        declared.validate(plan)


@contextlib.contextmanager
def _plan_errors(what: str) -> Iterator[None]:
    """What a paper's code raises, as an error of its plan."""
    try:
        with users_code(what):
            yield
    except PlanError:
        raise
    except InputFileError as error:
        raise PlanError(str(error)) from error.__cause__


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
    expected = "expected ARTIFACTS, a tuple of cladebench.paper.artifact_types.Artifact"
    with users_code(f"{module}: cannot be imported"):
        if importlib.util.find_spec(module) is None:
            raise InputFileError(f"{module}: no such module; {expected} in it")
        try:
            declared = getattr(importlib.import_module(module), "ARTIFACTS", None)
        except FileNotFoundError as error:
            raise InputFileError(f"{error.filename}: no such file; {module} reads it") from None
    if not isinstance(declared, (tuple, list)):
        raise InputFileError(f"{module}: ARTIFACTS: {declared!r}; {expected}")
    return tuple(declared)


def load_programmes(package: str) -> Programmes:
    """Read ``PROGRAMMES`` of ``<package>.feasibility``; empty where a paper has no such module.

    Raises
    ------
    InputFileError
        If the module cannot be imported, or has something else.
    """
    from cladebench.paper.feasibility import Programme

    module = f"{package}.feasibility"
    with users_code(f"{module}: cannot be imported"):
        if importlib.util.find_spec(module) is None:
            return {}
        programmes: Programmes = importlib.import_module(module).PROGRAMMES
    if not all(isinstance(programme, Programme) for programme in programmes.values()):
        raise InputFileError(
            f"{module}: PROGRAMMES: expected values of cladebench.paper.feasibility.Programme"
        )
    return programmes
