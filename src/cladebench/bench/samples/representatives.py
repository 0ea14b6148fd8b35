"""Describe the cells that represent a method, whatever they measured."""

from __future__ import annotations

from typing import NamedTuple

from cladebench.bench.samples.samples import Drawn


class CellFacts(NamedTuple):
    """What is asked of a cell, whatever it measured; texts first."""

    setting: str
    setting_id: str
    status: str
    reason: str
    stand_in_for: str
    task: str
    repetition: float
    fold: float
    n_rows: float
    n_train: float
    n_test: float

    @classmethod
    def texts(cls) -> tuple[str, ...]:
        """Fields that are texts."""
        return cls._fields[:6]

    @classmethod
    def sizes(cls) -> tuple[str, ...]:
        """Fields that are numbers."""
        return cls._fields[6:]


class Representatives(NamedTuple):
    """Describe the cells that represent a method, for every metric."""

    cells: list[CellFacts]
    #: Whether they are of one of several settings.
    gridded: bool
    settings: set[str]
    #: Why there are too few of them, and which failed; empty where there is nothing to say.
    few: str
    failures: str
    #: The rows of those that finished; whether each met all there is of the data set.
    drawn: Drawn
    fixed: bool
    stand_in_for: str


def failures(cells: list[CellFacts]) -> str:
    """Say how many runs failed and why.

    ``5 of 5 runs unavailable: no source holds the file``; empty for none.
    """
    parts = []
    for status in sorted({cell.status for cell in cells} - {"ok"}):
        failed = [cell for cell in cells if cell.status == status]
        reason = next((cell.reason for cell in failed if cell.reason), "")
        why = f": {' '.join(reason.split())[:160]}" if reason else ""
        parts.append(f"{len(failed)} of {len(cells)} runs {status.replace('_', ' ')}{why}")
    return "; ".join(parts)
