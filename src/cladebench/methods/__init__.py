"""Clustering methods, hierarchical and flat.

One file (or package) each, found by folder.

Every public, concrete subclass of `cladebench.methods.base.HierarchicalClusterer` or `Clusterer` that a module of this
folder defines is a method: ``from cladebench.methods import Agglomerative`` works with no registration.
"""

from typing import Any

from cladebench.discovery import Folder

__all__ = ["discover"]

_FOLDER = Folder(__name__, "HierarchicalClusterer", "Clusterer")
discover = _FOLDER.classes


def __getattr__(name: str) -> Any:
    return _FOLDER.get(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *discover()})
