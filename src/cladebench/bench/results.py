"""The one view of a run's results: which setting stands for a method, and the values behind every number.

Audit, tables, figures and pages all read it, so that a figure cannot show another setting than the verdict beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from cladebench.bench.cell_spec import canonical_json, point_text
from cladebench.bench.samples import Sample, by_task, nothing, overlap
from cladebench.bench.selection import Rule, agrees, select_settings
from cladebench.input_files import one_of

#: What a reader of values gets for each cell.
_VALUE_COLUMNS = ["cell_id", "setting", "setting_id", "repetition", "fold", "task", "at", "value"]
#: What is asked of cells, whatever they measured.
_CELL_COLUMNS = ["cell_id", "setting", "setting_id", "status", "reason", "stand_in_for"]
_SIZE_COLUMNS = ["repetition", "n_rows", "n_train", "n_test"]


@dataclass
class Results:
    """The records of one paper, ready for questions.

    Parameters
    ----------
    records : DataFrame
        Rows of ``cells.parquet`` of this paper.
    selection : mapping of str to Rule
        The plan's rules.
    at : mapping
        The evaluation point that is meant where a question names none and the metric is read at several.
    deterministic : collection of str
        Methods for which one repetition is exact, where neither the data nor their rows are drawn.
    sizes : mapping of str to int, optional
        Rows of each data set that is not drawn (`cladebench.datasets.fixed_sizes`). Without it neither data sets nor
        rows of them count as drawn.
    """

    records: pd.DataFrame
    selection: Mapping[str, Rule] = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    deterministic: Collection[str] = ()
    sizes: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        self._samples: dict[str, Sample] = {}
        self._narrowed: dict[str, pd.DataFrame] = {}
        self._stood: dict[str, _Standing] = {}

    # ------------------------------------------------------------------ records

    def rows(self, dataset: str, method: str, where: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Give the records of a method on a data set in settings with these values; empty where none was planned."""
        rows = self.records.iloc[self._of_method.get((dataset, method), [])]
        if where and not rows.empty:
            rows = rows[[agrees(text, where) for text in rows["setting"]]]
        return rows

    def measured(
        self,
        dataset: str,
        method: str,
        metric: str,
        *,
        at: Mapping[str, Any] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> pd.DataFrame:
        """Give one metric of a method's finished cells at one evaluation point, under all its settings.

        Returns
        -------
        DataFrame
            Columns cell_id, setting, setting_id, repetition, fold, task, at, value, in the order of the records.
        """
        rows = self._values.iloc[self._of_metric.get((dataset, method, metric), [])]
        rows = rows[rows["at"] == self._point(rows, at)]
        if where and not rows.empty:
            rows = rows[[agrees(text, where) for text in rows["setting"]]]
        return rows

    def chosen(
        self,
        dataset: str,
        method: str,
        metric: str,
        rule: str,
        *,
        at: Mapping[str, Any] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> pd.DataFrame:
        """Give the values of `measured` in the setting that stands for a method; none where too few cells finished.

        That is the setting that a rule selects, or the only one. It takes half of its cells, as in `sample`: a mean
        over those few that finished would be taken for the method's own. `unfinished` says what happened to the others.
        """
        values = self.measured(dataset, method, metric, at=at, where=where)
        standing = self._standing(dataset, method, rule, where)
        return values[values["setting_id"].isin([] if standing.few else standing.settings)]

    def unfinished(self, dataset: str, method: str, rule: str, where: Mapping[str, Any] | None = None) -> str:
        """Say why a method of which some cells finished has no number: ``4 of 5 cells timeout``; empty otherwise."""
        standing = self._standing(dataset, method, rule, where)
        return standing.few if (standing.cells["status"] == "ok").any() else ""

    def _standing(self, dataset: str, method: str, rule: str, where: Mapping[str, Any] | None) -> _Standing:
        """The cells of the setting that stands for a method; of all its settings where none finished."""
        key = canonical_json([dataset, method, rule, dict(where or {})])
        if key not in self._stood:
            rows = self._cells.iloc[self._cells_of.get((dataset, method), [])]
            if where and not rows.empty:
                rows = rows[[agrees(text, where) for text in rows["setting"]]]
            gridded = rows["setting_id"].nunique() > 1
            if gridded and (rows["status"] == "ok").any():
                rows = rows[rows["setting_id"] == self.choice(dataset, method, rule, where)]
            finished = rows[rows["status"] == "ok"]
            self._stood[key] = _Standing(
                rows,
                gridded,
                set(rows["setting_id"]),
                _too_few(rows),
                _failures(rows),
                overlap(finished, None if self.sizes is None else self.sizes.get(dataset, math.inf)),
                self._fixed(dataset, finished),
                next((str(s) for s in rows["stand_in_for"] if isinstance(s, str) and s), ""),
            )
        return self._stood[key]

    def points(self, dataset: str, method: str, metric: str) -> list[dict[str, Any]]:
        """List the evaluation points at which a metric is recorded, in the order of the records."""
        rows = self._values.iloc[self._of_metric.get((dataset, method, metric), [])]
        return [json.loads(text) for text in rows["at"].unique()]

    # ------------------------------------------------------------------ selection

    @cached_property
    def choices(self) -> pd.DataFrame:
        """Which setting each rule selects: columns dataset, method, rule, setting_id, mean, n."""
        return select_settings(self.records, self.selection)

    def choice(
        self, dataset: str, method: str, rule: str, where: Mapping[str, Any] | None = None
    ) -> str | None:
        """Return the id of the setting that a rule selects among those with these values; None where there is none."""
        choices = self.choices
        if where:
            key = canonical_json([dataset, method, dict(where)])
            if key not in self._narrowed:
                self._narrowed[key] = select_settings(self.rows(dataset, method, where), self.selection)
            choices = self._narrowed[key]
        found = choices[
            (choices["dataset"] == dataset) & (choices["method"] == method) & (choices["rule"] == rule)
        ]
        return None if found.empty else str(found["setting_id"].iloc[0])

    def point_of_choice(self, dataset: str, method: str, metric: str, rule: str) -> Mapping[str, Any] | None:
        """Return the point at which a rule read the metric by which it chose; None, the plan's, for any other."""
        by = self.selection.get(rule)
        if by is None or by.metric != metric or by.at not in self.points(dataset, method, metric):
            return None
        return by.at

    # ------------------------------------------------------------------ samples

    def sample(self, query: Mapping[str, Any], rule: str) -> Sample:
        """Find the values that a claim asks for.

        Parameters
        ----------
        query : Mapping
            Keys dataset, method, metric; at (an evaluation point); where (a part of the setting); selection (a rule
            that the claim fixes).
        rule : str
            Rule by which the setting is selected when the claim fixes none.
        """
        key = canonical_json([rule, {k: v for k, v in query.items() if k != "x"}])
        if key not in self._samples:
            self._samples[key] = self._find(query, query.get("selection", rule))
        return self._samples[key]

    def _find(self, query: Mapping[str, Any], rule: str) -> Sample:
        dataset, method, metric = query["dataset"], query["method"], query["metric"]
        where = query.get("where") or {}
        name = f"{method} on {dataset}"
        standing = self._standing(dataset, method, rule, where)
        cells = standing.cells
        if cells.empty:
            if not standing.gridded:
                extra = f" with {json.dumps(where, sort_keys=True)}" if where else ""
                return nothing(f"no cell of {name}{extra} in this run")
            return nothing(f"no setting of {name} is selected under the rule {rule!r}")
        if standing.few:
            return nothing(f"{name}: {standing.few}")
        places = self._of_metric.get((dataset, method, metric), ())
        places = [i for i in places if self._setting_ids[i] in standing.settings]
        if not places:
            return nothing(f"{name}: the metric {metric!r} is not recorded")
        points = dict.fromkeys(self._points[i] for i in places)
        point = self._meant(points, query.get("at"))
        if point not in points:
            return nothing(f"{name}: {metric} is recorded at {', '.join(points)}, not at {point}")
        read = self._values.iloc[[i for i in places if self._points[i] == point]]
        values, problem = by_task(read, name, metric)
        if problem:
            return nothing(problem)
        return Sample(
            values,
            overlap=standing.overlap,
            notes=(f"{name}: {standing.failures}",) if standing.failures else (),
            cells=str(read["cell_id"].iloc[0]).rpartition("/")[0] + "/*",
            setting=str(read["setting"].iloc[0]),
            metric=metric,
            rule=rule if standing.gridded else "",
            point=len(read) == 1 and method in self.deterministic and standing.fixed,
            stand_in_for=standing.stand_in_for,
        )

    def _fixed(self, dataset: str, rows: pd.DataFrame) -> bool:
        """Whether a repetition met all there is of a data set, as any other would."""
        if self.sizes is None:
            return True
        return bool((rows[["n_rows", "n_train"]] == self.sizes.get(dataset, -1)).all(axis=None))

    def _point(self, rows: pd.DataFrame, at: Mapping[str, Any] | None) -> str:
        return self._meant(rows["at"].unique(), at)

    def _meant(self, points: Iterable[str], at: Mapping[str, Any] | None) -> str:
        """The evaluation point that is meant, as canonical JSON."""
        if at is not None:
            return point_text(at)
        return "{}" if "{}" in points else point_text(self.at)

    # Places of records, looked up hundreds of times by the tables of one paper; all columns at once would be slow.
    @cached_property
    def _values(self) -> pd.DataFrame:
        return _plain(self.records[_VALUE_COLUMNS])

    @cached_property
    def _setting_ids(self) -> list[str]:
        return self._values["setting_id"].tolist()

    @cached_property
    def _points(self) -> list[str]:
        return self._values["at"].tolist()

    @cached_property
    def _cells(self) -> pd.DataFrame:
        return _plain(
            self.records.drop_duplicates("cell_id")[["dataset", "method", *_CELL_COLUMNS, *_SIZE_COLUMNS]]
        )

    @cached_property
    def _cells_of(self) -> Mapping[Any, Any]:
        return self._cells.groupby(["dataset", "method"]).indices

    @cached_property
    def _of_method(self) -> Mapping[Any, Any]:
        return self.records.groupby(["dataset", "method"]).indices

    @cached_property
    def _of_metric(self) -> Mapping[Any, Any]:
        finished = self.records["metric"].where(self.records["status"] == "ok")
        return self.records.groupby(["dataset", "method", finished]).indices


class _Standing(NamedTuple):
    """The cells that stand for a method, and what is asked of them for every metric."""

    cells: pd.DataFrame
    #: Whether they are of one of several settings.
    gridded: bool
    settings: set[str]
    #: Why there are too few of them, and which failed; empty where there is nothing to say.
    few: str
    failures: str
    #: See `Sample`; whether a repetition met all there is of a data set.
    overlap: float
    fixed: bool
    stand_in_for: str


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """Texts as Python's own: a table of a few rows is cut from it thousands of times."""
    texts = [name for name in table if isinstance(table[name].dtype, pd.StringDtype)]
    return table.astype(dict.fromkeys(texts, object))


def recorded_points(finished: pd.DataFrame) -> dict[str, list[str]]:
    """List the evaluation points, as canonical JSON, at which finished cells have each metric."""
    rows = finished[["metric", "at"]].drop_duplicates()
    return {str(metric): sorted(group["at"]) for metric, group in rows.groupby("metric")}


def not_recorded(
    metric: str, at: Mapping[str, Any] | None, points: Mapping[str, list[str]], key: str = "metric"
) -> str:
    """Say what is wrong with a metric and a point that a file names: no record has it; empty where one has.

    Parameters
    ----------
    metric : str
    at : Mapping or None
        None where the file names no point.
    points : mapping
        As `recorded_points` gives it.
    key : str
        Under which the file names the metric.
    """
    if metric not in points:
        return f"{key}: no record of this paper has {metric!r}; {one_of(metric, sorted(points))}"
    if at is not None and (point := point_text(at)) not in points[metric]:
        return f"at: no record of this paper has {metric!r} at {point}; {one_of(point, points[metric])}"
    return ""


def _too_few(rows: pd.DataFrame) -> str:
    """Say which cells failed where fewer than half of them finished, or none; empty where enough did."""
    cells = rows.drop_duplicates("cell_id")
    ok = int((cells["status"] == "ok").sum())
    return _failures(rows) if 2 * ok < len(cells) or not ok else ""


def _failures(rows: pd.DataFrame) -> str:
    """Say how many cells failed and why: ``5 of 5 cells unavailable: no source holds the file``; empty for none."""
    cells = rows.drop_duplicates("cell_id")
    parts = []
    for status, group in cells[cells["status"] != "ok"].groupby("status", sort=True):
        reasons = [r for r in dict.fromkeys(group["reason"]) if isinstance(r, str) and r]
        why = f": {' '.join(reasons[0].split())[:160]}" if reasons else ""
        parts.append(f"{len(group)} of {len(cells)} cells {str(status).replace('_', ' ')}{why}")
    return "; ".join(parts)
