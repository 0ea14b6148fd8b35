"""Read batteries of data sets.

A battery is a folder of ``<name>.data.gz`` with ``<name>.labels0.gz``, ``<name>.labels1.gz``, ..., as in the Benchmark
Suite for Clustering Algorithms (M. Gagolewski et al., doi 10.5281/zenodo.7088171).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cladebench.datasets.own.own_entries import located, nearest
from cladebench.datasets.own.own_text import OwnDataError
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
    names = sorted(path.name.removesuffix(".data.gz") for path in place.glob("*.data.gz"))
    if not names:
        raise OwnDataError(f"{start}: has no data sets; expected NAME.data.gz and NAME.labels0.gz, ...")
    for wanted in only or ():
        if wanted not in names:
            raise OwnDataError(
                f"data.{name}: only: {shown(wanted)} is not in {start}; {nearest(wanted, names)}"
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
        for data in names
        if only is None or data in only
    }


def _label_files(place: Path, data: str) -> list[Path]:
    """List label files of a data set by their number.

    ``x.labels0.gz`` is none of ``x2``.
    """
    numbered = {
        int(match[1]): path
        for path in place.glob("*.labels*.gz")
        if (match := re.fullmatch(rf"{re.escape(data)}\.labels(\d+)\.gz", path.name))
    }
    return [numbered[i] for i in sorted(numbered)]


def battery_of(source: str) -> tuple[str, str] | None:
    """Name the battery and data set behind own data, else None.

    Parameters
    ----------
    source : str
        As `cladebench.datasets.own.own_data.own_name` gives it.
    """
    if not source.startswith(OWN):
        return None
    file = Path(json.loads(source.removeprefix(OWN))[1]["file"])
    return (file.parent.name, file.name.removesuffix(".data.gz")) if file.name.endswith(".data.gz") else None
