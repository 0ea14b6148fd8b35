"""Make tables and figures of the exemplar paper, and ours about it.

Each is a function of the records.
"""

from __future__ import annotations

from functools import partial

from cladebench.paper.artifact_types import Artifact, ArtifactContext, Table, declare
from cladebench.paper.choices_table import choices_table
from cladebench.paper.measures_table import measures_table
from cladebench.paper.tables import comparison_table, status_table
from cladebench.papers.exemplar.data_sets import IMAGES, MIXTURES, OUTEX, SCENES, SIZES, UIUC
from cladebench.papers.exemplar.figures import (
    exemplars_figure,
    figure_2a,
    figure_2b,
    figure_2c,
    figure_2d,
    figure_3,
    figure_6b,
    figure_of_distances,
)


def accuracies(context: ArtifactContext, metric: str) -> Table:
    """Printed and measured accuracies on images."""
    return comparison_table(
        context,
        artifact="Sec. 6",
        metric=metric,
        datasets=[name for name in IMAGES if name in context.datasets],
        notes=("What is printed for the scenes is of four distances a feature.",),
    )


def points_table(context: ArtifactContext, metric: str) -> Table:
    """A measure on all sets of points."""
    names = [
        name for names in MIXTURES.values() for name in (*names, f"{names[0]}-far", f"{names[0]}-farther")
    ]
    names = [name for name in names if name in context.datasets]
    return comparison_table(context, artifact="none", metric=metric, datasets=names)


def learning_table(context: ArtifactContext) -> Table:
    """How learning went: rounds, objective, weights."""
    metrics = (
        "rounds_to_90",
        "rounds_to_99",
        "objective_share",
        "n_weighted",
        "n_features_weighted",
        "price",
    )
    return measures_table(
        context,
        [(method, metric) for method in ("Exemplar", "Exemplar-several") for metric in metrics],
        (*IMAGES, *SIZES),
    )


def noise_table(context: ArtifactContext) -> Table:
    """What eight features more, which are random, do."""
    methods = [f"{base}{noise}" for base in ("Exemplar", "Average", "Ratio") for noise in ("", "-noise")]
    asked = [(method, metric) for metric in ("nn_accuracy", "matched_accuracy") for method in methods]
    asked += [
        (method, metric)
        for method in ("Exemplar-noise", "Ratio-noise")
        for metric in ("noise_share", "noise_suppressed", "noise_largest")
    ]
    return measures_table(context, asked, UIUC)


def neighbors_table(context: ArtifactContext, neighbors: int) -> Table:
    """Accuracy of several nearest neighbours."""
    return comparison_table(
        context,
        artifact="none",
        metric="knn_accuracy",
        datasets=[name for name in IMAGES if name in context.datasets],
        at={"neighbors": neighbors},
    )


ARTIFACTS: tuple[Artifact, ...] = declare(
    __package__,
    (
        "clustering",
        "table",
        "Clustering accuracy on images",
        "Sec. 6",
        partial(accuracies, metric="matched_accuracy"),
    ),
    (
        "neighbours",
        "table",
        "Accuracy of the nearest neighbour",
        "Sec. 6",
        partial(accuracies, metric="nn_accuracy"),
    ),
    ("figure-2a", "figure", "Fig. 2(a): the objective of learning", "Fig. 2(a)", figure_2a),
    ("figure-2b", "figure", "Fig. 2(b): weights of dimensions", "Fig. 2(b)", figure_2b),
    ("figure-2c", "figure", "Fig. 2(c): a clustering", "Fig. 2(c)", figure_2c),
    ("figure-2d", "figure", "Fig. 2(d): F against noisy dimensions", "Fig. 2(d)", figure_2d),
    ("figure-2d-numbers", "table", "Fig. 2(d): numbers", "Fig. 2(d)", partial(points_table, metric="pair_f")),
    (
        "number-of-clusters",
        "table",
        "How often the number of clusters is right",
        "Fig. 2(c)",
        partial(points_table, metric="number_right"),
    ),
    (
        "noisy-dimensions",
        "table",
        "Weight of noisy dimensions",
        "Fig. 2(b)",
        partial(points_table, metric="noise_share"),
    ),
    ("figure-3", "figure", "Fig. 3: weights of features", "Fig. 3", figure_3),
    (
        "figure-4",
        "figure",
        "Fig. 4: exemplars of Outex",
        "Fig. 4",
        partial(exemplars_figure, group=OUTEX, method="Exemplar"),
    ),
    ("noise-features", "table", "Noise features", "Sec. 6", noise_table),
    (
        "figure-5",
        "figure",
        "Fig. 5: weights of four distances a feature, UIUC",
        "Fig. 5",
        partial(figure_of_distances, group=UIUC),
    ),
    (
        "figure-6a",
        "figure",
        "Fig. 6(a): weights of four distances a feature, scenes",
        "Fig. 6(a)",
        partial(figure_of_distances, group=SCENES),
    ),
    ("figure-6b", "figure", "Fig. 6(b): the objective of learning on images", "Fig. 6(b)", figure_6b),
    (
        "figure-7",
        "figure",
        "Fig. 7: exemplars of the scenes",
        "Fig. 7",
        partial(exemplars_figure, group=SCENES, method="Exemplar-several"),
    ),
    ("learning", "table", "How learning goes", "", learning_table),
    ("five-neighbours", "table", "Accuracy of five neighbours", "", partial(neighbors_table, neighbors=5)),
    ("deviations", "table", "Unstated choices, each with its effect", "", choices_table),
    ("cells", "table", "Runs: status, time, memory", "", status_table),
)
