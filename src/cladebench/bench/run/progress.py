"""What a run says of itself while it runs.

A line for each cell, and how long the rest may take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cladebench.bench.plan.cell_spec import canonical_json
from cladebench.notation import significant

METRICS_SHOWN = 5


class Progress:
    """Counts cells and writes a line for each.

    Parameters
    ----------
    total : int
        Cells of the whole run, over all of its jobs.
    say : callable
        Takes a line.
    first : sequence of str
        Metrics to show before others.
    """

    def __init__(self, total: int, say: Callable[[str], None] = print, first: Sequence[str] = ()) -> None:
        self.total, self.done = total, 0
        self._say, self._first = say, first
        self._run, self._seconds = 0, 0.0

    def cell(self, record: Mapping[str, Any], seconds: float | None = None) -> None:
        """Say how a cell ended, and after how many seconds.

        `seconds` is None where its record was kept or nothing was run.
        """
        self.done += 1
        where = [record[name] for name in ("paper", "dataset", "method")]
        setting = readable(record["setting"])
        text = f"[{self.done}/{self.total}] {' '.join(filter(None, (*where, setting)))}"
        text += f" #{record['cell_id'].rpartition('/')[2]}: {record['status']}"
        if seconds is None:
            text += f": {record['reason']}" if record["reason"] else " (kept)"
        else:
            self._run, self._seconds = self._run + 1, self._seconds + seconds
            text += f" {seconds:.2f} s" + (f": {record['reason']}" if record["reason"] else "")
            text += self._metrics(record) + self._left()
        self._say(text)

    def _metrics(self, record: Mapping[str, Any]) -> str:
        """Write some metrics at their first evaluation points.

        A point is named where there are others.
        """
        read: dict[str, list[Mapping[str, Any]]] = {}
        for reading in record["readings"]:
            for name in reading["metrics"]:
                read.setdefault(name, []).append(reading)
        names = [name for name in self._first if name in read]
        names += [name for name in sorted(read) if name not in names]
        shown = []
        for name in names[:METRICS_SHOWN]:
            first, *others = read[name]
            point = f" at {readable(first['at'])}" if others else ""
            shown.append(f"{name} {significant(first['metrics'][name], 3)}{point}")
        return f"  {' '.join(shown)}" if shown else ""

    def _left(self) -> str:
        cells = self.total - self.done
        return f"  ({about(self._seconds / self._run * cells)} left)" if cells else ""


def readable(setting: Mapping[str, Any]) -> str:
    """Write a setting for readers: ``alpha=1.0, beta=0.01``."""
    return ", ".join(
        f"{name}={value if isinstance(value, str) else canonical_json(value)}"
        for name, value in setting.items()
    )


def about(seconds: float) -> str:
    """Write estimated seconds, such as ``about 12 s`` or ``about 3 min``."""
    if seconds < 60:
        return f"about {max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 60 else f"about {minutes // 60} h {minutes % 60} min"
