"""Archives that are made of names and contents, in place of those that a server has."""

import io
import tarfile
from collections.abc import Iterable, Mapping


def tar_of(members: Mapping[str, bytes] | Iterable[tuple[str, bytes]], mode: str = "w", **special) -> bytes:
    """Make a tar archive of members in their order.

    ``special`` has members without content: their kind, as tarfile names it, and the name of what they are linked to.
    """
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, content in members.items() if isinstance(members, Mapping) else members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for name, (kind, target) in special.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, target
            archive.addfile(entry)
    return stream.getvalue()
