"""The page of a comparison and its files: one HTML that holds all, tables and pictures beside it."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cladebench import datasets
from cladebench.bench.store import Store
from cladebench.comparison import pictures
from cladebench.comparison.as_plan import WHOLE
from cladebench.comparison.methods import CONTROLS
from cladebench.comparison.protocol import asked
from cladebench.comparison.scores import LABELLED, UNLABELLED, Run, collect, scores
from cladebench.comparison.verdicts import Verdicts, verdicts
from cladebench.files import write_atomically
from cladebench.notation import significant
from cladebench.papers.protocol import stored_tree
from cladebench.plotting import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Beyond so many data sets their pictures stand in files beside the page.
MANY_PICTURES = 12
STATUSES = {
    "not_applicable": "not applicable",
    "out_of_memory": "out of memory",
    "timeout": "timeout",
    "unavailable": "unavailable",
    "error": "error",
    "missing": "missing",
}


def write_page(folder: Path) -> Path:
    """Gather the records of a run, and write its page, tables and pictures.

    Returns
    -------
    Path
        ``index.html``.
    """
    run = collect(folder)
    table = scores(run)
    found = verdicts(run)
    counted = _counted(run, table)
    columns = [
        "data",
        "method",
        "rival",
        "measure",
        "difference",
        "low",
        "high",
        "p",
        "p_adjusted",
        "verdict",
    ]
    _csv(folder / "scores.csv", table)
    _csv(folder / "differences.csv", found.differences[columns])
    write_atomically(folder / "scores.tex", _latex(run, counted).encode())
    page = (
        _environment()
        .get_template("page.html")
        .render(
            title=run.plan.title,
            run=run,
            found=found,
            tables=[_heat(run, counted, measures) for measures in (("ari", "ami"), LABELLED[2:], UNLABELLED)],
            pictures=_pictures(run, counted, found),
            data=[_about(run, name, counted, found) for name in run.names("data")],
            failures=_failures(run),
            settings=_settings(run),
            facts=_facts(run),
            measures=run.plan.measures,
            controls=CONTROLS,
            nan=math.nan,
        )
    )
    write_atomically(folder / "index.html", page.encode())
    return folder / "index.html"


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("cladebench.comparison"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    look = resources.files("cladebench.report") / "templates"  # one home for colours
    environment.globals.update(
        asset=lambda name: Markup((look / name).read_text(encoding="utf-8")), statuses=STATUSES
    )
    environment.filters.update(digits=digits, seconds=lambda value: f"{significant(value, 2)} s")
    return environment


def digits(value: float) -> str:
    """Write a score with two decimals, large ones with three digits; a dash where there is none."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.2f}".replace("-", "−") if abs(value) < 100 else significant(value, 3)


def _csv(path: Path, table: pd.DataFrame) -> None:
    write_atomically(path, table.to_csv(index=False, float_format="%.9g", lineterminator="\n").encode())


