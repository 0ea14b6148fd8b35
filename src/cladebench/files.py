"""Writing files so that they are there as a whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
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
    path.parent.mkdir(parents=True, exist_ok=True)
    name = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
        name = None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        if name is not None:
            Path(name).unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON with sorted keys, atomically."""
    text = json.dumps(value, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())
