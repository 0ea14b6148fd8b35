"""What an installation lacks, and the extra that brings it."""

from __future__ import annotations

import importlib
import re
from importlib import metadata
from types import ModuleType

#: Distributions whose modules have another name.
_DISTRIBUTIONS = {"cv2": "opencv-python-headless", "yaml": "pyyaml"}


def advice(fault: BaseException) -> str | None:
    """Say which extra brings a package that could not be imported.

    Parameters
    ----------
    fault : BaseException
        Or one that it was raised from.

    Returns
    -------
    str or None
        None if the fault is another, or no extra has the package.
    """
    cause: BaseException | None = fault
    while cause is not None and not isinstance(cause, ModuleNotFoundError):
        cause = cause.__cause__
    if cause is None or not cause.name:
        return None
    package = cause.name.split(".")[0]
    return missing(package) if _extra(package) else None


def missing(package: str) -> str:
    """Say that a package is not installed, and which extra brings it."""
    brings = _extra(package)
    what = f"'cladebench[{brings}]'" if brings else package
    return f"{package} is not installed; expected pip install {what}"


def need(package: str, who: str) -> ModuleType:
    """Import a package that an extra brings.

    Parameters
    ----------
    package : str
        Its module's name.
    who : str
        Who needs it, for the message.

    Raises
    ------
    ImportError
        If it is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as fault:
        raise ImportError(f"{who}: {advice(fault) or fault}", name=fault.name) from fault


def _extra(package: str) -> str | None:
    """Name the extra that has a package, the first of several.

    As the metadata of our own installation say.
    """
    distribution, found = _DISTRIBUTIONS.get(package, package), []
    try:
        requirements = metadata.requires("cladebench") or ()
    except metadata.PackageNotFoundError:  # run from sources that are not installed
        return None
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9_.-]+", requirement)
        extra = re.search(r"extra *== *['\"]([^'\"]+)['\"]", requirement)
        if name and extra and name[0].lower() == distribution:
            found.append(extra[1])
    return min(found, default=None)
