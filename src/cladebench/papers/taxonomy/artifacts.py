"""Make tables and figures of the taxonomy paper, and ours about it.

Each is a function of the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cladebench.methods._structures import named_tree
from cladebench.paper.artifact_types import Artifact, ArtifactContext, Table, declare
from cladebench.paper.choices_table import choices_table
from cladebench.paper.figures import counted, empty_figure, panel_title, with_title
from cladebench.paper.measures_table import label_of, measures_table
from cladebench.paper.protocol import stored_tree
from cladebench.paper.tables import comparison_table, status_table
from cladebench.papers.taxonomy import drawings, tree_drawings
from cladebench.papers.taxonomy.words import LETTERS, N_WORDS, PRINTED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Methods of Table 1, in its order, and what tells apart what helps.
TABLE_1 = ("Spectral", *(f"CLUHSIC-{letter}" for letter in LETTERS), "NTC")
BESIDE = (
    "Relaxation",
    "NTC-unconstrained",
    "NTC-star",
    "NTC-random",
    "CLUHSIC-h-normalized",
    "KM",
    "Ward",
)
#: Words beside a leaf of a drawn tree.
SHOWN_WORDS = 5
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


def entropies(context: ArtifactContext) -> Figure:
    """Table 1 as a picture: a dot for each draw of people."""
    rows: dict[str, np.ndarray] = {}
    for method in (*TABLE_1, *BESIDE):
        found = context.results.chosen("faces", method, "conditional_entropy", context.own_rule)
        if len(found):
            rows[label_of(context, method)] = found.sort_values("cell_id").value.to_numpy()
    published = context.published[context.published.artifact == "Table 1"]
    printed = {
        label_of(context, str(claim["method"])): float(claim["value"])
        for claim in published.to_dict("records")
    }
    title = panel_title(context, "faces", 60) if rows else ""
    found = context.results.chosen("faces", "Random", "conditional_entropy", context.own_rule)
    random = {label_of(context, "Random"): found.value.to_numpy()} if len(found) else {}
    return with_title(drawings.entropies(rows, printed, title, random), said_of_rank(context, rows))


def said_of_rank(context: ArtifactContext, rows: Mapping[str, np.ndarray]) -> str:
    """Count the methods with a lower mean than taxonomy clustering.

    Nothing where there are no others.
    """
    own = label_of(context, "NTC")
    if own not in rows or len(rows) < 2:
        return ""
    lower = sum(float(values.mean()) < float(rows[own].mean()) for values in rows.values())
    return f"{own.capitalize()}: {lower} of {counted(len(rows) - 1, 'other method')} have a lower mean"


def figure_1(context: ArtifactContext) -> Figure:
    """The structures that replace the lost drawings."""
    trees = {
        "star" if arity == 9 else f"{arity}-ary": named_tree(f"{arity}-ary", 9) for arity in range(2, 10)
    }
    return with_title(
        drawings.structures(trees), f"{len(trees)} trees over 9 clusters replace the lost drawings"
    )


def numbered_people(classes: Sequence[str]) -> list[str]:
    """Number the people of classes such as ``boland left``.

    The names of the files say nothing to a reader.

    >>> numbered_people(["at33 left", "at33 up", "boland left"])
    ['person 1, left', 'person 1, up', 'person 2, left']
    """
    people: dict[str, int] = {}
    found = []
    for name in classes:
        person, _, value = str(name).rpartition(" ")
        found.append(f"person {people.setdefault(person, len(people) + 1)}, {value}")
    return found


def figure_2(context: ArtifactContext) -> Figure:
    """Draw the taxonomy of one draw of faces.

    The one whose conditional entropy is the median.
    """
    found = context.results.chosen("faces", "NTC", "conditional_entropy", context.own_rule)
    if found.empty:
        return empty_figure("No finished run of NTC on faces in this scope.")
    # Neither the best nor the worst draw: of an even number the lower of the two in the middle.
    shown = found.sort_values(["value", "cell_id"], kind="stable").iloc[(len(found) - 1) // 2]
    arrays = context.load_arrays(str(shown.cell_id))
    repetition = repetition_of(str(shown.cell_id))
    data = context.data_with_images("faces", repetition)
    if data is None:
        return empty_figure("The images of the faces are not available.")
    assert data.images is not None
    labels, names = arrays["labels"], numbered_people(arrays["class_names"].tolist())
    pure = sum(int(counts.max() == counts.sum()) for counts in arrays["class_counts"])
    pictures, captions = [], []
    for cluster, counts in enumerate(arrays["class_counts"]):
        mean = np.stack([data.images.pixels[int(i)] for i in np.flatnonzero(labels == cluster)]).mean(axis=0)
        # The files use half of the grey values at most.
        pictures.append(np.clip(mean * (255.0 / 150.0), 0, 255).astype(np.uint8))
        largest = int(counts.argmax())
        share = 100.0 * counts[largest] / counts.sum()
        captions.append(f"{letter(cluster)}: {counts.sum()} images\n{names[largest]}, {share:.0f}%")
    return tree_drawings.taxonomy_of_images(
        stored_tree(arrays),
        pictures,
        captions,
        notes=(
            f"Draw {repetition + 1} of {len(found)}, the median by H(l|c) = {shown.value:.3f}; mean images, brightened."
            " Below each the class that most of its images have.",
        ),
        title=f"{title_of(context, 'faces')}: {pure} of {len(captions)} clusters hold one class alone",
    )


def title_of(context: ArtifactContext, dataset: str) -> str:
    """Give the title of a data set in one line."""
    return panel_title(context, dataset, 80).replace("\n", " ")


def repetition_of(cell_id: str) -> int:
    """Repetition of a cell, which is the draw of its data."""
    return int(cell_id.rpartition("/")[2].partition(".")[0].lstrip("r"))


def letter(k: int) -> str:
    """Name of a cluster."""
    return chr(ord("a") + k)


def taxonomy_of(context: ArtifactContext, dataset: str) -> Figure:
    """The taxonomy of documents, with the leading words of each cluster."""
    found = context.results.chosen(dataset, "NTC", "objective", context.own_rule)
    if found.empty:
        return empty_figure(f"No finished run of NTC on {dataset} in this scope.")
    # The start with the largest objective: no label is looked at.
    shown = found.sort_values(["value", "cell_id"], ascending=[False, True], kind="stable").iloc[0]
    arrays = context.load_arrays(str(shown.cell_id))
    sizes = np.bincount(arrays["labels"])
    named = dict(zip(arrays["matched"].tolist(), LETTERS, strict=True)) if "matched" in arrays else {}
    captions = []
    for cluster, size in enumerate(sizes):
        like = f", as {named[cluster]} of Table 2" if cluster in named else ""
        captions.append(f"{letter(cluster)}: {size}{like}")
    return tree_drawings.taxonomy_of_words(
        stored_tree(arrays),
        [own[:SHOWN_WORDS].tolist() for own in arrays["top_words"]],
        captions,
        notes=(
            f"The run with the largest objective of {len(found)}. Words: the first five by their share in the cluster"
            " less their share outside. Numbers: documents.",
        ),
        title=f"{title_of(context, dataset)}: {len(sizes)} clusters of {sizes.sum():,} documents",
    )


def table_2(context: ArtifactContext) -> Table:
    """The twenty words of each cluster, beside the printed ones."""
    columns = ["printed", "documents", "words printed", "words of the matched cluster", "shared"]
    found = context.results.chosen("nips", "NTC", "objective", context.own_rule)
    if found.empty:
        return Table(pd.DataFrame(columns=columns), notes=("No finished run of NTC on nips in this scope.",))
    shown = found.sort_values(["value", "cell_id"], ascending=[False, True], kind="stable").iloc[0]
    arrays = context.load_arrays(str(shown.cell_id))
    sizes = np.bincount(arrays["labels"])
    rows, sources = [], {}
    for place, name in enumerate(LETTERS):
        cluster = int(arrays["matched"][place])
        own = arrays["top_words"][cluster].tolist() if cluster >= 0 else []
        sources[place, "shared"] = (str(shown.cell_id),)
        rows.append(
            {
                "printed": name,
                "documents": str(sizes[cluster]) if cluster >= 0 else "–",
                "words printed": " ".join(PRINTED[name]),
                "words of the matched cluster": " ".join(own),
                "shared": f"{len(set(own) & set(PRINTED[name]))} of {N_WORDS}",
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
    """Tabulate what the study of best partitions found.

    By data set and number of clusters.
    """
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


def numbers_figure(context: ArtifactContext) -> Figure:
    """The objective against the number of clusters, and the eigenvalues."""
    curves: dict[str, dict[int, np.ndarray]] = {}
    eigenvalues: dict[str, np.ndarray] = {}
    elbow: dict[str, int] = {}
    gap: dict[str, int] = {}
    for name in ("faces", "nips"):
        rows = context.results.rows(name, "number-study")
        finished = rows[rows.status == "ok"] if len(rows) else rows
        if finished.empty:
            continue
        title = panel_title(context, name)
        for k in range(2, 16):
            found = context.results.chosen(name, "number-study", "objective", context.own_rule, at={"k": k})
            if len(found):
                curves.setdefault(title, {})[k] = found.value.to_numpy()
        stored = [context.load_arrays(cell)["eigenvalues"] for cell in sorted(set(finished.cell_id))]
        least = min(len(values) for values in stored)
        eigenvalues[title] = np.stack([values[:least] for values in stored])
        for rule, into, less in (("elbow", elbow, 0), ("eigengap", gap, 1)):
            chosen = context.results.chosen(name, "number-study", rule, context.own_rule).value
            # Of repetitions that choose different numbers the median.
            into[title] = int(np.median(chosen)) - less
    figure = drawings.objective_against_clusters(curves, eigenvalues, elbow, gap)
    apart = sum(elbow[title] != gap[title] + 1 for title in gap)
    data = counted(len(gap), "data set")
    title = f"The elbow and the largest gap choose other numbers of clusters on {apart} of {data}"
    return with_title(figure, title if gap else "")


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
