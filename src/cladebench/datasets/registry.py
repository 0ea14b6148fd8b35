"""Register data sets, and load them by name.

Every module of ``sets/`` that has ``DATASETS`` adds its entries.
"""

from __future__ import annotations

import importlib
import operator
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cladebench.datasets import sets
from cladebench.datasets.base import Dataset, DatasetInfo, DataUnavailable, RemoteFile
from cladebench.datasets.checks import checked
from cladebench.datasets.code_files import sources_of
from cladebench.datasets.content import Content, content_sha256
from cladebench.datasets.fetch import check_local, obtain
from cladebench.discovery import cannot_import
from cladebench.input_files import one_of

if TYPE_CHECKING:
    import pandas as pd

#: How names of data of users begin; see `cladebench.datasets.own.own_data`.
OWN = "own:"
#: Files of ``sets/`` that were left out when the registry was read: for the messages.
_LEFT_OUT: list[str] = []


@lru_cache(maxsize=1)
def registry() -> dict[str, DatasetInfo]:
    """All entries by name, in alphabetical order.

    Raises
    ------
    ValueError
        Two modules use one name, or give one file two contents.
    """
    _LEFT_OUT.clear()
    entries: dict[str, DatasetInfo] = {}
    modules: dict[str, str] = {}
    files: dict[str, RemoteFile] = {}
    for submodule in sorted(pkgutil.iter_modules(sets.__path__), key=lambda m: m.name):
        try:
            module = importlib.import_module(f"{sets.__name__}.{submodule.name}")
        except (Exception, SystemExit) as fault:
            spec = submodule.module_finder.find_spec(submodule.name, None)
            file = spec.origin if spec is not None and spec.origin else submodule.name
            warnings.warn(f"{cannot_import(file, fault)}; its data sets are left out", stacklevel=2)
            _LEFT_OUT.append(Path(file).name)
            continue
        for entry in getattr(module, "DATASETS", ()):
            if entry.name in entries:
                raise ValueError(
                    f"data set name {entry.name!r} is used in {modules[entry.name]} and in {submodule.name}"
                )
            for file in entry.files:
                if files.setdefault(file.name, file).sha256 != file.sha256:
                    raise ValueError(
                        f"{entry.name}: file {file.name} is registered twice with different sha256"
                    )
            entries[entry.name], modules[entry.name] = entry, submodule.name
    return dict(sorted(entries.items()))


def names() -> list[str]:
    """Names of all registered data sets.

    Examples
    --------
    >>> from cladebench.datasets import names
    >>> "digits" in names()
    True
    """
    return list(registry())


def info(name: str) -> DatasetInfo:
    """Registry entry of a data set.

    Raises
    ------
    ValueError
        No such data set.

    Examples
    --------
    >>> from cladebench.datasets import info
    >>> info("digits").n_classes
    10
    """
    if (suite := _own(name)) is not None:
        entry: DatasetInfo = suite.own_info(name)
        return entry
    if name not in registry():
        left_out = f" ({', '.join(_LEFT_OUT)} could not be read)" if _LEFT_OUT else ""
        raise ValueError(f"data set {name!r}: unknown{left_out}; {one_of(name, names())}")
    return registry()[name]


def availability(name: str) -> str | None:
    """Say where the data would come from without the network.

    This is cheap: files are looked for, not read.

    Returns
    -------
    str or None
        cache, mirror, bundled or generated (joined by ``+`` where files differ); altered when a file that would be
        read has the wrong size; None when a file or a library is missing.

    Examples
    --------
    >>> from cladebench.datasets import availability
    >>> availability("nested-blobs")
    'generated'
    """
    if (suite := _own(name)) is not None:
        return "copy" if all(path.exists() for path in suite.own_files(name)) else None
    entry = info(name)
    if entry.missing_libraries:
        return None
    if not entry.files:
        return "generated"
    sources: list[str | None] = []
    for file in entry.files:
        copies = check_local(file, sizes_only=True)
        if copies:
            sources.append("altered" if copies[0].fault else copies[0].source)
        else:
            sources.append("bundled" if file.bundled else None)
    if "altered" in sources:
        return "altered"
    return None if None in sources else _joined([source for source in sources if source])


