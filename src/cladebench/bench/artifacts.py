"""The tables and figures that a paper's package declares."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from cladebench.bench.schema import InputFileError


def load_artifacts(package: str) -> tuple[Any, ...]:
    """Read ``ARTIFACTS`` of ``<package>.artifacts``.

    Parameters
    ----------
    package : str
        Dotted name of the paper's package.

    Returns
    -------
    tuple of Artifact

    Raises
    ------
    InputFileError
        If there is no such module, it cannot be imported, reads a file that is missing (a caption), or lists nothing.
    """
    module = f"{package}.artifacts"
    expected = "expected ARTIFACTS, a tuple of cladebench.papers.base.Artifact"
    if importlib.util.find_spec(module) is None:
        raise InputFileError(f"{module}: no such module; {expected} in it")
    try:
        found = getattr(importlib.import_module(module), "ARTIFACTS", None)
    except FileNotFoundError as error:
        raise InputFileError(f"{error.filename}: no such file; {module} reads it") from None
    except (ImportError, SyntaxError, ValueError) as error:
        raise InputFileError(f"{module}: cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(found, (tuple, list)):
        raise InputFileError(f"{module}: ARTIFACTS: {found!r}; {expected}")
    return tuple(found)
