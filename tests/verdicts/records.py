"""What was run: cells, by data set, method and setting; what was planned; which setting a rule chooses."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cladebench.datasets.registry import registry
from cladebench.measures import Measure, with_own
from verdicts.plans import data_of, official, planned

#: What is read of the rows of a cell, in this order.
COLUMNS = (
    *("dataset", "method", "setting", "repetition", "fold", "task", "metric", "at", "value", "status"),
    *("data_kind", "n_rows", "n_train", "n_test"),
)
Point = tuple[tuple[str, Any], ...]


def point(at: Mapping[str, Any]) -> Point:
    return tuple(sorted(at.items()))


def _listed(column: pd.Series) -> list[Any]:
    """The values of a column, None where there is none; texts are taken from their categories, which is fast."""
    if pd.api.types.is_numeric_dtype(column):
        return column.tolist()
    found = column.astype("category")
    return np.append(found.cat.categories.to_numpy(object), None)[found.cat.codes].tolist()


def has(setting: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    return all(key in setting and setting[key] == value for key, value in where.items())


@dataclass
class Run:
    """The cells of one setting: values by metric and evaluation point, and what went wrong."""

    setting: dict[str, Any]
    values: dict[str, dict[Point, dict[str, float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    ok: set[tuple[int, Any]] = field(default_factory=set)
    failed: set[tuple[int, Any]] = field(default_factory=set)
    planned: int = 0
    stand_in: bool = False
    n_rows: int = 0
    held_out: bool = False
    tested: dict[str, float] = field(
        default_factory=dict
    )  # by task, the share of its rows that judge a result
    repetitions: dict[str, int] = field(default_factory=dict)  # of each task
    places: dict[str, tuple[int, Any]] = field(default_factory=dict)  # repetition and fold of each task

    @property
    def share_failed(self) -> float:
        cells = max(self.planned, len(self.ok) + len(self.failed))
        return 1.0 if not self.ok else (cells - len(self.ok)) / cells


@dataclass(frozen=True, eq=False)
class Sample:
    """What is measured: a value for each task."""

    values: dict[str, float]
    exact: bool
    stand_in: bool
    chosen: bool
    setting: dict[str, Any]
    repetitions: dict[str, int]
    tested: dict[str, float]
    drawn: float  # share of the data set's rows that a repetition has
    places: dict[str, tuple[int, Any]]

    def overlap(self, tasks: Sequence[str]) -> float:
        """By how much the variance of a mean over tasks exceeds 1/n times that of one result."""
        n = len(tasks)
        if n < 2:
            return 0.0
        sizes = Counter(self.repetitions[task] for task in tasks).values()
        # Folds differ by a row where they do not divide the rows: their mean counts.
        tested = float(np.mean([self.tested[task] for task in tasks]))
        if tested == self.drawn == 1:
            return 0.0
        same = sum(size * (size - 1) for size in sizes) / (n * (n - 1))
        mean = tested * (same + self.drawn * (1 - same))
        return mean / (1 - mean)

    @cached_property
    def array(self) -> np.ndarray:
        return np.array(list(self.values.values()))


class Missing(Exception):
    """There is nothing to judge by."""


def changed(after: Sample, before: Sample) -> Sample:
    """By how much values differ from those of the same repetition and fold of another problem."""
    there = {before.places[task]: value for task, value in before.values.items()}
    here = {
        task: value - there[after.places[task]]
        for task, value in after.values.items()
        if after.places[task] in there
    }
    if not here:
        raise Missing("no repetition and fold are those of both")
    return replace(
        after, values=here, exact=after.exact and before.exact, chosen=after.chosen or before.chosen
    )


class Records:
    """All that one paper's verdicts rest on."""

    def __init__(
        self,
        paper: str,
        cells: pd.DataFrame,
        plan: dict[str, Any],
        deterministic: list[str],
        scope: str | None,
    ):
        self.plan = plan
        self.measures: dict[str, Measure] = with_own(plan.get("measures", {}))
        self.rules: dict[str, dict[str, Any]] = plan.get("selection", {})
        self.deterministic = set(deterministic)
        self.runs: dict[tuple[str, str], dict[Point, Run]] = defaultdict(dict)
        self.official = official(plan, scope)
        self._read(cells[cells.paper == paper])
        if scope is not None:
            for key, setting, n in planned(plan, scope):
                self.runs[key].setdefault(point(setting), Run(setting)).planned = n
        self._samples: dict[str, Sample | str] = {}

    def _read(self, cells: pd.DataFrame) -> None:
        columns = [_listed(cells[name]) for name in COLUMNS]
        texts = {text for column in (columns[2], columns[7]) for text in column if text is not None}
        points = {text: point(json.loads(text)) for text in texts}
        for row in zip(*columns, strict=True):
            (
                dataset,
                method,
                text,
                repetition,
                fold,
                task,
                metric,
                at,
                value,
                status,
                kind,
                rows,
                train,
                test,
            ) = row
            runs = self.runs[dataset, method]
            if points[text] not in runs:
                runs[points[text]] = Run(dict(points[text]))
            run = runs[points[text]]
            cell = (repetition, None if pd.isna(fold) else fold)
            run.stand_in |= kind == "stand-in"
            if status != "ok":
                if status != "not_applicable":
                    run.failed.add(cell)
                continue
            run.ok.add(cell)
            run.n_rows = int(rows)
            # Test rows that the data came with are the same, or drawn as all rows are.
            held_out = train < rows and (dataset, method) not in self.official
            run.held_out |= held_out
            run.tested[task] = test / rows if held_out else 1.0
            run.repetitions[task] = repetition
            run.places[task] = cell
            run.values[metric][points[at]][task] = value

    def direction(self, query: Mapping[str, Any]) -> str | None:
        measure = self.measures.get(query["metric"])
        return query.get("direction") or (measure.direction if measure else None)

    def scale(self, metric: str) -> float:
        measure = self.measures.get(metric)
        return measure.scale if measure else 1.0

    def sample(self, query: Mapping[str, Any], rule: str, read_as: str | None = None) -> Sample:
        """The sample that a query asks for; `read_as` reads another metric of the same cells."""
        key = repr((sorted(query.items(), key=lambda item: item[0]), rule, read_as))
        if key not in self._samples:
            try:
                found = self._sample(query, rule, read_as)
                if "change_from" in query:
                    found = changed(
                        found, self._sample(query | {"dataset": query["change_from"]}, rule, read_as)
                    )
                self._samples[key] = found
            except Missing as missing:
                self._samples[key] = str(missing)
        known = self._samples[key]
        if isinstance(known, str):
            raise Missing(known)
        return known

    def _sample(self, query: Mapping[str, Any], rule: str, read_as: str | None) -> Sample:
        dataset, method = query.get("dataset"), query.get("method")
        if dataset is None or method is None:
            raise Missing("the query names no method or data set")
        where = query.get("where", {})
        runs = [run for run in self.runs.get((dataset, method), {}).values() if has(run.setting, where)]
        if not runs:
            raise Missing(f"no cell of {method} on {dataset}")
        chosen = len(runs) > 1
        run = self._best(runs, query.get("selection", rule)) if chosen else runs[0]
        if run.share_failed > 0.5:
            raise Missing(f"{method} on {dataset} failed")
        values = self._at(run, read_as or query["metric"], query.get("at"))
        array = np.array(list(values.values()))
        entry = registry()[data_of(self.plan, dataset)]
        whole = entry.n_draws == 1 and run.n_rows == entry.n_samples and not run.held_out
        exact = method in self.deterministic and whole and np.ptp(array) == 0
        # Fixed data are a pool from which all repetitions draw; drawn data are new in each, and so are disjoint parts.
        apart = "parts" in (self.plan.get("problems", {}).get(dataset, {}).get("task") or {})
        drawn = min(1.0, run.n_rows / entry.n_samples) if entry.n_draws == 1 and not apart else 0.0
        return Sample(
            values,
            bool(exact),
            run.stand_in,
            chosen,
            run.setting,
            run.repetitions,
            run.tested,
            drawn,
            run.places,
        )

    def _at(self, run: Run, metric: str, asked: Mapping[str, Any] | None) -> dict[str, float]:
        read = run.values.get(metric, {})
        if asked is not None:
            at = point(asked)
        elif len(read) == 1:
            at = next(iter(read))
        else:
            at = point(self.plan.get("at", {}))
        if at not in read:
            raise Missing(f"{metric} was not read there")
        return read[at]

    def _best(self, runs: list[Run], name: str) -> Run:
        rule = self.rules[name]
        if "setting" in rule:
            runs = [run for run in runs if has(run.setting, rule["setting"])]
            if len(runs) != 1:
                raise Missing("the fixed setting was not run")
            return runs[0]
        sign = 1.0 if self.direction(rule) == "higher" else -1.0
        # Means over other repetitions are not to be compared: settings with the most results are.
        most = max(len(run.ok) for run in runs)
        runs = [run for run in runs if len(run.ok) == most]
        best, highest = None, -np.inf
        for run in runs:
            try:
                mean = sign * float(np.mean(list(self._at(run, rule["metric"], rule.get("at")).values())))
            except Missing:
                continue
            if mean > highest:
                best, highest = run, mean
        if best is None:
            raise Missing("the rule's metric was not measured")
        return best
