"""Fill the tables of a page: scores, failures, settings, facts."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.plan.cell_spec import Limits
from cladebench.bench.statistics.method_ranks import Ranks
from cladebench.bench.statistics.method_verdicts import Verdicts
from cladebench.bench.store.store import Store
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import WHOLE
from cladebench.comparison.others import STATUS
from cladebench.comparison.scores import COSTS, LABELLED, UNLABELLED, Run
from cladebench.notation import two_decimals

#: Measures of runs on all rows that are shown.
ON_ALL_ROWS = ["ari", "dendrogram_purity", "silhouette", "n_clusters", "fit_seconds"]


def words(name: str) -> str:
    """Write a status or a measure for readers."""
    return name.replace("_", " ")


def counted_scores(run: Run, table: pd.DataFrame) -> pd.DataFrame:
    """Select the scores that count.

    Rows of the chosen setting. Of several labellings the one with the best score.
    """
    rows = run.counted(table)
    best = rows[rows["measure"].isin(("ari", "silhouette"))].sort_values("measure", kind="stable")
    best = best.drop_duplicates(["data", "labels", "method"]).sort_values(
        "mean", ascending=False, kind="stable"
    )
    best = best.drop_duplicates(["data", "method"])
    keys = set(zip(best["data"], best["labels"], best["method"], strict=True))
    keep = [key in keys for key in zip(rows["data"], rows["labels"], rows["method"], strict=True)]
    others = ~rows["method"].isin({method for _, _, method in keys})
    return rows[np.array(keep) | others.to_numpy()]


def heat_table(run: Run, counted: pd.DataFrame, measures: tuple[str, ...]) -> dict[str, Any]:
    """Tabulate methods by data sets.

    The first measure is in the cells, the others behind their means.
    """
    shown = [m for m in measures if m in set(counted["measure"])]
    if not shown:
        return {}
    if shown[0] in UNLABELLED:
        counted = counted[counted["labels"] == ""]
    first = counted[counted["measure"] == shown[0]]
    names = [name for name in run.names("data") if name in set(first.loc[first["mean"].notna(), "data"])]
    if not names:
        return {}
    known = run.plan.measures.get(shown[0])
    higher = known is None or known.direction != "lower"
    rows: list[dict[str, Any]] = []
    for method in dict.fromkeys((*run.names("method"), *counted["method"])):
        own = counted[(counted["method"] == method) & counted["data"].isin(names)]
        cells = [_cell(own[own["data"] == name], shown[0]) for name in names]
        means = {m: float(own.loc[own["measure"] == m, "mean"].mean()) for m in shown}
        n = sum("mean" in (cell or {}) for cell in cells)
        # Of a method that always failed nobody knows whether it gives trees.
        shows = n if shown[0] == "dendrogram_purity" else any(cells)
        if shows or not all(np.isnan(mean) for mean in means.values()):
            rows.append({"method": method, "cells": cells, "means": means, "n": n})
    rows.sort(
        key=lambda row: (-row["n"], np.nan_to_num(row["means"][shown[0]] * (-1 if higher else 1), nan=9e9))
    )
    return {"measures": shown, "data": names, "rows": rows, "higher": higher}


def _cell(rows: pd.DataFrame, measure: str) -> dict[str, Any] | None:
    """Fill a cell; None where there is nothing.

    The mean with interval and chance, or how the runs ended.
    """
    scored = rows[(rows["measure"] == measure) & rows["mean"].notna()]
    if len(scored):
        return dict(scored[["mean", "low", "high", "chance", "status"]].iloc[0])
    failed = rows[~rows["status"].isin(("ok", STATUS))]
    return dict(failed[["status"]].iloc[0]) if len(failed) else None


def failures(run: Run) -> list[dict[str, Any]]:
    """List each cause of failure once, with methods and data sets."""
    cells = run.cells[run.cells["status"] != "ok"].drop_duplicates("cell_id")
    names = [str(estimator).rpartition(".")[2] for estimator in cells["estimator"]]
    causes: dict[tuple[str, str], dict[str, Any]] = {}
    for row, name in zip(cells.itertuples(), names, strict=True):
        reason = re.sub(r"[0-9]+(\.[0-9]+)?", "#", str(row.reason).replace(name, "it"))
        cause = causes.setdefault(
            (str(row.status), reason),
            {"status": words(str(row.status)), "reason": row.reason, "methods": {}, "data": {}, "n": 0}
            | {"record": record_of(run, str(row.cell_id))},
        )
        cause["methods"][row.method] = cause["data"][str(row.dataset).removesuffix(WHOLE)] = None
        cause["n"] += 1
    return [cause | {key: _some(cause[key]) for key in ("methods", "data")} for cause in causes.values()]


def _some(names: Iterable[str], most: int = 6) -> str:
    first, more = [*names][:most], len([*names]) - most
    return ", ".join(first) + (f" and {more} more" if more > 0 else "")


def settings_table(run: Run) -> list[dict[Hashable, Any]]:
    """List the silhouette of each setting where one was chosen."""
    rule = run.values[run.values["measure"] == UNLABELLED[0]]
    means = rule.groupby(["data", "labels", "method", "setting"], sort=False)["value"].mean().reset_index()
    means["counts"] = np.where(means.index.isin(run.counted(means).index), "yes", "")
    means = means[means.groupby(["data", "labels", "method"])["setting"].transform("nunique") > 1]
    several = (means["labels"] != "") & (means["labels"] != "labels")
    means["data"] = means["data"].where(~several, means["data"] + " (" + means["labels"] + ")")
    return means.assign(setting=means["setting"].map(setting_text)).to_dict("records")


def settings_had(run: Run) -> list[dict[str, Any]]:
    """Count the settings of each method, most first, random ones left out.

    A range where data differ.
    """
    values = run.values
    tried = values[~values["method"].isin(CONTROLS) & (values["status"] != "not_applicable")]
    counts = tried.groupby(["method", "data"])["setting"].nunique().groupby("method").agg(["max", "min"])
    found = [
        {"n": str(most) if least == most else f"{least} to {most}", "methods": ", ".join(rows.index)}
        for (most, least), rows in counts.groupby(["max", "min"], sort=True)
    ]
    return found[::-1]


def setting_text(text: str) -> str:
    """Write a setting for readers: ``zscore, linkage average``."""
    setting = dict(json.loads(text))
    features = setting.pop("features", "")
    return ", ".join([features, *(f"{key} {value}" for key, value in setting.items())]).strip(", ")


def record_of(run: Run, cell: str) -> str:
    """Name the file of a run's record, seen from the page."""
    return Store(run.folder).path(cell).relative_to(run.folder).as_posix()


