"""Why runs failed: each cause once, whatever its numbers."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def cause_of(reason: str) -> str:
    """Give a reason without its numbers.

    Seconds and megabytes differ from run to run; the cause is one.
    """
    return re.sub(r"[0-9]+(\.[0-9]+)?", "#", reason)


def some_of(names: Collection[str], most: int) -> str:
    """Join the first names, and say how many more there are."""
    more = len(names) - most
    return ", ".join(islice(names, most)) + (f" and {more} more" if more > 0 else "")


def causes(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """List each cause of failure once, with what it met.

    They are the same where reasons differ by numbers, or by the names of classes. `cells` are as in ``cells.parquet``.
    A cause has ``status``, ``reason`` and ``cell`` of its first run, ``n`` runs, and ``methods`` and ``data`` as text.
    """
    failed = cells[cells["status"] != "ok"].drop_duplicates("cell_id")
    by_key: dict[tuple[str, str], dict[str, Any]] = {}
    for row in failed.itertuples():
        name = str(row.estimator).rpartition(".")[2]
        key = str(row.status), cause_of(str(row.reason).replace(name, "it"))
        first = {"status": key[0].replace("_", " "), "reason": row.reason, "cell": str(row.cell_id), "n": 0}
        cause = by_key.setdefault(key, {**first, "methods": {}, "data": {}})
        cause["methods"][row.method] = cause["data"][row.dataset] = None
        cause["n"] += 1
    return [cause | {key: some_of(cause[key], 6) for key in ("methods", "data")} for cause in by_key.values()]
