"""What a cross-check leaves behind, and how it is read back."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, ParamSpec, SupportsFloat, TypeVar

import pandas as pd

from cladebench.input_files import InputFileError

P = ParamSpec("P")
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

_NUMBERS = ("primal", "dual_bound", "gap", "residual", "tolerance", "seconds_fast", "seconds_reference")
_PASSED = {"true": True, "false": False}


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


class Side(NamedTuple, Generic[T]):
    """One side of a comparison.

    Attributes
    ----------
    words : str
        The code or solver.
    result : T
        What it gave.
    seconds : float
        Wall time; nan where there is nothing to time.
    """

    words: str
    result: T
    seconds: float = math.nan

    def giving(self, value: SupportsFloat, words: str | None = None) -> Side[float]:
        """Put the value that is compared in place of the result."""
        return Side(self.words if words is None else words, float(value), self.seconds)


def timed(words: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Side[T]:
    """Call a function, named in words, and take its wall time."""
    started = time.perf_counter()
    result = function(*args, **kwargs)
    return Side(words, result, time.perf_counter() - started)


@dataclass(frozen=True)
class Checks:
    """The comparisons of one topic on one instance."""

    topic: str
    instance: str

    def certify(
        self,
        name: str,
        problem: str,
        fast: Side[float],
        exact: Side[float],
        tolerance: float = ROUNDING,
        *,
        residual: float | Callable[[float, float], float] | None = None,
        note: str = "",
    ) -> Certificate:
        """Compare the values of two sides.

        Parameters
        ----------
        name, problem : str
            Which of the checks, and the statement in words.
        fast, exact : Side
            The fast path's value, and what it is held against.
        tolerance : float, default=ROUNDING
            The largest residual that passes.
        residual : float or callable, optional
            A number, or a function of both values; by default their `relative_difference`.
        note : str, default=""

        Returns
        -------
        Certificate
        """
        if residual is None or callable(residual):
            residual = (residual or relative_difference)(fast.result, exact.result)
        return Certificate(
            topic=self.topic,
            instance=self.instance,
            name=name,
            problem=problem,
            fast=fast.words,
            reference=exact.words,
            primal=float(fast.result),
            dual_bound=float(exact.result),
            residual=float(residual),
            tolerance=tolerance,
            seconds_fast=fast.seconds,
            seconds_reference=exact.seconds,
            note=note,
        )


def relative_difference(a: float, b: float, scale: float = 0.0) -> float:
    """Relate ``|a - b|`` to the larger, or to a larger scale.

    0 where both are 0. The scale is for values that may be 0 but for rounding.
    """
    largest = max(abs(a), abs(b), scale)
    return abs(a - b) / largest if largest > 0 else abs(a - b)


def shortfall(value: float, bound: float, scale: float = 0.0) -> float:
    """Measure by `relative_difference` how far a value lies below a bound.

    0 where it does not.
    """
    return 0.0 if value >= bound else relative_difference(value, bound, scale)


def excess(value: float, bound: float) -> float:
    """Measure by `relative_difference` how far a value lies above a bound."""
    return shortfall(bound, value)


def read_certificates(path: Path) -> pd.DataFrame | None:
    """Read ``certificates.csv``.

    Parameters
    ----------
    path : Path

    Returns
    -------
    DataFrame or None
        The columns `COLUMNS`: ``passed`` is true or false, numbers are floats (nan where there is none), the rest is
        text. None when there is no such file.

    Raises
    ------
    InputFileError
        In one line with the file, the column and the command that makes it, if the file is damaged.
    """
    if not path.exists():
        return None
    maker = "run cladebench crosscheck, which makes it"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file, strict=True)) or [[]]
    except (OSError, ValueError, csv.Error) as error:  # a wrong encoding is a ValueError
        raise InputFileError(f"{path}: cannot be read as CSV: {error}; {maker}") from None
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise InputFileError(f"{path}: it has no column {', '.join(map(repr, missing))}; {maker}")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise InputFileError(
                f"{path}: solver check {number} has {len(row)} entries, expected {len(header)}; {maker}"
            )
    frame = pd.DataFrame(rows, columns=header, dtype=object)[list(COLUMNS)]
    passed = frame["passed"].str.strip().str.lower().map(_PASSED)
    _refuse(path, frame, "passed", passed.isna(), f"neither True nor False; {maker}")
    columns: dict[str, pd.Series] = {"passed": passed.astype(bool)}
    for column in _NUMBERS:
        columns[column] = pd.to_numeric(frame[column], errors="coerce").astype(float)
        none = frame[column].str.lower().isin(("", "nan"))
        _refuse(path, frame, column, columns[column].isna() & ~none, f"no number; {maker}")
    return frame.assign(**columns)


def _refuse(path: Path, frame: pd.DataFrame, column: str, wrong: pd.Series, why: str) -> None:
    if wrong.any():
        row = frame[wrong].iloc[0]
        raise InputFileError(f"{path}: {row['id']}: {column}: {row[column]!r} is {why}")
