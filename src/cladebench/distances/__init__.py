"""Distances between samples, learned or given, one file each, found by folder.

Every public, concrete subclass of `cladebench.distances.base.Distance` that a module of this folder defines is a
distance: ``from cladebench.distances import Euclidean`` works with no registration. So are those of `StackDistance`,
which weigh distances that are given.
"""

from typing import Any

from cladebench.discovery import Folder

__all__ = ["discover"]

_FOLDER = Folder(__name__, "Distance", "StackDistance")
discover = _FOLDER.classes


def __getattr__(name: str) -> Any:
    return _FOLDER.get(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *discover()})
