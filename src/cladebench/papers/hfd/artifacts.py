"""Tables and figures of the HFD paper, and ours about it; each is a function of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cladebench.bench.intervals import Interval, mean_interval
from cladebench.papers.artifact_types import Artifact, ArtifactContext, Table, declare
from cladebench.papers.deviations_table import deviations_table
from cladebench.papers.figures import empty_figure, write_below
from cladebench.papers.hfd import drawings
from cladebench.papers.tables import (
    basis_notes,
    comparison_table,
    settings_table,
    status_table,
    why_empty,
    with_spread,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The data sets of Figure 1, in its order.
CLASSIFICATION = ("sonar", "ionosphere", "balance", "segmentation", "usps", "magic")
#: Label noise of Figure 2, in percent, and the problem that has it.
NOISE: Mapping[float, str] = {
    0.0: "sonar",
    **{float(share): f"sonar-noise-{share}" for share in (5, 10, 15, 20, 30)},
}
RETRIEVAL = ("cifar10", "cifar100-coarse", "cifar100-fine")
SEARCH = ("sonar-search", "segmentation-search", "usps-search")
#: Candidates per tree in Tables 1 and 2.
CANDIDATES = (1, 3, 5, 10, 20, 30)
#: Columns of Table 3: data set, and numbers of constraints.
CLUSTERING: Mapping[str, tuple[int, ...]] = {
    "sonar": (60, 120, 180),
    "balance": (45, 90, 180),
    "segmentation": (70, 175, 350),
    "usps": (3000, 5000, 10000),
}


def search_table(context: ArtifactContext, artifact: str, metric: str) -> Table:
    """Table 1 or 2: a row for each number of candidates, a group of columns for each data set."""
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    claims: dict[tuple[int, str], str] = {}
    basis: list[tuple[str, str, pd.DataFrame]] = []
    measure = context.measures[metric]
    published = context.published[context.published.artifact == artifact]
    forests = ("HFD-search", "HFD-search-random")
    for number in CANDIDATES:
        row = {"candidates per tree": str(number)}
        for dataset in SEARCH:
            column = f"{dataset.removesuffix('-search')}: published"
            row[column] = "–"
            for claim in published.itertuples():
                if claim.dataset == dataset and claim.at == f'{{"candidates":{number}}}':
                    row[column], claims[len(rows), column] = str(claim.printed), str(claim.claim)
            for method in forests:
                label = str(context.methods[method]["label"])
                column = f"{dataset.removesuffix('-search')}: {label}"
                shown = context.results.chosen(
                    dataset, method, metric, context.own_rule, at={"candidates": number}
                )
                if shown.empty:
                    row[column] = why_empty(context, dataset, method, context.own_rule)
                else:
                    row[column] = f"{with_spread(shown.value.to_numpy(), measure)} ({len(shown)})"
                    sources[len(rows), column] = tuple(shown.cell_id)
        rows.append(row)
    for dataset in SEARCH:
        basis += [
            (dataset, str(context.methods[m]["label"]), context.results.rows(dataset, m)) for m in forests
        ]
    return Table(
        pd.DataFrame(rows),
        sources,
        claims,
        (
            "published: as the paper prints it; the others: mean ± standard deviation over repetitions (their number in"
            " brackets).",
            *basis_notes(context, basis),
        ),
    )


def accuracy_table(context: ArtifactContext, datasets: Sequence[str]) -> Table:
    """Accuracy of five neighbours: the numbers of Figure 1 or 2, which the paper does not print."""
    return comparison_table(
        context, artifact="none", metric="accuracy", datasets=[d for d in datasets if d in context.datasets]
    )


def clustering_table(context: ArtifactContext, dataset: str) -> Table:
    """Table 3, for one data set."""
    return comparison_table(
        context,
        artifact="Table 3",
        metric="v_measure",
        datasets=[f"{dataset}-{n}" for n in CLUSTERING[dataset]],
        notes=(
            "The best over all numbers of neighbours and widths, by the true classes: an oracle choice, as the paper"
            " makes it. The next table has a choice without labels.",
        ),
    )


def fixed_clustering_table(context: ArtifactContext) -> Table:
    """Table 3 with a graph that is chosen without labels."""
    problems = [f"{dataset}-{n}" for dataset, numbers in CLUSTERING.items() for n in numbers]
    return comparison_table(
        context,
        artifact="none",
        metric="v_measure_fixed",
        datasets=[problem for problem in problems if problem in context.datasets],
    )


def interval_of(
    context: ArtifactContext, dataset: str, method: str, metric: str, at: Mapping[str, Any] | None
) -> Interval | None:
    """Mean and 95% interval as verdicts have them; None where there is nothing."""
    query: dict[str, Any] = {"dataset": dataset, "method": method, "metric": metric}
    if at is not None:
        query["at"] = dict(at)
    if context.results.rows(dataset, method).empty:
        return None
    sample = context.results.sample(query, context.own_rule)
    if sample.problem or sample.values.empty:
        return None
    return mean_interval(sample.values.to_numpy(), point=sample.point, overlap=sample.overlap)


def labels_of(context: ArtifactContext) -> dict[str, str]:
    """Give the label of each method."""
    return {name: str(method["label"]) for name, method in context.methods.items()}


def _found(
    context: ArtifactContext, datasets: Sequence[str], metric: str, at: Mapping[str, Any] | None
) -> dict[str, dict[str, Interval]]:
    found: dict[str, dict[str, Interval]] = {}
    for dataset in datasets:
        for method in drawings.STYLES:
            interval = interval_of(context, dataset, method, metric, at)
            if interval is not None:
                found.setdefault(dataset, {})[method] = interval
    return found


def figure_1(context: ArtifactContext) -> Figure:
    """Accuracy of five neighbours on six data sets."""
    found = _found(context, CLASSIFICATION, "accuracy", {"neighbors": 5})
    figure = drawings.accuracy_bars(found, labels_of(context), context.measures["accuracy"])
    return _noted(figure, context, found)


def figure_2(context: ArtifactContext) -> Figure:
    """Accuracy of five neighbours against label noise."""
    found = _found(context, list(NOISE.values()), "accuracy", {"neighbors": 5})
    by_share = {problem: share for share, problem in NOISE.items()}
    by_method: dict[str, dict[float, Interval]] = {}
    for problem, of in found.items():
        for method, interval in of.items():
            by_method.setdefault(method, {})[by_share[problem]] = interval
    panels = {"sonar": by_method} if by_method else {}
    figure = drawings.curves(
        panels, labels_of(context), context.measures["accuracy"], "training labels replaced (%)"
    )
    return _noted(figure, context, found)


def figure_3(context: ArtifactContext) -> Figure:
    """Precision of retrieval against the number of images retrieved."""
    panels: dict[str, dict[str, dict[float, Interval]]] = {}
    for dataset in RETRIEVAL:
        for number in (5, 10, 15, 20, 30, 40, 50):
            for method, interval in (
                _found(context, [dataset], "precision", {"neighbors": number}).get(dataset, {}).items()
            ):
                panels.setdefault(dataset, {}).setdefault(method, {})[float(number)] = interval
    figure = drawings.curves(panels, labels_of(context), context.measures["precision"], "images retrieved")
    return _noted(figure, context, panels)


def accuracy_against_time(context: ArtifactContext) -> Figure:
    """Accuracy of five neighbours against the time of training and of a query."""
    accuracy = _found(context, CLASSIFICATION, "accuracy", {"neighbors": 5})
    seconds = _found(context, CLASSIFICATION, "seconds", None)
    query = _found(context, CLASSIFICATION, "seconds_per_query", None)
    found = {
        dataset: {
            method: (interval.mean, seconds[dataset][method].mean, query[dataset][method].mean)
            for method, interval in of.items()
            if method in seconds.get(dataset, {}) and method in query.get(dataset, {})
        }
        for dataset, of in accuracy.items()
    }
    figure = drawings.accuracy_against_time(found, labels_of(context), context.measures["accuracy"])
    return _noted(figure, context, found)


def gallery(context: ArtifactContext) -> Figure:
    """The nearest images of a few test images of USPS under each method."""
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    query: np.ndarray | None = None
    for method in drawings.STYLES:
        cells = context.results.chosen("usps", method, "accuracy", context.own_rule, at={"neighbors": 5})
        if cells.empty:
            continue
        first = cells.sort_values(["repetition", "fold"]).cell_id.iloc[0]
        arrays = context.load_arrays(first)
        if query is None:
            query = arrays["gallery_rows"][:4]
        if np.array_equal(arrays["gallery_rows"][:4], query):
            found[method] = (arrays["gallery_neighbors"][:4], arrays["gallery_relevant"][:4])
    if query is None:
        return empty_figure("No finished cell on usps in this scope.")
    images = context.load_data("usps").images
    if images is None:
        return empty_figure("The images of usps are not available.")
    return drawings.gallery(query.tolist(), found, labels_of(context), images)


def _noted(figure: Figure, context: ArtifactContext, shown: Mapping[str, Any]) -> Figure:
    """Say what the bars rest on."""
    if not shown:
        return figure
    basis = [
        (dataset, str(context.methods[method]["label"]), context.results.rows(dataset, method))
        for dataset, of in shown.items()
        for method in of
    ]
    notes = [
        "Lines: 95% intervals of the mean, wider than of independent values: folds share their training rows."
    ]
    write_below(figure, [*notes, *basis_notes(context, basis)])
    return figure


ARTIFACTS: tuple[Artifact, ...] = declare(
    __package__,
    (
        "table-1",
        "table",
        "Table 1: neighbours among candidates",
        "Table 1",
        partial(search_table, artifact="Table 1", metric="mean_average_precision"),
    ),
    (
        "table-2",
        "table",
        "Table 2: their time",
        "Table 2",
        partial(search_table, artifact="Table 2", metric="time_share"),
    ),
    ("figure-1", "figure", "Figure 1: five nearest neighbours", "Figure 1", figure_1),
    (
        "figure-1-numbers",
        "table",
        "The numbers of Figure 1",
        "",
        partial(accuracy_table, datasets=CLASSIFICATION),
    ),
    ("figure-2", "figure", "Figure 2: label noise", "Figure 2", figure_2),
    (
        "figure-2-numbers",
        "table",
        "The numbers of Figure 2",
        "",
        partial(accuracy_table, datasets=tuple(NOISE.values())),
    ),
    ("figure-3", "figure", "Figure 3: retrieval", "Figure 3", figure_3),
    *(
        (
            f"table-3-{dataset}",
            "table",
            f"Table 3: clustering, {dataset}",
            "Table 3",
            partial(clustering_table, dataset=dataset),
        )
        for dataset in CLUSTERING
    ),
    (
        "table-3-fixed",
        "table",
        "Table 3 with a graph chosen without labels",
        "",
        fixed_clustering_table,
    ),
    ("accuracy-against-time", "figure", "Accuracy and time", "", accuracy_against_time),
    ("gallery", "figure", "The nearest images", "", gallery),
    (
        "selected-settings",
        "table",
        "Settings chosen",
        "Section 6.3",
        partial(settings_table, metrics=("accuracy",)),
    ),
    ("deviations", "table", "Deviations, each with its effect", "", deviations_table),
    ("cells", "table", "Cells: status, time, memory", "", status_table),
)
