"""Folders that take long to fill, and that all workers of pytest-xdist read."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Give the folder of a name, filled by `make` in the first process that asks; not to be changed."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # of all workers of this run
    folder, made = base / name, base / f"{name}.made"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what a failure left
            folder.mkdir()
            make(folder)
            made.touch()
    return folder
