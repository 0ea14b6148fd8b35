"""A file of a data set, and faults of data.

What can go wrong with data.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath


class DatasetError(Exception):
    """A data set cannot be used.

    The message says which file or field, what was expected, what was found.
    """


class DataUnavailable(DatasetError):
    """Report that no source holds the data now.

    The machine or its network is at fault, not the data.
    """


class CacheUnwritable(DataUnavailable):
    """The data could be fetched, but the cache folder cannot be written."""


class ChecksumMismatch(DatasetError):
    """The bytes are not the registered ones.

    Attributes
    ----------
    file : str
        Name of the file in the registry.
    place : str
        Path or address of the bytes that were refused.
    expected, found : str
        Size and sha256.
    remark : str
        What became of the file, and what to do.
    """

    def __init__(self, file: str, place: str, expected: str, found: str, remark: str) -> None:
        self.file, self.place, self.expected, self.found, self.remark = file, place, expected, found, remark
        # With all arguments, so that it can be sent to another process.
        super().__init__(file, place, expected, found, remark)

    def __str__(self) -> str:
        return f"{self.file}: wrong bytes in {self.place}: expected {self.expected}, found {self.found}; {self.remark}"


@dataclass(frozen=True)
class RemoteFile:
    """One file that a data set is read from.

    Parameters
    ----------
    name : str
        Path in the cache and in a mirror folder, such as ``glass/glass.data``; always relative, with ``/``.
    sha256 : str
        Of the file as it is served, in lower-case hexadecimal.
    size : int
        Bytes of the file as it is served.
    urls : tuple of str
        Addresses in the order of use: the official one, then public copies pinned to a commit. With `made_from`
        none of them is official, and there may be none at all.
    bundled : callable, optional
        Gives the same bytes without any file, from an installed package. They are checked like all others.
    made_from : str, optional
        For bytes that no official address serves: what they were taken or made from, in words. Messages about
        a missing file repeat it.

    Examples
    --------
    >>> from cladebench.datasets import info
    >>> info("glass").files[0].name
    'glass/glass.data'
    """

    name: str
    sha256: str
    size: int
    urls: tuple[str, ...]
    bundled: Callable[[], bytes] | None = None
    made_from: str | None = None

    def __post_init__(self) -> None:
        path = PurePosixPath(self.name)
        if (
            path.is_absolute()
            or ".." in path.parts
            or "\\" in self.name
            or str(path) != self.name
            or not path.parts
        ):
            raise ValueError(
                f"file name {self.name!r}: expected a plain relative path such as 'glass/glass.data'"
            )
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(
                f"{self.name}: sha256 {self.sha256!r}: expected 64 lower-case hexadecimal digits"
            )
        if self.size <= 0:
            raise ValueError(f"{self.name}: size is {self.size}, expected a positive number")
        if not self.urls and not self.made_from:
            raise ValueError(
                f"{self.name}: urls is empty, expected the official address first, or made_from to say why not"
            )
        for url in self.urls:
            if not re.fullmatch(r"https?://[^\s/]+/\S+", url):
                raise ValueError(f"{self.name}: url {url!r}: expected an http or https address")

    @property
    def official_url(self) -> str | None:
        """Address of the owner of the bytes; None where there is none."""
        return None if self.made_from else self.urls[0]
