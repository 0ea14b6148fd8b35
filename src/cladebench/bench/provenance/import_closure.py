"""List and digest the source files that a cell imports."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import cladebench
from cladebench import datasets
from cladebench.discovery import exports
from cladebench.input_files import InputFileError

ESTIMATOR_PACKAGES = ("cladebench.methods", "cladebench.distances")
RUNNER = "cladebench.bench.run.run_cell"
#: What every cell imports. By the libraries that it uses alone (YAML, the network, drawing) no value changes, but for
#: those that `cladebench.bench.provenance.provenance.PACKAGES` has.
COMMON = (RUNNER, "cladebench.estimators")


@functools.cache
def _top_level(name: str) -> tuple[Path, ...]:
    """Find the folders or file of a top-level module without importing."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # of what was imported without a file, such as __main__
        return ()
    if spec is None:
        return ()
    if spec.submodule_search_locations is None:
        return (Path(str(spec.origin)),) if spec.has_location else ()
    return tuple(Path(folder) for folder in spec.submodule_search_locations)


def is_library(module: str) -> bool:
    """Say whether a module is installed or Python's own, unlike cladebench.

    It counts by its version then.
    """
    top = module.split(".")[0]
    if top == "cladebench":
        return False
    parts = {part for place in _top_level(top) for part in place.parts}
    return top in sys.stdlib_module_names or not parts.isdisjoint(("site-packages", "dist-packages"))


@functools.cache
def find_file(module: str) -> Path | None:
    """The file of a module or package (its ``__init__.py``), without importing it.

    None if it has none.

    It is the source, but for compiled modules, which have none that is known; our own core counts by its build.
    """
    top, *rest = module.split(".")
    suffixes = (".py",) if top == "cladebench" else (".py", *EXTENSION_SUFFIXES)
    for place in _top_level(top):
        if place.is_file():
            return None if rest else place
        base = place.joinpath(*rest)
        beside = [base.with_name(base.name + suffix) for suffix in suffixes] if rest else []
        for candidate in (base / "__init__.py", *beside):
            if candidate.is_file():
                return candidate
    return None


@functools.cache
def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except (
        SyntaxError,
        ValueError,
        RecursionError,
        MemoryError,
    ) as error:  # NUL bytes; too deep for the parser
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        text = getattr(error, "msg", "") or str(error) or "too deep"
        raise InputFileError(f"{path}{line}: {type(error).__name__}: {text}; expected Python") from None


def _exporter(package: str, name: str) -> str | None:
    """Name the module from which a package's stub takes a class.

    No import statement that runs leads to its file.
    """
    init = find_file(package)
    if init is None or init.name != "__init__.py" or not init.with_suffix(".pyi").is_file():
        return None
    module = exports(init.with_suffix(".pyi")).get(name)
    return None if module is None else f"{package}.{module}"


def estimator_module(estimator: str) -> str | None:
    """Find the module of an estimator's planned name or dotted path."""
    package, _, name = estimator.rpartition(".")
    packages = (package,) if package else ESTIMATOR_PACKAGES
    module = next(filter(None, (_exporter(one, name) for one in packages)), None)
    if module is None and package not in ("", *ESTIMATOR_PACKAGES) and find_file(package) is not None:
        return package
    return module


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements that run.

    Those under ``if TYPE_CHECKING`` never do; no expression holds one.
    """
    unread = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
    for block in ("orelse",) if unread else ("body", "handlers", "cases", "orelse", "finalbody"):
        for child in getattr(node, block, ()):
            yield child
            yield from _statements(child)


@functools.cache
def _imports(module: str, path: Path) -> tuple[str, ...]:
    return tuple(_find_imports(module, path))


def _find_imports(module: str, path: Path) -> Iterator[str]:
    """Modules that a file imports, wherever the statement stands.

    What a compiled one imports is not seen.
    """
    if path.suffix != ".py":
        return
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                parents = parents[: len(parents) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            yield base
            for alias in node.names:
                yield from _imported_name(base, alias.name)


def _imported_name(base: str, name: str) -> Iterator[str]:
    """Name the module behind ``from base import name``, unless it is `base`."""
    if name == "*":
        return
    if find_file(f"{base}.{name}") is not None:
        yield f"{base}.{name}"
    elif (module := _exporter(base, name)) is not None:
        yield module


def package_sources(package: str) -> list[str]:
    """List all files of a part of cladebench and its imported sources."""
    root = Path(cladebench.__file__).with_name(package)
    paths = [
        path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix not in (".pyc", ".so")
    ]
    names = [
        f"cladebench.{'.'.join(path.relative_to(root.parent).with_suffix('').parts)}"
        for path in paths
        if path.suffix == ".py"
    ]
    imported = closure([name.removesuffix(".__init__") for name in names])
    return sorted({str(path) for path in [*paths, *imported]})


def closure(modules: Iterable[str], packages: Iterable[str] = ()) -> list[Path]:
    """List the source files that modules import, directly or not.

    Packages around them are included. Libraries count by their version (`is_library`).

    Libraries are not followed, for they count by version (`is_library`).

    Parameters
    ----------
    modules : iterable of str
        Dotted names.
    packages : iterable of str
        Packages that are followed even where they are installed beside libraries.

    Returns
    -------
    list of Path
        Sorted.

    Raises
    ------
    ValueError
        If one of the given modules has no source.

    Notes
    -----
    The closure is static: it follows import statements inside functions too, and ``from package import Class`` for
    packages whose stub (``__init__.pyi``) names them. A module imported by a name computed at run time is not seen.
    """
    return sorted(set(_followed(modules, packages).values()))


def _followed(modules: Iterable[str], packages: Iterable[str]) -> dict[str, Path]:
    """The modules of a closure and their files."""
    start = list(modules)
    for module in start:
        if find_file(module) is None:
            raise ValueError(f"module {module!r} has no source file")
    roots = {package.split(".")[0] for package in packages}
    seen: set[str] = set()
    queue, files = list(start), dict[str, Path]()
    while queue:
        module = queue.pop()
        if module in seen or (is_library(module) and module.split(".")[0] not in roots):
            continue
        seen.add(module)
        parent = module.rpartition(".")[0]
        if parent:
            queue.append(parent)
        path = find_file(module)
        if path is not None:
            files[module] = path
            queue.extend(_imports(module, path))
    return files


def _portable_name(path: Path) -> str:
    """Give the path from the top-level package down, or module's name."""
    top = path
    while (top.parent / "__init__.py").exists():
        top = top.parent
    return path.relative_to(top.parent).as_posix()


