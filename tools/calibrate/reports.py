"""Simulated comparison reports: 2-means on a feature of each method, scored on draws of half of the rows."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.random import Generator

from cladebench.bench.statistics.method_differences import AHEAD, BEHIND, LEVEL, Compared
from cladebench.bench.statistics.method_scores import Settings, Values, read_values
from cladebench.bench.statistics.method_verdicts import judged
from rates import Limit, told
from scenarios import AT_MOST, SEED

#: Simulated reports a row.
REPORTS = 200
#: Rows of a data set, of which a draw takes half, and draws.
ROWS, DRAWS = 120, 10
#: Distance of the two classes: data sets are between, in units of the noise.
APART = (1.5, 3.5)
#: Share of the variance of the noise that all methods have in common.
SHARED = 0.5
#: Spread of a method's own distance over data sets, where methods are equal on average alone.
SUITED = 0.7
#: How much further apart the classes are for a better method, and how much higher its score is for that.
BETTER = {1.0: 0.2, 2.0: 0.31}
SETTINGS = Settings()
MINE = "m0"


def draw_runs(
    random: Generator, n_data: int, n_methods: int, better: float = 0.0, suited: float = 0.0
) -> pd.DataFrame:
    """Simulate a report: the table of runs that statistics read.

    Parameters
    ----------
    random : Generator
    n_data, n_methods : int
    better : float, default=0
        How much further apart the classes are for the first method.
    suited : float, default=0
        Spread of the classes' distance over methods, drawn anew for each data set.
    """
    half = ROWS // 2
    classes = random.integers(0, 2, (n_data, ROWS))
    apart = random.uniform(*APART, (n_data, 1)) + suited * random.standard_normal((n_data, n_methods))
    apart[:, 0] += better
    noise = np.sqrt(SHARED) * random.standard_normal((n_data, 1, ROWS))
    noise = noise + np.sqrt(1 - SHARED) * random.standard_normal((n_data, n_methods, ROWS))
    features = noise + apart[:, :, None] * classes[:, None, :]
    drawn = random.permuted(np.tile(np.arange(ROWS), (n_data, DRAWS, 1)), axis=2)[:, :, :half]
    taken = np.take_along_axis(features[:, :, None, :], drawn[:, None, :, :], axis=3)
    truth = np.take_along_axis(classes[:, None, :], drawn, axis=2)
    scores = two_means_scores(taken, truth[:, None, :, :])
    data, method, draw = (axis.ravel() for axis in np.indices(scores.shape))
    return pd.DataFrame(
        {
            "data": np.array([f"d{i}" for i in range(n_data)], dtype=object)[data],
            "labels": "classes",
            "method": np.array([f"m{i}" for i in range(n_methods)], dtype=object)[method],
            "measure": "ari",
            "draw": draw,
            "value": scores.ravel(),
            "status": "ok",
            "n_rows": ROWS,
            "share": 0.5,
            "deterministic": False,
        }
    )


def two_means_scores(features: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Adjusted Rand index of the best split of numbers in two, by within-cluster squares, along the last axis."""
    order = np.argsort(features, axis=-1)
    x = np.take_along_axis(features, order, axis=-1)
    y = np.take_along_axis(np.broadcast_to(classes, features.shape), order, axis=-1)
    n = x.shape[-1]
    sizes = np.arange(1, n)
    sums = np.cumsum(x, axis=-1)
    total = sums[..., -1:]
    between = sums[..., :-1] ** 2 / sizes + (total - sums[..., :-1]) ** 2 / (n - sizes)
    split = between.argmax(axis=-1)[..., None]
    ones = np.cumsum(y, axis=-1)
    left = (split + 1)[..., 0].astype(float)
    right_class = ones[..., -1].astype(float)
    both = np.take_along_axis(ones, split, axis=-1)[..., 0].astype(float)
    cells = (both, left - both, right_class - both, n - left - right_class + both)
    together = sum(_pairs(cell) for cell in cells)
    rows, columns = _pairs(left) + _pairs(n - left), _pairs(right_class) + _pairs(n - right_class)
    chance, most = rows * columns / _pairs(float(n)), (rows + columns) / 2
    return (together - chance) / np.where(most == chance, 1.0, most - chance)


