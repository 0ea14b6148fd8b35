"""Values that stand for a method, by task.

How they are found sound, paired and summed up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd

#: Pairs of samples that are kept: an audit asks for the same ones under each other choice.
ASKED = 2**16


@dataclass(frozen=True, eq=False)
class Drawn:
    """What the overlap of values follows from: the rows of their cells.

    Attributes
    ----------
    rows : mapping of str to ndarray
        A record for each value: its task (the digest), and what `overlap` reads; plain arrays, for an audit asks
        thousands of times.
    pool : float or None
    official : bool
        See `overlap`.
    """

    rows: Mapping[str, np.ndarray]
    pool: float | None = None
    official: bool = False
    _found: dict[frozenset[str], float] = field(default_factory=dict, init=False, repr=False)

    def places(self, tasks: Collection[str]) -> dict[str, tuple[float, float]]:
        """Repetition and fold of some tasks; -1 where there are no folds."""
        wanted, rows = set(tasks), self.rows
        folds = np.nan_to_num(rows["fold"], nan=-1.0)
        places = zip(rows["task"], rows["repetition"].tolist(), folds.tolist(), strict=True)
        return {task: (repetition, fold) for task, repetition, fold in places if task in wanted}

    def overlap(self, tasks: Collection[str]) -> float:
        """`overlap` of the values of some tasks."""
        wanted = frozenset(tasks)
        if wanted not in self._found:
            met = np.array([task in wanted for task in self.rows["task"]], dtype=bool)
            rows = {name: values[met] for name, values in self.rows.items()}
            self._found[wanted] = overlap(rows, self.pool, official=self.official)
        return self._found[wanted]


@dataclass(frozen=True, eq=False)
class Sample:
    """What a query found.

    Attributes
    ----------
    values : Series
        By the digest of the task; empty when there is a problem.
    problem : str
        Why there is nothing to judge; empty when there is.
    notes : tuple of str
        What a reader should know though it stops nothing: cells that failed, for example.
    cells : str
        Glob pattern over ``cell_id`` that finds the cells behind it.
    setting : str
        Canonical JSON of the setting.
    metric : str
        What was read.
    rule : str
        The rule by which the setting was selected among several; empty where there was one.
    point : bool
        Known exactly: a constant, or a deterministic method on all rows of data that are not drawn.
    stand_in_for : str
        The data that the data set stands in for; empty for the paper's own.
    drift : int
        Of the best or worst of several methods, some without records: +1 where those could only have raised the value,
        -1 where they could only have lowered it, else 0.
    overlap : float
        What of the variance of one value stays in the mean of however many, because the repetitions share rows; see
        `overlap`.
    changed_from : str
        Of changes, the pattern that finds the cells from which values changed; else empty.
    drawn : Drawn or None
        What the overlap of some of the values follows from; None where it is that of all.
    """

    values: pd.Series
    problem: str = ""
    notes: tuple[str, ...] = ()
    cells: str = ""
    setting: str = ""
    metric: str = ""
    rule: str = ""
    point: bool = False
    stand_in_for: str = ""
    drift: int = 0
    overlap: float = 0.0
    changed_from: str = ""
    drawn: Drawn | None = None

    def overlap_of(self, tasks: Collection[str]) -> float:
        """`overlap` of the values of some tasks."""
        if self.drawn is None or len(tasks) == len(self.values):
            return self.overlap
        return self.drawn.overlap(tasks)


@cache
def constant(value: float) -> Sample:
    """Return a number that is not measured, as a sample."""
    return Sample(pd.Series([value], index=["constant"], dtype=float), point=True)


_NO_VALUES = pd.Series(dtype=float)


def nothing(problem: str) -> Sample:
    """Return a sample without values, and why it has none."""
    return Sample(_NO_VALUES, problem=problem)


def by_task(
    values: list[float], tasks: list[str], repetitions: list[int], name: str
) -> tuple[pd.Series, str]:
    """Values by task, and what is wrong with them."""
    series = pd.Series(np.array(values, dtype=float), index=pd.Index(tasks, dtype=object))
    problem = ""
    if infinite := int((~np.isfinite(series.to_numpy())).sum()):
        problem = f"{name} is not finite in {infinite} of {len(values)}"
    elif series.index.isna().any():
        problem = f"{name}: a record does not say which task it met"
    elif len(set(tasks)) < len(tasks):
        twice = next(repetitions[i] for i, task in enumerate(tasks) if task in tasks[:i])
        problem = f"{name} is recorded twice for the task of repetition {twice}"
    return series, problem


def overlap(
    rows: Mapping[str, Any] | pd.DataFrame, pool: float | None = None, *, official: bool = False
) -> float:
    """How far the rows of repetitions overlap.

    The mean of n values has (1 / n + overlap) times the variance of one.

    Parameters
    ----------
    rows : DataFrame or mapping of str to ndarray
        One record for each value: its repetition, n_rows and n_test.
    pool : float, optional
        Rows of the data set; infinity where each repetition draws the data anew. By default as many as the task has:
        none are drawn.
    official : bool, default=False
        Whether what is held out is the test part that the data came with: rows of it are drawn like all others, so that
        they count as if none were held out.

    Returns
    -------
    float
        ``r / (1 - r)``, where r is the correlation of two values, on average over all pairs: for two of one repetition
        test rows over rows, for two of different repetitions test rows over the pool. All rows are test rows where none
        are held out. So it is f / (1 - f) where repetitions draw a share f, test rows over training rows where they
        hold some of all rows out; where they do both, test rows over the others in the pool, but that folds of one
        repetition share more. It is 0 where all repetitions meet the same rows: then their spread is that of the
        method's seeds, and their mean speaks of these rows alone.

    Notes
    -----
    Let a value be the mean over m of N rows, drawn without replacement, which themselves are a sample: it has the
    variance s^2 / m, and two values have the covariance s^2 / N, that of the mean of the pool; so r = m / N. The mean
    of n values has the variance (1 + (n - 1) r) / n, in units of s^2 / m, and the squared standard deviation of the
    values has the expectation 1 - r; their ratio is 1 / n + r / (1 - r). For measures of pairs of rows, and where
    values also vary with a seed, values are correlated less, and the true variance is smaller. For rows that are held
    out r is the assumption of Nadeau and Bengio.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.
    """
    columns = (np.asarray(rows[name], dtype=float) for name in ("repetition", "n_rows", "n_test"))
    # There are no rows in problems made of parts.
    repetitions, n_rows, n_test = (column[np.asarray(rows["n_rows"], dtype=float) > 0] for column in columns)
    n = len(n_rows)
    if not n:
        return 0.0
    test = 1.0 if official else float((n_test / n_rows).mean())
    drawn = 1.0 if pool is None else min(1.0, float(n_rows.mean()) / pool)
    if test == drawn == 1.0:
        return 0.0
    sizes = np.unique(repetitions, return_counts=True)[1]
    same_repetition = float((sizes * (sizes - 1)).sum()) / (n * (n - 1)) if n > 1 else 0.0
    correlation = test * (same_repetition + drawn * (1 - same_repetition))
    return correlation / (1 - correlation)


def mean_and_spread(values: np.ndarray | pd.Series) -> tuple[float, float, int]:
    """Give mean, standard deviation (n - 1; nan for one), and n."""
    series = pd.Series(values, dtype=float)
    mean, spread = float(series.mean()), float(series.std())
    # What is left of the deviations of equal numbers is rounding.
    return mean, 0.0 if spread <= 1e-12 * abs(mean) else spread, len(series)


def before(query: Mapping[str, Any]) -> dict[str, Any]:
    """Give the query from which a change is measured, on ``change_from``."""
    kept = {key: value for key, value in query.items() if key != "change_from"}
    return kept | {"dataset": query["change_from"]}


def change(after: Sample, before: Sample) -> Sample:
    """Compute changes between problems that share draws, by repetition and fold.

    Parameters
    ----------
    after, before : Sample
        Of the cells of a run.

    Returns
    -------
    Sample
        By the tasks of `after`: methods on one problem are pairs.
    """
    if after.problem or before.problem:
        return nothing("; ".join(dict.fromkeys(filter(None, (after.problem, before.problem)))))
    assert after.drawn is not None and before.drawn is not None
    there = {place: before.values[task] for task, place in before.drawn.places(before.values.index).items()}
    places = after.drawn.places(after.values.index)
    tasks = [task for task in after.values.index if places[task] in there]
    if not tasks:
        return nothing("the two problems share no repetition and fold")
    return replace(
        after,
        values=after.values[tasks] - [there[places[task]] for task in tasks],
        notes=(*after.notes, *before.notes),
        point=after.point and before.point,
        overlap=after.overlap_of(tasks),
        changed_from=before.cells,
    )


@lru_cache(maxsize=ASKED)
def pair(left: Sample, right: Sample) -> tuple[np.ndarray, np.ndarray]:
    """Pair two samples by their tasks.

    A value known exactly meets every task of the other side.

    Returns
    -------
    tuple of ndarray
        Equally long; empty when no task is shared.
    """
    if left.point and right.point:
        return left.values.to_numpy(), right.values.to_numpy()
    if left.point:
        return np.full(len(right.values), left.values.iloc[0]), right.values.to_numpy()
    if right.point:
        return left.values.to_numpy(), np.full(len(left.values), right.values.iloc[0])
    place = {task: i for i, task in enumerate(right.values.index)}
    both = [(i, place[task]) for i, task in enumerate(left.values.index) if task in place]
    ours, theirs = np.array(both, dtype=int).reshape(-1, 2).T
    return left.values.to_numpy()[ours], right.values.to_numpy()[theirs]


@lru_cache(maxsize=ASKED)
def overlap_of_pairs(samples: tuple[Sample, ...]) -> float:
    """Largest overlap of what is compared, over the tasks that all share.

    A mean is of these alone.
    """
    varying = [sample for sample in samples if not sample.point]
    if not varying:
        return 0.0
    first, *others = (sample.values.index for sample in varying)
    kept = [set(other) for other in others]
    tasks = [task for task in first if all(task in other for other in kept)]
    return max(sample.overlap_of(tasks) for sample in varying)


def paired_ratio(left: np.ndarray, right: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the geometric mean ratio of positive values, paired by `pair`.

    Returns
    -------
    float
    ndarray
        The logarithms of the ratios, whose mean it is e to the power of.
    """
    logs = np.log(np.asarray(left, dtype=float)) - np.log(np.asarray(right, dtype=float))
    return float(np.exp(logs.mean())), logs
