"""List the source files of a data set: its loader and imports."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec, resolve_name
from pathlib import Path

from cladebench.datasets.base import DatasetInfo

PACKAGE = str(__package__)
#: Where the modules start that all data sets have in common; they are left out.
COMMON = f"{PACKAGE}.registry"


def sources_of(entry: DatasetInfo) -> list[Path]:
    """List the source files that one data set has for itself.

    Parameters
    ----------
    entry : DatasetInfo

    Returns
    -------
    list of Path
        By file name, so that no folder's place matters: the module that lists the entry, that of its loader, and the
        modules of ``cladebench.datasets`` that they import, directly or not. What a loader imports from elsewhere is
        not followed.
    """
    starts = {
        Path(path): name
        for name in _modules_of(entry)
        if (path := getattr(sys.modules.get(name), "__file__", None)) is not None
    }
    modules = [path for start, name in starts.items() for path in _closure(_imports(start, name))]
    return sorted({*starts, *modules} - set(_closure([COMMON])), key=lambda path: (path.name, path))


def _modules_of(entry: DatasetInfo) -> Iterator[str]:
    """Name the modules that list an entry and its loader."""
    loader = entry.loader
    while isinstance(loader, functools.partial):
        loader = loader.func
    yield loader.__module__
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{PACKAGE}.") and any(
            member is entry for member in getattr(module, "DATASETS", ())
        ):
            yield name


def _closure(names: Iterable[str]) -> list[Path]:
    """List files of named modules and of those that they import.

    Only modules of this package count.
    """
    queue, files = list(names), dict[Path, None]()
    while queue:
        name = queue.pop()
        path = _file(name)
        if path is not None and path not in files:
            files[path] = None
            queue.extend(_imports(path, name))
    return list(files)


def _file(name: str) -> Path | None:
    """Find the file of a module of this package, or None."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # the name of something in a module
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


@functools.cache
def _imports(path: Path, name: str) -> tuple[str, ...]:
    """List names in this package that a module imports.

    Wherever the statement stands; some may be no modules.
    """
    modules: list[str] = []
    package = name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        modules += [name for name in names if name.startswith(f"{PACKAGE}.")]
    return tuple(modules)
