"""What benchmarks share: a stopwatch, and the table of ratios that closes ``python -m pytest benchmarks``.

Nothing here fails for being slow. A figure that misses its target says so in the table.
"""

import operator
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

COMPARISONS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


@dataclass
class Ratios:
    """Measured figures and their targets, in the order in which they were added."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, name: str, value: float, target: str | None = None, unit: str = "x") -> None:
        """Add a figure; `target` is a comparison such as ``">= 10"`` or ``"<= 3"``, None for a figure without one."""
        verdict = ""
        if target is not None:
            comparison, bound = target.split()
            verdict = "met" if COMPARISONS[comparison](value, float(bound)) else "MISSED"
        self.rows.append((name, f"{value:.3g} {unit}", target or "", verdict))


RATIOS = pytest.StashKey[Ratios]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RATIOS] = Ratios()


@pytest.fixture(scope="session")
def ratios(pytestconfig: pytest.Config) -> Ratios:
    """The table to add figures to: ``ratios.add(name, value, target, unit)``."""
    return pytestconfig.stash[RATIOS]


@pytest.fixture(scope="session")
def seconds() -> Callable[..., float]:
    """Stopwatch: ``seconds(function, repeats=3)`` is the shortest wall time of several calls."""

    def measure(function: Callable[[], Any], repeats: int = 3) -> float:
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
        return min(times)

    return measure


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    rows = config.stash[RATIOS].rows
    if not rows:
        return
    terminalreporter.section("measured in this run")
    table = [("figure", "measured", "target", ""), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    for row in table:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line(line.rstrip())
