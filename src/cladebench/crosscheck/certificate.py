"""What a cross-check leaves behind."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

T = TypeVar("T")

#: Named tolerances: no difference at all; sums in another order; what solvers call feasible; finite differences.
IDENTICAL = 0.0
ROUNDING = 1e-10
SOLVER = 1e-7
DIFFERENCES = 1e-6

COLUMNS = (
    "id",
    "topic",
    "instance",
    "problem",
    "fast",
    "reference",
    "primal",
    "dual_bound",
    "gap",
    "residual",
    "tolerance",
    "passed",
    "seconds_fast",
    "seconds_reference",
    "note",
)


@dataclass(frozen=True)
class Certificate:
    """One comparison of a fast path with a reference, on one instance.

    Parameters
    ----------
    topic, instance, name : str
        What is checked, on what data, and which of the checks there; together they make the `id`.
    problem : str
        The statement in words.
    fast, reference : str
        The code or solver on either side.
    primal : float
        Value of the fast path's point, recomputed from the point.
    dual_bound : float
        What `primal` is held against: the exact value, or a proven bound.
    residual : float
        By how much the statement is broken, in the units of `tolerance`; 0 where it holds as it stands.
    tolerance : float
        The largest residual that passes.
    seconds_fast, seconds_reference : float
        Wall time of either side; nan where there is nothing to time.
    note : str
        What else a reader wants to know: solver status, which statement of a paper, ...
    """

    topic: str
    instance: str
    name: str
    problem: str
    fast: str
    reference: str
    primal: float
    dual_bound: float
    residual: float
    tolerance: float
    seconds_fast: float = math.nan
    seconds_reference: float = math.nan
    note: str = ""

    @property
    def id(self) -> str:
        """Unique within a run, the same in every run."""
        return f"{self.topic}/{self.instance}/{self.name}"

    @property
    def gap(self) -> float:
        """``primal - dual_bound`` relative to ``dual_bound`` (absolute, where that is 0)."""
        return (self.primal - self.dual_bound) / (abs(self.dual_bound) or 1.0)

    @property
    def passed(self) -> bool:
        """Whether the residual is within the tolerance; nan and infinity are not."""
        return math.isfinite(self.residual) and self.residual <= self.tolerance

    def row(self) -> dict[str, Any]:
        """Give the values of `COLUMNS`."""
        values = asdict(self) | {"id": self.id, "gap": self.gap, "passed": self.passed}
        return {column: values[column] for column in COLUMNS}


def timed(function: Callable[[], T]) -> tuple[T, float]:
    """Call, and say how many seconds of wall time it took."""
    started = time.perf_counter()
    value = function()
    return value, time.perf_counter() - started


def relative_difference(a: float, b: float) -> float:
    """``|a - b|`` relative to the larger of the two; 0 where both are 0."""
    largest = max(abs(a), abs(b))
    return abs(a - b) / largest if largest > 0 else abs(a - b)


def shortfall(value: float, bound: float) -> float:
    """By how much a value lies below a lower bound, relative to the larger of the two; 0 where it does not."""
    return 0.0 if value >= bound else relative_difference(value, bound)
