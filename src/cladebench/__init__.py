"""Reproducible benchmarks and audits of papers on max-margin and hierarchical clustering."""

import importlib
from typing import Any

__version__ = "0.1.0"
#: Where names come from, as ``__init__.pyi`` says too: imported when asked for, so that commands start faster.
_MODULES = {"Hierarchy": "cladebench.hierarchy", "linkage": "cladebench.solvers.linkages"}
__all__ = ["Hierarchy", "__version__", "linkage"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