def on_all_rows(run: Run, name: str) -> list[dict[Hashable, Any]]:
    """List the scores of the runs on all rows, with their records."""
    rows = run.counted(run.whole[(run.whole["data"] == name) & (run.whole["status"] == "ok")])
    wide = rows.pivot_table(index=["method", "labels", "cell"], columns="measure", values="value", sort=False)
    wide = wide.reindex(columns=ON_ALL_ROWS).reset_index()
    records = [record_of(run, cell) for cell in wide["cell"]]
    return wide.astype({"n_clusters": "Int64"}).assign(record=records).to_dict("records")


def runs_table(run: Run) -> pd.DataFrame:
    """Tabulate ``runs.csv``: each run and labelling, with its scores and its record."""
    rows = pd.concat([run.values[run.values["measure"] != "agreement"], run.whole], ignore_index=True)
    rows["draw"] = rows["repetition"].astype(str).where(~rows["is_whole"], "all")
    rows["record"] = rows["cell"].map({cell: record_of(run, cell) for cell in rows["cell"].unique()})
    keys = ["data", "method", "setting", "draw", "labels", "status", "reason", "record"]
    rows = rows.fillna({"reason": ""}).drop_duplicates([*keys, "measure"])
    measures = [m for m in (*LABELLED, *UNLABELLED, "n_clusters", *COSTS) if m in set(rows["measure"])]
    return rows.pivot(index=keys, columns="measure", values="value")[measures].reset_index()


def over_all(found: Verdicts) -> list[dict[str, Any]]:
    """List the verdicts on rivals over all data sets, the best first."""
    return [
        {"Rival": row.rival, **found.tally(row.rival), "Difference": row.difference, "p": row.p}
        | {"Least possible p": row.least_p, "Verdict over all": row.verdict}
        for row in found.in_order(found.on_all)
    ]


def mean_ranks(ranks: Ranks) -> list[dict[Hashable, Any]]:
    """List the mean ranks, best first, under the heads of the page."""
    table = pd.DataFrame({"Mean rank": ranks.failures_last.means})
    if ranks.differ:
        table[f"On the {ranks.complete.n} data sets without failures"] = ranks.complete.means
    table = table.sort_values("Mean rank", kind="stable")
    return table.rename_axis("Method").reset_index().to_dict("records")


def latex(run: Run, counted: pd.DataFrame) -> str:
    """Write the first table for LaTeX, which needs the package booktabs."""
    measure = "ari" if "ari" in set(counted["measure"]) else UNLABELLED[0]
    heat = heat_table(run, counted, (measure,)) or {"data": [], "rows": []}
    rows = [[row["method"], *map(_latex_cell, row["cells"])] for row in heat["rows"]]
    table = pd.DataFrame(rows, columns=["method", *heat["data"]])
    text = table.to_latex(index=False, escape=True, column_format="l" + "r" * len(heat["data"]))
    return text.replace("−", "$-$").replace("–", "--")


def _latex_cell(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    return two_decimals(cell["mean"]) if "mean" in cell else words(cell["status"])


def facts(run: Run) -> Mapping[str, Any]:
    """Gather what was run: counts, time, limits, versions."""
    cells = run.cells.drop_duplicates("cell_id")
    other = run.whole[(run.whole["measure"] == "refit_agrees") & (run.whole["value"] == 0)]
    versions = {name: v for text in cells["versions"].unique() for name, v in json.loads(text).items()}
    return {
        "runs": len(cells),
        "ok": int((cells["status"] == "ok").sum()),
        "limits": Limits(**run.document["scope"]["limits"]),
        "cpu": float(cells["cpu_seconds"].sum()),
        "versions": {name: version for name, version in sorted(versions.items()) if version != "absent"},
        "methods": {name: method.estimator for name, method in run.plan.methods.items()},
        "unsteady": sorted(set(other["method"])),
    }
