"""What a user writes: ``comparison.yaml``, checked, with its data and methods found."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.clusterers import number_of
from cladebench.comparison import CONTROLS
from cladebench.comparison.methods import Method, found_methods
from cladebench.comparison.shown_measures import importable
from cladebench.datasets.own.own_entries import located, nearest
from cladebench.datasets.own.own_published import published_sets
from cladebench.datasets.own.own_scores import read_scores
from cladebench.datasets.own.own_sources import Source, sources_of
from cladebench.input_files import InputFileError, read_validated

#: Of a run of a method, unless the file says otherwise.
LIMITS = {"time_s": 60.0, "memory_mb": 4000.0}
_AS_WRITTEN = ("mine", "title", "features", "repetitions", "rope", "seed", "critical_difference")


@dataclass(frozen=True)
class Comparison:
    """A checked ``comparison.yaml``; attributes are its keys.

    `mine` is empty where the file names none. `published` has the archive of labels and its digest, and `imported` the
    scores of other people's runs; see `cladebench.datasets.own.own_scores`. Both are empty where there are none.
    """

    path: Path
    data: Mapping[str, Source]
    methods: Mapping[str, Method]
    settings: Mapping[str, Mapping[str, list[Any]]]
    limits: Mapping[str, float]
    published: Mapping[str, str]
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
    data: dict[str, Source] = {}
    for key, entry in document["data"].items():
        data |= sources_of(key, entry, path.parent, f"{path}: data.{key}")
    for name, one in data.items():
        if one.n_clusters > (most := one.n_rows // 2):
            raise InputFileError(
                f"data.{name}: has {one.n_clusters} clusters; expected at most {most}: a draw has half of the rows"
            )
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
            if parameter == number_of(methods[key].parameters):
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
        published=_archive(path, given["published"]) if "published" in given else {},
        imported=imported,
        **{key: document[key] for key in _AS_WRITTEN if key in document},
    )


def _archive(path: Path, text: str) -> dict[str, str]:
    """Find the archive of published labels, and its digest.

    Other labels make runs stale.
    """
    archive = located(text, path.parent)
    if not published_sets(archive):
        raise InputFileError(
            f"{path}: methods.published: {text} has no labels; expected METHOD/BATTERY/DATA.result<k>.gz"
        )
    return {"file": str(archive), "sha256": hashlib.sha256(archive.read_bytes()).hexdigest()}


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
