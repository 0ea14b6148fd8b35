"""The configuration of a run: ``config/config.yaml``, checked, with defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cladebench.datasets import settings
from cladebench.file_lines import lines_told
from cladebench.files import folder_named
from cladebench.input_files import InputFileError, read_yaml, validate

DEFAULT_PATH = Path("config/config.yaml")


def _absolute(path: str) -> str:
    return str(Path(path).absolute())


@dataclass(frozen=True)
class DataConfig:
    """Where data come from.

    Cache folder, mirror folders, and whether the network may be used.
    """

    cache: str | None = None
    mirrors: tuple[str, ...] = ()
    offline: bool = False

    def environment(self) -> dict[str, str]:
        """The environment variables that ``cladebench.datasets`` reads, for what is set here.

        A variable that the user has set already wins, so that one command can be pointed elsewhere.

        Raises
        ------
        InputFileError
            If a variable that the user has set is wrong.
        """
        try:
            settings.current()
        except ValueError as error:
            raise InputFileError(f"environment: {error}") from None
        wanted = {
            settings.CACHE: _absolute(self.cache) if self.cache else "",
            settings.MIRROR: os.pathsep.join(map(_absolute, self.mirrors)),
            settings.OFFLINE: "1" if self.offline else "",
        }
        return {name: value for name, value in wanted.items() if value and not os.environ.get(name)}


@dataclass(frozen=True)
class Config:
    """The configuration of a run.

    Parameters
    ----------
    scope : {"quick", "smoke", "full"}
    papers : tuple of str
        Ids, or dotted names of the user's own paper packages; empty means all in ``cladebench.papers``.
    seed : int
        Root seed.
    results_dir : str
        Parent of the scopes' folders; like the folders of `data` with ``~`` replaced by the home folder.
    threads : int
        Threads of each cell.
    time_scale, memory_scale : float
        Factors on the plans' limits.
    data : DataConfig
    """

    scope: str = "quick"
    papers: tuple[str, ...] = ()
    seed: int = 0
    results_dir: str = "results"
    threads: int = 1
    time_scale: float = 1.0
    memory_scale: float = 1.0
    data: DataConfig = field(default_factory=DataConfig)


def _at_home(folder: str, where: str) -> str:
    """Replace a leading ``~`` or ``~user`` by the home folder."""
    try:
        return str(folder_named(folder, where))
    except ValueError as error:
        raise InputFileError(str(error)) from None


def parse_config(document: Mapping[str, Any], name: str) -> Config:
    """Check a configuration that has been read already.

    `name` says in messages where it is from.

    Raises
    ------
    InputFileError
        If it has a wrong key or value.
    """
    validate(document, "config", name)
    top = dict(document)
    data, limits = dict(top.pop("data", {})), top.pop("limits", {})
    for section, key, where in ((top, "results_dir", "results_dir"), (data, "cache", "data.cache")):
        if section.get(key) is not None:
            section[key] = _at_home(section[key], f"{name}: {where}")
    data["mirrors"] = tuple(
        _at_home(folder, f"{name}: data.mirrors[{i}]") for i, folder in enumerate(data.get("mirrors", ()))
    )
    top["papers"] = tuple(top.get("papers", ()))
    return Config(**top, **limits, data=DataConfig(**data))


def load_config(path: Path | str | None = None) -> Config:
    """Read a configuration.

    Parameters
    ----------
    path : path, optional
        Default: ``config/config.yaml`` in the current folder; where that does not exist, the defaults hold.

    Raises
    ------
    InputFileError
        If the file is missing (when named), broken or has a wrong key or value.
    """
    if path is None and not DEFAULT_PATH.exists():
        return Config()
    path = path or DEFAULT_PATH
    document = read_yaml(path)
    with lines_told(path):
        return parse_config({} if document is None else document, str(path))
