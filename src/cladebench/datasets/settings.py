"""Where data are looked for: cache folder, mirror folders, and whether the network may be asked.

The environment is the one place where these settings live, so that child processes have them too. A
configuration file enters through :func:`configure`, which leaves alone what the user has set.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CACHE = "CLADEBENCH_CACHE"
MIRROR = "CLADEBENCH_MIRROR"
OFFLINE = "CLADEBENCH_OFFLINE"
_TRUTH = {"": False, "0": False, "no": False, "false": False, "1": True, "yes": True, "true": True}


@dataclass(frozen=True)
class Settings:
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
    """Root of the project's checkout: the one this package runs from, else one around the current folder."""
    for folder in (Path(__file__).resolve().parents[3], Path.cwd(), *Path.cwd().parents):
        if (folder / "src/cladebench/datasets").is_dir() and (folder / "src/core/CMakeLists.txt").is_file():
            return folder
    return None


def default_cache() -> Path:
    """``.cladebench/cache`` in the checkout, or in the current folder where there is no checkout."""
    return (checkout_root() or Path.cwd()) / ".cladebench" / "cache"


def current() -> Settings:
    """Read the settings from the environment.

    Raises
    ------
    ValueError
        ``CLADEBENCH_OFFLINE`` is neither yes nor no.
    """
    offline = os.environ.get(OFFLINE, "")
    if offline.lower() not in _TRUTH:
        raise ValueError(f"{OFFLINE} is {offline!r}, expected 1 or 0")
    cache = os.environ.get(CACHE)
    return Settings(
        cache=Path(cache).expanduser().absolute() if cache else default_cache(),
        mirrors=tuple(
            Path(p).expanduser().absolute() for p in os.environ.get(MIRROR, "").split(os.pathsep) if p.strip()
        ),
        offline=_TRUTH[offline.lower()],
    )


def configure(
    cache: str | os.PathLike[str] | None = None,
    mirrors: Iterable[str | os.PathLike[str]] | None = None,
    offline: bool | None = None,
) -> Settings:
    """Take over settings from a configuration; what the environment already says has precedence.

    Parameters
    ----------
    cache : path, optional
        As ``CLADEBENCH_CACHE``.
    mirrors : iterable of paths, optional
        As ``CLADEBENCH_MIRROR``, which separates them by ``os.pathsep``.
    offline : bool, optional
        As ``CLADEBENCH_OFFLINE``.

    Returns
    -------
    Settings
        Those now in force, in this process and in its children.
    """
    if cache:
        os.environ.setdefault(CACHE, str(Path(cache).expanduser().absolute()))
    if mirrors is not None:
        paths = [str(Path(m).expanduser().absolute()) for m in mirrors]
        os.environ.setdefault(MIRROR, os.pathsep.join(paths))
    if offline is not None:
        os.environ.setdefault(OFFLINE, "1" if offline else "0")
    return current()
