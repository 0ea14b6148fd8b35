"""What a user writes: ``comparison.yaml``, checked, with its data and methods found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench import datasets
from cladebench.comparison import CONTROLS
from cladebench.comparison.methods import Method, found_methods
from cladebench.comparison.shown_measures import importable
from cladebench.datasets.own.own_batteries import expand_battery, published_sets
from cladebench.datasets.own.own_data import OWN, own, own_name
from cladebench.datasets.own.own_entries import located, nearest
from cladebench.datasets.own.own_scores import read_scores
from cladebench.input_files import InputFileError, read_validated

#: Of a run of a method, unless the file says otherwise.
LIMITS = {"time_s": 60.0, "memory_mb": 4000.0}
_AS_WRITTEN = ("mine", "title", "features", "repetitions", "rope", "seed", "critical_difference")


@dataclass(frozen=True)
class Data:
    """A data set of a comparison.

    Attributes
    ----------
    source : str
        What the spine loads: a name of the registry, or one of `cladebench.datasets.own.own_data`.
    kind : {"features", "distances"}
    sparse : bool
    labelled : bool
        Whether there are labels to score against.
    """

    source: str
    kind: str
    sparse: bool
    labelled: bool = True


@dataclass(frozen=True)
class Comparison:
    """A checked ``comparison.yaml``; attributes are its keys.

    `mine` is empty where the file names none, and `published` is None where it names no archive of labels. `imported`
    has the scores of other people's runs; see `cladebench.datasets.own.own_scores`.
    """

    path: Path
    data: Mapping[str, Data]
    methods: Mapping[str, Method]
    settings: Mapping[str, Mapping[str, list[Any]]]
    limits: Mapping[str, float]
    published: Path | None
    imported: Mapping[str, Any]
    mine: str = ""
    title: str = "Comparison"
    features: Sequence[str] = ("zscore",)
    repetitions: int = 10
    rope: float = 0.02
    seed: int = 0
    critical_difference: bool = False


def read_comparison(path: Path) -> Comparison:
    """Read a comparison: file, data, and classes of its methods.

    Raises
    ------
    InputFileError
        If the file, a data set or a method is wrong; names file, key and what was expected.
    """
    path = path.absolute()
    document = read_validated(path, "comparison")
    data = {
        name: one for key, entry in document["data"].items() for name, one in _data(path, key, entry).items()
    }
    given = document.get("methods", {})
    given = {"run": given} if isinstance(given, list) else given
    methods = {method.key: method for method in found_methods(given.get("run", ["fitting"]), path)}
    if "mine" in document:
        document["mine"] = _named(document["mine"], methods, f"{path}: mine")
    settings = {
        _named(name, methods, f"{path}: settings"): grid
        for name, grid in document.get("settings", {}).items()
    }
    for key, grid in settings.items():
        for parameter in grid:
            if parameter not in methods[key].parameters:
                allowed = nearest(parameter, methods[key].parameters)
                raise InputFileError(f"{path}: settings.{key}: no parameter {parameter!r}; {allowed}")
            if parameter == methods[key].number:
                raise InputFileError(
                    f"{path}: settings.{key}.{parameter}: the number of clusters is that of the data, for all methods; "
                    "expected another parameter"
                )
    imported = {}
    if "scores" in document:
        measures = {name: importable(one.labelled) for name, one in data.items()}
        imported = read_scores(document["scores"], path.parent, measures)
    return Comparison(
        path=path,
        data=data,
        methods=methods,
        settings=settings,
        limits={**LIMITS, **document.get("limits", {})},
        published=_archive(path, given["published"]) if "published" in given else None,
        imported=imported,
        **{key: document[key] for key in _AS_WRITTEN if key in document},
    )


def _archive(path: Path, text: str) -> Path:
    """Find the archive of published labels."""
    archive = located(text, path.parent)
    if not published_sets(archive):
        raise InputFileError(
            f"{path}: methods.published: {text} has no labels; expected METHOD/BATTERY/DATA.result<k>.gz"
        )
    return archive


def _named(name: str, methods: Mapping[str, Method], where: str) -> str:
    """Find a method by key, class, or as the file writes it."""
    if name in CONTROLS:
        return name
    matches = [m.key for m in methods.values() if name in (m.key, m.given, m.class_name)]
    exact = [key for key in matches if key == name] or matches
    if len(exact) != 1:
        expected = nearest(name, methods) if not exact else f"expected one of {', '.join(exact)}"
        raise InputFileError(f"{where}: {'several methods' if exact else 'no method'} {name!r}; {expected}")
    return exact[0]


def _data(path: Path, key: str, entry: Mapping[str, Any]) -> dict[str, Data]:
    """Find the data behind a key: one set, or a battery's."""
    where = f"{path}: data.{key}"
    kinds = [kind for kind in ("file", "registered", "battery") if kind in entry]
    if len(kinds) != 1:
        raise InputFileError(
            f"{where}: {', '.join(kinds) or 'no source'}; expected one of file, registered, battery"
        )
    if kinds == ["registered"]:
        return {key: _registered(where, entry)}
    entries = expand_battery(key, entry, path.parent) if kinds == ["battery"] else {key: dict(entry)}
    return {name: _own(name, one, path.parent) for name, one in entries.items()}


def _own(name: str, entry: Mapping[str, Any], folder: Path) -> Data:
    source = own_name(name, entry, folder)
    data = own(source)
    k, most = max(data.clusters.values()), data.X.shape[0] // 2
    if k > most:
        raise InputFileError(
            f"data.{name}: has {k} clusters; expected at most {most}: a draw has half of the rows"
        )
    return Data(source, data.kind, hasattr(data.X, "indptr"), bool(data.labellings))


def _registered(where: str, entry: Mapping[str, Any]) -> Data:
    name = entry["registered"]
    if extra := sorted(set(entry) - {"registered"}):
        raise InputFileError(f"{where}: unknown key {extra[0]!r}; expected none beside registered")
    if str(name).startswith(OWN) or name not in datasets.names():
        raise InputFileError(
            f"{where}.registered: no data set {name!r}; {nearest(str(name), datasets.names())}"
        )
    info = datasets.info(name)
    if info.n_features is None or info.parts:
        raise InputFileError(f"{where}.registered: {name!r} has no table of features; expected one that has")
    if info.n_classes is None:
        raise InputFileError(f"{where}.registered: {name!r} has no labels; expected data that have some")
    return Data(name, "features", info.sparse)
