"""Tables that every paper has: published numbers beside measured ones, and the cells behind each entry."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from cladebench.papers.base import ArtifactContext, Table

#: How a rule of selection is named in a heading.
RULES = {"oracle": "oracle", "label_free": "label-free"}


def mean_and_spread(values: np.ndarray) -> tuple[float, float, int]:
    """Mean, standard deviation over repetitions (n - 1; nan for one), and n."""
    values = np.asarray(values, dtype=float)
    if values.size == 0:
        return float("nan"), float("nan"), 0
    spread = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    return float(values.mean()), spread, int(values.size)


def with_spread(values: np.ndarray, number: Callable[[float], str]) -> str:
    """Format as ``mean ± sd (n)``."""
    mean, spread, n = mean_and_spread(values)
    middle = f" ± {number(spread)}" if n > 1 else ""
    return f"{number(mean)}{middle} ({n})"


def chosen_rows(context: ArtifactContext, dataset: str, method: str, metric: str, rule: str) -> pd.DataFrame:
    """Measurements of one metric for the setting that ``rule`` selects for this method on this data set.

    A method with a single setting has the same rows under every rule.
    """
    rows, choices = context.measured(dataset, method, metric), context.choices
    if rows.setting_id.nunique() <= 1:
        return rows
    chosen = choices[(choices.dataset == dataset) & (choices.method == method) & (choices.rule == rule)]
    return rows[rows.setting_id.isin(chosen.setting_id)]


def why_empty(context: ArtifactContext, dataset: str, method: str) -> str:
    """Say why a method has no number on a data set: its cells' status, or that none was planned."""
    rows = context.rows(dataset, method)
    if rows.empty:
        return "not planned"
    return (
        ", ".join(sorted(str(status).replace("_", " ") for status in rows.status.unique() if status != "ok"))
        or "—"
    )


def comparison_table(
    context: ArtifactContext,
    *,
    artifact: str,
    metric: str,
    datasets: Sequence[str],
    number: Callable[[float], str],
    notes: Sequence[str] = (),
) -> Table:
    """Published and measured values of one metric: a row for each method, a group of columns for each data set.

    Methods with a grid of settings get two measured entries: the setting chosen by the score that needs labels
    (as the papers do) and the one chosen without labels.
    """
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    claims: dict[tuple[int, str], str] = {}
    published = context.published
    published = published[(published.artifact == artifact) & (published.metric == metric)]
    printed = {(claim.dataset, claim.method): claim for claim in published.itertuples()}
    for method, plan in context.methods.items():
        if plan["role"] == "study":
            continue
        row = {"method": str(plan["label"]), "role": str(plan["role"])}
        for dataset in datasets:
            column = f"{dataset}: published"
            row[column] = "–"
            if (dataset, method) in printed:
                claim = printed[dataset, method]
                row[column], claims[len(rows), column] = str(claim.printed), str(claim.claim)
            gridded = context.rows(dataset, method).setting_id.nunique() > 1
            for rule, heading in RULES.items():
                column = f"{dataset}: {heading}"
                shown = chosen_rows(context, dataset, method, metric, rule)
                if shown.empty:
                    row[column] = why_empty(context, dataset, method)
                elif rule == "oracle" and not gridded:
                    row[column] = "no choice"
                else:
                    row[column] = with_spread(shown.value.to_numpy(), number)
                    sources[len(rows), column] = tuple(shown.cell_id)
        rows.append(row)
    columns = ["method", "role"] + [
        f"{dataset}: {heading}" for dataset in datasets for heading in ("published", "label-free", "oracle")
    ]
    reading = (
        "published: as the paper prints it; label-free, oracle: what was measured here, mean ± standard deviation over"
        " repetitions (their number in brackets), by the rule that chose the setting. no choice: the method has one"
        " setting, whose number stands under label-free. Role extra: not in the paper.",
    )
    stand_ins = [
        f"{name}: {entry['title']} stands in for {entry['stand_in_for']}; an analogue, not the paper's data."
        for name, entry in context.datasets.items()
        if name in datasets and entry.get("stand_in_for")
    ]
    return Table(pd.DataFrame(rows, columns=columns), sources, claims, (*reading, *notes, *stand_ins))


def settings_table(context: ArtifactContext, metrics: Mapping[str, Callable[[float], str]]) -> Table:
    """Which setting of its grid each rule chose for a method, with the mean of each of `metrics` (name -> format)."""
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    settings = context.records.drop_duplicates("setting_id").set_index("setting_id").setting
    n_settings = context.records.groupby("method").setting_id.nunique()
    for choice in context.choices.to_dict("records"):
        dataset, method, rule = str(choice["dataset"]), str(choice["method"]), str(choice["rule"])
        if n_settings[method] <= 1:
            continue
        setting = json.loads(str(settings.loc[choice["setting_id"]]))
        row = {"dataset": dataset, "method": method, "rule": RULES.get(rule, rule)}
        row["setting"] = ", ".join(f"{name}: {value}" for name, value in setting.items())
        for metric, number in metrics.items():
            shown = chosen_rows(context, dataset, method, metric, rule)
            row[metric] = number(float(shown.value.mean())) if len(shown) else "–"
            sources[len(rows), metric] = tuple(shown.cell_id)
        rows.append(row)
    return Table(pd.DataFrame(rows, columns=["dataset", "method", "rule", "setting", *metrics]), sources)


def status_table(context: ArtifactContext) -> Table:
    """How many cells each method has on each data set, by status, with CPU time and memory."""
    cells = context.records.drop_duplicates("cell_id")
    frame = (
        cells.groupby(["dataset", "method"], sort=False)
        .agg(
            cells=("cell_id", "size"),
            ok=("status", lambda s: int((s == "ok").sum())),
            other=(
                "status",
                lambda s: ", ".join(sorted(x.replace("_", " ") for x in set(s) - {"ok"})) or "–",
            ),
            cpu_seconds=("cpu_seconds", "sum"),
            median_cpu_seconds=("cpu_seconds", "median"),
            peak_memory_mb=("peak_memory_mb", "max"),
        )
        .reset_index()
    )
    for column in ("cpu_seconds", "median_cpu_seconds", "peak_memory_mb"):
        frame[column] = frame[column].map(lambda v: f"{v:.3g}" if np.isfinite(v) else "–")
    groups = cells.groupby(["dataset", "method"], sort=False).cell_id.apply(tuple)
    sources = {(i, "cells"): groups.iloc[i] for i in range(len(frame))}
    return Table(
        frame, sources, notes=("CPU seconds are of the cells alone, without starting the interpreter.",)
    )
