"""Reproducible benchmarks and audits of papers on max-margin and hierarchical clustering."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cladebench.hierarchy import Hierarchy

__version__ = "0.1.0"
__all__ = ["Hierarchy", "__version__"]


def __getattr__(name: str) -> Any:
    # Only when asked for: the commands start faster without the compiled core.
    if name == "Hierarchy":
        from cladebench.hierarchy import Hierarchy

        return Hierarchy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
