"""Read and write copies on the disk, plain or gzipped (``.gz``)."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path, PurePosixPath

SUFFIX = ".gz"


class Damaged(Exception):
    """Not the whole of a file that gzip wrote."""


def _is_packed(path: Path, name: str) -> bool:
    return path.name == PurePosixPath(name).name + SUFFIX


def read_copy(path: Path, name: str, limit: int) -> bytes:
    """At most `limit` bytes of a copy of the file `name`, unpacked.

    Raises
    ------
    Damaged
        A packed copy is cut or altered.
    OSError
        The copy cannot be read.
    """
    if not _is_packed(path, name):
        with open(path, "rb") as stream:
            return stream.read(limit)
    try:
        with gzip.open(path) as unpacked:
            return unpacked.read(limit)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Damaged(f"not the whole of a gzip file ({error})") from error


def size_of_copy(path: Path, name: str) -> int:
    """Bytes of a copy of the file `name`, unpacked, without reading it.

    Gzip writes them last, modulo 2^32.
    """
    size = path.stat().st_size
    if not _is_packed(path, name):
        return size
    with open(path, "rb") as stream:
        stream.seek(max(0, size - 4))
        return int.from_bytes(stream.read(), "little")
