"""Gather the records of a comparison: runs, chosen settings, scores, verdicts."""

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
from cladebench.bench.statistics.method_scores import Settings, Values, read_values
from cladebench.bench.statistics.method_verdicts import Verdicts, judged
from cladebench.bench.statistics.run_scores import RUN, choose, score_table
from cladebench.bench.store.cells_table import read_cells
from cladebench.bench.store.store import Store
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import NAME, SCOPE, SHARE, WHOLE, as_plan, read_plan
from cladebench.comparison.shown_measures import COSTS, LABELLED, UNLABELLED
from cladebench.input_files import InputFileError
from cladebench.metrics import rand_scores


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
    run = Run(folder, document, plan, cells, values[~values["is_whole"]], values[values["is_whole"]], {})
    run = replace(run, values=pd.concat([run.values, _agreement(run)], ignore_index=True))
    return replace(run, chosen=choose(run.values, UNLABELLED[0]))


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

    It is taken on the rows that both draws have. Two clusterings of one cluster, or of a row each, agree on any data:
    they have none.
    """
    store, rows = Store(run.folder), []
    good = run.values[(run.values["status"] == "ok") & (run.values["measure"] == "n_clusters")]
    arrays = {cell: store.load_arrays(cell) for cell in good["cell"].unique()}
    for _, group in good.groupby([*RUN, "k"], sort=False):
        template = group.iloc[0]
        for one, other in itertools.pairwise(group["cell"]):
            left, right = arrays[one], arrays[other]
            _, i, j = np.intersect1d(left["rows"], right["rows"], return_indices=True)
            if len(i) < 2:
                continue
            name = f"clusters_{template['k']}"
            pair = left[name][i], right[name][j]
            if all(len(np.unique(clusters)) in (1, len(i)) for clusters in pair):
                continue
            value = rand_scores(*pair).corrected
            rows.append({**template, "measure": "agreement", "value": value, "draw": f"{one} {other}"})
    return pd.DataFrame(rows, columns=run.values.columns)


def scores(run: Run) -> pd.DataFrame:
    """Tabulate ``scores.csv``: data set, labelling, method, setting and measure."""
    shown = (*LABELLED, *UNLABELLED, *COSTS)
    overlap = SHARE / (1 - SHARE)
    return score_table(run.values, run.plan.measures, shown, UNLABELLED, CONTROLS[0], overlap)


def verdicts(run: Run) -> Verdicts:
    """Judge a run by each measure with labels, the main one first.

    The page says what the first says.
    """
    mine, settings = run.document["mine"], Settings(rope=float(run.document["rope"]))
    read = [values for measure in LABELLED[:3] if (values := _values(run, measure)) is not None]
    if not read:
        return Verdicts(picked=not mine)
    scored = mine if mine in read[0].methods else ""
    results = [
        judged(values, scored, settings, CONTROLS)
        for values in read
        if not scored or scored in values.methods
    ]
    compared = tuple(row for one in results for row in one.compared)
    return replace(results[0], compared=compared, absent="" if scored else mine)


def _values(run: Run, measure: str) -> Values | None:
    """Give the scores that count, as the tests read them.

    They are by one measure. None for fewer than two methods, and for random ones alone.
    """
    rows = run.counted(run.values)
    rows = rows[rows["measure"] == measure]
    scored = set(rows.loc[rows["value"].notna(), "method"])
    if len(scored) < 2 or scored <= {*CONTROLS}:
        return None
    sizes = run.whole.groupby("data")["n_rows"].max()
    rows = rows[rows["method"].isin(scored)]
    rows = rows.assign(n_rows=rows["data"].map(sizes), share=SHARE, deterministic=False)
    return read_values(rows, run.plan.measures[measure])
