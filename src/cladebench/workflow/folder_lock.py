"""One run in a folder at a time.

No lock is left behind: ``python -m cladebench.workflow.folder_lock``.

Snakemake locks its folder with files, which stay when it is killed, and then refuses to start. So a run also holds a
lock of the operating system, which ends with the process, however it ends. Where Snakemake's files are there and nobody
holds that lock, they are left over, and ``make reproduce`` has Snakemake remove them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

FILE = Path(".snakemake/run.lock")
SNAKEMAKE_LOCKS = Path(".snakemake/locks")
UNLOCK = "snakemake --unlock"

_held: dict[Path, IO[str]] = {}


def hold(folder: Path) -> bool:
    """Lock a folder until this process ends.

    False if another process holds the lock.

    Raises
    ------
    OSError
        If the file cannot be written or its file system knows no locks.
    """
    path = folder.absolute() / FILE
    if path in _held:
        return True
    path.parent.mkdir(exist_ok=True)
    file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - open as long as the process lives
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        if isinstance(error, BlockingIOError):
            return False
        raise
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}")
    file.flush()
    _held[path] = file
    return True


def hold_if_possible(folder: Path) -> None:
    """Lock a folder for a run, where that is possible."""
    with contextlib.suppress(OSError):
        hold(folder)


def main(options: list[str]) -> int:
    """Remove Snakemake's lock from this folder if no run lives in it.

    `options` are passed on to Snakemake.

    A folder that cannot be written is refused here, in plain words: Snakemake would end in a traceback.
    """
    folder = Path.cwd()
    try:
        (folder / FILE).parent.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=(folder / FILE).parent):
            pass
    except OSError as error:
        print(
            f"cladebench: {folder / FILE.parent}: cannot be written ({error.strerror}); expected a checkout that "
            "can be: copy it to a folder of your own",
            file=sys.stderr,
        )
        return 1
    if not any((folder / SNAKEMAKE_LOCKS).glob("*.lock")):
        return 0
    try:
        alone = hold(folder)
    except OSError as error:
        print(
            f"cladebench: {folder / SNAKEMAKE_LOCKS}: a run is at work here, or one was cut off; which of the two "
            f"cannot be told ({error.filename or FILE}: {error.strerror}). If none is at work: {UNLOCK}",
            file=sys.stderr,
        )
        return 1
    if not alone:
        owner = (folder / FILE).read_text(encoding="utf-8") or "another process"
        print(
            f"cladebench: {folder}: another run is at work here ({owner}); wait for its end, or stop it and "
            "start again",
            file=sys.stderr,
        )
        return 1
    print("the last run was cut off: its lock is removed, finished runs are kept", flush=True)
    command = [sys.executable, "-m", "snakemake", "--unlock", "--quiet", "all", *options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{done.stderr}cladebench: the lock could not be removed; try: {UNLOCK}", file=sys.stderr)
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
