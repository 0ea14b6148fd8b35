"""Registry: every module of this folder that has ``DATASETS`` adds its entries; loading by name."""

from __future__ import annotations

import importlib
import operator
import pkgutil
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.base import Content, Dataset, DatasetError, DatasetInfo, RemoteFile, content_sha256
from cladebench.datasets.derived import features
from cladebench.datasets.fetch import check_local, obtain
from cladebench.validation import as_index

if TYPE_CHECKING:
    import pandas as pd


@lru_cache(maxsize=1)
def registry() -> dict[str, DatasetInfo]:
    """All entries by name, in alphabetical order.

    Raises
    ------
    ValueError
        Two modules use one name, or give one file two contents.
    """
    entries: dict[str, DatasetInfo] = {}
    modules: dict[str, str] = {}
    files: dict[str, RemoteFile] = {}
    for found in sorted(pkgutil.iter_modules(sys.modules[str(__package__)].__path__), key=lambda m: m.name):
        module = importlib.import_module(f"{__package__}.{found.name}")
        for entry in getattr(module, "DATASETS", ()):
            if entry.name in entries:
                raise ValueError(
                    f"data set name {entry.name!r} is used in {modules[entry.name]} and in {found.name}"
                )
            for file in entry.files:
                if files.setdefault(file.name, file).sha256 != file.sha256:
                    raise ValueError(
                        f"{entry.name}: file {file.name} is registered twice with different sha256"
                    )
            entries[entry.name], modules[entry.name] = entry, found.name
    return dict(sorted(entries.items()))


def names() -> list[str]:
    """Names of all registered data sets."""
    return list(registry())


def info(name: str) -> DatasetInfo:
    """Registry entry of a data set.

    Raises
    ------
    ValueError
        No such data set.
    """
    if name not in registry():
        raise ValueError(f"unknown data set {name!r}, expected one of {', '.join(names())}")
    return registry()[name]


def availability(name: str) -> str | None:
    """Where the data would come from without the network; cheap: files are looked for, not read.

    Returns
    -------
    str or None
        cache, mirror, bundled or generated (joined by ``+`` where files differ); altered when a file that would be
        read has not its registered size; None when a file is missing.
    """
    entry = info(name)
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
        A file is in no source.
    ChecksumMismatch
        A file's bytes are not the registered ones.
    DatasetError
        The content is not what the registry says.
    """
    entry = info(name)
    draw = operator.index(draw)
    entry.check_draw(draw)
    obtained = {file.name: obtain(file) for file in entry.files}
    content = entry.loader({file: got.content for file, got in obtained.items()}, draw)
    labels = np.ascontiguousarray(content.labels, dtype=np.intp)
    X = np.ascontiguousarray(features(entry, content.X, labels, draw), dtype=np.float64)
    digest = content_sha256(X, labels)
    _check(entry, X, labels, content)
    if draw == 0 and entry.content_sha256 not in (None, digest):
        raise DatasetError(
            f"{name}: the files are the registered ones, but what was computed from them is not: expected content "
            f"with sha256 {entry.content_sha256}, found {digest}"
        )
    return Dataset(
        name=entry.name,
        X=X,
        labels=labels,
        label_names=content.label_names,
        kind=entry.kind,
        stand_in_for=entry.stand_in_for,
        source=_joined([got.source for got in obtained.values()]) if obtained else "generated",
        files={file.name: file.sha256 for file in entry.files},
        content_sha256=digest,
        draw=draw,
        class_parents=content.class_parents,
        feature_names=content.feature_names,
    )


def registry_frame() -> pd.DataFrame:
    """The registry as a table, one row for each data set, with what is available on this machine."""
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
    return pd.DataFrame(rows)


def _joined(sources: list[str]) -> str:
    return "+".join(sorted(set(sources)))


def _check(entry: DatasetInfo, X: NDArray[np.float64], labels: NDArray[np.intp], content: Content) -> None:
    """Compare the loaded arrays and names with the registry."""
    place = ", ".join(file.name for file in entry.files) or "the generator"

    def require(holds: bool, expected: str, found: object) -> None:
        if not holds:
            raise DatasetError(f"{entry.name} ({place}): expected {expected}, found {found}")

    shape = (entry.n_samples, entry.n_features)
    require(X.shape == shape, f"X of shape {shape}", X.shape)
    require(bool(np.isfinite(X).all()), "finite features", "NaN or infinity")
    require(labels.shape == shape[:1], f"labels of shape {shape[:1]}", labels.shape)
    classes = np.unique(labels)
    expected = np.arange(entry.n_classes)
    require(
        np.array_equal(classes, expected),
        f"labels 0..{entry.n_classes - 1}, each occurring",
        classes.tolist(),
    )
    names = len(content.label_names)
    require(names == entry.n_classes, f"{entry.n_classes} label names", names)
    names = entry.n_features if content.feature_names is None else len(content.feature_names)
    require(names == entry.n_features, f"{entry.n_features} feature names", names)
    if content.class_parents is not None:
        fault = _tree_fault(content.class_parents, entry.n_classes)
        require(
            fault is None,
            f"class_parents to be the parent of each node of a tree (-1 at the root), nodes 0..{entry.n_classes - 1} "
            "being the classes",
            fault,
        )


def _tree_fault(parents: NDArray[np.intp], n_classes: int) -> str | None:
    """Put in words why these are not the parents of a tree over the classes; None if they are."""
    # It needs the compiled core, which a look at the registry does not.
    from cladebench.hierarchy import Hierarchy

    try:
        n_nodes = len(as_index("class_parents", parents))
        if n_nodes < n_classes:
            return f"{n_nodes} nodes"
        Hierarchy(parents, np.arange(n_classes))
    except ValueError as error:
        return str(error)
    return None
