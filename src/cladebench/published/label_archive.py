"""Read labels that others published, and prepare data as they did.

An archive has members ``METHOD/BATTERY/DATA.result<k>.gz``, as the one of the author of the Benchmark Suite for
Clustering Algorithms (M. Gagolewski), gagolews/clustering-results-v1.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cladebench.class_labels import codes_of_y
from cladebench.datasets.archives import read_members
from cladebench.datasets.base import DatasetError
from cladebench.datasets.own.own_batteries import battery_of
from cladebench.datasets.own.own_entries import located
from cladebench.datasets.own.own_text import OwnDataError, decoded, read_bytes, refuse, unpacked
from cladebench.input_files import InputFileError


def archive_of(text: str, folder: Path, where: str) -> dict[str, str]:
    """Find an archive of published labels, and its digest.

    Other labels make runs stale. InputFileError, which names the place `where`, if it has none.
    """
    archive = located(text, folder)
    if not published_sets(archive):
        raise InputFileError(f"{where}: {text} has no labels; expected METHOD/BATTERY/DATA.result<k>.gz")
    return {"file": str(archive), "sha256": hashlib.sha256(archive.read_bytes()).hexdigest()}


def published_sets(tar: Path) -> frozenset[tuple[str, str]]:
    """List the batteries and data sets that an archive has labels for.

    OwnDataError if it cannot be read.
    """
    names: set[tuple[str, str]] = set()

    def note(member: str) -> bool:
        if place := re.fullmatch(r".*/[^/]+/([^/]+)/([^/]+)\.result\d+\.gz", member):
            names.add((place[1], place[2]))
        return False

    _members(tar, note)
    return frozenset(names)


def _members(tar: Path, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    try:
        return read_members(read_bytes(tar, str(tar)), wanted, name=str(tar))
    except DatasetError as error:
        first = str(error).splitlines()[0].rstrip(":")
        raise OwnDataError(f"{first}; expected the archive as it was published") from None


def published_labels(tar: Path, battery: str, data: str) -> dict[str, dict[int, np.ndarray]]:
    """Read the labels that were published for one data set.

    Nothing is unpacked to disk.

    Parameters
    ----------
    tar : Path
        Archive with members ``.../METHOD/BATTERY/DATA.result<k>.gz``: CSV with a column for each variant of the method.
    battery, data : str
        As in the names of members, such as "fcps" and "atom".

    Returns
    -------
    dict
        Variant, as in the header (``Genie_G0.3``) -> number of clusters -> labels 0, 1, ... of all rows. There may be
        fewer than k: such is the published result.

    Raises
    ------
    OwnDataError
        If the archive is damaged or unsafe, or has nothing for these data.
    """
    import pandas as pd

    end = re.compile(rf".*/[^/]+/{re.escape(battery)}/{re.escape(data)}\.result(\d+)\.gz")
    members = _members(tar, lambda name: bool(end.fullmatch(name)))
    if not members:
        refuse(
            str(tar), f"has no labels of {battery}/{data}; expected .../METHOD/{battery}/{data}.result<k>.gz"
        )
    labels: dict[str, dict[int, np.ndarray]] = {}
    for member, content in members.items():
        file = f"{tar.name}: {member}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # as of a row that is too long
                table = pd.read_csv(io.StringIO(decoded(unpacked(content, file), file)), index_col=False)
        except (ValueError, pd.errors.ParserWarning) as error:
            refuse(file, f"cannot be read: {' '.join(str(error).split())[:60]}; expected a table of labels")
        match = end.fullmatch(member)
        for variant, column in table.items():
            if column.dtype.kind != "i":
                refuse(file, "has other values than whole numbers; expected one label a row", variant)
            codes = codes_of_y(column.to_numpy(), np.empty(len(column)))
            labels.setdefault(str(variant), {})[int(match[1]) if match else 0] = codes
    return dict(sorted(labels.items()))


@functools.lru_cache(maxsize=1)
def _sets(file: str, sha256: str) -> frozenset[tuple[str, str]]:
    return published_sets(Path(file))


@functools.lru_cache(maxsize=1)
def published_of(source: str, file: str, sha256: str) -> dict[str, dict[int, np.ndarray]]:
    """Give own data's published variants: name, number of clusters, labels.

    Other data have none.
    """
    place = battery_of(source)
    if place is None or place not in _sets(file, sha256):
        return {}
    return published_labels(Path(file), *place)


def variant_of(estimator: str, parameters: Mapping[str, Any]) -> str:
    """Name the published variant with the same parameters; empty if none."""
    name = estimator.rpartition(".")[2]
    if "linkage" in parameters:
        return f"fastcluster_{parameters['linkage']}"
    if name in ("KMeans", "FlatKMeans"):
        return "sklearn_kmeans"
    if name == "Birch":
        return f"sklearn_birch_T{parameters['threshold']:g}_BF{parameters['branching_factor']}"
    if name == "Genie":
        return f"Genie_G{parameters['gini_threshold']:.1f}"
    return "GIc" if name == "GIc" else ""


def as_published(X: np.ndarray, noise: int | None) -> np.ndarray:
    """Prepare features as published: common scale, tiny noise, single precision.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    noise : int or None
        Seed of the noise, whose standard deviation is 1e-6 of the data's; None for none. The publisher's had no seed.

    References
    ----------
    gagolews/clustering-results-v1, ``original/README.md``.
    """
    X = X[:, X.var(axis=0) > 0]
    if noise is not None:
        X = X + np.random.default_rng(noise).normal(0.0, X.std(ddof=1) * 1e-6, X.shape)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(ddof=1), dtype=np.float32)
