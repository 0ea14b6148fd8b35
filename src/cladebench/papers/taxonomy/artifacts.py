"""Make tables and figures of the taxonomy paper, and ours about it.

Each is a function of the records.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from cladebench.paper.artifact_types import Artifact, ArtifactContext, Table, declare
from cladebench.paper.choices_table import choices_table
from cladebench.paper.measures_table import measures_table
from cladebench.paper.tables import comparison_table, status_table
from cladebench.papers.taxonomy.figures import (
    by_objective,
    entropies,
    figure_1,
    figure_2,
    numbers_figure,
    taxonomy_of,
)
from cladebench.papers.taxonomy.words import LETTERS, N_WORDS, PRINTED

#: What other trees make of the same partition.
WORTH = ("share_unconstrained", "share_tree", "share_best_random_tree", "share_random_tree", "share_star")
#: Of small sets whose partitions are all tried.
PARTITIONS = (
    "same_partition",
    "partition_ari",
    "partition_loss",
    "structure_apart",
    "optimum_falls",
    "sweeps_optimal",
    "sweeps_loss",
)
STUDIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "significance": (
        "significance-study",
        (
            "tree_over_star",
            "tree_over_random",
            "p_tree",
            "tree_gain",
            "p_partition",
            "partition_gain",
            "p_partition_learned",
        ),
    ),
    "numbers": ("number-study", ("elbow", "eigengap", "rules_apart", "elbow_off", "eigengap_off", "falls")),
    "stability": (
        "stability-study",
        (
            *(f"ari_{name}" for name in ("taxonomy", "unconstrained", "star", "start")),
            *(f"words_back_{name}" for name in ("taxonomy", "unconstrained", "star", "start")),
        ),
    ),
}


def table_1(context: ArtifactContext) -> Table:
    """Conditional entropies of all ten columns, and of what stands beside them."""
    return comparison_table(
        context,
        artifact="Table 1",
        metric="conditional_entropy",
        datasets=[
            "faces",
            *(name for name in ("faces-expressions", "nested-blobs") if name in context.datasets),
        ],
        notes=(
            "The base of the logarithm is not printed; all here is in nats. A partition that finds the persons alone"
            " has ln 3 = 1.10.",
        ),
    )


def texts_table(context: ArtifactContext) -> Table:
    """Conditional entropies on newsgroups, whose groups are known."""
    return comparison_table(
        context,
        artifact="none",
        metric="conditional_entropy",
        datasets=["newsgroups", "newsgroups-100"],
        notes=(
            "The words of newsgroups were chosen with the help of the labels, by those who made the data.",
        ),
    )


def words_back_table(context: ArtifactContext) -> Table:
    """Share of the words of Table 2 that come back, by method."""
    return comparison_table(context, artifact="none", metric="words_back", datasets=["nips", "nips-halves"])


def table_2(context: ArtifactContext) -> Table:
    """The twenty words of each cluster, beside the printed ones."""
    columns = ["printed", "documents", "words printed", "words of the matched cluster", "shared"]
    cells = by_objective(context, "nips")
    if cells.empty:
        return Table(pd.DataFrame(columns=columns), notes=("No finished run of NTC on nips in this scope.",))
    shown = str(cells.iloc[0].cell_id)
    arrays = context.load_arrays(shown)
    sizes = np.bincount(arrays["labels"])
    rows, sources = [], {}
    for place, name in enumerate(LETTERS):
        cluster = int(arrays["matched"][place])
        top = arrays["top_words"][cluster].tolist() if cluster >= 0 else []
        sources[place, "shared"] = (shown,)
        rows.append(
            {
                "printed": name,
                "documents": str(sizes[cluster]) if cluster >= 0 else "–",
                "words printed": " ".join(PRINTED[name]),
                "words of the matched cluster": " ".join(top),
                "shared": f"{len(set(top) & set(PRINTED[name]))} of {N_WORDS}",
            }
        )
    return Table(
        pd.DataFrame(rows, columns=columns),
        sources,
        notes=(
            "Clusters are matched with the printed ones, one to one, so that most words come back. Words by the"
            " share of a cluster's documents that have them, less the share of all others.",
            "What clusters without a taxonomy, and clusters drawn at random, bring back stands in the next table.",
        ),
    )


def worth_table(context: ArtifactContext) -> Table:
    """Tabulate objective (1) of NTC's partition with other structures.

    They stand in the place of the fitted tree.
    """
    return measures_table(
        context,
        [("NTC", metric) for metric in WORTH]
        + [
            ("NTC", metric)
            for metric in ("tree_residual", "least_eigenvalue", "n_iterations", "moved_from_start")
        ]
        + [("NTC-7", "tree_residual"), ("NTC-7-all", "tree_residual")]
        + [(name, "taxonomy_correlation") for name in ("NTC", "NTC-unconstrained", "NTC-star", "NTC-random")],
        ("faces", "nips", "newsgroups", "newsgroups-100", "nested-blobs"),
    )


def study_table(context: ArtifactContext, name: str) -> Table:
    """What one of our studies measured, by data set."""
    method, metrics = STUDIES[name]
    return measures_table(
        context,
        [(method, metric) for metric in metrics],
        ("faces", "nips", "newsgroups", "newsgroups-100", "nested-blobs"),
    )


def partitions_table(context: ArtifactContext) -> Table:
    """Tabulate best partitions by data set and number of clusters."""
    tables = {
        k: measures_table(
            context,
            [("partition-study", metric) for metric in PARTITIONS],
            ("faces", "nested-blobs"),
            {"k": k},
        )
        for k in (2, 3, 4)
    }
    frames: list[pd.DataFrame] = []
    sources: dict[tuple[int, str], tuple[str, ...]] = {}
    start = 0
    for k, table in tables.items():
        frames.append(table.frame.assign(clusters=str(k)))
        sources |= {(start + row, column): cells for (row, column), cells in table.sources.items()}
        start += len(table.frame)
    frame = pd.concat(frames, ignore_index=True)
    columns = ["clusters", *(name for name in frame.columns if name != "clusters")]
    return Table(frame[columns], sources, notes=tables[3].notes)


ARTIFACTS: tuple[Artifact, ...] = declare(
    __package__,
    ("table-1", "table", "Table 1: conditional entropy", "Table 1", table_1),
    ("table-1-figure", "figure", "Table 1 as a picture", "Table 1", entropies),
    ("figure-1", "figure", "Figure 1: the structures", "Figure 1", figure_1),
    ("figure-2", "figure", "Figure 2: a taxonomy of faces", "Figure 2", figure_2),
    (
        "figure-3",
        "figure",
        "Figure 3: the taxonomy of NIPS papers",
        "Figure 3",
        partial(taxonomy_of, dataset="nips"),
    ),
    ("table-2", "table", "Table 2: words of the clusters", "Table 2", table_2),
    ("words-back", "table", "How many words of Table 2 come back", "Table 2", words_back_table),
    ("worth-of-the-tree", "table", "What the tree is worth", "", worth_table),
    ("newsgroups", "figure", "A taxonomy of newsgroups", "", partial(taxonomy_of, dataset="newsgroups-100")),
    ("texts", "table", "Texts with known groups", "", texts_table),
    ("number-of-clusters", "figure", "The number of clusters", "Section 6", numbers_figure),
    (
        "number-of-clusters-numbers",
        "table",
        "Elbow and eigengap",
        "Section 6",
        partial(study_table, name="numbers"),
    ),
    ("significance", "table", "The tree on a held-out half", "", partial(study_table, name="significance")),
    ("stability", "table", "Bootstrap samples of documents", "", partial(study_table, name="stability")),
    (
        "best-partitions",
        "table",
        "Best partitions of small sets, by enumeration",
        "Section 3.3",
        partitions_table,
    ),
    ("deviations", "table", "Unstated choices, each with its effect", "", choices_table),
    ("cells", "table", "Runs: status, time, memory", "", status_table),
)
