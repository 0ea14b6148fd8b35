"""Where data are looked for.

Cache folder, mirror folders, and whether the network may be asked.

The environment is the one place where these settings live, so that child processes have them too; a run's
configuration file sets these variables where the user has not.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from cladebench.files import folder_named

CACHE = "CLADEBENCH_CACHE"
MIRROR = "CLADEBENCH_MIRROR"
OFFLINE = "CLADEBENCH_OFFLINE"
_TRUTH = {"": False, "0": False, "no": False, "false": False, "1": True, "yes": True, "true": True}


@dataclass(frozen=True)
class DataPlaces:
    """Places to look for data.

    Parameters
    ----------
    cache : Path
        Folder of fetched files; made when first needed.
    mirrors : tuple of Path
        Folders with the same layout as the cache, read in place and never written.
    offline : bool
        Never ask the network.
    """

    cache: Path
    mirrors: tuple[Path, ...]
    offline: bool


def checkout_root() -> Path | None:
    """Give the checkout's root around the package, else the current folder."""
    for folder in (Path(__file__).resolve().parents[3], Path.cwd(), *Path.cwd().parents):
        if (folder / "src/cladebench/datasets").is_dir() and (folder / "src/core/CMakeLists.txt").is_file():
            return folder
    return None


def default_cache() -> Path:
    """Give ``.cladebench/cache`` in the checkout, or else in this folder."""
    return (checkout_root() or Path.cwd()) / ".cladebench" / "cache"


def current() -> DataPlaces:
    """Read the settings from the environment.

    Raises
    ------
    ValueError
        ``CLADEBENCH_OFFLINE`` is neither yes nor no, or a folder is none that can be named.
    """
    offline = os.environ.get(OFFLINE, "")
    if offline.lower() not in _TRUTH:
        raise ValueError(f"{OFFLINE} is {offline!r}, expected 1 or 0")
    cache = os.environ.get(CACHE)
    return DataPlaces(
        cache=folder_named(cache, CACHE).absolute() if cache else default_cache(),
        mirrors=tuple(
            folder_named(p, MIRROR).absolute()
            for p in os.environ.get(MIRROR, "").split(os.pathsep)
            if p.strip()
        ),
        offline=_TRUTH[offline.lower()],
    )
