"""Make tables and figures of the HMMC paper, and ours about it.

Each is a function of the records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cladebench.bench.samples.samples import pair, paired_ratio
from cladebench.measures import Measure
from cladebench.notation import significant
from cladebench.paper.artifact_types import Artifact, ArtifactContext, Table, declare
from cladebench.paper.choices_table import choices_table
from cladebench.paper.figures import (
    best_of,
    chosen_with,
    compared,
    counted,
    empty_figure,
    limits_of,
    named,
    panel_title,
    with_notes,
    with_rule,
    with_title,
)
from cladebench.paper.protocol import stored_tree
from cladebench.paper.tables import comparison_table, settings_table, status_table
from cladebench.papers.hmmc import drawings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The data sets of Table 1, in its order; nested-blobs is ours, always at hand.
PAPER_DATASETS = ("awa-attr", "awa-pca", "vehicle", "imagenet")
#: The measures of Table 1 by their metric.
PRINTED_MEASURES = {"sp": "SP", "ps_without_root": "PS", "ri": "RI", "seconds": "runtime"}
#: Methods of Figure 2; those with a tree have a counterpart with K > 2.
FIGURE_2 = ("KM", "SC", "MMC", "HKM", "HSC", "HKM-D", "HSC-D", "HMMC")
FACTORS = (1.0, 1.5, 2.0)
#: Share of the objective that rounding may add in a half-step.
RISE = 1e-9
#: Settings that Figure 4 compares, as its claims do: "we fix the trade-off parameters to 1".
FIGURE_4: Mapping[str, Mapping[str, float]] = {
    "HMMC": {"alpha": 1.0, "beta": 1.0},
    "HMMC-G": {"alpha": 1.0},
    "HMMC-E": {"beta": 1.0},
    "HMMC-1": {"alpha": 1.0},
}
#: What the study of the assignment times, by metric.
SOLVERS = {
    "seconds_flow": "flow (OR-tools)",
    "seconds_cbc": "integer programme (CBC)",
    "seconds_highs": "integer programme (HiGHS)",
}


def table_1(context: ArtifactContext, metric: str) -> Table:
    """One measure of Table 1."""
    return comparison_table(
        context,
        artifact=f"Table 1, {PRINTED_MEASURES[metric]}",
        metric=metric,
        datasets=context.datasets_after(PAPER_DATASETS),
        notes=(
            "As many leaves as classes; K = 2, but for the methods called K > 2: their K is chosen with the rest of the"
            " setting, by the same rule. 'Settings chosen' names it.",
            "Controls: Random (a random tree), Random, balanced, Star (with one deep leaf) and Oracle, which is"
            " the tree of the classes.",
            *(
                ("The printed seconds are of another machine (Xeon, 2.8 GHz) and of other programs.",)
                if metric == "seconds"
                else ()
            ),
        ),
    )


def figure_2(context: ArtifactContext) -> Figure:
    """Draw SP against the numbers of leaves (a-d) and splits (e-h)."""
    context = with_paper_names(context)
    rows_of_panels: tuple[drawings.BySize, drawings.BySize] = ({}, {})
    basis: dict[tuple[str, str], pd.DataFrame] = {}
    left_out: dict[str, None] = {}
    for row, dataset, method, size, planned, where, at in _points_of_figure_2(context):
        name = method if planned == method else f"{method} with K = {size}"
        basis[dataset, name] = context.results.rows(dataset, planned, where)
        values = context.results.chosen(dataset, planned, "sp", context.own_rule, at=at, where=where).value
        if few := context.results.unfinished(dataset, planned, context.own_rule, where):
            left_out[named(context, f"Left out: {name} on {dataset}: {few}.")] = None
        if len(values):
            panel = rows_of_panels[row].setdefault(panel_title(context, dataset, 44), {})
            panel.setdefault(method, {})[size] = values.to_numpy()
    figure = drawings.measure_against_size(*rows_of_panels, context.measures["sp"])
    chosen = [chosen_with(context)] if any(rows_of_panels) else []
    notes = [*chosen, *limits_of(context, ((*key, rows) for key, rows in basis.items())), *left_out]
    with_notes(figure, [note for note in notes if note])
    return with_title(figure, said_of_lead(*rows_of_panels, context.measures["sp"]))


def with_paper_names(context: ArtifactContext) -> ArtifactContext:
    """Call data that stand in for the paper's by the paper's names."""
    titles = {name: context.datasets.get(name, {}).get("stand_in_for") for name in PAPER_DATASETS}
    named_by = {name: {**context.datasets[name], "title": title} for name, title in titles.items() if title}
    return replace(context, datasets={**context.datasets, **named_by})


def said_of_lead(by_leaves: drawings.BySize, by_splits: drawings.BySize, measure: Measure) -> str:
    """Count the points of Figure 2 where HMMC is best.

    It alone has the best mean. Nothing is said where it has no rival.
    """
    # K = 2 with as many leaves as classes is in both columns.
    drawn = [(of, size) for of in by_leaves.values() for size in FACTORS]
    drawn += [(of, size) for of in by_splits.values() for size in (3, 4, 5)]
    means = [{name: float(at[size].mean()) for name, at in of.items() if size in at} for of, size in drawn]
    rivals = [of for of in means if "HMMC" in of and len(of) > 1]
    leads = sum(best_of(of, measure) == {"HMMC"} for of in rivals)
    points = counted(len(rivals), "point")
    return f"HMMC has the best mean {measure.title} at {leads} of {points}" if rivals else ""


def _points_of_figure_2(
    context: ArtifactContext,
) -> Iterator[tuple[int, str, str, float, str, dict[str, int], dict[str, float] | None]]:
    """Yield the points of Figure 2, and what answers them.

    A point is a row of panels, data set, method and size. Its answer is the plan's method, part of its setting and the
    point read.
    """
    for dataset in PAPER_DATASETS:
        for method in (*FIGURE_2, "Random-balanced"):
            for factor in FACTORS:
                # The setting that the verdicts are about: chosen with as many leaves as classes.
                yield 0, dataset, method, factor, method, {}, {"leaf_factor": factor}
        for method in FIGURE_2:
            for n_splits in (2, 3, 4, 5):
                # A flat method has no splits: it is the same for all K. Each other K is a choice of its own.
                same = n_splits == 2 or f"{method}-K" not in context.methods
                planned = (method, {}) if same else (f"{method}-K", {"n_splits": n_splits})
                yield 1, dataset, method, n_splits, *planned, None


def figure_3(context: ArtifactContext) -> Figure:
    """Draw HMMC's first four layers on AWA-ATTR, with classes and attributes."""
    context = with_paper_names(context)
    arrays = context.best_arrays("awa-attr", "HMMC", "sp", context.own_rule)
    if arrays is None:
        few = context.results.unfinished("awa-attr", "HMMC", context.own_rule)
        return empty_figure(few or "No finished run of HMMC on AWA-ATTR in this scope.")
    # Attribute scores that are drawn from a model are of no images.
    what = "row" if context.datasets["awa-attr"].get("stand_in_for") else "image"
    figure = with_rule(drawings.annotated_tree(stored_tree(arrays), arrays, depth=3, what=what), context)
    measure = context.measures["sp"]
    values = context.results.chosen("awa-attr", "HMMC", "sp", context.own_rule).value
    best = f"{measure.title} {measure.text(float(values.max()))}{measure.unit}"
    runs = f", the best of {len(values)} runs" if len(values) > 1 else ""
    return with_title(figure, f"The tree of HMMC on {panel_title(context, 'awa-attr', 40)} has {best}{runs}")


