"""Writing files as a whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def check_path(text: str, where: str) -> str:
    """Give back the text of a path that a user names.

    Raises
    ------
    ValueError
        If it is empty, or not UTF-8: the files of a run, which name it, could not be written. `where` says who named
        it.
    """
    if not text:
        raise ValueError(f"{where}: '' names nothing; expected a path")
    try:
        text.encode()
    except UnicodeEncodeError:  # other bytes come as characters that UTF-8 cannot express
        raise ValueError(f"{where}: {os.fsencode(text)!r} is not UTF-8; expected a path that is") from None
    return text


def folder_named(text: str, where: str) -> Path:
    """Give the folder that a user's text names.

    A leading ``~`` or ``~user`` is replaced by the home folder.

    Raises
    ------
    ValueError
        As `check_path`, and if there is no such home folder.
    """
    try:
        return Path(check_path(text, where)).expanduser()
    except RuntimeError:
        raise ValueError(f"{where}: {text!r} is not allowed, there is no such home folder") from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file by rename.

    Even if the machine stops in between, no one sees half of it.

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
    """Write files together: none takes its place before all are on disk.

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


def is_special(path: Path) -> bool:
    """Say whether a path is neither file nor folder, such as FIFOs."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def remove(path: Path) -> None:
    """Remove a file, or whatever stands in its place, a folder too.

    Nothing where there is none.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Write a value as indented JSON with sorted keys, atomically."""
    text = json.dumps(value, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())
