"""Find a user's own data among the registered ones.

Their name is how they are read, so that any process finds them.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cladebench.datasets.base import DatasetError, DatasetInfo, DataUnavailable, RemoteFile
from cladebench.datasets.content import Content, Dataset, View, content_sha256
from cladebench.datasets.own.own_entries import files_of
from cladebench.datasets.own.own_files import OwnData, read_own_data
from cladebench.datasets.registry import OWN


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnDataset(Dataset):
    """Hold data of a user, and the labellings to score against.

    The data are X, or distances as the view ``distances``.

    Attributes
    ----------
    labellings, class_names, clusters, done
        See :class:`~cladebench.datasets.own.own_files.OwnData`.
    """

    labellings: Mapping[str, np.ndarray]
    class_names: Mapping[str, tuple[str, ...]]
    clusters: Mapping[str, int]
    done: tuple[str, ...]


def own_name(name: str, entry: Mapping[str, Any], folder: Path) -> str:
    """Give the name by which `load` reads an entry.

    It works anywhere on this machine.
    """
    return OWN + json.dumps([name, dict(entry), str(folder.absolute())], sort_keys=True)


def own_files(name: str) -> list[Path]:
    """List the files behind a name."""
    _, entry, folder = json.loads(name.removeprefix(OWN))
    return files_of(entry, Path(folder))


@functools.lru_cache(maxsize=1)
def own(name: str) -> OwnData:
    """Read what a name stands for; OwnDataError if it cannot be read."""
    title, entry, folder = json.loads(name.removeprefix(OWN))
    return read_own_data(title, entry, Path(folder))


def own_info(name: str) -> DatasetInfo:
    """Give own data a registry entry, without reading them."""
    title, *_ = json.loads(name.removeprefix(OWN))
    file = RemoteFile("own", "0" * 64, 1, (), made_from="a file of the user")
    return DatasetInfo(
        name="own",
        title=title,
        kind="real",
        n_samples=1,
        n_features=1,
        n_classes=None,
        licence="that of the user",
        citation="none",
        loader=lambda files, draw: Content(),
        files=(file,),
    )


def load_own(name: str) -> OwnDataset:
    """Load own data as a data set.

    Raises
    ------
    DataUnavailable
        A file is gone.
    DatasetError
        A file is not what it was when the comparison was planned.
    """
    try:
        data = own(name)
    except ValueError as error:
        gone = [path for path in own_files(name) if not path.exists()]
        raise (DataUnavailable if gone else DatasetError)(str(error)) from None
    distances = data.kind == "distances"
    content = Content(
        X=None if distances else data.X,
        feature_names=data.feature_names or None,
        views={"distances": View("distances", data.X)} if distances else {},
    )
    digest = hashlib.sha256(content_sha256(content).encode())
    for labelling, labels in data.labellings.items():
        digest.update(f"/{labelling}/".encode() + np.ascontiguousarray(labels, dtype="<i8").tobytes())
    digest.update(json.dumps(dict(data.clusters), sort_keys=True).encode())
    return OwnDataset(
        X=content.X,
        feature_names=content.feature_names,
        views=content.views,
        name=data.name,
        kind="real",
        stand_in_for=None,
        source="copy",
        files={data.name: data.sha256},
        content_sha256=digest.hexdigest(),
        draw=0,
        labellings=data.labellings,
        class_names=data.class_names,
        clusters=data.clusters,
        done=data.done,
    )


def labellings_of(data: Dataset) -> dict[str, tuple[np.ndarray | None, int]]:
    """Give the labels and number of clusters of each labelling.

    The empty name has no labels. ValueError if registered data have none.
    """
    if isinstance(data, OwnDataset):
        return {name: (data.labellings.get(name), k) for name, k in data.clusters.items()}
    if data.labels is None:
        raise ValueError(f"{data.name} has no labels; expected data with labels")
    return {"labels": (data.labels, int(data.labels.max()) + 1)}
