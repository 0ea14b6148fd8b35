"""Write the page of a comparison, with tables and pictures beside it.

The page is one HTML file that holds all.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cladebench import datasets, pictures
from cladebench.bench.plan.cell_spec import Limits
from cladebench.bench.statistics.comparison_sentences import mean_ranks, over_all, sentences
from cladebench.bench.statistics.heat_table import best_labellings, heat_table, latex, words
from cladebench.bench.statistics.method_differences import MANY
from cladebench.bench.statistics.method_verdicts import Verdicts
from cladebench.bench.statistics.run_scores import COLUMNS, RUN, STATUS
from cladebench.bench.store.causes import causes, some_of
from cladebench.bench.store.store import Store
from cladebench.comparison import CONTROLS
from cladebench.comparison.as_plan import WHOLE
from cladebench.comparison.records import Run, collect, scores, verdicts
from cladebench.comparison.shown_measures import COSTS, LABELLED, UNLABELLED
from cladebench.datasets.own.own_data import OwnDataset, labellings_of
from cladebench.files import write_atomically
from cladebench.html_templates import html_environment
from cladebench.notation import significant, two_decimals
from cladebench.paper.protocol import stored_tree
from cladebench.plotting import save_figure
from cladebench.published.tables import agreements, by_method, by_variant, imported_scores, published_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Beyond so many data sets each has one row and one folded part. Pictures of data stand in files beside the page, and
#: no tree is drawn. Only ``runs.csv`` then has the runs on all rows and the places of records.
MANY_PICTURES = 12
#: Features of a data set that are named.
MOST_NAMES = 12
#: Measures of runs on all rows that are shown.
ON_ALL_ROWS = ["ari", "dendrogram_purity", "silhouette", "n_clusters", "fit_seconds"]


def write_page(folder: Path) -> Path:
    """Write page, tables and pictures from the records of a run.

    Returns
    -------
    Path
        ``index.html``.
    """
    run = collect(folder)
    table = scores(run)
    result = verdicts(run)
    counted = best_labellings(run.counted(table), ("ari", UNLABELLED[0]))
    imported = run.document.get("imported") or {}
    published, theirs = _published(run), imported_scores(imported, run.values, run.plan.measures)
    shown = _joined(counted, theirs)
    _csv(folder / "scores.csv", _joined(table, *published.get("scores", ()), theirs))
    _csv(folder / "differences.csv", result.differences)
    _csv(folder / "runs.csv", _runs_table(run))
    first = "ari" if "ari" in set(shown["measure"]) else UNLABELLED[0]
    write_atomically(folder / "scores.tex", latex(_heat(run, shown, [first])).encode())
    cells = run.cells.assign(dataset=run.cells["dataset"].str.removesuffix(WHOLE))
    environment = html_environment("cladebench.comparison")
    environment.filters.update(digits=two_decimals, significant=significant, words=words)
    page = environment.get_template("page.html").render(
        title=run.plan.title,
        run=run,
        found=result,
        sentences=sentences(result),
        tables=[_heat(run, shown, measures) for measures in (("ari", "ami"), LABELLED[2:], UNLABELLED)],
        pictures=_pictures(run, counted, result),
        data=[_about(run, name, counted, result) for name in run.names("data")],
        published=published,
        imported=imported,
        imported_status=STATUS,
        over_all=over_all(result),
        mean_ranks=mean_ranks(result.ranks) if result.reference else [],
        failures=_failures(run, cells),
        gone=_gone(run, cells),
        other_numbers=_other_numbers(run),
        settings=_settings_table(run),
        settings_had=_settings_had(run),
        facts=_facts(run),
        measures=run.plan.measures,
        controls=CONTROLS,
        many=_is_many(run),
    )
    write_atomically(folder / "index.html", page.encode())
    return folder / "index.html"


def _failures(run: Run, cells: pd.DataFrame) -> list[dict[str, Any]]:
    """List each cause of failure, with the record of its first run."""
    return [
        cause | {"record": _record_of(run, cause["cell"]), "reason": shorten(cause["reason"], 300)}
        for cause in causes(cells)
    ]


def _gone(run: Run, cells: pd.DataFrame) -> dict[str, Any]:
    """Say how the user's method ended if it never gave a score."""
    own = cells[cells["method"] == run.document["mine"]]
    return {} if own.empty or (own["status"] == "ok").any() else _failures(run, own)[0]


def _published(run: Run) -> dict[str, Any]:
    """Write ``published.csv``: our runs against published labels, where there are some."""
    if not run.document.get("published"):
        return {}
    archive, defaults = run.document["published"], run.document["parameters"]
    scored = published_scores({name: run.plan.data_of(name) for name in run.names("data")}, archive)
    methods = {name: (method.estimator, defaults[name]) for name, method in run.plan.methods.items()}
    rows = agreements(run.whole, scored, methods)
    _csv(run.folder / "published.csv", rows)
    return {
        "name": Path(archive["file"]).name,
        "sha256": archive["sha256"],
        "scores": [scored[list(COLUMNS)]],
        "methods": by_method(rows),
        "differing": rows[rows["reason"] != ""]
        .assign(within=rows["within"].map("{:.3f}".format))
        .to_dict("records"),
        "variants": by_variant(scored).reset_index().to_dict("records"),
    }


