"""What a data set is: its declaration, its files, the loaded arrays, and what can go wrong."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Kind = Literal["real", "stand-in", "synthetic"]


class DatasetError(Exception):
    """A data set cannot be used; the message says which file or field, what was expected, what was found."""


class DataUnavailable(DatasetError):
    """No source holds the data now: a fact about the machine and its network, not a fault of the data."""


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
        # All arguments go on, so that it passes from one process to another.
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
        For bytes that no official address serves: what they were taken or made from, in words. Whoever lacks
        the file is told so.
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


#: Features, or what computes them from the checked bytes where that takes long (:mod:`cladebench.datasets.derived`).
Features: TypeAlias = NDArray[np.float64] | Callable[[], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Content:
    """What a loader gives back: arrays, before they are checked against the registry.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), or callable
        Features as the source has them; scaling is the business of methods and papers. A function without
        arguments is called only where there is no checked copy of what it gives.
    labels : ndarray of shape (n_samples,)
        Classes 0..n_classes-1.
    label_names : tuple of str
        Name of each class.
    class_parents : ndarray of shape (n_nodes,), optional
        A known tree over the classes: parent of each node, -1 at the root; node c < n_classes is class c.
    feature_names : tuple of str, optional
        Name of each feature.
    """

    X: Features
    labels: NDArray[np.intp]
    label_names: tuple[str, ...]
    class_parents: NDArray[np.intp] | None = None
    feature_names: tuple[str, ...] | None = None


#: Takes the checked bytes of each file by name, and the number of the draw.
Loader: TypeAlias = Callable[[Mapping[str, bytes], int], Content]


@dataclass(frozen=True)
class DatasetInfo:
    """Registry entry: all that is known of a data set without reading it.

    Parameters
    ----------
    name : str
        Lower-case name with hyphens; unique in the registry.
    title : str
        Name in full, for tables.
    kind : {"real", "stand-in", "synthetic"}
        A stand-in replaces data of a paper that cannot be had.
    n_samples, n_features, n_classes : int
        Shape that every draw must have.
    licence, citation : str
        Terms, and what to cite.
    loader : callable
        ``loader(files, draw) -> Content``: a pure function of the checked bytes.
    files : tuple of RemoteFile, default=()
        Empty for generators.
    n_draws : int, default=1
        Draws in use; 1 means that the data are fixed and only ``draw=0`` exists. Where there are several,
        any draw >= 0 may be asked for.
    stand_in_for : str, optional
        What a stand-in replaces; required for that kind and for no other.
    notes : str, default=""
        Where the data differ from a paper's account, and choices made here.
    content_sha256 : str, optional
        Digest that draw 0 must have (:func:`content_sha256`), for content that is computed and not only read.
    """

    name: str
    title: str
    kind: Kind
    n_samples: int
    n_features: int
    n_classes: int
    licence: str
    citation: str
    loader: Loader = field(repr=False)
    files: tuple[RemoteFile, ...] = ()
    n_draws: int = 1
    stand_in_for: str | None = None
    notes: str = ""
    content_sha256: str | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ValueError(
                f"data set name {self.name!r}: expected lower-case letters, digits and single hyphens"
            )
        if self.kind not in get_args(Kind):
            raise ValueError(f"{self.name}: kind {self.kind!r}, expected one of {', '.join(get_args(Kind))}")
        if (self.kind == "stand-in") != bool(self.stand_in_for):
            raise ValueError(
                f"{self.name}: stand_in_for belongs to the kind 'stand-in' and must be given there"
            )
        if (self.kind == "synthetic") == bool(self.files):
            raise ValueError(f"{self.name}: a synthetic data set has no files, any other has at least one")
        for key in ("title", "licence", "citation"):
            if not getattr(self, key).strip():
                raise ValueError(f"{self.name}: {key} is empty")
        for key in ("n_samples", "n_features", "n_classes", "n_draws"):
            if getattr(self, key) < 1:
                raise ValueError(f"{self.name}: {key} is {getattr(self, key)}, expected at least 1")
        if self.content_sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", self.content_sha256):
            raise ValueError(
                f"{self.name}: content_sha256 {self.content_sha256!r}: expected 64 lower-case hexadecimal digits"
            )

    @property
    def fetchable(self) -> bool:
        """Whether every file has an address or a bundled copy; otherwise only a mirror can serve the data."""
        return all(file.urls or file.bundled for file in self.files)

    def check_draw(self, draw: int) -> None:
        """Raise ValueError unless ``draw`` is a draw of this data set."""
        if draw < 0 or (self.n_draws == 1 and draw != 0):
            allowed = "0: the data are fixed" if self.n_draws == 1 else "an integer >= 0"
            raise ValueError(f"{self.name}: draw is {draw}, expected {allowed}")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A loaded and checked data set.

    Attributes
    ----------
    name, kind, stand_in_for
        As in the registry (:class:`DatasetInfo`).
    X : ndarray of shape (n_samples, n_features), float64
        Finite, C-contiguous.
    labels : ndarray of shape (n_samples,), intp
        Each of 0..n_classes-1 occurs.
    label_names : tuple of str, length n_classes
    source : str
        Where the bytes came from: cache, mirror, bundled, official, copy, or generated. Several files from
        different places give the places joined by ``+``.
    files : dict
        Name of each file read -> its sha256.
    content_sha256 : str
        Digest of X and labels (:func:`content_sha256`): the same for equal content, whatever its source.
    draw : int
    class_parents : ndarray of shape (n_nodes,) or None
        Known tree over the classes, see :class:`Content`.
    feature_names : tuple of str, length n_features, or None
    """

    name: str
    X: NDArray[np.float64]
    labels: NDArray[np.intp]
    label_names: tuple[str, ...]
    kind: Kind
    stand_in_for: str | None
    source: str
    files: dict[str, str]
    content_sha256: str
    draw: int
    class_parents: NDArray[np.intp] | None = None
    feature_names: tuple[str, ...] | None = None


def content_sha256(X: NDArray[np.float64], labels: NDArray[np.intp]) -> str:
    """Digest of the arrays: the shape, X as little-endian float64 by rows, labels as little-endian int64."""
    digest = hashlib.sha256(repr(X.shape).encode())
    digest.update(np.ascontiguousarray(X, dtype="<f8").tobytes())
    digest.update(np.ascontiguousarray(labels, dtype="<i8").tobytes())
    return digest.hexdigest()
