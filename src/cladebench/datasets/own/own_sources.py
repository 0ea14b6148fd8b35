"""Find the data that an entry of ``data:`` in comparison.yaml names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench import datasets
from cladebench.datasets.own.own_batteries import expand_battery
from cladebench.datasets.own.own_data import OWN, own, own_name
from cladebench.datasets.own.own_entries import nearest
from cladebench.datasets.own.own_text import OwnDataError


@dataclass(frozen=True)
class Source:
    """Where a data set comes from, and what it has.

    Attributes
    ----------
    name : str
        What `cladebench.datasets.load` takes: a name of the registry, or one of own data.
    kind : {"features", "distances"}
    sparse : bool
    labelled : bool
        Whether there are labels to score against.
    n_rows : int
    n_clusters : int
        The largest number of clusters that is asked for.
    """

    name: str
    kind: str
    sparse: bool
    labelled: bool
    n_rows: int
    n_clusters: int


def sources_of(key: str, entry: Mapping[str, Any], folder: Path, where: str) -> dict[str, Source]:
    """Find the data of an entry: one set, or a battery.

    Parameters
    ----------
    key : str
        Its key in comparison.yaml.
    entry : mapping
        With one of ``file``, ``registered`` and ``battery``.
    folder : Path
        Files are looked for in this folder of comparison.yaml, then in the mirror folders.
    where : str
        Begins the messages on what is wrong.

    Raises
    ------
    OwnDataError
        If the entry is wrong or its data cannot be read; names file, key and what was expected.
    """
    kinds = [kind for kind in ("file", "registered", "battery") if kind in entry]
    if len(kinds) != 1:
        found = ", ".join(kinds) or "no source"
        raise OwnDataError(f"{where}: {found}; expected one of file, registered, battery")
    if kinds == ["registered"]:
        return {key: _registered(entry, where)}
    entries = expand_battery(key, entry, folder) if kinds == ["battery"] else {key: dict(entry)}
    return {name: _own(name, one, folder) for name, one in entries.items()}


def _own(name: str, entry: Mapping[str, Any], folder: Path) -> Source:
    source = own_name(name, entry, folder)
    data = own(source)
    return Source(
        name=source,
        kind=data.kind,
        sparse=hasattr(data.X, "indptr"),
        labelled=bool(data.labellings),
        n_rows=data.X.shape[0],
        n_clusters=max(data.clusters.values()),
    )


def _registered(entry: Mapping[str, Any], where: str) -> Source:
    name = entry["registered"]
    if extra := sorted(set(entry) - {"registered"}):
        raise OwnDataError(f"{where}: unknown key {extra[0]!r}; expected none beside registered")
    if str(name).startswith(OWN) or name not in datasets.names():
        raise OwnDataError(
            f"{where}.registered: no data set {name!r}; {nearest(str(name), datasets.names())}"
        )
    info = datasets.info(name)
    if info.n_features is None or info.parts:
        raise OwnDataError(f"{where}.registered: {name!r} has no table of features; expected one that has")
    if info.n_classes is None:
        raise OwnDataError(f"{where}.registered: {name!r} has no labels; expected data that have some")
    return Source(name, "features", info.sparse, True, info.n_samples, info.n_classes)
