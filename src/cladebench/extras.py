"""What an installation lacks, and the extra that brings it."""

from __future__ import annotations

import importlib
import importlib.util
import re
from importlib import metadata
from types import ModuleType

#: Distributions whose modules have another name.
_DISTRIBUTIONS = {"PIL": "pillow", "cv2": "opencv-python-headless", "yaml": "pyyaml"}
_MODULES = {distribution: module for module, distribution in _DISTRIBUTIONS.items()}

#: What users may want beyond the library; the others are for developers.
OF_USERS = ("plot", "ghc", "images", "run", "check", "compare")


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


def lacking() -> dict[str, list[str]]:
    """Say which packages each extra of users would bring.

    Returns
    -------
    dict of str to list of str
        Each extra with packages that are not installed, sorted; empty where it is complete. No extras where the package
        runs from sources that are not installed.
    """
    members = _members()
    return {extra: sorted(_absent(extra, members)) for extra in OF_USERS if extra in members}


def _absent(extra: str, members: dict[str, list[str]]) -> set[str]:
    absent: set[str] = set()
    for requirement in members.get(extra, ()):
        name, _, inner = requirement.partition("[")
        if name == "cladebench":
            absent |= {
                package for other in inner.rstrip("]").split(",") for package in _absent(other, members)
            }
        elif not is_installed(_MODULES.get(name, name)):
            absent.add(name)
    return absent


def is_installed(module: str) -> bool:
    """Whether a module is there, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _extra(package: str) -> str | None:
    """Name the extra that has a package, the first of several."""
    distribution = _DISTRIBUTIONS.get(package, package)
    return min((extra for extra, names in _members().items() if distribution in names), default=None)


def _members() -> dict[str, list[str]]:
    """List the distributions of each extra by our own installation's metadata.

    They have their own extras, such as ``cladebench[plot]``.
    """
    try:
        requirements = metadata.requires("cladebench") or ()
    except metadata.PackageNotFoundError:  # run from sources that are not installed
        return {}
    members: dict[str, list[str]] = {}
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9_.-]+(\[[^]]*\])?", requirement)
        extra = re.search(r"extra *== *['\"]([^'\"]+)['\"]", requirement)
        if name and extra:
            members.setdefault(extra[1], []).append(name[0].lower())
    return members