def figure_4(context: ArtifactContext) -> Figure:
    """Draw the share of zeros in the models.

    Data beyond the paper's are drawn where methods can be compared, if there are any.
    """
    context = with_paper_names(context)
    shares: dict[str, dict[str, np.ndarray]] = {}
    for dataset in context.datasets_after(PAPER_DATASETS):
        for method, setting in FIGURE_4.items():
            rows = context.results.chosen(dataset, method, "zeros", context.own_rule, where=setting)
            if len(rows):
                shares.setdefault(dataset, {})[method] = rows.value.to_numpy()
    shown = compared(shares, PAPER_DATASETS)
    named_by = {panel_title(context, dataset, 34): of for dataset, of in shown.items()}
    return with_title(drawings.sparsity(named_by, context.measures["zeros"]), said_of_zeros(named_by))


def said_of_zeros(shares: Mapping[str, Mapping[str, np.ndarray]]) -> str:
    """Say which method has most zeros on most data sets.

    Nothing where none can be compared.
    """
    means = [{name: float(v.mean()) for name, v in of.items()} for of in shares.values() if len(of) > 1]
    most = Counter(max(of, key=lambda name: of[name]) for of in means).most_common(1)
    data = counted(len(means), "data set")
    return "".join(f"{name} has most zeros on {n} of {data}" for name, n in most)


def convergence(context: ArtifactContext) -> Figure:
    """Draw the objective of the root's split after each half-step.

    Data beyond the paper's are drawn where methods can be compared, if there are any.
    """
    context = with_paper_names(context)
    runs: dict[str, dict[str, pd.Series[str]]] = {}
    for dataset in context.datasets_after(PAPER_DATASETS):
        for method in (*FIGURE_4, "HMMC-2"):
            cells = context.results.chosen(dataset, method, "sp", context.own_rule).cell_id
            if len(cells):
                runs.setdefault(dataset, {})[method] = cells
    curves: dict[str, dict[str, list[np.ndarray]]] = {}
    for dataset, of in compared(runs, PAPER_DATASETS).items():
        for method, cells in of.items():
            traces = [context.load_arrays(cell).get("trace_objective") for cell in cells]
            drawn = [np.asarray(trace) for trace in traces if trace is not None and len(trace) > 1]
            if drawn:
                curves.setdefault(panel_title(context, dataset, 28), {})[method] = drawn
    figure = with_rule(drawings.convergence(curves), context, bool(curves))
    shown = [trace for of in curves.values() for drawn in of.values() for trace in drawn]
    return with_title(figure, said_of_rises(shown))


