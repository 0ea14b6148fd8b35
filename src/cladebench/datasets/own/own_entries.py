"""Check entries of ``data:`` in comparison.yaml, and find their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from cladebench.datasets import settings
from cladebench.datasets.own.own_text import OwnDataError, refuse
from cladebench.files import folder_named
from cladebench.input_files import InputFileError, one_of, validate


def files_of(entry: Mapping[str, Any], folder: Path) -> list[Path]:
    """List the files that an entry reads."""
    given = checked_entry("", entry)
    return [located(text, folder) for text in (given["file"], *given["label_files"])]


def located(text: str, folder: Path) -> Path:
    """Find a file or folder of a comparison.

    It is beside comparison.yaml or in a mirror folder; if in none, the first place is given.
    """
    try:
        path = folder / folder_named(text, "data")
    except ValueError as error:
        raise OwnDataError(str(error)) from None
    places = [path, *(mirror / text for mirror in settings.current().mirrors)]
    return next((place for place in places if place.exists()), path)


def no_column(file: str, column: str, columns: Iterable[Any]) -> NoReturn:
    """Refuse the name of a column that is not there."""
    refuse(file, f"is not in the file; {nearest(column, map(str, columns))}", column)


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Say what is allowed: the nearest spelling, or the first names."""
    names = list(allowed)
    near, mark, _ = one_of(name, names).partition("? ")
    first = ", ".join(names[:5])[:60] + ", ..." * (len(names) > 5)
    return f"{near}?" if mark and near.startswith("did you mean") else f"expected one of {first}"


def checked_entry(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Check an entry; a name alone comes as a list of one."""
    try:
        validate(dict(entry), "own_data", f"data.{name}")
    except InputFileError as error:
        raise OwnDataError(str(error)) from None
    given = dict(entry)
    for key in ("label", "label_files", "categories", "ignore"):
        value = given.get(key, [])
        given[key] = list(dict.fromkeys(map(str, value if isinstance(value, list) else [value])))
    return given
