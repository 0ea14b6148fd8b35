"""Make the page of solver checks by topic, with the worst.

A topic has what must hold. The full list is a CSV file.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cladebench.report.templating import html_page
from cladebench.report.views import RunView


@dataclass(frozen=True)
class CheckView:
    """The solver checks of one statement between the same two sides.

    Attributes
    ----------
    problem, fast, reference : str
        What must hold, and the two sides.
    count, passed : int
    ratio : str
        The largest residual, in tolerances; ``exact`` where all are zero.
    worst : Mapping
        The row of ``certificates.csv`` with that residual.
    failed : tuple of Mapping
        Rows that did not pass.
    """

    problem: str
    fast: str
    reference: str
    count: int
    passed: int
    ratio: str
    worst: Mapping[Hashable, Any]
    failed: tuple[Mapping[Hashable, Any], ...]


def certificate_pages(run: RunView) -> Iterator[tuple[str, str]]:
    """Give the page of solver checks; none where a run has none."""
    if run.certificates is not None:
        checks = checks_by_topic(run.certificates)
        values = {"run": run, "checks": checks, "worst_ratio": worst_ratio, "title": "Solver checks"}
        yield "certificates.html", html_page("certificates.html", **values)


def checks_by_topic(rows: Iterable[Mapping[Hashable, Any]]) -> dict[str, list[CheckView]]:
    """Gather solver checks by topic and statement."""
    by_topic: dict[str, dict[tuple[str, str, str], list[Mapping[Hashable, Any]]]] = {}
    for row in rows:
        key = (str(row["problem"]), str(row["fast"]), str(row["reference"]))
        by_topic.setdefault(str(row["topic"]), {}).setdefault(key, []).append(row)
    return {
        topic: [_check(key, listed) for key, listed in problems.items()]
        for topic, problems in by_topic.items()
    }


def _check(key: tuple[str, str, str], rows: list[Mapping[Hashable, Any]]) -> CheckView:
    worst = max(rows, key=lambda row: (not row["passed"], in_tolerances(row)))
    failed = tuple(row for row in rows if not row["passed"])
    return CheckView(
        *key, len(rows), len(rows) - len(failed), written_ratio(in_tolerances(worst)), worst, failed
    )


def in_tolerances(row: Mapping[Hashable, Any]) -> float:
    """Divide the residual by the tolerance.

    Infinite where none is tolerated, -1 where nothing was measured.
    """
    residual, tolerance = float(row["residual"]), float(row["tolerance"])
    if math.isnan(residual):
        return -1.0
    return residual / tolerance if tolerance > 0 else math.inf if residual > 0 else 0.0


def written_ratio(ratio: float) -> str:
    """Write a residual in tolerances.

    ``exact``, ``0.02``, ``below 0.001``, ``–`` where there is none.
    """
    if ratio < 0:
        return "–"
    if ratio == 0:
        return "exact"
    return "below 0.001" if ratio < 0.001 else f"{ratio:.2g}"


def worst_ratio(checks: Iterable[CheckView]) -> str:
    """Write the largest residual of several checks, in tolerances."""
    return written_ratio(max((in_tolerances(check.worst) for check in checks), default=-1.0))
