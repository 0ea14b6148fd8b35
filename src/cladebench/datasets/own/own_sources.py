"""Find the data that an entry of ``data:`` in comparison.yaml names."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cladebench import datasets
from cladebench.datasets.own.own_batteries import expand_battery
from cladebench.datasets.own.own_data import OWN, own, own_name
from cladebench.datasets.own.own_entries import nearest
from cladebench.datasets.own.own_files import OwnData
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
    digest : str
        Of all values, labels and numbers of clusters; of registered data, their name.
    """

    name: str
    kind: str
    sparse: bool
    labelled: bool
    n_rows: int
    n_clusters: int
    digest: str = field(default="", compare=False)


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
        The file that has the entry, for messages.

    Raises
    ------
    OwnDataError
        If the entry is wrong or its data cannot be read; names file, key and what was expected.
    """
    place = f"{where}: data.{key}"
    kinds = [kind for kind in ("file", "registered", "battery") if kind in entry]
    if len(kinds) != 1:
        given_kinds = ", ".join(kinds) or "no source"
        raise OwnDataError(f"{place}: {given_kinds}; expected one of file, registered, battery")
    if kinds == ["registered"]:
        return {key: _registered(entry, place)}
    try:
        entries = expand_battery(key, entry, folder) if kinds == ["battery"] else {key: dict(entry)}
        return {name: _own(name, one, folder) for name, one in entries.items()}
    except OwnDataError as error:  # of the entry, or of a file that names itself
        of_entry = (f"data.{key}:", f"data.{key}-")
        lines = [f"{where}: " * line.startswith(of_entry) + line for line in str(error).splitlines()]
        raise OwnDataError("\n".join(lines)) from None


def refuse_copies(data: Mapping[str, Source], where: str) -> None:
    """Refuse data sets with the same values: one would count as several.

    `where` is the file that names them.
    """
    names: dict[str, str] = {}
    for name, source in data.items():
        if (first := names.setdefault(source.digest, name)) != name:
            raise OwnDataError(
                f"{where}: data.{name}: has the same rows as data.{first}; expected data sets that differ"
            )


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
        digest=_digest(data),
    )


def _digest(data: OwnData) -> str:
    X = data.X
    parts = [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else [X]
    digest = hashlib.sha256(repr([X.shape, data.kind, sorted(data.clusters.values())]).encode())
    for part in [*parts, *data.labellings.values()]:
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


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
    return Source(name, "features", info.sparse, True, info.n_samples, info.n_classes, name)
