"""Define the registry entry and all else that data modules need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import get_args

from cladebench.datasets.content import (
    Content,
    Dataset,
    Images,
    Kind,
    Loader,
    Part,
    Role,
    View,
    ViewKind,
)
from cladebench.datasets.remote_file import (
    CacheUnwritable,
    ChecksumMismatch,
    DatasetError,
    DataUnavailable,
    RemoteFile,
)

__all__ = [
    "CacheUnwritable",
    "ChecksumMismatch",
    "Content",
    "DataUnavailable",
    "Dataset",
    "DatasetError",
    "DatasetInfo",
    "Images",
    "Kind",
    "Loader",
    "Part",
    "RemoteFile",
    "Role",
    "View",
    "ViewKind",
]

NAME = r"[a-z0-9]+(-[a-z0-9]+)*"


@dataclass(frozen=True)
class DatasetInfo:
    """Registry entry: what is known of a data set without reading.

    Parameters
    ----------
    name : str
        Lower-case name with hyphens; unique in the registry.
    title : str
        Name in full, for tables.
    kind : {"real", "stand-in", "synthetic"}
        A stand-in replaces data of a paper that cannot be had.
    n_samples : int
        Number of objects that every draw must have, of all parts together where there are parts.
    n_features : int or None
        Columns of X; None where there is no X.
    n_classes : int or None
        Number of classes; None where there are no labels. Where there are parts, that of the part with the most.
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
    images : bool, default=False
        Whether there is an image of each object.
    views : mapping of str to {"features", "distances"}, default={}
        Name and kind of each view. Names are like those of data sets.
    parts : mapping of str to {"train", "test"}, default={}
        Name and role of each part. `n_features`, `n_classes`, `images` and `views` then say what each part has.
    features_sha256 : str, optional
        Digest that X and labels of draw 0 must have (:func:`~cladebench.datasets.content.features_sha256`), for
        features that are computed and not only read.
    sparse : bool, default=False
        Whether X is sparse; where there are parts, that of each.
    n_training : int, optional
        Rows of the official training set, which come first; the others are the official test set. Not beside parts.
    libraries : tuple of str, default=()
        Distributions that the loader or its functions compute with and that are no dependencies of the package. Without
        them the data are unavailable; their versions enter the names of kept copies.

    Examples
    --------
    >>> from cladebench.datasets import info
    >>> info("digits").n_samples, info("digits").n_classes
    (200, 10)
    """

    name: str
    title: str
    kind: Kind
    n_samples: int
    n_features: int | None
    n_classes: int | None
    licence: str
    citation: str
    loader: Loader = field(repr=False)
    files: tuple[RemoteFile, ...] = ()
    n_draws: int = 1
    stand_in_for: str | None = None
    notes: str = ""
    images: bool = False
    views: Mapping[str, ViewKind] = field(default_factory=dict, hash=False)
    parts: Mapping[str, Role] = field(default_factory=dict, hash=False)
    features_sha256: str | None = None
    sparse: bool = False
    n_training: int | None = None
    libraries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check_origin()
        self._check_names("views", get_args(ViewKind))
        self._check_names("parts", get_args(Role))
        self._check_contents()

    def _check_origin(self) -> None:
        """Raise a ValueError for an odd name, kind, text or number."""
        if not re.fullmatch(NAME, self.name):
            raise ValueError(
                f"data set name {self.name!r}: expected lower-case letters, digits and single hyphens"
            )
        if self.kind not in get_args(Kind):
            raise ValueError(f"{self.name}: kind {self.kind!r}, expected one of {', '.join(get_args(Kind))}")
        if (self.kind == "stand-in") != bool(self.stand_in_for):
            raise ValueError(f"{self.name}: stand_in_for: expected for the kind 'stand-in', and for no other")
        if (self.kind == "synthetic") == bool(self.files):
            raise ValueError(
                f"{self.name}: files: expected none of a synthetic data set, 1 or more of any other"
            )
        for key in ("title", "licence", "citation"):
            if not getattr(self, key).strip():
                raise ValueError(f"{self.name}: {key} is empty")
        for key in ("n_samples", "n_features", "n_classes", "n_draws"):
            value = getattr(self, key)
            if value is not None and not (isinstance(value, int) and value >= 1):
                raise ValueError(f"{self.name}: {key} is {value!r}; expected a whole number from 1")

    def _check_names(self, key: str, allowed: tuple[str, ...]) -> None:
        """Raise a ValueError for an odd name or kind of part."""
        for name, value in getattr(self, key).items():
            if not re.fullmatch(NAME, name):
                raise ValueError(
                    f"{self.name}: {key}: name {name!r}, expected lower-case letters, digits and single hyphens"
                )
            if value not in allowed:
                raise ValueError(
                    f"{self.name}: {key}: {name} is {value!r}, expected one of {', '.join(allowed)}"
                )

    def _check_contents(self) -> None:
        """Raise a ValueError if what the data have does not go together."""
        if self.n_features is None and not self.images and not self.views:
            raise ValueError(f"{self.name}: nothing to cluster; expected n_features, images or views")
        if self.sparse and self.n_features is None:
            raise ValueError(f"{self.name}: sparse is True without X; expected n_features")
        if self.features_sha256 is not None:
            if not re.fullmatch(r"[0-9a-f]{64}", self.features_sha256):
                raise ValueError(
                    f"{self.name}: features_sha256 {self.features_sha256!r}: expected 64 lower-case hexadecimal digits"
                )
            if self.n_features is None or self.parts:
                raise ValueError(
                    f"{self.name}: features_sha256 is given without an X of the whole; expected n_features"
                )
        if self.n_training is not None:
            if not 0 < self.n_training < self.n_samples:
                raise ValueError(
                    f"{self.name}: n_training is {self.n_training}, expected between 1 and {self.n_samples - 1}, "
                    "as there are test rows too"
                )
            if self.parts:
                raise ValueError(
                    f"{self.name}: n_training is given beside parts; expected the roles of the parts alone"
                )

    @property
    def missing_libraries(self) -> tuple[str, ...]:
        """Those of `libraries` that are not installed; none is imported."""
        return tuple(name for name in self.libraries if not _installed(name))

    @property
    def fetchable(self) -> bool:
        """Whether every file has an address or a bundled copy.

        Otherwise only a mirror can serve the data.
        """
        return all(file.urls or file.bundled for file in self.files)

    @property
    def contents(self) -> str:
        """What there is, in words: ``120 points; 6 features; no labels``."""
        words = [f"{self.n_samples} points"]
        if self.n_features is not None:
            words.append(f"{self.n_features} {'sparse ' if self.sparse else ''}features")
        if self.images:
            words.append("images")
        for kind in get_args(ViewKind):
            names = [name for name, view in self.views.items() if view == kind]
            if names:
                words.append(f"{'views of ' if kind == 'features' else ''}{kind}: {', '.join(names)}")
        words.append("no labels" if self.n_classes is None else f"{self.n_classes} classes")
        if self.n_training is not None:
            words.append(f"the first {self.n_training} for training")
        roles = list(self.parts.values())
        if roles:
            words.append(f"in {roles.count('train')} training and {roles.count('test')} test sets")
        return "; ".join(words)

    def check_draw(self, draw: int) -> None:
        """Raise ValueError unless ``draw`` is a draw of this data set."""
        if draw < 0 or (self.n_draws == 1 and draw != 0):
            allowed = "0: the data are fixed" if self.n_draws == 1 else "an integer >= 0"
            raise ValueError(f"{self.name}: draw is {draw}, expected {allowed}")


def _installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
