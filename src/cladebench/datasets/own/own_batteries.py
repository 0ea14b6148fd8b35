"""Read batteries of data sets, and labels published for them.

A battery is a folder of ``<name>.data.gz`` with ``<name>.labels0.gz``, ``<name>.labels1.gz``, ..., as in the Benchmark
Suite for Clustering Algorithms (M. Gagolewski et al., doi 10.5281/zenodo.7088171).
"""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cladebench.class_labels import codes_of_y
from cladebench.datasets.archives import read_members
from cladebench.datasets.base import DatasetError
from cladebench.datasets.own.own_entries import located, nearest
from cladebench.datasets.own.own_text import OwnDataError, decoded, read_bytes, refuse, unpacked
from cladebench.datasets.registry import OWN
from cladebench.input_files import shown

_KEYS = ("battery", "from", "only")


def expand_battery(name: str, entry: Mapping[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """Make one entry of each data set of a battery.

    No data are read.

    Parameters
    ----------
    name : str
        Key of the entry in comparison.yaml.
    entry : mapping
        ``battery``, ``from`` (the folder) and maybe ``only`` (names of data sets); other keys go to each data set.
    folder : Path
        Folder of comparison.yaml, in which ``from`` is looked for; then the mirror folders.

    Returns
    -------
    dict
        ``NAME-DATA`` -> an entry for `read_own_data`, in alphabetical order.

    Raises
    ------
    OwnDataError
        If the folder is missing or has no data sets, or one of ``only`` is not in it.
    """
    start, only = entry.get("from"), entry.get("only")
    if not (isinstance(start, str) and start):
        raise OwnDataError(f"data.{name}: from is {shown(start)}; expected the folder of the battery")
    only = [only] if isinstance(only, str) else only
    if not (only is None or (isinstance(only, list) and all(isinstance(wanted, str) for wanted in only))):
        raise OwnDataError(f"data.{name}: only is {shown(entry['only'])}; expected a list of names")
    place = located(start, folder)
    if not place.is_dir():
        raise OwnDataError(
            f"{start}: no such folder; expected a battery there or in a CLADEBENCH_MIRROR folder"
        )
    found = sorted(path.name.removesuffix(".data.gz") for path in place.glob("*.data.gz"))
    if not found:
        raise OwnDataError(f"{start}: has no data sets; expected NAME.data.gz and NAME.labels0.gz, ...")
    for wanted in only or ():
        if wanted not in found:
            raise OwnDataError(
                f"data.{name}: only: {shown(wanted)} is not in {start}; {nearest(wanted, found)}"
            )
    shared = {key: value for key, value in entry.items() if key not in _KEYS}
    return {
        f"{name}-{data}": {
            "file": f"{start}/{data}.data.gz",
            "separator": " ",
            "header": False,
            "label_files": [f"{start}/{path.name}" for path in _label_files(place, data)],
            "noise": 0,
            **shared,
        }
        for data in found
        if only is None or data in only
    }


def _label_files(place: Path, data: str) -> list[Path]:
    """List label files of a data set by their number.

    ``x.labels0.gz`` is none of ``x2``.
    """
    numbered = {
        int(found[1]): path
        for path in place.glob("*.labels*.gz")
        if (found := re.fullmatch(rf"{re.escape(data)}\.labels(\d+)\.gz", path.name))
    }
    return [numbered[i] for i in sorted(numbered)]


def battery_of(source: str) -> tuple[str, str] | None:
    """Name the battery and the data set behind own data.

    None for other data.

    Parameters
    ----------
    source : str
        As `cladebench.datasets.own.own_data.own_name` gives it.
    """
    if not source.startswith(OWN):
        return None
    file = Path(json.loads(source.removeprefix(OWN))[1]["file"])
    return (file.parent.name, file.name.removesuffix(".data.gz")) if file.name.endswith(".data.gz") else None


def published_sets(tar: Path) -> frozenset[tuple[str, str]]:
    """List the batteries and data sets that an archive has labels for.

    OwnDataError if it cannot be read.
    """
    found: set[tuple[str, str]] = set()

    def note(member: str) -> bool:
        if place := re.fullmatch(r".*/[^/]+/([^/]+)/([^/]+)\.result\d+\.gz", member):
            found.add((place[1], place[2]))
        return False

    _members(tar, note)
    return frozenset(found)


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
        found = end.fullmatch(member)
        for variant, column in table.items():
            if column.dtype.kind != "i":
                refuse(file, "has other values than whole numbers; expected one label a row", variant)
            codes = codes_of_y(column.to_numpy(), np.empty(len(column)))
            labels.setdefault(str(variant), {})[int(found[1]) if found else 0] = codes
    return dict(sorted(labels.items()))