def _pairs(count: np.ndarray | float) -> np.ndarray | float:
    return count * (count - 1) / 2


@dataclass(frozen=True)
class Reports:
    """One row of the table: reports whose truth is known.

    Attributes
    ----------
    truth, counted : str
        Together the row's name: what is true, and which reports are counted.
    n_data, n_methods : int
    draw : callable
        Draws the runs of a report.
    says : callable
        Whether a report, its rows, is counted.
    limit : tuple of (str, float), optional
    judge : callable
        From values to rows.
    """

    truth: str
    counted: str
    n_data: int
    n_methods: int
    draw: Callable[[Generator, int, int], pd.DataFrame]
    says: Callable[[Sequence[Compared]], bool]
    limit: Limit
    judge: Callable[[Values], list[Compared]]

    def count(self, trials: int = REPORTS) -> int:
        """How many of the simulated reports are counted; the same number in every run."""
        name = f"{self.truth}, {self.counted}, {self.n_data}, {self.n_methods}"
        random = np.random.default_rng([SEED, zlib.crc32(name.encode())])
        found = (read_values(self.draw(random, self.n_data, self.n_methods), "ari") for _ in range(trials))
        return sum(self.says(self.judge(values)) for values in found)


def row(reports: Reports) -> str:
    """One line of the table."""
    asked, rate, verdict = told(reports.count(), REPORTS, reports.limit)
    names = (reports.n_data, reports.n_methods, reports.truth, reports.counted)
    return f"| {' | '.join(map(str, names))} | {asked} | {rate} | {verdict} |"


def _mine(values: Values) -> list[Compared]:
    return [*judged(values, MINE, SETTINGS).compared]


def _best(values: Values) -> list[Compared]:
    return [*judged(values, "", SETTINGS).compared]


def _plain(values: Values) -> list[Compared]:
    return _mine(replace(values, overlap=dict.fromkeys(values.overlap, 0.0)))


def _any(rows: Sequence[Compared], verdicts: Sequence[str]) -> bool:
    return any(found.verdict in verdicts for found in rows)


def _first(rows: Sequence[Compared], verdict: str) -> bool:
    """Of one rival, on the first data set or on all."""
    return rows[0].verdict == verdict


def reports() -> list[Reports]:
    """All rows, in the order of the table."""
    wrong = partial(_any, verdicts=(AHEAD, BEHIND))
    either, sizes = "ahead or behind, of any rival", (1, 5, 20)
    found = [
        Reports("equal", either, n, methods, draw_runs, wrong, AT_MOST, _mine)
        for n in sizes
        for methods in (10, 20)
    ]
    found += [
        Reports("equal on average", either, 20, 10, partial(draw_runs, suited=SUITED), wrong, AT_MOST, _mine),
        *(
            Reports("equal, the best is looked at", either, n, 10, draw_runs, wrong, AT_MOST, _best)
            for n in sizes
        ),
        Reports("equal, plain t test", either, 1, 10, draw_runs, wrong, None, _plain),
    ]
    ahead, other = partial(_first, verdict=AHEAD), partial(_any, verdicts=(BEHIND, LEVEL))
    for n, further in ((1, 1.0), (1, 2.0), (5, 1.0), (5, 2.0), (20, 1.0)):
        truth, better = f"one better by {BETTER[further]:g}", partial(draw_runs, better=further)
        found.append(Reports(truth, "ahead, of one rival", n, 10, better, ahead, None, _mine))
        if further == 1.0:
            found.append(Reports(truth, "behind or level, of any", n, 10, better, other, AT_MOST, _mine))
    return found
