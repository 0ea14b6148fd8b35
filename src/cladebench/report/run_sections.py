"""Hold the parts of what two runs say differently."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from cladebench.notation import significant


@dataclass(frozen=True)
class Section:
    """A part of text and page.

    Attributes
    ----------
    key, title, lead : str
        The text has the title, the page the lead too.
    columns, rows : sequence
        Of the table; what differs comes first.
    told : int
        How many rows stand open on the page; the others are folded.
    most : int
        How many of these the text shows.
    line : str
        Format of a row in the text.
    conclusion : str
        What of it stands in the headline; empty where it is no conclusion that differs.
    sentence : str
        What of it the first lines of the page say.
    """

    key: str
    title: str
    lead: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    told: int = 0
    most: int = 3
    line: str = "{0}: {1} -> {2} ({3})"
    conclusion: str = ""
    sentence: str = ""


def counted(n: int, one: str, several: str = "") -> str:
    """Write a count for the headline; nothing of nothing."""
    return f"{n:,} {one if n == 1 else several or f'{one}s'}" if n else ""


def signed(value: float) -> str:
    """Write a difference with its sign and three digits: ``+0.100``."""
    return ("-" if value < 0 else "+") + significant(abs(value), 3)


def p_value(p: float) -> str:
    """Write a p-value with two digits; a dash where nothing is tested."""
    return f"{p:.2g}" if math.isfinite(p) else "–"


def spread(row: Any) -> str:
    """Write the difference of two means, with interval and pairs."""
    over = f"{row.n} pair{'s' * (row.n > 1)}" if row.paired else f"{row.n} unpaired"
    interval = f", {signed(row.low)} to {signed(row.high)}"
    shown = math.isfinite(row.low) and row.low < row.high
    return f"{signed(row.difference)}{interval * shown}; {over}"


def tuples(table: pd.DataFrame) -> list[Any]:
    """Give the rows of a table, whose columns are their attributes."""
    return list(table.itertuples())