def _joined(*tables: pd.DataFrame) -> pd.DataFrame:
    """Join tables, without empty ones: these have no numbers."""
    return pd.concat([table for table in tables if len(table)] or [tables[0]], ignore_index=True)


def _csv(path: Path, table: pd.DataFrame) -> None:
    write_atomically(path, table.to_csv(index=False, float_format="%.9g", lineterminator="\n").encode())


def _heat(run: Run, counted: pd.DataFrame, measures: Sequence[str]) -> dict[str, Any]:
    names = run.names("data"), run.names("method")
    return heat_table(counted, measures, run.plan.measures, *names, unlabelled=UNLABELLED)


def _settings_table(run: Run) -> list[dict[Hashable, Any]]:
    """List the silhouette of each setting where one was chosen."""
    rule = run.values[run.values["measure"] == UNLABELLED[0]]
    means = rule.groupby([*RUN], sort=False)["value"].mean().reset_index()
    means["counts"] = np.where(means.index.isin(run.counted(means).index), "yes", "")
    means = means[means.groupby(["data", "labels", "method"])["setting"].transform("nunique") > 1]
    several = (means["labels"] != "") & (means["labels"] != "labels")
    means["data"] = means["data"].where(~several, means["data"] + " (" + means["labels"] + ")")
    return means.assign(setting=means["setting"].map(_setting_text)).to_dict("records")


def _settings_had(run: Run) -> list[dict[str, Any]]:
    """Count the settings of each method, most first, random ones left out.

    A range where data differ.
    """
    values = run.values
    tried = values[~values["method"].isin(CONTROLS) & (values["status"] != "not_applicable")]
    counts = tried.groupby(["method", "data"])["setting"].nunique().groupby("method").agg(["max", "min"])
    lines = [
        {"n": str(most) if least == most else f"{least} to {most}", "methods": ", ".join(rows.index)}
        for (most, least), rows in counts.groupby(["max", "min"], sort=True)
    ]
    return lines[::-1]


def _other_numbers(run: Run) -> list[dict[str, Any]]:
    """List methods that gave other numbers of clusters than asked."""
    rows = run.counted(run.values[(run.values["measure"] == "n_clusters") & run.values["value"].notna()])
    by_method: dict[str, list[str]] = {}
    for (method, data, _), runs in rows.groupby(["method", "data", "labels"], sort=False):
        least, most, k = int(runs["value"].min()), int(runs["value"].max()), runs["k"].iloc[0]
        if (runs["value"] != runs["k"]).any():
            numbers = f"{least} to {most}" if least < most else str(least)
            by_method.setdefault(str(method), []).append(f"{data} ({numbers} for {k})")
    return [{"Method": name, "Data": some_of(dict.fromkeys(told), 6)} for name, told in by_method.items()]


def _setting_text(text: str) -> str:
    """Write a setting for readers: ``zscore, linkage average``."""
    setting = dict(json.loads(text))
    features = setting.pop("features", "")
    return ", ".join([features, *(f"{key} {value}" for key, value in setting.items())]).strip(", ")


def _record_of(run: Run, cell: str) -> str:
    """Name the file of a run's record, seen from the page."""
    return Store(run.folder).path(cell).relative_to(run.folder).as_posix()


def _on_all_rows(run: Run, name: str) -> list[dict[Hashable, Any]]:
    """List the scores of the runs on all rows, with their records."""
    rows = run.counted(run.whole[(run.whole["data"] == name) & (run.whole["status"] == "ok")])
    wide = rows.pivot_table(index=["method", "labels", "cell"], columns="measure", values="value", sort=False)
    wide = wide.reindex(columns=ON_ALL_ROWS).reset_index()
    records = [_record_of(run, cell) for cell in wide["cell"]]
    return wide.astype({"n_clusters": "Int64"}).assign(record=records).to_dict("records")


def _runs_table(run: Run) -> pd.DataFrame:
    """Tabulate ``runs.csv``: each run and labelling, with its scores and its record."""
    rows = pd.concat([run.values[run.values["measure"] != "agreement"], run.whole], ignore_index=True)
    rows["draw"] = rows["repetition"].astype(str).where(~rows["is_whole"], "all")
    rows["record"] = rows["cell"].map({cell: _record_of(run, cell) for cell in rows["cell"].unique()})
    keys = ["data", "method", "setting", "draw", "labels", "status", "reason", "record"]
    rows = rows.fillna({"reason": ""}).drop_duplicates([*keys, "measure"])
    measures = [m for m in (*LABELLED, *UNLABELLED, "n_clusters", *COSTS) if m in set(rows["measure"])]
    return rows.pivot(index=keys, columns="measure", values="value")[measures].reset_index()


def _facts(run: Run) -> Mapping[str, Any]:
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


