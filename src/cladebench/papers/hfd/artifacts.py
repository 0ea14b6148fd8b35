"""Make tables and figures of the HFD paper, and ours about it.

Each is a function of the records.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd

from cladebench.bench.statistics.intervals import Interval
from cladebench.paper.artifact_types import Artifact, ArtifactContext, Table, declare
from cladebench.paper.choices_table import choices_table
from cladebench.paper.figures import empty_figure, panel_title
from cladebench.paper.tables import (
    basis_notes,
    comparison_table,
    listed,
    settings_table,
    status_table,
    why_empty,
    with_spread,
)
from cladebench.papers.hfd import drawings
from cladebench.papers.hfd.figure_data import (
    OWN,
    constraints_note,
    difference_of,
    intervals,
    labels_of,
    noted,
)
from cladebench.papers.hfd.method_styles import STYLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

V = TypeVar("V")

#: The data sets of Figure 1, in its order.
CLASSIFICATION = ("sonar", "ionosphere", "balance", "segmentation", "usps", "magic")
#: Label noise of Figure 2, in percent, and the problem that has it.
NOISE: Mapping[float, str] = {
    0.0: "sonar",
    **{float(share): f"sonar-noise-{share}" for share in (5, 10, 15, 20, 30)},
}
RETRIEVAL = ("cifar10", "cifar100-coarse", "cifar100-fine")
#: What Figure 3 shows where all features are divided by one number. DCA depends on the scale with few dimensions only,
#: trees that split one feature at a time never do.
ONE_NUMBER: Mapping[str, str] = {
    **{name: f"{name}-pooled" for name in ("Euclidean", "LMNN", "GB-LMNN", "ITML", "HFD", "HFD-random")},
    "DCA": "DCA-pooled-class-dimensions",
    **{name: name for name in ("RFD", "Proximity", "Random")},
}
SEARCH = ("sonar-search", "segmentation-search", "usps-search")
#: Candidates per tree in Tables 1 and 2.
CANDIDATES = (1, 3, 5, 10, 20, 30)
#: Numbers of images retrieved at which Figure 3 is read.
RETRIEVED = (5, 10, 15, 20, 30, 40, 50)
#: Test images of the gallery, and how many of their neighbours it shows.
QUERIES, NEIGHBORS = 4, 5
#: Columns of Table 3: data set, and numbers of constraints.
CLUSTERING: Mapping[str, tuple[int, ...]] = {
    "sonar": (60, 120, 180),
    "balance": (45, 90, 180),
    "segmentation": (70, 175, 350),
    "usps": (3000, 5000, 10000),
}


def search_table(context: ArtifactContext, artifact: str, metric: str) -> Table:
    """Make Table 1 or 2: candidates' numbers as rows, data as columns."""
    rows: list[dict[str, str]] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    claims: dict[tuple[int, str], str] = {}
    basis: list[tuple[str, str, pd.DataFrame]] = []
    measure = context.measures[metric]
    published = context.published[context.published.artifact == artifact]
    forests = ("HFD-search", "HFD-search-unconstrained", "HFD-search-random")
    settings: dict[str, None] = {}
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
                    settings |= {
                        f"{label}: in this run with {listed(json.loads(text))}.": None
                        for text in shown.setting
                        if text != "{}"
                    }
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
            *settings,
            *basis_notes(context, basis),
            *constraints_note(context, SEARCH),
        ),
    )


def in_scope(context: ArtifactContext, datasets: Sequence[str]) -> list[str]:
    """Keep the data sets that the scope has.

    A scope without them keeps all, so that the table says that none is planned.
    """
    return [name for name in datasets if name in context.datasets] or list(datasets)


def classified(context: ArtifactContext) -> list[str]:
    """List data sets with votes on classes: Figure 1, then beyond."""
    records = context.results.records
    voted = set(records.dataset[records.metric == "accuracy"])
    return [
        *CLASSIFICATION,
        *(name for name, entry in context.datasets.items() if entry.get("beyond") and name in voted),
    ]


def figure_1_numbers(context: ArtifactContext) -> Table:
    """Tabulate the accuracy of five neighbours (Figure 1).

    The paper does not print these numbers.
    """
    return accuracy_table(context, classified(context))


def accuracy_table(context: ArtifactContext, datasets: Sequence[str]) -> Table:
    """Accuracy of five neighbours, beside which the paper prints no numbers."""
    shown = in_scope(context, datasets)
    return comparison_table(
        context, artifact="none", metric="accuracy", datasets=shown, notes=constraints_note(context, shown)
    )


def clustering_table(context: ArtifactContext, dataset: str) -> Table:
    """Table 3, for one data set."""
    problems = [f"{dataset}-{n}" for n in CLUSTERING[dataset]]
    return comparison_table(
        context,
        artifact="Table 3",
        metric="v_measure",
        datasets=problems,
        rules=("oracle_clustering",),
        notes=(
            "The best over all numbers of neighbours and widths, chosen with the true classes, as the paper does."
            " The next table has a choice without labels.",
            *constraints_note(context, problems),
        ),
    )


def fixed_clustering_table(context: ArtifactContext) -> Table:
    """Table 3 with a graph that is chosen without labels."""
    problems = in_scope(
        context, [f"{dataset}-{n}" for dataset, numbers in CLUSTERING.items() for n in numbers]
    )
    return comparison_table(
        context,
        artifact="none",
        metric="v_measure_fixed",
        datasets=problems,
        rules=("oracle_clustering",),
        notes=(
            "Normalized cuts of a Gaussian this narrow may do no more than part outliers from the rest. They do less of"
            " that with rows of length one (v_measure_fixed_unit_rows, among the unstated choices).",
            *constraints_note(context, problems),
        ),
    )