def code_digest(files: Iterable[Path]) -> str:
    """Compute the SHA-256 over names and contents of files.

    Names are from the top-level package down.
    """
    digest = hashlib.sha256()
    for name, path in sorted((_portable_name(path), path) for path in files):
        digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


@functools.cache
def cell_sources(package: str, estimator: str) -> list[Path]:
    """Source files on which the results of a method's cells depend.

    Parameters
    ----------
    package : str
        Dotted name of the paper's package.
    estimator : str
        As the plan names it.
    """
    return closure(_starts(package, estimator), packages=[package])


def _starts(package: str, estimator: str) -> list[str]:
    """The modules from which all that a cell runs is imported."""
    start = [f"{package}.protocol", RUNNER]
    module = estimator_module(estimator)
    return [*start, module] if module else start


@functools.cache
def library_modules(package: str, estimator: str) -> tuple[str, ...]:
    """Name the top-level libraries that a protocol and a method use.

    Parameters
    ----------
    package, estimator : str
        As in `cell_sources`.

    Returns
    -------
    tuple of str
        That of a library's estimator, and those that are imported by the paper's protocol, the method or study, and
        what these import, but for the modules that every cell imports.
    """
    common = _followed(COMMON, [])
    followed = _followed(_starts(package, estimator), [package])
    used = _libraries({name: path for name, path in followed.items() if name not in common})
    if "." in estimator and is_library(estimator):
        used.add(estimator.split(".")[0])
    used.discard(package.split(".")[0])  # its files are in the digest
    return tuple(sorted(used))


def library_distributions(package: str, estimator: str) -> tuple[str, ...]:
    """Distributions that hold the `library_modules` of a method, sorted."""
    holders = _holders()
    used = library_modules(package, estimator)
    return tuple(sorted({name for top in used for name in holders.get(top, ())}))


@functools.cache
def _holders() -> Mapping[str, list[str]]:
    """Map all installed top-level modules to the distributions that hold them."""
    return metadata.packages_distributions()


def _libraries(modules: dict[str, Path]) -> set[str]:
    """Top-level names of the libraries that modules import."""
    tops = {name.split(".")[0] for module, path in modules.items() for name in _imports(module, path) if name}
    return {top for top in tops - sys.stdlib_module_names if is_library(top)}


def job_sources(package: str, estimators: Iterable[str], names: Iterable[str]) -> list[Path]:
    """Source files whose change should start a job again, for Snakemake's inputs.

    These are `cell_sources` and, because a data set is found by its folder and not by an import, the files of the
    job's own data sets; a job started for a change that touches none of its cells keeps them all.

    Parameters
    ----------
    package : str
        Dotted name of the paper's package.
    estimators : iterable of str
        As the plan names them.
    names : iterable of str
        Names of registered data sets.
    """
    imported = (path for estimator in estimators for path in cell_sources(package, estimator))
    of_data = (path for name in names for path in datasets.source_files(name))
    return sorted({*imported, *of_data})
