"""How far a run of the workflow is.

Its jobs are processes of their own, which meet in one file.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import Path

from cladebench.bench.run.progress import about
from cladebench.files import write_json
from cladebench.input_files import parse_json

#: In ``results/<scope>/jobs``.
FILE = ".run"


def note_start(jobs_folder: Path, cells: Mapping[str, int], to_run: Collection[str]) -> None:
    """Note what a run is going to do.

    Parameters
    ----------
    jobs_folder : Path
        ``results/<scope>/jobs``, where each job writes ``<job>.json`` when its cells are done.
    cells : Mapping
        Each planned job, and the number of its cells.
    to_run : collection of str
        The jobs that are run now; those of the others are done.
    """
    write_json(jobs_folder / FILE, {"started": time.time(), "cells": dict(cells), "to_run": sorted(to_run)})


def standing(jobs_folder: Path, finished: str) -> str | None:
    """Say how much of the run is done and what is left.

    Cells, and how long the rest may take; None where no run was noted, or wrongly.

    Parameters
    ----------
    jobs_folder : Path
    finished : str
        The job that has just ended.
    """
    noted = _noted(jobs_folder / FILE)
    if noted is None or finished not in noted[2]:
        return None
    started, cells, to_run = noted
    now = {name for name in to_run if name == finished or _modified(jobs_folder / f"{name}.json") >= started}
    run = sum(cells[name] for name in now)
    left = sum(cells[name] for name in to_run - now)
    total = sum(cells.values())
    text = f"{total - left} of {total} runs"
    return f"{text}, {about((time.time() - started) / run * left)} left" if left else text


def _noted(path: Path) -> tuple[float, dict[str, int], set[str]] | None:
    """What `note_start` has written; None where it is missing or damaged."""
    try:
        noted = parse_json(path.read_bytes())
        started, cells, to_run = noted["started"], noted["cells"], noted["to_run"]
        sound = isinstance(started, float) and all(
            type(count) is int and count > 0 for count in cells.values()
        )
        return (started, cells, set(to_run)) if sound and set(to_run) <= set(cells) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return float("-inf")
