"""Gather a run's data, controls, failures and environments for the pages."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cladebench import datasets
from cladebench.bench.plan.plan import Plan, expected_failures
from cladebench.bench.samples.samples import mean_and_spread
from cladebench.paper.artifact_types import ArtifactContext
from cladebench.paper.tables import fewer_rows, with_spread
from cladebench.report.cell_links import CellLinks, plain
from cladebench.report.claim_rows import ClaimRow


@dataclass(frozen=True)
class Entry:
    """Hold a table entry's text, its cells' address, and its claim.

    The entry repeats the claim's printed number.
    """

    text: str
    target: str | None = None
    claim: ClaimRow | None = None


def data_rows(plan: Plan, scope: str, records: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """List the scope's registered data sets with what this run had."""
    rows = []
    records = records.assign(method=records["method"].map(_label_of(plan)))
    for name in plan.datasets_of(scope):
        entry = datasets.info(plan.data_of(name))
        planned = records[records["dataset"] == name].drop_duplicates("cell_id")
        cells = planned[planned["status"] != "missing"]
        away = cells[cells["status"] == "unavailable"]
        reasons = [str(reason) for reason in away["reason"].dropna().unique()]
        rows.append(
            {
                "name": name,
                "registry": plan.data_of(name),
                "title": plan.title_of(name),
                "kind": entry.kind,
                "stand_in_for": entry.stand_in_for or "",
                "contents": entry.contents,
                "shape": f"{entry.n_samples} × {entry.n_features or '–'}",
                "n_classes": entry.n_classes or "–",
                "files": [(file.name, file.sha256) for file in entry.files],
                "urls": [file.official_url for file in entry.files if file.official_url],
                "licence": entry.licence,
                "citation": entry.citation,
                "notes": entry.notes,
                "cells": len(cells),
                "missing": len(planned) - len(cells),
                "rows_used": fewer_rows(cells, entry.n_samples),
                "unavailable": len(away),
                "reason": reasons[0] if reasons else "",
                "source": ", ".join(sorted(cells["data_source"].dropna().astype(str).unique())),
                "digests": sorted(cells["data_sha256"].dropna().astype(str).unique()),
            }
        )
    return tuple(rows)


def _label_of(plan: Plan) -> Callable[[str], str]:
    """Give the label of a method, or else its id."""
    return lambda name: plan.methods[name].label if name in plan.methods else name


def control_rows(context: ArtifactContext, plan: Plan) -> tuple[dict[str, str], ...]:
    """List means of controls beside those of other methods.

    The range of the other means; a row for each data set and rule.

    What a rule chooses by is shown, at the rule's point and in the settings that it selects, of controls as of methods.
    Where one of these measures has a value that all have who know nothing of the data, it stands there too.
    """
    controls = [name for name, method in plan.methods.items() if method.role == "control"]
    others = [
        name
        for name, method in plan.methods.items()
        if method.role not in ("control", "study", "alternative")
    ]
    rules = {name: rule for name, rule in plan.selection.items() if rule.metric and rule.shown}
    fixed = any(context.measures[str(rule.metric)].blind is not None for rule in rules.values())
    rows, label = [], _label_of(plan)
    for dataset, (name, rule) in itertools.product(plan.datasets_of(context.scope), rules.items()):
        metric = str(rule.metric)
        measure = context.measures[metric]

        def values(method: str, dataset: str = dataset, metric: str = metric, rule: str = name) -> np.ndarray:
            at = context.results.point_of_choice(dataset, method, metric, rule)
            query = {"dataset": dataset, "method": method, "metric": metric, "at": at}
            return context.results.sample(query, rule).values.to_numpy()

        row = {"data set": plan.title_of(dataset), "rule": rule.label, "measure": measure.heading}
        if fixed:
            blind = measure.blind
            row["what knows nothing of the data"] = (
                "depends on the data" if blind is None else measure.text(blind)
            )
        for control in controls:
            own = values(control)
            few = context.results.unfinished(dataset, control, name) or "not measured"
            row[label(control)] = f"{with_spread(own, measure)} ({len(own)})" if len(own) else few
        means = [mean_and_spread(own)[0] for own in map(values, others) if len(own)]
        row["other methods"] = (
            f"{measure.text(min(means))} to {measure.text(max(means))}" if means else "not measured"
        )
        rows.append(row)
    return tuple(rows) if controls or fixed else ()


