"""Turn records into scores: runs, chosen settings, means, intervals, chance."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.plan.jobs import expand
from cladebench.bench.plan.plan import Plan
from cladebench.bench.statistics.intervals import mean_interval
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import Store
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import NAME, SCOPE, SHARE, WHOLE, as_plan, read_plan
from cladebench.comparison.shown_measures import COSTS, LABELLED, UNLABELLED
from cladebench.input_files import InputFileError
from cladebench.measures import permuted_name
from cladebench.metrics import rand_scores

#: Columns of ``scores.csv``.
COLUMNS = (
    "data", "labels", "method", "setting", "measure", "mean", "low", "high", "n", "chance", "status", "reason",
)  # fmt: skip
_RUN = ["data", "labels", "method", "setting"]


@dataclass(frozen=True, eq=False)
class Run:
    """A comparison that has been run.

    Attributes
    ----------
    folder : Path
    document : mapping
        See `cladebench.comparison.as_plan.as_document`.
    plan : Plan
    cells : DataFrame
        As ``cells.parquet`` has them.
    values : DataFrame
        One row a run of half of the rows, labelling and measure: data, labels, k, method, setting, measure, draw,
        value, status, reason, cell.
    whole : DataFrame
        The same of the runs on all rows.
    chosen : mapping of (str, str, str) to str
        Setting that counts, by data, labels and method.
    """

    folder: Path
    document: Mapping[str, Any]
    plan: Plan
    cells: pd.DataFrame
    values: pd.DataFrame
    whole: pd.DataFrame
    chosen: Mapping[tuple[str, str, str], str]

    def counted(self, values: pd.DataFrame) -> pd.DataFrame:
        """Rows of the settings that count."""
        keys = zip(values["data"], values["labels"], values["method"], strict=True)
        settings = [self.chosen.get(key) for key in keys]
        return values[values["setting"].to_numpy() == np.array(settings, dtype=object)]

    def names(self, key: str) -> list[str]:
        """Name the data sets or methods in the order of the file."""
        if key == "data":
            return [name for name in self.document["problems"] if not name.endswith(WHOLE)]
        return list(self.document["methods"])


def collect(folder: Path) -> Run:
    """Gather the records of a comparison into ``cells.parquet``, and read them.

    Raises
    ------
    InputFileError
        If a file of the user changed while the runs were made.
    """
    document = read_plan(folder)
    plan = as_plan(document)
    jobs = expand(plan, SCOPE, root_seed=document["seed"])
    ids = [cell.spec.cell_id for job in jobs for cell in job.cells]
    path = folder / "cells.parquet"
    Store(folder).write_parquet(path, ids, {NAME: plan.measures})
    cells = read_cells(path)
    for (name, _), shas in cells.groupby([cells["dataset"].str.removesuffix(WHOLE), "repetition"])[
        "data_sha256"
    ]:
        if shas.nunique() > 1:
            raise InputFileError(
                f"{plan.path}: data.{name}: its file changed between runs; start the command again"
            )
    values = table_of_runs(cells)
    found = Run(folder, document, plan, cells, values[~values["is_whole"]], values[values["is_whole"]], {})
    found = replace(found, values=pd.concat([found.values, _agreement(found)], ignore_index=True))
    return replace(found, chosen=choose(found.values))


def table_of_runs(cells: pd.DataFrame) -> pd.DataFrame:
    """Tabulate ``cells.parquet``: a row for each run, labelling and measure.

    A run that failed has a row without value for each labelling and measure of its data.
    """
    cells = cells.assign(
        is_whole=cells["dataset"].str.endswith(WHOLE),
        data=cells["dataset"].str.removesuffix(WHOLE),
        draw=cells["dataset"] + "/" + cells["repetition"].astype(str),
    )
    points = {text: json.loads(text) for text in cells["at"].unique()}
    cells["labels"] = [points[at].get("labels") for at in cells["at"]]
    cells["k"] = [points[at].get("k", 0) for at in cells["at"]]
    memory = cells.drop_duplicates(["cell_id", "at"]).dropna(subset=["labels"])
    memory = memory.assign(metric="memory_mb", value=memory["peak_memory_mb"])
    cells = pd.concat([cells, memory], ignore_index=True)
    failed, good = cells[cells["labels"].isna()], cells[cells["labels"].notna()]
    known = good[["data", "labels", "k", "metric"]].drop_duplicates()
    every = failed.drop(columns=["labels", "k", "metric"]).merge(known, on="data", how="left")
    both = pd.concat([good, every], ignore_index=True)
    both["labels"] = both["labels"].fillna("")
    columns = ["data", "labels", "k", "method", "setting", "measure", "draw", "value", "status", "reason"]
    both = both.rename(columns={"metric": "measure", "cell_id": "cell"})
    return both[[*columns, "cell", "n_rows", "repetition", "is_whole"]]


def _agreement(run: Run) -> pd.DataFrame:
    """Average the adjusted Rand index of pairs of draws.

    It is taken on the rows that both draws have.
    """
    store, rows = Store(run.folder), []
    good = run.values[(run.values["status"] == "ok") & (run.values["measure"] == "n_clusters")]
    arrays = {cell: store.load_arrays(cell) for cell in good["cell"].unique()}
    for _, group in good.groupby([*_RUN, "k"], sort=False):
        template = group.iloc[0]
        for one, other in itertools.pairwise(group["cell"]):
            left, right = arrays[one], arrays[other]
            _, i, j = np.intersect1d(left["rows"], right["rows"], return_indices=True)
            if len(i) < 2:
                continue
            name = f"clusters_{template['k']}"
            value = rand_scores(left[name][i], right[name][j]).corrected
            rows.append({**template, "measure": "agreement", "value": value, "draw": f"{one} {other}"})
    return pd.DataFrame(rows, columns=run.values.columns)


def choose(values: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """Choose the setting of best mean silhouette, without labels.

    Each method has one on each data set. Settings with fewer failed draws go first; of equal ones the
    first in the file.
    """
    rule = values["value"].where(values["measure"] == UNLABELLED[0])
    found = rule.groupby([values[key] for key in _RUN], sort=False).agg(["count", "mean"])
    best = found.sort_values(["count", "mean"], ascending=False, kind="stable").reset_index()
    best = best.drop_duplicates(_RUN[:3])
    return {
        (data, labels, method): setting
        for data, labels, method, setting in best[_RUN].itertuples(index=False)
    }


def scores(run: Run) -> pd.DataFrame:
    """Tabulate ``scores.csv``: data set, labelling, method, setting and measure."""
    measures = [*LABELLED, *UNLABELLED, *COSTS]
    rows = run.values[run.values["measure"].isin(measures) | run.values["measure"].isna()]
    names = [*_RUN, "measure"]
    keys = [*rows[names].drop_duplicates().itertuples(index=False, name=None)]
    group = rows.groupby(names, sort=False, dropna=False).ngroup().to_numpy()
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    values = rows["value"].to_numpy(dtype=float)
    status, reason = rows["status"].to_numpy(dtype=object), rows["reason"].to_numpy(dtype=object)
    chance = _chance(run)
    table = []
    for key, part in zip(keys, parts, strict=True):
        finite = values[part][np.isfinite(values[part])]
        summed = _interval(run, key[-1], finite)
        ended = _ended(status[part], reason[part])
        table.append((*key, *summed, finite.size, chance.get(key, np.nan), *ended))
    return pd.DataFrame(table, columns=list(COLUMNS))


def _interval(run: Run, measure: str, values: np.ndarray) -> tuple[float, float, float]:
    """Give mean and interval within the range of the measure.

    Pairs of draws get no interval: they are no sample.
    """
    if not values.size:
        return np.nan, np.nan, np.nan
    found = mean_interval(values, overlap=SHARE / (1 - SHARE))
    if measure not in run.plan.measures:
        return found.mean, np.nan, np.nan
    least, most = run.plan.measures[measure].range
    return found.mean, max(found.low, least), min(found.high, most)


def _ended(status: np.ndarray, reason: np.ndarray) -> tuple[str, str]:
    """Sum up how draws ended: the first failure, and how many."""
    failed = np.flatnonzero(status != "ok")
    if not failed.size:
        return "ok", ""
    first = str(reason[failed[0]])
    some = f"{failed.size} of {status.size} draws: " if failed.size < status.size else ""
    return str(status[failed[0]]), some + first


def _chance(run: Run) -> dict[tuple[Any, ...], float]:
    """Say what each score would be by chance.

    A constant, the exact expectation, or what random clusters earned.
    """
    grouped = run.values.groupby([*_RUN, "measure"], sort=False)["value"].mean()
    means: dict[Any, float] = dict(zip(grouped.index, grouped, strict=True))
    random = {(key[0], key[1], key[4]): mean for key, mean in means.items() if key[2] == CONTROLS[0]}
    constant = {name: measure.blind for name, measure in run.plan.measures.items()} | {"agreement": 0.0}
    found = {}
    for data, labels, method, setting, measure in means:
        chance = constant.get(measure)
        if chance is None:
            chance = means.get((data, labels, method, setting, permuted_name(measure)))
        if chance is None and measure in UNLABELLED:
            chance = random.get((data, labels, measure))
        found[data, labels, method, setting, measure] = np.nan if chance is None else chance
    return found