def _counted(run: Run, table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scores that count: of the chosen setting, and of several labellings the one with the best score."""
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


def _heat(run: Run, counted: pd.DataFrame, measures: tuple[str, ...]) -> dict[str, Any]:
    """Give a table of methods by data sets: the first measure in cells, the others behind their means."""
    shown = [m for m in measures if m in set(counted["measure"])]
    if not shown:
        return {}
    first = counted[counted["measure"] == shown[0]]
    alone = counted["labels"] == ""
    if shown[0] in UNLABELLED:
        first, counted = first[first["labels"] == ""], counted[alone]
    names = [name for name in run.names("data") if name in set(first.loc[first["mean"].notna(), "data"])]
    known = run.plan.measures.get(shown[0])
    higher = known is None or known.direction != "lower"
    rows: list[dict[str, Any]] = []
    for method in run.names("method"):
        own = counted[(counted["method"] == method) & counted["data"].isin(names)]
        cells = [_cell(own[own["data"] == name], shown[0]) for name in names]
        if not any(cells):
            continue
        means = {m: float(own.loc[own["measure"] == m, "mean"].mean()) for m in shown}
        rows.append(
            {"method": method, "cells": cells, "means": means, "n": sum("mean" in (c or {}) for c in cells)}
        )
    rows.sort(
        key=lambda row: (-row["n"], np.nan_to_num(row["means"][shown[0]] * (-1 if higher else 1), nan=9e9))
    )
    return {"measures": shown, "data": names, "rows": rows, "higher": higher}


def _cell(rows: pd.DataFrame, measure: str) -> dict[str, Any] | None:
    """Give what stands in a cell: the mean with interval and chance, or how the runs ended; None where nothing is."""
    scored = rows[(rows["measure"] == measure) & rows["mean"].notna()]
    if len(scored):
        row = scored.iloc[0]
        return {
            name: row[name] for name in ("mean", "low", "high", "chance", "n", "status", "reason", "setting")
        }
    failed = rows[rows["status"] != "ok"]
    return {name: failed.iloc[0][name] for name in ("status", "reason")} if len(failed) else None


def _failures(run: Run) -> list[dict[str, Any]]:
    """List how runs ended that gave nothing, each cause once for a method, with its data sets."""
    cells = run.cells[run.cells["status"] != "ok"].drop_duplicates("cell_id")
    cells = cells.assign(data=cells["dataset"].str.removesuffix(WHOLE))
    groups = cells.groupby(["method", "status"], sort=False)
    return [
        {
            "method": method,
            "status": status,
            "reason": rows["reason"].iloc[0],
            "data": list(dict.fromkeys(rows["data"])),
            "n": len(rows),
            "cell": rows["cell_id"].iloc[0],
        }
        for (method, status), rows in groups
    ]


def _settings(run: Run) -> list[dict[str, Any]]:
    """List what the choice of settings read, where there was one: the silhouette of each."""
    rule = run.values[run.values["measure"] == UNLABELLED[0]]
    means = rule.groupby(["data", "labels", "method", "setting"], sort=False)["value"].mean().reset_index()
    several = means.groupby(["data", "labels", "method"])["setting"].transform("nunique") > 1
    return [
        {
            "data": row.data,
            "labels": row.labels,
            "method": row.method,
            "setting": setting_text(str(row.setting)),
            "value": row.value,
            "counts": run.chosen[str(row.data), str(row.labels), str(row.method)] == row.setting,
        }
        for row in means[several].itertuples()
    ]


def setting_text(text: str) -> str:
    """Write a setting for readers: ``zscore, linkage average``."""
    setting = dict(json.loads(text))
    features = setting.pop("features", "")
    return ", ".join([features, *(f"{key} {value}" for key, value in setting.items())]).strip(", ")


# ------------------------------------------------------------------ pictures


def _pictures(run: Run, counted: pd.DataFrame, found: Verdicts) -> dict[str, Any]:
    """Draw differences and costs; each as an address that holds the picture."""
    drawn: dict[str, Any] = {}
    if len(found.deciding):
        heading = run.plan.measures[found.measure].title
        figure = pictures.differences(found.deciding, found.reference, run.document["rope"], heading)
        drawn["differences"] = _embedded(run, figure, "differences")
    wide = counted.pivot_table(index="method", columns="measure", values="mean", sort=False)
    measure = found.measure or UNLABELLED[0]
    if measure in wide:
        costs = wide[[measure, "fit_seconds", "memory_mb"]].dropna()
        costs.columns = pd.Index(["score", "seconds", "memory"])
        figure = pictures.costs(costs, f"mean {run.plan.measures[measure].title or measure}", found.reference)
        drawn["costs"] = _embedded(run, figure, "costs")
    return drawn


def _embedded(run: Run, figure: Figure, name: str) -> str:
    """Save a figure as SVG and PNG, and give it as an address that holds it."""
    paths = save_figure(figure, run.folder / "figures" / name, ("svg", "png"))
    if len(run.names("data")) > MANY_PICTURES and name.startswith(("data-", "tree-")):
        return f"figures/{name}.svg"
    return "data:image/svg+xml;base64," + base64.b64encode(paths[0].read_bytes()).decode()


def _about(run: Run, name: str, counted: pd.DataFrame, found: Verdicts) -> dict[str, Any]:
    """Say what a data set is, and draw it."""
    try:
        data = datasets.load(run.plan.data_of(name))
    except datasets.DatasetError as error:
        return {"name": name, "away": str(error)}
    labellings = asked(data)
    distances = "distances" in data.views
    values = data.views["distances"].values if distances else data.X
    about: dict[str, Any] = {
        "name": name,
        "away": "",
        "rows": values.shape[0],
        "features": None if distances else values.shape[1],
        "clusters": {label: k for label, (_, k) in labellings.items()},
        "labelled": any(labels is not None for labels, _ in labellings.values()),
        "noise": {
            label: int((labels < 0).sum()) for label, (labels, _) in labellings.items() if labels is not None
        },
        "done": getattr(data, "done", ()),
        "sha256": data.content_sha256,
    }
    best = _best(counted, name, found)
    points, rows = pictures.projection(values, distances)
    panels: dict[str, np.ndarray] = {}
    for label, (labels, _) in list(labellings.items())[:1]:
        if labels is not None:
            panels[f"classes ({label})"] = labels[rows]
    store, tree = Store(run.folder), None
    for method in best:
        cell, k = _whole_run(run, name, method)
        if cell:
            arrays = store.load_arrays(cell)
            panels[method] = arrays[f"clusters_{k}"][rows]
            if tree is None and "parents" in arrays:
                tree = method, stored_tree(arrays)
    about["picture"] = _embedded(run, pictures.groups(points, panels), f"data-{name}") if panels else ""
    about["tree"] = ""
    if tree is not None:
        first = next(iter(labellings.values()))[0]
        figure = pictures.dendrogram(tree[1], first, f"Tree of {tree[0]} on {name}")
        about["tree"], about["tree_of"] = _embedded(run, figure, f"tree-{name}"), tree[0]
    about["whole"] = _on_all_rows(run, name)
    return about


def _best(counted: pd.DataFrame, name: str, found: Verdicts) -> list[str]:
    """Name the reference, if it ran, and the best of the others."""
    own = counted[(counted["data"] == name) & counted["mean"].notna() & ~counted["method"].isin(CONTROLS)]
    measure = "ari" if "ari" in set(own["measure"]) else UNLABELLED[0]
    order = list(own[own["measure"] == measure].sort_values("mean", ascending=False, kind="stable")["method"])
    first = [found.reference] if found.reference in order else order[:1]
    return [*first, *[method for method in order if method not in first][:1]]


def _whole_run(run: Run, name: str, method: str) -> tuple[str, int]:
    """Find the run of a method on all rows, in the setting that counts; an empty name where it failed."""
    rows = run.counted(run.whole)
    rows = rows[(rows["data"] == name) & (rows["method"] == method) & (rows["status"] == "ok")]
    return (str(rows["cell"].iloc[0]), int(rows["k"].iloc[0])) if len(rows) else ("", 0)


def _on_all_rows(run: Run, name: str) -> list[dict[str, Any]]:
    """List the scores of the runs on all rows, and whether a second fit agreed."""
    rows = run.counted(run.whole)
    rows = rows[(rows["data"] == name) & (rows["status"] == "ok")]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for method, labels, measure, value in zip(
        rows["method"], rows["labels"], rows["measure"], rows["value"], strict=True
    ):
        entry = found.setdefault((method, labels), {"method": method, "labels": labels})
        entry[measure] = value
    return [*found.values()]


def _latex(run: Run, counted: pd.DataFrame) -> str:
    """Write the first table for LaTeX, which needs the package booktabs."""
    measure = "ari" if "ari" in set(counted["measure"]) else UNLABELLED[0]
    heat = _heat(run, counted, (measure,))

    def cell(text: str) -> str:
        return text.replace("_", r"\_").replace("−", "$-$").replace("–", "--")

    lines = [rf"\begin{{tabular}}{{l{'r' * len(heat.get('data', ()))}}}", r"\toprule"]
    lines.append(" & ".join(["method", *map(cell, heat.get("data", ()))]) + r" \\")
    lines.append(r"\midrule")
    for row in heat.get("rows", ()):
        texts = [
            digits(found["mean"])
            if found and "mean" in found
            else STATUSES.get((found or {}).get("status", ""), "--")
            for found in row["cells"]
        ]
        lines.append(" & ".join(map(cell, [row["method"], *texts])) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _facts(run: Run) -> Mapping[str, Any]:
    """Gather what was run: counts, time, limits, versions."""
    cells = run.cells.drop_duplicates("cell_id")
    other = run.whole[(run.whole["measure"] == "refit_agrees") & (run.whole["value"] == 0)]
    versions = json.loads(cells["versions"].iloc[0])
    return {
        "runs": len(cells),
        "ok": int((cells["status"] == "ok").sum()),
        "cpu": float(cells["cpu_seconds"].sum()),
        "repetitions": run.document["scope"]["repetitions"],
        "limits": run.document["scope"]["limits"],
        "seed": run.document["seed"],
        "features": run.document["features"],
        "rope": run.document["rope"],
        "versions": {name: version for name, version in versions.items() if version != "absent"},
        "methods": {name: method.estimator for name, method in run.plan.methods.items()},
        "unsteady": sorted(set(other["method"])),
    }
