"""Tabulate methods' scores by data set and draw.

The module finds the best labelling, failures, and how far the draws overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from cladebench.bench.samples.samples import overlap
from cladebench.measures import Measure
from cladebench.measures import measure as registered

#: Columns of the table of runs that statistics read.
NEEDED = ("data", "labels", "method", "measure", "draw", "value", "n_rows", "share", "deterministic")


@dataclass(frozen=True)
class Settings:
    """What a reader of a comparison may choose.

    Attributes
    ----------
    rope : float
        Region of practical equivalence: a smaller difference does not matter. Measures without an upper end, such as
        costs, are compared by relative differences.
    level : float
        Of intervals; one minus it is the level of tests.
    """

    rope: float = 0.02
    level: float = 0.95

    @property
    def alpha(self) -> float:
        """Level of tests."""
        return 1 - self.level


@dataclass(frozen=True, eq=False)
class Values:
    """What the methods earned by one measure.

    Attributes
    ----------
    measure : Measure
    methods : tuple of str
        In the order of the runs.
    tables : mapping of str to ndarray of shape (n_draws, n_methods)
        By data set, in the order of the runs; NaN where a method failed.
    labels : mapping of (str, str) to str
        By data set and method the labelling that counts: that of the best mean.
    overlap : mapping of str to float
        By data set, as in `cladebench.bench.samples.samples.overlap`.
    step : mapping of str to float
        By data set, how finely a score can be told: one over the rows of a draw.
    fixed : frozenset of str
        Data sets whose draws all have all rows: differences on them say nothing of other rows.
    exact : frozenset of (str, str)
        Data sets and methods whose value is known exactly: deterministic, on all rows.
    """

    measure: Measure
    methods: tuple[str, ...]
    tables: Mapping[str, np.ndarray]
    labels: Mapping[tuple[str, str], str]
    overlap: Mapping[str, float]
    step: Mapping[str, float]
    fixed: frozenset[str]
    exact: frozenset[tuple[str, str]]

    @property
    def relative(self) -> bool:
        """Say whether differences are shares of the larger mean.

        They are for measures without an upper end.
        """
        return bool(np.isinf(self.measure.range[1]))

    @property
    def sign(self) -> float:
        """1 where higher is better, else -1."""
        return 1.0 if self.measure.direction == "higher" else -1.0

    @property
    def reach(self) -> float:
        """Largest difference that is possible."""
        least, most = self.measure.range
        if self.relative:
            return 1.0 if least >= 0 else np.inf
        return most - least

    def paired(self, data: str, method: str, rival: str) -> np.ndarray:
        """Give differences, method less rival, over draws that both finished.

        They are of one data set.
        """
        table = self.tables[data]
        left, right = table[:, self.methods.index(method)], table[:, self.methods.index(rival)]
        both = np.isfinite(left) & np.isfinite(right)
        left, right = left[both], right[both]
        if not left.size:
            return left
        scale = max(abs(left.mean()), abs(right.mean())) if self.relative else 1.0
        # Equal scores may differ in their last bit; ties are to be found.
        return np.round((left - right) / (scale or 1.0), 12)

    def means(self) -> pd.DataFrame:
        """Give the mean score by data and method over finished draws."""
        return self._by_data(lambda table: [_mean(column) for column in table.T])

    def means_with_failures(self) -> pd.DataFrame:
        """Give the mean score with a failed draw as the worst.

        It gets the worst score of that draw, and is infinitely bad where all draws failed.
        """
        return self._by_data(self._failures_last)

    def _failures_last(self, table: np.ndarray) -> np.ndarray:
        signed = self.sign * table[np.isfinite(table).any(axis=1)]
        failed = np.isnan(signed)
        filled = np.where(failed, np.nanmin(signed, axis=1, keepdims=True, initial=np.inf), signed)
        means = [
            -np.inf if out.all() else _mean(column) for out, column in zip(failed.T, filled.T, strict=True)
        ]
        return self.sign * np.array(means)

    def _by_data(self, summed: Callable[[np.ndarray], ArrayLike]) -> pd.DataFrame:
        rows = [summed(table) for table in self.tables.values()]
        return pd.DataFrame(rows, index=[*self.tables], columns=[*self.methods], dtype=float)

    def complete(self) -> list[str]:
        """Data sets on which no method failed in any draw."""
        return [data for data, table in self.tables.items() if np.isfinite(table).all()]


def read_values(runs: pd.DataFrame, measure: str | Measure) -> Values:
    """Read the values of one measure from a table of runs.

    Parameters
    ----------
    runs : DataFrame
        One row a run, labelling and measure, with the columns `NEEDED`. ``draw`` is the digest of the task: equal ones
        are pairs. ``value`` is NaN where the run failed. ``n_rows`` are the rows of the data set, ``share`` those that
        a draw takes, ``deterministic`` says of a value that the method has no seed.
    measure : str or Measure
        It has a direction.

    Raises
    ------
    ValueError
        If there are no runs of the measure, two values of one run, or a measure without direction.
    """
    known = measure if isinstance(measure, Measure) else registered(measure)
    if known.direction is None:
        raise ValueError(f"measure {known.name!r} has no direction; expected a measure with a direction")
    rows = runs.loc[runs["measure"] == known.name, list(NEEDED)]
    if rows.empty:
        raise ValueError(f"measure {known.name!r}: no runs; expected at least one")
    of_data, names = pd.factorize(rows["data"])
    columns, of_columns = pd.factorize(rows["method"])
    methods = tuple(map(str, of_columns))
    draws, labellings = pd.factorize(rows["draw"])[0], rows["labels"].fillna("").to_numpy(dtype=str)
    scores, known_exactly = rows["value"].to_numpy(dtype=float), rows["deterministic"].to_numpy(dtype=bool)
    n_rows, shares = (rows[column].to_numpy(dtype=float) for column in ("n_rows", "share"))
    tables, facts, exact = {}, {}, set()
    labels: dict[tuple[str, str], str] = {}
    for place, name in enumerate(map(str, names)):
        here = np.flatnonzero(of_data == place)
        facts[name] = float(n_rows[here[0]]), float(shares[here[0]])
        tables[name], chosen = _table(
            labellings[here], draws[here], columns[here], scores[here], len(methods), known
        )
        labels |= {(name, method): labelling for method, labelling in zip(methods, chosen, strict=True)}
        if facts[name][1] >= 1:
            exact |= {(name, methods[i]) for i in columns[here[known_exactly[here]]]}
    for name, method in exact:
        column = tables[name][:, methods.index(method)]
        column[:] = _mean(column)
    return Values(
        measure=known,
        methods=methods,
        tables=tables,
        labels=labels,
        overlap={name: _overlap(len(tables[name]), *of) for name, of in facts.items()},
        step={name: 1 / max(1.0, n_rows * share) for name, (n_rows, share) in facts.items()},
        fixed=frozenset(name for name, (_, share) in facts.items() if share >= 1),
        exact=frozenset(exact),
    )


def _table(
    labellings: np.ndarray,
    draws: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    n_methods: int,
    measure: Measure,
) -> tuple[np.ndarray, list[str]]:
    """Give one data set's scores by draw and method.

    They are of the labelling of the best mean, the first of equal ones.
    """
    names, labels = np.unique(labellings, return_inverse=True)
    of_draws, draws = np.unique(draws, return_inverse=True)
    scores = np.full((len(names), len(of_draws), n_methods), np.nan)
    if len(np.unique(np.ravel_multi_index((labels, draws, columns), scores.shape))) < len(values):
        raise ValueError(
            f"measure {measure.name!r}: a run has two values; expected one setting of each method"
        )
    scores[labels, draws, columns] = np.where(np.isfinite(values), values, np.nan)
    sign = 1.0 if measure.direction == "higher" else -1.0
    means = np.array([[sign * _mean(column) for column in table.T] for table in scores])
    best = np.where(np.isnan(means), -np.inf, means).argmax(axis=0)
    return scores[best, :, np.arange(n_methods)].T, [str(names[i]) for i in best]


def _overlap(n_draws: int, n_rows: float, share: float) -> float:
    """How far draws of a share of the rows overlap."""
    drawn = np.full(n_draws, share * n_rows)
    rows = {"repetition": np.arange(n_draws), "n_rows": drawn, "n_test": drawn}
    return overlap(rows, n_rows)


def _mean(column: np.ndarray) -> float:
    """Average what did not fail.

    The mean is NaN where all failed, and exactly the value of equal ones.
    """
    finite = column[np.isfinite(column)]
    if not finite.size:
        return float("nan")
    return float(finite[0]) if np.ptp(finite) == 0 else float(finite.mean())
