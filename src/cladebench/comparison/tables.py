"""Fill the tables of a page: scores, failures, settings, facts."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.plan.cell_spec import Limits
from cladebench.bench.statistics.heat_table import heat_table
from cladebench.bench.statistics.run_scores import RUN
from cladebench.bench.store.causes import causes
from cladebench.bench.store.store import Store
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import WHOLE
from cladebench.comparison.records import Run
from cladebench.comparison.shown_measures import COSTS, LABELLED, UNLABELLED

#: Measures of runs on all rows that are shown.
ON_ALL_ROWS = ["ari", "dendrogram_purity", "silhouette", "n_clusters", "fit_seconds"]


def failures(run: Run) -> list[dict[str, Any]]:
    """List each cause of failure once, with the record of its first run."""
    found = causes(run.cells.assign(dataset=run.cells["dataset"].str.removesuffix(WHOLE)))
    return [cause | {"record": record_of(run, cause["cell"])} for cause in found]


def heat(run: Run, counted: pd.DataFrame, measures: Sequence[str]) -> dict[str, Any]:
    """Tabulate methods by data sets; measures without labels by runs that had none."""
    names = run.names("data"), run.names("method")
    return heat_table(counted, measures, run.plan.measures, *names, unlabelled=UNLABELLED)


def settings_table(run: Run) -> list[dict[Hashable, Any]]:
    """List the silhouette of each setting where one was chosen."""
    rule = run.values[run.values["measure"] == UNLABELLED[0]]
    means = rule.groupby([*RUN], sort=False)["value"].mean().reset_index()
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