def load(name: str, draw: int = 0) -> Dataset:
    """Load a data set, fetching its files where that is needed.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    draw : int, default=0
        Number of the draw, for data sets that are drawn or generated; 0 for fixed data.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        Unknown name, or a draw that does not exist.
    DataUnavailable
        A file is in no source, or a library that the data set needs is not installed.
    ChecksumMismatch
        A file has the wrong bytes.
    DatasetError
        The content is not what the registry says.

    Examples
    --------
    >>> from cladebench.datasets import load
    >>> load("digits").X.shape
    (200, 64)
    """
    if (suite := _own(name)) is not None:
        data: Dataset = suite.load_own(name)
        return data
    entry = info(name)
    draw = operator.index(draw)
    entry.check_draw(draw)
    if entry.missing_libraries:
        raise DataUnavailable(
            f"{name}: needs {', '.join(entry.missing_libraries)}, which is not installed: an extra of this package "
            "brings it (docs/dependencies.md)"
        )
    obtained = {file.name: obtain(file) for file in entry.files}
    with _process_kept():
        given = entry.loader({file: got.content for file, got in obtained.items()}, draw)
        content = checked(entry, given, draw)
    return Dataset(
        **{part.name: getattr(content, part.name) for part in fields(Content)},
        name=entry.name,
        kind=entry.kind,
        stand_in_for=entry.stand_in_for,
        source=_joined([got.source for got in obtained.values()]) if obtained else "generated",
        files={file.name: file.sha256 for file in entry.files},
        content_sha256=content_sha256(content),
        draw=draw,
    )


@contextmanager
def _process_kept() -> Iterator[None]:
    """Put back the environment and the module path.

    OpenCV changes both when it is first imported.
    """
    environment, path, entries = dict(os.environ), sys.path, list(sys.path)
    try:
        yield
    finally:
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)
        path[:] = entries
        sys.path = path  # the list itself, too: it may be bound to another one


def fixed_sizes() -> dict[str, int]:
    """Count the rows of each data set that is not drawn.

    There is one of it, the same for all repetitions.

    Examples
    --------
    >>> from cladebench.datasets import fixed_sizes
    >>> fixed_sizes()["glass"]
    214
    """
    return {entry.name: entry.n_samples for entry in registry().values() if entry.n_draws == 1}


def source_files(name: str) -> list[Path]:
    """List the source files that make one data set alone.

    Raises
    ------
    ValueError
        No such data set.

    Examples
    --------
    >>> from cladebench.datasets import source_files
    >>> [path.name for path in source_files("digits")]
    ['uci.py']
    """
    if (suite := _own(name)) is not None:
        files: list[Path] = suite.own_files(name)
        return files
    return sources_of(info(name))


def _own(name: str) -> Any:
    """Give the module that reads data of users, if one is named.

    It is found by a computed name: the results of registered data do not depend on it.
    """
    return importlib.import_module(f"{__package__}.own.own_data") if name.startswith(OWN) else None


def registry_frame() -> pd.DataFrame:
    """Make a table of the registry, one row a data set.

    It says what is available on this machine.

    Examples
    --------
    >>> from cladebench.datasets import names, registry_frame
    >>> len(registry_frame()) == len(names())
    True
    """
    import pandas as pd

    rows = []
    for entry in registry().values():
        rows.append(
            {
                "name": entry.name,
                "title": entry.title,
                "kind": entry.kind,
                "stand_in_for": entry.stand_in_for or "",
                "n_samples": entry.n_samples,
                "n_features": entry.n_features,
                "n_classes": entry.n_classes,
                "contents": entry.contents,
                "n_draws": entry.n_draws,
                "available": availability(entry.name) or "",
                "official_url": " ".join(file.official_url for file in entry.files if file.official_url),
                "files": " ".join(file.name for file in entry.files),
                "sha256": " ".join(file.sha256 for file in entry.files),
                "licence": entry.licence,
                "citation": entry.citation,
                "notes": entry.notes,
            }
        )
    # Whole numbers also where some data sets have none.
    return pd.DataFrame(rows).astype({"n_features": "Int64", "n_classes": "Int64"})


def _joined(sources: list[str]) -> str:
    return "+".join(sorted(set(sources)))
