"""What a user writes: ``comparison.yaml``, checked, with its data and methods found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cladebench.clusterers import number_of
from cladebench.comparison import CONTROLS
from cladebench.comparison.shown_measures import importable
from cladebench.datasets.own.own_entries import nearest
from cladebench.datasets.own.own_sources import Source, refuse_copies, sources_of
from cladebench.file_lines import lines_of, tells_lines
from cladebench.input_files import InputFileError, read_validated
from cladebench.named_clusterers import NamedClusterer, named_clusterers
from cladebench.paper.parameter_check import all_values, fault_of
from cladebench.published.label_archive import archive_of
from cladebench.published.score_file import read_scores

#: Of a run of a method, unless the file says otherwise.
LIMITS = {"time_s": 60.0, "memory_mb": 4000.0}
#: Ours that are no methods: what knows nothing, or all.
_NOT_FITTING = (*CONTROLS, "BalancedRandomTree", "StarTree", "OracleTree")
_AS_WRITTEN = ("mine", "title", "features", "repetitions", "rope", "seed", "critical_difference")


@dataclass(frozen=True)
class Comparison:
    """A checked ``comparison.yaml``; attributes are its keys.

    `mine` is empty where the file names none. `published` has the archive of labels and its digest, and `imported` the
    scores of other people's runs; see `cladebench.published.score_file`. Both are empty where there are none.
    """

    path: Path
    data: Mapping[str, Source]
    methods: Mapping[str, NamedClusterer]
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


@tells_lines
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
        data |= sources_of(key, entry, path.parent, str(path))
    refuse_copies(data, str(path))
    for name, one in data.items():
        if one.n_clusters > (most := one.n_rows // 2):
            problem = f"has {one.n_clusters} clusters; expected at most {most}: a draw has half of the rows"
            raise InputFileError(f"{path}: data.{name}: {problem}")
    given = document.get("methods", {})
    given = {"run": given} if isinstance(given, list) else given
    methods = {method.key: method for method in found_methods(given.get("run", ["fitting"]), path)}
    if "mine" in document:
        document["mine"] = _named(document["mine"], methods, f"{path}: mine")
    settings = {}
    for name, grid in document.get("settings", {}).items():
        key = _named(name, methods, f"{path}: settings")
        _check_settings(path, f"settings.{name}", methods[key], grid)
        settings[key] = grid
    published, imported = {}, {}
    if "published" in given:
        published = archive_of(given["published"], path.parent, f"{path}: methods.published")
    if "scores" in document:
        measures = {name: importable(one.labelled) for name, one in data.items()}
        imported = read_scores(document["scores"], path.parent, measures)
    return Comparison(
        path=path,
        data=data,
        methods=methods,
        settings=settings,
        limits={**LIMITS, **document.get("limits", {})},
        published=published,
        imported=imported,
        **{key: document[key] for key in _AS_WRITTEN if key in document},
    )


def _check_settings(path: Path, where: str, method: NamedClusterer, grid: Mapping[str, list[Any]]) -> None:
    """Refuse parameters that a method lacks, and wrong values."""
    if method.cls is None:  # not installed
        return
    for parameter in grid:
        if parameter not in method.parameters:
            problem = f"no parameter {parameter!r}; {nearest(parameter, method.parameters)}"
            raise _wrong(path, where, parameter, problem)
        if parameter == number_of(method.parameters):
            problem = (
                "the number of clusters is that of the data, for all methods; expected another parameter"
            )
            raise _wrong(path, f"{where}.{parameter}", parameter, problem)
    for setting in all_values(grid):
        fault = fault_of(method.cls, setting, f"{path}: {where}")
        if fault is not None:
            raise _wrong(path, where, *fault)


def _wrong(path: Path, where: str, parameter: str, problem: str) -> InputFileError:
    at = where if where.endswith(f".{parameter}") else f"{where}.{parameter}"
    return InputFileError(f"{path}{lines_of(path)(at)}: {where}: {problem}")


def fitting() -> list[str]:
    """Names of our clusterers that need no labels."""
    from cladebench import methods

    return [name for name in methods.discover() if name not in _NOT_FITTING]


def found_methods(given: Iterable[str], path: Path, where: str = "") -> list[NamedClusterer]:
    """Find the methods of a file, the controls last; see `named_clusterers`.

    `where` begins the messages; by default the file's key ``methods``.
    """
    texts = [name for text in given for name in (fitting() if text == "fitting" else [text])]
    asked = [text for text in texts if text not in CONTROLS]
    return named_clusterers([*asked, *CONTROLS], path.parent, where or f"{path}: methods")


def _named(name: str, methods: Mapping[str, NamedClusterer], where: str) -> str:
    """Find a method by key, class, or as the file writes it."""
    if name in CONTROLS:
        return name
    matches = [m.key for m in methods.values() if name in (m.key, m.given, m.class_name)]
    exact = [key for key in matches if key == name] or matches
    if len(exact) != 1:
        expected = nearest(name, methods) if not exact else f"expected one of {', '.join(exact)}"
        raise InputFileError(f"{where}: {'several methods' if exact else 'no method'} {name!r}; {expected}")
    return exact[0]
