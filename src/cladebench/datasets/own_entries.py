"""Check entries of ``data:`` in comparison.yaml, and find their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from cladebench.datasets import settings
from cladebench.datasets.own_text import OwnDataError, refuse
from cladebench.files import folder_named
from cladebench.input_files import one_of, shown
from cladebench.validation import check_integer

#: Keys of an entry, and what each may be.
KEYS: Mapping[str, Any] = {
    "file": str,
    "label": list,
    "label_files": list,
    "noise": int,
    "missing": ("median", "refuse"),
    "categories": list,
    "ignore": list,
    "separator": str,
    "decimal": (".", ","),
    "header": (True, False),
    "kind": ("features", "distances"),
    "clusters": int,
}


def files_of(entry: Mapping[str, Any], folder: Path) -> list[Path]:
    """List the files that an entry reads."""
    given = checked_entry("", entry)
    return [located(text, folder) for text in (given["file"], *given.get("label_files", []))]


def located(text: str, folder: Path) -> Path:
    """Find a file or folder: beside comparison.yaml, or in a mirror folder; the first place if it is in none."""
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
    """Say what is allowed, in few words: the nearest spelling, or the first names."""
    names = list(allowed)
    told = one_of(name, names).partition("?")
    return f"{told[0]}?" if told[1] and told[0].startswith("did you") else f"expected one of {_first(names)}"


def _first(names: list[str]) -> str:
    return ", ".join(names[:5])[:60] + (", ..." if len(names) > 5 else "")


def checked_entry(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Check keys and values of an entry; lists come as lists of text."""
    given: dict[str, Any] = {}
    for key, value in entry.items():
        where, allowed = f"data.{name}: {key}", KEYS.get(key)
        if allowed is list:
            value = [str(v) if type(v) is int else v for v in (value if isinstance(value, list) else [value])]
            if not all(isinstance(v, str) and v for v in value):
                raise OwnDataError(f"{where}: {shown(value)}; expected a name or a list of names")
            value = list(dict.fromkeys(value))
        elif allowed is int:
            try:
                check_integer(where, value, 2 if key == "clusters" else None)
            except (TypeError, ValueError) as error:
                raise OwnDataError(str(error)) from None
        elif allowed is str and not (isinstance(value, str) and value):
            raise OwnDataError(f"{where}: {shown(value)}; expected text")
        elif allowed is None:
            raise OwnDataError(f"{where}: unknown key; {nearest(key, KEYS)}")
        elif allowed is not str and value not in allowed:
            raise OwnDataError(
                f"{where}: {shown(value)} is not allowed; expected {' or '.join(map(str, allowed))}"
            )
        given[key] = value
    if "file" not in given:
        raise OwnDataError(f"data.{name}: file is missing; expected the name of a data file")
    return given
