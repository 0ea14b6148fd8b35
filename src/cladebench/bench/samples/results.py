"""Give the one view of a run's results.

It says which setting represents a method, and gives the values behind every number. Audit, tables, figures
and pages all read it, so that a figure cannot show another setting than the verdict beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.plan.cell_spec import point_text
from cladebench.bench.plan.setting_selection import SELECTION_COLUMNS, Rule, agrees, select_settings
from cladebench.bench.samples.representatives import CellFacts, Representatives, failures
from cladebench.bench.samples.samples import Drawn, Sample, before, by_task, change, nothing
from cladebench.input_files import one_of

#: What a reader of values gets for each cell.
_VALUE_COLUMNS = ["cell_id", "setting", "setting_id", "repetition", "fold", "task", "at", "value"]


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
        Rows of each data set that is not drawn (`cladebench.bench.plan.plan.Plan.pools`). Without it neither data
        sets nor rows of them count as drawn.
    official : collection of (data set, method)
        Where test rows are those that the data came with (`cladebench.bench.plan.plan.Plan.official_splits`).
    """

    records: pd.DataFrame
    selection: Mapping[str, Rule] = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    deterministic: Collection[str] = ()
    sizes: Mapping[str, int] | None = None
    official: Collection[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        self._samples: dict[tuple[object, ...], Sample] = {}
        self._chosen: dict[tuple[str, ...], dict[tuple[str, str, str], str]] = {}
        self._represented: dict[tuple[str, ...], Representatives] = {}
        self._read: dict[tuple[object, ...], Sample] = {}
        self._rows: dict[tuple[str, str], pd.DataFrame] = {}
        self._measured: dict[tuple[str, ...], pd.DataFrame] = {}

    # ------------------------------------------------------------------ records

    def rows(self, dataset: str, method: str, where: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Give a method's records on a data set, in matching settings.

        The table is empty where none was planned.
        """
        if (dataset, method) not in self._rows:
            self._rows[dataset, method] = self.records.iloc[self._of_method.get((dataset, method), [])]
        rows = self._rows[dataset, method]
        if where and not rows.empty:
            rows = _in_setting(rows, where)
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
        """Give a metric's values in finished cells of all settings.

        Returns
        -------
        DataFrame
            Columns cell_id, setting, setting_id, repetition, fold, task, at, value, in the order of the records.
        """
        key = (dataset, method, metric, repr(at), repr(where or {}))
        if key not in self._measured:
            rows = self._values.iloc[self._of_metric.get((dataset, method, metric), [])]
            rows = rows[rows["at"] == self._meant(rows["at"].unique(), at)]
            if where and not rows.empty:
                rows = _in_setting(rows, where)
            self._measured[key] = rows
        return self._measured[key]

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
        """Give the values of `measured` in the representing setting.

        That is the setting that a rule selects, or the only one. No values come where less than half of its cells
        finished, as in `sample`: a mean over those few would be taken for the method's own. `unfinished` says what
        happened to the others.
        """
        values = self.measured(dataset, method, metric, at=at, where=where)
        chosen = self._representatives(dataset, method, rule, where)
        return values[values["setting_id"].isin([] if chosen.few else chosen.settings)]

    def unfinished(self, dataset: str, method: str, rule: str, where: Mapping[str, Any] | None = None) -> str:
        """Say why a method of which some cells finished has no number.

        ``4 of 5 runs timeout``; empty otherwise.
        """
        chosen = self._representatives(dataset, method, rule, where)
        return chosen.few if any(cell.status == "ok" for cell in chosen.cells) else ""

    def _representatives(
        self, dataset: str, method: str, rule: str, where: Mapping[str, Any] | None
    ) -> Representatives:
        """Give the representing setting's cells, or all where none finished."""
        key = (dataset, method, rule, repr(where or {}))
        if key not in self._represented:
            cells = self._cells.get((dataset, method), [])
            if where:
                cells = [cell for cell in cells if agrees(cell.setting, where)]
            gridded = len({cell.setting_id for cell in cells}) > 1
            if gridded and any(cell.status == "ok" for cell in cells):
                chosen = self.choice(dataset, method, rule, where)
                cells = [cell for cell in cells if cell.setting_id == chosen]
            finished = [cell for cell in cells if cell.status == "ok"]
            size = None if self.sizes is None else self.sizes.get(dataset, math.inf)
            official = (dataset, method) in self.official
            rows = {
                name: np.array(
                    [getattr(cell, name) for cell in finished], dtype=object if name == "task" else float
                )
                for name in ("task", "repetition", "fold", "n_rows", "n_test")
            }
            self._represented[key] = Representatives(
                cells,
                gridded,
                {cell.setting_id for cell in cells},
                failures(cells) if 2 * len(finished) < len(cells) or not finished else "",
                failures(cells),
                Drawn(rows, size, official),
                # A repetition met all there is of a data set, as any other would.
                size is None or all(c.n_rows == size and (official or c.n_train == size) for c in finished),
                next((cell.stand_in_for for cell in cells if cell.stand_in_for), ""),
            )
        return self._represented[key]

    def points(self, dataset: str, method: str, metric: str) -> list[dict[str, Any]]:
        """List a metric's evaluation points in the order of the records."""
        rows = self._values.iloc[self._of_metric.get((dataset, method, metric), [])]
        return [json.loads(text) for text in rows["at"].unique()]

    # ------------------------------------------------------------------ selection

    @cached_property
    def choices(self) -> pd.DataFrame:
        """Which setting each rule selects: columns dataset, method, rule, setting_id, mean, n."""
        return select_settings(self._competing, self.selection)

    def choice(
        self, dataset: str, method: str, rule: str, where: Mapping[str, Any] | None = None
    ) -> str | None:
        """Return the id of the setting that a rule selects.

        `where` narrows the choice. None means that there is none.
        """
        key = (dataset, method, repr(where)) if where else ()
        if key not in self._chosen:
            choices = self.choices
            if where:
                rows = self._competing.iloc[self._of_method.get((dataset, method), [])]
                if not rows.empty:
                    rows = _in_setting(rows, where)
                choices = select_settings(rows, self.selection)
            names = zip(choices["dataset"], choices["method"], choices["rule"], strict=True)
            self._chosen[key] = dict(zip(names, choices["setting_id"], strict=True))
        return self._chosen[key].get((dataset, method, rule))

    def point_of_choice(self, dataset: str, method: str, metric: str, rule: str) -> Mapping[str, Any] | None:
        """Return the point at which a rule read this metric.

        None means the plan's point, because the rule chose by another metric.
        """
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
            that the claim fixes); change_from (a problem that shares draws, from which the change is asked).
        rule : str
            Rule by which the setting is selected when the claim fixes none.
        """
        # As text only what is no text; an audit asks a quarter of a million times.
        key = (
            rule,
            *((k, v if isinstance(v, str) else repr(v)) for k, v in query.items() if k != "x"),
        )
        if key not in self._samples:
            chosen = query.get("selection", rule)
            sample = self._find(query, chosen)
            self._samples[key] = (
                change(sample, self._find(before(query), chosen)) if "change_from" in query else sample
            )
        return self._samples[key]

    def _find(self, query: Mapping[str, Any], rule: str) -> Sample:
        dataset, method, metric = query["dataset"], query["method"], query["metric"]
        where = query.get("where") or {}
        name = f"{method} on {dataset}"
        chosen = self._representatives(dataset, method, rule, where)
        cells = chosen.cells
        if not cells:
            if not chosen.gridded:
                extra = f" with {json.dumps(where, sort_keys=True)}" if where else ""
                return nothing(f"no run of {name}{extra} in these results")
            return nothing(f"no setting of {name} is selected under the rule {rule!r}")
        if chosen.few:
            return nothing(f"{name}: {chosen.few}")
        columns = self._columns
        places = self._of_metric.get((dataset, method, metric), ())
        places = [i for i in places if columns["setting_id"][i] in chosen.settings]
        if not places:
            return nothing(f"{name}: the metric {metric!r} is not recorded")
        points = dict.fromkeys(columns["at"][i] for i in places)
        point = self._meant(points, query.get("at"))
        if point not in points:
            return nothing(f"{name}: {metric} is recorded at {', '.join(points)}, not at {point}")
        read = tuple(i for i in places if columns["at"][i] == point)
        asked = (read, rule if chosen.gridded else "", frozenset(chosen.settings))
        if asked not in self._read:  # other rules, and other words for a setting, lead to the same rows
            self._read[asked] = self._sample_of(read, query, chosen, asked[1])
        return self._read[asked]

    def _sample_of(
        self, read: tuple[int, ...], query: Mapping[str, Any], chosen: Representatives, rule: str
    ) -> Sample:
        """Values of some rows, with all that is known of their cells."""
        columns = self._columns
        method, metric = query["method"], query["metric"]
        name = f"{method} on {query['dataset']}"
        values, problem = by_task(
            [columns["value"][i] for i in read],
            [columns["task"][i] for i in read],
            [columns["repetition"][i] for i in read],
            f"{name}: {metric}",
        )
        if problem:
            return nothing(problem)
        return Sample(
            values,
            overlap=chosen.drawn.overlap(values.index),
            drawn=chosen.drawn,
            notes=(f"{name}: {chosen.failures}",) if chosen.failures else (),
            cells=columns["cell_id"][read[0]].rpartition("/")[0] + "/*",
            setting=columns["setting"][read[0]],
            metric=metric,
            rule=rule,
            point=len(read) == 1 and method in self.deterministic and chosen.fixed,
            stand_in_for=chosen.stand_in_for,
        )

    def _meant(self, points: Iterable[str], at: Mapping[str, Any] | None) -> str:
        """The evaluation point that is meant, as canonical JSON."""
        if at is not None:
            return point_text(at)
        return "{}" if "{}" in points else point_text(self.at)

    # Looked up thousands of times by the claims of one paper: cutting data frames would take most of an audit's time.
    @cached_property
    def _values(self) -> pd.DataFrame:
        return self._with_texts(_VALUE_COLUMNS)

    @cached_property
    def _competing(self) -> pd.DataFrame:
        return self._with_texts(SELECTION_COLUMNS)

    def _with_texts(self, columns: list[str]) -> pd.DataFrame:
        """Columns of the records, with texts as Python's own."""
        texts = [name for name in columns if isinstance(self.records[name].dtype, pd.StringDtype)]
        return self.records[columns].astype(dict.fromkeys(texts, object))

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        return {name: self._values[name].tolist() for name in _VALUE_COLUMNS}

    @cached_property
    def _cells(self) -> Mapping[tuple[str, str], list[CellFacts]]:
        cells = self.records.drop_duplicates("cell_id")
        sizes = [cells[name].to_numpy(dtype=float, na_value=math.nan).tolist() for name in CellFacts.sizes()]
        texts = [
            cells[name].astype(object).where(cells[name].notna(), "").tolist() for name in CellFacts.texts()
        ]
        facts: dict[tuple[str, str], list[CellFacts]] = {}
        for dataset, method, cell in zip(
            cells["dataset"], cells["method"], map(CellFacts, *texts, *sizes), strict=True
        ):
            facts.setdefault((dataset, method), []).append(cell)
        return facts

    @cached_property
    def _of_method(self) -> Mapping[Any, Any]:
        return self.records.groupby(["dataset", "method"]).indices

    @cached_property
    def _of_metric(self) -> Mapping[Any, Any]:
        finished = self.records["metric"].where(self.records["status"] == "ok")
        return self.records.groupby(["dataset", "method", finished]).indices


def _in_setting(rows: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Rows in settings with these values; each setting is read once."""
    return rows[rows["setting"].isin([text for text in rows["setting"].unique() if agrees(text, where)])]


def recorded_points(finished: pd.DataFrame) -> dict[str, list[str]]:
    """List each metric's evaluation points in finished cells, as canonical JSON."""
    rows = finished[["metric", "at"]].drop_duplicates()
    return {str(metric): sorted(group["at"]) for metric, group in rows.groupby("metric")}


def not_recorded(
    metric: str, at: Mapping[str, Any] | None, points: Mapping[str, list[str]], key: str = "metric"
) -> str:
    """Say what is wrong with a metric and point in a file.

    No record has it; empty where one has.

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
