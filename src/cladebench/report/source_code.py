"""Say where the code behind a run is: address or folder."""

from __future__ import annotations

import functools
import re
from importlib.metadata import PackageNotFoundError, metadata

#: Labels of a package's ``Project-URL`` that mean its repository.
_LABELS = ("repository", "source", "source code", "code")


@functools.cache
def repository() -> str:
    """Give the repository's address by the package's metadata, if named."""
    try:
        entries = metadata("cladebench").get_all("Project-URL") or ()
    except PackageNotFoundError:  # run from a folder that was never installed
        return ""
    for entry in entries:
        label, _, address = (part.strip() for part in entry.partition(","))
        if label.lower() in _LABELS and address.startswith("https://"):
            return str(address.rstrip("/"))
    return ""


def commit_address(commit: str) -> str:
    """Give the address of a commit.

    Empty where no repository is known, or the commit is none.
    """
    known = repository() and re.fullmatch(r"[0-9a-f]{7,64}", commit)
    return f"{repository()}/commit/{commit}" if known else ""


def folder_of(package: str) -> str:
    """Give a paper's package folder, cladebench's from the repository's root.

    >>> folder_of("cladebench.papers.hmmc"), folder_of("my_papers.trees")
    ('src/cladebench/papers/hmmc', 'my_papers/trees')
    """
    return ("src/" if package.startswith("cladebench.") else "") + package.replace(".", "/")


def asked_as(package: str) -> str:
    """Name a paper as commands take it: ours by its id.

    >>> asked_as("cladebench.papers.hmmc"), asked_as("my_papers.trees")
    ('hmmc', 'my_papers.trees')
    """
    return package.removeprefix("cladebench.papers.")


def folder_address(package: str) -> str:
    """Give the address of a paper's folder.

    Empty where no repository is known, or the paper is not in it.
    """
    inside = package.startswith("cladebench.") and repository()
    return f"{repository()}/tree/HEAD/{folder_of(package)}" if inside else ""