def figure_1(context: ArtifactContext) -> Figure:
    """Accuracy of five neighbours on six data sets."""
    datasets = classified(context)
    accuracies = intervals(context, datasets, "accuracy", {"neighbors": 5})
    figure = drawings.accuracy_dots(
        titled(context, accuracies), labels_of(context), context.measures["accuracy"]
    )
    return noted(figure, context, datasets, accuracies)


def titled(context: ArtifactContext, by_dataset: Mapping[str, V]) -> dict[str, V]:
    """Give what is shown of data sets under their titles."""
    return {panel_title(context, dataset): of for dataset, of in by_dataset.items()}


def figure_2(context: ArtifactContext) -> Figure:
    """HFD minus each other method, against label noise."""
    datasets = list(NOISE.values())
    by_method: dict[str, dict[float, Interval]] = {}
    shown: dict[str, dict[str, Interval]] = {}
    for share, problem in NOISE.items():
        # Where chance lies is in Figure 1; here it would only stretch the axes.
        for method in (name for name in OWN if name not in ("HFD", "Random")):
            difference = difference_of(context, problem, method, "accuracy", {"neighbors": 5})
            if difference is not None:
                by_method.setdefault(method, {})[share] = difference
                shown.setdefault(problem, {}).update({method: difference, "HFD": difference})
    figure = drawings.differences(
        by_method, labels_of(context), context.measures["accuracy"], "training labels replaced (%)"
    )
    methods = {name: method for name, method in OWN.items() if name != "Random"}
    return noted(figure, context, datasets, shown, methods)


def figure_3(context: ArtifactContext, methods: Mapping[str, str] = OWN, ending: str = "") -> Figure:
    """Precision of retrieval against the number of images retrieved."""
    panels: dict[str, dict[str, dict[float, Interval]]] = {}
    for number in RETRIEVED:
        for dataset, of in intervals(context, RETRIEVAL, "precision", {"neighbors": number}, methods).items():
            for style, interval in of.items():
                panels.setdefault(dataset, {}).setdefault(style, {})[float(number)] = interval
    panels = {dataset: panels[dataset] for dataset in RETRIEVAL if dataset in panels}
    figure = drawings.curves(
        titled(context, panels), labels_of(context), context.measures["precision"], "images retrieved", ending
    )
    return noted(figure, context, RETRIEVAL, panels, methods)


def accuracy_against_time(context: ArtifactContext) -> Figure:
    """Draw accuracy of five neighbours against time of training and query."""
    datasets = classified(context)
    accuracy = intervals(context, datasets, "accuracy", {"neighbors": 5})
    seconds = intervals(context, datasets, "seconds", None)
    query = intervals(context, datasets, "seconds_per_query", None)
    points = {
        dataset: {
            method: (interval.mean, seconds[dataset][method].mean, query[dataset][method].mean)
            for method, interval in of.items()
            if method in seconds.get(dataset, {}) and method in query.get(dataset, {})
        }
        for dataset, of in accuracy.items()
    }
    figure = drawings.accuracy_against_time(
        titled(context, points), labels_of(context), context.measures["accuracy"]
    )
    return noted(figure, context, datasets, points)


def gallery(context: ArtifactContext) -> Figure:
    """Draw nearest images of some USPS test images under each method."""
    cells = {
        method: context.results.chosen("usps", method, "accuracy", context.own_rule, at={"neighbors": 5})
        for method in STYLES
    }
    tasks = Counter(task for rows in cells.values() for task in rows.task)
    if not tasks:
        return empty_figure("No finished run on USPS in this scope.")
    # The same test images for all: those of the task that most methods have met, of equals the first.
    task = max(tasks, key=tasks.__getitem__)
    data = context.data_with_images("usps")
    if data is None:
        return empty_figure("The images of USPS are not available.")
    assert data.images is not None
    query: list[int] = []
    shown: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for method, rows in cells.items():
        for cell in rows.cell_id[rows.task == task]:
            arrays = context.load_arrays(cell)
            query = arrays["gallery_rows"][:QUERIES].tolist()
            shown[method] = (
                arrays["gallery_neighbors"][:QUERIES, :NEIGHBORS],
                arrays["gallery_relevant"][:QUERIES, :NEIGHBORS],
            )
    figure = drawings.gallery(query, shown, labels_of(context), data.images)
    return noted(figure, context, ["usps"], {"usps": shown})


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
        figure_1_numbers,
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
    (
        "figure-3-one-number",
        "figure",
        "Retrieval where all features are divided by one number",
        "",
        partial(figure_3, methods=ONE_NUMBER, ending=", all features divided by one number"),
    ),
    *(
        (
            f"table-3-{dataset}",
            "table",
            f"Table 3: clustering, {name}",
            "Table 3",
            partial(clustering_table, dataset=dataset),
        )
        for dataset, name in zip(CLUSTERING, ("Sonar", "Balance", "Segmentation", "USPS"), strict=True)
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
    ("deviations", "table", "Unstated choices, each with its effect", "", choices_table),
    ("cells", "table", "Runs: status, time, memory", "", status_table),
)
