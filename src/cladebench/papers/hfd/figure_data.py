"""Gather the intervals and notes of the figures of the HFD paper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from cladebench.bench.samples.samples import pair
from cladebench.bench.statistics.intervals import Interval, mean_interval
from cladebench.paper.artifact_types import ArtifactContext
from cladebench.paper.figures import chosen_with, limits_of, named, with_notes
from cladebench.paper.tables import why_empty
from cladebench.papers.hfd.method_styles import STYLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: The methods that figures show, each under its own style.
OWN: Mapping[str, str] = {name: name for name in STYLES}
#: Settings by which a scope cuts a method short, and their words.
LIMITS = {"max_samples": "rows at most", "max_iter": "iterations at most", "n_trees": "trees"}


def interval_of(
    context: ArtifactContext, dataset: str, method: str, metric: str, at: Mapping[str, Any] | None
) -> Interval | None:
    """Compute mean and 95% interval as verdicts, None without values."""
    query: dict[str, Any] = {"dataset": dataset, "method": method, "metric": metric}
    if at is not None:
        query["at"] = dict(at)
    if context.results.rows(dataset, method).empty:
        return None
    sample = context.results.sample(query, context.own_rule)
    if sample.problem or sample.values.empty:
        return None
    return mean_interval(sample.values.to_numpy(), point=sample.point, overlap=sample.overlap)


def difference_of(
    context: ArtifactContext, dataset: str, method: str, metric: str, at: Mapping[str, Any]
) -> Interval | None:
    """Compute HFD minus another method, paired by runs, with 95% interval.

    None means that they share no run.
    """
    samples = [
        context.results.sample(
            {"dataset": dataset, "method": name, "metric": metric, "at": dict(at)}, context.own_rule
        )
        for name in ("HFD", method)
        if not context.results.rows(dataset, name).empty
    ]
    if len(samples) < 2 or any(sample.problem for sample in samples):
        return None
    left, right = pair(*samples)
    if not left.size:
        return None
    both = all(sample.point for sample in samples)
    return mean_interval(left - right, point=both, overlap=max(sample.overlap for sample in samples))


def labels_of(context: ArtifactContext) -> dict[str, str]:
    """Give the label of each method."""
    return {name: str(method["label"]) for name, method in context.methods.items()}


def intervals(
    context: ArtifactContext,
    datasets: Sequence[str],
    metric: str,
    at: Mapping[str, Any] | None,
    methods: Mapping[str, str] = OWN,
) -> dict[str, dict[str, Interval]]:
    """Give intervals of each data set and style's method with numbers."""
    by_dataset: dict[str, dict[str, Interval]] = {}
    for dataset in datasets:
        for style, method in methods.items():
            interval = interval_of(context, dataset, method, metric, at)
            if interval is not None:
                by_dataset.setdefault(dataset, {})[style] = interval
    return by_dataset


def constraints_note(context: ArtifactContext, datasets: Sequence[str]) -> tuple[str, ...]:
    """Say how many constraints the runs were given on each data set.

    Records say it, because a scope may draw fewer.
    """
    records = context.results.records
    counts = records[records.metric == "n_constraints"].groupby("dataset").value.agg(["min", "max"])
    given: dict[str, list[str]] = {}
    for name, low, high in ((name, *counts.loc[name]) for name in datasets if name in counts.index):
        given.setdefault(f"{low:,.0f}" + (f" to {high:,.0f}" if high > low else ""), []).append(name)
    if len(given) == 1 and len(*given.values()) > 1:
        return (f"Constraints: {next(iter(given))} on each data set.",)
    said = [f"{number} ({'; '.join(names)})" for number, names in given.items()]
    return (f"Constraints: {', '.join(said)}.",) if said else ()


def limits_note(
    context: ArtifactContext, datasets: Sequence[str], methods: Mapping[str, str]
) -> tuple[str, ...]:
    """Say which methods stop early or learn from fewer rows, and where."""
    where: dict[str, dict[str, list[str]]] = {}
    for style, method in methods.items():
        for dataset in datasets:
            for setting in map(json.loads, context.results.rows(dataset, method).setting.unique()):
                limits = [f"{words} {setting[name]:,}" for name, words in LIMITS.items() if name in setting]
                if limits:
                    of = where.setdefault(" and ".join(limits), {}).setdefault(style, [])
                    of.extend([dataset] if dataset not in of else [])
    said = [
        f"{limits} for "
        + ", ".join(style + f" on {', '.join(of)}" * (len(of) < len(datasets)) for style, of in each.items())
        for limits, each in where.items()
    ]
    return (f"Limits: {'; '.join(said)}.",) if said else ()


def noted(
    figure: Figure,
    context: ArtifactContext,
    datasets: Sequence[str],
    shown: Mapping[str, Mapping[str, Any]],
    methods: Mapping[str, str] = OWN,
) -> Figure:
    """Note with a figure its basis, and why methods are missing."""
    basis: list[tuple[str, str, pd.DataFrame]] = []
    left_out: dict[tuple[str, str], list[str]] = {}
    for dataset in datasets:
        for style, method in methods.items():
            label, rows = str(context.methods[method]["label"]), context.results.rows(dataset, method)
            if rows.empty:
                continue
            basis.append((dataset, label, rows))
            why = why_empty(context, dataset, method, context.own_rule)
            # Cells that are missing are counted among the notes on what a figure rests on.
            if style not in shown.get(dataset, {}) and why not in ("missing", "—"):
                left_out.setdefault((label, why), []).append(dataset)
    rests_on = (
        *constraints_note(context, datasets),
        *limits_note(context, datasets, methods),
    )
    notes = [
        *([chosen_with(context)] if shown else []),
        *limits_of(context, basis),
        *(rests_on if shown else ()),
        *(f"Left out: {label} on {', '.join(where)}: {why}." for (label, why), where in left_out.items()),
    ]
    return with_notes(figure, [named(context, note) for note in notes if note])
