"""Reading members of tar and zip archives without unpacking them.

Nothing is ever written to disk.
"""

from __future__ import annotations

import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import PurePosixPath

from cladebench.datasets.base import DatasetError

#: Bytes that all wanted members together may have, unless told otherwise.
SIZE_LIMIT = 1_000_000_000


def read_members(
    archive: bytes,
    wanted: Collection[str] | Callable[[str], bool],
    *,
    name: str = "archive",
    size_limit: int = SIZE_LIMIT,
) -> dict[str, bytes]:
    """Read the wanted regular files of a tar or zip archive.

    A tar may be plain or packed by gz, bz2 or xz. An archive with any member that would be unpacked outside its folder
    is refused as a whole, wanted or not. Unwanted links, devices and folders are passed over; wanted ones are refused.

    Parameters
    ----------
    archive : bytes
        The archive, already checked against its sha256.
    wanted : collection of str, or callable
        Names of members without a leading ``./``, each of which must be there; or a test of the name.
    name : str, default="archive"
        Name of the archive, for messages.
    size_limit : int, default=SIZE_LIMIT
        Unpacked bytes of the wanted members together.

    Returns
    -------
    dict
        Content of each wanted member by name, in the order of the archive.

    Raises
    ------
    DatasetError
        Not an archive or damaged; an unsafe name; a wanted member that is missing, occurs twice, is not a regular
        file or is too large.
    """
    chosen = wanted if callable(wanted) else set(wanted).__contains__
    contents: dict[str, bytes] = {}
    left = size_limit
    try:
        for member, regular, read in _members(archive):
            path = _safe_name(member, name)
            if path == "." and regular:
                raise DatasetError(f"{name}: member {member!r} has no name; expected each file to have one")
            if path == "." or not chosen(path):  # the folder itself comes first in a tar of it
                continue
            if not regular:
                raise DatasetError(f"{name}: member {member!r} is not a regular file")
            if path in contents:
                raise DatasetError(f"{name}: member {member!r} occurs twice")
            contents[path] = read(left + 1)
            left -= len(contents[path])
            if left < 0:
                raise DatasetError(f"{name}: the wanted members have more than {size_limit} bytes")
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        ValueError,
        OSError,
        RuntimeError,
        NotImplementedError,
    ) as error:
        raise DatasetError(f"{name}: cannot be read as a tar or zip archive: {error}") from error
    if not callable(wanted):
        missing = [member for member in wanted if member not in contents]
        if missing:
            raise DatasetError(f"{name}: expected member {missing[0]!r}, which is not in the archive")
    return contents


def _members(archive: bytes) -> Iterator[tuple[str, bool, Callable[[int], bytes]]]:
    """Yield the members of an archive.

    (name, is it a regular file, function that reads at most so many bytes of it).
    """
    # Not zipfile.is_zipfile, which looks at the end: it takes a tar whose last member is a zip for that zip.
    if archive.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(archive)) as package:
            for entry in package.infolist():
                # The upper half of the attributes is a Unix mode where one was stored; 0 means a plain file.
                file_type = entry.external_attr >> 16 & 0o170000
                # Not is_dir, which looks at the last letter of a name that may have none.
                regular = not entry.filename.endswith("/") and file_type in (0, 0o100000)

                def read_entry(limit: int, entry: zipfile.ZipInfo = entry) -> bytes:
                    with package.open(entry) as stream:
                        return stream.read(limit)

                yield entry.filename, regular, read_entry
        return
    with tarfile.open(fileobj=io.BytesIO(archive)) as bundle:
        for item in bundle:

            def read_item(limit: int, item: tarfile.TarInfo = item) -> bytes:
                stream = bundle.extractfile(item)
                content = stream.read(limit) if stream is not None else b""
                if len(content) < min(item.size, limit):
                    raise EOFError(f"member {item.name!r} is cut short")
                return content

            yield item.name, item.isreg(), read_item


def _safe_name(member: str, archive: str) -> str:
    """Strip a leading ``./``, and refuse names that leave the folder.

    A name is refused that does so on any system.
    """
    path = PurePosixPath(member)
    if path.is_absolute() or ".." in path.parts or "\\" in member or re.match("[A-Za-z]:", member):
        raise DatasetError(f"{archive}: member {member!r} would be unpacked outside its folder")
    return str(path)