def failure_rows(
    records: pd.DataFrame, plan: Plan, scope: str, links: CellLinks
) -> tuple[dict[str, Any], ...]:
    """List data set, method, status and reason of runs not ``ok``."""
    cells = records.drop_duplicates("cell_id")
    cells = cells[cells["status"] != "ok"].assign(reason=lambda frame: frame["reason"].fillna(""))
    declared = {(e["dataset"], e["method"], e["status"]): e["reason"] for e in expected_failures(plan, scope)}
    lines, label = [], _label_of(plan)
    keys = ["dataset", "method", "status", "reason"]
    for (dataset, method, status, reason), rows in cells.groupby(keys, sort=False):
        lines.append(
            {
                "dataset": plan.title_of(str(dataset)),
                "method": label(str(method)),
                "status": str(status).replace("_", " "),
                "reason": reason,
                "count": Entry(str(len(rows)), links.target(rows["cell_id"])),
                "declared": declared.get((dataset, method, status)),
            }
        )
    return tuple(lines)


def expected_rows(records: pd.DataFrame, plan: Plan, scope: str) -> tuple[dict[str, Any], ...]:
    """Declared failures, and whether they happened."""
    met = set(records[["dataset", "method", "status"]].drop_duplicates().itertuples(index=False, name=None))
    label = _label_of(plan)
    return tuple(
        {
            **entry,
            "dataset": plan.title_of(entry["dataset"]),
            "method": label(entry["method"]),
            "happened": (entry["dataset"], entry["method"], entry["status"]) in met,
        }
        for entry in expected_failures(plan, scope)
    )


def status_counts(records: pd.DataFrame) -> dict[str, int]:
    """Count the runs of each status, ``ok`` first.

    Planned runs without a record are ``missing``.
    """
    counts = records.drop_duplicates("cell_id")["status"].value_counts()
    order = sorted(counts.index, key=lambda status: (status != "ok", status))
    return {str(status).replace("_", " "): int(counts[status]) for status in order}


def environment_rows(cells: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """List runs' commits, builds, machines and versions, and their numbers."""
    keys = ["git_commit", "git_dirty", "core_build", "versions", "machine"]
    lines = []
    for values, rows in cells.groupby(keys, sort=False, dropna=False):
        commit, dirty, build, versions, machine = map(plain, values)
        lines.append(
            {
                "cells": len(rows),
                "commit": commit or "not in a repository",
                "state": "changed since that commit"
                if dirty is True
                else "clean"
                if dirty is False
                else "unknown",
                "core_build": build,
                "versions": _object(versions),
                "machine": _object(machine),
                "threads": ", ".join(map(str, sorted(rows["threads"].dropna().unique()))),
            }
        )
    return tuple(lines)


def provenance(environments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sum up where runs come from.

    Returns
    -------
    dict
        states (of code: commit, sources, build), commit and state with the most runs, machines (how many), processors,
        versions (library -> all versions, joined).
    """
    states: Counter[tuple[str, str, str]] = Counter()
    versions: dict[str, set[str]] = {}
    for row in environments:
        states[row["commit"], row["state"], str(row["core_build"])] += row["cells"]
        for name, version in row["versions"].items():
            versions.setdefault(name, set()).add(version)
    machines = {tuple(sorted(row["machine"].items())): row["machine"] for row in environments}
    commit, state, _ = max(states, key=lambda key: states[key], default=("", "", ""))
    return {
        "states": len(states),
        "commit": commit,
        "state": state,
        "machines": len(machines),
        "processors": sorted({facts["cpu"] for facts in machines.values() if facts.get("cpu")}),
        "versions": {name: ", ".join(sorted(facts)) for name, facts in sorted(versions.items())},
    }


def _object(text: Any) -> dict[str, str]:
    """Read a JSON object as names and texts.

    Anything else is shown as it stands.
    """
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        value = str(text)
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {"": str(value)}