def said_of_rises(traces: Sequence[np.ndarray]) -> str:
    """Count runs in which a half-step raises the objective beyond rounding.

    The text is empty without runs.
    """
    rises = sum(bool((np.diff(trace) > RISE * np.abs(trace[:-1])).any()) for trace in traces)
    runs = counted(len(traces), "run")
    if not traces:
        return ""
    return f"The objective rises in {rises} of {runs}" if rises else f"The objective never rises, in {runs}"


def ratios_of_time(context: ArtifactContext) -> Table:
    """Tabulate ratios of seconds: claimed, printed, and measured as in verdicts."""
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    claims: dict[tuple[int, str], str] = {}
    printed_seconds = context.published[context.published.metric == "seconds"]
    printed = printed_seconds.set_index(["dataset", "method"]).value
    for claim in context.ratios.to_dict("records"):
        queries: tuple[dict[str, Any], ...] = (claim["of"], claim["to"])
        names = [SOLVERS.get(q["metric"], str(context.methods[q["method"]]["label"])) for q in queries]
        size = f", K = {queries[0]['at']['n_splits']}" if "at" in queries[0] else ""
        row = {
            "ratio": " / ".join(names) + size,
            "dataset": str(queries[0]["dataset"]),
            "claimed": str(claim["claimed"]),
        }
        claims[len(rows), "claimed"] = str(claim["claim"])
        above, below = (printed.get((q["dataset"], q["method"])) for q in queries)
        row["printed"] = significant(above / below, 3) if above and below else "–"
        samples = [context.results.sample(query, context.own_rule) for query in queries]
        left, right = pair(*samples)
        row["measured"] = (
            "; ".join(dict.fromkeys(s.problem for s in samples if s.problem)) or "no shared task"
        )
        row["seconds"] = "–"
        if left.size:
            row["measured"] = significant(paired_ratio(left, right)[0])
            row["seconds"] = f"{significant(left.mean())} / {significant(right.mean())}"
            shared = set(samples[0].values.index) & set(samples[1].values.index)
            ratios = [_chosen(context, query) for query in queries]
            sources[len(rows), "measured"] = tuple(
                cell for values in ratios for cell in values[values.task.isin(shared)].cell_id
            )
        rows.append(row)
    return Table(
        pd.DataFrame(rows, columns=["ratio", "dataset", "claimed", "printed", "measured", "seconds"]),
        sources,
        claims,
        notes=(
            "claimed: the range that is judged; printed: the ratio of the seconds that Table 1 prints.",
            "measured: the geometric mean of the ratios of seconds, task by task, as the verdicts have it; seconds: the"
            " means over these tasks. MMC and HMMC each with the alpha and beta chosen by the rule"
            f" {context.rules[context.own_rule].label!r}.",
            "The paper compares a min-cost flow of the LEMON library with an unnamed solver of integer programmes.",
        ),
    )


def _chosen(context: ArtifactContext, query: Mapping[str, Any]) -> pd.DataFrame:
    """The values that a query finds, by the paper's own rule."""
    return context.results.chosen(
        query["dataset"],
        query["method"],
        query["metric"],
        query.get("selection", context.own_rule),
        at=query.get("at"),
        where=query.get("where"),
    )


ARTIFACTS: tuple[Artifact, ...] = declare(
    __package__,
    (
        "table-1-sp",
        "table",
        "Table 1: shortest path similarity (SP)",
        "Table 1, SP",
        partial(table_1, metric="sp"),
    ),
    (
        "table-1-ps",
        "table",
        "Table 1: path sharing similarity (PS)",
        "Table 1, PS",
        partial(table_1, metric="ps_without_root"),
    ),
    ("table-1-ri", "table", "Table 1: Rand index (RI)", "Table 1, RI", partial(table_1, metric="ri")),
    ("table-1-runtime", "table", "Table 1: seconds", "Table 1, runtime", partial(table_1, metric="seconds")),
    ("figure-2", "figure", "Figure 2: numbers of leaves and of splits", "Figure 2", figure_2),
    ("figure-3", "figure", "Figure 3: the tree learned on AWA-ATTR", "Figure 3", figure_3),
    ("figure-4", "figure", "Figure 4: sparsity of the models", "Figure 4", figure_4),
    ("convergence", "figure", "The objective of the split at the root", "Section 4.2", convergence),
    ("ratios-of-time", "table", "Ratios of time", "Sections 4.2, 5.1", ratios_of_time),
    (
        "selected-settings",
        "table",
        "Settings chosen",
        "Section 5",
        partial(settings_table, metrics=("sp", "ps_without_root", "ri", "leaf_inertia")),
    ),
    ("deviations", "table", "Unstated choices, each with its effect", "", choices_table),
    ("cells", "table", "Runs: status, time, memory", "", status_table),
)
