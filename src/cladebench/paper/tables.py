"""Make the tables that every paper has.

Published numbers stand beside measured ones, with the cells behind each entry.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cladebench.bench.plan.cell_spec import point_text
from cladebench.bench.samples.samples import mean_and_spread
from cladebench.measures import Measure
from cladebench.notation import significant
from cladebench.paper.artifact_types import ArtifactContext, Table


def with_spread(values: np.ndarray, measure: Measure) -> str:
    """Write ``mean ± sd``.

    The latter has two digits where the measure does not say how many. One value has no spread.
    """
    mean, spread, n = mean_and_spread(values)
    if n <= 1:
        return measure.text(mean)
    return f"{measure.text(mean)} ± {measure.text(spread) if measure.unit == '%' else significant(spread, 2)}"


def why_empty(context: ArtifactContext, dataset: str, method: str, rule: str) -> str:
    """Say why a method has no number on a data set.

    Reasons are that none is planned, that too few cells finished, or their status.
    """
    rows = context.results.rows(dataset, method)
    if rows.empty:
        return "not planned"
    return (
        context.results.unfinished(dataset, method, rule)
        or ", ".join(sorted(str(s).replace("_", " ") for s in rows.status.unique() if s != "ok"))
        or "—"
    )


def fewer_rows(cells: pd.DataFrame, n_samples: int) -> str:
    """Say how many rows finished cells used, as ``1,000 of 30,475``.

    The text is empty where all used all rows, or sets.

    Parameters
    ----------
    cells : pandas.DataFrame
        Records (columns method, status, n_rows), a row or several for each cell.
    n_samples : int
        Rows of the data set.
    """
    finished = cells[cells.status == "ok"].drop_duplicates(["method", "n_rows"])
    used: dict[str, set[int]] = {}
    for method, n_rows in zip(finished.method, finished.n_rows, strict=True):
        used.setdefault(method, set()).add(int(n_rows))
    # Of data that are made of sets no rows are drawn: records have none.
    if all(counts in ({n_samples}, {0}) for counts in used.values()):
        return ""
    return _grouped(
        {
            method: "all" if counts == {n_samples} else f"{_range(counts)} of {n_samples:,}"
            for method, counts in used.items()
        }
    )


def _grouped(values: Mapping[str, str]) -> str:
    """Write the most frequent value, then others: ``3 (1 for A; B)``."""
    (common, _), *others = Counter(values.values()).most_common()
    return " ".join([common, *(f"({value} for {_having(values, value)})" for value, _ in others)])


def _having(values: Mapping[str, str], value: str) -> str:
    return "; ".join(name for name, other in values.items() if other == value)


def _range(numbers: Iterable[int]) -> str:
    """``3``, or ``1 to 3``."""
    distinct = sorted(set(numbers))
    return f"{distinct[0]:,}" if len(distinct) == 1 else f"{distinct[0]:,} to {distinct[-1]:,}"


def basis_notes(context: ArtifactContext, shown: Iterable[tuple[str, str, pd.DataFrame]]) -> tuple[str, ...]:
    """Say what rows, repetitions, blocks, settings and cells numbers rest on.

    Parameters
    ----------
    context : ArtifactContext
        For the sizes of the data sets.
    shown : iterable of (str, str, DataFrame)
        Data set, name of the method, and its records there, under all settings among which one was chosen.

    Returns
    -------
    tuple of str
        At most one note of each kind; none on rows where all were used, on settings where nothing was chosen, or on
        missing cells where there are none.
    """
    cells: dict[str, list[pd.DataFrame]] = {}
    repetitions: dict[str, set[int]] = {}
    settings: dict[str, set[tuple[int, int]]] = {}
    statuses: dict[str, str] = {}
    blocks: dict[str, set[int]] = {}
    folded = False
    for dataset, name, rows in shown:
        statuses |= dict(zip(rows.cell_id, rows.status, strict=True))
        finished = rows[rows.status == "ok"]
        if finished.empty:
            continue
        cells.setdefault(dataset, []).append(finished.assign(method=name))
        # What is read in blocks of test rows has a fold that its cell has not.
        of_fold = finished.cell_id.str.rpartition("/")[2].str.contains(".", regex=False)
        folded |= bool(of_fold.any())
        if n_blocks := int(finished.fold[~of_fold].nunique()):
            blocks.setdefault(name, set()).add(n_blocks)
        counts = finished.groupby("setting_id").cell_id.nunique()
        # As in the choice of a setting: those with fewer finished repetitions do not compete.
        repetitions.setdefault(name, set()).add(int(counts.max()))
        settings.setdefault(name, set()).add((int((counts == counts.max()).sum()), rows.setting_id.nunique()))
    notes = []
    drawn = {
        dataset: fewer_rows(pd.concat(rows_there), int(context.datasets[dataset]["n_samples"]))
        for dataset, rows_there in cells.items()
    }
    if any(drawn.values()):
        rows_of = "; ".join(f"{dataset} {text or 'all'}" for dataset, text in drawn.items())
        notes.append(f"Rows used: {rows_of}.")
    if repetitions:
        what = "Repetitions and folds" if folded else "Repetitions"
        notes.append(f"{what}: {_grouped({name: _range(n) for name, n in repetitions.items()})}.")
    if blocks:
        notes.append(f"Blocks of test rows: {_grouped({name: _range(n) for name, n in blocks.items()})}.")
    gridded: dict[str, str] = {}
    for name, rows_there in settings.items():
        competing, planned = {n for n, _ in rows_there}, {n for _, n in rows_there}
        if max(planned) > 1:
            partly = "" if all(n == of for n, of in rows_there) else f" finished of {_range(planned)}"
            gridded[name] = _range(competing) + partly
    if gridded:
        groups = (f"{value} ({_having(gridded, value)})" for value in dict.fromkeys(gridded.values()))
        notes.append(f"Settings to choose from: {', '.join(groups)}.")
    missing = sum(status == "missing" for status in statuses.values())
    if missing:
        notes.append(f"Missing: {missing:,} of the {len(statuses):,} runs that are planned for this.")
    return tuple(notes)


def comparison_table(
    context: ArtifactContext,
    *,
    artifact: str,
    metric: str,
    datasets: Sequence[str],
    at: Mapping[str, Any] | None = None,
    rules: Sequence[str] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """Tabulate a metric's published and measured values, by method and data.

    Parameters
    ----------
    context : ArtifactContext
    artifact : str
        The printed table, as the claims name it.
    metric : str
        Its measure says how numbers are written.
    datasets : sequence of str
    at : mapping, optional
        The evaluation point; by default the plan's.
    rules : sequence of str, optional
        Rules of selection to show, each in a column, the last one first; all that the plan shows by default, so that
        the paper's own stands last. A method with one setting has its number in the first of these columns.
    notes : sequence of str
        Footnotes of this table.
    """
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    claims: dict[tuple[int, str], str] = {}
    basis: list[tuple[str, str, pd.DataFrame]] = []
    nowhere: list[str] = []
    measure = context.measures[metric]
    # What is left of the measure when chance has had its share: zero in expectation with the rows permuted.
    corrected = context.measures.get(measure.corrected)
    if corrected is not None and context.results.records["metric"].ne(corrected.name).all():
        corrected = None
    labels = {rule: context.rules[rule].label for rule in (shown_names(context) if rules is None else rules)}
    # The paper's own rule stands last; what needs no choice stands under the first that is shown.
    shown_rules = list(labels)[::-1] or [""]
    published = context.published
    # A number of one setting stands for no method.
    published = published[
        (published.artifact == artifact) & (published.metric == metric) & (published["where"] == "{}")
    ]
    # A printed number without a point is of the plan's own.
    points = published["at"].replace("", point_text(context.results.at))
    published = published[points == point_text(context.results.at if at is None else at)]
    printed = {(claim.dataset, claim.method): claim for claim in published.itertuples()}
    for method, plan in context.methods.items():
        if plan["role"] in ("study", "alternative"):
            continue
        row = {"method": str(plan["label"]), "role": str(plan["role"])}
        if not any(
            (dataset, method) in printed or len(context.results.rows(dataset, method)) for dataset in datasets
        ):
            nowhere.append(row["method"])
            continue
        for dataset in datasets:
            column = f"{dataset}: published"
            row[column] = "–"
            if (dataset, method) in printed:
                claim = printed[dataset, method]
                row[column], claims[len(rows), column] = str(claim.printed), str(claim.claim)
            records = context.results.rows(dataset, method)
            basis.append((dataset, row["method"], records))
            gridded = records.setting_id.nunique() > 1
            for rule in shown_rules:
                column = f"{dataset}: {labels.get(rule, 'measured')}"
                shown = context.results.chosen(dataset, method, metric, rule, at=at)
                if shown.empty:
                    row[column] = why_empty(context, dataset, method, rule)
                elif not gridded and rule != shown_rules[0]:
                    row[column] = "no choice"
                else:
                    row[column] = f"{with_spread(shown.value.to_numpy(), measure)} ({len(shown)})"
                    sources[len(rows), column] = tuple(shown.cell_id)
            if corrected is not None:
                column = f"{dataset}: {corrected.heading}"
                shown = context.results.chosen(dataset, method, corrected.name, shown_rules[-1], at=at)
                row[column] = "–" if shown.empty else corrected.text(float(shown.value.mean()))
                if not shown.empty:
                    sources[len(rows), column] = tuple(shown.cell_id)
        rows.append(row)
    headings = ["published", *(labels.get(rule, "measured") for rule in shown_rules)]
    beside = [] if corrected is None else [corrected.heading]
    columns = ["method", "role"] + [
        f"{dataset}: {heading}" for dataset in datasets for heading in [*headings, *beside]
    ]
    measured = ", ".join(headings[1:])
    folds = " and folds" if context.results.records.fold.notna().any() else ""
    reading = (
        f"published: as the paper prints it; {measured}: what was measured here, mean ± standard deviation over"
        f" repetitions{folds} (their number in brackets)"
        + (", by the rule that chose the setting" if labels else "")
        + "."
        + (
            f" no choice: the method has one setting, whose number stands under {headings[1]}."
            if len(labels) > 1
            else ""
        )
        + (
            ""
            if corrected is None
            else f" {corrected.heading}: {corrected.meaning}; mean under the last rule, in the same settings."
        )
        + " not planned: the plan leaves it out of this scope. missing: planned, but without a record in this run."
        " Role extra: not in the paper.",
        *(how_chosen(context, rule) for rule in labels),
    )
    others = [
        f"{name}: stand-in data ({entry['title']}) for {entry['stand_in_for']}."
        for name, entry in context.datasets.items()
        if name in datasets and entry.get("stand_in_for")
    ]
    beyond = [name for name in datasets if context.datasets.get(name, {}).get("beyond")]
    if beyond:
        others.append(f"Beyond the paper, which does not use them: {', '.join(beyond)}.")
    if nowhere:
        others.append(f"Neither printed nor planned here: {'; '.join(nowhere)}.")
    return Table(
        pd.DataFrame(rows, columns=columns),
        sources,
        claims,
        (*reading, *basis_notes(context, basis), *notes, *others),
    )


def shown_names(context: ArtifactContext) -> list[str]:
    """Rules of selection that have a column."""
    return [name for name, rule in context.rules.items() if rule.shown]


def how_chosen(context: ArtifactContext, name: str) -> str:
    """Say how a rule chooses.

    An example is ``best SP: the setting with the highest mean SP (%); uses test labels.``
    """
    rule = context.rules[name]
    if rule.metric is None:
        chosen = listed(rule.setting or {})
    else:
        best = "highest" if rule.direction == "higher" else "lowest"
        at = f" at {listed(rule.at)}" if rule.at else ""
        chosen = f"the setting with the {best} mean {context.measures[rule.metric].heading}{at}"
    used = rule.uses if rule.uses and rule.uses not in rule.label else ""
    return f"{rule.label}: {chosen}" + (f"; uses {used}." if used else ".")


def listed(values: Mapping[str, Any]) -> str:
    """Write parameters and their values: ``alpha: 1.0, beta: 0.1``."""
    return ", ".join(f"{name}: {value}" for name, value in values.items())


def settings_table(
    context: ArtifactContext, metrics: Sequence[str], *, at: Mapping[str, Any] | None = None
) -> Table:
    """Tabulate the setting that rules chose for methods, with metrics' means.

    Parameters
    ----------
    context : ArtifactContext
    metrics : sequence of str
    at : mapping, optional
        The evaluation point; by default the rule's own for the metric by which it chose, the plan's for the others.
    """
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    headings = {context.measures[metric].heading: metric for metric in metrics}
    records = context.results.records
    settings = records.drop_duplicates("setting_id").set_index("setting_id").setting
    n_settings = records.groupby(["dataset", "method"]).setting_id.nunique()
    for choice in context.results.choices.to_dict("records"):
        dataset, method, rule = str(choice["dataset"]), str(choice["method"]), str(choice["rule"])
        if n_settings[dataset, method] <= 1:
            continue
        setting = json.loads(str(settings.loc[choice["setting_id"]]))
        row = {"dataset": dataset, "method": method, "rule": context.rules[rule].label}
        row["setting"] = listed(setting)
        for column, metric in headings.items():
            point = context.results.point_of_choice(dataset, method, metric, rule) if at is None else at
            shown = context.results.chosen(dataset, method, metric, rule, at=point)
            row[column] = (
                context.measures[metric].text(mean_and_spread(shown.value)[0])
                if len(shown)
                else context.results.unfinished(dataset, method, rule) or "–"
            )
            sources[len(rows), column] = tuple(shown.cell_id)
        rows.append(row)
    return Table(
        pd.DataFrame(rows, columns=["dataset", "method", "rule", "setting", *headings]),
        sources,
        notes=tuple(how_chosen(context, rule) for rule in context.rules),
    )


def status_table(context: ArtifactContext) -> Table:
    """Count methods' runs on data by status, with time and memory.

    The time is that of the CPU.
    """
    cells = context.results.records.drop_duplicates("cell_id")
    frame = (
        cells.groupby(["dataset", "method"], sort=False)
        .agg(
            runs=("cell_id", "size"),
            ok=("status", lambda s: int((s == "ok").sum())),
            other=("status", _other_statuses),
            cpu_seconds=("cpu_seconds", lambda s: s.sum(min_count=1)),
            median_cpu_seconds=("cpu_seconds", "median"),
            peak_memory_mb=("peak_memory_mb", "max"),
        )
        .reset_index()
    )
    for column in ("cpu_seconds", "median_cpu_seconds", "peak_memory_mb"):
        frame[column] = frame[column].map(lambda v: f"{v:.3g}" if np.isfinite(v) else "–")
    groups = cells.groupby(["dataset", "method"], sort=False).cell_id.apply(tuple)
    sources = {(i, "runs"): groups.iloc[i] for i in range(len(frame))}
    missing = int((cells.status == "missing").sum())
    notes = (
        *(
            (f"missing: {missing:,} runs that are planned in this scope and have no record.",)
            if missing
            else ()
        ),
        "CPU seconds are of the runs alone, without starting the interpreter.",
    )
    return Table(frame, sources, notes=notes)


def _other_statuses(statuses: pd.Series) -> str:
    """Count the statuses that are not ``ok``: ``1 timeout, 2 missing``."""
    counts = Counter(str(status).replace("_", " ") for status in statuses if status != "ok")
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "–"