def _pictures(run: Run, counted: pd.DataFrame, result: Verdicts) -> dict[str, Any]:
    """Draw differences and costs; each as an address that holds the picture."""
    drawn: dict[str, Any] = {}
    if len(result.deciding):
        heading = run.plan.measures[result.measure].title
        figure = pictures.differences(result.deciding, result.reference, run.document["rope"], heading)
        drawn["differences"] = _embedded(run, figure, "differences")
        ranked = result.ranks.failures_last
        if run.document.get("critical_difference") and ranked.n >= MANY:
            figure = pictures.critical_difference(ranked.means, ranked.critical_difference)
            drawn["critical_difference"] = _embedded(run, figure, "critical-difference")
    wide = counted.pivot_table(index="method", columns="measure", values="mean", sort=False)
    measure = result.measure or UNLABELLED[0]
    costs = wide.reindex(columns=[measure, *COSTS]).dropna()
    if len(costs):
        costs.columns = pd.Index(["score", "seconds", "memory"])
        heading = f"mean {run.plan.measures[measure].title or measure}"
        figure = pictures.costs(costs, heading, result.reference, CONTROLS)
        drawn["costs"] = _embedded(run, figure, "costs")
    return drawn


def _embedded(run: Run, figure: Figure, name: str) -> str:
    """Save a figure as SVG and PNG; return its address.

    Where there are few data sets the address holds the whole picture.
    """
    beside = _is_many(run) and name.startswith("data-")
    *_, path = save_figure(figure, run.folder / "figures" / name, ("png",) if beside else ("svg", "png"))
    picture = pictures.few_colours(path.read_bytes())
    write_atomically(path, picture)
    return f"figures/{name}.png" if beside else f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def _is_many(run: Run) -> bool:
    return len(run.names("data")) > MANY_PICTURES


def _about(run: Run, name: str, counted: pd.DataFrame, result: Verdicts) -> dict[str, Any]:
    """Say what a data set is, and draw it."""
    try:
        data = datasets.load(run.plan.data_of(name))
    except datasets.DatasetError as error:
        return {"name": name, "away": str(error)}
    labellings = labellings_of(data)
    distances = "distances" in data.views
    values = data.views["distances"].values if distances else data.X
    about: dict[str, Any] = {
        "name": name,
        "away": "",
        "rows": values.shape[0],
        "features": None if distances else values.shape[1],
        "names": "" if distances else _names(data),
        "clusters": {label: k for label, (_, k) in labellings.items()},
        "noise": {
            label: int((labels < 0).sum()) for label, (labels, _) in labellings.items() if labels is not None
        },
        "done": getattr(data, "done", ()),
    }
    best, label = _best(counted, name, result)
    label = label if label in labellings else next(iter(labellings))
    classes, k = labellings[label]
    points, rows = pictures.projection(values, distances)
    panels = {} if classes is None else {f"classes ({label})": classes[rows]}
    store, tree = Store(run.folder), None
    for method in best:
        cell = _whole_run(run, name, label, method)
        if cell:
            arrays = store.load_arrays(cell)
            panels[method] = arrays[f"clusters_{k}"][rows]
            if tree is None and "parents" in arrays and not _is_many(run):
                tree = method, stored_tree(arrays)
    about["picture"] = _embedded(run, pictures.groups(points, panels), f"data-{name}") if panels else ""
    about["tree"] = ""
    if tree is not None:
        names = getattr(data, "class_names", {label: data.label_names}).get(label)
        named = np.array([*names, "no label"])[classes] if names else classes  # -1 is the last
        figure = pictures.dendrogram(tree[1], named, f"Tree of {tree[0]} on {name}")
        about["tree"], about["tree_of"] = _embedded(run, figure, f"tree-{name}"), tree[0]
    about["whole"] = [] if _is_many(run) else _on_all_rows(run, name)
    return about


def _names(data: datasets.Dataset) -> str:
    """Name the features of a user's file, unless they are numbered."""
    names = (data.feature_names or ()) if isinstance(data, OwnDataset) else ()
    numbered = all(name == str(number) for number, name in enumerate(names, 1))
    return "" if numbered else some_of(names, MOST_NAMES)


def _best(counted: pd.DataFrame, name: str, result: Verdicts) -> tuple[list[str], str]:
    """Name the reference, if it ran, and the best of the others.

    The labelling is the first that counts.
    """
    rows = counted[(counted["data"] == name) & counted["mean"].notna() & ~counted["method"].isin(CONTROLS)]
    measure = "ari" if "ari" in set(rows["measure"]) else UNLABELLED[0]
    rows = rows[rows["measure"] == measure].sort_values("mean", ascending=False, kind="stable")
    labels = dict(zip(rows["method"], rows["labels"], strict=True))
    first = [result.reference] if result.reference in labels else [*labels][:1]
    return [*first, *[method for method in labels if method not in first][:1]], labels[
        first[0]
    ] if first else ""


def _whole_run(run: Run, name: str, label: str, method: str) -> str:
    """Find a method's run on all rows; an empty name if failed.

    It is the run in the setting that counts.
    """
    wanted = {"data": name, "labels": label, "method": method, "status": "ok"}
    rows = run.counted(run.whole[(run.whole[[*wanted]] == pd.Series(wanted)).all(axis=1)])
    return str(rows["cell"].iloc[0]) if len(rows) else ""
