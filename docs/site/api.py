"""List the public names, from the sources alone, and write the pages of the API reference."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

#: Packages and modules of the reference, with what each is for.
PLACES = {
    "cladebench": "The tree that all methods return and all measures read, and exact linkage.",
    "cladebench.hierarchy": "The tree itself.",
    "cladebench.methods": "Clusterers, hierarchical and flat.",
    "cladebench.methods.base": "What a new method derives from.",
    "cladebench.distances": "Distances between samples, learned or given.",
    "cladebench.distances.base": "What a new distance derives from.",
    "cladebench.metrics": "Measures of trees and of partitions, and what chance gives.",
    "cladebench.clusterers": "Clusterers of any library: what data they take, what their fit gives.",
    "cladebench.clusterer_scores": "Scores of what a clusterer gave, with labels and without.",
    "cladebench.solvers": "Solvers of the problems that methods pose.",
    "cladebench.datasets": "The registry of data sets.",
    "cladebench.pictures": "Pictures of how methods compare, and of data by class and by cluster.",
    "cladebench.classifiers": "Classifiers that papers compare their distances with.",
    "cladebench.discovery": "How a package finds the names that its stub lists.",
}
#: What estimators say of themselves; the page of `cladebench.discovery.Discovered` explains it.
TRAITS = ("contract_excuses", "contract_params", "order_invariant", "takes_sparse", "uses_labels")


class Public(NamedTuple):
    """A public name: where it is asked for, and what it is."""

    place: str
    name: str
    kind: str  # "class" or "function"

    @property
    def full(self) -> str:
        """The dotted name."""
        return f"{self.place}.{self.name}"


def _file(src: Path, module: str) -> Path:
    path = src.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _defined(file: Path) -> dict[str, str]:
    """Names of the functions and classes that a file defines, with their kinds."""
    kinds = {ast.FunctionDef: "function", ast.ClassDef: "class"}
    return {n.name: kinds[type(n)] for n in _tree(file).body if type(n) in kinds}


def _imported(src: Path, module: str) -> Iterator[tuple[str, str]]:
    """Names that a package (by its stub or its code) or a module takes from others of ours, with their modules."""
    file = _file(src, module)
    stub = file.with_suffix(".pyi")
    for node in _tree(stub if stub.exists() else file).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            source = f"{module}.{node.module}" if node.level else node.module
            if source.startswith("cladebench."):
                yield from ((alias.asname or alias.name, source) for alias in node.names)


def _kind(src: Path, module: str, name: str) -> str:
    """Look a name up where it is defined; modules may hand it on."""
    here = _defined(_file(src, module))
    return here[name] if name in here else _kind(src, dict(_imported(src, module))[name], name)


def public_names(src: Path, place: str) -> list[Public]:
    """List the public functions and classes of a package or module, by name.

    Parameters
    ----------
    src : Path
        The folder that holds the package.
    place : str
        Dotted name of the package or module.
    """
    if _file(src, place).name != "__init__.py":
        found = {name: kind for name, kind in _defined(_file(src, place)).items() if not name.startswith("_")}
    else:
        found = {
            name: _kind(src, module, name)
            for name, module in _imported(src, place)
            if module != "cladebench.discovery"  # what it makes is named by the stub
        }
        stub = _file(src, place).with_suffix(".pyi")
        found |= _defined(stub) if stub.exists() else {}
    return [Public(place, name, found[name]) for name in sorted(found, key=str.lower)]


def twins(src: Path) -> list[str]:
    """List the modules of `cladebench.reference`."""
    files = _file(src, "cladebench.reference").parent.glob("[a-z]*.py")
    return sorted(f"cladebench.reference.{path.stem}" for path in files)


def heading(text: str, line: str = "=") -> str:
    """Underline a title."""
    return f"{text}\n{line * len(text)}\n\n"


def _entry(public: Public) -> str:
    options = "   :members:\n   :inherited-members:\n" if public.kind == "class" else ""
    if options and public.place != "cladebench.discovery":
        options += f"   :exclude-members: {', '.join(TRAITS)}\n"
    return (
        f".. currentmodule:: {public.place}\n\n.. auto{public.kind}:: {public.name}\n{options}\n"
        f".. minigallery:: {public.full}\n   :add-heading: Examples that use it\n   :heading-level: -\n"
    )


def _listing(place: str, publics: list[Public]) -> str:
    names = "".join(f"   {public.name}\n" for public in publics)
    table = f".. currentmodule:: {place}\n\n.. autosummary::\n   :nosignatures:\n\n{names}"
    return heading(place) + _contents(
        f"{PLACES[place]}\n\n{table}", [public.full for public in publics], ":hidden:"
    )


def _twin(src: Path, module: str) -> str:
    publics = public_names(src, module)
    body = "".join(
        f".. auto{p.kind}:: {p.name}\n{'   :members:' if p.kind == 'class' else ''}\n\n" for p in publics
    )
    return (
        heading(module)
        + f".. automodule:: {module}\n   :no-members:\n\n.. currentmodule:: {module}\n\n{body}"
    )


def _contents(text: str, pages: Iterable[str], option: str = ":maxdepth: 1") -> str:
    entries = "".join(f"   {page}\n" for page in pages)
    return f"{text}\n\n.. toctree::\n   {option}\n\n{entries}"


def api_pages(src: Path) -> dict[str, str]:
    """Write the pages of the reference.

    Parameters
    ----------
    src : Path
        The folder that holds the package.

    Returns
    -------
    dict of str to str
        Text by file name.
    """
    pages = {}
    for place in PLACES:
        publics = public_names(src, place)
        pages[f"{place}.rst"] = _listing(place, publics)
        pages |= {f"{public.full}.rst": heading(public.name) + _entry(public) for public in publics}
    modules = twins(src)
    pages |= {f"{module}.rst": _twin(src, module) for module in modules}
    pages["cladebench.reference.rst"] = heading("cladebench.reference") + _contents(
        "Slow exact twins of kernels and solvers, to read beside the papers.", modules
    )
    places = {**PLACES, "cladebench.reference": "Slow exact twins of kernels and solvers."}
    table = "".join(f":doc:`{place}`\n   {said}\n" for place, said in places.items())
    pages["index.rst"] = heading("API reference") + _contents(
        f"All public names, by package. ``from PACKAGE import NAME`` imports one, and no other.\n\n{table}",
        places,
        ":hidden:",
    )
    return pages
