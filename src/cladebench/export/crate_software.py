"""Code and packages of runs, as entities of an RO-Crate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote


@dataclass
class _State:
    """A state of the code, and what its runs had."""

    runs: int = 0
    builds: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)
    packages: set[tuple[str, str]] = field(default_factory=set)


def software_entities(environments: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give the states of the code of runs, then the packages.

    Parameters
    ----------
    environments : iterable of mapping
        See `cladebench.report.run_facts.environment_rows`.

    Returns
    -------
    list of dict
        A commit and its changed sources are 2 states. The one with the most runs comes first. Each requires the
        packages that its runs had.
    """
    states: dict[tuple[str, str], _State] = {}
    for row in environments:
        state = states.setdefault((row["commit"], row["state"]), _State())
        state.runs += row["cells"]
        if row["core_build"]:
            state.builds.add(str(row["core_build"]))
        versions = dict(row["versions"])
        state.versions |= {versions.pop("cladebench")} if "cladebench" in versions else set()
        state.packages |= set(versions.items())
    ordered = sorted(states.items(), key=lambda item: (-item[1].runs, item[0]))
    packages = sorted({package for state in states.values() for package in state.packages})
    return [*(_code(*key, state) for key, state in ordered), *(_package(*package) for package in packages)]


def is_code(entity: Mapping[str, Any]) -> bool:
    """Whether an entity is a state of the code."""
    return str(entity["@id"]).startswith("#code-")


def _code(commit: str, sources: str, state: _State) -> dict[str, Any]:
    clean = sources == "clean"
    builds = ", ".join(build[:12] for build in sorted(state.builds))
    numbered = f" of version {', '.join(sorted(state.versions))}" if state.versions else ""
    made = f"{state.runs:,} run{'s' * (state.runs != 1)}"
    return {
        "@id": f"#code-{quote(commit if clean else f'{commit} {sources}')}",
        "@type": "SoftwareApplication",
        "name": "cladebench",
        "softwareVersion": commit if clean else f"{commit}, sources: {sources}",
        "description": f"A state of the code{numbered}, which made {made}."
        + (f" Builds of the core: {builds}." if builds else ""),
        "softwareRequirements": [{"@id": _package_id(*package)} for package in sorted(state.packages)],
    }


def _package(name: str, version: str) -> dict[str, Any]:
    return {
        "@id": _package_id(name, version),
        "@type": "SoftwareApplication",
        "name": name,
        "softwareVersion": version,
    }


def _package_id(name: str, version: str) -> str:
    return f"#software-{quote(f'{name}-{version}')}"
