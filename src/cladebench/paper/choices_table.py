"""Tabulate the unstated choices and their effects.

Effects are measured from the records of the run.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from cladebench.bench.plan.cell_spec import canonical_json, setting_order
from cladebench.bench.plan.setting_selection import agrees
from cladebench.bench.samples.results import not_recorded, recorded_points
from cladebench.input_files import InputFileError, told
from cladebench.paper.artifact_types import ArtifactContext, Table
from cladebench.paper.choices import UnstatedChoice, load_choices, methods_in, names_in
from cladebench.paper.tables import listed, with_spread


def check_recorded(register: Iterable[UnstatedChoice], context: ArtifactContext, name: str) -> None:
    """Check evaluation points of a register against the records.

    A method that is compared must have finished. A metric that nothing has recorded leaves its rows empty: the run may
    be older than the register.

    Raises
    ------
    InputFileError
        With one line for each metric that no record of the paper has at the point that is named.
    """
    records = context.results.records
    finished = records[(records.status == "ok") & records.metric.notna()]
    points = recorded_points(finished)
    ran = set(zip(finished.dataset, finished.method, strict=True))
    lines = [
        f"{name}: entry {entry.id!r}: {fault}"
        for entry in register
        for effect in entry.effects
        for key, metric in names_in(effect)
        if key in ("metric", "metrics") and metric in points
        if any(pair in ran for pair in itertools.product(effect["datasets"], methods_in(effect)))
        if (fault := not_recorded(metric, effect.get("at"), points, key))
    ]
    if lines:
        raise InputFileError(told(list(dict.fromkeys(lines)), name))


def choices_table(context: ArtifactContext) -> Table:
    """Tabulate the register, one row for each compared value.

    Each effect is measured from the records of this run.
    """
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    register = load_choices(context.package)
    check_recorded(register, context, f"{context.paper}/choices.yaml")
    for entry in register:
        head = {
            "deviation": entry.id,
            "place": entry.place,
            "the paper": entry.paper,
            "chosen": entry.chosen,
            "alternatives": "; ".join(entry.alternatives) or "none",
        }
        for effect in entry.effects:
            if effect["by"] == "nothing":
                rows.append(head | {"compared": "not measured", "value": effect["reason"], "n": "–"})
                head = dict.fromkeys(head, "")
                continue
            for metric, what, values, few in _compared(effect, context):
                measure, value = context.measures[metric], few or "no runs in this scope"
                if len(values):
                    value = with_spread(values.value.to_numpy(), measure)
                    sources[len(rows), "value"] = tuple(values.cell_id)
                compared = f"{measure.heading}, {what}"
                rows.append(head | {"compared": compared, "value": value, "n": str(len(values))})
                head = dict.fromkeys(head, "")
    columns = ["deviation", "place", "the paper", "chosen", "alternatives", "compared", "value", "n"]
    notes = [
        "value: mean ± standard deviation over the n runs. Methods that are compared are read on the tasks that all "
        "of them met."
    ]
    if context.beside:
        label = context.rules[context.beside].label
        notes.append(
            f"Where nothing else is said, the setting of a method with several is by the rule: {label}."
        )
    return Table(pd.DataFrame(rows, columns=columns), sources, notes=tuple(notes))


def _compared(
    effect: Mapping[str, Any], context: ArtifactContext
) -> Iterator[tuple[str, str, pd.DataFrame, str]]:
    """Yield each comparison of an effect.

    A metric, a text that tells it from the others, its records, and which cells it lacks.
    """
    metrics = effect.get("metrics") or [effect["metric"]]
    by_rule = effect["by"] == "rule"
    rules = [*context.rules] if by_rule else [context.beside]
    read: dict[str, Any] = {key: effect.get(key) for key in ("at", "where")}
    fixed = f", with {listed(read['where'])}" if read["where"] else ""
    fixed += f", at {listed(read['at'])}" if read["at"] else ""
    for dataset, method, metric in itertools.product(effect["datasets"], methods_in(effect), metrics):
        if effect["by"] == "setting":
            rows = context.results.measured(dataset, method, metric, **read)
            for text, rows_there in _by_setting(rows, effect["parameter"]):
                yield metric, f"{dataset}, {text}{fixed}", rows_there, ""
            continue
        for rule in rules:
            label = f", {context.rules[rule].label}" if by_rule else ""
            what = f"{dataset}, {context.methods[method]['label']}{fixed}{label}"
            few = context.results.unfinished(dataset, method, rule, read["where"])
            values = {
                other: context.results.chosen(dataset, other, metric, rule, **read)
                for other in methods_in(effect)
            }
            yield metric, what, _on_common_tasks(values)[method], few


def _on_common_tasks(values: Mapping[str, pd.DataFrame]) -> Mapping[str, pd.DataFrame]:
    """Keep values on tasks that all methods met, if there are."""
    tasks = [set(sample.task) for sample in values.values() if len(sample)]
    common = set.intersection(*tasks) if tasks else set()
    if not common:
        return values
    return {method: sample[sample.task.isin(common)] for method, sample in values.items()}


def _by_setting(rows: pd.DataFrame, parameter: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the records for each value of a parameter.

    The smallest comes first; other parameters may have any value.
    """
    settings = [json.loads(text) for text in rows.setting.unique()]
    given = [{parameter: setting[parameter]} for setting in settings if parameter in setting]
    # By the text, for a value may be a list.
    distinct = {canonical_json(value): value for value in given}
    for value in sorted(distinct.values(), key=setting_order):
        chosen = rows[[agrees(text, value) for text in rows.setting]]
        yield f"{parameter} = {value[parameter]}", chosen
