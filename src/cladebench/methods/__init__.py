"""Hierarchical clustering methods, one file (or package) each, found by folder.

Every public, concrete subclass of `cladebench.methods.base.HierarchicalClusterer` that a module of this
folder defines is a method: ``from cladebench.methods import Agglomerative`` works with no registration.
Modules are imported when the first method is asked for, not when this package is.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cladebench.methods.base import HierarchicalClusterer

__all__ = ["discover"]


def _modules() -> list[str]:
    names = (info.name for info in pkgutil.iter_modules(__path__))
    return [name for name in names if name != "base" and not name.startswith("_")]


@cache
def _registry() -> dict[str, type[HierarchicalClusterer]]:
    from cladebench.methods.base import HierarchicalClusterer

    found: dict[str, type[HierarchicalClusterer]] = {}
    for module_name in _modules():
        module = importlib.import_module(f"{__name__}.{module_name}")
        for name, value in vars(module).items():
            if (
                name.startswith("_")
                or not inspect.isclass(value)
                or inspect.isabstract(value)
                or not issubclass(value, HierarchicalClusterer)
                or not f"{value.__module__}.".startswith(f"{module.__name__}.")  # imported from elsewhere
            ):
                continue
            if name in found:
                raise ImportError(
                    f"two methods are named {name}: in {found[name].__module__} and in {value.__module__}"
                )
            found[name] = value
    return dict(sorted(found.items()))


def discover() -> dict[str, type[HierarchicalClusterer]]:
    """All methods of this folder.

    Returns
    -------
    dict of str to type
        Class name to class, sorted by name.

    Raises
    ------
    ImportError
        If two modules define methods of one name.
    """
    return dict(_registry())


def __getattr__(name: str) -> Any:
    # The import machinery asks for submodules and for dunders before it imports: these name no method.
    if not name.startswith("_") and name not in ("base", *_modules()):
        methods = _registry()
        if name in methods:
            return methods[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_registry()})
