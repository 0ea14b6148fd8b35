"""Writing files so that they are there as a whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file by rename: even if the machine stops in between, no one sees half of it.

    Parameters
    ----------
    path : Path
        Its folder is made where it is missing.
    content : bytes

    Raises
    ------
    OSError
        With `path` as its ``filename``, if the file cannot be written; what was there before stays.
    """
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write files that belong together: none takes its place before all are on disk.

    Parameters
    ----------
    contents : Mapping
        Path -> what goes there. Missing folders are made.

    Raises
    ------
    OSError
        With the path as its ``filename``, if one cannot be written; on a full disk all old files stay.
    """
    written: dict[Path, str] = {}
    path = Path()
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, written[path] = tempfile.mkstemp(
                dir=path.parent, prefix=f".{path.name}.", suffix=".tmp"
            )
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(written[path], 0o644)
        for path in list(written):
            os.replace(written[path], path)
            del written[path]
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        for name in written.values():
            Path(name).unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON with sorted keys, atomically."""
    text = json.dumps(value, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())
