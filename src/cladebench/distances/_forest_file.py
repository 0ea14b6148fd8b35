"""Forests in files: one NumPy archive, closed by a digest of all that stands before it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cladebench.files import write_atomically

#: Name of the array that holds the facts as JSON.
_FACTS = "facts"
_DIGEST = 64


def write_forest(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays and facts, atomically, as an archive that ``np.load`` can read too.

    Parameters
    ----------
    path : Path
    arrays : Mapping
        Name -> array; no objects.
    facts : Mapping
        What JSON can hold.
    """
    text = json.dumps(facts, sort_keys=True, allow_nan=False).encode()
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{_FACTS: np.frombuffer(text, dtype=np.uint8)}, **arrays)
    # The digest is the comment that a zip archive may end with. It covers the bytes that say so, too.
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"0" * _DIGEST
    content = buffer.getbuffer()
    content[-_DIGEST:] = hashlib.sha256(content[:-_DIGEST]).hexdigest().encode()
    write_atomically(path, content)  # type: ignore[arg-type]  # a view of bytes: a forest may take gigabytes


def read_forest(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `write_forest` wrote.

    Parameters
    ----------
    path : Path
    kind : str
        What the facts must say under ``kind``.

    Returns
    -------
    arrays, facts : dict

    Raises
    ------
    ValueError
        If the file is something else, was cut short or altered.
    OSError
        If it cannot be read.
    """
    with path.open("rb") as file:
        length = file.seek(0, io.SEEK_END) - _DIGEST
        file.seek(0)
        digest = hashlib.sha256()
        for start in range(0, length, 2**20):
            digest.update(file.read(min(2**20, length - start)))
        if length < 0 or file.read() != digest.hexdigest().encode():
            raise ValueError(
                f"{path} is no file of a forest, or it was cut short or altered: its digest does not fit"
            )
        try:
            file.seek(0)
            with np.load(file, allow_pickle=False) as archive:
                arrays = dict(archive)
            facts = json.loads(arrays.pop(_FACTS).tobytes())
            found = facts["kind"]
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"{path} is no file of a forest: {error}") from error
    if found != kind:
        raise ValueError(f"{path} holds {found!r}; expected {kind!r}")
    return arrays, facts
