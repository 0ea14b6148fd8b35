"""How far a run of the workflow is: its jobs are processes of their own, which meet in one file."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from cladebench.bench.progress import about
from cladebench.files import write_json

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
    """Say how many cells of the run are done, and how long the rest may take; None where no run was noted.

    Parameters
    ----------
    jobs_folder : Path
    finished : str
        The job that has just ended.
    """
    try:
        noted = json.loads((jobs_folder / FILE).read_text(encoding="utf-8"))
        started, cells, to_run = noted["started"], noted["cells"], set(noted["to_run"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if finished not in to_run:
        return None
    now = {name for name in to_run if name == finished or _modified(jobs_folder / f"{name}.json") >= started}
    run = sum(cells[name] for name in now)
    left = sum(cells[name] for name in to_run - now)
    total = sum(cells.values())
    text = f"{total - left} of {total} cells"
    return f"{text}, {about((time.time() - started) / run * left)} left" if left else text


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return float("-inf")
